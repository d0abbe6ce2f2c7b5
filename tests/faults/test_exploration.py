"""Every fault of every call, for everything that saves something: the answer given, the file and
the next start agree. It is an exploration: tests/faults/explore.py says how."""

import json

import pytest

from tests.faults.writers import FILE_WRITERS, JOURNAL_WRITERS

pytestmark = pytest.mark.failing_disk


def names(kinds):
    return tuple(kind.__name__ for kind in kinds)


# A sample, spread over all calls: every fault takes ten minutes, and anybody can run that.
@pytest.mark.parametrize("kinds", [*zip(names(JOURNAL_WRITERS)), names(FILE_WRITERS)], ids=" ".join)
def test_answer_file_and_next_start_agree_after_every_fault(run_on_failing_disk, kinds):
    output = json.loads(run_on_failing_disk("tests.faults.explore", "--every", 20, *kinds))
    for kind in kinds:
        assert output[kind]["disagreements"] == []
        assert output[kind]["faults"] >= 3
