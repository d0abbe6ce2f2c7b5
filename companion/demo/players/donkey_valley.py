"""Simulated players of Donkey Valley: they load what they dare, estimate honestly, and spend a
favour now and then.

They use what they may know: their own loads, what lies face up, what they looked at and what is
gone, never the others' hidden loads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations, product

import msgspec

from companion.demo.card_players import CardPlayers
from companion.demo.deeds import Deed, Gesture
from companion.demo.players.donkey_valley_cards import RealCards, SwapCards
from companion.demo.players.donkey_valley_hour import Hour
from companion.rules.acts import Act
from companion.rules.contract import Choice, Request, Text, View
from companion.rules.donkey_valley import moves as ask
from companion.rules.donkey_valley import moves as fact
from companion.rules.donkey_valley.cards import COLOURS, FAVOURS, Card
from companion.rules.donkey_valley.table import key_of


class Players(CardPlayers[RealCards]):
    """All players of one game of Donkey Valley. See `companion.demo.deeds.Players`."""

    cards = RealCards

    def turn(self, table: RealCards, acts: Sequence[Act], view: View) -> Deed:
        """Do what is due in this hour."""
        turn = view["waiting_for"][0]
        hour = _Deeds(table, view, turn["player"], len(acts))
        return _after_return(_DEEDS[turn["do"]](hour), hour, acts)

    def hand(self, acts: Sequence[Act], player: str) -> tuple[str, ...]:
        """Return the card ids in `player`'s hand."""
        table = self.table(acts)
        return tuple(table.load(player, value) for value in sorted(table.hands[player]))

    def wishes(
        self, acts: Sequence[Act], view: View, player: str, choices: Sequence[Choice]
    ) -> Sequence[Choice]:
        """Offer the menu with the real loads in hand and on the table. See `demo.deeds.Players`."""
        hour = _Deeds(self.table(acts), view, player, len(acts))
        wishes = [wish for choice in choices for wish in _wishes(choice, hour)]
        peeks = any(isinstance(choice.request, ask.Peek) for choice in choices)
        return [*wishes, Choice(Text("choice.peeks_done"), ask.PeeksDone(), "d")] if peeks else wishes

    def deed(self, acts: Sequence[Act], view: View, wish: Request) -> Deed:
        """Return what the hand does for a person's wish. See `companion.demo.deeds.Players`."""
        player = getattr(wish, "player", None)
        hour = _Deeds(self.table(acts), view, player, len(acts))
        return _after_return(hour.wished(wish), hour, acts)


