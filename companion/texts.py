"""Translate message codes (`Text`) into sentences, by the gettext catalogues of one language.

Message ids are codes (`refusal.card_spent`), so English has a catalogue like any other language. A
game's own catalogue is searched first (its domain is the game's id, in the folder `locale` of its
package), then the common one (domain `companion`), and at last that of the plug-in by whose name
the code begins (`companion.plug_ins`).

A template may ask for an argument in another form than its own, where a language needs it:

- `{player:de}`, `{player:que}`, `{card:le}`: French elision, « d’Ann », « qu’Ann », « l’âne »; in a
  list before each of them, « d’Ann et de Bob ».
- `{count:word}`: a number as a word, "three", as far as the catalogue has words (`number.text`);
  "13" beyond.
- `{points:score}`: points, of which a fraction is written as a mixed number (`format_score`).
"""

from __future__ import annotations

import errno
import gettext
import re
import sys
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from companion import plug_ins
from companion.language import LANGUAGES, LOCALE
from companion.rules import registry
from companion.rules.contract import Game, Problem, Text
from companion.rules.people import VerbatimName

if TYPE_CHECKING:
    import tomllib  # the referee reads no TOML, and starts without it

COMMON = "companion"
_SYSTEM = frozenset(
    {
        "EACCES",
        "EADDRINUSE",
        "EBUSY",
        "EDQUOT",
        "EEXIST",
        "EFBIG",
        "EIO",
        "EISDIR",
        "ELOOP",
        "EMFILE",
        "ENAMETOOLONG",
        "ENODEV",
        "ENOENT",
        "ENOSPC",
        "ENOTDIR",
        "ENOTEMPTY",
        "ENXIO",
        "EPERM",
        "EROFS",
        "ETXTBSY",
    }
)
"""Errors of the operating system that players meet and that have their own message
(`system.enoent`).
"""
_LONGEST_CODE = 80
_SEVERAL = 100
"""A number that takes the plural in every language."""
_NAMED = re.compile(r"{(\w+)[:}]")
_ELIDED = re.compile("de|que|le")
_VOWEL = re.compile(r"[aeiouœæ]|y(?![aeiou])|h(?!a)")
"""How a word begins, without accents, before which French elides: Élise, Yves, Hélène; not Yann nor
Hans. Spelling does not tell a mute h; in names it mostly is one, except before an a."""
_TOML_PLACE = re.compile(r"at line (\d+), column (\d+)")
_VALUE_PLACE = re.compile(r" - at `\$\.(.+)`$")
_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]")


def clean_text(name: str, width: int | None = None) -> str:
    """Make a name safe for a screen: remove control characters and direction marks, and cut it to
    `width` characters with an ellipsis.
    """
    cleaned = _UNSEEN.sub("", name)
    if width is None or len(cleaned) <= width:
        return cleaned
    return cleaned[: width - 1] + "…" if width > 0 else ""


def escape_formula(cell: str) -> str:
    """Escape a cell of a CSV file so that a spreadsheet does not run it as a formula (OWASP, CSV
    injection).
    """
    return f"'{cell}" if cell.startswith(("=", "+", "-", "@", "\t", "\r")) else cell


_FRACTION = re.compile(r"-?\d+/[1-9]\d*")
VULGAR_FRACTIONS = {
    (1, 2): "½",
    (1, 3): "⅓",
    (2, 3): "⅔",
    (1, 4): "¼",
    (3, 4): "¾",
}
"""Fractions that have a sign of their own, by numerator and denominator."""


def format_score(points: object) -> str:
    """Write points as people do, with a fraction as a mixed number. `points`: a number, or a string
    as in views (`141/2`); other strings are returned unchanged.

    >>> format_score("141/2"), format_score("-7/3"), format_score("1/2"), format_score(9)
    ('70½', '-2⅓', '½', '9')
    """
    text = str(points)
    if not _FRACTION.fullmatch(text):
        return text
    above, below = map(int, text.lstrip("-").split("/"))
    whole, rest = divmod(above, below)
    sign = "-" if text.startswith("-") else ""
    part = VULGAR_FRACTIONS.get((rest, below), f" {rest}/{below}" if whole else f"{rest}/{below}")
    return f"{sign}{whole or ''}{part}"


def format_gain(points: str, none: str) -> str:
    """Write the points that somebody won or lost with their sign; `none` if there are none.

    >>> format_gain("141/2", "–"), format_gain("-3", "–"), format_gain("0", "–")
    ('+70½', '-3', '–')
    """
    if points in ("0", ""):
        return none
    worth = format_score(points)
    return worth if worth.startswith("-") else f"+{worth}"


