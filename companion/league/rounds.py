"""Draw a tournament's rounds, enter manual results, and compute the standings.

Laptops are assigned to a round's tables in order, and a session begun on a laptop is linked to its
table automatically (`seat_by_round` in schema_3.sql). A round is drawn again only if the organiser
says so, and never once something of it has been played.

**Points.** The first at a table gets 100, the last 0, the others evenly spaced values between; tied
players share the points of their places, and partners count as one. So tables of three and of seven
are worth the same, and points of different games are never compared. A player who sits out gets 50,
the average of a table. **Ties** are broken by the opponents' points if the tournament says so, then
by more wins, then by more points per game; after that, players share the place.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
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
from companion.league.seating import (
    LEAST,
    MOST,
    PlayerRecord,
    SeatedTable,
    Seating,
    draw_seating,
    seat_finalists,
)
from companion.league.tournaments import (
    TIE_BREAKS,
    Tournament,
    find_current_tournament,
    find_or_begin_tournament,
    set_timer,
)
from companion.plan import load_game
from companion.rules import registry
from companion.rules.contract import Game, Problem, Text
from companion.rules.people import list_seat_labels
from companion.texts import Translator

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

    reported: Mapping[str, Sequence[str]] | None = None
    """The result that a player has sent, by seat as it was typed; None: nobody has."""

    @property
    def is_over(self) -> bool:
        """Whether it has a result."""
        return self.number == 0 or all(one.place is not None for one in self.places)

    @property
    def has_begun(self) -> bool:
        """Whether it is known to be played, or has been."""
        return self.number > 0 and (self.session is not None or self.is_over)


class TournamentRound(NamedTuple):
    """A round of a tournament."""

    tournament: int
    game: str
    round: int
    boards: tuple[RoundTable, ...]
    finalists: int | None
    """How many play, if it is a final round."""
    timer: datetime | None
    """When its time is up, if the organiser has set a timer."""


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
    db: Connection[Any],
    club: int,
    game_name: str | None = None,
    table_size: int | None = None,
    *,
    again: bool = False,
    finalists: int | None = None,
) -> TournamentRound:
    """Draw the next round of a tournament: of `game_name`, or of the current one. `table_size`:
    people per table. `again`: replace the last round. `finalists`: seat only so many, the best.

    Raises `Problem` if a table of the last round has no result (with `again`, if one has), if there
    are too few people, or for the reasons given in `seating.draw_seating`.
    """
    with db.transaction():
        db.execute("SELECT club FROM clubs WHERE club = %s FOR UPDATE", (club,))  # one round at a time
        tournament = find_or_begin_tournament(db, club, game_name)
        number, game = tournament.number, registry.load_game(tournament.game)
        round_number = _clear_way_for_round(db, club, number, again=again)
        records, met, partnered = _read_player_records(db, club, number, game)
        if finalists is not None:
            records = _select_finalists(db, club, tournament, records, finalists)
        # As many as wanted, within what the game allows; `seats` is a range, its end is excluded.
        size = max(LEAST, game.seats.start, min(table_size or USUAL, MOST, game.seats.stop - 1))
        seating = _draw_with_names(
            db,
            club,
            draw_seating if finalists is None else seat_finalists,
            records,
            met,
            _list_kept_apart(db, club),
            (number, round_number),
            table_size=size,
            seats=game.seats,
            rounds_left=tournament.rounds - round_number + 1,
            plan=_read_plan(db, number, round_number),
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
            _save_table(db, number, round_number, place + 1, laptop, table.people, table, finalists)
        if seating.out:
            _save_table(db, number, round_number, 0, None, seating.out, None)
        # The time of the last round is of no use to this one.
        set_timer(db, number, 0)
        notify_servers(db, club, "shown")
        drawn_round = read_round(db, club, number)
    assert drawn_round is not None
    return drawn_round


def _clear_way_for_round(db: Connection[Any], club: int, number: int, *, again: bool) -> int:
    """Return the number of the round to draw; `again`: delete the last one, unless it is being
    played."""
    last = read_round(db, club, number)
    if last is None:
        return 1
    if not again:
        # Also if nothing is known of any table: without laptops people play, and nobody sees it.
        if playing := [str(one.number) for one in last.boards if not one.is_over]:
            raise Problem("league.still_playing", round=last.round, tables=", ".join(playing))
        return last.round + 1
    if begun := [str(one.number) for one in last.boards if one.has_begun]:
        raise Problem("league.has_begun", round=last.round, tables=", ".join(begun))
    db.execute("DELETE FROM boards WHERE tournament = %s AND round = %s", (number, last.round))
    return last.round


def _select_finalists(
    db: Connection[Any],
    club: int,
    tournament: Tournament,
    records: Mapping[str, PlayerRecord],
    finalists: int,
) -> dict[str, PlayerRecord]:
    """Return the records of the best people who are still there, the best first."""
    order = [str(row.person) for row in read_standings(db, club, tournament.game, tournament)]
    chosen = [person for person in order if person in records][:finalists]
    if len(chosen) < finalists:
        raise Problem("league.too_few_finalists", people=len(chosen), finalists=finalists)
    return {person: records[person] for person in chosen}


def _list_kept_apart(db: Connection[Any], club: int) -> list[frozenset[str]]:
    query = "SELECT one, other FROM apart JOIN people ON person = one WHERE club = %s"
    return [frozenset(map(str, row)) for row in db.execute(query, (club,))]


def _read_plan(db: Connection[Any], number: int, round_number: int) -> list[tuple[tuple[str, ...], ...]]:
    """Return what is planned for this round and the later ones."""
    row = db.execute("SELECT plan FROM tournaments WHERE tournament = %s", (number,)).fetchone()
    plan = row and row[0]
    skipped = round_number - plan["round"] if plan else 0
    planned = plan["rounds"][skipped:] if plan and skipped >= 0 else []
    return msgspec.convert(planned, list[tuple[tuple[str, ...], ...]])


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


def _read_player_records(
    db: Connection[Any], club: int, number: int, game: Game[Any]
) -> tuple[dict[str, PlayerRecord], Counter[frozenset[str]], Counter[frozenset[str]]]:
    """Return each participant's record so far, how often each pair has met, and how often its
    people have been partners."""
    points = {row.person: row.points for row in _query_standings(db, club, game.id, number)}
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
    finalists: int | None = None,
) -> None:
    reasons = None if seated is None else msgspec.json.encode(seated).decode()
    row = db.execute(
        "INSERT INTO boards (tournament, round, number, tbl, why, finalists) VALUES (%s, %s, %s, %s, %s, %s)"
        " RETURNING board",
        (number, round_number, table, laptop, reasons, finalists),
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
    ) THEN sits.name END, s.scores, b.finalists
FROM boards b JOIN places x USING (board) JOIN people p USING (person)
LEFT JOIN tables t ON t.tbl = b.tbl
LEFT JOIN reports s ON s.board = b.board
LEFT JOIN results r ON r.session = b.session AND r.seat = x.seat
LEFT JOIN seats n ON n.session = b.session AND n.seat = x.seat
LEFT JOIN people sits ON sits.person = n.person
WHERE b.tournament = %(tournament)s AND b.round = %(round)s
ORDER BY b.number = 0, b.number, length(x.seat), x.seat
"""


