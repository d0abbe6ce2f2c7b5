"""The real cards of a simulated game of Donkey Valley, which the referee does not know: rebuilt
from the events that stand."""

from __future__ import annotations

from collections.abc import Iterable

from companion.demo.card_players import Cards
from companion.rules.contract import Request, Setup
from companion.rules.donkey_valley import moves as ask
from companion.rules.donkey_valley import moves as fact
from companion.rules.donkey_valley.cards import COLOURS, ROUNDS, VALUES, Card

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
    """A person's wish at the demo table: favour 4, with the loads that nobody else sees."""

    player: str
    old: int
    new: int


class RealCards(Cards):
    """The real cards after the acts so far."""

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        box = setup.options["donkey_copies"] or BOX
        pile = [donkey for donkey in BOX for _ in range(box.get(donkey, 0))]
        self.pile = setup.rng("demo", "donkeys").sample(pile, ROUNDS)
        self.revealed = 0
        self.donkey = ""
        self.hands = {name: list(VALUES) for name in setup.players}
        self.public = {name: set[int]() for name in setup.players}
        self.laid = dict.fromkeys(setup.players, 0)
        self.aside: list[dict[str, list[int]]] = []
        self.begin("")

    def begin(self, donkey: str) -> None:
        """Clear the table for the next donkey."""
        self.donkey = donkey
        self.returned = False
        self.down: dict[str, list[int]] = {name: [] for name in self.setup.players}
        self.up: dict[str, int] = {}
        self.favour: dict[str, int] = {}
        self.looked: dict[str, list[tuple[str, int]]] = {name: [] for name in self.setup.players}
        self.pool: list[Card] = []
        self.held: dict[str, list[Card]] = {name: [] for name in self.setup.players}

    def load(self, player: str, value: int) -> str:
        """Return the id of the player's load card."""
        return f"load:{COLOURS[self.seat(player)]}:{value}"

    def loads(self) -> dict[str, list[int]]:
        """Return every player's real loads on the table."""
        return {
            name: [*([self.up[name]] if name in self.up else []), *down] for name, down in self.down.items()
        }

    def choose_load(self, player: str, number: int) -> int:
        """Say which load the player lays as their load number `number` of the game: bold today,
        meek tomorrow."""
        rng = self.setup.rng("demo", "load", player, number)
        hand = self.hands[player]
        bold = rng.random() < 0.5
        return rng.choices(hand, [value if bold else 11 - value for value in hand])[0]

    def choose_loads(self, player: str, count: int) -> list[int]:
        """Say which loads the player lays, without laying them."""
        kept = list(self.hands[player])
        chosen = []
        for step in range(count):
            chosen.append(self.choose_load(player, self.laid[player] + step))
            self.hands[player].remove(chosen[-1])
        self.hands[player] = kept
        return chosen

    def _donkey_revealed(self, event: fact.DonkeyRevealed) -> None:
        self.begin(event.donkey)
        self.revealed += 1

    def _load_played(self, event: fact.LoadPlayed) -> None:
        values = (
            list(event.values)
            or self._wished(event.player, event.count)
            or self.choose_loads(event.player, event.count)
        )
        self.laid[event.player] += event.count
        self._leave_hand(event.player, values)
        if event.values:
            self.up[event.player] = event.values[0]
        else:
            self.down[event.player] = values

    def _wished(self, player: str, count: int) -> list[int]:
        """Return the loads that the person at this seat chose to lay; none where nobody did."""
        wish = self.wish
        values = list(wish.values or ()) if isinstance(wish, ask.Load) and wish.player == player else []
        return values if len(values) == count and set(values) <= set(self.hands[player]) else []

    def _donkey_set_aside(self, _event: fact.DonkeySetAside) -> None:
        self.aside.append(self.down)
        self.begin("")

    def _donkey_returned(self, _event: fact.DonkeyReturned) -> None:
        back = self.aside.pop(0)
        self.begin("lost")
        self.down, self.returned = back, True

    def _favour_used(self, event: fact.FavourUsed) -> None:
        self._leave_hand(event.player, [event.card])
        self.public[event.player].add(event.card)
        self.favour[event.player] = event.card

    def _loads_looked_at(self, event: fact.LoadsLookedAt) -> None:
        seen = self.looked[event.player]
        for other in event.at:
            seen.append((other, sum(name == other for name, _ in seen)))

    def _load_swapped(self, event: fact.LoadSwapped) -> None:
        player, wish = event.player, self.wish
        old, new = self.swap(player) if event.value is None else (self.up[player], event.value)
        if event.value is None and isinstance(wish, SwapCards) and wish.player == player:
            old, new = wish.old, wish.new
        self._leave_hand(player, [new])
        self.hands[player].append(old)
        if event.value is not None:
            self.up[player] = new
        else:
            self.down[player] = [*(value for value in self.down[player] if value != old), new]

    def swap(self, player: str) -> tuple[int, int]:
        """Say which load the player changes for which after favour 4: one that can hardly matter is
        left out of account."""
        rng = self.setup.rng("demo", "swap", player, self.revealed)
        loads = self.loads()[player]
        return rng.choice(loads), rng.choice(self.hands[player])

    def _loads_revealed(self, event: fact.LoadsRevealed) -> None:
        player = event.player
        self.hands[player] += self.down[player]
        self.down[player] = list(event.values)
        self._leave_hand(player, event.values)

    def _loads_weighed(self, event: fact.LoadsWeighed) -> None:
        for name, values in self.loads().items():
            self.public[name].update(values)
            self.held[name] = [card for value in values if (card := Card(name, value)) not in event.removed]
        self.pool = [card for cards in self.held.values() for card in cards]

    def _loads_exchanged(self, event: fact.LoadsExchanged) -> None:
        for name, old, new in (
            (event.player, event.given, event.taken),
            (event.partner, event.taken, event.given),
        ):
            self.held[name] = [new if card == old else card for card in self.held[name]]

    def _load_chosen(self, event: fact.LoadChosen) -> None:
        self.pool.remove(event.card)

    def _loads_drawn(self, event: fact.LoadsDrawn) -> None:
        for draft in event.draws:
            self.pool.remove(draft.card)

    def _leave_hand(self, player: str, values: Iterable[int]) -> None:
        """Take values out of a hand; one that the table says lay elsewhere is taken from there."""
        for value in values:
            if value in self.hands[player]:
                self.hands[player].remove(value)

    moves = {
        fact.DonkeyRevealed: _donkey_revealed,
        fact.LoadPlayed: _load_played,
        fact.DonkeySetAside: _donkey_set_aside,
        fact.DonkeyReturned: _donkey_returned,
        fact.FavourUsed: _favour_used,
        fact.LoadsLookedAt: _loads_looked_at,
        fact.LoadSwapped: _load_swapped,
        fact.LoadsRevealed: _loads_revealed,
        fact.LoadsWeighed: _loads_weighed,
        fact.LoadsExchanged: _loads_exchanged,
        fact.LoadChosen: _load_chosen,
        fact.LoadsDrawn: _loads_drawn,
    }
