"""Simulated players of Donkey Valley: they load what they dare, estimate honestly, and spend a
favour now and then.

They use only what they may know: their own loads, those that lie face up, those they looked at and
those that are gone. The real cards (`RealCards`), which the referee does not know, are rebuilt from
the events; an `_Agent` is one player's knowledge of them at one moment, from which the player
estimates whether the donkey is overloaded, by guessing the hidden loads many times.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, product

import msgspec

from companion.demo.actions import CardPlayers, Gesture, PlayerAction, TableCards
from companion.games.donkey_valley import moves as ask
from companion.games.donkey_valley import moves as fact
from companion.games.donkey_valley.cards import COLOURS, FAVOURS, ROUNDS, VALUES, Card
from companion.games.donkey_valley.table import key_for_value
from companion.rules.acts import Act
from companion.rules.contract import Choice, Request, Setup, Text, View

BOX = {
    "normal": 3,
    "giant": 2,
    "puny": 2,
    "precision": 2,
    "hurried": 2,
    "holed": 2,
    "attacked": 2,
    "lost": 1,
    "double": 1,
    "stubborn": 1,
    "difficult": 1,
    "hand_picked": 1,
}
"""The donkeys in the box, as in our own deck; the option `donkey_copies` takes precedence."""


class SwapCards(Request, frozen=True):
    """A person's choice at the demo table: favour 4, with the loads that nobody else sees."""

    player: str
    old: int
    new: int


