"""What pages are sent, without a server: their words, each seat's part of the state in a golden
evening of each game, conversations from the seats, and what each kind of page may say. After a
change that is meant: `WRITE=1 pytest tests/share/test_pages_to_the_letter.py`, and read the
difference."""

from __future__ import annotations

import asyncio
import html
import json
import os
import random
import re
import time
import zlib
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest

from companion.live.live_session import LiveSession
from companion.plan import Plan
from companion.readers.camera.sources import PhoneCamera
from companion.readers.nfc.tag_pads import PhonePads
from companion.rules import registry
from companion.rules.people import SeatChange
from companion.share import seat_controller
from companion.share.access_tokens import CAMERA, JOIN, PAD, WATCH, AccessTokens, CloseCode, Purpose
from companion.share.page_connections import (
    Devices,
    PageConnections,
    PageMessage,
    StateBroadcast,
    StickerRead,
    _PageConnection,
)
from companion.share.pages import TITLES, load_board_picture, render_page, render_rules
from companion.share.saved_share import SavedShare, find_state_file, load_saved_share
from companion.share.seat_controller import (
    ConversationMessage,
    SeatController,
    SubmittedAnswer,
    list_refused_siblings,
)
from companion.share.share_server import ShareServer
from companion.table.decks import Deck
from companion.table.table import Table
from companion.texts import Translator
from companion.views.conversations import Conversation, prompt_for_own_entry
from companion.views.table_session import TableSession
from companion.web.addresses import listen_locally
from companion.web.certificates import CERTIFICATE_LIFETIME
from companion.web.limits import TABLE_LIMITS, RateLimiter
from tests.letters import compare_with_file
from tests.rules.evenings import EVENINGS, Recorded

LETTERS = Path(__file__).with_name("letters")
GOLDEN = {one.game.id: one for one in reversed(EVENINGS) if one.golden and one.name not in ("told", "hands")}
"""A golden evening of each game."""
EVERY = 6
"""Acts between two looks at all seats."""
LOOKS = 6


def check_sum(value):
    return f"{zlib.crc32(json.dumps(value, sort_keys=True, default=str).encode()):08x}"


def test_the_pages_to_the_letter():
    translator, lines = Translator("en", registry.load_game("dtc")), []
    for name in TITLES:
        page = render_page(name, translator, "<p>The rules</p>")
        (words,) = re.findall(r'data-words="([^"]*)"', page)
        said = json.loads(html.unescape(words))
        lines += [f"{name}: {page.replace(words, '...')}"]
        if name == "tv":
            lines += [f"{key}: {value}" for key, value in said.items()]
    compare_with_file(LETTERS / "pages.txt", lines)


@pytest.mark.parametrize("game", GOLDEN)
def test_the_rules_page_names_each_clause_once_and_in_its_language(game):
    page = render_rules(game, "fr")
    named = re.findall(r'id="([A-Z]+-\d+)"', page)
    assert len(named) == len({*named}) > 5
    assert page != render_rules(game, "en") == render_rules(game, "xx")
    assert "<a " not in page
    assert "style=" not in page
    assert load_board_picture(game).startswith("<svg") is (game == "partners")
    assert render_rules("nothing", "en") == ""


def open_table(evening):
    """A table of this evening's game, its seats, and a way to wait for what they say."""
    live = LiveSession(evening.game, evening.setup, table=Table(Deck.load_by_name(evening.game.id)))
    seats = SeatController(TableSession(Plan(), live), Translator("en", evening.game), pads=True)
    return live, seats


def ask(live, seats, player, message, act=""):
    """Say something from a seat; the table answers at its next look."""

    async def wait_for_answer():
        answer = asyncio.ensure_future(seats.handle_message(player, message, act))
        await asyncio.sleep(0)
        live.tick(0.0)
        return await answer

    return asyncio.run(wait_for_answer())


def tell_menu(menu):
    """Yield a menu in words, with a check sum of all the rest of it."""
    if menu is None:
        return
    for text in menu["told"]:
        yield f"    {text.get('tone', '')}: {text.get('words') or json.dumps(text)}"
    for row in menu["rows"][:12]:
        more = {name: row[name] for name in row if name not in ("words", "row", "spots", "pick")}
        yield f"    [{row['words']}] {json.dumps(more, default=str)}"
        if "pick" in row:
            cards = row["pick"]["cards"]
            yield f"      {row['pick']['least']} to {row['pick']['most']} of {len(cards)}: {cards[:2]}"


