"""A network between two programs of this computer, which can be cut."""

import contextlib
import socket
import threading


class Network:
    """Passes all on to a port of this computer; `port`: where it listens itself."""

    def __init__(self, port: int) -> None:
        self._port, self.there = port, True
        self._lines: list[socket.socket] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._accepting = threading.Thread(target=self._run, daemon=True)
        self._accepting.start()

    def _run(self) -> None:
        with contextlib.suppress(OSError):  # it is put away
            while True:
                near, _ = self._listener.accept()
                if not self.there:
                    near.close()
                    continue
                far = socket.create_connection(("127.0.0.1", self._port))
                self._lines += [near, far]
                for one, other in ((near, far), (far, near)):
                    threading.Thread(target=self._pass, args=(one, other), daemon=True).start()

    def close(self) -> None:
        """Put it away."""
        with contextlib.suppress(OSError):  # Linux lets `accept` wait on for a socket that was only closed
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._accepting.join()
        self.cut()

    @staticmethod
    def _pass(one: socket.socket, other: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := one.recv(65536):
                other.sendall(data)
            other.shutdown(socket.SHUT_WR)

    def cut(self) -> None:
        """Break all lines; let none through until it is `there` again."""
        self.there = False
        while self._lines:
            with contextlib.suppress(OSError), self._lines.pop() as line:
                line.shutdown(socket.SHUT_RDWR)
