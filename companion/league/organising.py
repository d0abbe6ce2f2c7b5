"""What the organiser does, and the page on which they do it: who takes part, the next round,
results without a laptop, people."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any
from uuid import UUID

import msgspec
from psycopg import Connection

from companion.league import people, rounds
from companion.league.log import notify
from companion.league.pages import Pieces, game_title
from companion.league.rounds import RoundShown, RoundTable
from companion.league.seating import LEAST, MOST
from companion.rules import registry
from companion.rules.contract import Problem
from companion.texts import Translator


class Wish(msgspec.Struct, frozen=True, tag_field="do"):
    """Something that the organiser wants done, as a form sends it."""

    def fulfil(self, db: Connection[Any], club: int) -> None:
        """Do it, and tell all pages; raise `Problem` in words where it cannot be."""
        with db.transaction():
            self.done(db, club)
            notify(db, club, "shown")

    def done(self, db: Connection[Any], club: int) -> None:
        """Do it."""
        raise NotImplementedError


class DrawRound(Wish, frozen=True, tag="draw"):
    """Draw the next round, of the game that goes on where none is named."""

    game: str = ""
    seats: int = 0

    def done(self, db: Connection[Any], club: int) -> None:
        """See `rounds.pair`."""
        rounds.pair(db, club, self.game or None, self.seats or None)


class BeginTournament(Wish, frozen=True, tag="begin"):
    """A tournament of this game begins: who is there can be entered, then a round drawn."""

    game: str

    def done(self, db: Connection[Any], club: int) -> None:
        """See `rounds.tournament`."""
        rounds.tournament(db, club, self.game)


class Arrive(Wish, frozen=True, tag="arrive"):
    """Somebody takes part from the next round on: by a new name, or one that the club knows."""

    name: str

    def done(self, db: Connection[Any], club: int) -> None:
        """Enter them in the tournament that goes on, if one does."""
        _enter(db, club, people.named(db, club, self.name), gone=False)


class Go(Wish, frozen=True, tag="go"):
    """Somebody is seated no more; what they played stands."""

    person: UUID

    def done(self, db: Connection[Any], club: int) -> None:
        """Leave them out from the next round on."""
        _enter(db, club, self.person, gone=True)


class EnterResult(Wish, frozen=True, tag="result"):
    """How a table without a laptop ended: the points at each seat, `s1` and so on."""

    board: UUID
    s1: float
    s2: float
    s3: float | None = None
    s4: float | None = None
    s5: float | None = None
    s6: float | None = None
    s7: float | None = None

    def done(self, db: Connection[Any], club: int) -> None:
        """See `rounds.by_hand`."""
        points = {f"s{seat}": getattr(self, f"s{seat}") for seat in range(1, MOST + 1)}
        told = {seat: won for seat, won in points.items() if won is not None}
        rounds.by_hand(db, club, self.board, told)


class KeepApart(Wish, frozen=True, tag="apart"):
    """Two people are never seated together, or (`apart` 0) as it comes."""

    one: UUID
    other: UUID
    apart: int = 1

    def done(self, db: Connection[Any], club: int) -> None:
        """See `people.keep_apart`."""
        _two(db, club, self.one, self.other)
        people.keep_apart(db, self.one, self.other, apart=bool(self.apart))


class Merge(Wish, frozen=True, tag="merge"):
    """Two names are one person's: `person` is `into` from now on."""

    person: UUID
    into: UUID

    def done(self, db: Connection[Any], club: int) -> None:
        """See `people.merge`."""
        _two(db, club, self.person, self.into)
        people.merge(db, club, self.person, self.into)


class Forget(Wish, frozen=True, tag="forget"):
    """Somebody's name is forgotten; their results stay."""

    person: UUID

    def done(self, db: Connection[Any], club: int) -> None:
        """See `people.forget`."""
        people.forget(db, club, self.person)


AnyWish = DrawRound | BeginTournament | Arrive | Go | EnterResult | KeepApart | Merge | Forget
_DECODER: msgspec.json.Decoder[AnyWish] = msgspec.json.Decoder(
    AnyWish, strict=False
)  # what a form holds is text


def read(body: bytes) -> AnyWish:
    """Read what a form sent. Raises `msgspec.MsgspecError`, `UnicodeDecodeError`,
    `RecursionError`."""
    return _DECODER.decode(body)


def _two(db: Connection[Any], club: int, one: UUID, other: UUID) -> None:
    """Raise `Problem` where these are not two of the club's people."""
    if one == other or not {one, other} <= people.everybody(db, club).keys():
        raise Problem("league.not_two")


def _enter(db: Connection[Any], club: int, person: UUID, *, gone: bool) -> None:
    going = rounds.newest(db, club)
    if going is None:
        raise Problem("league.no_tournament")
    if person not in people.everybody(db, club):
        raise Problem("league.not_filled")
    rounds.enter(db, going[0], person, gone=gone)


def organise(db: Connection[Any], club: int, say: Translator) -> Pieces:
    """Return the organiser's page."""
    going, known = rounds.newest(db, club), people.everybody(db, club)
    last = rounds.shown(db, club, going[0]) if going else None
    pieces = {"draw": _draw(say, going[1], last)} if going else {}  # one step after the other
    for one in last.boards if last else ():
        if one.number and not one.over:
            pieces[f"b{one.board}"] = _result(one, say)
    if forks := _forks(db, club, say):
        pieces["forks"] = _section("forks", say("league.forks"), f'<ol class="listed plain">{forks}</ol>')
    pieces["there"] = _there(db, going[0] if going else None, known, say)
    if len(known) > 1:
        pieces["apart"] = _apart(db, club, known, say)
        pair = _pair("merge", ("person", "into"), known, say("league.merge"), say)
        pieces["same"] = _section("same", say("league.same"), pair)
    return pieces


