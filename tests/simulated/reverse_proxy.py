"""A reverse proxy like those that clubs put in front of the league: it ends TLS and passes requests
on."""

from __future__ import annotations

import contextlib
import socket
import socketserver
import ssl
import threading
from collections.abc import Iterator

from companion.web.certificates import load_certificate


class _Proxy(socketserver.ThreadingTCPServer):
    """Passes on one request of each connection."""

    def __init__(self, port: int, context: ssl.SSLContext, upstream: int, keep_host: bool) -> None:
        self.context, self.upstream, self.keep_host = context, upstream, keep_host
        super().__init__(("127.0.0.1", port), _Exchange)


class _Exchange(socketserver.BaseRequestHandler):
    server: _Proxy

    def handle(self) -> None:
        upstream = socket.create_connection(("127.0.0.1", self.server.upstream))
        with (
            contextlib.suppress(OSError),
            upstream,
            self.server.context.wrap_socket(self.request, server_side=True) as browser,
        ):
            head = b""
            while b"\r\n\r\n" not in head:
                head += browser.recv(65536) or b"\r\n\r\n"
            upstream.sendall(self._rewrite_head(head))
            answering = threading.Thread(target=_pass_on, args=(upstream, browser))
            answering.start()
            _pass_on(browser, upstream)
            answering.join()

    def _rewrite_head(self, read: bytes) -> bytes:
        head, _, body = read.partition(b"\r\n\r\n")
        kept, claims = [], []
        for line in head.split(b"\r\n"):
            name = line.partition(b":")[0].lower()
            if name == b"x-forwarded-for":
                claims.append(line.partition(b":")[2].strip())
            elif name != b"connection" and (self.server.keep_host or name != b"host"):
                kept.append(line)
        if not self.server.keep_host:
            kept.append(b"Host: 127.0.0.1:%d" % self.server.upstream)
        clients = b", ".join([*claims, self.client_address[0].encode()])
        return b"\r\n".join([*kept, b"X-Forwarded-For: " + clients, b"Connection: close", b"", body])


def _pass_on(source: socket.socket, target: socket.socket) -> None:
    """Pass on what comes until one end closes, then close both."""
    with contextlib.suppress(OSError):
        while part := source.recv(65536):
            target.sendall(part)
    for end in (source, target):
        with contextlib.suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)


@contextlib.contextmanager
def proxied(upstream: int, identity: str, port: int, *, keep_host: bool = True) -> Iterator[None]:
    """Pass HTTPS requests at 127.0.0.1:`port` on to 127.0.0.1:`upstream`, and the client in
    `X-Forwarded-For`. `keep_host`: pass `Host` on, as Caddy does; else write the server's address,
    as nginx does without `proxy_set_header`."""
    with _Proxy(port, load_certificate(identity).context, upstream, keep_host) as proxy:
        serving = threading.Thread(target=proxy.serve_forever, args=(0.05,))
        serving.start()
        try:
            yield
        finally:
            proxy.shutdown()
            serving.join()