_ROUND = """
SELECT t.tournament, t.game, max(round), t.timer FROM tournaments t JOIN boards USING (tournament)
WHERE club = %(club)s AND (%(number)s::int IS NULL OR tournament = %(number)s)
    AND (%(round)s::int IS NULL OR round = %(round)s)
GROUP BY 1, 2, 4 ORDER BY max(drawn) DESC, 1 DESC LIMIT 1
"""


def read_round(
    db: Connection[Any], club: int, number: int | None = None, round_number: int | None = None
) -> TournamentRound | None:
    """Return a round of a tournament (default: the last one of that in which something was drawn
    last); None if it has not been drawn."""
    found = db.execute(_ROUND, {"club": club, "number": number, "round": round_number}).fetchone()
    if found is None:
        return None
    tournament, game, last, timer = found
    names = _read_names(db, club)
    boards: dict[UUID, tuple[Any, list[RoundPlace]]] = {}
    for row in db.execute(_BOARDS, {"tournament": tournament, "round": last}):
        boards.setdefault(row[0], (row, []))[1].append(RoundPlace(*row[6:-2]))
    finalists = max((row[-1] or 0 for row, _ in boards.values()), default=0)
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
                row[-2],
            )
            for board, (row, places) in boards.items()
        ),
        finalists or None,
        timer,
    )


def list_table_numbers(db: Connection[Any], tournament: int) -> dict[int, list[int]]:
    """Return the numbers of the tables in each round of a tournament that has been drawn."""
    rounds: dict[int, list[int]] = {}
    query = "SELECT round, number FROM boards WHERE tournament = %s ORDER BY round, number"
    for round_number, table in db.execute(query, (tournament,)):
        rounds.setdefault(round_number, []).extend([table] if table else [])
    return rounds


