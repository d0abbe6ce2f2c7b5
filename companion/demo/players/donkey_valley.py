"""Simulated players of Donkey Valley: they load what they dare, estimate honestly, and spend a favour now and then.

They use what they may know: their own loads, what lies face up, what they looked at and what is gone, never the others' hidden loads.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence

import msgspec

from companion.demo.deeds import Deed, Gesture
from companion.demo.donkey_valley_cards import RealCards
from companion.rules.contract import Request, Setup, View
from companion.rules.donkey_valley import events as fact
from companion.rules.donkey_valley import requests as ask
from companion.rules.donkey_valley.cards import COLOURS, FAVOURS, VALUES, Card
from companion.rules.session import Act

GUESSES = 48
"""How many times a player imagines the loads that are hidden before deciding."""


class Players:
    """All players of one game of Donkey Valley. See `companion.demo.deeds.Players`."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup

    def next(self, acts: Sequence[Act], view: View) -> Deed | None:
        """Return the next deed, or None when the game is over."""
        if not view["waiting_for"]:
            return None
        turn = view["waiting_for"][0]
        hour = _Hour(self.setup, self._cards(acts), view, turn["player"], len(acts))
        deed = _DEEDS[turn["do"]](hour)
        returned = bool(acts) and any(isinstance(event, fact.DonkeyReturned) for event in acts[-1].events)
        return (
            msgspec.structs.replace(deed, gestures=(*hour.returning(), *deed.gestures)) if returned else deed
        )

    def hand(self, acts: Sequence[Act], player: str) -> tuple[str, ...]:
        """Return the card ids in `player`'s hand."""
        seat = self.setup.players.index(player)
        return tuple(f"load:{COLOURS[seat]}:{value}" for value in sorted(self._cards(acts).hands[player]))

    def _cards(self, acts: Sequence[Act]) -> RealCards:
        cards = RealCards(self.setup)
        for act in acts:
            for event in act.events:
                cards.follow(event)
        return cards