def make_encoding_problem(error: UnicodeEncodeError) -> Problem:
    """Return the problem to report for typed input that is not valid text, such as bytes of another
    encoding.
    """
    return Problem("typed.no_text", given=ascii(error.object[error.start : error.end]))


def describe_os_error(error: OSError) -> Text:
    """Return why the operating system refused, in the player's language if we have a message for
    the error, else in the system's own words.
    """
    name = errno.errorcode.get(error.errno or 0, "")
    reason = Text("system.other", {"reason": error.strerror or type(error).__name__})
    if name in _SYSTEM:
        reason = Text(f"system.{name.lower()}")
    # `SaveInDoubt`: the new file has its name, but perhaps not for long.
    return Text("system.in_doubt", {"reason": reason}) if getattr(error, "is_in_doubt", False) else reason


def describe_toml_error(error: tomllib.TOMLDecodeError) -> Text:
    """Return where a file stops being valid TOML: its line and column, or its end."""
    found = _TOML_PLACE.search(str(error))
    return Text("toml.place", {"line": found[1], "column": found[2]}) if found else Text("toml.end")


def describe_validation_error(error: msgspec.ValidationError) -> Text:
    """Return which value of a file does not fit, by its key (`zone[0].name`)."""
    found = _VALUE_PLACE.search(str(error))
    return Text("toml.value", {"key": found[1]}) if found else Text("toml.values")


class Translator:
    """Translator of `Text` into one language, for one game (None: the common messages only).

    A `str` in the arguments of a `Text` is a player's name in the game, and is replaced by the
    player's current name; a name that has been replaced already (`display_name`) is passed as
    `VerbatimName`, or it would be replaced twice.

    `names`: current names of players, where they differ from those at the start
    (`companion.rules.people`).
    """

    def __init__(
        self, language: str = "en", game: Game[Any] | None = None, names: Mapping[str, str] | None = None
    ) -> None:
        self.language = language if language in LANGUAGES else "en"
        self.game = game
        self.names = names or {}
        self._plug_in_catalogues: dict[str, list[gettext.NullTranslations]] = {}

    @classmethod
    def for_game(cls, language: str, game_id: str | None) -> Translator:
        """Make the translator for the game with this id, or for the common messages only if it is
        not installed.
        """
        try:
            return cls(language, None if game_id is None else registry.load_game(game_id))
        except registry.GameUnavailable:
            return cls(language)

    def with_names(self, names: Mapping[str, str]) -> Translator:
        """Return a translator that uses these names; itself if it does already."""
        if names == self.names:
            return self
        other = Translator(self.language, self.game, names)
        other.__dict__["_catalogues"] = self._catalogues  # read once an evening
        other._plug_in_catalogues = self._plug_in_catalogues
        return other

    def display_name(self, player: str, width: int | None = None) -> str:
        """Return the current name of a player, safe for a screen, cut to `width` characters with an
        ellipsis.
        """
        return clean_text(self.names.get(player, player), width)

    @cached_property
    def _catalogues(self) -> list[gettext.NullTranslations]:
        domains = [] if self.game is None else [(self.game.id, find_game_folder(self.game) / "locale")]
        return self._read_catalogues([*domains, (COMMON, LOCALE)])

    def _read_catalogues(self, domains: Sequence[tuple[str, Path]]) -> list[gettext.NullTranslations]:
        found: list[gettext.NullTranslations] = []
        # English last: at a table a missing translation is better in English than not at all.
        for lang in (self.language, "en"):
            for domain, folder in domains:
                # Where this domain has no catalogue, the next one may.
                with suppress(OSError):
                    found.append(gettext.translation(domain, folder, [lang]))
        return found

    def _list_catalogues(self, code: str) -> Iterator[gettext.NullTranslations]:
        yield from self._catalogues
        # Only for a code that is in none of these: who plays without plug-ins looks for none.
        name = code.partition(".")[0]
        if name not in self._plug_in_catalogues:
            folder = plug_ins.find_catalogues(name)
            self._plug_in_catalogues[name] = [] if folder is None else self._read_catalogues([(name, folder)])
        yield from self._plug_in_catalogues[name]

    def translate(self, text: Text) -> str:
        """Translate `text`, by `show_unknown` if no catalogue has it."""
        words = self.find_words(text)
        return show_unknown(text) if words is None else words

    def find_words(self, text: Text) -> str | None:
        """Translate `text`; None if no catalogue has it."""
        args = {name: _Argument(self, value) for name, value in text.args.items()}
        if text.n is not None:
            args.setdefault("n", _Argument(self, text.n))
        template = self._look_up_message(text)
        if template is None:
            return None
        try:
            return template.format_map(args)
        except (KeyError, IndexError, ValueError) as error:
            return show_unfilled(text, template, error)

    def __call__(self, code: str, /, n: int | None = None, **args: Any) -> str:
        """Translate the message `code` with these arguments; a `str` is shown unchanged, player
        names included.
        """
        return self.translate(Text(code, {name: _mark_verbatim(value) for name, value in args.items()}, n))

    def find_template(self, code: str) -> str:
        """Return the message `code` with its placeholders, for a page that fills them itself."""
        return self._look_up_message(Text(code)) or code

    def _look_up_message(self, text: Text) -> str | None:
        has_number = any(type(value) is int for value in text.args.values())
        for catalogue in self._list_catalogues(text.code):
            n = text.n
            if n is None and has_number:  # the number that the message names first
                several = catalogue.ngettext(text.code, text.code, _SEVERAL)
                n = next(
                    (one for one in map(text.args.get, _NAMED.findall(several)) if type(one) is int), None
                )
            # Plural forms first, as of one where no number is said: `gettext` of a message that has
            # them finds nothing in Python 3.11.2, which is Debian 12's.
            found = catalogue.ngettext(text.code, text.code, 1 if n is None else n)
            if found == text.code:
                found = catalogue.gettext(text.code)
            if found != text.code:
                return found
        return None

    def format_argument(self, value: Any, form: str = "") -> str:
        """Put an argument of a `Text` into words, in the form that a template asks for.

        Raises `ValueError` for an unknown form.
        """
        if form == "score":
            return format_score(value)
        match value:
            case Text():
                words = self.translate(value)
            case VerbatimName():
                words = clean_text(value)
            case str():
                words = self.display_name(value)
            case Mapping():
                words = ", ".join(
                    f"{self.display_name(key)} {self.format_argument(one)}" for key, one in value.items()
                )
            case Sequence():
                return self._format_list([self.format_argument(one, form) for one in value])
            case int() if form == "word":
                return self._number_words[value] if 0 <= value < len(self._number_words) else str(value)
            case _:
                words = str(value)
        if not form:
            return words
        return elide(form, words) if _ELIDED.fullmatch(form) else format(words, form)

    @cached_property
    def _number_words(self) -> list[str]:
        return self("number.words").split()

    def _format_list(self, words: list[str]) -> str:
        if len(words) < 2:
            return "".join(words)
        return self("list.and", first=", ".join(words[:-1]), last=words[-1])


