"""The supplies give what the readers take at full drive, and parts that would not are found out."""

from __future__ import annotations

import copy

import pytest

from hardware import supply
from hardware.circuit import HARDWARE, build_circuit, load_part_kinds


def over(name, **changes):
    parts = copy.deepcopy(load_part_kinds())
    for kind, limits in changes.items():
        parts[kind.replace("_", "-")]["limits"].update(limits)
    return [row.name for row in supply.budget(build_circuit(name), parts) if not row.kept]


@pytest.mark.parametrize("name", ["mega2560", "nano"])
def test_every_supply_gives_what_is_taken_from_it(name):
    assert over(name) == []
    assert supply.full_drive() == pytest.approx(0.067, abs=0.001)


def test_an_ams1117_starves_behind_a_nanos_diode_and_does_on_an_uno():
    assert over("nano", regulator_nano={"drop": 1.1}) == ["volts into the regulator"]
    assert over("nano", regulator_nano={"drop": 1.1}, board_nano={"usb_drop": 0.1}) == []


def test_a_large_capacitor_in_each_tray_keeps_the_step_down_regulator_from_starting():
    assert over("mega2560", capacitor_47u={"load": 100.0}) == ["capacitors at the 3.3 V regulator"]


def test_what_seven_readers_take_is_too_much_for_the_nanos_regulator():
    assert "readers, from the 3.3 V regulator" in over("mega2560", regulator_mega2560={"gives": 0.8})
    assert "from USB" in over("nano", rc522={"draws": 0.15})


def test_a_megas_readers_live_with_a_thin_cable_and_would_not_on_five_volts():
    assert over("mega2560", supply={"cable": 2.0}) == []
    assert over("mega2560", supply={"least": 7.5 * 0.95}) == []
    assert over("mega2560", supply={"least": 4.75, "cable": 0.0}) == ["volts into the regulator"]
    assert over("mega2560", supply={"least": 4.75}) == ["volts into the regulator"]


def test_the_adapters_nine_volts_get_to_the_regulator_and_to_nothing_else():
    made = build_circuit("mega2560")
    assert {ref for ref, _ in made.nets["9V"]} == {"J0", "PS1", "C1"}
    assert "9V" not in build_circuit("nano").nets


def test_the_check_ends_with_what_it_found(capsys):
    assert supply.main() == 0
    said = capsys.readouterr().out
    assert said.count("ok  ") == len(said.splitlines()) == 21


def test_four_trays_of_their_own_need_a_hub_with_an_adapter_and_tell_the_computer_enough():
    assert over("pico") == []
    assert over("pico", hub={"gives": 0.5}) == ["4 trays, from the hub's adapter"]
    assert over("pico", diode={"least": 0.0, "most": 0.0}) == ["the light's data, at 5 V of USB"]
    usb = (HARDWARE.parent / "firmware" / "pico" / "usb_serial.cpp").read_text()
    assert f"0x80, {load_part_kinds()['board-pico']['limits']['tells'] * 1000:.0f} / 2," in usb
