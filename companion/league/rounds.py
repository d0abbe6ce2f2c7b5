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

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import combinations
from typing import Any, NamedTuple
from uuid import UUID

import msgspec
from psycopg import Connection

from companion.league.feed import notify_servers
from companion.league.people import list_merged_people
from companion.league.points import store_points
from companion.league.seating import LEAST, MOST, PlayerRecord, SeatedTable, Seating, draw_seating
from companion.plan import load_game
from companion.rules import registry
from companion.rules.contract import Game, Problem, Text
from companion.rules.people import list_seat_labels
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
    tie_break: float | None
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
    def is_over(self) -> bool:
        """Whether it has a result."""
        return self.number == 0 or all(one.place is not None for one in self.places)


class TournamentRound(NamedTuple):
    """The newest round of a tournament."""

    tournament: int
    game: str
    round: int
    boards: tuple[RoundTable, ...]


def find_current_tournament(db: Connection[Any], club: int) -> tuple[int, str] | None:
    """Return the current tournament and its game; None if there is none."""
    query = (
        "SELECT tournament, game FROM tournaments t"
        " WHERE club = %s AND now() - make_interval(hours => %s) < GREATEST(begun,"
        " (SELECT max(drawn) FROM boards b WHERE b.tournament = t.tournament))"
        " ORDER BY tournament DESC LIMIT 1"
    )
    return db.execute(query, (club, EVENING)).fetchone()


def find_or_begin_tournament(db: Connection[Any], club: int, game: str | None) -> tuple[int, str]:
    """Return the current tournament, or begin one of `game`, and enter everyone who played at the
    club's tables this evening. Raises `Problem` if a game is needed and none was given."""
    found = find_current_tournament(db, club)
    if found is None or game not in (None, found[1]):
        if game is None:
            raise Problem("league.which_game", games=", ".join(registry.list_game_ids()))
        load_game(game)  # raises if the game is not installed
        made = db.execute(
            "INSERT INTO tournaments (club, game) VALUES (%s, %s) RETURNING tournament, game", (club, game)
        ).fetchone()
        assert made is not None
        found = made
    _enter_arrivals(db, club, found[0])
    return found


def _enter_arrivals(db: Connection[Any], club: int, number: int) -> None:
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


def enter_person(db: Connection[Any], number: int, person: UUID, *, gone: bool = False) -> bool:
    """Enter a person from the next round on, or (`gone`) withdraw them; return whether that changed
    anything."""
    changed = db.execute(
        "INSERT INTO entrants VALUES (%s, %s, %s) ON CONFLICT (tournament, person)"
        " DO UPDATE SET gone = EXCLUDED.gone WHERE entrants.gone <> EXCLUDED.gone",
        (number, person, gone),
    )
    return changed.rowcount == 1


def draw_round(
    db: Connection[Any], club: int, game_name: str | None = None, table_size: int | None = None
) -> TournamentRound:
    """Draw the next round of the current tournament, or of a new one. `table_size`: people per
    table.

    Raises `Problem` if a table of the last round is still playing, if there are too few people, or
    for the reasons given in `seating.draw_seating`.
    """
    with db.transaction():
        db.execute("SELECT club FROM clubs WHERE club = %s FOR UPDATE", (club,))  # one round at a time
        number, game_id = find_or_begin_tournament(db, club, game_name)
        game = registry.load_game(game_id)
        seats = game.seats
        last = read_round(db, club, number)
        if last is not None and _has_begun(last):
            if playing := [str(one.number) for one in last.boards if not one.is_over]:
                raise Problem("league.still_playing", round=last.round, tables=", ".join(playing))
            round_number = last.round + 1
        else:
            round_number = 1 if last is None else last.round
            # Nothing of it has begun, so it is replaced: people have come late or left.
            db.execute("DELETE FROM boards WHERE tournament = %s AND round = %s", (number, round_number))
        records, met, partnered = _read_player_records(db, club, number, game)
        apart = [
            frozenset(map(str, row))
            for row in db.execute(
                "SELECT one, other FROM apart JOIN people ON person = one WHERE club = %s", (club,)
            )
        ]
        # As many as wanted, within what the game allows; `seats` is a range, its end is excluded.
        size = max(LEAST, seats.start, min(table_size or USUAL, MOST, seats.stop - 1))
        rounds, plan = _read_plan(db, number, round_number)
        seating = _draw_with_names(
            db,
            club,
            draw_seating,
            records,
            met,
            apart,
            (number, round_number),
            table_size=size,
            seats=seats,
            rounds_left=rounds - round_number + 1,
            plan=plan,
            list_sides=game.list_sides,
            partnered=partnered,
        )
        _save_plan(db, number, round_number, seating)
        laptops = db.execute(
            "SELECT tbl FROM tables WHERE club = %s AND left_at IS NULL ORDER BY length(name), name, tbl",
            (club,),
        ).fetchall()
        for place, table in enumerate(seating.tables):
            laptop = laptops[place][0] if place < len(laptops) else None
            _save_table(db, number, round_number, place + 1, laptop, table.people, table)
        if seating.out:
            _save_table(db, number, round_number, 0, None, seating.out, None)
        notify_servers(db, club, "shown")
        drawn_round = read_round(db, club, number)
    assert drawn_round is not None
    return drawn_round


