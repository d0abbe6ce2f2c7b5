"""What must hold in every whole game, whatever the game: played by its simulated players, by mouth
and by real cards."""

import os
import re
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

import pytest

from companion.rules import registry
from companion.rules.claims import format_seat_zone
from companion.rules.contract import Claim, Doubt, Refusal
from companion.rules.session import Session
from companion.table.decks import Deck
from tests.rules.answers import answers
from tests.rules.evenings import (
    EVENINGS,
    ONE_OF_EACH_GAME,
    TWELVE_DONKEY_VALLEYS,
    Evening,
    Recorded,
    golden_file,
    titled,
)
from tests.rules.talk import RealTable, Spoken, played_out, transcript

PLAYED = {}


class Again(NamedTuple):
    """The simulated players of an evening, who do what they did when it was played first: to choose
    their deeds took a quarter of these tests' time."""

    evening: Evening

    def next_action(self, acts, view):
        deeds = PLAYED.setdefault(titled(self.evening), [])
        if len(acts) == len(deeds):
            deeds.append(self.evening.players.next_action(acts, view))
        return deeds[len(acts)]


def every(evenings):
    return pytest.mark.parametrize("evening", evenings, ids=titled)


UNLIKE = [
    one
    for one in EVENINGS
    if (one.game.id, one.name)
    not in {
        ("donkey_valley", "5"),
        ("dtc", "4"),
        ("ochs_und_esel", "4"),
        ("partners", "capture"),
        ("partners", "few_hearts"),
        ("ascend", "strict"),
    }
]
"""Those whose menus and words no other has."""


def test_every_game_has_its_evenings():
    assert {evening.game.id for evening in EVENINGS} == set(registry.list_game_ids())


@pytest.mark.slow
@every([evening for evening in EVENINGS if not evening.setup.options.get("hands_only")])
def test_real_hands_and_counted_ones_agree_all_game_long(evening):
    players = evening.players

    def hear(session, _deed, _events):
        if session.is_over:  # then hands are counted out, and lie on the table
            return
        held = {name: players.list_hand(session.list_acts(), name) for name in evening.setup.players}
        rows = session.view()["players"]
        assert {row["name"]: row.get("hand", row.get("cards_left")) for row in rows} == {
            name: len(hand) for name, hand in held.items()
        }

    played_out(evening.game, evening.setup, Again(evening), hear)


@pytest.mark.slow
@every(UNLIKE)
def test_undoing_everything_passes_through_every_state_again(evening):
    """Undo equals the prefix; redo brings it back; the players' next deed is the same again."""
    players, states, deeds = evening.players, [], []

    def hear(session, deed, _events):
        states.append(session.state)
        deeds.append(deed)

    session = played_out(evening.game, evening.setup, Again(evening), hear)
    for state, deed in zip([evening.game.start(evening.setup), *states[:-1]][::-1], deeds[::-1], strict=True):
        assert not isinstance(session.undo(), Refusal)
        assert session.state == state
        if len(session.list_acts()) % 10 == 0:
            assert players.next_action(session.list_acts(), session.view()) == deed
    for state in states:
        session.redo()
        assert session.state == state


@pytest.mark.slow
@every(UNLIKE)
def test_all_that_is_said_has_words_and_adds_up(evening):
    """Every text of a whole game, in both languages; explanations add up to the points at every
    moment."""
    game, spoken = evening.game, Spoken(evening.game)

    def hear(session, _deed, events):
        spoken.everything(game, session.state, events)
        for row in session.view()["players"]:
            reasons = game.explain_points(session.state, row["name"])
            assert sum(Fraction(reason.points) for reason in reasons) == Fraction(row["points"])

    played_out(game, evening.setup, Again(evening), hear)
    assert evening.heard <= spoken.heard


