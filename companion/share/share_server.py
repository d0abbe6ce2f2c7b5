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
import ipaddress
import logging
import ssl
import tempfile
import threading
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import uvicorn
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from companion.folders import make_private_folder, open_private_file, user_data_folder
from companion.language import LANGUAGES
from companion.live.live_session import LiveSession
from companion.live.snapshot import Snapshot
from companion.plan import CannotBegin
from companion.readers.nfc.tag_pads import PhonePads
from companion.rules.contract import Text
from companion.share import address
from companion.share.access_tokens import CAMERA, JOIN, PAD, WATCH, AccessTokens, Purpose, SavedAccessTokens
from companion.share.address import ServerAddress
from companion.share.card_faces import draw_printed_sides
from companion.share.client_guard import REQUEST_TIMEOUT, ConnectionLimiter, ListeningSocket, RequestGuard
from companion.share.page_connections import MAX_PICTURE_BYTES, Devices, PageConnections, StateBroadcast
from companion.share.pages import PARTS, load_board_picture, render_page, render_rules
from companion.share.seat_controller import SeatController
from companion.texts import Translator
from companion.views.table_session import Invitation, Invite, TableSession

if TYPE_CHECKING:
    from companion.readers.camera.sources import PhoneCamera

PAGES = {"/": "tv", "/stream": "stream", "/camera": "camera", "/seat": "seat", "/pad": "pad"}
"""The name of the page at each path."""


def build_application(
    lines: PageConnections,
    say: Callable[[str], Translator],
    hosts: Collection[str],
    rules: str,
    board: str = "",
    *,
    secure: bool,
) -> ASGIApp:
    """Return the web application of one evening.

    `say`: returns the translator for a language ("": the table's) and the game that is
    played. `hosts`: names that browsers may use for this machine; `secure`: served by
    HTTPS. `rules`: the rules page, as HTML; `board`: the game's board, as SVG ("": there is
    none).
    """
    named = PAGES | ({"/rules": "rules"} if rules else {})

    def make_page_handler(name: str) -> Callable[[Request], Response]:
        def serve_page(request: Request) -> Response:
            body = render_page(name, say(request.query_params.get("lang", "")), rules)
            return Response(body, media_type="text/html")

        return serve_page

    def serve_cards(request: Request) -> Response:
        words = say(request.query_params.get("lang", ""))
        drawn = {} if words.game is None else draw_printed_sides(words.game.id, words.language)
        return Response(msgspec.json.encode(drawn), media_type="application/json")

    routes = [
        *(Route(path, make_page_handler(name), methods=["GET"]) for path, name in named.items()),
        Route("/board.svg", lambda _request: Response(board, media_type="image/svg+xml"), methods=["GET"]),
        Route("/cards", serve_cards, methods=["GET"]),
        Mount("/parts", StaticFiles(directory=PARTS)),
        lines.make_route(),
    ]
    return RequestGuard(Starlette(routes=routes), hosts, "https" if secure else "http")


START_TIMEOUT = 10.0
"""Most seconds for the server to start."""
RESTART_DELAY = 0.5
"""Seconds from the death of a server to the start of the next."""
MAX_CONNECTIONS = 200
"""Most connections in all; beyond that the server answers 503 until some have closed."""


class SavedShare(msgspec.Struct, frozen=True):
    """Data with which pages return to the same evening after a crash: the address, the server's
    identity (PEM, "" for HTTP), links and passes."""

    root: str
    identity: str
    doors: SavedAccessTokens


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
    file = _find_state_file(live)
    kept = _load_saved_share(file) or _load_handed_over(file, live)
    port = address.PORT if kept is None else int(kept.root.rpartition(":")[2])
    try:
        # On the port of before a crash, which open pages still try.
        place = address.listen_on_network(port) if network else address.listen_locally(port)
    except OSError as fault:
        raise CannotBegin(Text("share.no_network", {"why": fault.strerror or str(fault)})) from fault
    with closing(
        ShareServer(place, translator, session, camera=camera, pads=pads, saved=kept, file=file)
    ) as share:
        share.start()
        yield share.build_invitation


