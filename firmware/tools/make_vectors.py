"""Write `firmware/vectors.json`: frames that the tests of both sides read.

The frames are made with the library `cobs` and Python's `binascii` from the field tables below, not
by the firmware under test. Run it after a change of PROTOCOL.md:
`python firmware/tools/make_vectors.py`.
"""

from __future__ import annotations

import binascii
import json
import struct
from pathlib import Path

from cobs import cobs

# kind, layout of the fixed fields (struct, little-endian), names of the fields
LAYOUTS = {
    "HELLO": (
        0x01,
        "<BB3sIBBHBBBB",
        "major minor firmware boot board cause capabilities seats tags outbox pads",
    ),
    "READY": (0x02, "<HIB", "session boot fresh"),
    "EVENT": (0x03, "<HIBBB", "number ms what a b"),
    "BEAT": (0x04, "<IHH", "ms newest sweep"),
    "DONE": (0x05, "<BB", "command result"),
    "ASK": (0x41, "<BB", "major minor"),
    "RESUME": (0x42, "<HIBH", "session boot known last"),
    "ACK": (0x43, "<HH", "session last"),
    "COMMAND": (0x44, "<BBBB", "command op a b"),
}

NTAG = "04a1b2c3d4e5f6"
GOOD: list[tuple[str, str, dict[str, object]]] = [
    ("the program opens", "ASK", {"major": 1, "minor": 0}),
    ("a new program", "RESUME", {"session": 258, "boot": 0x01020304, "known": 0, "last": 0}),
    (
        "a program that comes back",
        "RESUME",
        {"session": 65535, "boot": 0xFFFFFFFF, "known": 1, "last": 65535},
    ),
    ("an acknowledgement with zeros in it", "ACK", {"session": 1, "last": 0}),
    ("an acknowledgement", "ACK", {"session": 513, "last": 1027}),
    ("green on the first pad", "COMMAND", {"command": 0, "op": 1, "a": 0, "b": 1}),
    ("all lights out", "COMMAND", {"command": 255, "op": 1, "a": 255, "b": 0}),
    ("a snapshot, please", "COMMAND", {"command": 7, "op": 5, "a": 0, "b": 0}),
    (
        "an older board with seven pads, one of them missing",
        "HELLO",
        {
            "major": 1,
            "minor": 0,
            "firmware": "010000",
            "boot": 0xDEADBEEF,
            "board": 1,
            "cause": 1,
            "capabilities": 15,
            "seats": 6,
            "tags": 12,
            "outbox": 64,
            "pads": 7,
            "health": [[0, 146]] * 5 + [[2, 255], [1, 18]],
        },
    ),
    (
        "a Nano with three pads after the watchdog",
        "HELLO",
        {
            "major": 1,
            "minor": 0,
            "firmware": "010000",
            "boot": 1,
            "board": 2,
            "cause": 4,
            "capabilities": 15,
            "seats": 3,
            "tags": 12,
            "outbox": 24,
            "pads": 3,
            "health": [[0, 145]] * 3,
        },
    ),
    ("ready, with a snapshot to come", "READY", {"session": 258, "boot": 0x01020304, "fresh": 1}),
    ("a card arrives", "EVENT", {"number": 1, "ms": 1000, "what": 1, "a": 0, "b": 0, "id": NTAG}),
    (
        "a card with a short id leaves",
        "EVENT",
        {"number": 65535, "ms": 4294967295, "what": 2, "a": 6, "b": 0, "id": "00112200"},
    ),
    ("accept pressed at seat 2", "EVENT", {"number": 256, "ms": 0, "what": 3, "a": 2, "b": 128, "id": ""}),
    ("refuse let go at seat 3", "EVENT", {"number": 257, "ms": 65536, "what": 3, "a": 3, "b": 1, "id": ""}),
    ("a pad has gone", "EVENT", {"number": 9, "ms": 5000, "what": 4, "a": 4, "b": 2, "id": "ff"}),
    (
        "a snapshot ends, three events lost",
        "EVENT",
        {"number": 40, "ms": 77, "what": 9, "a": 255, "b": 0, "id": "03"},
    ),
    ("still here", "BEAT", {"ms": 123456, "newest": 12, "sweep": 1800}),
    ("command done", "DONE", {"command": 7, "result": 0}),
]


def body_of(kind: str, fields: dict[str, object]) -> bytes:
    """Return the body of one frame, without its CRC."""
    number, layout, names = LAYOUTS[kind]
    values = [bytes.fromhex(str(fields[n])) if n == "firmware" else fields[n] for n in names.split()]
    body = bytes([number]) + struct.pack(layout, *values)
    if kind == "HELLO":
        body += bytes(byte for pair in fields["health"] for byte in pair)  # type: ignore[attr-defined]
    if kind == "EVENT":
        tag = bytes.fromhex(str(fields["id"]))
        body += bytes([len(tag)]) + tag
    return body


def wire_of(body: bytes) -> bytes:
    """Return the bytes that go over the line for `body`."""
    return cobs.encode(body + struct.pack("<H", binascii.crc_hqx(body, 0xFFFF))) + b"\0"


def bad_frames() -> list[dict[str, str]]:
    """Return frames that must be dropped, and why."""
    good = wire_of(body_of("ACK", {"session": 513, "last": 1027}))
    short = body_of("ACK", {"session": 513, "last": 1027})[:-1]
    flipped = bytes([*good[:3], good[3] ^ 0x10, *good[4:]])
    return [
        {"name": "one bit flipped", "wire": flipped.hex()},
        {"name": "a byte lost", "wire": (good[:4] + good[5:]).hex()},
        {"name": "right CRC, wrong size for its kind", "wire": wire_of(short).hex()},
        {"name": "right CRC, unknown kind", "wire": wire_of(bytes([0x7E, 1, 2])).hex()},
        {"name": "empty", "wire": "00"},
        {"name": "a block that runs past the end", "wire": "0501020300"},
        {"name": "a hundred bytes without an end", "wire": "41" * 100 + "00"},
    ]


def main() -> None:
    """Write the file beside this folder."""
    frames = []
    for name, kind, fields in GOOD:
        body = body_of(kind, fields)
        frames.append(
            {"name": name, "kind": kind, "fields": fields, "body": body.hex(), "wire": wire_of(body).hex()}
        )
    target = Path(__file__).parent.parent / "vectors.json"
    text = ",\n".join("    " + json.dumps(frame) for frame in frames)
    bad = ",\n".join("    " + json.dumps(frame) for frame in bad_frames())
    target.write_text(
        f'{{\n  "protocol": "1.0",\n  "frames": [\n{text}\n  ],\n  "dropped": [\n{bad}\n  ]\n}}\n'
    )


if __name__ == "__main__":
    main()
