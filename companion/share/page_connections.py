"""WebSocket connection of a page: it begins with a link's token or a pass, then carries states to
the page and its input to the table.

A state is encoded once for all spectators who read the same language. Input is what is tapped, what
tags are read, and pictures of a phone's camera.

Both ends send something every `HEARTBEAT_SECONDS` seconds, so that each knows whether the other is
there: a sleeping laptop or a phone in a pocket closes no connection. A page learns why its
connection was closed (`CloseCode`). Each input of a seat carries an id; if a seat repeats it after
a lost connection it gets the same reply, so nothing is entered twice.
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
from companion.readers.nfc.tag_pads import HoldPlace, PhonePads
from companion.readers.rfid.events import TagId
from companion.share.access_tokens import CAMERA, JOIN, PAD, WATCH, AccessTokens, CloseCode, Purpose
from companion.share.seat_controller import ConversationMessage, SeatController
from companion.table.sightings import Battery, NoPictures
from companion.texts import Translator
from companion.views.page_state import build_state
from companion.web.connections import REQUEST_TIMEOUT, admit_client
from companion.web.limits import TABLE_LIMITS, CodeAttempts, RateLimiter, identify_network

if TYPE_CHECKING:
    from companion.readers.camera.sources import PhoneCamera


class EncodedState(NamedTuple):
    """One state: its number, which grows with every change, and its JSON."""

    number: int
    body: bytes


class StateBroadcast:
    """Hand-over of states from the table's thread, which makes the snapshots, to the server's.

    `say`: returns the translator for a language ("": the table's). States are not queued: a
    slow page gets the newest one, and delays nobody.
    """

    def __init__(self, say: Callable[[str], Translator]) -> None:
        self._say = say
        self._newest: tuple[Snapshot, Mapping[str, dict[str, Any]]] | None = None
        self._number = 0
        self._shown: dict[tuple[str, str], EncodedState] = {}
        self.loop: asyncio.AbstractEventLoop | None = None
        self._changed = asyncio.Event()
        self._here: tuple[str, ...] = ()
        self.join = ""
        """The address to type for joining; empty if nobody else can."""

    def publish_snapshot(self, snapshot: Snapshot, seat_states: Mapping[str, dict[str, Any]]) -> None:
        """Take the newest snapshot, and for each seat what its own page shows in addition. Called
        in the table's thread."""
        self._newest = (snapshot, seat_states)
        self._number += 1
        loop = self.loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(self._wake_waiters)

    def set_connected_players(self, players: Sequence[str]) -> None:
        """Record which players are connected by phone. Called in the server's thread."""
        if (here := tuple(sorted(players))) != self._here:
            self._here = here
            self._number += 1
            self._wake_waiters()

    def attach_loop(self) -> None:
        """Remember the running event loop as the one that sends states."""
        self.loop = asyncio.get_running_loop()
        self._changed = asyncio.Event()  # one belongs to one loop, and that may have died

    async def wait_for_state(self, number: int, player: str = "", language: str = "") -> EncodedState:
        """Wait for a state later than `number` and return the newest; if a player is given, it is
        the one for that seat's page."""
        while True:
            # Before the look: a change in between sets this event, and is not missed.
            changed = self._changed
            shown = self._encode_current(player, language)
            if shown is not None and shown.number > number:
                return shown
            await changed.wait()

    def _encode_current(self, player: str, language: str = "") -> EncodedState | None:
        newest = self._newest
        if newest is None:
            return None
        (snapshot, mine), number = newest, self._number
        shown = self._shown.get((player, language))
        if shown is None or shown.number != number:
            state = build_state(snapshot, self._say(language)) | (
                {"mine": mine.get(player)} if player else {}
            )
            seats = snapshot.people.seats
            state |= {"here": [seats.index(one) for one in self._here if one in seats], "join": self.join}
            shown = EncodedState(number, msgspec.json.encode({"state": state}))
            self._shown[player, language] = shown
        return shown

    def _wake_waiters(self) -> None:
        self._changed.set()
        # Waiting tasks hold the old event; later ones wait for the next change.
        self._changed = asyncio.Event()


HEARTBEAT_SECONDS = 2.0
"""Seconds after which either end sends a sign of life, if it has nothing else to send."""
PAGE_TIMEOUT = 12.0
"""Seconds without a message after which a page counts as gone. A phone's browser may delay a page's
timers by a second, and a lost packet costs three."""
SEND_TIMEOUT = 10.0
"""Seconds in which a browser must accept what is sent, or it is disconnected; it comes back by
itself."""
MAX_WAITING_SCREENS = 100
"""Most screens that may wait to be admitted at once; beyond that the one that waited longest makes
room."""
MAX_WAITING_PER_NETWORK = 3
"""Most of them from one network: a television, a tablet, and one more."""
MAX_HELD_SEATS = 8
"""Most passes of seats that a page shows to find its owner's seat again."""
MAX_PICTURE_BYTES = 2_000_000
"""Most bytes of one picture; 1920x1080 at quality 85 stays under half of that."""
PICTURE_HEADER_BYTES = 4
"""Bytes before a picture: milliseconds, signed and big-endian, from when the page received the
table's request for a picture (`taken`, or `describe_page` at first) until the picture was taken.

So the table knows the picture's age by its own clock alone, except for the time that its request
travelled.
"""
MIN_PICTURE_INTERVAL = 1 / 30
"""Least seconds between two pictures; no camera reader uses more pictures per second."""


class PageHello(msgspec.Struct, frozen=True, tag="hello"):
    """First message of a connection: the token of a link, or the page's pass.

    `take`: take the seat back from the phone that has it now. `letters`: typed instead of a link.
    `held`: passes of seats that this browser had, by which it finds them again among the seats.
    `language`: the reader's ("": the table's). A page without any of these waits until it is
    admitted at the laptop.
    """

    token: str = ""
    letters: str = ""
    given: str = msgspec.field(default="", name="pass")
    take: bool = False
    held: tuple[str, ...] = ()
    language: str = ""


class TalkMessage(ConversationMessage, frozen=True, tag="talk"):
    """A seat's input in a conversation. `id`: identifies the input, and is the same if it is
    repeated; `seat`: the seat of the page."""

    id: str = ""
    seat: str = ""


class StickerRead(msgspec.Struct, frozen=True, tag="tap"):
    """A sticker that a phone has read. `tag`: its id in hexadecimal digits; "" only reports that
    the phone can read now. `seat`: the page's seat, "" for none."""

    id: str
    tag: str
    where: HoldPlace = "up"
    seat: str = ""


class PhoneStatus(msgspec.Struct, frozen=True, tag="status"):
    """State of a phone that is the camera, between pictures: its battery (None if its browser does
    not tell), or why it sends no pictures."""

    battery: Battery | msgspec.UnsetType | None = msgspec.UNSET
    blind: NoPictures | msgspec.UnsetType = msgspec.UNSET


class Heartbeat(msgspec.Struct, frozen=True, tag="beat"):
    """Sign of life of a page."""


class LeaveMessage(msgspec.Struct, frozen=True, tag="leave"):
    """The page gives up its seat or other purpose."""


class SeatRequest(msgspec.Struct, frozen=True, tag="sit"):
    """A phone that may choose takes this player's seat, or asks for it if it has an owner."""

    seat: str


PageMessage: TypeAlias = (
    LeaveMessage | SeatRequest | PageHello | TalkMessage | StickerRead | PhoneStatus | Heartbeat
)
_DECODER = msgspec.json.Decoder(PageMessage)


class Devices(NamedTuple):
    """What connections lead to: the table's states, its seats (None: no table), the phone that is
    the camera, and the phones that read stickers."""

    broadcast: StateBroadcast
    seat_controller: SeatController | None = None
    camera: PhoneCamera | None = None
    pads: PhonePads | None = None


class PageConnections:
    """Connections of all pages of one evening. `translator`: the translator for the table's
    language."""

    def __init__(self, tokens: AccessTokens, devices: Devices, translator: Translator) -> None:
        self.tokens, self.devices, self.say = tokens, devices, translator
        self.buckets, self.attempts = RateLimiter(), CodeAttempts()
        self._open: list[_PageConnection] = []
        self._knocking: dict[str, tuple[_PageConnection, asyncio.Future[Purpose]]] = {}

    @property
    def page_counts(self) -> Counter[Purpose]:
        """Number of connected pages for each purpose. Safe from any thread."""
        return Counter(one.purpose for one in tuple(self._open) if one.purpose is not None)

    @property
    def waiting_codes(self) -> Sequence[str]:
        """Letters of the screens that wait to be admitted. Safe from any thread."""
        return tuple(self._knocking)

    def admit_screen(self, letters: str, purpose: Purpose) -> None:
        """Admit the screen that shows these letters, for `purpose`. Safe from any thread."""
        loop = self.devices.broadcast.loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(self._resolve_waiting, letters, purpose)

    def _resolve_waiting(self, letters: str, purpose: Purpose) -> None:
        if letters in self._knocking:
            _, admitted = self._knocking[letters]
            if not admitted.done():
                admitted.set_result(purpose)

    def build_invite_path(self, purpose: Purpose) -> str:
        """Return the path and fragment of the link for `purpose`, to follow the address."""
        return f"{_find_page_path(purpose)}#{self.tokens.ensure_invite_token(purpose)}"

    def build_ticket_path(self, purpose: Purpose) -> str:
        """Return the path and fragment that lead a page once to its purpose."""
        return f"{_find_page_path(purpose)}#{self.tokens.make_ticket(purpose)}"

    def describe_page(self, purpose: Purpose, session_token: str) -> dict[str, str]:
        """Return what a page needs to know about itself, and which game its words and pictures
        belong to."""
        game = "" if self.say.game is None else self.say.game.id
        return {"kind": purpose.kind, "seat": purpose.player, "pass": session_token, "game": game}

    def make_route(self) -> WebSocketRoute:
        """Return the route `/line`."""
        return WebSocketRoute("/line", self._serve_connection)

    async def _serve_connection(self, socket: WebSocket) -> None:
        # Accepted even if the page may not enter: browsers tell a page why a socket was closed,
        # never why it did not open.
        await socket.accept()
        line = _PageConnection(self, socket)
        # RuntimeError: raised by starlette when the page has gone.
        with suppress(WebSocketDisconnect, RuntimeError):
            entered = await self._authenticate_page(line)
            if isinstance(entered, CloseCode):
                await socket.close(entered, line.close_reason)
                return
            admit_client(socket.scope)
            given, purpose = entered
            if purpose == JOIN:
                await socket.close(await self._offer_seats(line, given))
                return
            line.purpose = purpose
            if self.devices.seat_controller is not None and purpose.kind == "seat":
                self.devices.seat_controller.set_language(purpose.player, line.language)
            if purpose.is_exclusive:
                for other in self._open:
                    if other.purpose == purpose:
                        # The new page has the seat; the old one is told, and may take it back.
                        other.request_close(CloseCode.ELSEWHERE)
            self._open.append(line)
            self._publish_connected_players()
            try:
                await line.run(given)
            finally:
                self._open.remove(line)
                self._publish_connected_players()
                self._handle_departure(purpose)

    async def _authenticate_page(self, connection: _PageConnection) -> tuple[str, Purpose] | CloseCode:
        try:
            # A connection that never says hello must not stay open.
            async with asyncio.timeout(REQUEST_TIMEOUT):
                said = await connection.receive_message()
        except TimeoutError:
            return CloseCode.SILENT
        if not isinstance(said, PageHello):
            return CloseCode.BAD
        connection.language = said.language
        connection.held = self.tokens.find_owned_purposes(said.held[:MAX_HELD_SEATS])
        if said.letters:
            return await self._check_code(connection, said.letters)
        if not said.token and not said.given:
            return await self._wait_for_admission(connection)
        if said.token:
            return self.tokens.redeem_invite(said.token) or CloseCode.VOID
        why = self.tokens.find_rejection(said.given)
        if why is CloseCode.ELSEWHERE and said.take:
            return self.tokens.reclaim_session(said.given) or CloseCode.VOID
        purpose = self.tokens.find_purpose(said.given)
        return why or CloseCode.VOID if purpose is None else (said.given, purpose)

    async def _check_code(self, connection: _PageConnection, letters: str) -> tuple[str, Purpose] | CloseCode:
        """Admit a page that typed the right letters."""
        if wait := self.attempts.seconds_to_wait(connection.address):
            connection.close_reason = str(wait)
            return CloseCode.WAIT
        purpose = self.tokens.match_join_code(letters)
        if purpose is None:
            self.attempts.record_wrong_code(connection.address)
            return CloseCode.WRONG
        # The seats are shown on this very connection; other purposes have a page of their own.
        if purpose == JOIN:
            return self.tokens.start_session(JOIN), JOIN
        await connection.send_message({"go": self.build_ticket_path(purpose)})
        return CloseCode.GONE

    def _make_room_to_wait(self, address: str) -> bool:
        """Return whether another screen at this address may wait to be admitted."""
        # A screen that knocks needs no token, so their number must be limited.
        network = identify_network(address)
        networks = [identify_network(one.address) for one, _ in self._knocking.values()]
        if networks.count(network) >= MAX_WAITING_PER_NETWORK:
            return False
        if len(networks) >= MAX_WAITING_SCREENS:
            oldest, _ = next(iter(self._knocking.values()))
            oldest.request_close(CloseCode.SILENT)
        return True

    async def _wait_for_admission(self, connection: _PageConnection, seat: str = "") -> CloseCode:
        """Show letters until somebody at the laptop admits this screen, or the screen disconnects.
        `seat`: the player whose seat it asks for."""
        if not self._make_room_to_wait(connection.address):
            connection.close_reason = str(int(PAGE_TIMEOUT))
            return CloseCode.WAIT
        letters, admitted = self.tokens.make_waiting_code(), asyncio.get_running_loop().create_future()
        self._knocking[letters] = connection, admitted
        hearing = asyncio.ensure_future(connection.wait_until_gone())
        try:
            while not admitted.done():
                await connection.send_message({"letters": letters, "seat": seat})
                await asyncio.wait(
                    {admitted, hearing, connection.closing},
                    timeout=HEARTBEAT_SECONDS,
                    return_when=asyncio.FIRST_COMPLETED,
                )
                if hearing.done() or connection.closing.done():
                    return CloseCode.SILENT
            await connection.send_message({"go": self.build_ticket_path(admitted.result())})
            return CloseCode.GONE
        finally:
            hearing.cancel()
            del self._knocking[letters]

    async def _offer_seats(self, connection: _PageConnection, session_token: str) -> CloseCode:
        """Show whose seats are free until one is chosen, or the page disconnects. A seat that has
        an owner, connected or not, goes to another phone only by the laptop's word, or if the owner
        leaves it."""
        desk = self.devices.seat_controller
        await connection.send_message({"you": self.describe_page(JOIN, session_token)})
        while desk is not None and self.tokens.find_rejection(session_token) is None:
            hearing = asyncio.ensure_future(connection.wait_for_seat_choice())
            while not hearing.done():
                seats = desk.list_seats(connection.language)
                await connection.send_message(
                    {
                        "seats": [
                            one | {"held": self._describe_owner(one["seat"], connection)} for one in seats
                        ]
                    }
                )
                await asyncio.wait({hearing}, timeout=HEARTBEAT_SECONDS)
            chosen = hearing.result()
            if chosen is None:
                return CloseCode.SILENT
            if chosen not in [one["seat"] for one in desk.list_seats()]:
                continue
            # No await between this look and the ticket: two phones cannot both be first.
            # Looked up again: another phone may have taken the seat while this one was choosing.
            if self._describe_owner(chosen, connection) not in ("", "yours"):
                return await self._wait_for_admission(connection, chosen)
            await connection.send_message({"go": self.build_ticket_path(Purpose("seat", chosen))})
            return CloseCode.GONE
        return CloseCode.VOID

    def _describe_owner(
        self, player: str, connection: _PageConnection
    ) -> Literal["", "yours", "here", "away"]:
        """Return whose this seat is for a page that chooses: nobody's, its own, or somebody's who
        is connected or not."""
        purpose = Purpose("seat", player)
        if player not in self.tokens.owned_seats:
            return ""
        if purpose in connection.held:
            return "yours"
        return "here" if self.page_counts[purpose] else "away"

    def _publish_connected_players(self) -> None:
        inside = self.page_counts
        self.devices.broadcast.set_connected_players([one.player for one in inside if one.kind == "seat"])

    def _handle_departure(self, purpose: Purpose) -> None:
        camera = self.devices.camera
        if camera is not None and purpose == CAMERA and not any(one.purpose == CAMERA for one in self._open):
            camera.disconnect()


def _find_page_path(purpose: Purpose) -> str:
    return "/" if purpose == WATCH else f"/{purpose.kind}"


class _PageConnection:
    """Connection of one page, until it ends."""

    def __init__(self, pages: PageConnections, socket: WebSocket) -> None:
        self._lines, self._socket = pages, socket
        self._loop = asyncio.get_running_loop()
        self._over: asyncio.Future[CloseCode | None] = self._loop.create_future()
        self._sending = asyncio.Lock()
        self._heard = self._loop.time()
        self._due = self._loop.time()
        self._given = ""
        self._asked = self._loop.time()
        self.purpose: Purpose | None = None
        self.language = ""
        self.held: frozenset[Purpose] = frozenset()
        self.close_reason = ""
        self.address = socket.client.host if socket.client else ""

    @property
    def closing(self) -> asyncio.Future[CloseCode | None]:
        """Done when the connection is to end."""
        return self._over

    async def receive_message(self) -> PageMessage | bytes | None:
        """Return the next message of the page, None if it is not one of ours. Raises
        `WebSocketDisconnect`."""
        message = await self._socket.receive()
        if message["type"] == "websocket.disconnect":
            raise WebSocketDisconnect
        self._heard = self._loop.time()
        if message.get("bytes") is not None:
            return bytes(message["bytes"])
        text = str(message["text"])
        try:
            decoded = _DECODER.decode(text) if len(text) <= TABLE_LIMITS.body_bytes else None
        except (msgspec.MsgspecError, RecursionError):
            return None
        # A page that sends too much is slowed down, not disconnected; signs of life are free.
        while not isinstance(decoded, Heartbeat) and not self._lines.buckets.take_token(self.address):
            await asyncio.sleep(1 / TABLE_LIMITS.rate)
        return decoded

    async def wait_for_seat_choice(self) -> str | None:
        """Wait until the page chooses a seat and return its player; None if it disconnects or sends
        anything else but signs of life."""
        with suppress(WebSocketDisconnect, RuntimeError, TimeoutError):
            while True:
                async with asyncio.timeout(PAGE_TIMEOUT):
                    said = await self.receive_message()
                if not isinstance(said, Heartbeat):
                    return said.seat if isinstance(said, SeatRequest) else None
        return None

    async def wait_until_gone(self) -> None:
        """Wait until the page disconnects or sends anything but signs of life."""
        with suppress(WebSocketDisconnect, RuntimeError, TimeoutError):
            while True:
                async with asyncio.timeout(PAGE_TIMEOUT):
                    if not isinstance(await self.receive_message(), Heartbeat):
                        return

    def request_close(self, code: CloseCode | None) -> None:
        """End the connection; the page is told why (None: it has disconnected)."""
        if not self._over.done():
            self._over.set_result(code)

    async def run(self, session_token: str) -> None:
        """Serve this page until it disconnects or has to."""
        self._given = session_token
        tasks = [
            asyncio.ensure_future(self._receive_messages()),
            asyncio.ensure_future(self._send_states(session_token)),
        ]
        try:
            why = await self._over
        finally:
            for task in tasks:
                # Listening and sending end together: each may be the one that noticed the end.
                task.cancel()
        if why is not None:
            await self._socket.close(why)

    async def _receive_messages(self) -> None:
        try:
            while await self._handle_message(await self.receive_message()):
                pass
            self.request_close(CloseCode.BAD)
        except (WebSocketDisconnect, RuntimeError):
            self.request_close(None)

    async def _send_states(self, session_token: str) -> None:
        """Send the page's identity, then each state, with signs of life in between."""
        purpose, board, number = self.purpose, self._lines.devices.broadcast, 0
        assert purpose is not None
        self._asked = self._loop.time()
        try:
            await self.send_message({"you": self._lines.describe_page(purpose, session_token)})
            while (why := self._find_close_code(session_token)) is None:
                body = b'{"beat":true}'
                with suppress(TimeoutError):
                    async with asyncio.timeout(HEARTBEAT_SECONDS):
                        # Cameras and pads show no states: for them there are only signs of life.
                        if purpose.kind not in ("watch", "seat"):
                            await asyncio.sleep(HEARTBEAT_SECONDS)
                        # Within one beat, or the sign of life in `body` is sent instead of a state.
                        number, body = await board.wait_for_state(number, purpose.player, self.language)
                # The pass may have been revoked while we waited for a state.
                if self._lines.tokens.find_purpose(session_token) == purpose:
                    await self.send_message(body)
            self.request_close(why)
        except TimeoutError:
            self.request_close(CloseCode.SILENT)
        except (WebSocketDisconnect, RuntimeError):
            self.request_close(None)

    def _find_close_code(self, session_token: str) -> CloseCode | None:
        if self._loop.time() - self._heard > PAGE_TIMEOUT:
            return CloseCode.SILENT
        return self._lines.tokens.find_rejection(session_token)

    async def send_message(self, content: dict[str, Any] | bytes) -> None:
        """Send a message to the page. Raises `TimeoutError` if the page does not accept it."""
        body = content if isinstance(content, bytes) else msgspec.json.encode(content)
        async with asyncio.timeout(SEND_TIMEOUT), self._sending:
            await self._socket.send_text(body.decode())

    async def _handle_message(self, message: PageMessage | bytes | None) -> bool:
        """Handle a message of the page; return False if the page may not send it."""
        purpose, devices = self.purpose, self._lines.devices
        assert purpose is not None
        match message:
            case Heartbeat():
                return True
            case LeaveMessage():
                self._lines.tokens.revoke_session(self._given)
                self.request_close(CloseCode.GONE)
                return True
            case TalkMessage() if (
                purpose.kind == "seat" and message.seat == purpose.player and devices.seat_controller
            ):
                heard = await devices.seat_controller.handle_message(purpose.player, message, message.id)
                await self.send_message({"re": message.id, "answer": heard._asdict()})
                return True
            case StickerRead() if purpose.kind in ("seat", PAD.kind) and message.seat == purpose.player:
                return await self._handle_sticker(message, purpose)
            case PhoneStatus() if purpose == CAMERA and devices.camera:
                _update_phone(message, devices.camera)
                return True
            case bytes() if purpose == CAMERA and devices.camera and len(message) > PICTURE_HEADER_BYTES:
                after = int.from_bytes(message[:PICTURE_HEADER_BYTES], "big", signed=True) / 1000
                # The phone's clock is only trusted for the difference, and only within these
                # bounds.
                late = min(max(self._loop.time() - self._asked - after, 0.0), PAGE_TIMEOUT)
                devices.camera.receive_picture(message[PICTURE_HEADER_BYTES:], late)
                # Only a phone that is too fast waits: one that needs 50 ms for a picture would
                # otherwise send 12 a second, not 20.
                await asyncio.sleep(max(self._due - self._loop.time(), 0))
                self._due = max(self._due, self._loop.time()) + MIN_PICTURE_INTERVAL
                self._asked = self._loop.time()
                await self.send_message({"taken": True, "late": round(1000 * late)})
                return True
        return False

    async def _handle_sticker(self, message: StickerRead, purpose: Purpose) -> bool:
        pads, desk, say = self._lines.devices.pads, self._lines.devices.seat_controller, self._lines.say
        try:
            tag = TagId.from_hex(message.tag) if message.tag else None
        except ValueError:
            return False
        if pads is None:
            return False
        seat = 0 if desk is None or purpose == PAD else desk.find_seat_number(purpose.player)
        words: Literal["share.pad_ready", "share.pad_read", "share.pad_unknown"] = "share.pad_ready"
        if tag is None:
            pads.add_phone(seat)
        else:
            known = pads.report_tap(seat, tag, message.where)
            words = "share.pad_read" if known or not seat else "share.pad_unknown"
        await self.send_message({"re": message.id, "answer": {"words": say(words)}})
        return True


def _update_phone(status: PhoneStatus, phone: PhoneCamera) -> None:
    if status.battery is not msgspec.UNSET:
        phone.set_battery(status.battery)
    if status.blind is not msgspec.UNSET:
        phone.set_block_reason(status.blind)