def _find_state_file(live: LiveSession | None) -> Path | None:
    """Return the file that stores how to return to this evening; None without a journal, since
    after a crash it would be another evening."""
    evening = None if live is None or live.journal.path is None else live.journal.read_current_session()
    return None if evening is None else user_data_folder() / "share" / f"{evening.id}.json"


HANDOVER_FILE = "next.json"
"""File name for what one game hands over to the next; its seats are names of people."""
HANDOVER_SECONDS = 3600.0
"""Seconds for which that file is valid: a form may be filled in between."""


def _load_handed_over(file: Path | None, live: LiveSession | None) -> SavedShare | None:
    """Return what the previous game handed over, with each person's link and pass moved to the seat
    that they have now; those who do not play are not admitted."""
    if file is None or live is None:
        return None
    passed = file.with_name(HANDOVER_FILE)
    kept = (
        _load_saved_share(passed)
        if passed.exists() and time.time() - passed.stat().st_mtime < HANDOVER_SECONDS
        else None
    )
    passed.unlink(missing_ok=True)
    # People may sit elsewhere in the next game, so what is handed over names people, not seats.
    seats = {name: seat for seat, name in live.snapshot().people.real_names.items()}
    return kept and msgspec.structs.replace(kept, doors=kept.doors.with_seats_renamed(seats))


def _load_saved_share(file: Path | None) -> SavedShare | None:
    """Return what an evening that did not end has left; None if there is nothing. Files of any
    evening that are too old are deleted."""
    if file is None:
        return None
    with suppress(OSError):
        # These files hold valid passes and a private key, so none may lie around longer than
        # needed.
        for one in file.parent.iterdir():
            if time.time() - one.stat().st_mtime > (CERTIFICATE_LIFETIME / 2).total_seconds():
                one.unlink()
    with suppress(OSError, msgspec.MsgspecError):
        return msgspec.json.decode(file.read_bytes(), type=SavedShare)
    return None


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
        if saved is not None and saved.root != place.base_url:  # at another address the pages cannot find it
            saved = None
        self._file = file
        self._identity, self.fingerprint, tls = "", "", None
        if place.secure:
            self._identity = saved.identity if saved else make_identity([place.address], _utc_now())
            tls, self.fingerprint = load_certificate(self._identity)
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
        self._lines = ConnectionLimiter(
            build_application(self._pages, self._in, place.allowed_hosts, rules, board, secure=place.secure)
        )
        self._config = _make_config(self._lines, tls)
        self._uvicorn = uvicorn.Server(self._config)
        self._ending = threading.Event()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run_server, name="share", daemon=True)
        _silence_loggers()

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
                self._file.unlink(missing_ok=True)
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
        invites = [] if self._camera is None else [self._build_invite(translator("share.camera"), CAMERA)]
        if people is not None:
            invites += [
                self._build_invite(translator("share.watch"), WATCH),
                self._build_invite(translator("share.join"), JOIN),
                self._build_invite(translator("share.stream"), WATCH)._replace(
                    link=self.build_invite_link(page="stream"), letters=""
                ),
                *(
                    self._build_invite(translator.display_name(player), Purpose("seat", player), seat)
                    for seat, player in enumerate(people.seats, 1)
                ),
            ]
        elif self._pads is not None:
            invites.append(self._build_invite(translator("share.pad"), PAD))
        reach = "share.reach_network" if self.place.secure else "share.reach_here"
        remarks = [translator(reach, address=self.place.address)]
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
        return Invite(
            words,
            self.build_invite_link(purpose),
            self.tokens.ensure_join_code(purpose),
            self._pages.page_counts[purpose],
            seat,
            lambda letters: self._pages.admit_screen(letters, purpose),
            lambda: self.tokens.renew_invite(purpose),
        )

    def close(self) -> None:
        """Stop the server; browsers notice by the closed connection."""
        if self._unsubscribe is not None:
            self._unsubscribe()
            self._unsubscribe = None
        self._ending.set()
        # Set before, or `_run_server` would take the end for a crash and start another server.
        self._uvicorn.should_exit = True
        self._thread.join(5)
        self._uvicorn.force_exit = True
        self.place.listener.close()

    def _run_server(self) -> None:
        """Serve until the end; a server that dies is replaced, and the pages reconnect by
        themselves because links and passes are kept."""
        port = self.place.port
        while True:
            # uvicorn calls `sys.exit` when it cannot start.
            with suppress(Exception, SystemExit):  # whatever it was, the game is not concerned
                asyncio.run(self._serve_connections())
            if self._ending.wait(RESTART_DELAY):
                return
            with suppress(OSError):  # taken for the moment: tried again
                self.place = address.listen_again(self.place, port)
                self._uvicorn = uvicorn.Server(self._config)

    async def _serve_connections(self) -> None:
        self.broadcast.attach_loop()
        asyncio.get_running_loop().call_soon(self._poll_started)
        watching = asyncio.ensure_future(self._lines.watch_silent())
        with ListeningSocket(self.place.listener, self._lines.admit_connection) as listener:
            try:
                await self._uvicorn.serve(sockets=[listener])
            finally:
                watching.cancel()
                # Those that did not go in time, or had none because the server dies.
                for left in self._uvicorn.server_state.connections:
                    left.transport.abort()

    def _poll_started(self) -> None:
        if self._uvicorn.started:
            self._ready.set()
        elif not self._uvicorn.should_exit:
            asyncio.get_running_loop().call_later(0.01, self._poll_started)


