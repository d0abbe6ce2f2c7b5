"""What must hold in every whole game, whatever the game: played by its simulated players, by mouth and by real cards."""

from __future__ import annotations

from companion.rules.contract import Refusal
from companion.rules.session import Session
from tests.rules.talk import RealTable, Spoken, played_out, replayed


def the_journal_brings_back_the_same_game(game, setup, players):
    """Replay equals live, through JSON."""
    entries = []
    session = Session(game, setup, entries.append)
    while (deed := players.next(session.acts(), session.view())) is not None:
        session.act(deed.request)
    again = replayed(game, setup, entries)
    assert again.state == session.state
    assert again.view() == session.view()
    assert again.acts() == session.acts()


def undoing_everything_passes_through_every_state_again(game, setup, players):
    """Undo equals the prefix; redo brings it back; the players' next deed is the same again."""
    states, deeds = [], []

    def hear(session, deed, _events):
        states.append(session.state)
        deeds.append(deed)

    session = played_out(game, setup, players, hear)
    for state, deed in zip([game.start(setup), *states[:-1]][::-1], deeds[::-1], strict=True):
        assert not isinstance(session.undo(), Refusal)
        assert session.state == state
        if len(session.acts()) % 10 == 0:
            assert players.next(session.acts(), session.view()) == deed
    for state in states:
        session.redo()
        assert session.state == state


def all_that_is_said_has_words(game, setup, players):
    """Every text of a whole game, in both languages; explanations add up to the points at every moment."""
    spoken = Spoken(game)

    def hear(session, _deed, events):
        spoken.everything(game, session.state, events)
        for row in session.view()["players"]:
            reasons = game.explain(session.state, row["name"])
            assert sum(reason.points for reason in reasons) == row["points"]

    played_out(game, setup, players, hear)
    return spoken.heard


def waiting_is_what_can_be_entered(game, setup, players):
    """`waiting_for` and the manual menus name the same acts of the same players, and every complete choice is accepted."""

    def hear(session, _deed, _events):
        waiting = {(entry["do"], entry["player"]) for entry in session.view()["waiting_for"]}
        menus = {None: game.choices(session.state, None)}
        menus |= {name: game.choices(session.state, name) for name in setup.players}
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
        assert found <= waiting
        assert {player for _, player in found} == {player for _, player in waiting}

    played_out(game, setup, players, hear)


def _check_pick(game, state, choice):
    pick = choice.pick
    assert 0 < pick.least <= pick.most <= sum(copies for _, copies in pick.cards), choice
    request = choice.with_cards([pick.cards[0][0]] * pick.least)
    assert getattr(request, pick.field) == (pick.cards[0][0],) * pick.least
    game.decide(state, request)


def real_cards_make_the_same_requests(game, setup, players):
    """The gestures, read as claims, make the very requests that were meant; what is only said is entered by hand."""
    session, table = Session(game, setup), RealTable(len(setup.players))
    seen = 0
    while (deed := players.next(session.acts(), session.view())) is not None:
        for gesture in deed.gestures:
            assert table.read(game, session.state) == [], "a card that means nothing now is left alone"
            table.make(gesture)
        if deed.seen:
            seen += 1
            read = table.read(game, session.state) or table.read(game, session.state, still=True)
            assert read == [deed.request]
        else:
            assert table.read(game, session.state) == []
        assert not isinstance(session.act(deed.request), Refusal)
    return seen
