"""The catalogues of a game against its code and against each other."""

from __future__ import annotations

import ast
import fnmatch
import string
from importlib.resources import files
from pathlib import Path

from babel.messages.pofile import read_po

import companion

LOCALE = Path(companion.__file__).parent / "locale"


def messages(language, *domains):
    """Every message of these catalogues: id to its forms."""
    found = {}
    for domain in domains:
        with (LOCALE / language / "LC_MESSAGES" / f"{domain}.po").open("rb") as source:
            for message in read_po(source):
                ids, words = message.id, message.string
                if ids:
                    found[ids if isinstance(ids, str) else ids[0]] = (
                        (words,) if isinstance(words, str) else words
                    )
    return found


def both_languages_say_the_same(game_id):
    """The same messages, with the same arguments, none of them empty."""
    english, french = messages("en", game_id), messages("fr", game_id)
    assert set(english) == set(french)
    for code, forms in english.items():
        assert all([*forms, *french[code]]), code
        assert _fields(forms) == _fields(french[code]), code


def every_code_in_the_sources_has_words(game_id, common="common"):
    """Whatever `Text("...")` and `refuse("...")` name in the game's package, and in what games share, is in a catalogue."""
    known = set(messages("en", game_id, "companion"))
    named = {code for package in (game_id, common) for code in _codes(f"companion.rules.{package}")}
    assert named
    for code in named:
        assert fnmatch.filter(known, code), code


def _fields(forms):
    return {name for form in forms for _, name, _, _ in string.Formatter().parse(form) if name} - {"n"}


def _codes(package):
    for source in files(package).iterdir():
        if source.name.endswith(".py"):
            for node in ast.walk(ast.parse(source.read_text())):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args:
                    yield from _named_by(node)


def _named_by(call):
    says = [keyword.value for keyword in call.keywords if keyword.arg == "say"]
    if call.func.id == "Text":
        yield from _literals(call.args[0], "")
    elif call.func.id == "refuse":
        yield from _literals(says[0] if says else call.args[0], "refusal.")


def _literals(node, prefix):
    match node:
        case ast.Constant(value=str(code)):
            yield prefix + code
        case ast.IfExp():
            yield from _literals(node.body, prefix)
            yield from _literals(node.orelse, prefix)
        case ast.JoinedStr():
            yield prefix + "".join(
                part.value if isinstance(part, ast.Constant) else "*" for part in node.values
            )
