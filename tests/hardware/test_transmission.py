"""The ribbons as lines: every signal gets to every reader whole, whatever is plugged in."""

from __future__ import annotations

import numpy as np
import pytest

from hardware import transmission
from hardware.circuit import build_circuit, load_part_kinds
from hardware.supply import VOLT
from hardware.transmission import FALL, HIGH, MOST, Star, arrival, edge, lengths, stars

BEHIND_ONE_RESISTOR = Star("SCK", 33.0, 0.0, 4)
"""As the boards before version 2 have it."""


@pytest.mark.parametrize("name", ["mega2560", "nano"])
def test_every_line_that_a_reader_listens_to_arrives_whole_over_all_ribbons_allowed(name):
    found = list(transmission.rows(build_circuit(name)))
    assert {row.name.split()[0] for row in found} == {"SCK", "MOSI", "RST", "SDA"}
    assert [row.line() for row in found if not row.kept] == []


def test_ribbons_behind_one_resistor_cross_half_the_supply_again_and_beat_the_pins():
    found = arrival(BEHIND_ONE_RESISTOR)
    assert found.fall > 3 * FALL
    assert found.crossings > 1
    assert found.peak > MOST


def test_a_select_without_its_own_resistor_goes_beyond_what_a_pin_bears():
    assert arrival(Star("SDA", 0.0, 0.0, 1)).peak > MOST
    assert arrival(Star("RST", 0.0, 0.0, 7)).peak > MOST


def test_ribbons_of_one_length_or_one_alone_do_not_cure_the_old_star():
    assert arrival(BEHIND_ONE_RESISTOR, [(1.0,) * 4]).peak > VOLT
    assert arrival(BEHIND_ONE_RESISTOR, [(1.0, 0.0, 0.0, 0.0)]).peak > MOST


def test_one_output_drives_a_bank_at_most_and_each_ribbon_has_what_it_throws_back_taken_up():
    for name in ("mega2560", "nano"):
        found = list(stars(build_circuit(name)))
        fast = [star for star in found if star.signal in transmission.EDGES]
        assert fast
        assert all(star.ribbons <= 4 and star.each == 100.0 for star in fast)
        pads = len(build_circuit(name).board["pads"])
        for signal in ("SCK", "MOSI", "RST", "SDA"):
            assert sum(star.ribbons for star in found if star.signal == signal) == pads


def test_longer_ribbons_than_the_guide_allows_are_not_what_is_tried():
    longest = load_part_kinds()["ribbon"]["limits"]["metres"]
    tried = lengths(4)
    assert max(max(one) for one in tried) == longest
    assert any(len(set(one)) == 4 for one in tried)
    assert len(tried) == len(set(tried)) == 69


def test_an_open_line_behind_its_own_impedance_doubles_what_it_is_sent_after_its_delay(monkeypatch):
    """The textbook's case: half the supply goes out, arrives after the delay, is doubled by the
    open end, and nothing comes back a second time."""
    monkeypatch.setattr(transmission, "PIN", 0.0)
    monkeypatch.setattr(transmission, "TRACKS", 0.0)
    ends, step = edge(Star("SCK", 60.0, 0.0, 1), [(1.0,)], [40.0])
    volts = ends[:, 0, 0]
    first = np.nonzero(volts)[0][0] * step
    assert first == pytest.approx(4.7, abs=2 * step)
    assert volts[-1] == pytest.approx(VOLT)
    assert (np.diff(volts) >= -1e-12).all()


def test_an_open_line_behind_too_little_rings_as_the_lattice_says(monkeypatch):
    """25 ohm into 100: four fifths go out and are doubled; three fifths of that come back upside
    down at the source."""
    monkeypatch.setattr(transmission, "PIN", 0.0)
    monkeypatch.setattr(transmission, "TRACKS", 0.0)
    ends, step = edge(Star("SDA", 0.0, 0.0, 1), [(1.0,)], [25.0])
    volts = ends[:, 0, 0]
    after = [float(volts[int((4.7 * turn + 4.5) / step)]) for turn in (1, 3, 5)]
    assert after == pytest.approx([1.6 * VOLT, 0.64 * VOLT, 1.216 * VOLT], rel=1e-6)
    assert after[1] < HIGH