class RealCards(TableCards):
    """The real cards after the acts so far."""

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        box = setup.options["donkey_copies"] or BOX
        pile = [donkey for donkey in BOX for _ in range(box.get(donkey, 0))]
        self.pile = setup.make_rng("demo", "donkeys").sample(pile, ROUNDS)
        self.revealed = 0
        self.donkey = ""
        self.hands = {name: list(VALUES) for name in setup.players}
        self.public = {name: set[int]() for name in setup.players}
        self.laid = dict.fromkeys(setup.players, 0)
        self.aside: list[dict[str, list[int]]] = []
        self.start_donkey("")

    def start_donkey(self, donkey: str) -> None:
        """Clear the table for the next donkey."""
        self.donkey = donkey
        self.returned = False
        self.down: dict[str, list[int]] = {name: [] for name in self.setup.players}
        self.up: dict[str, int] = {}
        self.favour: dict[str, int] = {}
        self.looked: dict[str, list[tuple[str, int]]] = {name: [] for name in self.setup.players}
        self.pool: list[Card] = []
        self.held: dict[str, list[Card]] = {name: [] for name in self.setup.players}

    def format_load_id(self, player: str, value: int) -> str:
        """Return the id of the player's load card."""
        return f"load:{COLOURS[self.find_seat_index(player)]}:{value}"

    def list_loads(self) -> dict[str, list[int]]:
        """Return every player's real loads on the table."""
        return {
            name: [*([self.up[name]] if name in self.up else []), *down] for name, down in self.down.items()
        }

    def choose_load(self, player: str, number: int) -> int:
        """Choose the load that the player lays as their load number `number` of the game: sometimes
        bold, sometimes cautious."""
        # By purpose and number: a player asked again (after an undo) lays the same load.
        rng = self.setup.make_rng("demo", "load", player, number)
        hand = self.hands[player]
        bold = rng.random() < 0.5
        return rng.choices(hand, [value if bold else 11 - value for value in hand])[0]

    def choose_loads(self, player: str, count: int) -> list[int]:
        """Choose the loads that the player lays, without laying them."""
        # The hand is put back below: choosing must not change what the hand holds.
        kept = list(self.hands[player])
        chosen = []
        for step in range(count):
            chosen.append(self.choose_load(player, self.laid[player] + step))
            self.hands[player].remove(chosen[-1])
        self.hands[player] = kept
        return chosen

    def _on_donkey_revealed(self, event: fact.DonkeyRevealed) -> None:
        self.start_donkey(event.donkey)
        self.revealed += 1

    def _on_load_played(self, event: fact.LoadPlayed) -> None:
        values = (
            list(event.values)
            # In this order: what lies open is known; then what the person chose; else the player's
            # own choice.
            or self._list_wished_loads(event.player, event.count)
            or self.choose_loads(event.player, event.count)
        )
        self.laid[event.player] += event.count
        self._remove_from_hand(event.player, values)
        if event.values:
            self.up[event.player] = event.values[0]
        else:
            self.down[event.player] = values

    def _list_wished_loads(self, player: str, count: int) -> list[int]:
        """Return the loads that the person at this seat chose to lay; [] if nobody did."""
        wish = self.wish
        values = list(wish.values or ()) if isinstance(wish, ask.Load) and wish.player == player else []
        return values if len(values) == count and set(values) <= set(self.hands[player]) else []

    def _on_donkey_set_aside(self, _event: fact.DonkeySetAside) -> None:
        # The favours of that round are spent; the loads lie under the donkey until it returns.
        self.aside.append(self.down)
        self.start_donkey("")

    def _on_donkey_returned(self, _event: fact.DonkeyReturned) -> None:
        back = self.aside.pop(0)
        self.start_donkey("lost")
        self.down, self.returned = back, True

    def _on_favour_used(self, event: fact.FavourUsed) -> None:
        self._remove_from_hand(event.player, [event.card])
        self.public[event.player].add(event.card)
        self.favour[event.player] = event.card

    def _on_loads_looked_at(self, event: fact.LoadsLookedAt) -> None:
        seen = self.looked[event.player]
        for other in event.at:
            seen.append((other, sum(name == other for name, _ in seen)))

    def _on_load_swapped(self, event: fact.LoadSwapped) -> None:
        player, wish = event.player, self.wish
        old, new = self.choose_swap(player) if event.value is None else (self.up[player], event.value)
        if event.value is None and isinstance(wish, SwapCards) and wish.player == player:
            old, new = wish.old, wish.new
        self._remove_from_hand(player, [new])
        self.hands[player].append(old)
        if event.value is not None:
            self.up[player] = new
        else:
            self.down[player] = [*(value for value in self.down[player] if value != old), new]

    def choose_swap(self, player: str) -> tuple[int, int]:
        """Choose the load that the player changes for which other after favour 4; both at
        random."""
        rng = self.setup.make_rng("demo", "swap", player, self.revealed)
        loads = self.list_loads()[player]
        return rng.choice(loads), rng.choice(self.hands[player])

    def _on_loads_revealed(self, event: fact.LoadsRevealed) -> None:
        player = event.player
        # The real cards follow what was said, also where a person revealed other loads than were
        # chosen.
        self.hands[player] += self.down[player]
        self.down[player] = list(event.values)
        self._remove_from_hand(player, event.values)

    def _on_loads_weighed(self, event: fact.LoadsWeighed) -> None:
        for name, values in self.list_loads().items():
            self.public[name].update(values)
            self.held[name] = [card for value in values if (card := Card(name, value)) not in event.removed]
        self.pool = [card for cards in self.held.values() for card in cards]

    def _on_loads_exchanged(self, event: fact.LoadsExchanged) -> None:
        for name, old, new in (
            (event.player, event.given, event.taken),
            (event.partner, event.taken, event.given),
        ):
            self.held[name] = [new if card == old else card for card in self.held[name]]

    def _on_load_chosen(self, event: fact.LoadChosen) -> None:
        self.pool.remove(event.card)

    def _on_loads_drawn(self, event: fact.LoadsDrawn) -> None:
        for draft in event.draws:
            self.pool.remove(draft.card)

    def _remove_from_hand(self, player: str, values: Iterable[int]) -> None:
        """Remove values from a hand; a value that is not in it is ignored."""
        for value in values:
            if value in self.hands[player]:
                self.hands[player].remove(value)

    moves = {
        fact.DonkeyRevealed: _on_donkey_revealed,
        fact.LoadPlayed: _on_load_played,
        fact.DonkeySetAside: _on_donkey_set_aside,
        fact.DonkeyReturned: _on_donkey_returned,
        fact.FavourUsed: _on_favour_used,
        fact.LoadsLookedAt: _on_loads_looked_at,
        fact.LoadSwapped: _on_load_swapped,
        fact.LoadsRevealed: _on_loads_revealed,
        fact.LoadsWeighed: _on_loads_weighed,
        fact.LoadsExchanged: _on_loads_exchanged,
        fact.LoadChosen: _on_load_chosen,
        fact.LoadsDrawn: _on_loads_drawn,
    }


