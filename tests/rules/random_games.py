"""Random games for the properties of all games: any number of players, any value of every option,
and anything that is legal."""

import msgspec
from msgspec.structs import replace

from companion.rules import registry
from companion.rules.contract import Refusal
from companion.rules.session import Session
from companion.rules.start import Start, prepare_game

GAMES = ("donkey_valley", "dtc", "ochs_und_esel", "partners", "ascend")
NAMES = ["Ann", "Ben", "Cy", "Dee", "Eve", "Fay", "Gus", "Hal"]
LARGE = {
    "target": lambda rng: rng.randint(1, 12),
    "rounds": lambda rng: rng.randint(1, 2),
    "deal": lambda rng: rng.choice([None, 3, 5, 8]),
    "copies": lambda rng: rng.choice([4, {"heart": 8}, {"swap": 0}, {"7": 9, "heart": 2}]),
    "donkey_copies": lambda rng: rng.choice(
        [None, {"double": 8, "holed": 6, "difficult": 6}, {"lost": 10, "hand_picked": 5, "precision": 5}]
    ),
}
"""How a value is drawn of the options whose values no list holds."""


def draw_session(game_id, rng):
    """A session of this game: as many players as it may have, and any value of every option."""
    game, options = registry.load_game(game_id), {}
    for option in game.options:
        listed = [True, False] if option.kind is bool else msgspec.json.schema(option.kind).get("enum")
        options[option.name] = rng.choice(listed) if listed else LARGE[option.name](rng)
    names = NAMES[: rng.choice([count for count in game.seats if count <= len(NAMES)])]
    begun = prepare_game(Start(game.id, names, options, rng.randrange(10**6)))
    assert not isinstance(begun, Refusal), begun
    return Session(*begun, with_descriptions=False)


def fill_in(one, rng):
    """A request with something of its domain in each free field."""
    return replace(one.request, **{name: draw_from(domain, rng) for name, domain in one.free.items()})


def draw_from(domain, rng):
    if domain.least is None:
        return rng.choice(domain.of)
    size = rng.choice([domain.least, rng.randint(domain.least, domain.most)])
    return tuple(rng.sample(domain.of, min(size, len(domain.of))))


def make_up_hand(session, player, rng):
    """Cards that this player may hold, as far as the table knows."""
    row = next(row for row in session.view()["players"] if row["name"] == player)
    size = row.get("hand", row.get("cards_left", 0))
    if session.game.id == "donkey_valley":
        return tuple(rng.sample(range(1, 11), max(size, row["loads_down"])))
    held = [one.free[one.held] for one in session.game.list_legal(session.state, player).open if one.held]
    deck = [card for domain in held for card in domain.of]
    deck = deck or [card for card, copies in session.game.cards.items() for _ in range(copies)]
    rng.shuffle(deck)
    if session.state.phase == "hands":  # Ochs & Esel: animals are never forgotten, and nobody may hold one
        size = rng.choice([held[0].least, rng.randint(0, held[0].most)] if held else [0])
        deck.sort(key=lambda card: card not in ("donkey", "ox") or rng.random() < 0.2)
    return tuple(deck[:size])


def play_at_random(session, rng):
    """Do something that is accepted; return whether there was anything."""
    awaited = [row["player"] for row in session.view()["waiting_for"]]
    player = rng.choice(awaited or [None]) or rng.choice(session.setup.players)
    holding = session.list_legal(player, make_up_hand(session, player, rng))
    wanted = list(holding.legal) or [fill_in(one, rng) for one in holding.open for _ in range(9)]
    rng.shuffle(wanted)
    return any(not isinstance(session.act(request), Refusal) for request in wanted)