class _Deeds(Hour):
    """What the hands do for each request, chosen by the player or wished by a person."""

    def donkey(self) -> Deed:
        """Put the last round's cards away and turn up the next donkey."""
        return self.turned_up(self.cards.pile[self.cards.revealed])

    def turned_up(self, donkey: str) -> Deed:
        return self.seen(ask.Donkey(donkey), *self.clear(), Gesture("lay", "middle", f"donkey:{donkey}"))

    def load(self) -> Deed:
        if self.due_face_up():
            (value,) = self.cards.choose_loads(self.player, 1)
            return self.loaded([value], face_up=True)
        if not self.doubled():
            return self.loaded(self.cards.choose_loads(self.player, 1))
        count = 2 if self.options["double_loads"] == "must" or self.rng.random() < 0.6 else 1
        return self.loaded(self.cards.choose_loads(self.player, count))

    def loaded(self, values: Sequence[int], *, face_up: bool = False) -> Deed:
        """Lay these loads; on a double the button says that there is no second."""
        if face_up:
            return self.seen(ask.Load(self.player, 1, tuple(values)), *map(self.lay, values))
        laid = [self.lay(value, "down") for value in values]
        alone = self.doubled() and len(values) == 1
        pressed = [Gesture("press", self.zone(self.player), "accept")] if alone else []
        return self.seen(ask.Load(self.player, len(values)), *laid, *pressed)

    def favour(self) -> Deed:
        """Spend a favour in one round of four, the earlier ones of the even loads in hand being as
        good as the later ones."""
        even = [value for value in self.cards.hands[self.player] if value in FAVOURS]
        if not even or self.rng.random() > 0.25:
            return self.said(ask.NoFavour(self.player))
        return self.favoured(self.rng.choice(even))

    def favoured(self, value: int) -> Deed:
        return self.seen(ask.Favour(self.player, value), self.lay(value))

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
        return self.decided(accept=self.doubt() + self.rng.gauss(0, 0.12) < 0.5)

    def decided(self, *, accept: bool) -> Deed:
        face = f"contract:{COLOURS[self.players.index(self.player)]}:{'accept' if accept else 'refuse'}"
        gesture = Gesture("lay", self.zone(self.player), face)
        return self.seen(ask.Decide(self.player, accept), gesture)

    def adjust(self) -> Deed:
        return self.said(ask.Adjust(self.player, 2 if self.decision() else -2))

    def swap_load(self) -> Deed:
        """Change the load when the card that would come suits the decision better."""
        if not self.cards.hands[self.player]:
            return self.said(ask.SwapLoad(self.player, swap=False))
        old, new = self.cards.swap(self.player)
        if (new < old) != self.decision():
            return self.said(ask.SwapLoad(self.player, swap=False))
        return self.swapped(old, new)

    def swapped(self, old: int, new: int) -> Deed:
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
        return self.exchanged(partner, own, best)

    def exchanged(self, partner: str, own: Card, best: Card) -> Deed:
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

    def wished(self, wish: Request) -> Deed:
        """Do what a person chose."""
        match wish:
            case ask.Donkey(type=donkey):
                return self.turned_up(donkey)
            case ask.Load(values=values) if values:
                return self.loaded(values, face_up=self.due_face_up())
            case ask.Favour(card=card):
                return self.favoured(card)
            case ask.Decide(accept=accept):
                return self.decided(accept=accept)
            case SwapCards(old=old, new=new):
                return self.swapped(old, new)
            case ask.Reveal():
                return self.reveal()
            case ask.Exchange(with_=str(partner), give=give, take=take):
                held = {name: {card.value: card for card in cards} for name, cards in self.cards.held.items()}
                return self.exchanged(partner, held[self.player][give or 0], held[partner][take or 0])
            case ask.Choose(card=Card() as card) | ask.Draw(card=card):
                return self._take(wish, card)
            case ask.DrawDonkey():
                return Deed(None, wish, tuple(self.clear()))
            case ask.PeeksDone():
                return Deed(None, wish)
            case ask.Peek(at=at):
                told = Text("demo.peeked", {"player": at[0], "value": self.under(at[0])})
                return msgspec.structs.replace(self.said(wish), told=told)
            case _:
                return self.said(wish)

    def _take(self, request: Request, card: Card) -> Deed:
        """Move a load to its taker's seat; one's own stays, so that it has to be said."""
        if card.owner == self.player:
            return self.said(request)
        name = self.card(card.owner, card.value)
        take = Gesture("take", self.zone(card.owner), name)
        return self.seen(request, take, Gesture("lay", self.zone(self.player), name))


_DEEDS: Mapping[str, Callable[[_Deeds], Deed]] = {
    "donkey": _Deeds.donkey,
    "load": _Deeds.load,
    "favour": _Deeds.favour,
    "peek": _Deeds.peek,
    "peeks_done": _Deeds.peeks_done,
    "decide": _Deeds.decide,
    "adjust": _Deeds.adjust,
    "swap_load": _Deeds.swap_load,
    "reveal": _Deeds.reveal,
    "exchange": _Deeds.exchange,
    "choose": _Deeds.choose,
    "draw": _Deeds.draw,
}


def _after_return(deed: Deed, hour: _Deeds, acts: Sequence[Act]) -> Deed:
    """Lay a lost donkey back first, if it has just returned."""
    returned = bool(acts) and any(isinstance(event, fact.DonkeyReturned) for event in acts[-1].events)
    return msgspec.structs.replace(deed, gestures=(*hour.returning(), *deed.gestures)) if returned else deed


def _wishes(choice: Choice, hour: _Deeds) -> Iterator[Choice]:
    """Put a choice of the menu as what a person may do with the real cards."""
    player, hand = hour.player, sorted(hour.cards.hands[hour.player])
    match choice.request:
        case ask.Load(values=None, count=count):
            for values in combinations(hand, count):
                words = Text("demo.lay", {"values": values}, count)
                yield Choice(words, ask.Load(player, count, values), "".join(map(key_of, values)))
        case ask.Load(values=(value,)) | ask.Favour(card=value):
            if value in hand:
                yield choice
        case ask.SwapLoad(swap=True):
            for old, new in product(hour.cards.loads()[player], hand):
                if choice.request.value in (None, new):
                    yield Choice(Text("demo.swap", {"old": old, "new": new}), SwapCards(player, old, new))
        case ask.Reveal(values=values, overrule=overrule):
            if not overrule and sorted(values) == sorted(hour.cards.down[player]):
                yield choice
        case _:
            yield choice
