"""Write the referee's reference, a page a game: `python tools/write_protocol.py`.

Requests come from the message types that decode the lines, meanings of fields from their docstrings
and the views, and every example has been sent: `tools/protocol/<game>.txt` holds scenes, a request
a line (`do name=value ...`), and a blank line between two referees.
"""

from __future__ import annotations

import inspect
import json
import typing
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, Union

import msgspec

from companion import referee
from companion.referee import Referee
from companion.rules import registry
from companion.rules.commitments import SeedCommitted, SeedTold
from companion.rules.contract import CommonView, Game, Request, Told

HERE = Path(__file__).parent
PAGES = HERE.parent / "docs" / "requests"
SCHEMAS = HERE.parent / "docs" / "schema"
DIALECT = "https://json-schema.org/draft/2020-12/schema"
EVERY = "every_game"
GAMES = ("donkey_valley", "dtc", "ochs_und_esel", "partners", "ascend")
TITLES = {EVERY: "Every game", "ochs_und_esel": "Ochs & Esel", "dtc": "DTC"}


class Sent(NamedTuple):
    """One example: the line and the answer to it."""

    line: str
    do: str
    reply: dict[str, Any]


def request_of(words: str) -> dict[str, Any]:
    """Read `do name=value ...`; a value is JSON where it can be, else a word."""
    do, *fields = words.split(" ")
    return {"do": do} | {name: _value(value) for name, _, value in (field.partition("=") for field in fields)}


def _value(words: str) -> Any:
    try:
        return json.loads(words)
    except json.JSONDecodeError:
        return words


def sent(name: str) -> Iterator[Sent]:
    """Send every example of a game, each scene to a referee of its own."""
    for scene in (HERE / "protocol" / f"{name}.txt").read_text(encoding="utf-8").strip().split("\n\n"):
        talk = Referee()
        for words in scene.splitlines():
            line = json.dumps(request_of(words), separators=(",", ":"))
            yield Sent(line, request_of(words)["do"], json.loads(talk.answer(line.encode())))


def page(name: str) -> str:
    """Return the reference of one game, or of what every game has."""
    examples = list(sent(name))
    types = (
        referee.COMMON if name == EVERY else (*registry.load(name).requests, *registry.load(name).questions)
    )
    title = TITLES.get(name, name.replace("_", " ").title())
    return "\n".join(
        [
            f"# {title}: requests, view and error codes",
            "",
            "Made by `python tools/write_protocol.py` from the message types that read the lines; every example here has been sent.",
            ""
            if name == EVERY
            else "What every game has stands in [every_game.md](every_game.md), the rules in "
            f"[../rules/{name}.en.md](../rules/{name}.en.md), the events in [../events/{name}.md](../events/{name}.md).",
            "",
            "## Requests",
            "",
            *_requests(types, examples),
            *(() if name == EVERY else _cards(registry.load(name).cards)),
            "## View",
            "",
            *_view(name),
            "",
            "## Error codes",
            "",
            *_errors(examples),
            "",
        ]
    )


def _requests(types: tuple[type[Request], ...], examples: list[Sent]) -> Iterator[str]:
    for kind in types:
        tag = str(kind.__struct_config__.tag)
        example = next(one for one in examples if one.do == tag and one.reply["ok"])
        yield f"### `{tag}`"
        yield ""
        yield " ".join((kind.__doc__ or "").split())
        yield ""
        fields = msgspec.structs.fields(kind)
        if fields:
            yield "| field | type | if absent |"
            yield "|---|---|---|"
            hints = typing.get_type_hints(kind)
            for field in fields:
                yield f"| `{field.encode_name}` | {_type_word(hints[field.name])} | {_absent(field)} |"
            yield ""
        yield f"    {example.line}"
        yield ""


def _cards(cards: Mapping[str | int, int | None]) -> Iterator[str]:
    """List the cards as requests name them, those with as many copies together."""
    yield "## Cards"
    yield ""
    yield "| copies | names on the wire |"
    yield "|---|---|"
    for copies in dict.fromkeys(cards.values()):
        alike = ", ".join(f"`{json.dumps(card)}`" for card, count in cards.items() if count == copies)
        yield f"| {copies or 'differ from box to box'} | {alike} |"
    yield ""


