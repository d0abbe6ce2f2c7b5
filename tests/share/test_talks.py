"""Conversations from a seat, as its page holds them: every request says all answers so far."""

from __future__ import annotations

import pytest

from companion.games.donkey_valley.moves import Donkey, Favour, Load, NoFavour
from companion.rules import registry
from companion.share.access_tokens import CloseCode, Purpose
from companion.texts import Translator
from tests.share.conftest import GAME, PLAYERS, Line, shared
from tests.simulated.phones import Ticking

MOVED_ON = "The game has moved on: choose again from what is shown now."


class Page:
    """A seat's page: remembers the answers that hold, and the menu that it shows."""

    def __init__(self, share, player: str, about: object = "righting") -> None:
        self.about, self.player = about, player
        self.line = Line(share, Purpose("seat", player))
        self.given: list[dict] = []
        self.menu: dict | None = None
        self.words = ""
        self._said = 0
        self.say()

    def say(self, said: dict | None = None) -> None:
        self._said += 1
        told = self.menu["number"] if self.menu else 0
        what = {"seat": self.player, "about": self.about, "given": self.given, "next": said, "told": told}
        heard = self.line.ask("talk", str(self._said), **what)
        self.given = [*self.given, *([said] if said else [])][: heard["hold"]]
        self.menu, self.words = heard["menu"], heard["words"]

    def press(self, words: str) -> None:
        assert self.menu is not None
        row = next(row for row in self.menu["rows"] if "row" in row and words in row["words"])
        self.say({"row": row["row"]})

    @property
    def told(self) -> str:
        assert self.menu is not None
        return " ".join(one.get("words", "") for one in self.menu["told"])


@pytest.fixture
def put_right(table):
    """A table where all favours are decided, and Ann's page."""
    live, share = table
    for request in (Donkey("giant"), *map(Load, PLAYERS), *map(NoFavour, PLAYERS)):
        assert live.submit_request(request) is None
    with Ticking(live):
        yield live, share, Page(share, "Ann")


def last(live) -> str:
    return Translator("en", GAME).translate(live.snapshot().last)


def requests(live) -> list:
    return [act.request for act in live.list_acts()]


def test_any_seat_takes_a_step_back_and_puts_it_there_again_and_all_are_told_who(put_right) -> None:
    live, share, ann = put_right
    ann.press("Undo")
    assert ann.menu is None
    assert last(live) == "Ann, on a phone: Undone: <b>Chloé</b> uses no favour."
    bob = Page(share, "Bob")
    bob.press("Redo")
    assert last(live).startswith("Bob, on a phone: ")
    assert len(live.list_acts()) == 7


def test_an_entry_is_corrected_and_nothing_happens_before_it_is_agreed_to(put_right) -> None:
    live, _, ann = put_right
    for words in ("Correct an earlier entry", "Bob uses no favour", "Favour 2"):
        ann.press(words)
    assert [one["after"] for one in ann.menu["told"][-1]["points"]] == ["0", "0", "0"]
    assert NoFavour("Bob") in requests(live)
    ann.press("Make this correction")
    assert (ann.menu, ann.words) == (None, "")
    assert Favour("Bob", 2) in requests(live)
    assert last(live).startswith("Ann, on a phone: Entry 6 corrected: ")


def test_what_was_shown_before_the_table_went_on_is_not_answered(put_right) -> None:
    live, share, ann = put_right
    bob = Page(share, "Bob")
    bob.press("Undo")
    ann.press("Undo")  # what she would take back is not what she read
    assert ann.words == MOVED_ON
    assert "Undone" in ann.told
    assert len(live.list_acts()) == 6


def test_answers_hold_as_far_as_they_are_offered_still(put_right) -> None:
    live, share, ann = put_right
    for words in ("Correct an earlier entry", "Chloé</b> uses no favour"):
        ann.press(words)
    assert len(ann.given) == 2
    Page(share, "Bob").press("Undo")  # the very entry
    ann.press("Favour 2")
    assert ann.words == MOVED_ON
    assert len(ann.given) == 1
    assert ann.menu["long"]
    assert len(live.list_acts()) == 6


def test_a_question_that_is_no_longer_asked_is_over(put_right) -> None:
    _, _, ann = put_right
    ann.about = 99
    ann.say()
    assert (ann.menu, ann.words) == (None, MOVED_ON)


@pytest.mark.parametrize("said", [{"row": 1}, {"row": 0, "cards": ["x"] * 50}])
def test_an_answer_that_nobody_offered_does_nothing(put_right, said) -> None:
    live, _, ann = put_right
    ann.say(said)
    assert ann.words == MOVED_ON
    assert len(live.list_acts()) == 7


@pytest.mark.parametrize("said", ["", "[]", "{}", '{"about":"x"}', '{"about":1,"given":7}', "[" * 4000])
def test_what_is_no_answer_ends_the_line(put_right, said) -> None:
    _, _, ann = put_right
    ann.line.wire.send('{"type":"talk","seat":"Ann",' + said.lstrip("{") if said.startswith('{"') else said)
    assert ann.line.ended() == CloseCode.BAD


def test_an_entry_with_cards_is_corrected_by_picking_others() -> None:
    live, share = shared(game=registry.load_game("ochs_und_esel"))
    try:
        choice = next(one for one in live.list_choices("Ann") if one.pick is not None)
        first, other = choice.pick.cards[0][0], choice.pick.cards[1][0]
        assert live.submit_request(choice.with_cards((first,))) is None
        with Ticking(live):
            ann = Page(share, "Ann")
            ann.press("Correct an earlier entry")
            ann.press("Ann")
            row = next(row for row in ann.menu["rows"] if row.get("pick"))
            ann.say({"row": row["row"], "cards": [other] * 50})
            assert ann.words == MOVED_ON
            ann.say({"row": row["row"], "cards": [other]})
            ann.press("Make this correction")
        assert requests(live) == [choice.with_cards((other,))]
    finally:
        share.close()
