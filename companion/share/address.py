"""Addresses at which browsers find this machine: on itself, or on the local network."""

from __future__ import annotations

import socket
from typing import NamedTuple

LOOPBACK = "127.0.0.1"
PORT = 8640
"""The usual port, so that the address in a streaming program stays valid; another one if it is
busy."""


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
    def allowed_hosts(self) -> tuple[str, ...]:
        """Values that the `Host` header of a request may have."""
        names = (self.address,) if self.secure else (self.address, "localhost")
        return tuple(f"{name}:{self.port}" for name in names)

    @property
    def base_url(self) -> str:
        """The beginning of every link."""
        return f"{'https' if self.secure else 'http'}://{self.address}:{self.port}"


def listen_locally(port: int = PORT) -> ServerAddress:
    """Listen for browsers on this machine only. Raises `OSError`."""
    return ServerAddress(_open_listener(LOOPBACK, port), LOOPBACK, secure=False)


def listen_on_network(port: int = PORT) -> ServerAddress:
    """Listen for browsers in the local network, by HTTPS. Raises `OSError` without a network."""
    address = find_local_address()
    return ServerAddress(_open_listener(address, port), address, secure=True)


def listen_again(server_address: ServerAddress, port: int) -> ServerAddress:
    """Listen again after a server has died, on the same port, to which the pages reconnect. Raises
    `OSError` while it is in use."""
    server_address.listener.close()
    return server_address._replace(listener=socket.create_server((server_address.address, port)))


def find_local_address() -> str:
    """Return this machine's address in the local network, that of the route to the internet; no
    packet is sent.

    Raises `OSError` if there is none.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        # Connecting a UDP socket sends nothing: it only makes the system choose a route.
        probe.connect(("192.0.2.1", 9))  # TEST-NET-1 (RFC 5737), an address that is never assigned
        return str(probe.getsockname()[0])


def _open_listener(address: str, port: int) -> socket.socket:
    try:
        return socket.create_server((address, port))
    except OSError:
        # 0: the system chooses a free one; the links say which.
        return socket.create_server((address, 0))
