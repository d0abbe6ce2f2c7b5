"""A plain model beside the headless referee, for any game: every request to both, with undo and
redo, and the journal replayed at the end.

A model is written from the clauses alone and shares nothing with the program. It has
`answer_line(request)`, which does what the request asks and returns None, or returns the code of
the refusal; `view()`, what the view's fields must be; `legal(rng)`, a request that will be
accepted, or None when the game is over; `wild(rng)`, any request; `check()`, what is conserved. Its
options are those that the game has: each is drawn with all its values, and a model that does not
know one cannot be made.
"""

from __future__ import annotations

import json
import pickle
import random
from types import UnionType
from typing import Literal, Union, get_args, get_origin

from companion.referee import Referee
from companion.rules import registry
from tests.rules.talk import replayed


def values(kind):
    """The values that an option of this kind lists; none where any number or map will do.

    >>> values(Literal[1, 2, 3] | None), values(bool), values(int)
    ([1, 2, 3, None], [False, True], [])
    """
    if kind is bool:
        return [False, True]
    if kind is type(None):
        return [None]
    if get_origin(kind) is Literal:
        return list(get_args(kind))
    return (
        [one for part in get_args(kind) for one in values(part)]
        if get_origin(kind) in (Union, UnionType)
        else []
    )


def drawn(game_id, rng, **own):
    """A value of every option that the game has. `own`: the values to draw from, as often as they
    should come, of an option that lists none or not evenly."""
    options = registry.load_game(game_id).options
    assert own.keys() <= {option.name for option in options}
    return {option.name: rng.choice(own.get(option.name) or values(option.kind)) for option in options}


class _Entries:
    def start_session(self, setup):
        self.setup, self.entries = setup, []

    def append(self, entry):
        self.entries.append(entry)


class GameMachine:
    """Subclasses name the `game` and make the first `model` with its players and options in
    `begin`."""

    game = ""

    def begin(self, rng):
        """Return the model and the options of the start."""
        raise NotImplementedError

    def start(self, seed):
        self.log = _Entries()
        self.referee = Referee(log=self.log)
        self.model, options = self.begin(random.Random(seed))
        self.past, self.future = [], []
        reply = self.send({"do": "start", "game": self.game, "players": self.model.names, "options": options})
        self.compare(reply["view"])

    def send(self, request):
        return json.loads(self.referee.answer_line(json.dumps(request).encode()))

    def compare(self, view):
        """The view must have the model's fields, and may have more."""
        wanted = self.model.view()
        assert {name: view[name] for name in wanted if name != "players"} == {
            name: value for name, value in wanted.items() if name != "players"
        }
        for shown, row in zip(view["players"], wanted["players"], strict=True):
            assert {name: shown[name] for name in row} == row
        self.model.check()

    def act(self, request):
        before = pickle.dumps(self.model)  # few are taken back: bytes cost a tenth of a `deepcopy`
        code = self.model.answer(request)
        reply = self.send(request)
        if code is None:
            assert reply["ok"], (request, reply)
            self.past.append(before)
            self.future.clear()
            self.compare(reply["view"])
        else:
            self.model = pickle.loads(before)
            assert not reply["ok"], (request, code)
            assert reply["error"]["code"] == code, (request, reply)
            self.compare(self.send({"do": "view"})["view"])

    def undo(self):
        self._back(self.past, self.future, "undo")

    def redo(self):
        self._back(self.future, self.past, "redo")

    def _back(self, source, target, do):
        reply = self.send({"do": do})
        if not source:
            assert reply["error"]["code"] == "nothing_to_undo"
            return
        target.append(pickle.dumps(self.model))
        self.model = pickle.loads(source.pop())
        self.compare(reply["view"])

    def replay(self):
        """Compare what the journal alone leads to."""
        again = replayed(registry.load_game(self.game), self.log.setup, self.log.entries)
        assert again.state == self.referee.session.state
        self.compare(json.loads(json.dumps(again.view())))


def refused_first(names, view, request):
    """The common checks, in their order, for a request of the right shape that names a `player`."""
    if view["result"] is not None:
        return "game_over"
    if request.get("player") is not None and request["player"] not in names:
        return "unknown_player"
    return None