GUESSES = 48
"""The number of random guesses at the hidden loads before a decision."""


class _Agent:
    """A player at one moment: the cards, the view and a random generator. It holds what the player
    knows and guesses, and the gestures for each request, chosen by the player or by a person."""

    def __init__(self, cards: RealCards, view: View, player: str | None, number: int) -> None:
        self.players = cards.players
        self.options = cards.setup.options
        self.cards = cards
        self.view = view
        self.player = player or ""
        # By the number of acts: asked once more (`director.retrace_gestures`), a player does the
        # same.
        self.rng: random.Random = cards.setup.make_rng("demo", "hour", number)

    def zone_of(self, player: str) -> str:
        """Return the player's seat zone on the table."""
        return self.cards.find_zone(player)

    def format_load_id(self, player: str, value: int) -> str:
        """Return the id of the player's load."""
        return self.cards.format_load_id(player, value)

    def act_aloud(self, request: Request, *gestures: Gesture) -> PlayerAction:
        """Return an action that must be said aloud, since no reader can interpret the gestures."""
        return PlayerAction(self.player or None, request, gestures)

    def act_visibly(self, request: Request, *gestures: Gesture) -> PlayerAction:
        """Return an action that readers can interpret."""
        return PlayerAction(self.player or None, request, gestures, seen_by_readers=True)

    def build_lay_gesture(self, value: int, face: str = "up") -> Gesture:
        """Return the gesture of laying one of the player's own loads in front of them."""
        zone, card = self.zone_of(self.player), self.format_load_id(self.player, value)
        return Gesture("lay", zone, card, "up" if face == "up" else "down")

    def can_lay_two(self) -> bool:
        """Tell whether two loads may be laid: on a double that is not void (DV-38)."""
        # A void double has a normal donkey's capacity, but then no second load is allowed.
        return bool(self.view["donkey"] == "double" and self.view["capacity"] == 10 * len(self.players))

    def must_lay_face_up(self) -> bool:
        """Tell whether this player lays the load face up: the first and the last do on a difficult
        donkey (DV-40)."""
        after = self.players[(self.players.index(self.player) + 1) % len(self.players)]
        return self.view["donkey"] == "difficult" and self.view["first_player"] in (self.player, after)

    def build_clear_gestures(self) -> list[Gesture]:
        """Return the gestures that clear everything but the pile."""
        return [Gesture("clear", zone) for zone in ("middle", *map(self.zone_of, self.players))]

    def estimate_overload(self) -> float:
        """Estimate the chance, 0 to 1, that the donkey is overloaded, from what this player may
        know."""
        over = sum(self._is_overloaded(self._imagine_loads()) for _ in range(GUESSES))
        return over / GUESSES

    def next_peeked_load(self, other: str) -> int:
        """Return the load of another player that this player looks at next."""
        looked = sum(name == other for name, _ in self.cards.looked[self.player])
        return self.cards.list_loads()[other][looked]

    def _imagine_loads(self) -> dict[str, list[int]]:
        # Loads this player looked at are known, all others of the hidden ones are guessed.
        known = set(self.cards.looked[self.player])
        return {
            name: [
                value
                if name == self.player or name in self.cards.up or (name, place) in known
                else self.rng.choice([one for one in VALUES if one not in self.cards.public[name]])
                for place, value in enumerate(values)
            ]
            for name, values in self.cards.list_loads().items()
        }

    def _is_overloaded(self, loads: Mapping[str, Sequence[int]]) -> bool:
        values = [value for own in loads.values() for value in own]
        if self.view["donkey"] == "attacked":
            values = [value for value in values if value < max(values)]
        if self.view["donkey"] == "hand_picked":
            values = [value for value in values if values.count(value) == 1]
        if self.view["spread_limit"] is not None:
            return max(values) - min(values) > int(self.view["spread_limit"])
        return sum(values) > int(self.view["capacity"])

    def has_accepted(self) -> bool:
        """Tell whether this player has accepted the contract."""
        return bool(self.view["players"][self.players.index(self.player)]["decision"])

    def choose_donkey(self) -> PlayerAction:
        """Put the last round's cards away and turn up the next donkey."""
        return self.turn_up_donkey(self.cards.pile[self.cards.revealed])

    def turn_up_donkey(self, donkey: str) -> PlayerAction:
        return self.act_visibly(
            ask.Donkey(donkey), *self.build_clear_gestures(), Gesture("lay", "middle", f"donkey:{donkey}")
        )

    def choose_loads(self) -> PlayerAction:
        if self.must_lay_face_up():
            (value,) = self.cards.choose_loads(self.player, 1)
            return self.lay_loads([value], face_up=True)
        if not self.can_lay_two():
            return self.lay_loads(self.cards.choose_loads(self.player, 1))
        count = 2 if self.options["double_loads"] == "must" or self.rng.random() < 0.6 else 1
        return self.lay_loads(self.cards.choose_loads(self.player, count))

    def lay_loads(self, values: Sequence[int], *, face_up: bool = False) -> PlayerAction:
        """Lay these loads; on a double the button says that there is no second."""
        if face_up:
            return self.act_visibly(
                ask.Load(self.player, 1, tuple(values)), *map(self.build_lay_gesture, values)
            )
        laid = [self.build_lay_gesture(value, "down") for value in values]
        # One load on a double may be the first of two: the button ends it.
        alone = self.can_lay_two() and len(values) == 1
        pressed = [Gesture("press", self.zone_of(self.player), "accept")] if alone else []
        return self.act_visibly(ask.Load(self.player, len(values)), *laid, *pressed)

    def choose_favour(self) -> PlayerAction:
        """Use a favour in one round of four, by any of the even loads in hand."""
        even = [value for value in self.cards.hands[self.player] if value in FAVOURS]
        if not even or self.rng.random() > 0.25:
            return self.act_aloud(ask.NoFavour(self.player))
        return self.spend_favour(self.rng.choice(even))

    def spend_favour(self, value: int) -> PlayerAction:
        return self.act_visibly(ask.Favour(self.player, value), self.build_lay_gesture(value))

    def build_gestures_to_lay_lost_donkey(self) -> list[Gesture]:
        """Lay a lost donkey that has just returned back on the table, with its loads."""
        loads = [
            Gesture("lay", self.zone_of(name), self.format_load_id(name, value), "down")
            for name, values in self.cards.down.items()
            for value in values
        ]
        return [*self.build_clear_gestures(), Gesture("lay", "middle", "donkey:lost"), *loads]

    def choose_peeks(self) -> PlayerAction:
        looked = self.cards.looked[self.player]
        loads = self.cards.list_loads()
        # A holed donkey allows one look, favour 10 half of the loads besides (DV-14).
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
            return PlayerAction(None, ask.PeeksDone())
        return self.act_aloud(
            ask.Peek(self.player, tuple(self.rng.sample(hidden, min(entitled, len(hidden)))))
        )

    def finish_peeks(self) -> PlayerAction:
        return PlayerAction(None, ask.PeeksDone())

    def choose_decision(self) -> PlayerAction:
        return self.answer_contract(accept=self.estimate_overload() + self.rng.gauss(0, 0.12) < 0.5)

    def answer_contract(self, *, accept: bool) -> PlayerAction:
        face = f"contract:{COLOURS[self.players.index(self.player)]}:{'accept' if accept else 'refuse'}"
        gesture = Gesture("lay", self.zone_of(self.player), face)
        return self.act_visibly(ask.Decide(self.player, accept), gesture)

    def choose_adjustment(self) -> PlayerAction:
        return self.act_aloud(ask.Adjust(self.player, 2 if self.has_accepted() else -2))

    def choose_swap(self) -> PlayerAction:
        """Exchange the load if the new card suits the decision better."""
        if not self.cards.hands[self.player]:
            return self.act_aloud(ask.SwapLoad(self.player, swap=False))
        old, new = self.cards.choose_swap(self.player)
        if (new < old) != self.has_accepted():
            return self.act_aloud(ask.SwapLoad(self.player, swap=False))
        return self.swap_loads(old, new)

    def swap_loads(self, old: int, new: int) -> PlayerAction:
        up = self.player in self.cards.up
        request = ask.SwapLoad(self.player, swap=True, value=new if up else None)
        take = Gesture("take", self.zone_of(self.player), self.format_load_id(self.player, old))
        lay = self.build_lay_gesture(new, "up" if up else "down")
        # A returned donkey's loads are new to the table: no reader can tell the exchange.
        return (
            self.act_aloud(request, take, lay)
            if self.cards.returned
            else self.act_visibly(request, take, lay)
        )

    def reveal_loads(self) -> PlayerAction:
        values = self.cards.down[self.player]
        zone = self.zone_of(self.player)
        turned = [Gesture("turn", zone, self.format_load_id(self.player, value)) for value in values]
        return self.act_visibly(ask.Reveal(self.player, tuple(values)), *turned)

    def choose_exchange(self) -> PlayerAction:
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
            return self.act_aloud(ask.Exchange(self.player, None))
        return self.exchange_loads(partner, own, best)

    def exchange_loads(self, partner: str, own: Card, best: Card) -> PlayerAction:
        mine, theirs = self.zone_of(self.player), self.zone_of(partner)
        own_id, best_id = (
            self.format_load_id(own.owner, own.value),
            self.format_load_id(best.owner, best.value),
        )
        gestures = (
            Gesture("take", mine, own_id),
            Gesture("take", theirs, best_id),
            Gesture("lay", mine, best_id),
            Gesture("lay", theirs, own_id),
        )
        request = ask.Exchange(self.player, partner, own.value, best.value)
        # A load that has changed hands before lies at another seat than its colour: it must be
        # said.
        plain = own.owner == self.player and best.owner == partner
        return self.act_visibly(request, *gestures) if plain else self.act_aloud(request, *gestures)

    def choose_from_pool(self) -> PlayerAction:
        best = max(self.cards.pool, key=lambda card: card.value)
        return self._take_load(ask.Choose(self.player, best), best)

    def draw_from_pool(self) -> PlayerAction:
        drawn = self.rng.choice(self.cards.pool)
        return self._take_load(ask.Draw(self.player, drawn), drawn)

    def count_won_loads(self) -> PlayerAction:
        """Enter a random result (DV-24)."""
        # The same generator for every player, so that no load is with two of them.
        rng = self.cards.setup.make_rng("demo", "told")
        loads = [value for value in VALUES for _ in self.players]
        rng.shuffle(loads)
        counts = [rng.randint(0, ROUNDS) for _ in self.players]
        seat = self.players.index(self.player)
        begin = sum(counts[:seat])
        return self.act_aloud(ask.ScoreLoads(self.player, tuple(loads[begin : begin + counts[seat]])))

    def fulfil_wish(self, wish: Request) -> PlayerAction:
        """Carry out a person's choice."""
        match wish:
            case ask.Donkey(type=donkey):
                return self.turn_up_donkey(donkey)
            case ask.Load(values=values) if values:
                return self.lay_loads(values, face_up=self.must_lay_face_up())
            case ask.Favour(card=card):
                return self.spend_favour(card)
            case ask.Decide(accept=accept):
                return self.answer_contract(accept=accept)
            case SwapCards(old=old, new=new):
                return self.swap_loads(old, new)
            case ask.Reveal():
                return self.reveal_loads()
            case ask.Exchange(with_=str(partner), give=give, take=take):
                held = {name: {card.value: card for card in cards} for name, cards in self.cards.held.items()}
                return self.exchange_loads(partner, held[self.player][give or 0], held[partner][take or 0])
            case ask.Choose(card=Card() as card) | ask.Draw(card=card):
                return self._take_load(wish, card)
            case ask.DrawDonkey():
                return PlayerAction(None, wish, tuple(self.build_clear_gestures()))
            case ask.PeeksDone():
                return PlayerAction(None, wish)
            case ask.Peek(at=at):
                told = Text("demo.peeked", {"player": at[0], "value": self.next_peeked_load(at[0])})
                return msgspec.structs.replace(self.act_aloud(wish), told=told)
            case _:
                return self.act_aloud(wish)

    def _take_load(self, request: Request, card: Card) -> PlayerAction:
        """Move a load to its taker's seat. The taker's own load stays where it is, so that must be
        said aloud."""
        if card.owner == self.player:
            return self.act_aloud(request)
        name = self.format_load_id(card.owner, card.value)
        take = Gesture("take", self.zone_of(card.owner), name)
        return self.act_visibly(request, take, Gesture("lay", self.zone_of(self.player), name))


