"""The mistakes of a deck file, named by line and key."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from companion.rules.contract import Problem, Text
from companion.texts import Translator, clean


@dataclass(frozen=True)
class Fault:
    """One mistake of a deck file: the line (from 1; 0 where there is none), the key (empty: the
    whole line), and what to do."""

    line: int
    key: str
    text: Text

    def located(self) -> Text:
        """Return the whole sentence: where, and what to do."""
        where = ("line_" if self.line else "") + ("key" if self.key else "")
        args = {"line": self.line, "key": self.key, "what": self.text}
        return Text(f"deck.at.{where.strip('_') or 'file'}", args)


class DeckError(Problem):
    """A deck cannot be used: `file` says which, `faults` every mistake. As a string it is English,
    one line for each fault."""

    def __init__(self, file: str, faults: Iterable[Fault]) -> None:
        self.file = file
        self.faults = tuple(faults)
        super().__init__(self.faults[0].located())

    def said(self, say: Callable[[Text], str]) -> str:
        """Word it for a player: file, line, key and what to do, one line a fault."""
        return "\n".join(f"{clean(self.file)}: {say(fault.located())}" for fault in self.faults)

    def __str__(self) -> str:
        return self.said(Translator().say)


def fault(code: str, /, line: int = 0, key: str = "", **args: object) -> Fault:
    """Make a fault whose words are the message `deck.<code>`."""
    return Fault(line, key, Text(f"deck.{code}", args))
