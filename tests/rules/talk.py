"""Table talk for the tests of games: say what is done, hear what comes back. Shared by all
games."""

from __future__ import annotations

import json
import re
import string

import msgspec

from companion.games.donkey_valley.cards import COLOURS
from companion.journal.schema import decode_entry, encode_entry
from companion.language import LANGUAGES
from companion.referee import Referee
from companion.rules.contract import Claim, Doubt, Proposal, Refusal, Setup, Text
from companion.rules.session import Session
from companion.texts import Translator


class Talk:
    """A conversation with the headless referee: `ok` for what must be accepted, `refused` for what
    must not."""

    def __init__(self, game, players, seed=1, position=None, **options):
        self.referee = Referee()
        self.ok("start", game=game, players=players, seed=seed, options=options, position=position)

    def reply(self, do, **fields):
        return json.loads(self.referee.answer_line(json.dumps({"do": do, **fields}).encode()))

    def ok(self, do, **fields):
        """Return the view, after checking that the request was accepted."""
        reply = self.reply(do, **fields)
        assert reply["ok"], reply
        self.events = reply["events"]
        self.view = reply["view"]
        return self.view

    def refused(self, do, **fields):
        """Return `CODE` or `CODE CLAUSE`, after checking that the request was refused and changed
        nothing."""
        reply = self.reply(do, **fields)
        assert not reply["ok"], reply
        assert self.ok("view") == self.view
        error = reply["error"]
        assert error["message"]
        assert not error["message"].startswith("refusal."), error
        assert "{" not in error["message"], error
        return f"{error['code']} {error['clause'] or ''}".strip()

    @property
    def waiting(self):
        """`do player` for each entry of `waiting_for`."""
        return [f"{entry['do']} {entry['player'] or 'table'}" for entry in self.view["waiting_for"]]

    def column(self, field):
        """One field of every player."""
        return [player[field] for player in self.view["players"]]

    def explained(self, player):
        """The explanation's rows; their points must add up to the player's."""
        rows = self.reply("explain", player=player)["explanation"]
        points = {row["name"]: row["points"] for row in self.view["players"]}
        assert sum(row["points"] for row in rows) == points[player]
        return rows


def setup_of(game, players, seed=1, **options):
    """A set-up with every option; those not named have their defaults."""
    filled = {option.name: option.default for option in game.options} | options
    return Setup(game.id, tuple(players), filled, seed)


CODE = re.compile(r"[a-z]_[a-z]|[a-z] ?= ?[a-z]")
"""What is written for programs: `own_wall`, `draws = app`."""


class Spoken:
    """Checks that every text has words in every language, that its arguments fit them, and that no
    option is said as a code."""

    def __init__(self, game):
        self.translators = [Translator(language, game) for language in LANGUAGES]
        self.heard = set()
        self._said = set()

    def say(self, text):
        """Say a text in every language, and all the texts inside it. What was said before has the
        same words: half of an evening's time went into saying menus again."""
        if (whole := repr(text)) in self._said:
            return
        self._said.add(whole)
        self.heard.add(text.code)
        for translator in self.translators:
            template = translator._look_up_message(text)
            assert template != text.code, f"{text.code} has no words in {translator.language}"
            wanted = {name for _, name, _, _ in string.Formatter().parse(template) if name}
            assert wanted <= {*text.args, "n"} - (set() if text.n is not None else {"n"}), (text, template)
            words = translator.translate(text)
            assert words
            assert not CODE.search(words), f"a code for players to read: {words}"
        for inner in _texts(tuple(text.args.values())):
            self.say(inner)

    def everything(self, game, state, events=()):
        """Say all that a game says about a state and the events that led there."""
        players = state.players if isinstance(state.players[0], str) else [one.name for one in state.players]
        self.say(game.describe_awaited(state))
        for event in events:
            text = game.describe(state, event)
            if text is not None:
                self.say(text)
        reasons = [
            *game.explain_round(state),
            *(reason for name in players for reason in game.explain_points(state, name)),
        ]
        for reason in reasons:
            assert reason.clauses, reason
            self.say(reason.text)
        for choice in [
            *game.list_choices(state, None),
            *(one for name in players for one in game.list_choices(state, name)),
        ]:
            self.say(choice.label)
            for card, copies in choice.pick.cards if choice.pick else ():
                assert copies > 0
                self.say(Text(f"card.{card}"))
            self._shortcuts(choice.pick.likely if choice.pick else ())

    def _shortcuts(self, shortcuts):
        for one in shortcuts:
            self.say(one.label)
            self._shortcuts(one.then)

    def outcome(self, outcome):
        """Say a refusal or a doubt."""
        if isinstance(outcome, Refusal | Doubt):
            self.say(outcome.text)