class _Hour:
    """One moment: the cards, the view, whose turn it is, and chance."""

    def __init__(self, setup: Setup, cards: RealCards, view: View, player: str | None, number: int) -> None:
        self.players = setup.players
        self.options = setup.options
        self.cards = cards
        self.view = view
        self.player = player or ""
        self.rng: random.Random = setup.rng("demo", "hour", number)

    def zone(self, player: str) -> str:
        return f"seat:{self.players.index(player) + 1}"

    def card(self, player: str, value: int) -> str:
        return f"load:{COLOURS[self.players.index(player)]}:{value}"

    def said(self, request: Request, *gestures: Gesture) -> Deed:
        return Deed(self.player or None, request, gestures)

    def seen(self, request: Request, *gestures: Gesture) -> Deed:
        return Deed(self.player or None, request, gestures, seen=True)

    def lay(self, value: int, face: str = "up") -> Gesture:
        zone, card = self.zone(self.player), self.card(self.player, value)
        return Gesture("lay", zone, card, "up" if face == "up" else "down")

    def donkey(self) -> Deed:
        """Put the last round's cards away and turn up the next donkey."""
        donkey = self.cards.pile[self.cards.revealed]
        return self.seen(ask.Donkey(donkey), *self.clear(), Gesture("lay", "middle", f"donkey:{donkey}"))

    def load(self) -> Deed:
        first = self.view["first_player"] == self.player
        last = self.players[(self.players.index(self.player) + 1) % len(self.players)]
        if self.view["donkey"] == "difficult" and (first or last == self.view["first_player"]):
            (value,) = self.cards.choose_loads(self.player, 1)
            return self.seen(ask.Load(self.player, 1, (value,)), self.lay(value))
        doubled = self.view["donkey"] == "double" and self.view["capacity"] == 10 * len(self.players)
        if not doubled:
            (value,) = self.cards.choose_loads(self.player, 1)
            return self.seen(ask.Load(self.player), self.lay(value, "down"))
        count = 2 if self.options["double_loads"] == "must" or self.rng.random() < 0.6 else 1
        laid = [self.lay(value, "down") for value in self.cards.choose_loads(self.player, count)]
        pressed = [Gesture("press", self.zone(self.player), "accept")] if count == 1 else []
        return self.seen(ask.Load(self.player, count), *laid, *pressed)

    def favour(self) -> Deed:
        """Spend a favour in one round of four, the earlier ones of the even loads in hand being as good as the later ones."""
        even = [value for value in self.cards.hands[self.player] if value in FAVOURS]
        if not even or self.rng.random() > 0.25:
            return self.said(ask.NoFavour(self.player))
        value = self.rng.choice(even)
        return self.seen(ask.Favour(self.player, value), self.lay(value))

    def clear(self) -> list[Gesture]:
        return [Gesture("clear", zone) for zone in ("middle", *map(self.zone, self.players))]

    def returning(self) -> list[Gesture]:
        """Lay a lost donkey that has just returned back on the table, with its loads."""
        loads = [
            Gesture("lay", self.zone(name), self.card(name, value), "down")
            for name, values in self.cards.down.items()
            for value in values
        ]
        return [*self.clear(), Gesture("lay", "middle", "donkey:lost"), *loads]

    def peek(self) -> Deed:
        looked = self.cards.looked[self.player]
        loads = self.cards.loads()
        entitled = (self.view["donkey"] == "holed") - len(looked)
        if self.cards.favour.get(self.player) == 10:
            entitled += sum(map(len, loads.values())) // 2
        hidden = [
            name
            for name, values in loads.items()
            if name != self.player and name not in self.cards.up
            for _ in values[sum(name == other for other, _ in looked) :]
        ]
        if not hidden:
            return Deed(None, ask.PeeksDone())
        return self.said(ask.Peek(self.player, tuple(self.rng.sample(hidden, min(entitled, len(hidden))))))

    def peeks_done(self) -> Deed:
        return Deed(None, ask.PeeksDone())

    def decide(self) -> Deed:
        accept = self.doubt() + self.rng.gauss(0, 0.12) < 0.5
        face = f"contract:{COLOURS[self.players.index(self.player)]}:{'accept' if accept else 'refuse'}"
        gesture = Gesture("lay", self.zone(self.player), face)
        return self.seen(ask.Decide(self.player, accept), gesture)

    def doubt(self) -> float:
        """Estimate how likely the donkey is overloaded, from what this player may know."""
        over = sum(self._overloaded(self._imagined()) for _ in range(GUESSES))
        return over / GUESSES

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
        return bool(self.view["players"][self.players.index(self.player)]["decision"])

    def adjust(self) -> Deed:
        return self.said(ask.Adjust(self.player, 2 if self.decision() else -2))

    def swap_load(self) -> Deed:
        """Change the load when the card that would come suits the decision better."""
        if not self.cards.hands[self.player]:
            return self.said(ask.SwapLoad(self.player, swap=False))
        old, new = self.cards.swap(self.player)
        if (new < old) != self.decision():
            return self.said(ask.SwapLoad(self.player, swap=False))
        up = self.player in self.cards.up
        request = ask.SwapLoad(self.player, swap=True, value=new if up else None)
        take = Gesture("take", self.zone(self.player), self.card(self.player, old))
        lay = self.lay(new, "up" if up else "down")
        return self.said(request, take, lay) if self.cards.returned else self.seen(request, take, lay)

    def reveal(self) -> Deed:
        values = self.cards.down[self.player]
        zone = self.zone(self.player)
        turned = [Gesture("turn", zone, self.card(self.player, value)) for value in values]
        return self.seen(ask.Reveal(self.player, tuple(values)), *turned)

    def exchange(self) -> Deed:
        """Take the highest load that another player holds, for the lowest of one's own."""
        own = min(self.cards.held[self.player], key=lambda card: card.value)
        others = [
            (card.value, name, card)
            for name, cards in self.cards.held.items()
            if name != self.player
            for card in cards
        ]
        value, partner, best = max(others, key=lambda other: other[0], default=(0, "", own))
        if value <= own.value:
            return self.said(ask.Exchange(self.player, None))
        mine, theirs = self.zone(self.player), self.zone(partner)
        own_id, best_id = self.card(own.owner, own.value), self.card(best.owner, best.value)
        gestures = (
            Gesture("take", mine, own_id),
            Gesture("take", theirs, best_id),
            Gesture("lay", mine, best_id),
            Gesture("lay", theirs, own_id),
        )
        request = ask.Exchange(self.player, partner, own.value, best.value)
        plain = own.owner == self.player and best.owner == partner
        return self.seen(request, *gestures) if plain else self.said(request, *gestures)

    def choose(self) -> Deed:
        best = max(self.cards.pool, key=lambda card: card.value)
        return self._take(ask.Choose(self.player, best), best)

    def draw(self) -> Deed:
        drawn = self.rng.choice(self.cards.pool)
        return self._take(ask.Draw(self.player, drawn), drawn)

    def _take(self, request: Request, card: Card) -> Deed:
        """Move a load to the seat of the player who takes it; one's own stays where it is, so that it has to be said."""
        if card.owner == self.player:
            return self.said(request)
        name = self.card(card.owner, card.value)
        take = Gesture("take", self.zone(card.owner), name)
        return self.seen(request, take, Gesture("lay", self.zone(self.player), name))


_DEEDS: Mapping[str, Callable[[_Hour], Deed]] = {
    "donkey": _Hour.donkey,
    "load": _Hour.load,
    "favour": _Hour.favour,
    "peek": _Hour.peek,
    "peeks_done": _Hour.peeks_done,
    "decide": _Hour.decide,
    "adjust": _Hour.adjust,
    "swap_load": _Hour.swap_load,
    "reveal": _Hour.reveal,
    "exchange": _Hour.exchange,
    "choose": _Hour.choose,
    "draw": _Hour.draw,
}