class Players(CardPlayers[RealCards]):
    """All players of one game of Donkey Valley. See `companion.demo.actions.SimulatedPlayers`."""

    cards = RealCards

    def choose_action(self, table: RealCards, acts: Sequence[Act], view: View) -> PlayerAction:
        """Carry out the request that is due."""
        turn = view["waiting_for"][0]
        agent = _Agent(table, view, turn["player"], len(acts))
        return _prepend_donkey_return(_ACTIONS[turn["do"]](agent), agent, acts)

    def list_hand(self, acts: Sequence[Act], player: str) -> tuple[str, ...]:
        """Return the card ids in `player`'s hand."""
        table = self.rebuild_table(acts)
        return tuple(table.format_load_id(player, value) for value in sorted(table.hands[player]))

    def list_playable_choices(
        self, acts: Sequence[Act], view: View, player: str, choices: Sequence[Choice]
    ) -> Sequence[Choice]:
        """Offer the menu with the real loads in hand and on the table. See
        `SimulatedPlayers`."""
        agent = _Agent(self.rebuild_table(acts), view, player, len(acts))
        wishes = [wish for choice in choices for wish in _generate_wishes(choice, agent)]
        peeks = any(isinstance(choice.request, ask.Peek) for choice in choices)
        if not peeks or view["phase"] != "peeks":
            return wishes
        return [*wishes, Choice(Text("choice.peeks_done"), ask.PeeksDone(), "d")]

    def plan_action(self, acts: Sequence[Act], view: View, wish: Request) -> PlayerAction:
        """Return what the hand does for a person's wish. See `SimulatedPlayers`."""
        player = getattr(wish, "player", None)
        agent = _Agent(self.rebuild_table(acts), view, player, len(acts))
        return _prepend_donkey_return(agent.fulfil_wish(wish), agent, acts)


