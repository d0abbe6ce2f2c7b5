"""Every fault of every call, for everything that saves something: the answer given, the file and
the next start agree. It is an exploration: tests/faults/explore.py says how."""

import json

import pytest

from tests.faults.writers import WRITERS

pytestmark = pytest.mark.failing_disk


# A sample, spread over all calls: every fault takes ten minutes, and anybody can run that.
@pytest.mark.parametrize("kind", [kind.__name__ for kind in WRITERS])
def test_answer_file_and_next_start_agree_after_every_fault(run_on_failing_disk, kind):
    found = json.loads(run_on_failing_disk("tests.faults.explore", "--every", 5, kind))[kind]
    assert found["disagreements"] == []
    assert found["faults"] >= 3
