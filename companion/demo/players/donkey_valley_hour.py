"""What a simulated player of Donkey Valley knows at one moment, and how likely they think the
donkey is overloaded."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from companion.demo.deeds import Deed, Gesture
from companion.demo.players.donkey_valley_cards import RealCards
from companion.rules.contract import Request, View
from companion.rules.donkey_valley.cards import VALUES

GUESSES = 48
"""How many times a player imagines the loads that are hidden before deciding."""


class Hour:
    """One moment: the cards, the view, whose turn it is, and chance. What the player knows, and
    guesses from it."""

    def __init__(self, cards: RealCards, view: View, player: str | None, number: int) -> None:
        self.players = cards.players
        self.options = cards.setup.options
        self.cards = cards
        self.view = view
        self.player = player or ""
        # By the number of acts: asked once more (`tidying.retraced`), a player does the same.
        self.rng: random.Random = cards.setup.rng("demo", "hour", number)

    def zone(self, player: str) -> str:
        """Return the player's seat on the table."""
        return self.cards.zone(player)

    def card(self, player: str, value: int) -> str:
        """Return the id of the player's load."""
        return self.cards.load(player, value)

    def said(self, request: Request, *gestures: Gesture) -> Deed:
        """Act and say it aloud: no reader can tell what these gestures mean."""
        return Deed(self.player or None, request, gestures)

    def seen(self, request: Request, *gestures: Gesture) -> Deed:
        """Act and let the readers tell it."""
        return Deed(self.player or None, request, gestures, seen=True)

    def lay(self, value: int, face: str = "up") -> Gesture:
        """Lay a load of one's own before oneself."""
        zone, card = self.zone(self.player), self.card(self.player, value)
        return Gesture("lay", zone, card, "up" if face == "up" else "down")

    def doubled(self) -> bool:
        """Tell whether two loads may be laid: on a double that is not void (DV-38)."""
        return bool(self.view["donkey"] == "double" and self.view["capacity"] == 10 * len(self.players))

    def due_face_up(self) -> bool:
        """Tell whether this player lays the load face up: the first and the last do on a difficult
        donkey (DV-40)."""
        after = self.players[(self.players.index(self.player) + 1) % len(self.players)]
        return self.view["donkey"] == "difficult" and self.view["first_player"] in (self.player, after)

    def clear(self) -> list[Gesture]:
        """Put away everything but the pile."""
        return [Gesture("clear", zone) for zone in ("middle", *map(self.zone, self.players))]

    def doubt(self) -> float:
        """Estimate how likely the donkey is overloaded, from what this player may know."""
        over = sum(self._overloaded(self._imagined()) for _ in range(GUESSES))
        return over / GUESSES

    def under(self, other: str) -> int:
        """Return the load of another player that this player looks at next."""
        looked = sum(name == other for name, _ in self.cards.looked[self.player])
        return self.cards.loads()[other][looked]

    def _imagined(self) -> dict[str, list[int]]:
        known = set(self.cards.looked[self.player])
        return {
            name: [
                value
                if name == self.player or name in self.cards.up or (name, place) in known
                else self.rng.choice([one for one in VALUES if one not in self.cards.public[name]])
                for place, value in enumerate(values)
            ]
            for name, values in self.cards.loads().items()
        }

    def _overloaded(self, loads: Mapping[str, Sequence[int]]) -> bool:
        values = [value for own in loads.values() for value in own]
        if self.view["donkey"] == "attacked":
            values = [value for value in values if value < max(values)]
        if self.view["donkey"] == "hand_picked":
            values = [value for value in values if values.count(value) == 1]
        if self.view["spread_limit"] is not None:
            return max(values) - min(values) > int(self.view["spread_limit"])
        return sum(values) > int(self.view["capacity"])

    def decision(self) -> bool:
        """Tell whether this player has accepted the contract."""
        return bool(self.view["players"][self.players.index(self.player)]["decision"])
