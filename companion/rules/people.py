"""Who sits at the table: names put right, stand-ins, who joins and who goes.

No rule depends on it: to the game a seat is called all evening as it was at the start. What changes
is the name that people read and hear, and who plays the next game. Changes are kept as notes beside
the acts: no undo and no correction of an act takes them back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias, get_args

import msgspec
from msgspec.structs import replace

from companion.rules.contract import Game, Refusal, Text, refuse
from companion.rules.start import bad_names

Deed: TypeAlias = Literal["rename", "exchange", "stand_in", "share", "back", "swap", "leave", "stay", "join"]
DEEDS: tuple[Deed, ...] = get_args(Deed)
NAMED: frozenset[Deed] = frozenset({"rename", "stand_in", "share", "join"})
"""The deeds that need a name."""
RIGHT: frozenset[Deed] = frozenset({"rename", "exchange"})
"""The deeds that put right what everybody is called from the first round on."""


class AsIs(str):
    """A name in a `Text` that is shown as it is, whatever its bearer is called by now."""

    __slots__ = ()


class Seated(msgspec.Struct, frozen=True, tag_field="type", tag="seated"):
    """One change. `seat`: the player, as the session began with them; "" for one who joins.

    `name`: the right name, who stands in or plays along, who joins; of a `swap`, and of an
    `exchange` of the colours and places that two have had from the start, the other player's seat.
    """

    deed: Deed
    seat: str
    name: str = ""


class PeopleNews(msgspec.Struct, frozen=True):
    """A change in words, everybody by their right names as these are now; `at`: how many acts stood
    then.

    Only `rename` says what somebody was called before: that is what it tells.
    """

    at: int
    deed: Deed
    text: Text


class _Change(msgspec.Struct, frozen=True):
    """A change, how many acts stood then, the name that it put right and the guest who went, if
    any."""

    at: int
    change: Seated
    was: str
    guest: str


class People(msgspec.Struct, frozen=True):
    """Who sits where. `seats`: the players of the session, clockwise, as it began.

    `names`: the right names, by seat. `guests`: who plays a seat now, and whether together with its
    owner. `order`: who plays the next game, clockwise: seats, and the names of those who join.
    `told`: every change so far.
    """

    seats: tuple[str, ...]
    names: Mapping[str, str] = {}
    guests: Mapping[str, tuple[str, bool]] = {}
    order: tuple[str, ...] = ()
    changes: tuple[_Change, ...] = ()

    @classmethod
    def of(cls, players: Sequence[str], names: Mapping[str, str] | None = None) -> People:
        """Begin: everybody plays for themselves, and the next game is played by the same. `names`:
        what seats, and guests by their labels, are called where the log does not say it."""
        return cls(tuple(players), names or {}, order=tuple(players))

    @property
    def beside(self) -> bool:
        """Whether names stand beside the log, and not in it (`seat_labels`)."""
        return self.seats == seat_labels(len(self.seats))

    def calling(self, label: str, name: str) -> People:
        """Return the people with this seat or guest called so."""
        return replace(self, names={**self.names, label: name})

    def next_guest(self) -> str:
        """Return the label of the next who joins or stands in where names stand beside the log."""
        return f"g{1 + len(self.names.keys() - {*self.seats})}"

    @property
    def shown(self) -> Mapping[str, str]:
        """What each seat is called now, where that is not as it was at the start: `Eve (Bob)` plays
        for Bob, `Bob + Eve` play together."""
        called = {seat: self._called(seat) for seat in self.seats}
        return {seat: name for seat, name in called.items() if name != seat}

    @property
    def right(self) -> Mapping[str, str]:
        """The right name of every seat, by which people are known from one evening to the next; no
        guest's.

        No two are alike: older programs let a name be put right to that of somebody who had gone.
        """
        found: dict[str, str] = {}
        for seat in self.seats:
            own = self._own(seat)
            found[seat] = f"{own} ({seat})" if own in found.values() else own
        return found

    @property
    def told(self) -> tuple[PeopleNews, ...]:
        """Every change so far, in words."""
        return tuple(PeopleNews(one.at, one.change.deed, self._words(one)) for one in self.changes)

    @property
    def next_players(self) -> tuple[str, ...]:
        """Who plays the next game, clockwise, by their right names."""
        return tuple(self._own(one) for one in self.order)

    def after(self, change: Seated, at: int = 0) -> People:
        """Return the people after a change that `refused` lets pass."""
        guest = self.guests.get(change.seat, ("", False))[0]
        noted = _Change(at, change, self._own(change.seat), guest)
        return replace(self._changed(change), changes=(*self.changes, noted))

    def possible(self, seat: str) -> tuple[Deed, ...]:
        """List what may happen to a seat now."""
        guest: tuple[Deed, ...] = ("back",) if seat in self.guests else ("stand_in", "share")
        stay: Deed = "leave" if seat in self.order else "stay"
        return ("rename", "exchange", *guest, "swap", stay)

    def _own(self, seat: str) -> str:
        return self.names.get(seat, seat)

    def _guest(self, label: str) -> str:
        """Name a guest; in most sessions guests are called by their names alone."""
        return label if label in self.seats else self.names.get(label, label)

    def _called(self, seat: str) -> str:
        guest, along = self.guests.get(seat, ("", False))
        own, guest = self._own(seat), self._guest(guest)
        if not guest:
            return own
        return f"{own} + {guest}" if along else f"{guest} ({own})"

    def _changed(self, change: Seated) -> People:
        seat, name = change.seat, change.name
        match change.deed:
            case "rename":
                return replace(self, names={**self.names, seat: name})
            case "stand_in" | "share":
                return replace(self, guests={**self.guests, seat: (name, change.deed == "share")})
            case "back":
                return replace(self, guests={one: by for one, by in self.guests.items() if one != seat})
            case "exchange":
                return self._exchanged(seat, name)
            case "leave":
                return replace(self, order=tuple(one for one in self.order if one != seat))
            case "stay" | "join":
                return replace(self, order=(*self.order, seat or name))
        other = {seat: name, name: seat}
        return replace(self, order=tuple(other.get(one, one) for one in self.order))

    def _exchanged(self, one: str, other: str) -> People:
        """Let two people have each other's seat, with who plays for them; who goes after this game
        is a person, too. Where the log holds no names it holds no exchange of them either, and who
        plays for a seat stays there."""
        names = {**self.names, one: self._own(other), other: self._own(one)}
        if self.beside:
            return replace(self, names=names)
        seat = {one: other, other: one}
        both_stay = {one, other} <= {*self.order}
        return replace(
            self,
            names=names,
            guests={seat.get(label, label): guest for label, guest in self.guests.items()},
            order=self.order if both_stay else tuple(seat.get(label, label) for label in self.order),
        )

    def _words(self, noted: _Change) -> Text:
        change = noted.change
        known = self._own if change.deed in ("swap", "exchange") else self._guest
        name = change.name if change.deed == "rename" else known(change.name)
        player = noted.was if change.deed == "rename" else self._own(change.seat)
        args = {"player": AsIs(player), "name": AsIs(name), "guest": AsIs(self._guest(noted.guest))}
        return Text(f"people.told.{change.deed}", args)


def seat_labels(players: int) -> tuple[str, ...]:
    """Return what a session calls so many players whose names stand beside it, so that one can be
    forgotten: `s1` is the first."""
    return tuple(f"s{seat}" for seat in range(1, players + 1))


def refused(people: People, change: Seated, game: Game[Any]) -> Refusal | None:
    """Say why a change cannot be: no such seat, a bad or taken name, too many players."""
    if change.deed != "join" and change.seat not in people.seats:
        return refuse("unknown_player", player=change.seat)
    if change.deed not in people.possible(change.seat) and change.deed != "join":
        return refuse(
            "bad_players", say="people_done", player=AsIs(people.names.get(change.seat, change.seat))
        )
    if change.deed == "exchange":
        there = change.name in people.seats and change.name != change.seat
        return None if there else refuse("bad_players", say="people_exchange")
    if change.deed == "swap":
        there = change.name in people.order and change.seat in people.order and change.name != change.seat
        return None if there else refuse("bad_players", say="people_swap")
    if change.deed in NAMED:
        # Who has gone is in the score sheet still, and so is their name.
        known = dict.fromkeys((*people.seats, *people.order))
        others = [people._own(one) for one in known if change.deed != "rename" or one != change.seat]
        found = wrong_name(
            change.name, [*others, *(people._guest(guest) for guest, _ in people.guests.values())]
        )
        if found is not None:
            return found
    if change.deed in ("join", "stay") and len(people.order) + 1 not in game.seats:
        return refuse("bad_players", say="people_full", most=game.seats[-1])
    return None


def wrong_name(name: str, others: Sequence[str]) -> Refusal | None:
    """Say what is wrong with a name beside `others`, None where nothing is."""
    return bad_names([name]) or (
        refuse("bad_players", say="same_name") if bad_names([name, *others]) else None
    )


def words_for_menu(deed: Deed, player: str) -> Text:
    """Say what a deed would be, for a menu."""
    return Text(f"people.{deed}", {"player": AsIs(player)})
