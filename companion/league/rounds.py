"""Draw a tournament's rounds, enter manual results, and compute the standings.

A tournament is played with one game. It continues until a round of another game is drawn, or
nothing has been drawn for `EVENING` hours. People who played the game at one of the club's tables
that evening take part automatically; the organiser enters others. Laptops are assigned to a round's
tables in order, and a session begun on a laptop is linked to its table automatically
(`seat_by_round` in schema.sql). A round in which nothing has begun can be drawn again, to include
people who arrive late.

**Points.** The first at a table gets 100, the last 0, the others evenly spaced values between; tied
players share the points of their places. So tables of three and of seven are worth the same, and
points of different games are never compared. A player who sits out gets 50, the average of a table.
**Ties** are broken by more wins, then by more points per game; after that, players share the place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple
from uuid import UUID

import msgspec
from psycopg import Connection

from companion.league.log import notify
from companion.league.people import merged
from companion.league.seating import LEAST, MOST, Played, SeatedTable, draw
from companion.plan import loaded
from companion.rules import registry
from companion.rules.contract import Problem, Text
from companion.texts import Translator

EVENING = 18
"""Hours without a draw after which the next round begins a new tournament: an evening is shorter
than that, the nights of a convention are too."""
USUAL = 4
"""People per table if the organiser does not say."""


class RoundPlace(NamedTuple):
    """A seat at a round's table, its player, and the player's result (None: not finished).

    `instead`: the name that was entered for this seat on the laptop although that person has no
    seat at this table (None: nobody).
    """

    seat: str
    person: UUID
    name: str | None
    place: int | None
    points: float | None
    instead: str | None = None


class RoundTable(NamedTuple):
    """A table of a round (number 0: players who sit out), its laptop if any, and the reasons for
    its seating."""

    board: UUID
    number: int
    laptop: str | None
    session: UUID | None
    by_hand: bool
    """Whether its result was entered manually."""
    why: tuple[Text, ...]
    places: tuple[RoundPlace, ...]

    @property
    def over(self) -> bool:
        """Whether it has a result."""
        return self.number == 0 or all(one.place is not None for one in self.places)


class RoundShown(NamedTuple):
    """The newest round of a tournament."""

    tournament: int
    game: str
    round: int
    boards: tuple[RoundTable, ...]


def newest(db: Connection[Any], club: int) -> tuple[int, str] | None:
    """Return the current tournament and its game; None if there is none."""
    asked = (
        "SELECT tournament, game FROM tournaments t"
        " WHERE club = %s AND now() - make_interval(hours => %s) < GREATEST(begun,"
        " (SELECT max(drawn) FROM boards b WHERE b.tournament = t.tournament))"
        " ORDER BY tournament DESC LIMIT 1"
    )
    return db.execute(asked, (club, EVENING)).fetchone()


def tournament(db: Connection[Any], club: int, game: str | None) -> tuple[int, str]:
    """Return the current tournament, or begin one of `game`, and enter everyone who played at the
    club's tables this evening. Raises `Problem` if a game is needed and none was given."""
    found = newest(db, club)
    if found is None or game not in (None, found[1]):
        if game is None:
            raise Problem("league.which_game", games=", ".join(registry.game_ids()))
        loaded(game)  # raises if the game is not installed
        made = db.execute(
            "INSERT INTO tournaments (club, game) VALUES (%s, %s) RETURNING tournament, game", (club, game)
        ).fetchone()
        assert made is not None
        found = made
    _arrived(db, club, found[0])
    return found


def _arrived(db: Connection[Any], club: int, number: int) -> None:
    """Enter everyone who played this game at one of the club's tables this evening."""
    db.execute(
        "INSERT INTO entrants (tournament, person)"
        " SELECT DISTINCT %(tournament)s::int, COALESCE(p.merged_into, p.person)"
        " FROM sessions s JOIN seats USING (session) JOIN people p USING (person), tournaments t"
        " WHERE s.club = %(club)s AND t.tournament = %(tournament)s AND s.game = t.game AND p.name IS NOT NULL"
        " AND to_timestamp(s.begun / 1e6) > t.begun - make_interval(hours => %(hours)s)"
        " ON CONFLICT DO NOTHING",
        {"club": club, "tournament": number, "hours": EVENING},
    )


