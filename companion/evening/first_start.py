"""What the first start does before the table opens: our cards are drawn once, which takes a second
or two; the simulated card reader is compiled, which takes up to a minute."""

from __future__ import annotations

import sys
from contextlib import suppress

from companion.decks.collection import deck_of, find_deck
from companion.decks.drawings import drawn_before
from companion.plan import OFF, SIMULATED, Plan
from companion.readers.rfid.events import ReaderProblem
from companion.readers.rfid.simulator import build
from companion.table.decks import Deck
from companion.texts import Translator


def cards_to_draw(plan: Plan) -> bool:
    """Tell whether the evening waits until its cards are drawn. Raises `DeckError`."""
    return _drawings_wanted(plan) and not drawn_before(deck_for(plan, plan.game), plan.language)


def deck_for(plan: Plan, game: str) -> Deck:
    """Return the deck that was named, else the game's own. Raises `DeckError`."""
    return find_deck(plan.deck) if plan.deck else deck_of(game)


def _drawings_wanted(plan: Plan) -> bool:
    """Tell whether a camera looks at cards, a real one or the demo table's; with `off` a simulated
    reader's demo has none."""
    demo_is_seen = plan.demo and not (SIMULATED in plan.readers and OFF in plan.cameras)
    return demo_is_seen or any(what != OFF for what in plan.cameras)


def build_board(say: Translator) -> None:
    """Compile the simulated card reader where anything of it is new, and tell the terminal how far
    it is. Why it cannot be compiled is said where it is started."""
    begin, end = ("\r", "") if sys.stderr.isatty() else ("", "\n")

    def tell(done: int, count: int) -> None:
        words = say("reader.simulator_building", done=str(done), count=str(count))
        print(f"{begin}{words}", end="\n" if done == count else end, file=sys.stderr, flush=True)

    with suppress(ReaderProblem):
        build(told=tell)