def _type_word(hint: Any) -> str:
    if hint is Any:
        return "anything"
    if hint is type(None):
        return "null"
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        return "object with " + ", ".join(f"`{field.encode_name}`" for field in msgspec.structs.fields(hint))
    arguments = typing.get_args(hint)
    match typing.get_origin(hint):
        case None:
            return {"str": "string", "int": "integer", "bool": "true or false"}.get(
                hint.__name__, hint.__name__
            )
        case typing.Annotated:
            return _type_word(arguments[0])
        case typing.Literal:
            return ", ".join(f"`{one}`" for one in arguments)
        case kind if kind in (tuple, list):
            return f"list of {_type_word(arguments[0])}"
        case kind if kind is dict:
            return f"map of {_type_word(arguments[0])} to {_type_word(arguments[1])}"
        case _:
            return " or ".join(
                dict.fromkeys(_type_word(one) for one in arguments if one is not msgspec.UnsetType)
            )


def _absent(field: msgspec.structs.FieldInfo) -> str:
    if field.required:
        return "`bad_request`"
    return (
        f"`{json.dumps(field.default)}`"
        if field.default not in (msgspec.NODEFAULT, msgspec.UNSET)
        else "nothing"
    )


def _view(name: str) -> Iterator[str]:
    fields = view_fields(CommonView)
    if name != EVERY:
        own = view_fields(registry.load(name).shows)
        fields = {field: meaning for field, meaning in own.items() if field not in fields}
    yield "| field | meaning |"
    yield "|---|---|"
    for field, meaning in fields.items():
        yield f"| `{field}` | {meaning} |"


def types_of(game: Game[Any]) -> dict[str, Any]:
    """Return the types of a game's requests, events and view, with what every game has."""
    requests = (*referee.COMMON, *game.requests, *game.questions)
    put_right = Union[(*game.requests, None)]
    with_request = (
        msgspec.defstruct(
            kind.__name__, [("request", put_right)], bases=(kind,), namespace={"__doc__": kind.__doc__}
        )
        for kind in (referee.RequestUndone, referee.RequestRedone, referee.RequestCorrected)
    )
    events = (referee.SessionStarted, *with_request, SeedCommitted, SeedTold, *game.events)
    return {"request": Union[(*requests,)], "event": Union[(*events,)], "view": game.shows}


def schema(name: str) -> str:
    """Return the JSON Schema of a game's requests, events and view, made from the types that decode
    and encode them."""
    types = types_of(registry.load(name))
    made, parts = msgspec.json.schema_components(types.values(), ref_template="#/$defs/{name}")
    for part in parts.values():
        if "description" in part:  # Python takes the indentation away itself since 3.13
            part["description"] = inspect.cleandoc(part["description"])
    named = dict(zip(types, made, strict=True))
    return json.dumps({"$schema": DIALECT, "properties": named, "$defs": parts}, indent=1) + "\n"


def view_fields(shows: Any) -> dict[str, str]:
    """Return the fields of a view with what they mean, those of players last; the name and the
    points of players need no words."""
    hints = typing.get_type_hints(shows, include_extras=True)
    (row,) = typing.get_args(typing.get_type_hints(shows)["players"])
    rows = {
        f"players[].{name}": hint for name, hint in typing.get_type_hints(row, include_extras=True).items()
    }
    return {
        name: told.description or ""
        for name, hint in (hints | rows).items()
        for told in typing.get_args(hint)[1:]
        if isinstance(told, Told)
    }


def _errors(examples: list[Sent]) -> Iterator[str]:
    yield "| code | clause | example | message |"
    yield "|---|---|---|---|"
    for code, one in sorted(refusals(examples).items()):
        error = one.reply["error"]
        yield f"| `{code}` | {error['clause'] or ''} | `{one.line}` | {error['message']} |"


def refusals(examples: list[Sent]) -> dict[str, Sent]:
    """Return the first example of each error code."""
    found: dict[str, Sent] = {}
    for one in examples:
        if not one.reply["ok"]:
            found.setdefault(one.reply["error"]["code"], one)
    return found


def main() -> None:
    """Write every page."""
    PAGES.mkdir(exist_ok=True)
    for name in (EVERY, *GAMES):
        (PAGES / f"{name}.md").write_text(page(name), encoding="utf-8")
    SCHEMAS.mkdir(exist_ok=True)
    for name in GAMES:
        (SCHEMAS / f"{name}.json").write_text(schema(name), encoding="utf-8")


if __name__ == "__main__":
    main()