@pytest.mark.parametrize("game", GOLDEN)
def test_seats_to_the_letter(game):
    evening = GOLDEN[game]
    live, seats = open_table(evening)
    before, lines = {}, [str(seats.list_seats()), str(seats.list_seats("fr"))]
    for number, deed in enumerate(Recorded.load(evening).deeds[: EVERY * LOOKS]):
        if number % EVERY == 0:
            seats.set_language(evening.setup.players[1], "fr" if number == EVERY else "")
            lines.append(f"before act {number}:")
            for player, state in seats.build_seat_states().items():
                sums = " ".join(f"{name} {check_sum(value)}" for name, value in state.items())
                lines.append(f"  {player}: {sums}")
                short = {name: value for name, value in state.items() if name != "menu"}
                if before.get(player) != short:
                    lines.append(f"    {json.dumps(short, ensure_ascii=False)}")
                before[player] = short
                if player == evening.setup.players[0]:
                    lines += tell_menu(state["menu"])
        assert live.submit_request(deed.request) is None
    compare_with_file(LETTERS / f"seats_{game}.txt", lines)


SUBJECTS = ("entering", "entering", "entering", "mine", "righting", "righting", "people", "next", 77)


@pytest.mark.parametrize("game", GOLDEN)
def test_what_is_said_from_the_seats_to_the_letter(game):
    """Somebody taps anything that is offered, and the table goes on with what was meant."""
    evening, rng, lines = GOLDEN[game], random.Random(game), []
    live, seats = open_table(evening)
    for deed in Recorded.load(evening).deeds[:12]:
        assert live.submit_request(deed.request) is None
    for number in range(16):
        player, about = rng.choice(evening.setup.players), rng.choice(SUBJECTS)
        given, menu = (), ask(live, seats, player, ConversationMessage(about)).menu
        lines.append(f"{player}, {about}:")
        lines += tell_menu(menu)
        for step in range(4):
            rows = [row for row in (menu or {"rows": ()})["rows"] if "row" in row]
            if not rows:
                break
            row = rng.choice(rows)
            pick = row.get("pick") or {"cards": (), "least": 0}
            cards = tuple(one["card"] for one in pick["cards"][: pick["least"]])
            cards = ("Zoé",) if "line" in row else cards
            answer = SubmittedAnswer(row["row"] if rng.random() < 0.9 else 5, cards)
            told = menu["number"] if rng.random() < 0.9 else 7
            message = ConversationMessage(about, given, answer, told)
            act = f"{number}.{step}"
            update = ask(live, seats, player, message, act)
            assert ask(live, seats, player, message, act) is update, "what is sent again is not done again"
            lines.append(
                f"  [{row['words']}] {cards}: hold {update.hold} {update.tone} {update.words} {update.clause}"
            )
            if update.menu is not None:
                lines.append(
                    f"    {check_sum({**update.menu, 'rows': [r['words'] for r in update.menu['rows']]})}"
                )
            given, menu = ((*given, answer)[: update.hold] if update.hold else ()), update.menu
        lines.append(f"  then: {live.step_count} steps, {check_sum(seats.build_seat_states())}")
    compare_with_file(LETTERS / f"talks_{game}.txt", lines)


class Socket:
    """A page's end of a connection without a network: what it says, and what it was told."""

    def __init__(self, host="192.168.0.7"):
        self.said = asyncio.Queue()
        self.heard = []
        self.code = None
        self.scope = {}
        self.client = type("Client", (), {"host": host})

    def say(self, kind, **what):
        self.said.put_nowait({"type": "websocket.receive", "text": json.dumps({"type": kind, **what})})

    def send_bytes(self, data):
        self.said.put_nowait({"type": "websocket.receive", "bytes": data})

    def hang_up(self):
        self.said.put_nowait({"type": "websocket.disconnect"})

    async def accept(self):
        pass

    async def receive(self):
        return await self.said.get()

    async def send_text(self, text):
        self.heard.append(json.loads(text))

    async def close(self, code, reason=""):
        self.code = CloseCode(code).name + (f" ({reason})" if reason else "")