def explain_seating(seating: Mapping[str, Any] | None, names: Mapping[UUID, str | None]) -> tuple[Text, ...]:
    """Explain in words why these people sit together."""
    if seating is None:
        return ()
    if seating.get("by_hand"):
        return (Text("league.seated_by_hand"),)

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


def format_round_title(one: TournamentRound, game_title: str, translator: Translator) -> str:
    """Return what a round is called: its game and number, and how many play if it is a final."""
    if one.finalists is None:
        return translator("league.round", game=game_title, round=one.round)
    return translator("league.final_round", game=game_title, round=one.round, finalists=one.finalists)


def format_round(round_drawn: TournamentRound, translator: Translator) -> Iterator[str]:
    """Describe a round in lines: each table with its people in seat order, and the reasons."""
    title = Translator(translator.language, registry.load_game(round_drawn.game))("game.title")
    yield format_round_title(round_drawn, title, translator)
    for one in round_drawn.boards:
        names = [place.name or translator("league.somebody") for place in one.places]
        if one.number == 0:
            yield translator("share.labelled", label=translator("league.out"), value=", ".join(names))
            continue
        head = translator("league.table", table=one.number)
        laptop = translator("league.by_hand") if one.laptop is None else one.laptop
        label = head if laptop == head else f"{head} ({laptop})"
        yield translator("share.labelled", label=label, value=", ".join(names))
        yield from (f"    {translator.translate(text)}" for text in one.why)


def swap_people(db: Connection[Any], club: int, one: UUID, other: UUID) -> None:
    """Let two people change places in the current round. If one of them has none, they take the
    other's, and the other has none any more.

    Raises `Problem` if neither has a place, or if a table of theirs is being played or has been.
    """
    with db.transaction():
        current = _lock_current_round(db, club)
        merged_into = list_merged_people(db, club)
        places = {
            merged_into.get(place.person, place.person): (board, place.seat)
            for board in current.boards
            for place in board.places
        }
        # Somebody who comes late, or was withdrawn, has no place.
        seated = [person for person in (one, other) if person in places]
        if not seated:
            raise Problem("league.not_in_round", round=current.round)
        for board, _ in (places[person] for person in seated):
            _check_not_begun(board)
        for person, place in ((other, places.get(one)), (one, places.get(other))):
            if place is not None:
                board, seat = place
                db.execute(
                    "UPDATE places SET person = %s WHERE board = %s AND seat = %s",
                    (person, board.board, seat),
                )
                _mark_seated_by_hand(db, board)
        for person in {one, other}.difference(seated):
            enter_person(db, current.tournament, person)


def seat_person(db: Connection[Any], club: int, person: UUID, board: UUID) -> None:
    """Give somebody without a place in the current round, or who sits out, the next seat at a
    table. Raises `Problem` if the table is full, or is being played or has been."""
    with db.transaction():
        current = _lock_current_round(db, club)
        table = next((one for one in current.boards if one.board == board and one.number), None)
        if table is None:
            raise Problem("league.table_gone")
        _check_not_begun(table)
        merged_into = list_merged_people(db, club)
        for one in current.boards:
            if any(merged_into.get(place.person, place.person) == person for place in one.places):
                if one.number:
                    raise Problem("league.sits_already", table=one.number)
                db.execute("DELETE FROM places WHERE board = %s AND person = %s", (one.board, person))
        # Seats are filled in order, so the next one is as many as sit there.
        labels = list_seat_labels(min(MOST, registry.load_game(current.game).seats.stop - 1))
        if len(table.places) >= len(labels):
            raise Problem("league.table_full", table=table.number, most=len(labels))
        enter_person(db, current.tournament, person)
        db.execute(
            "INSERT INTO places (board, seat, person) VALUES (%s, %s, %s)",
            (board, labels[len(table.places)], person),
        )
        _mark_seated_by_hand(db, table)


def _lock_current_round(db: Connection[Any], club: int) -> TournamentRound:
    """Return the current round, which nobody else can change until the end of the transaction."""
    db.execute("SELECT club FROM clubs WHERE club = %s FOR UPDATE", (club,))
    tournament = find_current_tournament(db, club)
    current = read_round(db, club, tournament.number) if tournament else None
    if current is None:
        raise Problem("league.no_round")
    return current


def _check_not_begun(table: RoundTable) -> None:
    if table.has_begun:
        raise Problem("league.table_begun", table=table.number)


def _mark_seated_by_hand(db: Connection[Any], table: RoundTable) -> None:
    if table.number:
        # What a player sent was of other people.
        db.execute("DELETE FROM reports WHERE board = %s", (table.board,))
        db.execute("""UPDATE boards SET why = '{"by_hand": true}' WHERE board = %s""", (table.board,))