def enter(db: Connection[Any], number: int, person: UUID, *, gone: bool = False) -> bool:
    """Enter a person from the next round on, or (`gone`) withdraw them; return whether that changed
    anything."""
    changed = db.execute(
        "INSERT INTO entrants VALUES (%s, %s, %s) ON CONFLICT (tournament, person)"
        " DO UPDATE SET gone = EXCLUDED.gone WHERE entrants.gone <> EXCLUDED.gone",
        (number, person, gone),
    )
    return changed.rowcount == 1


def pair(db: Connection[Any], club: int, game: str | None = None, wanted: int | None = None) -> RoundShown:
    """Draw the next round of the current tournament, or of a new one. `wanted`: people per table.

    Raises `Problem` if a table of the last round is still playing, if there are too few people, or
    for the reasons given in `seating.draw`.
    """
    with db.transaction():
        db.execute("SELECT club FROM clubs WHERE club = %s FOR UPDATE", (club,))  # one round at a time
        number, of = tournament(db, club, game)
        seats = registry.load(of).seats
        last = shown(db, club, number)
        if last is not None and _begun(last):
            if playing := [str(one.number) for one in last.boards if not one.over]:
                raise Problem("league.still_playing", round=last.round, tables=", ".join(playing))
            this = last.round + 1
        else:
            this = 1 if last is None else last.round
            # Nothing of it has begun, so it is replaced: people have come late or left.
            db.execute("DELETE FROM boards WHERE tournament = %s AND round = %s", (number, this))
        played, met = _played(db, club, number, of)
        apart = [
            frozenset(map(str, row))
            for row in db.execute(
                "SELECT one, other FROM apart JOIN people ON person = one WHERE club = %s", (club,)
            )
        ]
        # As many as wanted, within what the game allows; `seats` is a range, its end is excluded.
        size = max(LEAST, seats.start, min(wanted or USUAL, MOST, seats.stop - 1))
        drawn = _named(db, club, draw, played, met, apart, (number, this), wanted=size, seats=seats)
        laptops = db.execute(
            "SELECT tbl FROM tables WHERE club = %s AND left_at IS NULL ORDER BY length(name), name, tbl",
            (club,),
        ).fetchall()
        for place, table in enumerate(drawn.tables):
            laptop = laptops[place][0] if place < len(laptops) else None
            _keep(db, number, this, place + 1, laptop, table.people, table)
        if drawn.out:
            _keep(db, number, this, 0, None, drawn.out, None)
        notify(db, club, "shown")
        found = shown(db, club, number)
    assert found is not None
    return found


def _named(db: Connection[Any], club: int, drawing: Any, *given: Any, **more: Any) -> Any:
    """Draw a round; in a refusal, replace people's ids by their names."""
    try:
        return drawing(*given, **more)
    except Problem as fault:
        names = {str(person): name for person, name in _names(db, club).items()}
        told = {name: names.get(str(value), value) for name, value in fault.text.args.items()}
        raise Problem(Text(fault.text.code, told)) from None


def _names(db: Connection[Any], club: int) -> dict[UUID, str | None]:
    return dict(db.execute("SELECT person, name FROM people WHERE club = %s", (club,)).fetchall())


def _begun(last: RoundShown) -> bool:
    return any(one.session or (one.number and one.over) for one in last.boards)


def _played(
    db: Connection[Any], club: int, number: int, game: str
) -> tuple[dict[str, Played], Counter[frozenset[str]]]:
    """Return each participant's record so far, and how often each pair has met."""
    points = {row.person: row.points for row in standings(db, club, game, number)}
    first, out, met = Counter[UUID](), Counter[UUID](), Counter[frozenset[str]]()
    tables: dict[UUID, list[str]] = {}
    one = merged(db, club)
    for board, table, seat, person in db.execute(
        "SELECT board, number, seat, person FROM boards JOIN places USING (board) WHERE tournament = %s",
        (number,),
    ):
        # `places` still has the old id of people who were merged after they had been drawn.
        person = one.get(person, person)
        if table == 0:
            out[person] += 1
        else:
            first[person] += seat == "s1"
            tables.setdefault(board, []).append(str(person))
    for people in tables.values():
        met.update(map(frozenset, combinations(people, 2)))
    there = db.execute("SELECT person FROM entrants WHERE tournament = %s AND NOT gone", (number,))
    return {
        str(person): Played(points.get(person, 0.0), first[person], out[person]) for (person,) in there
    }, met