class NotedDevices:
    """A camera, and pads, that note what phones send them."""

    def __init__(self):
        self.noted = []

    def receive_picture(self, picture, late):
        self.noted.append(f"picture {picture!r}, {late:.0f} s late")

    def set_battery(self, battery):
        self.noted.append(f"battery {battery}")

    def set_block_reason(self, reason):
        self.noted.append(f"blind: {reason}")

    def disconnect(self):
        self.noted.append("gone")

    def add_phone(self, seat):
        self.noted.append(f"a phone reads at seat {seat}")

    def report_tap(self, seat, tag, place):
        self.noted.append(f"{tag.hex()} at seat {seat}, {place}")
        return tag.hex() == TAG


TAG = "04a1b2c3d4e5f6"
MESSAGES = {
    "beat": {},
    "sit": {"seat": "Ann"},
    "hello": {},
    "talk": {"id": "t1", "seat": "Ann", "about": "entering"},
    "talk for another": {"id": "t2", "seat": "Bob", "about": "entering"},
    "tap": {"id": "p1", "seat": "Ann", "tag": TAG},
    "tap of a pad": {"id": "p2", "tag": TAG},
    "tap of a stranger": {"id": "p5", "seat": "Ann", "tag": "04000000000000", "where": "down"},
    "tap of nothing": {"id": "p3", "seat": "Ann", "tag": ""},
    "tap of nonsense": {"id": "p4", "seat": "Ann", "tag": "zz"},
    "status": {"battery": {"level": 40, "charging": False}, "blind": "away"},
    "status without a word": {"battery": None},
    "picture": (1500).to_bytes(4, "big") + b"jpeg",
    "picture of three seconds ago": (-3000).to_bytes(4, "big", signed=True) + b"jpeg",
    "picture of long ago": (-90_000).to_bytes(4, "big", signed=True) + b"jpeg",
    "no picture": b"1234",
    "nonsense": {},
    "leave": {},
}
"""What a page may say after it was let in."""
PURPOSES = {"watch": WATCH, "seat": Purpose("seat", "Ann"), "camera": CAMERA, "pad": PAD}


async def settle():
    for _ in range(30):
        await asyncio.sleep(0)


@pytest.mark.parametrize("kind", PURPOSES)
def test_what_each_kind_of_page_may_say_to_the_letter(kind):
    evening = GOLDEN["donkey_valley"]
    live, seats = open_table(evening)
    lines = []

    async def converse(said, with_devices):
        broadcast, tokens = StateBroadcast(lambda _language: Translator("en", evening.game)), AccessTokens()
        broadcast.attach_loop()
        noted = NotedDevices()
        devices = Devices(broadcast, seats, noted, noted) if with_devices else Devices(broadcast)
        connections = PageConnections(tokens, devices, Translator("en", evening.game))
        socket = Socket()
        socket.say("hello", token=tokens.ensure_invite_token(PURPOSES[kind]), language="")
        serving = asyncio.ensure_future(connections.make_route().endpoint(socket))
        await settle()
        counted = dict(connections.page_counts)
        message = MESSAGES[said]
        if isinstance(message, bytes):
            socket.send_bytes(message)
        else:
            socket.say(said.split()[0], **message)
        await settle()
        live.tick(0.0)
        await settle()
        held = sorted(tokens.owned_seats)
        if socket.code is None:
            socket.hang_up()
        await serving
        you, *rest = socket.heard
        assert you["you"].pop("pass").count(".") == 1
        answers = [answer for answer in rest if "state" not in answer]
        lines.append(
            f"{said}{'' if with_devices else ', without a device'}: {socket.code or 'stays'} {held or ''}"
        )
        lines.extend(f"  {one}" for one in noted.noted)
        for answer in answers:
            if (menu := (answer.get("answer") or {}).get("menu")) is not None:
                answer["answer"]["menu"] = check_sum(menu)
            answer.pop("late", None)
            lines.append(f"  {json.dumps(answer)}")
        return you["you"], counted

    for said in MESSAGES:
        for with_devices in (True, False):
            you, counted = asyncio.run(converse(said, with_devices))
            assert (you["kind"], you["game"], counted) == (kind, "donkey_valley", {PURPOSES[kind]: 1})
    compare_with_file(LETTERS / f"connection_{kind}.txt", lines)


