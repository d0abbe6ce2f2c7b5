"""Entry by hand: keys a round and an act of each game, with four players, in the entry panel.

`python -m bench entry_keys`. Simulated players play first; then the same acts are entered as
somebody would who looks at the entry panel: it is opened once, one key enters for everybody what
all do alike, and of players who are awaited together the one who is shown comes first. The keys are
those that the panel offers at that moment; that it takes them so, the tests of the dashboard try.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Any

from bench.demo import Row
from companion.demo.players import players_of
from companion.live.live import Live
from companion.rules import registry
from companion.rules.contract import Refusal, Request
from companion.rules.partners.moves import Fold
from companion.rules.start import Start, begin
from companion.table.decks import Deck
from companion.table.table import Table
from companion.texts import Translator
from companion.views.conversations import entering
from companion.views.entry import Way, awaited
from simulated.by_hand import answers, keys

FOUR = ("Ann", "Bob", "Chloé", "Dan")
ROUNDS = 2
"""Rounds typed: Donkey Valley's rounds, hands, deals; of DTC, which has none, the whole game."""
_AIMS = {"donkey_valley": "15 a round", "ochs_und_esel hands_only": "25 a round"}


def run() -> Iterator[Row]:
    """Yield keys a round and an act of every game."""
    for game in registry.game_ids():
        yield keys_of(game)
    yield keys_of("ochs_und_esel", hands_only=True)


def keys_of(game: str, **options: object) -> Row:
    """Enter the first rounds of a game, and count the keys."""
    wanted, rounds = played(game, **options)
    acts, live = len(wanted), session(game, **options)
    typed = 1  # Enter opens the panel
    while wanted:
        pressed, done = next_keys(live, wanted)
        typed += len(pressed)
        for one in done:
            refusal = live.submit(one)
            assert refusal is None, (pressed, refusal)
            wanted.remove(one)
    kind = "game" if live.snapshot().rounds[0].label is None else "round"
    figure = f"{typed / rounds:.0f} a {kind}, {typed / acts:.1f} an act"
    conditions = f"{typed} keys, {acts} acts, {rounds} {kind}(s), four players, the panel open"
    name = " ".join([game, *options])
    return f"keys by hand: {name}", figure, conditions, _AIMS.get(name, "-")


def played(game: str, **options: object) -> tuple[list[Request], int]:
    """Let simulated players play some rounds; return their acts as they can be entered by hand, and
    how many rounds that is."""
    live = session(game, **options)
    players = players_of(live.setup)
    done: list[Request] = []
    while len(live.snapshot().rounds) <= ROUNDS:
        deed = players.next(live.acts(), live.snapshot().view)
        if deed is None:
            return done, len(live.snapshot().rounds)
        request = deed.request
        request = (
            Fold(request.player) if isinstance(request, Fold) else request
        )  # by hand the cards are not named
        refusal = live.submit(request)
        assert refusal is None, refusal
        done.append(request)
    return done[:-1], ROUNDS


def next_keys(live: Live, wanted: Sequence[Request]) -> tuple[list[str], list[Request]]:
    """Return the keys that come next, and which acts they enter."""
    say = Translator("en", live.game)
    together = [one for one in wanted[: len(awaited(live.snapshot()))] if type(one) is type(wanted[0])]
    menu = next(entering(live, None, None, say))
    for reply in menu.replies:
        way = reply.value
        for_all = isinstance(way, Way) and way.for_all and len(together) > 1
        if for_all and all(_alike(way.choice.request, one) for one in together):
            return list(reply.key), together
    shown = menu.standing.player if menu.standing else None
    one = next((one for one in together if getattr(one, "player", None) == shown), wanted[0])
    return list(keys(answers(lambda: entering(live, None, None, say), one))), [one]


def _alike(one: Request, other: Request) -> bool:
    mine = {name: getattr(one, name) for name in one.__struct_fields__ if name != "player"}
    return type(one) is type(other) and all(getattr(other, name) == value for name, value in mine.items())


def session(game: str, **options: object) -> Live:
    """Begin a game of four, always with the same seed."""
    begun: Any = begin(Start(game, list(FOUR), options, 3))
    assert not isinstance(begun, Refusal)
    deck = Deck.builtin(game)
    return Live(*begun, table=Table(deck), cards=tuple(deck.cards))


if __name__ == "__main__":
    from bench.__main__ import main

    main(sys.argv[1:], "entry_keys")