def _keep(
    db: Connection[Any],
    number: int,
    this: int,
    table: int,
    laptop: int | None,
    people: Sequence[str],
    why: SeatedTable | None,
) -> None:
    told = None if why is None else msgspec.json.encode(why).decode()
    row = db.execute(
        "INSERT INTO boards (tournament, round, number, tbl, why) VALUES (%s, %s, %s, %s, %s) RETURNING board",
        (number, this, table, laptop, told),
    ).fetchone()
    assert row is not None
    with db.cursor() as cursor:
        cursor.executemany(
            "INSERT INTO places (board, seat, person) VALUES (%s, %s, %s)",
            [(row[0], f"s{seat}", UUID(person)) for seat, person in enumerate(people, 1)],
        )


_BOARDS = """
SELECT b.board, b.number, t.name, b.session, b.why, b.feed, x.seat, x.person, p.name,
    COALESCE(x.place, r.place), COALESCE(x.points, r.points)::float8,
    CASE WHEN b.feed IS NULL AND COALESCE(sits.merged_into, sits.person) NOT IN (
        SELECT COALESCE(q.merged_into, q.person) FROM places y JOIN people q USING (person) WHERE y.board = b.board
    ) THEN sits.name END
FROM boards b JOIN places x USING (board) JOIN people p USING (person)
LEFT JOIN tables t ON t.tbl = b.tbl
LEFT JOIN results r ON r.session = b.session AND r.seat = x.seat
LEFT JOIN seats n ON n.session = b.session AND n.seat = x.seat
LEFT JOIN people sits ON sits.person = n.person
WHERE b.tournament = %(tournament)s AND b.round = %(round)s
ORDER BY b.number = 0, b.number, length(x.seat), x.seat
"""


def shown(db: Connection[Any], club: int, number: int | None = None) -> RoundShown | None:
    """Return the last round of a tournament (default: of the newest one); None before its first
    round."""
    where = "tournament = %(number)s" if number else "TRUE"
    found = db.execute(
        f"SELECT t.tournament, t.game, max(round) FROM tournaments t JOIN boards USING (tournament)"
        f" WHERE club = %(club)s AND {where} GROUP BY 1, 2 ORDER BY 1 DESC LIMIT 1",
        {"club": club, "number": number},
    ).fetchone()
    if found is None:
        return None
    tournament, game, last = found
    names = _names(db, club)
    boards: dict[UUID, tuple[Any, list[RoundPlace]]] = {}
    for row in db.execute(_BOARDS, {"tournament": tournament, "round": last}):
        boards.setdefault(row[0], (row, []))[1].append(RoundPlace(*row[6:]))
    return RoundShown(
        tournament,
        game,
        last,
        tuple(
            RoundTable(board, row[1], row[2], row[3], row[5] is not None, why(row[4], names), tuple(places))
            for board, (row, places) in boards.items()
        ),
    )


def why(told: Mapping[str, Any] | None, names: Mapping[UUID, str | None]) -> tuple[Text, ...]:
    """Explain in words why these people sit together."""
    if told is None:
        return ()

    def name(person: str) -> str:
        return names.get(UUID(person)) or "–"

    again = [f"{name(one)} – {name(other)}" for one, other in told["again"]]
    said = [
        Text("league.meet_again", {"pairs": ", ".join(again)}) if again else Text("league.meet_first"),
        Text("league.spread", {"points": round(told["spread"])}),
    ]
    if told["refused"] is not None:
        one, other = map(name, told["refused"])
        said.append(Text("league.refused", {"one": one, "other": other, "loss": told["loss"]}))
    return tuple(said)


def told(shown: RoundShown, say: Translator) -> Iterator[str]:
    """Describe a round in lines: each table with its people in seat order, and the reasons."""
    title = Translator(say.language, registry.load(shown.game))("game.title")
    yield say("league.round", game=title, round=shown.round)
    for one in shown.boards:
        names = [place.name or say("league.somebody") for place in one.places]
        if one.number == 0:
            yield f"{say('league.out')}: {', '.join(names)}"
            continue
        head = say("league.table", table=one.number)
        laptop = say("league.by_hand") if one.laptop is None else one.laptop
        yield f"{head}{f' ({laptop})' if laptop != head else ''}: {', '.join(names)}"
        yield from (f"    {say.say(text)}" for text in one.why)