class _Argument:
    """An argument of a `Text`, put into words only where the template names it."""

    __slots__ = ("_translator", "_value")

    def __init__(self, translator: Translator, value: Any) -> None:
        self._translator = translator
        self._value = value

    def __format__(self, form: str) -> str:
        return self._translator.format_argument(self._value, form)


def show_unknown(text: Text) -> str:
    """Return the code of a message that no catalogue has, so that the gap is visible and harmless.
    Tests put a failure in its place."""
    # never used as a pattern: a code may come from a user's file
    return clean_text(text.code, _LONGEST_CODE)


def show_unfilled(text: Text, template: str, error: Exception) -> str:
    """Return the template itself for a message whose arguments do not fit it: players can still
    make sense of it. Tests put a failure in its place."""
    return template


def elide(particle: str, words: str) -> str:
    """Put `de`, `que` or `le` before words, as French writes it.

    >>> elide("que", "Bob"), elide("que", "Élise"), elide("que", "Yann")
    ('que Bob', 'qu’Élise', 'que Yann')
    """
    return f"{particle[:-1]}’{words}" if _VOWEL.match(fold_text(words)) else f"{particle} {words}"


def _mark_verbatim(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_mark_verbatim, value))
    return VerbatimName(value) if isinstance(value, str) else value


def find_game_folder(game: Game[Any]) -> Path:
    """Return the folder of the game's package, which holds its deck, art and catalogues."""
    return Path(sys.modules[type(game).__module__].__file__ or "").parent


def search_lines(typed: str, lines: Sequence[str]) -> list[int]:
    """Return the indices of the lines that contain every typed word, ignoring case and accents.

    >>> search_lines("zoe valley", ["Donkey Valley, Zoé and Bob", "Ascend, Zoé"])
    [0]
    """
    words = fold_text(typed).split()
    return [
        number for number, line in enumerate(map(fold_text, lines)) if all(word in line for word in words)
    ]


def fold_text(text: str) -> str:
    """Remove accents and case, for comparison."""
    decomposed = unicodedata.normalize("NFD", text)
    return "".join(one for one in decomposed if not unicodedata.combining(one)).casefold()
