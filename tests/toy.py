"""A game small enough for the tests of what lies around games: three rounds of `lay` (face down)
and `show`, the highest card wins.

Cards are `toy:1` to `toy:9`; each round every player lays a card face down, in any order, and then
shows it.
"""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from companion.rules.commitments import Opening, Seal, list_openings
from companion.rules.contract import (
    GAME_OVER,
    Choice,
    Doubt,
    Event,
    Game,
    Option,
    Phase,
    Proposal,
    Reason,
    Request,
    Setup,
    Text,
    refuse,
)

ROUNDS = 3


class State(msgspec.Struct, frozen=True):
    setup: Setup
    phase: str = "lay"
    round: int = 1
    laid: dict[str, tuple[str, ...]] = {}
    shown: dict[str, int] = {}
    points: dict[str, int] = {}
    last: tuple[str, ...] = ()

    @property
    def acting_player(self) -> str | None:
        return None


def _win(state: State) -> Event | None:
    if len(state.shown) < len(state.setup.players):
        return None
    best = max(state.shown.values())
    return RoundWon(tuple(p for p in state.setup.players if state.shown[p] == best), best)


PHASES = {"lay": Phase("TOY-2"), "show": Phase("TOY-3", then=_win), GAME_OVER: Phase("TOY-5")}


class Lay(Request):
    phase, in_turn = "lay", False
    player: str
    sealed: tuple[int | Seal, ...] | None = None

    def decide(self, state):
        if self.player in state.laid:
            return refuse("already_done", "TOY-2", message="game_over")
        return CardLaid(self.player, self.sealed or ())


class CardLaid(Event):
    player: str
    seals: tuple[str, ...] = ()

    def apply(self, state):
        laid = {**state.laid, self.player: self.seals}
        return replace(state, laid=laid, phase="show" if len(laid) == len(state.setup.players) else "lay")


class Show(Request):
    phase, in_turn, hides_cards = "show", False, True
    player: str
    value: int

    def with_openings(self, openings):
        return _KnownShow(self.player, self.value, tuple(openings))

    def decide(self, state):
        player, value = self.player, self.value
        if player in state.shown:
            return refuse("already_done", "TOY-3", message="game_over")
        if not 1 <= value <= 9:
            return refuse(
                "bad_value", "TOY-3", message="bad_option", option="value", value=str(value), usual="1"
            )
        known = list_openings(self)
        if known and value not in [one.card for one in known]:
            return refuse("sealed_mismatch", "TOY-4", message="game_over")
        return CardShown(player, value, known or msgspec.UNSET)


class _KnownShow(Show, tag="show"):
    opened: tuple[Opening, ...] = ()


class CardShown(Event):
    player: str
    value: int
    opened: tuple[Opening, ...] | msgspec.UnsetType = msgspec.UNSET

    def apply(self, state):
        return replace(state, shown={**state.shown, self.player: self.value})

    def describe(self, state):
        return Text("toy.shown", {"player": self.player, "value": self.value})


class RoundWon(Event):
    players: tuple[str, ...]
    points: int

    def apply(self, state):
        over = state.round == state.setup.options["rounds"]
        return replace(
            state,
            phase=GAME_OVER if over else "lay",
            round=state.round if over else state.round + 1,
            laid={},
            shown={},
            last=self.players,
            points={p: n + self.points * (p in self.players) for p, n in state.points.items()},
        )

    def describe(self, state):
        return Text("toy.round", {"players": self.players, "points": self.points})


class Toy(Game[State]):
    id = "toy"
    seats = range(2, 5)
    options = (Option("rounds", ROUNDS, int, "TOY-1"),)

    def start(self, setup):
        return State(setup, points=dict.fromkeys(setup.players, 0))

    def check_phase(self, state, request):
        late = request.phase != state.phase
        return refuse("wrong_phase", self.clauses[request.phase], message="game_over") if late else None

    def list_seals(self, state, player):
        return state.laid.get(player, ())

    def view(self, state):
        over = state.phase == GAME_OVER
        return {
            "game": self.id,
            "phase": state.phase,
            "round": state.round,
            "players": [{"name": p, "points": n} for p, n in state.points.items()],
            "waiting_for": [{"do": state.phase, "player": p} for p in self._awaited(state)],
            "result": self.rank_scores([(p, (n,)) for p, n in state.points.items()]) if over else None,
        }

    def _awaited(self, state):
        done = {"lay": state.laid, "show": state.shown}.get(state.phase)
        return () if done is None else [p for p in state.setup.players if p not in done]

    def explain_points(self, state, player):
        return [Reason(Text("toy.points", {"player": player}), ("TOY-5",), state.points[player])]

    def explain_round(self, state):
        return [Reason(Text("toy.won", {"players": state.last}), ("TOY-5",))] if state.last else []

    def describe_awaited(self, state):
        return Text("toy.awaited", {"players": tuple(self._awaited(state))})

    def list_choices(self, state, player):
        wanted = [p for p in self._awaited(state) if player in (None, p)]
        if state.phase == "lay":
            return [Choice(Text("toy.lay", {"player": p}), Lay(p)) for p in wanted]
        return [Choice(Text("toy.show", {"value": v}), Show(p, v)) for p in wanted for v in range(1, 10)]

    def interpret_claims(self, state, claims):
        readings: list[Proposal | Doubt] = []
        for claim in claims:
            place = claim.zone.removeprefix("seat:")
            if not claim.zone.startswith("seat:"):
                continue
            player = state.setup.players[int(place) - 1]
            if claim.what is None and state.phase == "lay" and player not in state.laid:
                readings.append(Proposal(Lay(player), (claim.id,)))
            elif claim.what is not None and claim.what.startswith("toy:") and state.phase == "show":
                value = int(claim.what.removeprefix("toy:"))
                if claim.owner is None:
                    readings.append(Doubt(Text("toy.whose", {"value": value}), (claim.id,), "TOY-6"))
                elif player not in state.shown:
                    readings.append(Proposal(Show(player, value), (claim.id,)))
        return readings

    def layout_cards(self, state):
        seats = {p: number for number, p in enumerate(state.setup.players, 1)}
        return {f"seat:{seats[p]} up": (f"toy:{value}",) for p, value in state.shown.items()}

    def default_request(self, state):
        return Lay(self._awaited(state)[0]) if state.phase == "lay" else None


TOY = Toy()


def toy_setup(*players: str, seed: int | str = 1, rounds: int = ROUNDS) -> Setup:
    return Setup("toy", players or ("Ann", "Ben"), {"rounds": rounds}, seed)