_FORKS = """
SELECT t.name, s.game, COALESCE(b.forked_at, (SELECT min(sequence) FROM forks f WHERE f.session = s.session)),
    b.session IS NOT NULL
FROM sessions s JOIN tables t USING (tbl) LEFT JOIN sessions b ON b.parent = s.session
WHERE s.club = %s AND s.state = 'forked' ORDER BY s.begun, 3
"""


def _forks(db: Connection[Any], club: int, say: Translator) -> str:
    """List games of which a table has told two courses, for somebody to ask there."""
    return "".join(
        "<li>"
        + escape(
            say(
                "league.forked_on" if goes_on else "league.forked",
                table=table,
                game=game_title(game, say),
                entry=0 if at is None else at + 1,
            )
        )
        + "</li>"
        for table, game, at, goes_on in db.execute(_FORKS, (club,)).fetchall()
    )


def _section(name: str, head: str, body: str) -> str:
    return f'<section id="{name}"><h2>{escape(head)}</h2>{body}</section>'


def _form(do: str, body: str, button: str, *, hidden: Mapping[str, object] = {}, sure: str = "") -> str:
    fields = "".join(f'<input type="hidden" name="{name}" value="{value}">' for name, value in hidden.items())
    asks = f' data-sure="{escape(sure)}"' if sure else ""
    return f'<form data-do="{do}"{asks}>{fields}{body}<button>{escape(button)}</button></form>'


def _options(rows: dict[Any, str], chosen: object = None) -> str:
    return "".join(
        f'<option value="{escape(str(value))}"{" selected" if value == chosen else ""}>{escape(words)}</option>'
        for value, words in rows.items()
    )


def _games(say: Translator, game: str | None = None) -> str:
    games = {one: game_title(one, say) for one in registry.game_ids()}
    return f'<select name="game" aria-label="{escape(say("league.column.game"))}">{_options(games, game)}</select>'


def _draw(say: Translator, game: str, last: RoundShown | None) -> str:
    usual = max((len(one.places) for one in last.boards if one.number), default=0) if last else 0
    sizes = {number: say("league.at_most", people=number) for number in range(LEAST, MOST + 1)}
    body = (
        _games(say, game)
        + f'<select name="seats" aria-label="{escape(say("league.people_at_table"))}">{_options(sizes, usual or rounds.USUAL)}</select>'
    )
    return _section("draw", say("league.next_round"), _form("draw", body, say("league.draw")))


def _result(one: RoundTable, say: Translator) -> str:
    fields = "".join(
        f"<label>{escape(place.name or say('league.somebody'))}"
        f' <input type="number" step="any" name="{place.seat}" required></label>'
        for place in one.places
    )
    form = _form("result", fields, say("league.enter_result"), hidden={"board": one.board})
    head = escape(say("league.result_of", table=one.number))
    opened = " open" if one.laptop is None else ""  # a laptop tells it by itself
    return f'<details id="b{one.board}"{opened}><summary>{head}</summary>{form}</details>'


def _there(db: Connection[Any], tournament: int | None, known: dict[UUID, str], say: Translator) -> str:
    rows = db.execute("SELECT person, gone FROM entrants WHERE tournament = %s", (tournament,))
    gone = dict(rows.fetchall())
    going = tournament is not None
    listed = "".join(_person(one, name, gone.get(one), say, going=going) for one, name in known.items())
    label = escape(say("league.name_of"))
    add = f'<input name="name" required maxlength="40" placeholder="{label}" aria-label="{label}">'
    there = sum(not one for one in gone.values())
    words = "league.begin_tournament"
    head, form = say(words), _form("begin", _games(say), say(words))
    if going:
        head, form = say("league.taking_part", n=there), _form("arrive", add, say("league.arrive"))
    return _section("there", head, f'{form}<ol class="listed plain">{listed}</ol>')


def _person(one: UUID, name: str, gone: bool | None, say: Translator, *, going: bool) -> str:
    here = gone is False
    form = (
        _form("go", "", say("league.go"), hidden={"person": one})
        if here
        else _form("arrive", "", say("league.arrive"), hidden={"name": escape(name)})
        if going
        else ""
    )
    sure = say("league.forget_sure", name=name)
    forms = form + _form("forget", "", say("league.forget"), hidden={"person": one}, sure=sure)
    return (
        f'<li><span class="{"name" if here else "name gone"}">{escape(name)}</span><span>{forms}</span></li>'
    )


def _apart(db: Connection[Any], club: int, known: dict[UUID, str], say: Translator) -> str:
    listed = "".join(
        f"<li><span class=name>{escape(known[one])} – {escape(known[other])}</span>"
        + _form("apart", "", say("league.together"), hidden={"one": one, "other": other, "apart": 0})
        + "</li>"
        for one, other in db.execute("SELECT one, other FROM apart").fetchall()
        if one in known and other in known
    )
    form = _pair("apart", ("one", "other"), known, say("league.keep_apart"), say)
    return _section("apart", say("league.kept_apart"), f'{form}<ol class="listed plain">{listed}</ol>')


def _pair(do: str, names: tuple[str, str], known: dict[UUID, str], button: str, say: Translator) -> str:
    lists = "".join(
        f'<select name="{name}" aria-label="{escape(say("league.name_of"))}">{_options(known, chosen)}</select>'
        for name, chosen in zip(names, known, strict=False)
    )
    return _form(do, lists, button)