def hide_tokens(text):
    """Replace what is drawn at random: letters to type, tickets and passes."""
    text = re.sub(r'"letters": "[A-Z]{4}"', '"letters": "????"', text)
    return re.sub(r"[\w.-]{22,}", "?", text)


def test_how_a_connection_may_begin_to_the_letter():
    """By a link, letters or a pass; without any a screen waits until the laptop lets it in."""
    evening, lines = GOLDEN["donkey_valley"], []
    ann, bob = Purpose("seat", "Ann"), Purpose("seat", "Ben")

    _, seats = open_table(evening)

    async def begin(title, make, then=None, busy=()):
        broadcast, tokens = StateBroadcast(lambda _language: Translator("en", evening.game)), AccessTokens()
        broadcast.attach_loop()
        connections = PageConnections(tokens, Devices(broadcast, seats), Translator("en", evening.game))
        serve, waiting = connections.make_route().endpoint, []
        for purpose in busy:
            waiting.append(Socket())
            waiting[-1].say("hello", token=tokens.ensure_invite_token(purpose))
        sockets = [*waiting, Socket()]
        await settle()
        serving = [asyncio.ensure_future(serve(one)) for one in waiting]
        await settle()
        socket = sockets[-1]
        socket.say("hello", **make(tokens, waiting))
        serving.append(asyncio.ensure_future(serve(socket)))
        await settle()
        counted = {
            f"{one.kind} {one.player}".strip(): count for one, count in connections.page_counts.items()
        }
        if then is not None:
            then(connections, socket)
            await settle()
        for one in sockets:
            one.hang_up()
        await asyncio.gather(*serving)
        lines.append(
            f"{title}: {socket.code or 'stays'}, {counted}, waiting {len(connections.waiting_codes)}"
        )
        lines.extend(f"  {hide_tokens(json.dumps(one))}" for one in socket.heard if "state" not in one)
        lines.extend(f"  the other: {one.code}" for one in waiting)

    def pass_of(waiting):
        return waiting[0].heard[0]["you"]["pass"]

    def admit(connections, _socket):
        connections.admit_screen("AAAA", ann)
        connections.admit_screen(connections.waiting_codes[0], ann)

    def sit(player):
        return lambda _connections, socket: socket.say("sit", seat=player)

    def join(tokens, _waiting):
        return {"letters": tokens.ensure_join_code(JOIN)}

    def join_again(tokens, waiting):
        return {**join(tokens, waiting), "held": [pass_of(waiting)]}

    def beat(_connections, socket):
        socket.say("beat")

    for case in (
        ("nothing", lambda _t, _w: {}),
        ("nothing, and a sign of life", lambda _t, _w: {}, beat),
        ("nothing, and is let in", lambda _t, _w: {}, admit),
        ("nothing, and says what it should not", lambda _t, _w: {}, sit("Ann")),
        ("a link", lambda t, _w: {"token": t.ensure_invite_token(ann)}),
        ("a link in French", lambda t, _w: {"token": t.ensure_invite_token(ann), "language": "fr"}),
        ("a ticket", lambda t, _w: {"token": t.make_ticket(WATCH)}),
        ("a wrong link", lambda _t, _w: {"token": "x"}),
        ("a link to a seat that is taken", lambda t, _w: {"token": t.ensure_invite_token(ann)}, None, (ann,)),
        ("a link to watch", lambda t, _w: {"token": t.ensure_invite_token(WATCH)}, None, (WATCH,)),
        ("a pass", lambda _t, w: {"pass": pass_of(w)}, None, (ann,)),
        ("a wrong pass", lambda _t, _w: {"pass": "x"}),
        ("a pass of another evening", lambda _t, _w: {"pass": "other.x"}),
        ("a pass of a seat that went on", lambda _t, w: {"pass": pass_of(w)}, None, (ann, ann)),
        ("the same, to have it back", lambda _t, w: {"pass": pass_of(w), "take": True}, None, (ann, ann)),
        ("letters to watch", lambda t, _w: {"letters": t.ensure_join_code(WATCH)}),
        ("wrong letters", lambda _t, _w: {"letters": "AEIO"}),
        ("letters to choose a seat", join, beat, (bob,)),
        ("a free seat", join, sit("Ann"), (bob,)),
        ("a seat that is taken", join, sit("Ben"), (bob,)),
        ("a seat that nobody has", join, sit("Zoé"), (bob,)),
        ("one's own seat", join_again, sit("Ben"), (bob,)),
    ):
        asyncio.run(begin(*case))
    compare_with_file(LETTERS / "beginnings.txt", lines)


