"""Texts that must not change by accident, compared with files kept beside the tests."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path


def compare_with_file(file: Path, lines: Iterable[str]) -> None:
    """Compare lines with those of a file; where `WRITE` is set, write them there first."""
    found = [line for text in lines for line in (text.splitlines() or [""])]
    if os.environ.get("WRITE"):
        file.parent.mkdir(exist_ok=True)
        file.write_text("".join(f"{line}\n" for line in found), encoding="utf-8")
    assert found == file.read_text(encoding="utf-8").splitlines()


def compare_with_row(file: Path, key: str, text: str) -> None:
    """Compare a text with that of its row, `key: text`, in a file; where `WRITE` is set, write it
    there first. The rows are in the order of their keys."""
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    rows = dict(line.split(": ", 1) for line in lines)
    if os.environ.get("WRITE"):
        rows[key] = text
        file.parent.mkdir(exist_ok=True)
        file.write_text("".join(f"{one}: {rows[one]}\n" for one in sorted(rows)), encoding="utf-8")
    assert text == rows[key]
