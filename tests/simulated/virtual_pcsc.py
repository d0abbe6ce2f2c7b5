"""The real `pcscd` with readers that do not exist (Debian's vsmartcard-vpcd), and cards that are
laid on them: for tests and figures.

The driver listens on one TCP port a reader; who connects is the card. Messages are two bytes of
length, big-endian, and the bytes: a single 4 asks for the ATR, 0, 1 and 2 are power off, power on
and reset, everything else is an APDU (vsmartcard's `vpcd`).
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import socket
import struct
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import IO

from companion.readers.nfc.pcsc import GET_UID
from companion.readers.rfid.events import TagId
from companion.system_needs import NEEDS

DRIVER = Path("/usr/lib/pcsc/drivers/serial/libifdvpcd.so")
MODEL = "ACS ACR122U PICC Interface"
DEVICES = (f"{MODEL} 00 00", f"{MODEL} 00 01")
"""The driver makes two slots of one reader, and no more; to a program they are two readers."""
_ATR = bytes.fromhex("3b8f8001804f0ca0000003060300030000000068")
"""What a PC/SC reader makes up for an NTAG or Ultralight (PC/SC part 3, 3.1.3.2.3)."""
_SOCKET = Path("/run/pcscd/pcscd.comm")
_ONE_AT_A_TIME = Path(tempfile.gettempdir()) / "one-pcscd.lock"
_PATIENCE = 10.0


def missing() -> str | None:
    """Say what this machine lacks to run the service with virtual readers; None if nothing."""
    if NEEDS["pcsc"].find_missing():
        return f"{NEEDS['pcsc'].packages} (Debian)"
    if find_spec("smartcard") is None:
        return "pyscard: python3 tools/set_up.py test"
    if os.geteuid() != 0:
        return "to be root: pcscd keeps its socket in /run/pcscd"
    return None


class Pcscd:
    """The service, begun and ended by whoever asks: `with Pcscd() as service`. One at a time on a
    machine; others wait for their turn."""

    def __init__(self) -> None:
        self.ports = _two_free_ports()
        self._config = tempfile.TemporaryDirectory()
        self._daemon: subprocess.Popen[bytes] | None = None
        self._lock: IO[str] | None = None
        self._cards: list[Card] = []

    def __enter__(self) -> Pcscd:
        """Wait for our turn, then start."""
        self._lock = _ONE_AT_A_TIME.open("w")
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        if _answers():
            self._lock.close()
            raise RuntimeError("another pcscd runs: sudo systemctl stop pcscd.socket pcscd.service")
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        for card in self._cards:
            card.take()
        self.stop()
        self._config.cleanup()
        if self._lock is not None:
            self._lock.close()

    def start(self, *, readers: bool = True) -> None:
        """Start the service, with its two readers plugged in or without."""
        port = self.ports[0]
        lines = [
            f'FRIENDLYNAME "{MODEL}"',
            f"DEVICENAME /dev/null:0x{port:04X}",
            f"LIBPATH {DRIVER}",
            f"CHANNELID 0x{port:04X}",
        ]
        (Path(self._config.name) / "virtual").write_text("\n".join(lines) + "\n" if readers else "")
        self._daemon = subprocess.Popen(
            ["pcscd", "--foreground", "--config", self._config.name],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        until = time.monotonic() + _PATIENCE
        while not _answers():
            if self._daemon.poll() is not None or time.monotonic() > until:
                raise RuntimeError("pcscd did not start; does another one run on this machine?")
            time.sleep(0.01)

    def stop(self) -> None:
        """End the service, as a system does that shuts it down."""
        if self._daemon is not None:
            self._daemon.terminate()
            self._daemon.wait(_PATIENCE)
            self._daemon = None

    def lay(self, slot: int, tag: TagId, answer: bytes | None = None) -> Card:
        """Lay a card on the reader `DEVICES[slot]`. `answer`: what it says instead of its id."""
        card = Card(self.ports[slot], bytes.fromhex(tag.hex()) + b"\x90\x00" if answer is None else answer)
        self._cards.append(card)
        return card


class Card:
    """A card that lies on a reader until it is taken away."""

    def __init__(self, port: int, answer: bytes) -> None:
        self._answer = answer
        self._line = socket.create_connection(("127.0.0.1", port), timeout=_PATIENCE)
        self._line.settimeout(None)
        self.read = threading.Event()
        """Set when somebody has asked for its id."""
        self.asked: list[bytes] = []
        """All that it was asked."""
        self._thread = threading.Thread(target=self._serve, name="virtual card", daemon=True)
        self._thread.start()

    def take(self) -> None:
        """Take it away; done twice it does no harm."""
        with contextlib.suppress(OSError):
            self._line.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._line.close()

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            for message in self._messages():
                if message == b"\x04":
                    self._say(_ATR)
                elif len(message) > 1:
                    self.asked.append(message)
                    self._say(self._answer if message == bytes(GET_UID) else b"\x6a\x81")
                    self.read.set()

    def _messages(self) -> Iterator[bytes]:
        while head := self._line.recv(2, socket.MSG_WAITALL):
            # The driver sends length and bytes by two writes: without this the second waits 40 ms
            # for the first one's acknowledgement.
            self._line.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
            yield self._line.recv(struct.unpack(">H", head)[0], socket.MSG_WAITALL)

    def _say(self, data: bytes) -> None:
        self._line.sendall(struct.pack(">H", len(data)) + data)


def _answers() -> bool:
    with socket.socket(socket.AF_UNIX) as line:
        return line.connect_ex(str(_SOCKET)) == 0


def _two_free_ports() -> tuple[int, int]:
    """Find two neighbouring free ports; the driver takes the second of its own accord."""
    while True:
        with socket.socket() as first, socket.socket() as second:
            first.bind(("127.0.0.1", 0))
            port: int = first.getsockname()[1]
            with contextlib.suppress(OSError, OverflowError):
                second.bind(("127.0.0.1", port + 1))
                return port, port + 1