def _make_config(app: ASGIApp, tls: ssl.SSLContext | None) -> uvicorn.Config:
    config = uvicorn.Config(
        app,
        http="h11",
        # There is no proxy: what a client claims about its address is not believed.
        proxy_headers=False,
        log_config=None,
        access_log=False,
        server_header=False,
        lifespan="off",
        limit_concurrency=MAX_CONNECTIONS,
        ws_max_size=MAX_PICTURE_BYTES,
        ws_max_queue=1,
        timeout_keep_alive=int(REQUEST_TIMEOUT),
        # Open pages never disconnect: without a limit the evening's end would wait for them.
        timeout_graceful_shutdown=1,
    )
    # uvicorn reads certificates from files only, and ours lives in memory: put in after `load`.
    config.load()
    config.ssl = tls
    return config


def _silence_loggers() -> None:
    """Silence the server's log: it would appear in the middle of the players' screen, and may
    contain addresses."""
    for name in ("uvicorn", "uvicorn.error", "uvicorn.asgi", "websockets"):
        logger = logging.getLogger(name)
        logger.handlers = [logging.NullHandler()]
        logger.propagate = False


CERTIFICATE_LIFETIME = datetime.timedelta(days=30)
"""How long a certificate is valid: a holiday during which the evening stays open, with clocks that
are days off. A certificate that expired or was renewed would have to be accepted again on every
phone. Browsers accept up to 398 days."""


def _utc_now() -> datetime.datetime:
    return datetime.datetime.now(datetime.UTC)


def make_identity(addresses: Sequence[str], now: datetime.datetime) -> str:
    """Make a key and its certificate for these IP addresses, valid around `now` (with a time zone);
    return both as PEM."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Card Table Companion")])
    places = [x509.IPAddress(ipaddress.ip_address(address)) for address in addresses]
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        # Half before now: the clock of a phone may be days behind.
        .not_valid_before(now - CERTIFICATE_LIFETIME / 2)
        .not_valid_after(now + CERTIFICATE_LIFETIME)
        .add_extension(x509.SubjectAlternativeName(places), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .sign(key, hashes.SHA256())
    )
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return (secret + certificate.public_bytes(serialization.Encoding.PEM)).decode()


class Certificate(NamedTuple):
    """A server's TLS context, and the SHA-256 fingerprint of its certificate in pairs of
    hexadecimal digits, as browsers show it."""

    context: ssl.SSLContext
    fingerprint: str


def load_certificate(identity: str) -> Certificate:
    """Return the TLS context for this key and certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    with tempfile.TemporaryDirectory(prefix="card-table-") as folder:  # ssl reads from files only; 0700
        file = Path(folder) / "both.pem"
        with open_private_file(file) as written:
            written.write(identity)
        context.load_cert_chain(file)
    certificate = x509.load_pem_x509_certificate(identity.encode())
    return Certificate(context, certificate.fingerprint(hashes.SHA256()).hex(":").upper())
