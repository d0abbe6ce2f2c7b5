"""A session in words: each step as it is taken, and one line an act, with what was undone or replaced kept beside it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import Any, Literal, NamedTuple

from companion.rules.contract import Game, Setup, Text
from companion.rules.session import Act, Entry, Session

Kind = Literal["act", "undo", "redo", "correct"]


class _Told(NamedTuple):
    act: Act
    text: Text
    state: Any


class Narration:
    """Follows a session's acts. Only what is new is put into words, so that a long evening costs no more than a short one."""

    def __init__(self, game: Game[Any], setup: Setup) -> None:
        self._game = game
        self._first = game.start(setup)
        self._told: list[_Told] = []
        self._struck: list[tuple[int, _Told]] = []

    def step(self, kind: Kind, acts: Sequence[Act], at: int = 0) -> Text:
        """Follow one step, of which `acts` (the session's own objects) stand afterwards; put it into words. `at`: see `Entry`."""
        before, words = [told.act for told in self._told], self.last
        self._follow(acts)
        match kind:
            case "act":
                return self._told[-1].text
            case "undo" if _one_more(before, acts):
                return Text("live.undone", {"what": words})
            case "redo" if _one_more(acts, before):
                return Text("live.redone", {"what": self.last})
            case "undo" | "redo":
                return Text(f"live.correction_{kind}")
            case "correct":
                gone = at >= len(acts) or [acts[at].request] == [
                    act.request for act in before[at + 1 : at + 2]
                ]
                number = {"act": at + 1}
                if gone:
                    return Text("live.taken_out", number)
                return Text("live.corrected", {**number, "what": self._told[at].text})

    def replay(self, session: Session, entries: Sequence[Entry]) -> list[Text]:
        """Replay a journal into `session`, and put each entry into words."""
        texts = []
        for entry in entries:
            session.replay([entry])
            texts.append(self.step(entry.kind, session.acts(), entry.at))
        return texts

    def state_before(self, number: int) -> Any:
        """Return the game's state before act number `number` (0: the first one)."""
        return self._told[number - 1].state if number else self._first

    def act(self, number: int) -> Act | None:
        """Return act `number` of those that stand, None if there is none."""
        return self._told[number].act if 0 <= number < len(self._told) else None

    @property
    def last(self) -> Text | None:
        """The words of the act that stands last, None before the first."""
        return self._told[-1].text if self._told else None

    def lines(self) -> list[tuple[int, bool, Text]]:
        """List (act number, whether it stands, words), by number; what no longer stands comes before what took its place.

        What was undone and then done again in the same words is listed once.
        """
        shown = [
            (number, False, told.text)
            for number, told in self._struck
            if number >= len(self._told) or self._told[number].text != told.text
        ]
        shown += [(number, True, told.text) for number, told in enumerate(self._told)]
        return sorted(shown, key=lambda row: row[:2])

    def _follow(self, acts: Sequence[Act]) -> None:
        same = sum(
            1 for _ in takewhile(lambda pair: pair[0].act is pair[1], zip(self._told, acts, strict=False))
        )
        self._struck += enumerate(self._told[same:], same)
        del self._told[same:]
        for act in acts[same:]:
            text, state = tell(self._game, self.state_before(len(self._told)), act)
            self._told.append(_Told(act, text, state))
        standing = {id(told.act) for told in self._told}
        self._struck = [(number, told) for number, told in self._struck if id(told.act) not in standing]


def tell(game: Game[Any], state: Any, act: Act) -> tuple[Text, Any]:
    """Put one act into words; return them with the state after it."""
    words: list[Text] = []
    for event in act.events:
        state = game.evolve(state, event)
        said = game.describe(state, event)
        if said is not None:
            words.append(said)
    return _together(words) if words else _plain(act), state


def _together(words: Sequence[Text]) -> Text:
    return (
        words[0]
        if len(words) == 1
        else Text("live.sentences", {"first": words[0], "rest": _together(words[1:])})
    )


def _plain(act: Act) -> Text:
    """Name an act that the game has no words for (a card laid face down): who, and what the wire calls it."""
    player = getattr(act.request, "player", None)
    do = str(type(act.request).__struct_config__.tag)
    return (
        Text("live.act", {"do": do}) if player is None else Text("live.act_of", {"player": player, "do": do})
    )


def _one_more(longer: Sequence[Act], shorter: Sequence[Act]) -> bool:
    """Tell whether `longer` is `shorter` with one more act, the very same ones otherwise (no correction lies between)."""
    return len(longer) == len(shorter) + 1 and all(
        one is other for one, other in zip(longer, shorter, strict=False)
    )
