"""Addresses at which browsers find this machine: on itself, or on the local network."""

from __future__ import annotations

import ipaddress
import socket
import time
from typing import NamedTuple
from urllib.parse import urlsplit

LOOPBACK = "127.0.0.1"
PORT = 8640
"""The usual port, so that the address in a streaming program stays valid; another one if it is
busy."""
BUSY_TIMEOUT = 5.0
"""Seconds to wait for a port that open pages try: the program that was killed may not have gone
yet."""
BUSY_INTERVAL = 0.1
USUAL_PORTS = {"http": 80, "https": 443}
"""Ports that browsers leave out of addresses."""


def is_loopback(host: str) -> bool:
    """Return whether a host (an IP address or a name) is this computer itself."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def build_origin(name: str, *, secure: bool, port: int) -> str:
    """Return the origin (RFC 6454) of the pages at `name`, as browsers send it: in lower case,
    without the port that the scheme implies.

    `name`: a host, with its port if it is not `port`; or a URL, which also says the scheme. Raises
    `ValueError` for anything else, such as a URL with a path.
    """
    scheme = "https" if secure else "http"
    is_url = "//" in name
    parts = urlsplit(name if is_url else f"{scheme}://{name}")
    scheme, host = parts.scheme, (parts.hostname or "").encode("idna").decode()
    rest = (parts.path.removeprefix("/"), parts.query, parts.fragment, parts.username)
    if scheme not in USUAL_PORTS or not host or any(rest):
        raise ValueError(name)
    number = parts.port or (USUAL_PORTS[scheme] if is_url else port)
    bracketed = f"[{host}]" if ":" in host else host
    return f"{scheme}://{bracketed}" + (f":{number}" if number != USUAL_PORTS[scheme] else "")


class ServerAddress(NamedTuple):
    """A listening socket, the address that browsers type, and whether it is HTTPS."""

    listener: socket.socket
    address: str
    secure: bool

    @property
    def port(self) -> int:
        """The port that the system assigned."""
        return int(self.listener.getsockname()[1])

    @property
    def origins(self) -> tuple[str, ...]:
        """Addresses of the pages, as browsers name them; the first one begins every link."""
        names = (self.address,) if self.secure else (self.address, "localhost")
        return tuple(build_origin(name, secure=self.secure, port=self.port) for name in names)

    @property
    def base_url(self) -> str:
        """The beginning of every link."""
        return self.origins[0]


def listen_locally(port: int = PORT, timeout: float = 0.0) -> ServerAddress:
    """Listen for browsers on this machine only; `timeout`: seconds to wait for the port before
    another one is taken. Raises `OSError`."""
    return ServerAddress(_open_listener(LOOPBACK, port, timeout), LOOPBACK, secure=False)


def listen_on_network(port: int = PORT, timeout: float = 0.0) -> ServerAddress:
    """Listen for browsers in the local network, by HTTPS. Raises `OSError` without a network."""
    address = find_local_address()
    return ServerAddress(_open_listener(address, port, timeout), address, secure=True)


def listen_again(server_address: ServerAddress, port: int) -> ServerAddress:
    """Listen again after a server has died, on the same port, to which the pages reconnect. Raises
    `OSError` while it is in use."""
    server_address.listener.close()
    return server_address._replace(listener=listen_at(server_address.address, port))


def listen_at(host: str, port: int) -> socket.socket:
    """Listen at this address and no other. Raises `OSError`, or `UnicodeError` for a name that
    cannot be encoded."""
    return socket.create_server((host, port))


def find_local_address() -> str:
    """Return this machine's address in the local network, that of the route to the internet; no
    packet is sent.

    Raises `OSError` if there is none.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        # Connecting a UDP socket sends nothing: it only makes the system choose a route.
        probe.connect(("192.0.2.1", 9))  # TEST-NET-1 (RFC 5737), an address that is never assigned
        return str(probe.getsockname()[0])


def _open_listener(address: str, port: int, timeout: float) -> socket.socket:
    # With a timeout of 0 the port is tried once.
    deadline = time.monotonic() + timeout
    while True:
        try:
            return listen_at(address, port)
        except OSError:
            if time.monotonic() >= deadline:
                # 0: the system chooses a free one; the links say which.
                return listen_at(address, 0)
        time.sleep(BUSY_INTERVAL)