def by_hand(db: Connection[Any], club: int, board: UUID, points: Mapping[str, float] | None) -> None:
    """Enter the result of a round's table manually: the points of each seat, as counted in the
    game.

    It replaces the laptop's result and any earlier manual result; None removes it again. Raises
    `Problem` if a seat's points are missing.
    """
    with db.transaction():
        rows = db.execute(
            "SELECT seat, game FROM boards JOIN places USING (board) JOIN tournaments USING (tournament)"
            " WHERE board = %s AND club = %s AND number > 0",
            (board, club),
        ).fetchall()
        seats = {seat for seat, _ in rows}
        if not rows or (points is not None and seats != set(points)):
            raise Problem("league.points_missing")
        lowest = registry.load(rows[0][1]).lowest_wins
        # A place is one more than the number of better scores, so ties share the better place.
        order = sorted((points or {}).values(), reverse=not lowest)
        won = dict.fromkeys(seats) if points is None else points
        # A manual result takes a position in the feed, because ratings follow the feed's order.
        row = db.execute("UPDATE feed SET last = last + 1 WHERE club = %s RETURNING last", (club,)).fetchone()
        assert row is not None
        db.execute("UPDATE boards SET feed = %s WHERE board = %s", (points and row[0], board))
        with db.cursor() as cursor:
            cursor.executemany(
                "UPDATE places SET place = %s, points = %s WHERE board = %s AND seat = %s",
                [(None if n is None else 1 + order.index(n), n, board, seat) for seat, n in won.items()],
            )
        # The schema's trigger watches `results` only; a manual result is stored in `places`.
        db.execute("INSERT INTO unrated VALUES (%s, %s) ON CONFLICT DO NOTHING", (club, rows[0][1]))
        notify(db, club, "shown")


OUT = 50
"""Points for a round in which a player sits out."""
DOUBT = 3
"""Ratings are shown as the mean minus this many standard deviations, so people with few games rank
low."""


class StandingsRow(NamedTuple):
    """A row of the standings."""

    place: int
    person: UUID
    name: str | None
    """None: the name was deleted."""
    games: int
    wins: int
    points: float
    rating: float | None


_STANDINGS = """
WITH one AS (
    SELECT id, person, place, count(*) OVER (PARTITION BY id) AS n, count(*) OVER (PARTITION BY id, place) AS tied
    FROM played WHERE club = %(club)s AND game = %(game)s
        AND (%(tournament)s::int IS NULL OR tournament = %(tournament)s)
), won AS (
    SELECT person, place, 100 * (n - place - (tied - 1) / 2.0::float8) / (n - 1) AS points, true AS game
    FROM one WHERE n > 1 AND person IS NOT NULL
    UNION ALL
    SELECT COALESCE(p.merged_into, x.person), 0, %(out)s, false
    FROM boards b JOIN places x USING (board) JOIN people p ON p.person = x.person
    WHERE b.tournament = %(tournament)s AND b.number = 0
), total AS (
    SELECT person, count(*) FILTER (WHERE game) AS games, count(*) FILTER (WHERE place = 1) AS wins,
        sum(points) AS points, count(*) AS rounds
    FROM won GROUP BY person
)
SELECT rank() OVER (ORDER BY round(points) DESC, wins DESC, round(points / rounds) DESC) AS place,
    total.person, name, games, wins, round(points)::float8, mu - %(doubt)s * sigma
FROM total JOIN people ON people.person = total.person
LEFT JOIN ratings r ON r.club = %(club)s AND r.game = %(game)s AND r.person = total.person
ORDER BY place, lower(name), total.person
"""


def standings(db: Connection[Any], club: int, game: str, tournament: int | None = None) -> list[StandingsRow]:
    """Return the standings of a game, or of one tournament, best first."""
    told = {"club": club, "game": game, "tournament": tournament, "out": OUT, "doubt": DOUBT}
    return [StandingsRow(*row) for row in db.execute(_STANDINGS, told)]
