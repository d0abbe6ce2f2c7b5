"""All that a game answers in the course of an evening, short enough to be kept: for each act the
check sums of what may be entered, what is legal, where cards lie, what cards laid anywhere are read
as, and why anything else is refused; and of each sentence the first two that are said, in words."""

from __future__ import annotations

import random
import re
import zlib
from collections import Counter
from difflib import unified_diff
from functools import cache

import msgspec

from companion.rules.claims import Claim
from companion.rules.contract import Doubt, Refusal
from companion.rules.session import Session
from companion.texts import Translator
from tests.rules.test_legal import bent
from tools import write_protocol

TWICE = 2
FEW, SHORT = 4, 600
"""How many differences are told, and the signs of each."""
_SUM = re.compile(r" (\w+) ([0-9a-f]{8})\b")
ANYBODY = ("Ann", "Ben", "Bob", "Cy", "Cid", "Chloé", "Dee", "Dot", "Eve", "Fay", "Gus")
"""Who plays in the examples of the reference: their places are given to those who play here."""


class Book:
    """The lines, and how often each sentence has been said. `values`: for each line of check sums
    the act that comes next, and what was summed, as JSON by its name."""

    def __init__(self, game):
        self.lines, self.values, self._said = [], [], Counter()
        self._translator = Translator("en", game).translate

    def told(self, kind, text, *more):
        if text is not None and self._said[kind, text.code] < TWICE:
            self._said[kind, text.code] += 1
            self.lines.append("  ".join(["", kind, self._translator(text), *filter(None, more)]))

    def reasons(self, kind, found):
        for one in found:
            self.told(kind, one.text, " ".join(one.clauses), "" if one.points is None else str(one.points))

    @property
    def text(self):
        return "\n".join(self.lines) + "\n"

    def sums(self, act, what, **values):
        written = {
            name: msgspec.json.encode(value, enc_hook=str, order="sorted") for name, value in values.items()
        }
        self.values.append((act, {name: one.decode() for name, one in written.items()}))
        self.lines.append(
            " ".join([what, *(f"{name} {zlib.crc32(one):08x}" for name, one in written.items())])
        )

    def against(self, kept):
        """Say in words what differs from the lines that are kept, the first few of each: check
        sums, with the act and what is summed as it is now, and sentences."""
        sums, kept_sums = ([_SUM.findall(line) for line in text] for text in (self.lines, kept))
        found = [
            f"act {act}, {name} is now {values[name][:SHORT]}"
            for (act, values), now, was in zip(
                self.values, filter(None, sums), filter(None, kept_sums), strict=False
            )
            for name, one in now
            if (name, one) not in was
        ]
        words, kept_words = ([_SUM.sub("", line) for line in text] for text in (self.lines, kept))
        changed = [
            line
            for line in unified_diff(kept_words, words, n=0, lineterm="")
            if line[0] in "+-" and line[:3] not in ("+++", "---")
        ]
        return "\n".join([*found[:FEW], *changed[: 2 * FEW]])


def answers(game, setup, players, cards):
    """The book of one evening. `cards`: every card id of the deck."""
    session, book, rng = Session(game, setup), Book(game), random.Random(setup.game)
    for step in game.list_setup_steps(session.state):
        book.told("to set up", step.text, step.clause, str(step.card_total or ""))
    while (deed := players.next_action(session.list_acts(), session.view())) is not None:
        _before(session, deed.request, cards, book, rng)
        state, events = session.state, session.act(deed.request)
        assert not isinstance(events, Refusal), (deed, events)
        after = session.state
        for event in events:
            book.told(type(event).__struct_config__.tag, game.describe(after, event))
        tag = _tag(deed.request)
        book.sums(
            f"{len(session.list_acts()) - 1} ({tag})",
            f"  {tag}",
            tallies=[game.tally_event(state, one, after) for one in events],
            words=session.current_moment.words,
            why=[game.explain_round(after), [game.explain_points(after, name) for name in setup.players]],
        )
        if game.explain_round(after) != game.explain_round(state):
            book.reasons("report", game.explain_round(after))
            for name in setup.players:
                book.reasons("why", game.explain_points(after, name))
    return book


def _before(session, request, cards, book, rng):
    """What may be entered, read and refused before `request`."""
    game, state, names = session.game, session.state, session.setup.players
    book.told("awaited", game.describe_awaited(state))
    menus = {name or "": game.list_choices(state, name) for name in (None, *names)}
    for choice in (choice for menu in menus.values() for choice in menu):
        book.told("choice", choice.label)
    asked = [*_examples(game, names, rng, 12), *(bent(request, rng, [*names, "7"]) for _ in range(6))]
    refused = [
        one
        for one in (session.decide_request(session.current_moment, one) for one in asked)
        if isinstance(one, Refusal)
    ]
    for one in refused:
        book.told("refused", one.text, one.code, one.clause)
    read = [game.interpret_claims(state, _claims(cards, len(names), rng)) for _ in range(3)]
    for one in (one for found in read for one in found if isinstance(one, Doubt)):
        book.told("doubt", one.text, one.clause)
    player = getattr(request, "player", None) or rng.choice(names)
    act = str(len(session.list_acts()))
    book.sums(
        f"{act} ({_tag(request)})",
        act,
        menus=menus,
        legal=game.list_legal(state, player) if rng.random() < 0.2 else None,
        typed=game.list_attempts(state, player) if int(act) % 8 == 0 else None,
        lies=[game.layout_cards(state), game.simultaneous_players(state), game.default_request(state)],
        seen=[game.list_visible_cards(state), game.describe_awaited(state)],
        told=[game.compute_odds(state), [game.list_seals(state, name) for name in names]],
        reads=read,
        refuses=refused,
    )


def _tag(request):
    return type(request).__struct_config__.tag


@cache
def _reference(game):
    kinds = {kind.__struct_config__.tag: kind for kind in game.requests}
    lines = dict.fromkeys(one.line for one in write_protocol.send_examples(game.id) if one.do in kinds)
    return kinds, list(lines)


def _examples(game, names, rng, count):
    """Requests of the reference, by those who play here."""
    kinds, lines = _reference(game)
    for line in rng.sample(lines, min(count, len(lines))):
        for place, name in enumerate(dict.fromkeys(one for one in ANYBODY if f'"{one}"' in line)):
            line = line.replace(f'"{name}"', f'"{names[place % len(names)]}"')
        raw = msgspec.json.decode(line)
        try:
            yield msgspec.convert(raw, kinds[raw.pop("do")])
        except msgspec.ValidationError:
            continue


def _claims(cards, seats, rng):
    """A few cards, anywhere."""
    return [
        Claim(
            number,
            rng.choice([None, *[rng.choice(cards)] * 4, "button:accept"]),
            zone,
            face,
            rng.choice([owner, owner, None]),
        )
        for number in range(1, rng.choice([1, 2, 2, 4]) + 1)
        for owner in [rng.randint(1, seats)]
        for zone in [rng.choice([f"seat:{owner}", f"seat:{owner}", "middle", "pile"])]
        for face in [rng.choice(["up", "up", "down"])]
    ]
