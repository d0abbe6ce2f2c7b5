"""Where browsers find this machine: on itself, or on the local network."""

from __future__ import annotations

import socket
from typing import NamedTuple

LOOPBACK = "127.0.0.1"
PORT = 8640
"""The usual port, so that a streaming program's address stays; another where it is busy."""


class ServerAddress(NamedTuple):
    """What is listened on, what browsers type, and whether by HTTPS."""

    listener: socket.socket
    address: str
    secure: bool

    @property
    def port(self) -> int:
        """The port that was got."""
        return int(self.listener.getsockname()[1])

    @property
    def hosts(self) -> tuple[str, ...]:
        """What a request's `Host` may be."""
        names = (self.address,) if self.secure else (self.address, "localhost")
        return tuple(f"{name}:{self.port}" for name in names)

    @property
    def root(self) -> str:
        """The start of every link."""
        return f"{'https' if self.secure else 'http'}://{self.address}:{self.port}"


def here(port: int = PORT) -> ServerAddress:
    """Listen where only this machine gets in. Raises `OSError`."""
    return ServerAddress(_listen(LOOPBACK, port), LOOPBACK, secure=False)


def network(port: int = PORT) -> ServerAddress:
    """Listen where the local network gets in, by HTTPS. Raises `OSError` without a network."""
    address = local_address()
    return ServerAddress(_listen(address, port), address, secure=True)


def again(place: ServerAddress, port: int) -> ServerAddress:
    """Listen once more where a server has died: pages come back to that port and no other. Raises
    `OSError` as long as it is taken."""
    place.listener.close()
    return place._replace(listener=socket.create_server((place.address, port)))


def local_address() -> str:
    """Return this machine's address on the local network, the one that its way out begins at; no
    packet is sent.

    Raises `OSError` where there is none.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))  # TEST-NET-1 (RFC 5737): an address that nobody has
        return str(probe.getsockname()[0])


def _listen(address: str, port: int) -> socket.socket:
    try:
        return socket.create_server((address, port))
    except OSError:
        # 0: the system chooses a free one; the links say which.
        return socket.create_server((address, 0))
