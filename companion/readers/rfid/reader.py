"""A reader board as a reader of the table: its events as sightings, key presses and health.

What this module knows of cards is the deck's list of tag ids, handed in as a function; of rules it
knows nothing. The light of a pad turns red by itself when no card of the deck has the tag; green is
for the program to ask for, when it has taken the card.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterable

from companion.readers.rfid import ports
from companion.readers.rfid.events import (
    Button,
    CardArrived,
    CardLeft,
    Connected,
    Lost,
    PadHealth,
    PadsSnapshot,
    ReaderFault,
    Refused,
    SelfTest,
    TagId,
    WireEvent,
)
from companion.readers.rfid.frames import Light, Tune
from companion.readers.rfid.link import LinkHealth, RfidReader
from companion.rules.contract import Text
from companion.table.sightings import Face, Health, HealthState, Post, Press, Sighting, nobody


class RfidTableReader:
    """Posts what lies on a board's pads. `design_of`: tag id (hexadecimal) to the deck's name of
    the design, None if unknown.

    `place`: what the table calls a pad of the board, and which face of a card there is up.
    """

    def __init__(
        self,
        port: str | ports.Locate,
        design_of: Callable[[str], str | None],
        name: str | None = None,
        place: Callable[[str], tuple[str, Face]] = lambda pad: (pad, "up"),
    ) -> None:
        self.name = name or (f"rfid {port}" if isinstance(port, str) else "rfid")
        self.on_tag: Callable[[str, TagId], None] | None = None
        """Called with the pad's name and the tag of each card that arrives: for enrolment. In the
        reader's thread."""
        self.self_tests: dict[str, int] = {}
        """What became of each pad's self-test: 0 right, 1 wrong, 2 not known (`SelfTest`)."""
        self._design_of = design_of
        self._place = place
        self._link = RfidReader(port, self._hear, self._lack)
        self._post: Post = nobody
        self._pads: tuple[str, ...] = ()
        self._tracks: dict[tuple[int, TagId], int] = {}
        self._awaited: set[tuple[int, TagId]] = set()
        """What lay on pads that are starting anew: they will say whether it still does."""
        self._missed = False
        self._numbers = itertools.count(1)

    def start(self, post: Post) -> None:
        """Begin to report to `post`."""
        self._post = post
        self._say("starting", Text("reader.rfid.starting", {"reader": self.name}), time.monotonic())
        self._link.start()

    def close(self) -> None:
        """Stop, and return when the port is closed."""
        self._link.close()

    @property
    def link_health(self) -> LinkHealth:
        """How board, pads and line are: for the self-test and the settings screen."""
        return self._link.health

    @property
    def pads(self) -> tuple[str, ...]:
        """Names of the board's pads, once it has answered."""
        return self._pads

    def accepted(self, pad: str) -> None:
        """Show at the pad of that name that the program has taken its card."""
        self.light(pad, Light.ACCEPTED)

    def light(self, pad: str | None, light: Light) -> None:
        """Set the light of the pad of that name, or all lights (None); a name that the board has
        not is no fault."""
        if pad is None:
            self._link.light(None, light)
        elif pad in self._pads:
            self._link.light(self._pads.index(pad), light)

    def gain(self, pad: str, gain: int) -> None:
        """Set the receiver's gain of the pad of that name, 0 to 7 (PROTOCOL.md, command 3)."""
        if pad in self._pads:
            self._link.gain(self._pads.index(pad), gain)

    def test(self, pads: Iterable[str]) -> None:
        """Let the chips of these pads test themselves; `self_tests` tells."""
        for pad in pads:
            self._link.self_test(self._pads.index(pad))

    def buzz(self, tune: Tune) -> None:
        """Play a tune once."""
        self._link.buzz(tune)

    # ---- in the link's thread ----

    def _hear(self, event: WireEvent) -> None:
        match event:
            case CardArrived(pad=pad, tag=tag, received=at):
                self._arrive(pad, tag, at)
            case CardLeft(pad=pad, tag=tag, received=at):
                self._leave(pad, tag, at)
            case Button(seat=seat, pressed=True, which=which, received=at):
                self._noticed(at)
                self._post(Press(self.name, seat, "accept" if which == "accept" else "refuse", at))
            case PadsSnapshot():
                self._compare(event)
            case ReaderFault():
                self._diagnose(event)
            case SelfTest(pad=pad, result=result):
                self.self_tests[self._where(pad)] = result
            case Connected(identity=identity, received=at):
                self._pads = identity.pad_names
                self._well(at)
            case Lost(why=why, received=at):
                self._say(
                    "lost",
                    Text(why, {"port": self._link.health.port}),
                    at,
                )
            case Refused(received=at):
                self._say("lost", self._link.health.problem or Text("reader.rfid.no_board"), at)
            case _:
                pass

    def _lack(self, trouble: Text) -> None:
        """Say why there is no board; of one that was there and went, that it went is better told
        than that it is not there."""
        if not (self._pads and trouble.code in ("reader.rfid.no_board", "reader.rfid.no_port")):
            self._say("lost", trouble, time.monotonic())

    def _where(self, pad: int) -> str:
        return self._pads[pad] if pad < len(self._pads) else f"pad{pad + 1}"

    def _sighting(
        self, track: int, design: str | None, pad: int, at: float, *, present: bool = True
    ) -> Sighting:
        where, face = self._place(self._where(pad))
        return Sighting(self.name, track, design, where, at, face, present=present, sense="tag")

    def _arrive(self, pad: int, tag: TagId, at: float) -> None:
        design = self._design_of(tag.hex())
        self._awaited.discard((pad, tag))
        if (pad, tag) not in self._tracks:
            self._noticed(at)
        track = self._tracks.setdefault((pad, tag), next(self._numbers))
        self._post(self._sighting(track, design, pad, at))
        if design is None:
            self._link.unknown(pad)
        if self.on_tag is not None:
            self.on_tag(self._where(pad), tag)

    def _leave(self, pad: int, tag: TagId, at: float) -> None:
        self._awaited.discard((pad, tag))
        track = self._tracks.pop((pad, tag), None)
        if track is not None:
            self._post(self._sighting(track, None, pad, at, present=False))

    def _compare(self, snapshot: PadsSnapshot) -> None:
        """Bring the table up to date with a snapshot: what is gone first, then what is new.

        A pad that is starting anew has not looked yet: what lay there lies there until it has.
        """
        there = {(pad, tag) for pad, state in enumerate(snapshot.pads) for tag in state.tags}
        starting = {pad for pad, state in enumerate(snapshot.pads) if state.health is PadHealth.RESTARTING}
        unseen = [key for key in self._tracks if key not in there]
        self._awaited = {key for key in unseen if key[0] in starting}
        # What is gone goes before what is new comes: a card that was moved is never at two pads.
        for pad, tag in unseen:
            if pad not in starting:
                self._leave(pad, tag, snapshot.received)
        for pad, state in enumerate(snapshot.pads):
            for tag in state.tags:
                if (pad, tag) not in self._tracks:
                    self._arrive(pad, tag, snapshot.received)
        if snapshot.missed:
            self._missed = True
            self._well(snapshot.received)

    def _noticed(self, at: float) -> None:
        """Something new came from the table: people have gone on, whether or not they looked."""
        if self._missed:
            self._missed = False
            self._well(at)

    def _well(self, at: float) -> None:
        """Say that the reader works, and that it may have missed something if that is so."""
        if self._missed:
            self._say("look", Text("reader.rfid.look", {"reader": self.name}), at)
        else:
            self._say("ok", Text("reader.rfid.ok", {"reader": self.name, "pads": len(self._pads)}), at)

    def _diagnose(self, fault: ReaderFault) -> None:
        """Say what is wrong with a pad, or once it is well again, that the reader is."""
        where = "" if fault.pad is None else self._where(fault.pad)
        if fault.health.harmless:
            ill = [state for state in self._link.health.pads if not state.health.harmless]
            for pad, tag in [key for key in self._awaited if key[0] == fault.pad]:
                self._leave(pad, tag, fault.received)
            if not ill:
                self._well(fault.received)
            return
        self._say(
            "lost",
            Text(f"reader.rfid.pad.{fault.health.cause}", {"pad": where, "version": f"{fault.version:02x}"}),
            fault.received,
        )

    def _say(self, state: HealthState, text: Text, at: float) -> None:
        self._post(Health(self.name, state, text, at))
