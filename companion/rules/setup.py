"""How a session begins: the options that a game has, and what was chosen."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any, get_args

import msgspec

from companion.rules.commitments import HiddenSeed


class Option(msgspec.Struct, frozen=True):
    """A ruling that players may choose: `kind` is the type that msgspec checks a value against
    (`Literal`, `bool`, ...).

    `sheet` is the rule sheet's own sentence that the readings differ about, in the sheet's
    language; "" where the sheet is silent. The game's catalogue says what the option is about,
    `option.<name>`, and what each value changes, `option.<name>.<value>`.
    """

    name: str
    default: Any
    kind: Any
    clause: str
    sheet: str = ""

    @property
    def values(self) -> tuple[str, ...]:
        """The values in words of the wire, the usual one first; () where there are too many to list
        (a number, a map).

        >>> from typing import Literal
        >>> Option("draws", "app", Literal["table", "app"], "DV-19").values
        ('app', 'table')
        """
        listed = (True, False) if self.kind is bool else get_args(self.kind)
        words = [one for one in listed if isinstance(one, str | bool)]
        return tuple(str(one).lower() for one in sorted(words, key=lambda one: one != self.default))

    def fits(self, value: object) -> bool:
        """Tell whether `value` has the option's type and lies in its range."""
        try:
            msgspec.convert(value, self.kind, strict=True)
        except msgspec.ValidationError:
            return False
        return True


class Setup(msgspec.Struct, frozen=True):
    """How a session began: the players clockwise from the first, every option with its value, and
    the seed.

    A seed that a client gave is public; one that the program chose nobody can read before the
    session is over.
    """

    game: str
    players: tuple[str, ...]
    options: Mapping[str, Any]
    seed: int | str | HiddenSeed

    def rng(self, *purpose: object) -> random.Random:
        """Make the generator for one purpose (`"draw", round`): the same session and purpose give
        the same numbers, also after undo."""
        seed = self.seed.open() if isinstance(self.seed, HiddenSeed) else self.seed
        # Text, not `hash`: Python salts the hash of text anew in each process.
        return random.Random(f"{seed!r}/{'/'.join(map(str, purpose))}")
