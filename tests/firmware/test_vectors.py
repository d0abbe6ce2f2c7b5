"""The shared frames: each side reads and writes them as the libraries that made them do."""

from __future__ import annotations

import ctypes
import json
import runpy
from pathlib import Path

import pytest

from companion.readers.rfid import frames
from tests.simulated.lossy_line import library

FIRMWARE = Path(__file__).parents[2] / "firmware"
VECTORS = json.loads((FIRMWARE / "vectors.json").read_text())
FROM_BOARD = ("HELLO", "READY", "EVENT", "BEAT", "DONE")


def named(kind: list[dict]) -> list:
    return [pytest.param(frame, id=frame["name"].replace(" ", "-")) for frame in kind]


@pytest.mark.parametrize("frame", named([f for f in VECTORS["frames"] if f["kind"] in FROM_BOARD]))
def test_the_program_reads_what_the_board_says(frame):
    read = frames.decode_frame(bytes.fromhex(frame["wire"])[:-1])
    assert read is not None
    for name, value in frame["fields"].items():
        found = getattr(read, name)
        if isinstance(found, bytes):
            found = found.hex()
        if isinstance(found, tuple):
            found = [list(pair) for pair in found]
        assert found == value, name


@pytest.mark.parametrize("frame", named([f for f in VECTORS["frames"] if f["kind"] not in FROM_BOARD]))
def test_the_program_says_what_the_board_expects(frame):
    fields = dict(frame["fields"])
    said = {
        "ASK": frames.encode_ask,
        "RESUME": lambda: frames.encode_resume(
            fields["session"], fields["boot"], fields["last"] if fields["known"] else None
        ),
        "ACK": lambda: frames.encode_ack(**fields),
        "COMMAND": lambda: frames.encode_command(fields["command"], fields["op"], fields["a"], fields["b"]),
    }[frame["kind"]]()
    assert said.hex() == frame["wire"]


@pytest.mark.parametrize("frame", named(VECTORS["frames"]))
def test_the_firmware_writes_the_same_bytes(frame):
    body = bytes.fromhex(frame["body"])
    into = ctypes.create_string_buffer(128)
    size = library().bench_frame(body, len(body), into)
    assert into.raw[:size].hex() == frame["wire"]


@pytest.mark.parametrize("frame", named([f for f in VECTORS["frames"] if f["kind"] not in FROM_BOARD]))
def test_the_firmware_reads_what_the_program_says(frame):
    wire = bytes.fromhex(frame["wire"])
    into = ctypes.create_string_buffer(128)
    size = library().bench_unframe(wire, len(wire), into)
    assert into.raw[:size].hex() == frame["body"]


@pytest.mark.parametrize("frame", named(VECTORS["dropped"]))
def test_both_sides_drop_what_is_no_frame(frame):
    wire = bytes.fromhex(frame["wire"])
    good = frames.encode_ack(513, 1027)
    unframer = frames.FrameDecoder()
    assert unframer.feed(wire) == []
    into = ctypes.create_string_buffer(128)
    size = library().bench_unframe(wire, len(wire), into)
    if (
        "size" not in frame["name"] and "kind" not in frame["name"]
    ):  # sizes and kinds are the link's business there
        assert size == 0
    size = library().bench_unframe(wire + good, len(wire + good), into)
    assert into.raw[:size] == frames.cobs.decode(good[:-1])[:-2], "the frame after it is read"


def test_the_vectors_are_what_their_maker_makes(tmp_path, monkeypatch):
    maker = runpy.run_path(str(FIRMWARE / "tools" / "make_vectors.py"))
    for frame, (name, kind, fields) in zip(VECTORS["frames"], maker["GOOD"], strict=True):
        assert (frame["name"], frame["kind"]) == (name, kind)
        assert frame["wire"] == maker["wire_of"](maker["body_of"](kind, fields)).hex()
