"""The people at the table: corrected names, stand-ins, players who join or leave.

No rule depends on this: to the game, a seat keeps the name of the start all evening. What changes
is the name that people read and hear, and the list of players of the next game. Changes are stored
as notes beside the acts: undo and corrections of acts do not affect them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias, get_args

import msgspec
from msgspec.structs import replace

from companion.rules.contract import Game, Refusal, Text, refuse
from companion.rules.start import check_names

Deed: TypeAlias = Literal["rename", "exchange", "stand_in", "share", "back", "swap", "leave", "stay", "join"]
DEEDS: tuple[Deed, ...] = get_args(Deed)
NAMED: frozenset[Deed] = frozenset({"rename", "stand_in", "share", "join"})
"""The changes that need a name."""
RIGHT: frozenset[Deed] = frozenset({"rename", "exchange"})
"""The changes that correct names from the first round on."""


class VerbatimName(str):
    """A name in a `Text` that is shown unchanged, even if that player has another name by now."""

    __slots__ = ()


class SeatChange(msgspec.Struct, frozen=True, tag_field="type", tag="seated"):
    """One change of people. `seat`: the player, by the name at the start; "" for a player who
    joins.

    `name`: the corrected name, the stand-in or partner, or the new player. For `swap`, and for
    `exchange` (two players swap the colours and places that they have had from the start), it is
    the other player's seat.
    """

    deed: Deed
    seat: str
    name: str = ""


class PeopleNews(msgspec.Struct, frozen=True):
    """A change in words, with everybody's current names. `at`: the number of acts at that moment.

    Only `rename` mentions the former name, since the former name is its news.
    """

    at: int
    deed: Deed
    text: Text


class _Change(msgspec.Struct, frozen=True):
    """A change, the number of acts at that moment, the name it corrected, and the guest who left,
    if any."""

    at: int
    change: SeatChange
    was: str
    guest: str


class People(msgspec.Struct, frozen=True):
    """Everybody at the table. `seats`: the players of the session, clockwise, by the names of the
    start.

    `names`: the corrected names, by seat. `guests`: the guest who plays a seat now, and whether
    together with its owner. `order`: the players of the next game, clockwise: seats, and the names
    of those who join. `changes`: every change so far.
    """

    seats: tuple[str, ...]
    names: Mapping[str, str] = {}
    guests: Mapping[str, tuple[str, bool]] = {}
    order: tuple[str, ...] = ()
    changes: tuple[_Change, ...] = ()

    @classmethod
    def from_players(cls, players: Sequence[str], names: Mapping[str, str] | None = None) -> People:
        """Return the people at the start: everybody plays for themselves, and will play the next
        game. `names`: names of seats and of guests' labels where the journal does not contain
        them."""
        return cls(tuple(players), names or {}, order=tuple(players))

    @property
    def uses_seat_labels(self) -> bool:
        """Whether names are stored outside the journal (its seats are then `list_seat_labels`)."""
        return self.seats == list_seat_labels(len(self.seats))

    def with_name(self, label: str, name: str) -> People:
        """Return the people with `name` for this seat or guest."""
        return replace(self, names={**self.names, label: name})

    def make_guest_label(self) -> str:
        """Return the label of the next guest or new player, where names are stored outside the
        journal."""
        return f"g{1 + len(self.names.keys() - {*self.seats})}"

    @property
    def display_names(self) -> Mapping[str, str]:
        """The current name of each seat, where it differs from the start: `Eve (Bob)` plays for
        Bob, `Bob + Eve` play together."""
        called = {seat: self._display_name(seat) for seat in self.seats}
        return {seat: name for seat, name in called.items() if name != seat}

    @property
    def real_names(self) -> Mapping[str, str]:
        """The corrected name of every seat, without guests, by which people are known from one
        evening to the next.

        The names are distinct: older programs allowed a correction to the name of somebody who had
        left.
        """
        found: dict[str, str] = {}
        for seat in self.seats:
            own = self._real_name(seat)
            # The seat is unique, and so is the name with it.
            found[seat] = f"{own} ({seat})" if own in found.values() else own
        return found

    @property
    def described_changes(self) -> tuple[PeopleNews, ...]:
        """Every change so far, in words."""
        return tuple(PeopleNews(one.at, one.change.deed, self._describe_change(one)) for one in self.changes)

    @property
    def next_players(self) -> tuple[str, ...]:
        """The players of the next game, clockwise, by their corrected names."""
        return tuple(self._real_name(one) for one in self.order)

    def with_change(self, change: SeatChange, at: int) -> People:
        """Return the people after a change that `check_seat_change` accepts."""
        guest = self.guests.get(change.seat, ("", False))[0]
        # With the name and the guest of before, which the change may overwrite.
        noted = _Change(at, change, self._real_name(change.seat), guest)
        return replace(self._apply_change(change), changes=(*self.changes, noted))

    def list_possible_actions(self, seat: str) -> tuple[Deed, ...]:
        """List the changes that are possible for a seat now."""
        guest: tuple[Deed, ...] = ("back",) if seat in self.guests else ("stand_in", "share")
        # A player who leaves still plays this game to its end; `order` is about the next one.
        stay: Deed = "leave" if seat in self.order else "stay"
        return ("rename", "exchange", *guest, "swap", stay)

    def _real_name(self, seat: str) -> str:
        return self.names.get(seat, seat)

    def _guest_name(self, label: str) -> str:
        """Return a guest's name. In most sessions guests have no label, and the name stands for
        itself."""
        return label if label in self.seats else self.names.get(label, label)

    def _display_name(self, seat: str) -> str:
        guest, along = self.guests.get(seat, ("", False))
        own, guest = self._real_name(seat), self._guest_name(guest)
        if not guest:
            return own
        return f"{own} + {guest}" if along else f"{guest} ({own})"

    def _apply_change(self, change: SeatChange) -> People:
        seat, name = change.seat, change.name
        match change.deed:
            case "rename":
                return replace(self, names={**self.names, seat: name})
            case "stand_in" | "share":
                return replace(self, guests={**self.guests, seat: (name, change.deed == "share")})
            case "back":
                return replace(self, guests={one: by for one, by in self.guests.items() if one != seat})
            case "exchange":
                return self._exchange_seats(seat, name)
            case "leave":
                return replace(self, order=tuple(one for one in self.order if one != seat))
            case "stay" | "join":
                return replace(self, order=(*self.order, seat or name))
        other = {seat: name, name: seat}
        return replace(self, order=tuple(other.get(one, one) for one in self.order))

    def _exchange_seats(self, one: str, other: str) -> People:
        """Exchange the seats of two people, with their guests and their places in the next game.
        Where names are stored outside the journal only the names change, and guests stay at their
        seat."""
        names = {**self.names, one: self._real_name(other), other: self._real_name(one)}
        # The journal holds labels only: to exchange the names is enough.
        if self.uses_seat_labels:
            return replace(self, names=names)
        seat = {one: other, other: one}
        # With both in it the order is one of seats, which have just been exchanged.
        both_stay = {one, other} <= {*self.order}
        return replace(
            self,
            names=names,
            guests={seat.get(label, label): guest for label, guest in self.guests.items()},
            order=self.order if both_stay else tuple(seat.get(label, label) for label in self.order),
        )

    def _describe_change(self, noted: _Change) -> Text:
        change = noted.change
        # For these two `name` is a seat; for the others a name, or a guest's label.
        known = self._real_name if change.deed in ("swap", "exchange") else self._guest_name
        name = change.name if change.deed == "rename" else known(change.name)
        player = noted.was if change.deed == "rename" else self._real_name(change.seat)
        args = {
            "player": VerbatimName(player),
            "name": VerbatimName(name),
            "guest": VerbatimName(self._guest_name(noted.guest)),
        }
        return Text(f"people.told.{change.deed}", args)


def list_seat_labels(players: int) -> tuple[str, ...]:
    """Return seat labels for this number of players: `s1` is the first. A session uses them where
    names are stored elsewhere, so that a name can be deleted."""
    return tuple(f"s{seat}" for seat in range(1, players + 1))


def check_seat_change(people: People, change: SeatChange, game: Game[Any]) -> Refusal | None:
    """Refuse an impossible change: unknown seat, bad or taken name, too many players."""
    # Somebody who joins has no seat yet.
    if change.deed != "join" and change.seat not in people.seats:
        return refuse("unknown_player", player=change.seat)
    if change.deed not in people.list_possible_actions(change.seat) and change.deed != "join":
        return refuse(
            "bad_players",
            message="people_done",
            player=VerbatimName(people.names.get(change.seat, change.seat)),
        )
    if change.deed == "exchange":
        there = change.name in people.seats and change.name != change.seat
        return None if there else refuse("bad_players", message="people_exchange")
    if change.deed == "swap":
        there = change.name in people.order and change.seat in people.order and change.name != change.seat
        return None if there else refuse("bad_players", message="people_swap")
    if change.deed in NAMED:
        # Who has gone is in the score sheet still, and so is their name.
        known = dict.fromkeys((*people.seats, *people.order))
        others = [people._real_name(one) for one in known if change.deed != "rename" or one != change.seat]
        # Guests count as well: two people at the table must not share a name.
        found = check_name(
            change.name, [*others, *(people._guest_name(guest) for guest, _ in people.guests.values())]
        )
        if found is not None:
            return found
    # One more than play now must still be a number of players of this game.
    if change.deed in ("join", "stay") and len(people.order) + 1 not in game.seats:
        return refuse("bad_players", message="people_full", most=game.seats[-1])
    return None


def check_name(name: str, other_names: Sequence[str]) -> Refusal | None:
    """Refuse an invalid name, or one that is too similar to one of `other_names`; None if it is
    fine."""
    return check_names([name]) or (
        refuse("bad_players", message="same_name") if check_names([name, *other_names]) else None
    )


def describe_menu_action(action: Deed, player: str) -> Text:
    """Describe a possible change, for a menu."""
    return Text(f"people.{action}", {"player": VerbatimName(player)})
