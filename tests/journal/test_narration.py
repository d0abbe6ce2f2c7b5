"""The lines of an evening: what no longer stands is kept beside what took its place, and no more
of it than a table needs."""

from companion.journal.narration import STRUCK, Narration
from companion.rules.session import Session
from tests.toy import TOY, Lay, toy_setup


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