def test_each_page_gets_the_newest_state_once_in_its_language_and_its_own_seat():
    evening = GOLDEN["dtc"]
    live, seats = open_table(evening)
    broadcast = StateBroadcast(lambda language: Translator(language or "de", evening.game))
    broadcast.join = "http://table"

    async def follow():
        broadcast.attach_loop()
        early = asyncio.ensure_future(broadcast.wait_for_state(-1))
        await settle()
        assert not early.done()
        broadcast.publish_snapshot(live.snapshot(), seats.build_seat_states())
        first = await early
        assert await broadcast.wait_for_state(-1) is first, "it is encoded once"
        state = json.loads(first.body)["state"]
        assert (state["language"], state["here"], state["join"]) == ("de", [], "http://table")
        assert "mine" not in state
        own = json.loads((await broadcast.wait_for_state(-1, "Ben", "fr")).body)["state"]
        assert (own["language"], own["mine"]["name"]) == ("fr", "Ben")
        assert json.loads((await broadcast.wait_for_state(-1, "nobody")).body)["state"]["mine"] is None
        later = [asyncio.ensure_future(broadcast.wait_for_state(first.number, who)) for who in ("", "Ben")]
        await settle()
        broadcast.set_connected_players([])
        await settle()
        assert not any(one.done() for one in later), "nobody has come or gone"
        broadcast.set_connected_players(["Cy", "Ann", "nobody"])
        second, _ = await asyncio.gather(*later)
        assert second.number == first.number + 1
        assert json.loads(second.body)["state"]["here"] == [0, 2]
        assert live.submit_request(Recorded.load(evening).deeds[0].request) is None
        broadcast.publish_snapshot(live.snapshot(), seats.build_seat_states())
        third = await broadcast.wait_for_state(second.number)
        assert (third.number, json.loads(third.body)["state"]["number"]) == (
            second.number + 1,
            live.snapshot().number,
        )

    asyncio.run(follow())


@pytest.mark.parametrize("kind", ["table", "table with a camera", "camera alone", "pads alone"])
def test_an_invitation_to_the_letter(kind):
    evening = GOLDEN["dtc"]
    live, _ = open_table(evening)
    live.change_seats(SeatChange("rename", "Ben", "Benno"))
    session = TableSession(Plan(), live) if kind.startswith("table") else None
    camera = PhoneCamera() if "camera" in kind else None
    pads = PhonePads(lambda _tag: None) if "pads" in kind else None
    place = listen_locally(0)
    with closing(place.listener):
        share = ShareServer(place, Translator("en", evening.game), session, camera=camera, pads=pads)
        share.tokens.start_session(Purpose("seat", "Cy"))
        found = share.build_invitation()
        lines = [f"{found.remarks} {found.waiting_codes}"]
        for one in found.invites:
            link = hide_tokens(one.link.replace(place.base_url, "HERE"))
            lines.append(
                f"{one.words}: {link}, seat {one.seat}, {len(one.letters)} letters, {one.page_count} pages, {one.is_owned}"
            )
            before = one.link
            one.send_away()
            assert before not in [new.link for new in share.build_invitation().invites]
        assert found.address == place.base_url
    compare_with_file(LETTERS / f"invitation_{kind.replace(' ', '_')}.txt", lines)


def test_a_table_that_does_not_answer_in_time_is_said_to_be_busy(monkeypatch):
    monkeypatch.setattr(seat_controller, "ANSWER_TIMEOUT", 0.01)
    _, seats = open_table(GOLDEN["dtc"])
    seats.set_language("Ben", "fr")
    for player, language in (("Ann", "en"), ("Ben", "fr")):
        update = asyncio.run(seats.handle_message(player, ConversationMessage("entering")))
        assert update == (None, 0, Translator(language)("share.busy"), "", "bad")


