"""What the first start of a game does before the table opens: our cards are drawn once, which takes
a second or two."""

from __future__ import annotations

from companion.decks.collection import deck_of, find_deck
from companion.decks.drawings import drawn_before
from companion.evening.plan import OFF, SIMULATED, Plan
from companion.rules import registry
from companion.table.decks import Deck


def cards_to_draw(plan: Plan, game: str) -> bool:
    """Tell whether the evening waits until the cards of `game` are drawn. Raises `DeckError`."""
    return _drawings_wanted(plan) and not drawn_before(deck_for(plan, game), plan.language)


def deck_for(plan: Plan, game: str) -> Deck:
    """Return the deck that was named, else the game's own. Raises `DeckError`."""
    return find_deck(plan.deck) if plan.deck else deck_of(registry.load(game))


def _drawings_wanted(plan: Plan) -> bool:
    """Tell whether a camera looks at cards, a real one or the demo table's; with `off` a simulated
    reader's demo has none."""
    demo_is_seen = plan.demo and not (SIMULATED in plan.readers and OFF in plan.cameras)
    return demo_is_seen or any(what != OFF for what in plan.cameras)
