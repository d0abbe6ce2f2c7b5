"""The server as the evening has it: started in a thread of its own, ended with the evening;
whatever happens to it, the game goes on.

A phone's browser gives its camera only to pages that come by HTTPS, so each evening has a
certificate. It is made anew each time, signed by nobody, and lives in memory and in a private
folder for as long as it takes to load it. What makes it worth trusting is its fingerprint, which
the laptop shows and the browser's warning shows too.
"""

from __future__ import annotations

import asyncio
import datetime
import ipaddress
import logging
import ssl
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import uvicorn
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID
from starlette.routing import BaseRoute
from starlette.types import ASGIApp

from companion.live.live import Live
from companion.live.snapshot import Snapshot
from companion.plan import CannotBegin
from companion.readers.nfc.phone import PhonePads
from companion.rules.contract import Text
from companion.share import address, phone_reader
from companion.share import camera as frames
from companion.share.access import CAMERA, PAD, WATCH, Doors, Purpose
from companion.share.address import ServerAddress
from companion.share.board import Broadcast
from companion.share.guard import SILENCE, Connections, ListeningSocket
from companion.share.pages import rules_page
from companion.share.seats import Desk
from companion.share.server import Server
from companion.texts import Translator
from companion.views.invitation import Invitation, Invite

if TYPE_CHECKING:
    from companion.readers.camera.sources import Phone


STARTED = 10.0
"""Seconds that a start may take."""
PAUSE = 0.5
"""Seconds from a server's death to the next one's start."""
MOST = 200
"""Connections in all; above that the server says 503 until some have gone."""


@contextmanager
def opened(
    network: bool,
    say: Translator,
    live: Live | None = None,
    camera: Phone | None = None,
    pads: PhonePads | None = None,
) -> Iterator[Callable[[], Invitation]]:
    """Share with browsers of this computer, or of the local network, for as long as the block
    lasts; give what says what can be joined now. See `Share`.

    Raises `CannotBegin` when there is no such network or the server does not start.
    """
    try:
        place = address.network() if network else address.here()
    except OSError as fault:
        raise CannotBegin(Text("share.no_network", {"why": fault.strerror or str(fault)})) from fault
    with closing(Share(place, say, live=live, camera=camera, pads=pads)) as share:
        share.start()
        yield share.invitation


