"""WebSocket connection of a page: it begins with a link's token or a pass, then carries states to
the page and its input to the table.

A state is encoded once for all spectators who read the same language. Input is what is tapped, what
tags are read, and pictures of a phone's camera.

Both ends send something every `BEAT` seconds, so that each knows whether the other is there: a
sleeping laptop or a phone in a pocket closes no connection. A page learns why its connection was
closed (`End`). Each input of a seat carries an id; if a seat repeats it after a lost connection it
gets the same reply, so nothing is entered twice.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import msgspec
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from companion.live.snapshot import Snapshot
from companion.readers.nfc.pads import PhonePads, Where
from companion.readers.rfid.events import TagId
from companion.share.access import CAMERA, JOIN, PAD, WATCH, Doors, End, Purpose
from companion.share.guard import LARGEST_BODY, REFILL, SILENCE, Buckets
from companion.share.seats import Desk, Speech
from companion.table.sightings import Battery, NoPictures
from companion.texts import Translator
from companion.views.state import state_of

if TYPE_CHECKING:
    from companion.readers.camera.sources import Phone


class EncodedState(NamedTuple):
    """One state: its number, which grows with every change, and its JSON."""

    number: int
    body: bytes


class Broadcast:
    """Hand-over of states from the table's thread, which makes the snapshots, to the server's.

    `say`: returns the translator for a language ("": the table's). States are not queued: a slow
    page gets the newest one, and delays nobody.
    """

    def __init__(self, say: Callable[[str], Translator]) -> None:
        self._say = say
        self._newest: tuple[Snapshot, Mapping[str, dict[str, Any]]] | None = None
        self._number = 0
        self._shown: dict[tuple[str, str], EncodedState] = {}
        self.loop: asyncio.AbstractEventLoop | None = None
        self._changed = asyncio.Event()
        self._here: Sequence[str] = ()
        self.join = ""
        """The address to type for joining; empty if nobody else can."""

    def show(self, snapshot: Snapshot, mine: Mapping[str, dict[str, Any]]) -> None:
        """Take the newest snapshot, and for each seat what its own page shows in addition. Called
        in the table's thread."""
        self._newest = (snapshot, mine)
        self._number += 1
        loop = self.loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(self._wake)

    def mingle(self, players: Sequence[str]) -> None:
        """Record which players are connected by phone. Called in the server's thread."""
        if sorted(players) != self._here:
            self._here = sorted(players)
            self._number += 1
            self._wake()

    def serve(self) -> None:
        """Remember the running event loop as the one that sends states."""
        self.loop = asyncio.get_running_loop()
        self._changed = asyncio.Event()  # one belongs to one loop, and that may have died

    async def after(self, number: int, player: str = "", language: str = "") -> EncodedState:
        """Wait for a state later than `number` and return the newest; if a player is given, it is
        the one for that seat's page."""
        while True:
            # Before the look: a change in between sets this event, and is not missed.
            changed = self._changed
            shown = self._now(player, language)
            if shown is not None and shown.number > number:
                return shown
            await changed.wait()

    def _now(self, player: str, language: str = "") -> EncodedState | None:
        newest = self._newest
        if newest is None:
            return None
        (snapshot, mine), number = newest, self._number
        shown = self._shown.get((player, language))
        if shown is None or shown.number != number:
            state = state_of(snapshot, self._say(language)) | ({"mine": mine.get(player)} if player else {})
            seats = snapshot.people.seats
            state |= {"here": [seats.index(one) for one in self._here if one in seats], "join": self.join}
            shown = EncodedState(number, msgspec.json.encode({"state": state}))
            self._shown[player, language] = shown
        return shown

    def _wake(self) -> None:
        self._changed.set()
        # Waiting tasks hold the old event; later ones wait for the next change.
        self._changed = asyncio.Event()


BEAT = 2.0
"""Seconds after which either end sends a sign of life, if it has nothing else to send."""
SILENT = 12.0
"""Seconds without a message after which a page counts as gone. A phone's browser may delay a page's
timers by a second, and a lost packet costs three."""
SEND_TIMEOUT = 10.0
"""Seconds in which a browser must accept what is sent, or it is disconnected; it comes back by
itself."""
MOST_KNOCKING = 20
"""Most screens that may wait to be admitted at once."""
LARGEST_PICTURE = 2_000_000
"""Most bytes of one picture; 1920x1080 at quality 85 stays under half of that."""
AHEAD = 4
"""Bytes before a picture: milliseconds, signed and big-endian, from when the page received the
table's request for a picture (`taken`, or `you` at first) until the picture was taken.

So the table knows the picture's age by its own clock alone, except for the time that its request
travelled.
"""
QUICKEST = 1 / 30
"""Least seconds between two pictures; no camera reader uses more pictures per second."""


class PageHello(msgspec.Struct, frozen=True, tag="hello"):
    """First message of a connection: the token of a link, or the page's pass.

    `take`: take the seat back from the phone that has it now. `letters`: typed instead of a link.
    `language`: the reader's ("": the table's). A page without any of these waits until it is
    admitted at the laptop.
    """

    token: str = ""
    letters: str = ""
    given: str = msgspec.field(default="", name="pass")
    take: bool = False
    language: str = ""


class Talked(Speech, frozen=True, tag="talk"):
    """A seat's input in a conversation. `id`: identifies the input, and is the same if it is
    repeated; `seat`: the seat of the page."""

    id: str = ""
    seat: str = ""


class StickerRead(msgspec.Struct, frozen=True, tag="tap"):
    """A sticker that a phone has read. `tag`: its id in hexadecimal digits; "" only reports that
    the phone can read now. `seat`: the page's seat, "" for none."""

    id: str
    tag: str
    where: Where = "up"
    seat: str = ""


class PhoneStatus(msgspec.Struct, frozen=True, tag="status"):
    """State of a phone that is the camera, between pictures: its battery (None if its browser does
    not tell), or why it sends no pictures."""

    battery: Battery | msgspec.UnsetType | None = msgspec.UNSET
    blind: NoPictures | msgspec.UnsetType = msgspec.UNSET


class StillHere(msgspec.Struct, frozen=True, tag="beat"):
    """Sign of life of a page."""


class Leaving(msgspec.Struct, frozen=True, tag="leave"):
    """The page gives up its seat or other purpose."""


class SitsDown(msgspec.Struct, frozen=True, tag="sit"):
    """A phone that may choose takes this player's seat."""

    seat: str


Said: TypeAlias = Leaving | SitsDown | PageHello | Talked | StickerRead | PhoneStatus | StillHere
_DECODER = msgspec.json.Decoder(Said)


class Devices(NamedTuple):
    """What connections lead to: the table's states, its seats (None: no table), the phone that is
    the camera, and the phones that read stickers."""

    board: Broadcast
    desk: Desk | None = None
    camera: Phone | None = None
    pads: PhonePads | None = None


class PageLines:
    """Connections of all pages of one evening. `say`: the translator for the table's language."""

    def __init__(self, doors: Doors, devices: Devices, say: Translator) -> None:
        self.doors, self.devices, self.say = doors, devices, say
        self.buckets = Buckets()
        self._open: list[_Line] = []
        self._knocking: dict[str, tuple[_Line, asyncio.Future[Purpose]]] = {}

    @property
    def inside(self) -> Counter[Purpose]:
        """Number of connected pages for each purpose. Safe from any thread."""
        return Counter(one.purpose for one in tuple(self._open) if one.purpose is not None)

    @property
    def knocking(self) -> Sequence[str]:
        """Letters of the screens that wait to be admitted. Safe from any thread."""
        return tuple(self._knocking)

    def let_in(self, letters: str, purpose: Purpose) -> None:
        """Admit the screen that shows these letters, for `purpose`. Safe from any thread."""
        loop = self.devices.board.loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(self._open_to, letters, purpose)

    def _open_to(self, letters: str, purpose: Purpose) -> None:
        if letters in self._knocking:
            _, admitted = self._knocking[letters]
            if not admitted.done():
                admitted.set_result(purpose)

    def way_in(self, purpose: Purpose) -> str:
        """Return the path and fragment of the link for `purpose`, to follow the address."""
        return f"/{'' if purpose in (WATCH, JOIN) else purpose.kind}#{self.doors.link(purpose)}"

    def you(self, purpose: Purpose, given: str) -> dict[str, str]:
        """Return what a page needs to know about itself, and which game its words and pictures
        belong to."""
        game = "" if self.say.game is None else self.say.game.id
        return {"kind": purpose.kind, "seat": purpose.player, "pass": given, "game": game}

    def route(self) -> WebSocketRoute:
        """Return the route `/line`."""
        return WebSocketRoute("/line", self._serve)

    async def _serve(self, socket: WebSocket) -> None:
        # Accepted even if the page may not enter: browsers tell a page why a socket was closed,
        # never why it did not open.
        await socket.accept()
        line = _Line(self, socket)
        # RuntimeError: raised by starlette when the page has gone.
        with suppress(WebSocketDisconnect, RuntimeError):
            entered = await self._enter(line)
            if isinstance(entered, End):
                await socket.close(entered)
                return
            given, purpose = entered
            if purpose == JOIN:
                await socket.close(await self._choose(line, given))
                return
            line.purpose = purpose
            if self.devices.desk is not None and purpose.kind == "seat":
                self.devices.desk.speak(purpose.player, line.language)
            if purpose.alone:
                for other in self._open:
                    if other.purpose == purpose:
                        # The new page has the seat; the old one is told, and may take it back.
                        other.end(End.ELSEWHERE)
            self._open.append(line)
            self._tell_who()
            try:
                await line.run(given)
            finally:
                self._open.remove(line)
                self._tell_who()
                self._left(purpose)

    async def _enter(self, line: _Line) -> tuple[str, Purpose] | End:
        try:
            # A connection that never says hello must not stay open.
            async with asyncio.timeout(SILENCE):
                said = await line.hear()
        except TimeoutError:
            return End.SILENT
        if not isinstance(said, PageHello):
            return End.BAD
        line.language = said.language
        if said.letters:
            purpose = self.doors.typed(said.letters)
            if purpose is not None:
                await line.send({"go": self.way_in(purpose)})
            return End.WRONG if purpose is None else End.GONE
        if not said.token and not said.given:
            return await self._knock(line)
        if said.token:
            return self.doors.enter(said.token) or End.VOID
        why = self.doors.why_not(said.given)
        if why is End.ELSEWHERE and said.take:
            return self.doors.take(said.given) or End.VOID
        purpose = self.doors.holds(said.given)
        return why or End.VOID if purpose is None else (said.given, purpose)

    async def _knock(self, line: _Line) -> End:
        """Show letters until somebody at the laptop admits this screen, or the screen
        disconnects."""
        # A screen that knocks needs no token, so their number must be limited.
        if len(self._knocking) >= MOST_KNOCKING:
            return End.VOID
        letters, admitted = self.doors.knock(), asyncio.get_running_loop().create_future()
        self._knocking[letters] = line, admitted
        hearing = asyncio.ensure_future(line.beats())
        try:
            while not admitted.done():
                await line.send({"letters": letters})
                await asyncio.wait({admitted, hearing}, timeout=BEAT, return_when=asyncio.FIRST_COMPLETED)
                if hearing.done():
                    return End.SILENT
            await line.send({"go": self.way_in(admitted.result())})
            return End.GONE
        finally:
            hearing.cancel()
            del self._knocking[letters]

    async def _choose(self, line: _Line, given: str) -> End:
        """Show which seats are free until one is chosen, or the page disconnects."""
        desk = self.devices.desk
        await line.send({"you": self.you(JOIN, given)})
        while desk is not None and self.doors.why_not(given) is None:
            hearing = asyncio.ensure_future(line.sits_down())
            while not hearing.done():
                inside = self.inside
                seats = desk.seats(line.language)
                await line.send(
                    {"seats": [one | {"taken": inside[Purpose("seat", one["seat"])] > 0} for one in seats]}
                )
                await asyncio.wait({hearing}, timeout=BEAT)
            chosen = hearing.result()
            if chosen is None:
                return End.SILENT
            purpose = Purpose("seat", chosen)
            # Checked again: another phone may have taken the seat while this one was choosing.
            if chosen in [one["seat"] for one in desk.seats()] and not self.inside[purpose]:
                await line.send({"go": self.way_in(purpose)})
                return End.GONE
        return End.VOID

    def _tell_who(self) -> None:
        inside = self.inside
        self.devices.board.mingle([one.player for one in inside if one.kind == "seat"])

    def _left(self, purpose: Purpose) -> None:
        camera = self.devices.camera
        if camera is not None and purpose == CAMERA and not any(one.purpose == CAMERA for one in self._open):
            camera.leave()


class _Line:
    """Connection of one page, until it ends."""

    def __init__(self, lines: PageLines, socket: WebSocket) -> None:
        self._lines, self._socket = lines, socket
        self._loop = asyncio.get_running_loop()
        self._over: asyncio.Future[End | None] = self._loop.create_future()
        self._sending = asyncio.Lock()
        self._heard = self._loop.time()
        self._due = self._loop.time()
        self._given = ""
        self._asked = self._loop.time()
        self.purpose: Purpose | None = None
        self.language = ""

    async def hear(self) -> Said | bytes | None:
        """Return the next message of the page, None if it is not one of ours. Raises
        `WebSocketDisconnect`."""
        message = await self._socket.receive()
        if message["type"] == "websocket.disconnect":
            raise WebSocketDisconnect
        self._heard = self._loop.time()
        if message.get("bytes") is not None:
            return bytes(message["bytes"])
        text = message.get("text") or ""
        try:
            said = _DECODER.decode(text) if len(text) <= LARGEST_BODY else None
        except (msgspec.MsgspecError, RecursionError):
            return None
        client = self._socket.client
        # A page that sends too much is slowed down, not disconnected; signs of life are free.
        while not isinstance(said, StillHere) and not self._lines.buckets.take(client.host if client else ""):
            await asyncio.sleep(1 / REFILL)
        return said

    async def sits_down(self) -> str | None:
        """Wait until the page chooses a seat and return its player; None if it disconnects or sends
        anything else but signs of life."""
        with suppress(WebSocketDisconnect, RuntimeError, TimeoutError):
            while True:
                async with asyncio.timeout(SILENT):
                    said = await self.hear()
                if not isinstance(said, StillHere):
                    return said.seat if isinstance(said, SitsDown) else None
        return None

    async def beats(self) -> None:
        """Wait until the page disconnects or sends anything but signs of life."""
        with suppress(WebSocketDisconnect, RuntimeError, TimeoutError):
            while True:
                async with asyncio.timeout(SILENT):
                    if not isinstance(await self.hear(), StillHere):
                        return

    def end(self, why: End | None) -> None:
        """End the connection; the page is told why (None: it has disconnected)."""
        if not self._over.done():
            self._over.set_result(why)

    async def run(self, given: str) -> None:
        """Serve this page until it disconnects or has to."""
        self._given = given
        tasks = [asyncio.ensure_future(self._listen()), asyncio.ensure_future(self._tell(given))]
        try:
            why = await self._over
        finally:
            for task in tasks:
                # Listening and sending end together: each may be the one that noticed the end.
                task.cancel()
        if why is not None:
            await self._socket.close(why)

    async def _listen(self) -> None:
        try:
            while await self._take(await self.hear()):
                pass
            self.end(End.BAD)
        except (WebSocketDisconnect, RuntimeError):
            self.end(None)

    async def _tell(self, given: str) -> None:
        """Send the page's identity, then each state, with signs of life in between."""
        purpose, board, number = self.purpose, self._lines.devices.board, -1
        assert purpose is not None
        self._asked = self._loop.time()
        try:
            await self.send({"you": self._lines.you(purpose, given)})
            while (why := self._why_over(given)) is None:
                body = b'{"beat":true}'
                with suppress(TimeoutError):
                    async with asyncio.timeout(BEAT):
                        # Cameras and pads show no states: for them there are only signs of life.
                        if purpose.kind not in ("watch", "seat"):
                            await asyncio.sleep(BEAT)
                        # Within one beat, or the sign of life in `body` is sent instead of a state.
                        number, body = await board.after(number, purpose.player, self.language)
                # The pass may have been revoked while we waited for a state.
                if self._lines.doors.holds(given) == purpose:
                    await self.send(body)
            self.end(why)
        except TimeoutError:
            self.end(End.SILENT)
        except (WebSocketDisconnect, RuntimeError):
            self.end(None)

    def _why_over(self, given: str) -> End | None:
        if self._loop.time() - self._heard > SILENT:
            return End.SILENT
        return self._lines.doors.why_not(given)

    async def send(self, what: dict[str, Any] | bytes) -> None:
        """Send a message to the page. Raises `TimeoutError` if the page does not accept it."""
        body = what if isinstance(what, bytes) else msgspec.json.encode(what)
        async with asyncio.timeout(SEND_TIMEOUT), self._sending:
            await self._socket.send_text(body.decode())

    async def _take(self, said: Said | bytes | None) -> bool:
        """Handle a message of the page; return False if the page may not send it."""
        purpose, devices = self.purpose, self._lines.devices
        assert purpose is not None
        match said:
            case StillHere():
                return True
            case Leaving():
                self._lines.doors.leave(self._given)
                self.end(End.GONE)
                return True
            case Talked() if purpose.kind == "seat" and said.seat == purpose.player and devices.desk:
                heard = await devices.desk.hear(purpose.player, said, said.id)
                await self.send({"re": said.id, "answer": heard._asdict()})
                return True
            case StickerRead() if purpose.kind in ("seat", PAD.kind) and said.seat == purpose.player:
                return await self._tapped(said, purpose)
            case PhoneStatus() if purpose == CAMERA and devices.camera:
                _note(said, devices.camera)
                return True
            case bytes() if purpose == CAMERA and devices.camera and len(said) > AHEAD:
                after = int.from_bytes(said[:AHEAD], "big", signed=True) / 1000
                # The phone's clock is only trusted for the difference, and only within these
                # bounds.
                late = min(max(self._loop.time() - self._asked - after, 0.0), SILENT)
                devices.camera.take(said[AHEAD:], late)
                # Only a phone that is too fast waits: one that needs 50 ms for a picture would
                # otherwise send 12 a second, not 20.
                await asyncio.sleep(max(self._due - self._loop.time(), 0))
                self._due = max(self._due, self._loop.time()) + QUICKEST
                self._asked = self._loop.time()
                await self.send({"taken": True, "late": round(1000 * late)})
                return True
        return False

    async def _tapped(self, said: StickerRead, purpose: Purpose) -> bool:
        pads, desk, say = self._lines.devices.pads, self._lines.devices.desk, self._lines.say
        try:
            tag = TagId.from_hex(said.tag) if said.tag else None
        except ValueError:
            return False
        if pads is None:
            return False
        seat = 0 if desk is None or purpose == PAD else desk.seat_of(purpose.player)
        words: Literal["share.pad_ready", "share.pad_read", "share.pad_unknown"] = "share.pad_ready"
        if tag is None:
            pads.join(seat)
        else:
            known = pads.shown(seat, tag, said.where)
            words = "share.pad_read" if known or not seat else "share.pad_unknown"
        await self.send({"re": said.id, "answer": {"words": say(words)}})
        return True


def _note(status: PhoneStatus, phone: Phone) -> None:
    if status.battery is not msgspec.UNSET:
        phone.charge(status.battery)
    if status.blind is not msgspec.UNSET:
        phone.look(status.blind)