def _read_plan(
    db: Connection[Any], number: int, round_number: int
) -> tuple[int, list[tuple[tuple[str, ...], ...]]]:
    """Return the number of rounds wanted, and what is planned for this round and the later ones."""
    row = db.execute("SELECT rounds, plan FROM tournaments WHERE tournament = %s", (number,)).fetchone()
    assert row is not None
    rounds, plan = row
    skipped = round_number - plan["round"] if plan else 0
    planned = plan["rounds"][skipped:] if plan and skipped >= 0 else []
    return rounds, msgspec.convert(planned, list[tuple[tuple[str, ...], ...]])


def _save_plan(db: Connection[Any], number: int, round_number: int, seating: Seating) -> None:
    # With this round: it may be drawn again, for the same people.
    planned = [[table.people for table in seating.tables], *seating.plan]
    plan = msgspec.json.encode({"round": round_number, "rounds": planned}).decode()
    db.execute(
        "UPDATE tournaments SET plan = %s WHERE tournament = %s", (plan if seating.plan else None, number)
    )


def _draw_with_names(db: Connection[Any], club: int, draw: Any, *args: Any, **options: Any) -> Any:
    """Draw a round; in a refusal, replace people's ids by their names."""
    try:
        return draw(*args, **options)
    except Problem as fault:
        names = {str(person): name for person, name in _read_names(db, club).items()}
        named_args = {name: names.get(str(value), value) for name, value in fault.text.args.items()}
        raise Problem(Text(fault.text.code, named_args)) from None


def _read_names(db: Connection[Any], club: int) -> dict[UUID, str | None]:
    return dict(db.execute("SELECT person, name FROM people WHERE club = %s", (club,)).fetchall())


def _has_begun(last: TournamentRound) -> bool:
    return any(one.session or (one.number and one.is_over) for one in last.boards)


def _read_player_records(
    db: Connection[Any], club: int, number: int, game: Game[Any]
) -> tuple[dict[str, PlayerRecord], Counter[frozenset[str]], Counter[frozenset[str]]]:
    """Return each participant's record so far, how often each pair has met, and how often its
    people have been partners."""
    points = {row.person: row.points for row in read_standings(db, club, game.id, number)}
    out, met, partnered = Counter[UUID](), Counter[frozenset[str]](), Counter[frozenset[str]]()
    tables: dict[UUID, dict[int, UUID]] = {}
    seats: defaultdict[UUID, Counter[int]] = defaultdict(Counter)
    merged_into = list_merged_people(db, club)
    for board, table, seat, person in db.execute(
        "SELECT board, number, seat, person FROM boards JOIN places USING (board) WHERE tournament = %s",
        (number,),
    ):
        # `places` still has the old id of people who were merged after they had been drawn.
        person = merged_into.get(person, person)
        if table == 0:
            out[person] += 1
        else:
            tables.setdefault(board, {})[find_seat(seat)] = person
            seats[person][find_seat(seat)] += 1
    for people in tables.values():
        names = {seat: str(person) for seat, person in people.items()}
        met.update(map(frozenset, combinations(names.values(), 2)))
        for side in game.list_sides(len(people)):
            partnered.update(map(frozenset, combinations((names[seat] for seat in side if seat in names), 2)))
    participants = db.execute("SELECT person FROM entrants WHERE tournament = %s AND NOT gone", (number,))
    return (
        {
            str(person): PlayerRecord(
                points.get(person, 0.0), tuple(seats[person][seat] for seat in range(MOST)), out[person]
            )
            for (person,) in participants.fetchall()
        },
        met,
        partnered,
    )