_ACTIONS: Mapping[str, Callable[[_Agent], PlayerAction]] = {
    "donkey": _Agent.choose_donkey,
    "load": _Agent.choose_loads,
    "favour": _Agent.choose_favour,
    "peek": _Agent.choose_peeks,
    "peeks_done": _Agent.finish_peeks,
    "decide": _Agent.choose_decision,
    "adjust": _Agent.choose_adjustment,
    "swap_load": _Agent.choose_swap,
    "reveal": _Agent.reveal_loads,
    "exchange": _Agent.choose_exchange,
    "choose": _Agent.choose_from_pool,
    "draw": _Agent.draw_from_pool,
    "score": _Agent.count_won_loads,
}


def _prepend_donkey_return(action: PlayerAction, agent: _Agent, acts: Sequence[Act]) -> PlayerAction:
    """Put a lost donkey that has just returned back on the table before the action."""
    returned = bool(acts) and any(isinstance(event, fact.DonkeyReturned) for event in acts[-1].events)
    return (
        msgspec.structs.replace(
            action, gestures=(*agent.build_gestures_to_lay_lost_donkey(), *action.gestures)
        )
        if returned
        else action
    )


def _generate_wishes(choice: Choice, agent: _Agent) -> Iterator[Choice]:
    """Generate the forms of a menu's choice that are possible with the real cards."""
    player, hand = agent.player, sorted(agent.cards.hands[agent.player])
    match choice.request:
        case ask.Load(values=None, count=count):
            for values in combinations(hand, count):
                words = Text("demo.lay", {"values": values}, count)
                yield Choice(words, ask.Load(player, count, values), "".join(map(key_for_value, values)))
        case ask.Load(values=(value,)) | ask.Favour(card=value):
            if value in hand:
                yield choice
        case ask.SwapLoad(swap=True):
            for old, new in product(agent.cards.list_loads()[player], hand):
                if choice.request.value in (None, new):
                    yield Choice(Text("demo.swap", {"old": old, "new": new}), SwapCards(player, old, new))
        case ask.Reveal(values=values, overrule=overrule):
            if not overrule and sorted(values) == sorted(agent.cards.down[player]):
                yield choice
        case _:
            yield choice
