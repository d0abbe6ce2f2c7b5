"""Write the referee's reference, a page for each game: `python tools/write_protocol.py`.

Requests come from the message types that decode the lines, meanings of fields from their docstrings
and the views, and every example has been sent: `tools/protocol/<game>.txt` holds scenes, a request
on each line (`do name=value ...`), and a blank line between two referees.
"""

from __future__ import annotations

import inspect
import json
import typing
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, NotRequired, TypedDict, Union

import msgspec

from companion import referee
from companion.referee import Referee
from companion.rules import registry
from companion.rules.commitments import SeedCommitted, SeedRevealed
from companion.rules.contract import CommonView, FieldDoc, Game, Request, Setup
from companion.rules.positions import build_position_type

HERE = Path(__file__).parent
PAGES = HERE.parent / "docs" / "requests"
SCHEMAS = HERE.parent / "docs" / "schema"
DIALECT = "https://json-schema.org/draft/2020-12/schema"
EVERY = "every_game"
GAMES = ("donkey_valley", "dtc", "ochs_und_esel", "partners", "ascend")
TITLES = {EVERY: "Every game", "ochs_und_esel": "Ochs & Esel", "dtc": "DTC"}


class SentExample(NamedTuple):
    """One example: the line sent, its `do`, and the reply to it."""

    line: str
    do: str
    reply: dict[str, Any]


def parse_request(words: str) -> dict[str, Any]:
    """Parse `do name=value ...`; a value is JSON if it can be, otherwise a word."""
    do, *fields = words.split(" ")
    return {"do": do} | {
        name: _parse_value(value) for name, _, value in (field.partition("=") for field in fields)
    }


def _parse_value(words: str) -> Any:
    try:
        return json.loads(words)
    except json.JSONDecodeError:
        return words


def send_examples(name: str) -> Iterator[SentExample]:
    """Send every example of a game, each scene to a new referee."""
    for scene in (HERE / "protocol" / f"{name}.txt").read_text(encoding="utf-8").strip().split("\n\n"):
        talk = Referee()
        for words in scene.splitlines():
            line = json.dumps(parse_request(words), separators=(",", ":"))
            yield SentExample(line, parse_request(words)["do"], json.loads(talk.answer_line(line.encode())))


def build_page(name: str) -> str:
    """Return the reference of one game, or of the part common to all games."""
    examples = list(send_examples(name))
    types = (
        referee.COMMON
        if name == EVERY
        else (*registry.load_game(name).requests, *registry.load_game(name).questions)
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
            *_format_requests(types, examples),
            *(() if name == EVERY else _format_cards(registry.load_game(name).cards)),
            *(() if name == EVERY else _format_position(name)),
            "## View",
            "",
            *_format_view(name),
            "",
            "## Error codes",
            "",
            *_format_errors(examples),
            "",
        ]
    )


def _format_requests(types: tuple[type[Request], ...], examples: list[SentExample]) -> Iterator[str]:
    for kind in types:
        tag = str(kind.__struct_config__.tag)
        # raises without an example: every request must be shown
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
                yield f"| `{field.encode_name}` | {_format_type(hints[field.name])} | {_format_default(field)} |"
            yield ""
        yield f"    {example.line}"
        yield ""


def _format_cards(cards: Mapping[str | int, int | None]) -> Iterator[str]:
    """List the cards as requests name them, grouped by number of copies."""
    yield "## Cards"
    yield ""
    yield "| copies | names on the wire |"
    yield "|---|---|"
    for copies in dict.fromkeys(cards.values()):
        alike = ", ".join(f"`{json.dumps(card)}`" for card, count in cards.items() if count == copies)
        yield f"| {copies or 'differ from box to box'} | {alike} |"
    yield ""


def find_position_type(game: Game[Any]) -> type[msgspec.Struct]:
    """Return the type of a game's positions, which is the same for all its set-ups."""
    options = game.default_options({})
    return build_position_type(game, Setup(game.id, tuple("ABCDEFGHIJKL"[: game.seats[0]]), options, 1))


def _format_position(name: str) -> Iterator[str]:
    """Describe the fields of a position, with the one after the page's first scene."""
    kind = find_position_type(registry.load_game(name))
    yield "## Position"
    yield ""
    yield " ".join((kind.__doc__ or "").split())
    yield ""
    yield "| field | type | if absent |"
    yield "|---|---|---|"
    hints = typing.get_type_hints(kind)
    for field in msgspec.structs.fields(kind):
        yield f"| `{field.encode_name}` | {_format_type(hints[field.name])} | {_format_default(field)} |"
    yield ""
    yield f"    {json.dumps(find_example_position(name), separators=(',', ':'))}"
    yield ""


def find_example_position(name: str) -> dict[str, Any]:
    """Return the position in which the first scene of a page ends."""
    talk = Referee()
    scene, *_ = (HERE / "protocol" / f"{name}.txt").read_text(encoding="utf-8").strip().split("\n\n")
    for words in scene.splitlines():
        talk.answer_line(json.dumps(parse_request(words)).encode())
    position: dict[str, Any] = json.loads(talk.answer_line(b'{"do":"view"}'))["position"]
    return position


