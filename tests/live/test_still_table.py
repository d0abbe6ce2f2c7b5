"""When a combination is complete: the table must be really still, and a button waits for the cards
laid before it."""

from companion.live.live import Live
from companion.rules.contract import Refusal, Text
from companion.rules.start import Start, begin
from companion.table.decks import Deck
from companion.table.sightings import Health, Press, Sighting, Unrest
from companion.table.table import Table
from companion.table.waits import AT_MOST, CALM, STILL


class AscendTable:
    """A table of Ascend before its first lead, and a camera that says what it sees."""

    def __init__(self) -> None:
        begun = begin(Start("ascend", ["Ann", "Bob", "Chloé"], {}, 4))
        assert not isinstance(begun, Refusal)
        deck = Deck.builtin("ascend")
        self.live = Live(*begun, table=Table(deck), cards=tuple(deck.cards))
        self.live.submit(next(iter(self.live.choices(None))).request)
        self.player = self.live.snapshot().view["waiting_for"][0]["player"]
        self.seat = self.live.setup.players.index(self.player) + 1
        self.live.post(Health("camera", "ok", Text("reader.camera.ok"), 0.0))
        self.acts = len(self.live.acts())

    def lay(self, track: int, card: str, at: float) -> None:
        self.live.post(Sighting("camera", track, f"decktet:{card}", "middle", at))

    def busy(self, at: float, *, busy: bool = True) -> None:
        self.live.post(Unrest("camera", busy, at))

    def played_at(self, now: float) -> tuple[str, ...] | None:
        """Let time pass until `now`; return the cards that were played, None while none were."""
        self.live.tick(now)
        acts = self.live.acts()[self.acts :]
        return acts[0].request.cards if acts else None  # type: ignore[attr-defined]


def two_of_a_rank() -> tuple[str, str]:
    return "ace_of_knots", "ace_of_suns"


def test_a_lead_is_taken_once_the_table_has_been_still() -> None:
    table = AscendTable()
    table.lay(1, two_of_a_rank()[0], 0.0)
    table.played_at(0.5)
    assert table.played_at(0.5 + STILL - 0.1) is None
    assert table.played_at(0.5 + STILL) == (two_of_a_rank()[0],)


def test_while_the_camera_has_yet_to_make_something_out_the_lead_waits_for_it() -> None:
    one, other = two_of_a_rank()
    table = AscendTable()
    table.lay(1, one, 0.0)
    table.busy(0.2)
    table.played_at(0.5)
    assert table.played_at(0.5 + 2 * STILL) is None
    table.lay(2, other, 4.0)
    table.busy(4.0, busy=False)
    table.played_at(4.5)
    assert table.played_at(4.4 + STILL) is None
    assert table.played_at(4.6 + STILL) == (one, other)


def test_a_button_is_quicker_than_the_camera_and_waits_for_the_last_card() -> None:
    one, other = two_of_a_rank()
    table = AscendTable()
    table.busy(0.0)
    table.lay(1, one, 0.1)
    table.played_at(0.5)
    table.live.post(Press("keys", table.seat, "accept", 0.6))
    assert table.played_at(0.7) is None
    table.lay(2, other, 0.8)
    table.busy(1.2, busy=False)
    table.played_at(1.2)
    assert table.played_at(1.3 + STILL) == (one, other)


def test_with_all_cards_seen_a_button_ends_the_lead_almost_at_once() -> None:
    one, _ = two_of_a_rank()
    table = AscendTable()
    table.busy(0.0)
    table.lay(1, one, 0.1)
    table.busy(0.4, busy=False)
    table.played_at(0.5)
    table.live.post(Press("keys", table.seat, "accept", 0.6))
    assert table.played_at(0.65) is None
    assert table.played_at(0.45 + CALM) == (one,)


def test_somebody_who_never_sits_still_does_not_stop_the_game() -> None:
    one, _ = two_of_a_rank()
    table = AscendTable()
    table.lay(1, one, 0.0)
    table.busy(0.1)
    table.played_at(0.5)
    assert table.played_at(0.5 + AT_MOST) == (one,)


def test_a_camera_that_is_pulled_out_while_a_hand_is_over_the_table_holds_nothing_up() -> None:
    one, _ = two_of_a_rank()
    table = AscendTable()
    table.lay(1, one, 0.0)
    table.busy(0.1)
    table.played_at(0.5)
    table.live.post(Health("camera", "lost", Text("reader.camera.lost", {"device": "0"}), 0.6))
    table.played_at(0.6)
    assert table.played_at(0.7 + STILL) == (one,)
