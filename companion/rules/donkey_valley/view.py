"""What everybody at the table may know: the view, and where the real cards lie."""

from __future__ import annotations

from collections.abc import Mapping

from companion.rules.contract import GAME_OVER, CommonView, View, Waiting, ranked
from companion.rules.donkey_valley.cards import FAVOURS_A_GAME, ROUNDS
from companion.rules.donkey_valley.outcome import standing
from companion.rules.donkey_valley.phases import turns
from companion.rules.donkey_valley.state import Player, Stake, State

_NO_STAKE = Stake()


FIELDS: Mapping[str, str] = {
    "round": "1 to 8; on a double the first of its two; a lost donkey that returns shows its own",
    "rounds": "8",
    "donkey": "the type of the donkey that is being loaded or was loaded last, or null",
    "capacity": "what it carries, or null (precision)",
    "spread_limit": "for precision the largest difference that it carries, else null",
    "first_player": "name",
    "donkeys_left": "in the pile, unseen",
    "set_aside": "lost donkeys that wait",
    "total": "the loads' sum after the reveal, else null",
    "overloaded": "true or false after the reveal, else null",
    "players[].loads_won": "loads with `owner` and `value`, each from the moment at which it is won",
    "players[].favours_left": "of two in a game",
    "players[].favour": "this round's, or null",
    "players[].decision": "true (accepted), false (refused) or null",
    "players[].loads_down": "face-down loads on the table now",
    "players[].loads_up": "values that lie face up, after the reveal too",
    "players[].hand": "cards left in the hand",
}
"""What the view holds besides the fields of every game, for docs/requests."""


def view(state: State) -> View:
    """Return the view; what its fields mean stands in `FIELDS`. No face-down value is in the state,
    so none can be here."""
    now = state.round
    stakes = now.stakes if now is not None else (_NO_STAKE,) * len(state.players)
    common: CommonView = {
        "game": state.setup.game,
        "phase": state.phase,
        "players": [_player(player, stake) for player, stake in zip(state.players, stakes, strict=True)],
        "waiting_for": waiting_for(state),
        "result": ranked(standing(state)) if state.phase == GAME_OVER else None,
    }
    return {
        **common,
        "round": now.number if now else 1,
        "rounds": ROUNDS,
        "donkey": now.donkey if now else None,
        "capacity": now.capacity if now else None,
        "spread_limit": now.spread_limit if now else None,
        "first_player": state.players[state.first].name,
        "donkeys_left": state.left,
        "set_aside": len(state.aside),
        "total": now.total if now else None,
        "overloaded": now.overloaded if now else None,
    }


def _player(player: Player, stake: Stake) -> View:
    return {
        "name": player.name,
        "points": player.points,
        "loads_won": [{"owner": card.owner, "value": card.value} for card in player.won],
        "favours_left": FAVOURS_A_GAME - player.favours_used,
        "favour": stake.favour,
        "decision": stake.decision,
        "loads_down": stake.down,
        "loads_up": list(stake.up),
        "hand": player.hand,
    }


def waiting_for(state: State) -> list[Waiting]:
    """List what can be accepted now; who may ask for a favour may also decline it."""
    entries: list[Waiting] = []
    for turn in turns(state):
        name = None if turn.seat is None else state.players[turn.seat].name
        entries.append({"do": turn.do, "player": name})
        if turn.do == "favour":
            entries.append({"do": "no_favour", "player": name})
    return entries
