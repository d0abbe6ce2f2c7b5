"""The web server of an evening: it runs in a thread of its own and ends with the evening; whatever
happens to it, the game goes on.

A phone's browser gives its camera only to pages served by HTTPS, so each evening has a certificate,
made for it and self-signed. People can trust it by its fingerprint, which is shown both on the
laptop and in the browser's warning.

After a crash the pages reconnect by themselves when the evening is resumed: its address,
certificate, links and passes are stored until it ends, in a file that only its owner can read.
"""

from __future__ import annotations

import asyncio
import datetime
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from companion.folders import make_private_folder, open_private_file
from companion.language import LANGUAGES
from companion.live.snapshot import Snapshot
from companion.plan import CannotBegin
from companion.readers.nfc.tag_pads import PhonePads
from companion.rules.contract import Text
from companion.share.access_tokens import CAMERA, JOIN, PAD, WATCH, AccessTokens, Purpose, SavedAccessTokens
from companion.share.page_connections import MAX_PICTURE_BYTES, Devices, PageConnections, StateBroadcast
from companion.share.pages import load_board_picture, render_rules
from companion.share.saved_share import (
    HANDOVER_FILE,
    SavedShare,
    find_state_file,
    load_handed_over,
    load_saved_share,
)
from companion.share.seat_controller import SeatController
from companion.share.web_application import build_application
from companion.texts import Translator
from companion.views.table_session import Invitation, Invite, TableSession
from companion.web import addresses
from companion.web.addresses import ServerAddress
from companion.web.certificates import load_certificate, make_identity
from companion.web.limits import TABLE_LIMITS
from companion.web.request_checks import SiteRules
from companion.web.server import GuardedServer

if TYPE_CHECKING:
    from companion.readers.camera.sources import PhoneCamera

START_TIMEOUT = 10.0
"""Most seconds for the server to start."""
RESTART_DELAY = 0.5
"""Seconds from the death of a server to the start of the next."""


@contextmanager
def open_share(
    network: bool,
    translator: Translator,
    session: TableSession | None = None,
    camera: PhoneCamera | None = None,
    pads: PhonePads | None = None,
) -> Iterator[Callable[[], Invitation]]:
    """Share with browsers on this computer, or in the local network, inside the block; yield a
    function that returns what can be joined now. See `ShareServer`.

    Raises `CannotBegin` if there is no such network or the server does not start.
    """
    live = None if session is None else session.live
    file = find_state_file(live)
    kept = load_saved_share(file) or load_handed_over(file, live)
    port = addresses.PORT if kept is None else int(kept.root.rpartition(":")[2])
    try:
        # On the port of before a crash, which open pages still try.
        listen = addresses.listen_on_network if network else addresses.listen_locally
        place = listen(port, addresses.BUSY_TIMEOUT if kept else 0.0)
    except OSError as fault:
        raise CannotBegin(Text("share.no_network", {"why": fault.strerror or str(fault)})) from fault
    with closing(
        ShareServer(place, translator, session, camera=camera, pads=pads, saved=kept, file=file)
    ) as share:
        share.start()
        yield share.build_invitation


