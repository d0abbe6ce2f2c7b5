"""The list of mutants that may live is of mutants that are still made, each with its reason."""

from __future__ import annotations

import importlib.util
from pathlib import Path

FIRMWARE = Path(__file__).parents[2] / "firmware"

_spec = importlib.util.spec_from_file_location("mutants", FIRMWARE / "tools" / "mutants.py")
assert _spec is not None
assert _spec.loader is not None
mutants = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(mutants)


def test_each_survivor_that_has_a_reason_is_still_a_mutant():
    made = {
        (one.file, one.change)
        for name in mutants.SOURCES
        for one in mutants.mutants(name, (FIRMWARE / "src" / name).read_text(encoding="utf-8"))
    }
    known = mutants.reasons()
    assert set(known) <= made
    assert all(known.values())


def test_a_line_is_left_out_and_each_thing_in_it_changed():
    assert list(mutants.changes("    write(TxASKReg, 0x40);")) == [
        "    write(TxASKReg, 0x00);",
        "",
        "    write(TxASKReg, 32);",
    ]
    assert list(mutants.changes("    if (a < 2 && b) {")) == [
        "    if (a < 1 && b) {",
        "    if (a < 2 || b) {",
        "    if (a <= 2 && b) {",
    ]
    assert list(mutants.changes("    while (hal::ticks() < end) {")) == []
