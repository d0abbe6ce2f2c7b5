"""Limits per client: requests by rate, wrong codes by number, bytes of bodies that arrive at once.

Clients are told apart by the network that they cannot leave at will: an IPv4 address, or the first
64 bits of an IPv6 address, within which every device chooses its own (RFC 4291, 2.5.4).
"""

from __future__ import annotations

import ipaddress
import time
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

MAX_REMEMBERED_NETWORKS = 1024
"""Networks whose rate and wrong codes are remembered; the one that was silent longest is dropped
first."""


@dataclass(frozen=True)
class Limits:
    """Limits of one server; the defaults are those of a table.

    `connections`: most connections in all; `connections_per_network`: from one network. A browser
    opens up to seven for a page. `burst`, `rate`: requests that one network may make at once, and
    per second after that; a page with its parts and cards takes ten. `body_bytes`: most bytes in a
    request's body; `body_bytes_at`: the same for paths whose messages are larger.
    `body_bytes_at_once`: bytes that all unfinished requests of one network may announce together.
    """

    connections: int = 200
    connections_per_network: int = 64
    burst: int = 120
    rate: float = 20.0
    body_bytes: int = 4096
    body_bytes_at: Mapping[str, int] = field(default_factory=dict)
    body_bytes_at_once: int = 8_000_000


TABLE_LIMITS = Limits()
"""Limits of the shared table: a token and a choice are far smaller than 4096 bytes."""


@lru_cache(maxsize=4096)  # asked for every open connection whenever another one arrives
def identify_network(address: str) -> str:
    """Return the network by which a client is counted; a name, such as a socket's, stays as it
    is."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv4Address):
        return str(found)
    # A socket for both versions reports IPv4 clients so: they must not all count as one network.
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(ipaddress.ip_network((found, 64), strict=False))


class RateLimiter:
    """Token buckets, one for each network."""

    def __init__(self, limits: Limits = TABLE_LIMITS, clock: Callable[[], float] = time.monotonic) -> None:
        self._burst, self._rate, self._clock = limits.burst, limits.rate, clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take_token(self, address: str) -> bool:
        """Take a token; return whether there was one."""
        network, now = identify_network(address), self._clock()
        left, since = self._left.pop(network, (float(self._burst), now))
        left = min(left + (now - since) * self._rate, self._burst)
        self._left[network] = (max(left - 1, 0.0), now)
        while len(self._left) > MAX_REMEMBERED_NETWORKS:
            self._left.popitem(last=False)
        return left >= 1


WRONG_CODES = ((5, 60.0), (20, 3600.0))
"""Wrong codes that one network may send, each with the seconds within which. A guest mistypes two
or three times. A home network has 250 addresses to guess from: they find one of 160,000 codes in 16
hours on average."""


class CodeAttempts:
    """Wrong codes, counted by network: nobody's mistakes cost anybody else a try."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._wrong: OrderedDict[str, deque[float]] = OrderedDict()

    def seconds_to_wait(self, address: str) -> int:
        """Return the seconds until this address may try again; 0 if it may try now."""
        wrong, now = self._wrong.get(identify_network(address), ()), self._clock()
        # Sliding windows: blocked while the oldest of the last failures is within one.
        waits = [wrong[-most] + within - now for most, within in WRONG_CODES if len(wrong) >= most]
        # Rounded up, so that waiting the announced seconds is always enough.
        return max(0, *(-int(-left // 1) for left in waits), 0)

    def record_wrong_code(self, address: str) -> None:
        """Record a wrong code from this address."""
        network, most = identify_network(address), max(most for most, _ in WRONG_CODES)
        self._wrong.setdefault(network, deque(maxlen=most)).append(self._clock())
        # The one longest silent is dropped first.
        self._wrong.move_to_end(network)
        if len(self._wrong) > MAX_REMEMBERED_NETWORKS:
            self._wrong.popitem(last=False)


class RequestBudget:
    """Unfinished requests of each network, and the bytes that they have announced: memory that is
    promised to them.

    Each network may have as many requests as connections. That is a limit of its own only behind a
    proxy, whose connections are everybody's.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._requests: Counter[str] = Counter()
        self._announced: Counter[str] = Counter()

    def reserve(self, address: str, size: int) -> bool:
        """Reserve memory for a request with a body of `size` bytes; return whether the network may
        have it."""
        network = identify_network(address)
        if (
            self._requests[network] >= self._limits.connections_per_network
            or self._announced[network] + size > self._limits.body_bytes_at_once
        ):
            return False
        self._requests[network] += 1
        self._announced[network] += size
        return True

    def release(self, address: str, size: int) -> None:
        """Release what was reserved."""
        network = identify_network(address)
        self._requests[network] -= 1
        self._announced[network] -= size
        # A counter keeps its zeros, and a flood from many networks would fill it.
        if not self._requests[network]:
            del self._requests[network], self._announced[network]