def test_a_seat_that_reads_another_language_gets_its_state_again():
    live, _ = open_table(GOLDEN["dtc"])
    renewed = []
    seats = SeatController(
        TableSession(Plan(), live), Translator("en", live.game), renewed=lambda: renewed.append(True)
    )
    for language in ("", "en", "fr", "fr", "de", ""):
        seats.set_language("Ben", language)
        live.tick(0.0)
        renewed.append(language)
    assert renewed == ["", "en", True, "fr", "fr", True, "de", True, ""]
    assert seats.build_seat_states()["Ann"]["menu"] is not None


def test_what_an_evening_left_is_read_until_its_certificate_is_half_over(tmp_path):
    saved = SavedShare("http://table", "", AccessTokens().export_tokens())
    file, half = tmp_path / "evening.json", CERTIFICATE_LIFETIME.total_seconds() / 2
    for age, found in ((0, saved), (half - 60, saved), (half + 60, None)):
        file.write_bytes(msgspec.json.encode(saved))
        os.utime(file, (time.time() - age,) * 2)
        assert load_saved_share(file) == found
        assert file.exists() is (found is not None)
    file.write_text("{")
    assert load_saved_share(file) is load_saved_share(None) is None
    assert load_saved_share(tmp_path / "no folder" / "evening.json") is None


def test_a_seven_is_split_part_by_part_on_a_seat():
    """At each step the page is told what is moved, of how much, and which parts are possible; at
    first, which cards move something on the board."""
    evening = GOLDEN["partners"]
    live, seats = open_table(evening)
    lines = []
    for number, deed in enumerate(Recorded.load(evening).deeds):
        player = getattr(deed.request, "player", None)
        if getattr(deed.request, "card", None) == "7" and len(deed.request.moves) > 1 and len(lines) < 70:
            given, menu = (), ask(live, seats, player, ConversationMessage("entering")).menu
            moving = [
                f"  {one['words']}: {one['card']} ({one['named']})" for one in menu["rows"] if "card" in one
            ]
            lines = lines or moving
            row = next(
                (one for one in menu["rows"] if one["words"].startswith("the 7") and "row" in one), None
            )
            while row is not None:
                answer = SubmittedAnswer(row["row"])
                update = ask(
                    live, seats, player, ConversationMessage("entering", given, answer, menu["number"])
                )
                lines.append(f"{number}, {player} [{row['words']}] hold {update.hold} {update.words}")
                if not update.hold or update.menu is None:
                    live.undo()
                    break
                given, menu = (*given, answer), update.menu
                lines += [f"  {json.dumps(text)}" for text in menu["told"]]
                lines += [f"  [{one['words']}]" for one in menu["rows"]]
                row = next((one for one in menu["rows"] if "row" in one), None)
        assert live.submit_request(deed.request) is None
    compare_with_file(LETTERS / "seven.txt", lines)


def test_a_phone_that_films_too_fast_is_slowed_down(monkeypatch):
    """To thirty pictures a second; how late each is counts from the table's request for it."""
    evening, clock, noted = GOLDEN["donkey_valley"], [100.0], NotedDevices()
    broadcast = StateBroadcast(lambda _language: Translator("en", evening.game))
    connections = PageConnections(
        AccessTokens(), Devices(broadcast, None, noted), Translator("en", evening.game)
    )

    async def pass_time(seconds):
        clock[0] += seconds

    async def film():
        socket = Socket()
        connection = _PageConnection(connections, socket)
        connection.purpose, connection._loop = CAMERA, SimpleNamespace(time=lambda: clock[0])
        connection._due = connection._asked = clock[0]
        monkeypatch.setattr("companion.share.page_connections.asyncio.sleep", pass_time)
        taken = []
        for after, meanwhile in ((0, 0.0), (0, 0.0), (0, 0.0), (500, 0.75), (0, 99.0)):
            clock[0] += meanwhile
            assert await connection._handle_message(after.to_bytes(4, "big") + b"jpeg")
            taken.append(round(clock[0] - 100, 3))
        assert not await connection._handle_message(b"1234"), "a header without a picture"
        return taken, [one["late"] for one in socket.heard]

    taken, late = asyncio.run(film())
    assert taken == [0.0, 0.033, 0.067, 0.817, 99.817]
    assert late == [0, 0, 0, 250, 12000]