@pytest.mark.slow
@every(UNLIKE)
def test_waiting_is_what_can_be_entered_and_every_choice_is_accepted(evening):
    """`waiting_for` and the manual menus name the same acts of the same players, and every complete
    choice is accepted."""
    game = evening.game

    def hear(session, _deed, _events):
        waiting = {(entry["do"], entry["player"]) for entry in session.view()["waiting_for"]}
        menus = {None: game.list_choices(session.state, None)}
        menus |= {name: game.list_choices(session.state, name) for name in evening.setup.players}
        found = set()
        for player, menu in menus.items():
            for choice in menu:
                found.add((type(choice.request).__struct_config__.tag, player))
                if choice.pick is None:
                    assert not isinstance(game.decide(session.state, choice.request), Refusal), choice
                else:
                    _check_pick(game, session.state, choice)
            keys = [choice.key for choice in menu if choice.key]
            assert len(keys) == len(set(keys))
        # It stands for `donkey`, which is what the sheet says is awaited (DV-3).
        assert found - {("draw_donkey", None)} <= waiting
        assert {player for _, player in found} == {player for _, player in waiting}
        for do, player in sorted(waiting, key=str) if len(session.list_acts()) % 3 == 0 else ():
            told = game.list_legal(session.state, player or evening.setup.players[0])
            listed = {_tag(one) for one in (*told.legal, *(each.request for each in told.open))}
            # Who has used both favours is asked all the same, and has only one answer.
            assert do in listed or (do, listed) == ("favour", {"no_favour"}), do

    played_out(game, evening.setup, Again(evening), hear)


def _tag(request):
    return type(request).__struct_config__.tag


def _check_pick(game, state, choice):
    pick = choice.pick
    assert 0 < pick.least <= pick.most <= sum(copies for _, copies in pick.cards), choice
    request = choice.with_cards([pick.cards[0][0]] * pick.least)
    assert tuple(map(str, getattr(request, pick.field))) == (pick.cards[0][0],) * pick.least
    game.decide(state, request)


@pytest.mark.slow
@every([evening for evening in (*EVENINGS, *TWELVE_DONKEY_VALLEYS) if evening.read])
def test_cards_on_the_table_make_the_requests_that_were_meant(evening):
    """The gestures, read as claims, make the very requests that were meant; what is only said is
    entered by hand."""
    game, players = evening.game, Again(evening)
    session, table = Session(game, evening.setup), RealTable(len(evening.setup.players))
    seen = 0
    while (deed := players.next_action(session.list_acts(), session.view())) is not None:
        for gesture in deed.gestures:
            assert table.read(game, session.state) == [], "a card that means nothing now is left alone"
            table.make(gesture)
        if deed.seen_by_readers:
            seen += 1
            read = table.read(game, session.state) or table.read(game, session.state, still=True)
            assert read == [deed.request]
        else:
            assert table.read(game, session.state) == []
        assert not isinstance(session.act(deed.request), Refusal)
    assert seen > evening.read


@pytest.mark.slow
@every([evening for evening in EVENINGS if evening.golden])
def test_a_golden_evening_to_the_letter(evening):
    """After a change that is meant, of a default say: see "An option of a game" in
    CONTRIBUTING.md."""
    golden = golden_file(evening)
    found = transcript(evening.game, evening.setup, Again(evening))
    if os.environ.get("WRITE"):
        golden.write_text(found)
    assert found == golden.read_text()


# Not those whose options another has too: a fifth of the processor's time was theirs.
ANSWERED = [one for one in EVENINGS if one.golden and one.name not in ("7", "stack", "three", "bidding")]


@every([evening for evening in EVENINGS if evening.golden])
def test_what_was_done_in_a_golden_evening_has_the_same_results(evening):
    assert transcript(evening.game, evening.setup, Recorded.load(evening)) == golden_file(evening).read_text(
        encoding="utf-8"
    )