def _format_type(hint: Any) -> str:
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
            return _format_type(arguments[0])
        case typing.Literal:
            return ", ".join(f"`{one}`" for one in arguments)
        case kind if kind in (tuple, list):
            return f"list of {_format_type(arguments[0])}"
        case kind if kind is dict:
            return f"map of {_format_type(arguments[0])} to {_format_type(arguments[1])}"
        case _:
            return " or ".join(
                dict.fromkeys(_format_type(one) for one in arguments if one is not msgspec.UnsetType)
            )


def _format_default(field: msgspec.structs.FieldInfo) -> str:
    if field.required:
        return "`bad_request`"
    return (
        f"`{json.dumps(field.default, default=list)}`"
        if field.default not in (msgspec.NODEFAULT, msgspec.UNSET)
        else "nothing"
    )


def _format_view(name: str) -> Iterator[str]:
    fields = describe_view_fields(CommonView)
    if name != EVERY:
        own = describe_view_fields(registry.load_game(name).view_type)
        # fields that every game has are on the common page
        fields = {field: meaning for field, meaning in own.items() if field not in fields}
    yield "| field | meaning |"
    yield "|---|---|"
    for field, meaning in fields.items():
        yield f"| `{field}` | {meaning} |"


def collect_types(game: Game[Any]) -> dict[str, Any]:
    """Return the types of a game's requests, events, view and replies, with those common to all
    games."""
    requests = (*referee.COMMON, *game.requests, *game.questions)
    put_right = Union[(*game.requests, None)]
    with_request = (
        # the common types hold any game's request; here the request is one of this game
        msgspec.defstruct(
            kind.__name__, [("request", put_right)], bases=(kind,), namespace={"__doc__": kind.__doc__}
        )
        for kind in (referee.RequestUndone, referee.RequestRedone, referee.RequestCorrected)
    )
    events = (referee.SessionStarted, *with_request, SeedCommitted, SeedRevealed, *game.events)
    event = Union[(*events,)]
    legal = Union[(*game.requests,)]
    position = find_position_type(game)
    # the common reply holds any game's events, requests and view; here they are this game's
    fields = {
        **typing.get_type_hints(referee.AcceptedReply, include_extras=True),
        "events": list[event],  # type: ignore[valid-type]
        "view": game.view_type | None,
        "legal": NotRequired[list[legal]],  # type: ignore[valid-type]
        "position": NotRequired[position],  # type: ignore[valid-type]
    }
    accepted = TypedDict("AcceptedReply", fields)  # type: ignore[operator]
    accepted.__doc__ = referee.AcceptedReply.__doc__
    return {
        "request": Union[(*requests,)],
        "event": event,
        "view": game.view_type,
        "accepted": accepted,
        "refused": referee.RefusedReply,
    }


def build_schema(name: str) -> str:
    """Return the JSON Schema of a game's requests, events, views and replies, made from the types
    that decode and encode them."""
    types = collect_types(registry.load_game(name))
    made, parts = msgspec.json.schema_components(
        types.values(), schema_hook=_build_fraction_schema, ref_template="#/$defs/{name}"
    )
    for part in parts.values():
        if "description" in part:  # Python takes the indentation away itself since 3.13
            part["description"] = inspect.cleandoc(part["description"])
    named = dict(zip(types, made, strict=True))
    named["reply"] = {"oneOf": [named.pop("accepted"), named.pop("refused")]}
    return json.dumps({"$schema": DIALECT, "properties": named, "$defs": parts}, indent=1) + "\n"


def _build_fraction_schema(_kind: type) -> dict[str, Any]:
    """Return the schema of a fraction, the only type in messages that JSON does not have."""
    return {"type": ["integer", "string"], "description": "A whole number, or text such as `7/3`."}


def describe_view_fields(shows: Any) -> dict[str, str]:
    """Return the fields of a view with their meaning, those of players last; the name and the
    points of players need no explanation."""
    hints = typing.get_type_hints(shows, include_extras=True)
    (row,) = typing.get_args(typing.get_type_hints(shows)["players"])
    rows = {
        f"players[].{name}": hint for name, hint in typing.get_type_hints(row, include_extras=True).items()
    }
    return {
        name: told.description or ""
        for name, hint in (hints | rows).items()
        for told in typing.get_args(hint)[1:]
        if isinstance(told, FieldDoc)
    }


def _format_errors(examples: list[SentExample]) -> Iterator[str]:
    yield "| code | clause | example | message |"
    yield "|---|---|---|---|"
    for code, one in sorted(find_refusals(examples).items()):
        error = one.reply["error"]
        yield f"| `{code}` | {error['clause'] or ''} | `{one.line}` | {error['message']} |"


def find_refusals(examples: list[SentExample]) -> dict[str, SentExample]:
    """Return the first example of each error code."""
    found: dict[str, SentExample] = {}
    for one in examples:
        if not one.reply["ok"]:
            found.setdefault(one.reply["error"]["code"], one)
    return found


def main() -> None:
    """Write every page."""
    PAGES.mkdir(exist_ok=True)
    for name in (EVERY, *GAMES):
        (PAGES / f"{name}.md").write_text(build_page(name), encoding="utf-8")
    SCHEMAS.mkdir(exist_ok=True)
    for name in GAMES:
        (SCHEMAS / f"{name}.json").write_text(build_schema(name), encoding="utf-8")


if __name__ == "__main__":
    main()