def test_what_is_refused_is_shown_greyed_if_it_is_not_too_much(monkeypatch):
    evening = GOLDEN["ochs_und_esel"]
    live, _ = open_table(evening)
    for deed in Recorded.load(evening).deeds[:5]:
        assert live.submit_request(deed.request) is None
    translator = Translator("en", live.game)
    menu = Conversation(lambda: prompt_for_own_entry(live, evening.setup.players[0], translator)).menu
    found = list_refused_siblings(menu)
    assert len(found) > 1
    for most, shown in ((len(found), found), (len(found) - 1, [])):
        monkeypatch.setattr("companion.share.seat_controller.MAX_REFUSED_ROWS", most)
        assert list_refused_siblings(menu) == shown


def test_a_share_is_ready_once_its_server_is():
    place = listen_locally(0)
    share = ShareServer(place, Translator("en"))
    share._server = SimpleNamespace(is_started=False, is_stopping=False)
    assert share._thread.daemon, "a server that hangs keeps no program from its end"

    async def start():
        share._poll_started()
        await asyncio.sleep(0.03)
        assert not share._ready.is_set()
        share._server.is_started = True
        while not share._ready.is_set():
            await asyncio.sleep(0.01)

    with closing(place.listener):
        asyncio.run(start())


def test_how_many_screens_may_wait_at_once(monkeypatch):
    """Three of one network, and a hundred in all: beyond that the one that has waited longest makes
    room."""
    monkeypatch.setattr("companion.share.page_connections.MAX_WAITING_SCREENS", 6)
    connections = PageConnections(AccessTokens(), Devices(StateBroadcast(Translator)), Translator("en"))
    closed = []

    def wait(host):
        if (is_there := connections._make_room_to_wait(host)) and len(connections._knocking) < 99:
            screen = SimpleNamespace(
                address=host, request_close=lambda code: closed.append((host, code.name))
            )
            connections._knocking[f"{len(connections._knocking)}"] = screen, None
        return is_there

    hosts = ["192.168.0.7"] * 4 + ["10.0.0.1"] * 4 + ["172.16.0.9"]
    assert [wait(host) for host in hosts] == [True] * 3 + [False] + [True] * 3 + [False, True]
    assert closed == [("192.168.0.7", "SILENT")]


def test_no_two_offers_have_the_same_number():
    """Whatever the seat, the step, and who has decided: nobody can take what is another's."""
    evening = GOLDEN["donkey_valley"]
    live, seats = open_table(evening)
    numbers = []
    for deed in Recorded.load(evening).deeds[:6]:
        numbers += [seats._number_offer(player) for player in evening.setup.players]
        assert live.submit_request(deed.request) is None
    snapshot = live.snapshot()
    live.snapshot = lambda: msgspec.structs.replace(snapshot, decided=tuple(evening.setup.players))
    numbers += [seats._number_offer(player) for player in evening.setup.players]
    live.snapshot = lambda: snapshot
    numbers += [seats._number_offer(player) for player in evening.setup.players]
    assert len({*numbers}) == len(numbers)


@pytest.mark.parametrize(
    ("purpose", "tag", "noted", "answer"),
    [
        (Purpose("seat", "Ben"), "", "a phone reads at seat 2", "share.pad_ready"),
        (PAD, "", "a phone reads at seat 0", "share.pad_ready"),
        (Purpose("seat", "Ben"), TAG, f"{TAG} at seat 2, down", "share.pad_read"),
        (Purpose("seat", "Ben"), "04000000000000", "04000000000000 at seat 2, down", "share.pad_unknown"),
        (PAD, "04000000000000", "04000000000000 at seat 0, down", "share.pad_read"),
        (PAD, "zz", None, ""),
    ],
)
def test_a_phone_that_reads_stickers_is_told_what_it_read(purpose, tag, noted, answer):
    evening, devices = GOLDEN["donkey_valley"], NotedDevices()
    _, seats = open_table(evening)
    translator = Translator("en", evening.game)
    connections = PageConnections(
        AccessTokens(), Devices(StateBroadcast(Translator), seats, None, devices), translator
    )

    async def read():
        socket = Socket()
        connection = _PageConnection(connections, socket)
        connection.purpose = purpose
        message = StickerRead("p1", tag, "down", purpose.player)
        return await connection._handle_message(message), socket.heard

    stays, heard = asyncio.run(read())
    assert devices.noted == [noted] * bool(noted)
    assert stays is bool(noted)
    assert heard == [{"re": "p1", "answer": {"words": translator(answer)}}] * bool(noted)


