"""The plain view: an evening told line by line, and typed in word by word."""

import msgspec

from companion.live.live import Live
from companion.live.snapshot import Snapshot
from companion.rules.contract import Text
from companion.rules.donkey_valley import requests as ask
from companion.table.sightings import Health
from companion.texts import Translator
from companion.views.plain import Plain
from tests.views.table import THREE, enter, first_round, live_session


class Told:
    """A plain view whose lines are kept."""

    def __init__(self, live: Live) -> None:
        self.lines: list[str] = []
        self.plain = Plain(live, Translator("en", live.game), self.lines.append)

    def look(self) -> list[str]:
        """What is said new."""
        self.lines.clear()
        self.plain.look(0.0)
        return list(self.lines)

    def type(self, words: str) -> bool:
        self.lines.clear()
        return self.plain.enter(words)


def test_what_happens_is_told_once() -> None:
    live = live_session()
    told = Told(live)
    assert "Turn up the next donkey" in told.look()[-1]
    enter(live, ask.Donkey("giant"))
    assert any("giant" in line for line in told.look())
    assert told.look() == []


def test_what_was_taken_back_is_said_to_count_no_longer() -> None:
    live = live_session()
    told = Told(live)
    enter(live, ask.Donkey("giant"), ask.Load("Ann"))
    told.look()
    told.type("undo")
    struck = told.look()
    assert "No longer: Ann has played." in struck
    told.type("redo")
    assert "Ann has played." in told.look()


def test_after_an_undo_and_something_else_only_the_new_line_is_told() -> None:
    live = live_session()
    told = Told(live)
    enter(live, ask.Donkey("giant"))
    told.look()
    live.undo()
    enter(live, ask.Donkey("puny"))
    lines = told.look()
    assert sum(line.startswith("No longer: ") for line in lines) == 1
    assert any("puny" in line for line in lines)


def test_cards_to_move_are_listed_until_somebody_types_moved() -> None:
    live = live_session()
    told = Told(live)
    first_round(live)
    told.look()
    live.undo()
    assert any("then type moved" in line for line in told.look())
    told.type("moved")
    assert live.snapshot().moves == ()


class StorageFault:
    """A host whose next snapshot says that something is wrong."""

    def __init__(self, live: Live) -> None:
        self._live = live
        self.changes: dict[str, object] = {}

    def __getattr__(self, name: str) -> object:
        return getattr(self._live, name)

    def snapshot(self) -> Snapshot:
        before = self._live.snapshot()
        return msgspec.structs.replace(before, number=before.number + len(self.changes), **self.changes)


def test_a_notice_a_full_disk_and_a_lost_camera_are_told_once() -> None:
    host = StorageFault(live_session())
    told = Told(host)  # type: ignore[arg-type]
    told.look()
    full = Text("journal.folder", {"file": "/tmp"})
    host.changes["keeping"] = full
    assert told.look() == ["/tmp is a folder: name a file for the journal."]
    host.changes["notice"] = Text("live.held")
    assert len(told.look()) == 1
    lost = Health("camera", "lost", Text("reader.camera.no_film", {"device": "a.mp4"}), 0.0)
    host.changes["health"] = (lost,)
    assert len(told.look()) == 1
    assert told.look() == []


def test_enter_lists_and_a_key_of_the_list_chooses() -> None:
    live = live_session()
    told = Told(live)
    told.type("")
    key = next(line for line in told.lines if "iant" in line).partition(":")[0]
    assert told.type(key)
    assert live.snapshot().view["donkey"] == "giant"


def test_words_that_mean_nothing_are_answered_and_change_nothing() -> None:
    live = live_session()
    told = Told(live)
    for words in ("xyzzy", "\x1b[31m", "9" * 500, "\u202eevil"):
        assert told.type(words)
        assert told.lines
        assert "\x1b" not in told.lines[-1]
        assert "\u202e" not in told.lines[-1]
    assert live.acts() == []
    assert not told.type("quit")


def test_a_refusal_is_told_with_its_clause() -> None:
    live = live_session()
    told = Told(live)
    enter(live, ask.Donkey("normal"), *(ask.Load(name) for name in THREE))
    told.look()
    live.submit(ask.Favour("Ann", 3))
    assert any("(DV-12)" in line for line in told.look())


def test_why_gives_the_reasons_with_their_clauses() -> None:
    live = live_session()
    first_round(live)
    told = Told(live)
    told.type("why")
    assert any(line.startswith("Ann: ") and "(DV-" in line for line in told.lines)
