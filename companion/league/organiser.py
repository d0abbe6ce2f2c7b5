"""The organiser's commands, as the forms of their page send them, and the one of players: reporting
a result from a phone.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Any, Literal
from uuid import UUID

import msgspec
from psycopg import Connection

from companion.league import people, rounds, tournaments
from companion.league.feed import notify_servers
from companion.league.points import parse_points
from companion.league.seating import MOST
from companion.rules.contract import Problem, Text
from companion.rules.people import list_seat_labels


class FormCommand(msgspec.Struct, frozen=True, tag_field="do"):
    """A command from the organiser, as sent by a form."""

    def run_in_transaction(self, db: Connection[Any], club: int) -> Text | None:
        """Carry out the command and notify all pages; return what to tell the organiser, if
        anything. Raises `Problem` with the reason if it cannot be carried out."""
        with db.transaction():
            # The notification is part of the transaction, so pages change only when the command has
            # been committed.
            message = self.apply_to_club(db, club)
            notify_servers(db, club, "shown")
        return message

    def apply_to_club(self, db: Connection[Any], club: int) -> Text | None:
        """Carry out the command within a transaction."""
        raise NotImplementedError


class DrawRound(FormCommand, frozen=True, tag="draw"):
    """Draw the next round, of the current tournament's game unless `game` names one; `again` 1: the
    current one again, if nothing of it has been played. `finalists`: only so many, the best."""

    game: str = ""
    seats: int = 0
    again: int = 0
    finalists: int = 0

    def apply_to_club(self, db: Connection[Any], club: int) -> None:
        """See `rounds.draw_round`."""
        rounds.draw_round(
            db,
            club,
            self.game or None,
            self.seats or None,
            again=bool(self.again),
            finalists=self.finalists or None,
        )


class BeginTournament(FormCommand, frozen=True, tag="begin"):
    """Begin a tournament of this game; people can then be entered and rounds drawn. `rounds`: how
    many are planned. `tie_break`: see `tournaments.TIE_BREAKS`."""

    game: str
    rounds: Annotated[int, msgspec.Meta(ge=1, le=tournaments.MOST_ROUNDS)] = tournaments.USUAL_ROUNDS
    tie_break: Literal["wins", "opponents"] = "wins"

    def apply_to_club(self, db: Connection[Any], club: int) -> None:
        """See `tournaments.begin_tournament`."""
        tournaments.begin_tournament(db, club, self.game, self.rounds, self.tie_break)


class EndTournament(FormCommand, frozen=True, tag="end"):
    """End the current tournament; its results remain."""

    def apply_to_club(self, db: Connection[Any], club: int) -> None:
        """See `tournaments.end_tournament`."""
        tournaments.end_tournament(db, _require_tournament(db, club))


class SetTimer(FormCommand, frozen=True, tag="timer"):
    """Start the round's timer, for all screens; 0 minutes stop it."""

    minutes: Annotated[int, msgspec.Meta(ge=0, le=600)] = 0

    def apply_to_club(self, db: Connection[Any], club: int) -> None:
        """See `tournaments.set_timer`."""
        tournaments.set_timer(db, _require_tournament(db, club), self.minutes)


class SwapPeople(FormCommand, frozen=True, tag="swap"):
    """Let two people change places in the current round; one of them may have none yet."""

    one: UUID
    other: UUID

    def apply_to_club(self, db: Connection[Any], club: int) -> None:
        """See `rounds.swap_people`."""
        _require_two_people(db, club, self.one, self.other)
        rounds.swap_people(db, club, self.one, self.other)


class SeatPerson(FormCommand, frozen=True, tag="seat"):
    """Give a person a further seat at a table of the current round."""

    person: UUID
    board: UUID

    def apply_to_club(self, db: Connection[Any], club: int) -> None:
        """See `rounds.seat_person`."""
        _require_person(db, club, self.person)
        rounds.seat_person(db, club, self.person, self.board)


class Arrive(FormCommand, frozen=True, tag="arrive"):
    """Enter people from the next round on, by name, one a line: new ones or such as the club
    knows."""

    names: str

    def apply_to_club(self, db: Connection[Any], club: int) -> Text | None:
        """Enter them in the current tournament."""
        number = _require_tournament(db, club)
        names = people.parse_names(self.names)
        if not names:
            raise Problem("league.not_filled")
        # All in one transaction: a name that is too long enters nobody.
        people_named = [people.find_or_add_person(db, club, name) for name in names]
        listed = people.list_people(db, club)
        known = [listed[person] for person in people_named if not rounds.enter_person(db, number, person)]
        if len(names) == 1:
            if known:
                raise Problem("league.there_already", name=known[0])
            return None
        code = "league.entered_but" if known else "league.entered"
        return Text(code, {"names": ", ".join(known)}, len(names) - len(known))


