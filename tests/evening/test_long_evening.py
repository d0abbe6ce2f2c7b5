"""A short evening with everything that happens to families: a real browser, the real program,
slips. `python -m bench long` is the long one."""

from __future__ import annotations

import os

import pytest

from tests.simulated.long_evening import SHORT, evening

pytestmark = pytest.mark.skipif(os.name == "nt", reason="pseudo-terminals")


@pytest.mark.slow
@pytest.mark.chromium
def test_an_evening_of_slips_and_accidents_ends_as_it_would_have_without(tmp_path) -> None:
    # Thirty pictures a second, packed, sent and read, took most of the processor's time; five tell
    # as much.
    played = evening(SHORT, tmp_path, rate=5)
    # What is counted, not what is timed: on a busy machine everything comes late.
    wrong = [row for row in played.rows() if row.limit == "0" and not row.well]
    assert not wrong, played.faults
