"""`list_legal`: every request that it lists is accepted, and whatever else is accepted lies in a
domain that it leaves open. Whole random games of every kind, options mixed."""

import random
import typing
from collections import Counter
from functools import cache, partial
from itertools import combinations

import msgspec
import pytest
from msgspec.structs import fields, replace

from companion.games.ascend.cards import CARDS
from companion.referee import Referee
from companion.rules import contract
from companion.rules.contract import Refusal
from tests.rules.asking import code, say
from tests.rules.random_games import GAMES, draw_session, fill_in, make_up_hand
from tests.rules.talk import Talk

fields_of = cache(fields)
hints_of = cache(partial(typing.get_type_hints, include_extras=True))


def after(session, request):
    """The state after a request; None where it is refused."""
    moment = session.decide_request(session.current_moment, request)
    return None if isinstance(moment, Refusal) else moment.state


def same(state):
    """A state as JSON in which the order of cards and of like pawns counts for nothing."""
    value = msgspec.to_builtins(replace(state, last=()) if hasattr(state, "last") else state, enc_hook=str)
    if "pawns" in value:
        value = {**value, "pawns": [sorted(value["pawns"][at : at + 4]) for at in (0, 4, 8, 12)]}
    return repr(_sorted(value))


def _sorted(value):
    if isinstance(value, dict):
        return {name: _sorted(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        inner = [_sorted(one) for one in value]
        return sorted(inner) if all(isinstance(one, str) for one in inner) else inner
    return value


def within(domain, value, default):
    """Whether a field's value lies in its domain."""
    if domain.optional and value in (None, (), default):
        return True
    if domain.least is None:
        return value in domain.of
    return (
        isinstance(value, tuple)
        and domain.least <= len(value) <= domain.most
        and Counter(value) <= Counter(domain.of)
    )


def in_order(request):
    """A request's fields, in which the order of cards counts for nothing."""
    values = (getattr(request, name) for name in request.__struct_fields__)
    return [sorted(map(repr, one)) if isinstance(one, tuple) else one for one in values]


def covered(session, legal, request):
    """Whether `list_legal` tells of this request: it is listed, or one that comes to the same, or
    its free fields lie in their domains."""
    defaults = {field.name: field.default for field in fields_of(type(request))}
    for one in legal.open:
        if type(one.request) is type(request) and all(
            within(one.free[name], getattr(request, name), default)
            if name in one.free
            else getattr(request, name) == getattr(one.request, name)
            for name, default in defaults.items()
        ):
            return True
    alike = [one for one in legal.legal if type(one) is type(request)]
    wanted = in_order(request)
    if any(in_order(one) == wanted for one in alike):
        return True
    comes_to = same(after(session, request))
    return any(same(after(session, one)) == comes_to for one in alike)


def any_value(hint, rng, words):
    """Any value of this type, as a slip of the pen may make it."""
    arguments = typing.get_args(hint)
    match typing.get_origin(hint):
        case None if hint is type(None) or hint is msgspec.UnsetType:
            return None
        case None if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
            hints = hints_of(hint)
            return hint(*(any_value(hints[field.name], rng, words) for field in fields_of(hint)))
        case None:
            return {bool: rng.random() < 0.5, int: rng.randint(-1, 11), str: rng.choice(words)}[hint]
        case typing.Annotated:
            return any_value(arguments[0], rng, words)
        case kind if kind is tuple:
            return tuple(any_value(arguments[0], rng, words) for _ in range(rng.choice([0, 1, 1, 2, 3])))
        case _:
            return any_value(rng.choice(arguments), rng, words)


def bent(request, rng, words):
    """This request with any value in one or two of its fields."""
    hints = hints_of(type(request))
    names = [name for name in request.__struct_fields__ if name != "opened"]
    chosen = rng.sample(names, min(len(names), rng.choice([1, 1, 2])))
    other = replace(request, **{name: any_value(hints[name], rng, words) for name in chosen})
    try:  # as it comes over the wire
        return msgspec.json.decode(msgspec.json.encode(other), type=type(request))
    except msgspec.ValidationError:
        return request


def parts_of(cards, domain, rng):
    """Every part of a small hand; of a large one thirty, of all sizes alike."""
    sizes = range(domain.least, min(domain.most, len(cards)) + 1)
    if len(cards) <= 6:
        return [part for size in sizes for part in set(combinations(cards, size))]
    return [tuple(rng.sample(cards, rng.choice(sizes))) for _ in range(30 if sizes else 0)]


def step(session, rng, words, thorough):
    """Check what `list_legal` says of one player now, and do something that is accepted."""
    player = rng.choice([row["player"] for row in session.view()["waiting_for"]]) or rng.choice(
        session.setup.players
    )
    cards = make_up_hand(session, player, rng)
    holding = session.list_legal(player, cards)
    for request in rng.sample(holding.legal, min(len(holding.legal), 40)):
        assert after(session, request) is not None, (request, cards)
    if thorough:
        legal = session.list_legal(player)
        for request in rng.sample(legal.legal, min(len(legal.legal), 60)):
            assert after(session, request) is not None, request
        for one in legal.open:
            if one.held:  # of these cards, whatever is accepted is listed
                for part in parts_of(cards, one.free[one.held], rng):
                    request = replace(one.request, **{one.held: part})
                    if session.state.phase != "hands" and after(session, request) is not None:
                        assert covered(session, holding, request), (request, cards)
        plain = rng.sample(holding.legal, min(len(holding.legal), 8))
        tried = [*plain, *legal.legal[-8:], *(fill_in(one, rng) for one in legal.open for _ in range(6))]
        for request in [*tried, *(bent(rng.choice(tried), rng, words) for _ in range(40))]:
            if getattr(request, "player", player) == player and after(session, request) is not None:
                assert covered(session, legal, request), (request, legal.open)
    wanted = list(holding.legal) or [fill_in(one, rng) for one in holding.open for _ in range(9)]
    rng.shuffle(wanted)
    return any(not isinstance(session.act(request), Refusal) for request in wanted)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("game_id", GAMES)
def test_what_is_listed_is_accepted_and_nothing_else(game_id, seed, monkeypatch):
    """Also where more plays are possible than a list may hold."""
    rng = random.Random(f"{game_id} {seed}")
    monkeypatch.setattr(contract, "MOST_LISTED", (contract.MOST_LISTED, 60, 12, 5, 2, 1)[seed])
    session = draw_session(game_id, rng)
    words = [*session.setup.players, *map(str, session.game.cards), "start", "1:3", "goal:2", "joker"]
    stuck = number = 0
    while not session.is_over and number < 600:
        number += 1
        done = step(session, rng, words, thorough=rng.random() < (0.05 if game_id == "partners" else 0.3))
        stuck = 0 if done else stuck + 1
        assert stuck < 60, session.view()
    if session.is_over:
        assert not session.list_legal(session.setup.players[0]).legal


def test_a_hand_of_personalities_leaves_open_what_no_list_can_hold():
    """AS-13: 32,767 bombs, some of them also a set or a single; the best of all are the largest."""
    talk = Talk("ascend", ["Ann", "Ben", "Cy"])
    talk.ok("exchanged")
    personalities = [card.name for card in CARDS.values() if card.personality][:15]
    reply = talk.reply("legal", player="Ann", cards=personalities)
    assert [one["free"]["cards"]["most"] for one in reply["open"]] == [15]
    assert reply["legal"] == []
    talk.ok("play", player="Ann", cards=personalities)


@pytest.mark.parametrize("seed", range(8))
def test_plays_that_are_generated_twice_take_no_room_in_the_list(seed, monkeypatch):
    """As many plays as the list may hold are listed, one more are left open."""
    rng = random.Random(seed)
    talk = Talk("ascend", ["Ann", "Ben", "Cy"])
    talk.ok("exchanged")
    cards = rng.sample([card.name for card in CARDS.values() if card.personality], 5)
    count = len(talk.reply("legal", player="Ann", cards=cards)["legal"])
    assert count == 2**5 - 1
    for limit, listed in ((count, count), (count - 1, 0)):
        monkeypatch.setattr(contract, "MOST_LISTED", limit)
        reply = talk.reply("legal", player="Ann", cards=cards)
        assert (len(reply["legal"]), bool(reply["open"])) == (listed, not listed)


def test_a_player_or_a_card_that_is_not_there_is_refused_and_a_game_that_is_over_lists_nothing():
    talk = Talk("dtc", ["Ann", "Ben"])
    assert talk.refused("legal", player="Zoe") == "unknown_player"
    assert talk.refused("legal", player="Ann", cards=["7"]) == "unknown_card"
    assert talk.refused("legal") == "bad_request"
    assert code(Referee(), {"do": "legal", "player": "Ann"}) == "no_session"


def test_what_a_pad_read_is_not_told_by_what_is_listed():
    """DV-51: with the cards of the whole hand nothing is listed that only the loads can tell."""
    talk = Talk("donkey_valley", ["Ann", "Ben", "Cid"])
    talk.ok("donkey", type="hurried")
    for name, value in (("Ann", 3), ("Ben", 5), ("Cid", 7)):
        talk.ok("load", player=name, sealed=[value])
    for name in ("Ann", "Ben", "Cid"):
        talk.ok("decide", player=name, accept=True)
    reply = talk.reply("legal", player="Ann", cards=list(range(1, 11)))
    assert reply["legal"] == []
    [reveal] = reply["open"]
    assert reveal["request"] == {"do": "reveal", "player": "Ann"}
    assert reveal["free"]["values"] == {"of": list(range(1, 11)), "least": 1, "most": 1}


def test_lines_that_legal_lists_are_accepted_as_they_are():
    talk = Talk("ascend", ["Ann", "Ben", "Cy"])
    for held in ([], ["castle", "chance_meeting", "mill"], ["cave", "mill"]):
        player = talk.view["waiting_for"][0]["player"] or "Cy"
        [first, *_] = talk.reply("legal", player=player, cards=held)["legal"]
        talk.ok(**first)
    assert talk.view["trick"]["kind"] == "single"


def test_games_are_told_before_a_start_too():
    referee = Referee()
    games = {one["id"]: one for one in say(referee, {"do": "games"})["games"]}
    assert {*GAMES} <= {*games}
    dtc = games["dtc"]
    assert dtc["title"] == "DTC"
    assert dtc["seats"] == [2, 3, 4, 5, 6]
    assert dtc["requests"] == ["offer", "accept", "challenge", "reveal", "count"]
    assert {one["name"]: one["copies"] for one in dtc["cards"]} == {**dict.fromkeys("123456", 9), "joker": 12}
    options = {one["name"]: one for one in dtc["options"]}
    variant, hands_only = options["variant"], options["hands_only"]
    assert variant["values"] == ["off", "all_higher", "at_least"]
    assert variant["default"] == "off"
    assert (variant["clause"], hands_only["clause"]) == ("DTC-8", "DTC-11")


def test_whoever_comes_late_hears_the_options_with_the_view():
    talk = Talk("ascend", ["Ann", "Ben", "Cy"], bombs="unlike")
    assert talk.reply("view")["options"]["bombs"] == "unlike"