@every(ANSWERED)
def test_all_that_is_answered_in_a_golden_evening(evening):
    """After a change that is meant: `WRITE=1 pytest tests/rules/test_whole_games.py`, and
    read the difference. `VALUES=FOLDER` writes all that is summed there: at the commit before and
    here, for `diff -r`."""
    golden = Path(__file__).parent / evening.game.id / f"answers_{evening.name}.txt"
    cards = list(Deck.load_builtin(evening.game.id).card_counts)
    found = answers(evening.game, evening.setup, Recorded.load(evening), cards)
    if os.environ.get("WRITE"):
        golden.write_text(found.text, encoding="utf-8")
    if folder := os.environ.get("VALUES"):
        lines = [f"{act} {name} {one}\n" for act, values in found.values for name, one in values.items()]
        Path(folder, f"{evening.game.id}_{evening.name}.txt").write_text("".join(lines), encoding="utf-8")
    kept = golden.read_text(encoding="utf-8")
    if found.text != kept:
        more = "VALUES=FOLDER here and at the commit before shows the rest; WRITE=1 keeps what is now."
        pytest.fail(f"{found.against(kept.splitlines())}\n{more}", pytrace=False)


def test_a_golden_evening_that_differs_says_in_which_act_and_what():
    evening = next(one for one in ANSWERED if (one.game.id, one.name) == ("dtc", "told"))
    found = answers(
        evening.game, evening.setup, Again(evening), [*Deck.load_builtin(evening.game.id).card_counts]
    )
    assert found.against(found.lines) == ""
    other = [re.sub(r"^1 menus .{8}", "1 menus 00000000", line) for line in found.lines]
    other[5] = "  choice  Ann has no card at the end"
    summed, gone, come = found.against(other).splitlines()
    assert summed.startswith('act 1 (count), menus is now {"":[],"Ann":[],"Ben":[{"aliases":[],"key":"00",')
    assert (gone, come) == ("-  choice  Ann has no card at the end", "+  choice  Ann has 0 cards at the end")


IDLE = {
    "ascend": "pass",
    "donkey_valley": "",
    "dtc": "",
    "ochs_und_esel": "pass",
    "partners": "fold",
}
"""The requests of each game by which a player plays nothing; screens set them apart."""


@every([ONE_OF_EACH_GAME[game_id] for game_id in IDLE])
def test_the_player_in_turn_is_the_only_one_who_may_do_anything(evening):
    game, session = evening.game, Session(evening.game, evening.setup)
    assert " ".join(_tag_of(kind) for kind in game.requests if kind.is_pass) == IDLE[game.id]
    while len(session.list_acts()) < 150 and not session.is_over:
        waiting = {entry["player"] for entry in session.view()["waiting_for"]}
        only = waiting.pop() if len(waiting) == 1 else None
        # Hands are laid out and told in any order.
        assert session.state.acting_player == (None if session.state.phase in ("hands", "told") else only)
        session.act(evening.players.next_action(session.list_acts(), session.view()).request)


def _tag_of(kind):
    return kind.__struct_config__.tag


@every([evening for evening in EVENINGS if evening.golden])
def test_a_card_that_no_deck_of_the_game_has_is_asked_about_and_never_played(evening):
    game, session = evening.game, Session(evening.game, evening.setup)
    kinds = {card.rpartition(":")[0] for card in Deck.load_builtin(game.id).card_counts}
    zones = ["middle", *(format_seat_zone(seat + 1) for seat in range(len(evening.setup.players)))]
    unknown = [(f"{kind}:99", zone) for kind in sorted(kinds) for zone in zones]
    claims = [Claim(number, *one, owner=1) for number, one in enumerate(unknown)]
    for number, deed in enumerate(Recorded.load(evening).deeds):
        if number % 5 == 0:
            for reading in game.interpret_claims(session.state, claims):
                assert isinstance(reading, Doubt), (reading, session.state.phase)
                assert reading.text.code == "doubt.foreign_card"
        session.act(deed.request)
