"""The supplies give what the readers take at full drive, and parts that would not are found out."""

from __future__ import annotations

import copy

import pytest

from hardware import supply
from hardware.circuit import HARDWARE, build_circuit, load_part_kinds


def find_over(name, **changes):
    parts = copy.deepcopy(load_part_kinds())
    for kind, limits in changes.items():
        parts[kind.replace("_", "-")]["limits"].update(limits)
    return [row.name for row in supply.compute_budget(build_circuit(name), parts) if not row.is_within_limit]


def test_an_ams1117_starves_behind_a_nanos_diode_and_does_on_an_uno():
    assert find_over("nano") == []
    assert find_over("nano", regulator={"drop": 1.1}) == ["volts into the regulator"]
    assert find_over("nano", regulator={"drop": 1.1}, board_nano={"usb_drop": 0.1}) == []
    assert "from USB" in find_over("nano", rc522={"draws": 0.15})


def test_the_check_ends_with_what_it_found(capsys):
    assert supply.main() == 0
    said = capsys.readouterr().out
    assert said.count("ok  ") == len(said.splitlines()) == 13


def test_four_trays_need_a_hub_with_an_adapter_and_tell_the_computer_enough():
    assert find_over("pico") == []
    assert supply.compute_full_drive() == pytest.approx(0.067, abs=0.001)
    assert find_over("pico", hub={"gives": 0.5}) == ["4 trays, from the hub's adapter"]
    assert find_over("pico", diode={"least": 0.0, "most": 0.0}) == ["the light's data, at 5 V of USB"]
    usb = (HARDWARE.parent / "firmware" / "pico" / "usb_serial.cpp").read_text()
    assert f"0x80, {load_part_kinds()['board-pico']['limits']['tells'] * 1000:.0f} / 2," in usb
