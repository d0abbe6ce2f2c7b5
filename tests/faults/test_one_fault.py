"""A disk that fails once, at the worst moment: at the last sync of a commit, when the entry is in
the file already. An error does not mean that nothing was written."""

import json

import pytest

pytestmark = pytest.mark.failing_disk
LAST_SYNC = ("fsync", 5)
"""Of a commit: the rollback file and its folder, its header, the journal, the end of the rollback
file."""


@pytest.mark.parametrize("kind", ["RefereeBegin", "LiveAct"])
def test_a_step_whose_last_sync_failed_once_is_found_and_answered_as_saved(run_on_failing_disk, kind):
    output = run_on_failing_disk("tests.faults.one_fault", kind, *LAST_SYNC, "EIO")
    failed, answers, agrees, _found = json.loads(output)
    assert (failed, answers, agrees) == (["fsync"], 1, True)


def test_nobody_is_told_what_the_disk_does_not_tell(run_on_failing_disk):
    output = run_on_failing_disk("tests.faults.one_fault", "RefereeAct", *LAST_SYNC, "EIO", "for good")
    failed, answers, agrees, found = json.loads(output)
    assert (set(failed), answers, agrees) == ({"fsync"}, 2, True)
    assert [len(entries) for _players, entries in found] == [1]


def test_a_request_in_doubt_is_taken_back_when_another_one_comes(run_on_failing_disk):
    """The act in doubt was the second; a new session was asked for in its place."""
    output = run_on_failing_disk("tests.faults.one_fault", "RefereeOther", *LAST_SYNC, "EIO", "for good")
    _failed, answers, agrees, found = json.loads(output)
    assert (answers, agrees) == (2, True)
    assert [(players, len(entries)) for players, entries in found] == [
        (["Ann", "Ben"], 0),
        (["Cleo", "Dan"], 0),
    ]
