"""The board's side of the reader's protocol: the firmware's own code, compiled for this machine
(`make -C firmware native`)."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Iterator
from contextlib import contextmanager

from companion.readers.rfid.simulator import build


@functools.cache
def library() -> ctypes.CDLL:
    """Build (when needed) and load the board's side."""
    lib = ctypes.CDLL(str(build("native") / "native" / "liblink.so"))
    lib.bench_new.restype = ctypes.c_void_p
    return lib


class NativeBoard:
    """The firmware's link with invented cards and keys, restartable. `now` is the board's clock in
    milliseconds."""

    def __init__(self, lib: ctypes.CDLL, pads: int, boot: int, now: int = 0) -> None:
        self._lib, self.pads, self._at = lib, pads, ctypes.c_void_p(lib.bench_new(pads))
        self._buffer = ctypes.create_string_buffer(4096)
        lib.bench_begin(self._at, ctypes.c_uint32(boot), ctypes.c_uint32(now))

    def close(self) -> None:
        """Free the board."""
        self._lib.bench_free(self._at)

    def receive(self, data: bytes, now: int) -> None:
        """Hand over bytes that came in over the line."""
        if data:
            self._lib.bench_receive(self._at, data, len(data), ctypes.c_uint32(now))

    def work(self, now: int) -> bytes:
        """Let it work; return what it sends."""
        count = self._lib.bench_work(self._at, ctypes.c_uint32(now), self._buffer, len(self._buffer))
        return self._buffer.raw[:count]

    def arrive(self, now: int, pad: int, tag: bytes) -> None:
        """Put a tag on a pad."""
        self._lib.bench_arrive(self._at, ctypes.c_uint32(now), pad, tag, len(tag))

    def leave(self, now: int, pad: int) -> None:
        """Take away the tag that has lain there longest."""
        self._lib.bench_leave(self._at, ctypes.c_uint32(now), pad)

    def button(self, now: int, seat: int, refuse: bool, pressed: bool) -> None:
        """Press a key or let it go."""
        self._lib.bench_button(self._at, ctypes.c_uint32(now), seat, int(refuse), int(pressed))

    def commands(self) -> list[tuple[int, int, int]]:
        """Return the commands carried out since last asked."""
        count = self._lib.bench_commands(self._at, self._buffer, len(self._buffer))
        raw = self._buffer.raw[:count]
        return list(zip(raw[::3], raw[1::3], raw[2::3], strict=True))


@contextmanager
def native_board(pads: int = 3, boot: int = 1, now: int = 0) -> Iterator[NativeBoard]:
    """One board, freed in the end."""
    board = NativeBoard(library(), pads, boot, now)
    try:
        yield board
    finally:
        board.close()
