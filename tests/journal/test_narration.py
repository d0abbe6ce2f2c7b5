"""The lines of an evening: what no longer stands is kept beside what took its place, and no more
of it than a table needs."""

import pytest

from companion.journal.narration import STRUCK, Narration
from companion.rules.acts import Entry
from companion.rules.commitments import CardResealed
from companion.rules.contract import Text
from companion.rules.people import SeatChange
from companion.rules.session import Session
from tests.toy import TOY, Lay, toy_setup


def laid(name):
    """The words for a card laid face down."""
    return Text("live.act_of", {"player": name, "do": "lay"})


def test_an_act_keeps_its_last_versions_that_were_taken_back_oldest_first():
    session = Session(TOY, toy_setup("Ann", "Ben", "Cid"))
    narration = Narration(session)

    def take(step, kind):
        step()
        narration.narrate_step(kind)

    tries = [Lay(name) for name in ("Ann", "Ben", "Cid")] * STRUCK
    for request in tries:
        take(lambda request=request: session.act(request), "act")
        take(session.undo, "undo")
    take(lambda: session.act(tries[0]), "act")
    kept = narration._superseded[0]
    assert [moment.act.request for moment in kept] == tries[-STRUCK:]
    assert [line.stands for line in narration.lines] == [False, False, True]
    take(session.undo, "undo")
    take(session.redo, "redo")
    assert session.current_moment not in narration._superseded[0]
    assert [line.stands for line in narration.lines] == [False, False, True]


@pytest.mark.parametrize(
    ("at", "requests", "said"),
    [
        (1, [Lay("Cid")], Text("live.corrected", {"act": 2, "what": laid("Cid")})),
        (2, [], Text("live.taken_out", {"act": 3})),
        (1, [Lay("Dan"), Lay("Cid")], Text("live.corrected", {"act": 2, "what": laid("Dan")})),
        (0, [Lay("Ben"), Lay("Cid")], Text("live.taken_out", {"act": 1})),
        (0, [], Text("live.taken_out", {"act": 1})),
    ],
)
def test_a_correction_says_what_is_there_now_or_that_the_act_is_gone(at, requests, said):
    session = Session(TOY, toy_setup("Ann", "Ben", "Cid", "Dan"))
    narration = Narration(session)
    for name in ("Ann", "Ben", "Cid") if (at, len(requests)) != (1, 1) else ("Ann", "Ben"):
        session.act(Lay(name))
        narration.narrate_step("act")
    session.replace_acts(at, requests)
    assert narration.narrate_step("correct", at) == said


def test_what_is_only_noted_is_told_too():
    session = Session(TOY, toy_setup("Ann", "Ben"))
    narration = Narration(session)
    anew = Entry("note", notes=(CardResealed("Ann", "00", "11"),))
    assert narration.replay_entry(anew) == Text("live.sealed_anew")
    renamed = narration.replay_entry(Entry("note", notes=(SeatChange("rename", "Ben", "Benno"),)))
    assert (renamed.code, renamed.args["name"]) == ("people.told.rename", "Benno")
    assert narration.people.display_names == {"Ben": "Benno"}