def enter_result(
    db: Connection[Any], club: int, board: UUID, scores: Mapping[str, Sequence[Fraction]] | None
) -> None:
    """Enter the result of a round's table manually: for each seat the points as counted in the
    game, and what decides between equal points there (`Game.tie_break`), 0 if it is left out.

    It replaces the laptop's result and any earlier manual result; None removes it again. Raises
    `Problem` if a seat's points are missing, or the table is not in the round any more.
    """
    with db.transaction():
        game, seats = _read_seats(db, club, board)
        if scores is not None and set(seats) != set(scores):
            raise Problem("league.points_missing")
        # A manual result takes a position in the feed, because ratings follow the feed's order.
        row = db.execute("UPDATE feed SET last = last + 1 WHERE club = %s RETURNING last", (club,)).fetchone()
        assert row is not None
        db.execute("UPDATE boards SET feed = %s WHERE board = %s", (row[0] if scores else None, board))
        ranks = _rank_scores(load_game(game), seats, scores) if scores else {}
        with db.cursor() as cursor:
            cursor.executemany(
                "UPDATE places SET place = %s, points = %s, tie_break = %s WHERE board = %s AND seat = %s",
                [(*ranks.get(seat, (None, None, None)), board, seat) for seat in seats],
            )
        db.execute("DELETE FROM reports WHERE board = %s", (board,))
        # The schema's trigger watches `results` only; a manual result is stored in `places`.
        db.execute("INSERT INTO unrated VALUES (%s, %s) ON CONFLICT DO NOTHING", (club, game))
        notify_servers(db, club, "shown")


def report_result(
    db: Connection[Any], club: int, board: UUID, scores: Mapping[str, Sequence[Fraction]]
) -> None:
    """Keep a result that a player has sent until the organiser enters it; a later one replaces it.
    Raises `Problem` as `enter_result` does, and if the table has a result already."""
    with db.transaction():
        _, seats = _read_seats(db, club, board)
        if set(seats) != set(scores):
            raise Problem("league.points_missing")
        # Of an earlier round nothing can be sent any more.
        current = read_round(db, club)
        table = next((one for one in current.boards if one.board == board), None) if current else None
        if table is None or table.has_begun:
            raise Problem(
                "league.table_gone" if table is None else "league.has_result", table=table and table.number
            )
        # As text: JSON has no fractions.
        typed = {seat: [str(number) for number in score] for seat, score in scores.items()}
        db.execute(
            "INSERT INTO reports (board, scores) VALUES (%s, %s)"
            " ON CONFLICT (board) DO UPDATE SET scores = EXCLUDED.scores, sent = now()",
            (board, msgspec.json.encode(typed).decode()),
        )


def accept_reports(db: Connection[Any], club: int, tournament: int) -> None:
    """Enter every result that players have sent for the last round."""
    current = read_round(db, club, tournament)
    for board in current.boards if current else ():
        if board.reported is not None and not board.is_over:
            scores = {seat: tuple(map(Fraction, score)) for seat, score in board.reported.items()}
            enter_result(db, club, board.board, scores)


def _read_seats(db: Connection[Any], club: int, board: UUID) -> tuple[str, list[str]]:
    """Return the game and the seats of a round's table. Raises `Problem` if there is none (any
    more)."""
    rows = db.execute(
        "SELECT seat, game FROM boards JOIN places USING (board) JOIN tournaments USING (tournament)"
        " WHERE board = %s AND club = %s AND number > 0 ORDER BY length(seat), seat",
        (board, club),
    ).fetchall()
    if not rows:
        raise Problem("league.table_gone")
    return rows[0][1], [seat for seat, _ in rows]


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
    opponents: float | None = None
    """The mean of the opponents' points, where it breaks ties."""