def test_a_table_without_a_journal_leaves_nothing_to_come_back_to():
    live, _ = open_table(GOLDEN["dtc"])
    assert live.journal.path is None
    assert find_state_file(None) is None
    assert find_state_file(live) is None


@pytest.mark.parametrize(
    ("purpose", "languages"), [(Purpose("seat", "Ben"), [("Ben", "fr")]), (WATCH, []), (PAD, [])]
)
def test_a_seat_speaks_its_phones_language(purpose, languages):
    evening, spoken = GOLDEN["donkey_valley"], []
    seats = SimpleNamespace(set_language=lambda *told: spoken.append(told))
    tokens = AccessTokens()

    async def come():
        broadcast = StateBroadcast(Translator)
        broadcast.attach_loop()
        connections = PageConnections(tokens, Devices(broadcast, seats), Translator("en", evening.game))
        socket = Socket()
        socket.say("hello", token=tokens.ensure_invite_token(purpose), language="fr")
        socket.hang_up()
        await connections.make_route().endpoint(socket)

    asyncio.run(come())
    assert spoken == languages


def test_a_share_in_the_network_tells_its_fingerprint_and_one_on_this_computer_has_none(tmp_path):
    place, file = listen_locally(0), tmp_path / "share" / "evening.json"
    share = ShareServer(place, Translator("en"), file=file)
    with closing(place.listener):
        share.tokens.ensure_invite_token(WATCH)
        assert (share.fingerprint, load_saved_share(file).identity) == ("", "")
        assert len(share.build_invitation().remarks) == 1
        share.fingerprint = "AB:CD"
        share.place = SimpleNamespace(secure=True, base_url="https://10.0.0.2:8640", address="10.0.0.2")
        reach, fingerprint = share.build_invitation().remarks
    assert "10.0.0.2" in reach
    assert "AB:CD" in fingerprint


def test_what_a_page_leaves_out_is_empty():
    """An input without an id is not taken for a repeated one."""
    talk, hello, tap = (
        msgspec.json.decode(text, type=PageMessage)
        for text in ('{"type":"talk","about":"mine"}', '{"type":"hello"}', '{"type":"tap","id":"1","tag":""}')
    )
    assert (talk.id, talk.seat, talk.given, talk.next, talk.told) == ("", "", (), None, 0)
    assert (hello.token, hello.letters, hello.given, hello.take, hello.held, hello.language) == (
        "", "", "", False, (), "",
    )  # fmt: skip
    assert (tap.where, tap.seat) == ("up", "")


@pytest.mark.parametrize(("more", "is_read"), [(0, True), (1, False)])
def test_a_message_may_be_as_long_as_a_request(more, is_read):
    connections = PageConnections(AccessTokens(), Devices(StateBroadcast(Translator)), Translator("en"))

    async def read():
        socket = Socket()
        text = '{"type":"beat"}'.ljust(TABLE_LIMITS.body_bytes + more)
        socket.said.put_nowait({"type": "websocket.receive", "text": text})
        return await _PageConnection(connections, socket).receive_message()

    assert (asyncio.run(read()) is not None) is is_read


def test_a_page_that_says_too_much_is_heard_later_and_its_signs_of_life_are_free(monkeypatch):
    connections = PageConnections(AccessTokens(), Devices(StateBroadcast(Translator)), Translator("en"))
    clock, rate = [0.0], TABLE_LIMITS.rate
    connections.buckets = RateLimiter(clock=lambda: clock[0])

    async def pass_time(seconds):
        clock[0] += seconds

    async def read():
        socket = Socket()
        connection, times = _PageConnection(connections, socket), []
        monkeypatch.setattr("companion.share.page_connections.asyncio.sleep", pass_time)
        for kind in (*["leave"] * TABLE_LIMITS.burst, *["beat"] * 99, *["leave"] * 3):
            socket.say(kind)
            await connection.receive_message()
            times.append(clock[0])
        return times

    *at_once, first, second, third = asyncio.run(read())
    assert set(at_once) == {0.0}
    assert 0 < first < second < third < 6 / rate