def _texts(values):
    for value in values:
        if isinstance(value, Text):
            yield value
        elif isinstance(value, tuple):
            yield from _texts(value)


def replayed(game, setup, entries):
    """The session that a journal's entries, written as JSON and read again, bring back."""
    session = Session(game, setup)
    session.replay_entries(
        [decode_entry(game, entry.kind, entry.at, encode_entry(entry)) for entry in entries]
    )
    return session


def played_out(game, setup, players, hear=lambda session, deed, events: None):
    """Play a whole game by the simulated players' requests; return the session at its end."""
    session = Session(game, setup)
    while (deed := players.next_action(session.list_acts(), session.view())) is not None:
        events = session.act(deed.request)
        assert not isinstance(events, Refusal), (deed, events)
        hear(session, deed, events)
    return session


def transcript(game, setup, players):
    """A whole game as lines: each request and the view that answers it."""
    lines = []

    def hear(session, deed, events):
        lines.append(msgspec.json.encode(deed.request).decode())
        lines.append(msgspec.json.encode({"events": events, "view": session.view()}).decode())

    played_out(game, setup, players, hear)
    return "\n".join(lines) + "\n"


class RealTable:
    """Real cards that the gestures move: claims as a camera would make them, each card a placement
    with a number of its own."""

    def __init__(self, players):
        self.players = players
        self.lying = []
        self.used = set()
        self.count = 0

    def make(self, gesture):
        """Do what the hand does."""
        match gesture.kind:
            case "lay":
                self.count += 1
                self.lying.append([self.count, gesture.zone, gesture.card, gesture.face])
            case "turn" | "take":
                lying = [one for one in self.lying if one[1:3] == [gesture.zone, gesture.card]]
                card = min(lying, key=lambda one: one[3])  # of equal cards one that is still face down
                if gesture.kind == "take":
                    self.lying.remove(card)
                else:
                    self.count += 1
                    card[0], card[3] = self.count, "up" if card[3] == "down" else "down"
            case "clear":
                self.lying = [one for one in self.lying if one[1] != gesture.zone]
            case "press":
                self.count += 1
                self.lying.append([self.count, gesture.zone, f"button:{gesture.card}", "up"])

    def claims(self):
        """What lies there and has not been used."""
        return [
            Claim(number, card if face == "up" else None, zone, face, _owner(card, zone, face))
            for number, zone, card, face in self.lying
            if number not in self.used
        ]

    def read(self, game, state, still=False):
        """The requests that the claims add up to; doubts are failures. What may still grow waits
        until the table is `still`."""
        readings = game.interpret_claims(state, self.claims())
        readings = [reading for reading in readings if still or not getattr(reading, "growing", False)]
        assert all(isinstance(reading, Proposal) for reading in readings), readings
        for reading in readings:
            self.used.update(reading.used)
        return [reading.request for reading in readings]


def _owner(card, zone, face):
    """Whose card it is: by its colour where it shows one (`load:red:7`), else by where it lies."""
    kind, _, rest = card.partition(":")
    colour = rest.partition(":")[0]
    if face == "up" and kind in ("load", "contract") and colour in COLOURS:
        return COLOURS.index(colour) + 1
    return int(zone[5:]) if zone.startswith("seat:") else None