class ShareServer:
    """The sharing of one evening.

    `evening`: the table at which seats enter things, and which is left for the game that a phone
    has chosen (None: there is no table, and only phones that are devices connect). `tokens`: links
    and passes, when a server replaces another. `camera`: the phone that is one; `tag_pads`: the
    phones that read stickers. `kept`: what the same evening had before a crash, or the previous
    game; `file`: where it is stored for the next one.
    """

    def __init__(
        self,
        place: ServerAddress,
        translator: Translator,
        session: TableSession | None = None,
        *,
        tokens: AccessTokens | None = None,
        camera: PhoneCamera | None = None,
        pads: PhonePads | None = None,
        saved: SavedShare | None = None,
        file: Path | None = None,
    ) -> None:
        self.place = place
        # At another address the open pages cannot find it: people are told, and scan again.
        self._has_moved = saved is not None and saved.root != place.base_url
        if self._has_moved:
            saved = None
        self._file = file
        self._identity, self.fingerprint, tls = "", "", None
        if place.secure:
            self._identity = (
                saved.identity
                if saved
                else make_identity([place.address], datetime.datetime.now(datetime.UTC))
            )
            certificate = load_certificate(self._identity)
            tls, self.fingerprint = certificate.context, certificate.fingerprint
        self.tokens = tokens or AccessTokens(saved.doors if saved else None, self._save_state)
        # Each phone may have a language of its own.
        languages = {language: Translator(language, translator.game) for language in LANGUAGES}
        self._in = lambda language: languages.get(language, translator)
        self.broadcast = StateBroadcast(self._in)
        live = None if session is None else session.live
        self._translator, self._live, self._camera, self._pads = translator, live, camera, pads
        self._unsubscribe: Callable[[], None] | None = None
        self._desk: SeatController | None = None
        rules = board = ""
        if session is not None:
            self._desk = SeatController(
                session, translator, pads=pads is not None, renewed=self._republish_snapshot
            )
            rules = render_rules(session.live.game.id, translator.language)
            board = load_board_picture(session.live.game.id)
        self.broadcast.join = place.base_url
        self._pages = PageConnections(
            self.tokens, Devices(self.broadcast, self._desk, camera, pads), translator
        )
        self._server = GuardedServer(
            build_application(self._pages, self._in, rules, board),
            SiteRules(
                place.origins,
                place.secure,
                describe_misdirection=lambda _address: translator("share.other_address"),
            ),
            TABLE_LIMITS,
            tls,
            frame_bytes=MAX_PICTURE_BYTES,
        )
        self._ending = threading.Event()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run_server, name="share", daemon=True)

    def _save_state(self, tokens: SavedAccessTokens) -> None:
        """Store links and passes. If they cannot be written, people must scan the code again after
        a crash."""
        if self._file is None:
            return
        new = self._file.with_suffix(".new")
        with suppress(OSError):
            make_private_folder(self._file.parent)
            with open_private_file(new) as written:
                written.write(
                    msgspec.json.encode(SavedShare(self.place.base_url, self._identity, tokens)).decode()
                )
            new.replace(self._file)

    def delete_saved_state(self) -> None:
        """Delete the stored links and passes: the sharing, or the evening, has ended normally."""
        if self._file is not None:
            with suppress(OSError):
                self._file.unlink()
            self._file = None

    def hand_over(self) -> None:
        """Hand the links and passes over to the next game, so that each person returns to their own
        seat in it."""
        if self._file is None or self._live is None:
            return
        right = self._live.snapshot().people.real_names
        self._save_state(self.tokens.export_tokens().with_seats_renamed(right))
        with suppress(OSError):
            self._file.replace(self._file.with_name(HANDOVER_FILE))
        self._file = None

    def start(self) -> None:
        """Start to serve and to follow the table; raises `CannotBegin` if the server does not start
        in time."""
        self._thread.start()
        if not self._ready.wait(START_TIMEOUT):
            raise CannotBegin(Text("share.not_started"))
        if self._live is not None:
            self._unsubscribe = self._live.subscribe(self._publish_snapshot)
        # The first state, before anything has changed.
        self._republish_snapshot()

    def _republish_snapshot(self) -> None:
        if self._live is not None:
            self._publish_snapshot(self._live.snapshot())

    def _publish_snapshot(self, snapshot: Snapshot) -> None:
        self.broadcast.publish_snapshot(
            snapshot, {} if self._desk is None else self._desk.build_seat_states()
        )

    def build_invite_link(self, purpose: Purpose = WATCH, page: str = "") -> str:
        """Return the link for `purpose`, to be shown as a QR code."""
        if page:
            return f"{self.place.base_url}/{page}#{self.tokens.ensure_invite_token(purpose)}"
        return f"{self.place.base_url}{self._pages.build_invite_path(purpose)}"

    def build_invitation(self) -> Invitation:
        """Describe what can be joined, with everybody's current name."""
        people = None if self._live is None else self._live.snapshot().people
        translator = self._translator if people is None else self._translator.with_names(people.display_names)
        camera = [] if self._camera is None else [self._build_invite(translator("share.camera"), CAMERA)]
        # First what is needed next: the camera until a phone is it, then everybody's seat.
        is_filming = people is not None and bool(self._pages.page_counts[CAMERA])
        invites = [] if is_filming else [*camera]
        if people is not None:
            invites += [
                self._build_invite(translator("share.join"), JOIN),
                *(camera if is_filming else ()),
                self._build_invite(translator("share.watch"), WATCH),
                self._build_invite(translator("share.stream"), WATCH)._replace(
                    link=self.build_invite_link(page="stream")
                ),
                *(
                    self._build_invite(translator.display_name(player), Purpose("seat", player), seat)
                    for seat, player in enumerate(people.seats, 1)
                ),
            ]
        elif self._pads is not None:
            invites.append(self._build_invite(translator("share.pad"), PAD))
        reach = "share.reach_network" if self.place.secure else "share.reach_here"
        remarks = [translator("share.moved")] if self._has_moved else []
        remarks.append(translator(reach, address=self.place.address))
        if self.place.secure:
            remarks.append(translator("share.fingerprint", fingerprint=self.fingerprint))
        knocking = tuple(self._pages.waiting_codes)
        return Invitation(
            tuple(invites),
            tuple(remarks),
            self.delete_saved_state,
            self.place.base_url,
            knocking,
            self.hand_over,
        )

    def _build_invite(self, words: str, purpose: Purpose, seat: int = 0) -> Invite:
        # One code is enough: it leads to the seats, or to what the phone is for without a table.
        main = JOIN if self._live is not None else PAD if self._camera is None else CAMERA
        return Invite(
            words,
            self.build_invite_link(purpose),
            self.tokens.ensure_join_code(purpose) if purpose == main else "",
            self._pages.page_counts[purpose],
            seat,
            lambda letters: self._pages.admit_screen(letters, purpose),
            lambda: self.tokens.renew_invite(purpose),
            purpose.player in self.tokens.owned_seats,
        )

    def close(self) -> None:
        """Stop the server; browsers notice by the closed connection."""
        if self._unsubscribe is not None:
            self._unsubscribe()
            self._unsubscribe = None
        self._ending.set()
        # Set before, or `_run_server` would take the end for a crash and start another server.
        self._server.stop()
        self._thread.join(5)
        self.place.listener.close()

    def _run_server(self) -> None:
        """Serve until the end; a server that dies is replaced, and the pages reconnect by
        themselves because links and passes are kept."""
        port = self.place.port
        # Asked again: the end may come while a dead server is replaced.
        while not self._ending.is_set():
            # uvicorn calls `sys.exit` when it cannot start.
            with suppress(Exception, SystemExit):  # whatever it was, the game is not concerned
                asyncio.run(self._serve_connections())
            if self._ending.wait(RESTART_DELAY):
                return
            with suppress(OSError):  # taken for the moment: tried again
                self.place = addresses.listen_again(self.place, port)
                self._server.reset()

    async def _serve_connections(self) -> None:
        self.broadcast.attach_loop()
        asyncio.get_running_loop().call_soon(self._poll_started)
        await self._server.serve(self.place.listener)

    def _poll_started(self) -> None:
        if self._server.is_started:
            self._ready.set()
        elif not self._server.is_stopping:
            asyncio.get_running_loop().call_later(0.01, self._poll_started)