def find_seat(label: str) -> int:
    """Return the seat (from 0) of a seat label (`s1`, see `list_seat_labels`)."""
    return int(label.removeprefix("s")) - 1


def _save_table(
    db: Connection[Any],
    number: int,
    round_number: int,
    table: int,
    laptop: int | None,
    people: Sequence[str],
    seated: SeatedTable | None,
) -> None:
    reasons = None if seated is None else msgspec.json.encode(seated).decode()
    row = db.execute(
        "INSERT INTO boards (tournament, round, number, tbl, why) VALUES (%s, %s, %s, %s, %s) RETURNING board",
        (number, round_number, table, laptop, reasons),
    ).fetchone()
    assert row is not None
    with db.cursor() as cursor:
        cursor.executemany(
            "INSERT INTO places (board, seat, person) VALUES (%s, %s, %s)",
            [(row[0], f"s{seat}", UUID(person)) for seat, person in enumerate(people, 1)],
        )


_BOARDS = """
SELECT b.board, b.number, t.name, b.session, b.why, b.feed, x.seat, x.person, p.name,
    COALESCE(x.place, r.place), COALESCE(x.points, r.points)::float8, x.tie_break::float8,
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


def read_round(db: Connection[Any], club: int, number: int | None = None) -> TournamentRound | None:
    """Return the last round of a tournament (default: of the newest one); None before its first
    round."""
    condition = "tournament = %(number)s" if number else "TRUE"
    found = db.execute(
        f"SELECT t.tournament, t.game, max(round) FROM tournaments t JOIN boards USING (tournament)"
        f" WHERE club = %(club)s AND {condition} GROUP BY 1, 2 ORDER BY 1 DESC LIMIT 1",
        {"club": club, "number": number},
    ).fetchone()
    if found is None:
        return None
    tournament, game, last = found
    names = _read_names(db, club)
    boards: dict[UUID, tuple[Any, list[RoundPlace]]] = {}
    for row in db.execute(_BOARDS, {"tournament": tournament, "round": last}):
        boards.setdefault(row[0], (row, []))[1].append(RoundPlace(*row[6:]))
    return TournamentRound(
        tournament,
        game,
        last,
        tuple(
            RoundTable(
                board,
                row[1],
                row[2],
                row[3],
                row[5] is not None,
                explain_seating(row[4], names),
                tuple(places),
            )
            for board, (row, places) in boards.items()
        ),
    )


def explain_seating(seating: Mapping[str, Any] | None, names: Mapping[UUID, str | None]) -> tuple[Text, ...]:
    """Explain in words why these people sit together."""
    if seating is None:
        return ()

    def format_person(person: str) -> str:
        return names.get(UUID(person)) or "–"

    def format_pairs(name: str) -> str:
        # Rounds that were drawn by older programs lack some reasons.
        return ", ".join(
            f"{format_person(one)} – {format_person(other)}" for one, other in seating.get(name, ())
        )

    repeated_pairs, partners = format_pairs("again"), format_pairs("together")
    reasons = [
        Text("league.meet_again", {"pairs": repeated_pairs}) if repeated_pairs else Text("league.meet_first"),
        Text("league.spread", {"points": round(seating["spread"])}),
    ]
    if partners:
        reasons.insert(1, Text("league.partners_again", {"pairs": partners}))
    return tuple(reasons)


def format_round(round_drawn: TournamentRound, translator: Translator) -> Iterator[str]:
    """Describe a round in lines: each table with its people in seat order, and the reasons."""
    title = Translator(translator.language, registry.load_game(round_drawn.game))("game.title")
    yield translator("league.round", game=title, round=round_drawn.round)
    for one in round_drawn.boards:
        names = [place.name or translator("league.somebody") for place in one.places]
        if one.number == 0:
            yield f"{translator('league.out')}: {', '.join(names)}"
            continue
        head = translator("league.table", table=one.number)
        laptop = translator("league.by_hand") if one.laptop is None else one.laptop
        yield f"{head}{f' ({laptop})' if laptop != head else ''}: {', '.join(names)}"
        yield from (f"    {translator.translate(text)}" for text in one.why)


def enter_result(
    db: Connection[Any], club: int, board: UUID, scores: Mapping[str, Sequence[Fraction]] | None
) -> None:
    """Enter the result of a round's table manually: for each seat the points as counted in the
    game, and what decides between equal points there (`Game.tie_break`), 0 if it is left out.

    It replaces the laptop's result and any earlier manual result; None removes it again. Raises
    `Problem` if a seat's points are missing, or the table is not in the round any more.
    """
    with db.transaction():
        rows = db.execute(
            "SELECT seat, game FROM boards JOIN places USING (board) JOIN tournaments USING (tournament)"
            " WHERE board = %s AND club = %s AND number > 0 ORDER BY length(seat), seat",
            (board, club),
        ).fetchall()
        if not rows:
            raise Problem("league.table_gone")
        seats = [seat for seat, _ in rows]
        if scores is not None and set(seats) != set(scores):
            raise Problem("league.points_missing")
        # A manual result takes a position in the feed, because ratings follow the feed's order.
        row = db.execute("UPDATE feed SET last = last + 1 WHERE club = %s RETURNING last", (club,)).fetchone()
        assert row is not None
        db.execute("UPDATE boards SET feed = %s WHERE board = %s", (row[0] if scores else None, board))
        ranks = _rank_scores(load_game(rows[0][1]), seats, scores) if scores else {}
        with db.cursor() as cursor:
            cursor.executemany(
                "UPDATE places SET place = %s, points = %s, tie_break = %s WHERE board = %s AND seat = %s",
                [(*ranks.get(seat, (None, None, None)), board, seat) for seat in seats],
            )
        # The schema's trigger watches `results` only; a manual result is stored in `places`.
        db.execute("INSERT INTO unrated VALUES (%s, %s) ON CONFLICT DO NOTHING", (club, rows[0][1]))
        notify_servers(db, club, "shown")


def _rank_scores(
    game: Game[Any], seats: Sequence[str], scores: Mapping[str, Sequence[Fraction]]
) -> dict[str, tuple[int, Decimal, Decimal | None]]:
    """Return each seat's place by the game's own ranking, its points, and its tie-break."""
    keys = {seat: tuple(scores[seat]) for seat in seats}
    if game.tie_break:
        keys = {seat: (*key, Fraction())[:2] for seat, key in keys.items()}
    ranking = game.rank_scores([(seat, keys[seat]) for seat in seats])["ranking"]
    places = {row["player"]: row["rank"] for row in ranking}
    return {
        seat: (places[seat], store_points(key[0]), store_points(key[1]) if game.tie_break else None)
        for seat, key in keys.items()
    }


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
WITH side AS (
    SELECT * FROM unnest(%(players)s::int[], %(seats)s::text[], %(sizes)s::int[]) AS side (n, seat, size)
), one AS (
    SELECT id, seat, person, place, count(*) OVER (PARTITION BY id) AS n
    FROM played WHERE club = %(club)s AND game = %(game)s
        AND (%(tournament)s::int IS NULL OR tournament = %(tournament)s)
), part AS (
    -- A player's part of a side, so that sums count sides.
    SELECT one.*, 1 / COALESCE(size, 1)::float8 AS part FROM one LEFT JOIN side USING (n, seat)
), counted AS (
    SELECT person, place, sum(part) OVER (PARTITION BY id) AS n,
        sum(part) OVER (PARTITION BY id, place) AS tied,
        sum(part) OVER (PARTITION BY id ORDER BY place) AS so_far
    FROM part
), won AS (
    SELECT person, place, 100 * (n - so_far + (tied - 1) / 2) / (n - 1) AS points, true AS game
    FROM counted WHERE n > 1.5 AND person IS NOT NULL
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


def read_standings(
    db: Connection[Any], club: int, game: str, tournament: int | None = None
) -> list[StandingsRow]:
    """Return the standings of a game, or of one tournament, best first."""
    sides = list(_iter_side_sizes(game))
    query_args = {
        "club": club,
        "game": game,
        "tournament": tournament,
        "out": OUT,
        "doubt": DOUBT,
        "players": [players for players, _, _ in sides],
        "seats": [seat for _, seat, _ in sides],
        "sizes": [size for _, _, size in sides],
    }
    return [StandingsRow(*row) for row in db.execute(_STANDINGS, query_args)]


def _iter_side_sizes(game: str) -> Iterator[tuple[int, str, int]]:
    """Yield the number of players, seat and size of the side for everybody who does not play
    alone."""
    for players in range(LEAST, MOST + 1):
        for side in registry.list_sides(game, players):
            if len(side) > 1:
                yield from ((players, list_seat_labels(players)[seat], len(side)) for seat in side)
