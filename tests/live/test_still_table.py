"""When a combination is complete: the table must be really still, and a button waits for the cards
laid before it."""

from companion.live.live_session import LiveSession
from companion.rules.contract import Refusal, Text
from companion.rules.start import Start, prepare_game
from companion.table.decks import Deck
from companion.table.sightings import ActivityReport, Health, Press, Sighting
from companion.table.table import Table
from companion.table.timeouts import IDLE_DEBOUNCE, IDLE_TIMEOUT, LONGEST_IDLE_WAIT


class AscendTable:
    """A table of Ascend before its first lead, and a camera that says what it sees."""

    def __init__(self) -> None:
        begun = prepare_game(Start("ascend", ["Ann", "Bob", "Chloé"], {}, 4))
        assert not isinstance(begun, Refusal)
        deck = Deck.load_builtin("ascend")
        self.live = LiveSession(*begun, table=Table(deck), cards=tuple(deck.card_counts))
        self.live.submit_request(next(iter(self.live.list_choices(None))).request)
        self.player = self.live.snapshot().view["waiting_for"][0]["player"]
        self.seat = self.live.setup.players.index(self.player) + 1
        self.live.post_report(Health("camera", "ok", Text("reader.camera.ok"), 0.0))
        self.acts = len(self.live.list_acts())

    def lay(self, track: int, card: str, at: float) -> None:
        self.live.post_report(Sighting("camera", track, f"decktet:{card}", "middle", at))

    def busy(self, at: float, *, busy: bool = True) -> None:
        self.live.post_report(ActivityReport("camera", busy, at))

    def played_at(self, now: float) -> tuple[str, ...] | None:
        """Let time pass until `now`; return the cards that were played, None while none were."""
        self.live.tick(now)
        acts = self.live.list_acts()[self.acts :]
        return acts[0].request.cards if acts else None  # type: ignore[attr-defined]


def two_of_a_rank() -> tuple[str, str]:
    return "ace_of_knots", "ace_of_suns"


def test_a_lead_is_taken_once_the_table_has_been_still() -> None:
    table = AscendTable()
    table.lay(1, two_of_a_rank()[0], 0.0)
    table.played_at(0.5)
    assert table.played_at(0.5 + IDLE_TIMEOUT - 0.1) is None
    assert table.played_at(0.5 + IDLE_TIMEOUT) == (two_of_a_rank()[0],)


def test_while_the_camera_has_yet_to_make_something_out_the_lead_waits_for_it() -> None:
    one, other = two_of_a_rank()
    table = AscendTable()
    table.lay(1, one, 0.0)
    table.busy(0.2)
    table.played_at(0.5)
    assert table.played_at(0.5 + 2 * IDLE_TIMEOUT) is None
    table.lay(2, other, 4.0)
    table.busy(4.0, busy=False)
    table.played_at(4.5)
    assert table.played_at(4.4 + IDLE_TIMEOUT) is None
    assert table.played_at(4.6 + IDLE_TIMEOUT) == (one, other)


def test_a_button_is_quicker_than_the_camera_and_waits_for_the_last_card() -> None:
    one, other = two_of_a_rank()
    table = AscendTable()
    table.busy(0.0)
    table.lay(1, one, 0.1)
    table.played_at(0.5)
    table.live.post_report(Press("keys", table.seat, "accept", 0.6))
    assert table.played_at(0.7) is None
    table.lay(2, other, 0.8)
    table.busy(1.2, busy=False)
    table.played_at(1.2)
    assert table.played_at(1.3 + IDLE_TIMEOUT) == (one, other)


def test_with_all_cards_seen_a_button_ends_the_lead_almost_at_once() -> None:
    one, _ = two_of_a_rank()
    table = AscendTable()
    table.busy(0.0)
    table.lay(1, one, 0.1)
    table.busy(0.4, busy=False)
    table.played_at(0.5)
    table.live.post_report(Press("keys", table.seat, "accept", 0.6))
    assert table.played_at(0.65) is None
    assert table.played_at(0.45 + IDLE_DEBOUNCE) == (one,)


def test_somebody_who_never_sits_still_does_not_stop_the_game() -> None:
    one, _ = two_of_a_rank()
    table = AscendTable()
    table.lay(1, one, 0.0)
    table.busy(0.1)
    table.played_at(0.5)
    assert table.played_at(0.5 + LONGEST_IDLE_WAIT) == (one,)


def test_a_camera_that_is_pulled_out_while_a_hand_is_over_the_table_holds_nothing_up() -> None:
    one, _ = two_of_a_rank()
    table = AscendTable()
    table.lay(1, one, 0.0)
    table.busy(0.1)
    table.played_at(0.5)
    table.live.post_report(Health("camera", "lost", Text("reader.camera.lost", {"device": "0"}), 0.6))
    table.played_at(0.6)
    assert table.played_at(0.7 + IDLE_TIMEOUT) == (one,)