_STANDINGS = """
WITH side AS (
    SELECT * FROM unnest(%(players)s::int[], %(seats)s::text[], %(sides)s::int[], %(sizes)s::int[])
        AS side (n, seat, side, size)
), one AS (
    SELECT id, seat, person, place, count(*) OVER (PARTITION BY id) AS n
    FROM played WHERE club = %(club)s AND game = %(game)s
        AND (%(tournament)s::int IS NULL OR tournament = %(tournament)s AND id NOT IN (
            SELECT COALESCE(CASE WHEN feed IS NULL THEN session END, board) FROM boards
            WHERE tournament = %(tournament)s AND finalists IS NOT NULL
        ))
), part AS (
    -- A player's part of a side, so that sums count sides.
    SELECT one.*, side, 1 / COALESCE(size, 1)::float8 AS part FROM one LEFT JOIN side USING (n, seat)
), counted AS (
    SELECT id, person, side, place, sum(part) OVER (PARTITION BY id) AS n,
        sum(part) OVER (PARTITION BY id, place) AS tied,
        sum(part) OVER (PARTITION BY id ORDER BY place) AS so_far
    FROM part
), won AS (
    SELECT id, person, side, place, 100 * (n - so_far + (tied - 1) / 2) / (n - 1) AS points, true AS game
    FROM counted WHERE n > 1.5 AND person IS NOT NULL
    UNION ALL
    SELECT NULL, COALESCE(p.merged_into, x.person), NULL, 0, %(out)s, false
    FROM boards b JOIN places x USING (board) JOIN people p ON p.person = x.person
    WHERE b.tournament = %(tournament)s AND b.number = 0
), total AS (
    SELECT person, count(*) FILTER (WHERE game) AS games, count(*) FILTER (WHERE place = 1) AS wins,
        sum(points) AS points, count(*) AS rounds
    FROM won GROUP BY person
), faced AS (
    -- The mean, so that tables of three and of seven are worth the same.
    SELECT mine.person, avg(theirs.points) AS opponents
    FROM won mine JOIN won other ON other.id = mine.id AND other.person <> mine.person
        AND (mine.side IS NULL OR other.side <> mine.side)
    JOIN total theirs ON theirs.person = other.person
    WHERE %(tie_break)s = 'opponents' GROUP BY mine.person
)
SELECT rank() OVER (ORDER BY round(points) DESC, round(opponents) DESC NULLS LAST, wins DESC,
        round(points / rounds) DESC) AS place,
    total.person, name, games, wins, round(points)::float8, mu - %(doubt)s * sigma, round(opponents)::float8
FROM total JOIN people ON people.person = total.person
LEFT JOIN faced ON faced.person = total.person
LEFT JOIN ratings r ON r.club = %(club)s AND r.game = %(game)s AND r.person = total.person
ORDER BY place, lower(name), total.person
"""
_FINALS = """
SELECT b.round, p.person, p.place FROM played p JOIN boards b ON p.id IN (b.board, b.session)
WHERE b.tournament = %s AND b.finalists IS NOT NULL AND p.person IS NOT NULL
"""


def read_standings(
    db: Connection[Any], club: int, game: str, tournament: Tournament | None = None
) -> list[StandingsRow]:
    """Return the standings of a game, or of one tournament, best first.

    Final rounds give no points, they decide: who played in the last one comes first, in the order
    of the places there, then of the standings before.
    """
    if tournament is None:
        return _query_standings(db, club, game)
    rows = _query_standings(db, club, game, tournament.number, tournament.tie_break)
    finals: dict[int, dict[UUID, int]] = {}
    for round_number, person, place in db.execute(_FINALS, (tournament.number,)):
        finals.setdefault(round_number, {})[person] = place
    latest_first = [finals[number] for number in sorted(finals, reverse=True)]

    def rank_finals(row: StandingsRow) -> tuple[tuple[bool, int], ...]:
        return tuple((row.person not in final, final.get(row.person, 0)) for final in latest_first)

    if not finals:
        return rows
    # Equal keys share a place: one more than the number of smaller ones.
    keys = sorted((rank_finals(row), row.place) for row in rows)
    ranked = [row._replace(place=1 + keys.index((rank_finals(row), row.place))) for row in rows]
    return sorted(ranked, key=lambda row: row.place)


def _query_standings(
    db: Connection[Any],
    club: int,
    game: str,
    tournament: int | None = None,
    tie_break: str = TIE_BREAKS[0],
) -> list[StandingsRow]:
    columns = [list(column) for column in zip(*_iter_partners(game), strict=True)] or [[]] * 4
    query_args = {
        "club": club,
        "game": game,
        "tournament": tournament,
        "tie_break": tie_break,
        "out": OUT,
        "doubt": DOUBT,
        **dict(zip(("players", "seats", "sides", "sizes"), columns, strict=True)),
    }
    return [StandingsRow(*row) for row in db.execute(_STANDINGS, query_args)]


def _iter_partners(game: str) -> Iterator[tuple[int, str, int, int]]:
    """Yield the number of players, seat, number of the side and its size for everybody who does not
    play alone."""
    for players in range(LEAST, MOST + 1):
        for number, side in enumerate(registry.list_sides(game, players)):
            if len(side) > 1:
                yield from ((players, list_seat_labels(players)[seat], number, len(side)) for seat in side)