class Share:
    """What is shared this evening.

    `live`: the table that seats enter things at (None: there is none yet, and only phones that are
    devices connect). `doors`: links and passes, kept where a server takes another's place.
    `camera`: the phone that is one; `pads`: those that read stickers.
    """

    def __init__(
        self,
        place: ServerAddress,
        say: Translator,
        *,
        live: Live | None = None,
        doors: Doors | None = None,
        camera: Phone | None = None,
        pads: PhonePads | None = None,
    ) -> None:
        self.place = place
        self.doors = doors or Doors()
        self.board = Broadcast(say)
        self._say, self._live, self._camera, self._pads = say, live, camera, pads
        self._unsubscribe: Callable[[], None] | None = None
        self._desk = None if live is None else Desk(live, say, pads=pads is not None)
        self.fingerprint = ""
        tls = None
        if place.secure:
            made = make_certificate([place.address], datetime.datetime.now(datetime.UTC))
            tls, self.fingerprint = made.context, made.fingerprint
        rules = "" if live is None else rules_page(live.game.id, say.language)
        self._server = Server(
            self.board,
            self.doors,
            say,
            place.hosts,
            secure=place.secure,
            desk=self._desk,
            more=self._routes(say, () if live is None else live.snapshot().people.seats),
            rules=rules,
        )
        self._lines = Connections(self._server.app)
        self._config = _config(self._lines, tls)
        self._uvicorn = uvicorn.Server(self._config)
        self._ending = threading.Event()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, name="share", daemon=True)
        _quiet()

    def _routes(self, say: Translator, players: Sequence[str]) -> Sequence[BaseRoute]:
        """What phones that are devices send to."""
        routes: list[BaseRoute] = []
        if self._camera is not None:
            routes.append(frames.route(self._films, self._camera))
        if self._pads is not None:
            seat_of = {player: seat for seat, player in enumerate(players, 1)}
            routes.append(phone_reader.route(self.doors.admits, self._pads, seat_of, say))
        return routes

    def _films(self, given: str) -> bool:
        return self.doors.holds(given) == CAMERA

    def start(self) -> None:
        """Begin to serve, and to follow the table; raises `CannotBegin` when that does not come
        about."""
        self._thread.start()
        if not self._ready.wait(STARTED):
            raise CannotBegin(Text("share.not_started"))
        if self._live is not None:
            self._unsubscribe = self._live.subscribe(self._show)
            self._show(self._live.snapshot())

    def _show(self, snapshot: Snapshot) -> None:
        self.board.show(snapshot, {} if self._desk is None else self._desk.mine())

    def link(self, purpose: Purpose = WATCH, page: str = "") -> str:
        """Return the link for `purpose`, to be shown as a QR code."""
        path = page if purpose == WATCH else purpose.kind
        return f"{self.place.root}/{path}#{self.doors.link(purpose)}"

    def invitation(self) -> Invitation:
        """Put into words what can be joined, everybody by the names that they have now."""
        people = None if self._live is None else self._live.snapshot().people
        say = self._say if people is None else self._say.calling(people.shown)
        invites = [] if self._camera is None else [Invite(say("share.camera"), self.link(CAMERA))]
        if people is not None:
            invites += [
                Invite(say("share.watch"), self.link()),
                Invite(say("share.stream"), self.link(page="stream")),
                *(
                    Invite(say("share.seat", player=say.name(player)), self.link(Purpose("seat", player)))
                    for player in people.seats
                ),
            ]
        elif self._pads is not None:
            invites.append(Invite(say("share.pad"), self.link(PAD)))
        reach = "share.reach_network" if self.place.secure else "share.reach_here"
        remarks = [say(reach, address=self.place.address)]
        if self.place.secure:
            remarks.append(say("share.fingerprint", fingerprint=self.fingerprint))
        return Invitation(tuple(invites), tuple(remarks))

    def close(self) -> None:
        """End the server; browsers are told by the closed line."""
        if self._unsubscribe is not None:
            self._unsubscribe()
            self._unsubscribe = None
        self._ending.set()
        # Announced before: `_run` would else take the end for a death, and start another server.
        self._uvicorn.should_exit = True
        self._thread.join(5)
        self._uvicorn.force_exit = True
        self.place.listener.close()

    def _run(self) -> None:
        """Serve until the end; a server that dies is followed by another, to which the pages come
        back by themselves: links and passes live on."""
        port = self.place.port
        while True:
            # uvicorn calls `sys.exit` when it cannot start.
            with suppress(Exception, SystemExit):  # whatever it was, the game is not concerned
                asyncio.run(self._serve())
            if self._ending.wait(PAUSE):
                return
            with suppress(OSError):  # taken for the moment: tried again
                self.place = address.again(self.place, port)
                self._uvicorn = uvicorn.Server(self._config)

    async def _serve(self) -> None:
        self.board.serve()
        asyncio.get_running_loop().call_soon(self._watch_start)
        watching = asyncio.ensure_future(self._lines.watch())
        with ListeningSocket(self.place.listener, self._lines.take) as listener:
            try:
                await self._uvicorn.serve(sockets=[listener])
            finally:
                watching.cancel()

    def _watch_start(self) -> None:
        if self._uvicorn.started:
            self._ready.set()
        elif not self._uvicorn.should_exit:
            asyncio.get_running_loop().call_later(0.01, self._watch_start)


def _config(app: ASGIApp, tls: ssl.SSLContext | None) -> uvicorn.Config:
    config = uvicorn.Config(
        app,
        http="h11",
        # No proxy stands before it: what a client says of its address is not believed.
        proxy_headers=False,
        log_config=None,
        access_log=False,
        server_header=False,
        lifespan="off",
        limit_concurrency=MOST,
        ws_max_size=frames.LARGEST,
        ws_max_queue=1,
        timeout_keep_alive=int(SILENCE),
        # Live pages listen for ever: without a limit the evening's end would wait for each of them.
        timeout_graceful_shutdown=1,
    )
    # uvicorn reads certificates from files only, and ours lives in memory: put in after `load`.
    config.load()
    config.ssl = tls
    return config


def _quiet() -> None:
    """Keep the server's log off the screen that players look at: it would be drawn over, and may
    hold addresses."""
    for name in ("uvicorn", "uvicorn.error", "uvicorn.asgi", "websockets"):
        logger = logging.getLogger(name)
        logger.handlers = [logging.NullHandler()]
        logger.propagate = False


VALID = datetime.timedelta(days=2)
"""An evening that goes on after midnight, with a laptop whose clock is some hours off."""


class Certificate(NamedTuple):
    """What a server needs, and the SHA-256 fingerprint in pairs of hexadecimal digits, as browsers
    show it."""

    context: ssl.SSLContext
    fingerprint: str


def make_certificate(addresses: Sequence[str], now: datetime.datetime) -> Certificate:
    """Make a certificate for these IP addresses, valid about `now` (with a time zone)."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Card Table Companion")])
    places = [x509.IPAddress(ipaddress.ip_address(address)) for address in addresses]
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - VALID / 2)
        .not_valid_after(now + VALID)
        .add_extension(x509.SubjectAlternativeName(places), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .sign(key, hashes.SHA256())
    )
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    with tempfile.TemporaryDirectory(prefix="card-table-") as folder:  # ssl reads from files only; 0700
        file = Path(folder) / "both.pem"
        file.touch(mode=0o600)
        file.write_bytes(secret + certificate.public_bytes(serialization.Encoding.PEM))
        context.load_cert_chain(file)
    return Certificate(context, certificate.fingerprint(hashes.SHA256()).hex(":").upper())