class Go(FormCommand, frozen=True, tag="go"):
    """Withdraw a person from the following rounds; their results remain. `gone` 0: the person takes
    part (again)."""

    person: UUID
    gone: int = 1

    def apply_to_club(self, db: Connection[Any], club: int) -> None:
        """Withdraw the person from the current tournament, or enter them."""
        number = _require_tournament(db, club)
        _require_person(db, club, self.person)
        rounds.enter_person(db, number, self.person, gone=bool(self.gone))


class _ScoresCommand(FormCommand, frozen=True):
    """A table's result as it was typed: the points of each seat (`s1`, `s2`, ...), and what decides
    between equal points (`t1`, `t2`, ...; "" is 0)."""

    board: UUID
    s1: str = ""
    s2: str = ""
    s3: str = ""
    s4: str = ""
    s5: str = ""
    s6: str = ""
    s7: str = ""
    t1: str = ""
    t2: str = ""
    t3: str = ""
    t4: str = ""
    t5: str = ""
    t6: str = ""
    t7: str = ""

    @property
    def scores(self) -> dict[str, tuple[Fraction, ...]]:
        """The points and the tie-break of each seat that has points."""
        return {
            label: tuple(
                parse_points(typed) for typed in (points, getattr(self, f"t{seat}")) if typed.strip()
            )
            for seat, label in enumerate(list_seat_labels(MOST), 1)
            if (points := getattr(self, label)).strip()
        }


class EnterResult(_ScoresCommand, frozen=True, tag="result"):
    """Enter or correct a table's result."""

    def apply_to_club(self, db: Connection[Any], club: int) -> None:
        """See `rounds.enter_result`."""
        rounds.enter_result(db, club, self.board, self.scores)


class ReportResult(_ScoresCommand, frozen=True, tag="report"):
    """Report a table's result from a player's phone. Anybody may; it counts once the organiser has
    accepted it."""

    def apply_to_club(self, db: Connection[Any], club: int) -> Text:
        """See `rounds.report_result`."""
        rounds.report_result(db, club, self.board, self.scores)
        return Text("league.reported")


class AcceptReports(FormCommand, frozen=True, tag="accept"):
    """Enter every result that players have reported for the current round."""

    def apply_to_club(self, db: Connection[Any], club: int) -> None:
        """See `rounds.accept_reports`."""
        rounds.accept_reports(db, club, _require_tournament(db, club))


class TakeResultBack(FormCommand, frozen=True, tag="unresult"):
    """Remove a manual result, so that the laptop's result counts again."""

    board: UUID

    def apply_to_club(self, db: Connection[Any], club: int) -> None:
        """See `rounds.enter_result`."""
        rounds.enter_result(db, club, self.board, None)


class KeepApart(FormCommand, frozen=True, tag="apart"):
    """Never seat two people together, or (`apart` 0) lift that restriction."""

    one: UUID
    other: UUID
    apart: int = 1

    def apply_to_club(self, db: Connection[Any], club: int) -> None:
        """See `people.keep_apart`."""
        # A form could hold ids of another club's people in the same database.
        _require_two_people(db, club, self.one, self.other)
        people.keep_apart(db, self.one, self.other, apart=bool(self.apart))


class Merge(FormCommand, frozen=True, tag="merge"):
    """Merge two names of one person: `person` becomes `into`."""

    person: UUID
    into: UUID

    def apply_to_club(self, db: Connection[Any], club: int) -> None:
        """See `people.merge_people`."""
        _require_two_people(db, club, self.person, self.into)
        people.merge_people(db, club, self.person, self.into)


class Forget(FormCommand, frozen=True, tag="forget"):
    """Delete a person's name; the results remain."""

    person: UUID

    def apply_to_club(self, db: Connection[Any], club: int) -> None:
        """See `people.forget_person`."""
        people.forget_person(db, club, self.person)


AnyCommand = (
    DrawRound
    | BeginTournament
    | EndTournament
    | SetTimer
    | SwapPeople
    | SeatPerson
    | Arrive
    | Go
    | EnterResult
    | ReportResult
    | AcceptReports
    | TakeResultBack
    | KeepApart
    | Merge
    | Forget
)
_DECODER: msgspec.json.Decoder[AnyCommand] = msgspec.json.Decoder(
    AnyCommand, strict=False
)  # forms send numbers as text


def decode_command(body: bytes) -> AnyCommand:
    """Decode a form. Raises `msgspec.MsgspecError`, `UnicodeDecodeError`, `RecursionError`."""
    return _DECODER.decode(body)


def _require_person(db: Connection[Any], club: int, person: UUID) -> None:
    """Raise `Problem` unless this is a person of this club."""
    if person not in people.list_people(db, club):
        raise Problem("league.not_filled")


def _require_two_people(db: Connection[Any], club: int, one: UUID, other: UUID) -> None:
    """Raise `Problem` unless these are two different people of this club."""
    if one == other or not {one, other} <= people.list_people(db, club).keys():
        raise Problem("league.not_two")


def _require_tournament(db: Connection[Any], club: int) -> int:
    current = tournaments.find_current_tournament(db, club)
    if current is None:
        raise Problem("league.no_tournament")
    return current.number
