"""The plain view: everything line by line, for screen readers, logs and terminals that can do no more.

What happens is printed as it happens. A line typed in is a choice: Enter alone lists what can be entered now, a number or key chooses;
`undo`, `redo`, `why`, `pause`, `quit` do what they say.
"""

from __future__ import annotations

import select
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TextIO

from companion.live.snapshot import Line, Snapshot
from companion.rules.contract import GAME_OVER, Choice, Pick, Request, Text
from companion.texts import Translator, clean
from companion.views.host import Backstage, Host, Seats
from companion.views.menu_keys import keyed
from companion.views.places import move_in_words

_TICK = 0.1


class Plain:
    """A conversation in lines with one live session."""

    def __init__(
        self, host: Host, say: Translator, out: Callable[[str], object], backstage: Backstage | None = None
    ) -> None:
        self._host = host
        self._say = say
        self._out = out
        self._backstage = backstage
        self._seats: Seats | None = backstage if isinstance(backstage, Seats) else None
        self._commands = {command.typed: command for command in backstage.commands} if backstage else {}
        self._seen = -1
        self._before: Snapshot | None = None
        self._menu: list[tuple[str, Choice]] = []
        self._picking: Choice | None = None

    def look(self, now: float) -> bool:
        """Take in what the readers reported and print what is new; tell whether the game goes on."""
        if self._backstage is not None:
            self._backstage.tick(now)
        self._host.tick(now)
        snapshot = self._host.snapshot()
        if snapshot.number != self._seen:
            self._seen = snapshot.number
            for sentence in self._news(snapshot):
                self._out(sentence)
            self._before = snapshot
        return bool(snapshot.view["phase"] != GAME_OVER)

    def enter(self, line: str) -> bool:
        """Take one line that was typed; return False when it says to stop."""
        words = line.strip()
        if words == "quit":
            return False
        acts: dict[str, Callable[[], object]] = {
            "": self._list,
            "undo": self._host.undo,
            "redo": self._host.redo,
            "why": self._why,
            "moved": self._host.confirm_moves,
            "pause": lambda: self._pause(True),
            "go": lambda: self._pause(False),
            "help": lambda: self._out(self._say("plain.help")),
        }
        if self._picking is not None:
            self._pick(words)
        elif words in acts:
            acts[words]()
        elif words in self._commands:
            self._tell(self._commands[words].act())
        else:
            self._choose(words)
        return True

    def _news(self, snapshot: Snapshot) -> Iterator[str]:
        before = self._before
        yield from self._log_news(() if before is None else before.log, snapshot.log)
        if snapshot.refusal is not None and (before is None or before.refusal != snapshot.refusal):
            clause = f" ({snapshot.refusal.clause})" if snapshot.refusal.clause else ""
            yield self._say.say(snapshot.refusal.text) + clause
        if before is None or before.report != snapshot.report:
            for reason in snapshot.report:
                yield f"{self._say.say(reason.text)} ({', '.join(reason.clauses)})"
        if snapshot.moves and (before is None or before.moves != snapshot.moves):
            yield self._say("moves.title.plain")
            for move in snapshot.moves:
                yield move_in_words(move, self._say, snapshot.setup.players)
        yield from self._trouble(before, snapshot)
        for question in snapshot.questions:
            if before is None or question not in before.questions:
                yield self._say.say(question.text)
        if before is None or before.awaited != snapshot.awaited:
            points = ", ".join(f"{clean(row['name'])} {row['points']}" for row in snapshot.view["players"])
            yield f"{points}. {self._say.say(snapshot.awaited)}"

    def _trouble(self, before: Snapshot | None, now: Snapshot) -> Iterator[str]:
        """Tell what the players should know besides the game: a notice, a journal that is not kept, a reader that is lost."""
        told = () if before is None else _besides(before)
        for text in _besides(now):
            if text not in told:
                yield self._say.say(text)

    def _log_news(self, told: Sequence[Line], log: Sequence[Line]) -> Iterator[str]:
        """Tell each line that is new, and each that no longer stands."""
        known = list(told)
        for line in log:
            if line in known:
                known.remove(line)
            elif line.stands:
                yield self._say.say(line.text)
            else:
                yield self._say("plain.struck", line=line.text)

    def _list(self) -> None:
        snapshot = self._host.snapshot()
        if snapshot.questions:
            choices = list(snapshot.questions[0].choices)
        else:
            choices = list(self._host.choices(None))
            awaited = {wait["player"] for wait in snapshot.view["waiting_for"] if wait["player"]}
            for player in snapshot.setup.players:
                choices += self._choices_of(player) if player in awaited else []
        self._menu = list(zip(keyed([""] * len(choices)), choices, strict=True))
        for key, choice in self._menu:
            self._out(f"{key}: {self._say.say(choice.label)}")

    def _choices_of(self, player: str) -> Sequence[Choice]:
        taken = self._seats is not None and player in self._seats.people
        return self._seats.wishes(player) if self._seats is not None and taken else self._host.choices(player)

    def _submit(self, request: Request) -> None:
        """Enter a request; at a seat that was taken over the hands at the demo table do it."""
        player = getattr(request, "player", None)
        if self._seats is None or player not in self._seats.people:
            self._host.submit(request)
            return
        self._tell(self._seats.enact(request))

    def _tell(self, said: object) -> None:
        if isinstance(said, Text):
            self._out(self._say.say(said))

    def _choose(self, typed: str) -> None:
        found = [(number, choice) for number, (key, choice) in enumerate(self._menu) if key == typed]
        if not found:
            self._out(self._say("plain.unknown", typed=typed))
            return
        number, choice = found[0]
        questions = self._host.snapshot().questions
        if questions:
            self._host.answer(questions[0].id, number)
        elif choice.pick is not None:
            self._picking = choice
            names = ", ".join(name for name, _ in choice.pick.cards)
            self._out(self._say("plain.pick", least=choice.pick.least, most=choice.pick.most, cards=names))
        else:
            self._submit(choice.request)
        self._menu = []

    def _pick(self, words: str) -> None:
        choice, self._picking = self._picking, None
        assert choice is not None
        assert choice.pick is not None
        cards = words.split()
        if _fits(choice.pick, cards):
            self._submit(choice.with_cards(cards))
        else:
            self._out(self._say("plain.unknown", typed=words))

    def _pause(self, paused: bool) -> None:
        self._host.pause(paused)
        if self._backstage is not None:
            self._backstage.pause(paused)

    def _why(self) -> None:
        for player in self._host.snapshot().setup.players:
            for reason in self._host.explain(player):
                worth = f" {reason.points}" if reason.points else ""
                self._out(
                    f"{clean(player)}: {self._say.say(reason.text)}{worth} ({', '.join(reason.clauses)})"
                )


def _besides(snapshot: Snapshot) -> list[Text]:
    lost = [health.text for health in snapshot.health if health.state == "lost"]
    return [text for text in (snapshot.notice, snapshot.keeping, *lost) if text is not None]


def _fits(pick: Pick, cards: list[str]) -> bool:
    copies = dict(pick.cards)
    known = all(cards.count(card) <= copies.get(card, 0) for card in cards)
    return known and pick.least <= len(cards) <= pick.most


def run(host: Host, say: Translator, backstage: Backstage | None = None, source: TextIO = sys.stdin) -> None:
    """Hold the conversation on the terminal until `quit`, the end of the input, or Ctrl-C."""
    plain = Plain(host, say, lambda line: print(line, flush=True), backstage)
    print(say("plain.help"), flush=True)
    while True:
        plain.look(time.monotonic())
        if select.select([source], [], [], _TICK)[0]:
            line = source.readline()
            if not line or not plain.enter(line):
                return
