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
