"""The codes that are shown, read by a decoder that none of us wrote; and the program that shows
them."""

from __future__ import annotations

import re
import socket
from contextlib import closing, nullcontext

import cv2
import numpy as np
import pytest
from textual.app import App

from companion.evening.sharing import make_share_switch, print_invitation
from companion.games.donkey_valley.moves import Donkey
from companion.plan import Plan
from companion.readers.camera.sources import PhoneCamera, find_source
from companion.texts import Translator
from companion.views.dashboard.screens.share import ShareDialog
from companion.views.plain_view import PlainView
from companion.views.table_session import Invitation, Invite, ShareSwitch, TableSession, draw_qr_code
from tests.share.conftest import GAME, PLAYERS, shared
from tests.simulated.terminal import play
from tests.views.table import live_session

_MODULES = {"█": (255, 255), "▀": (255, 0), "▄": (0, 255), " ": (0, 0)}


def read(rows: list[str]) -> str:
    """Draw the half blocks as a dark terminal does, and let OpenCV read them."""
    halves = [[[_MODULES[sign][half] for sign in row] for row in rows] for half in (0, 1)]
    picture = np.stack([np.array(halves[0]), np.array(halves[1])], axis=1).reshape(-1, len(rows[0]))
    large = np.kron(picture, np.ones((8, 8))).astype(np.uint8)
    found, *_ = cv2.QRCodeDetector().detectAndDecode(cv2.copyMakeBorder(large, 60, 60, 60, 60, 0))
    return found


@pytest.mark.parametrize(
    "link",
    [
        "https://192.168.1.20:8640/camera#Kg49-lyjSR-VmD3R8aMI0g",
        "http://127.0.0.1:8640/#A5Jmv_4EG7Cn5xNmLs5Kig",
    ],
)
def test_the_code_in_half_blocks_is_the_link(link: str) -> None:
    assert read(draw_qr_code(link)) == link


def test_the_invitation_names_what_can_be_joined() -> None:
    _, share = shared("fr")
    shown = share.build_invitation()
    share.close()
    assert [invite.link.split("#")[0].rpartition("/")[2] for invite in shown.invites] == [
        "join",
        "",
        "stream",
        *("seat" for _ in PLAYERS),
    ]
    assert "ordinateur" in shown.remarks[0]


def test_the_dashboard_has_a_key_for_it(tmp_path) -> None:
    with play(tmp_path, "--demo", "--share", "--new", "--seed", "5") as terminal:
        terminal.until("Quit")
        terminal.type("j")
        terminal.until("Only browsers on this computer")
        terminal.type("j")
        terminal.type("q")
        assert terminal.end() == 0
        assert b"Traceback" not in terminal.written


async def test_the_laptop_shows_one_code_at_a_time_and_lets_a_screen_in() -> None:
    """By key: whose code it is; l lets in what waits, r sends away."""
    done: list[object] = []
    invites = tuple(
        Invite(
            name,
            f"http://127.0.0.1:1/#{name}",
            "KDQX",
            n,
            n,
            done.append,
            lambda name=name: done.append(name),
        )
        for n, name in enumerate(("Watch", "Ann"))
    )
    now = Invitation(invites, ("Only here.",), address="http://127.0.0.1:1", waiting_codes=("BCDF",))
    async with Showing(ShareDialog(lambda: now, Translator("en"), lambda: None)).run_test(
        size=(100, 40)
    ) as pilot:
        shown = "\n".join(str(one.content) for one in pilot.app.screen.query("Static"))
        assert "http://127.0.0.1:1/#Watch" in shown
        assert "/#Ann" not in shown
        assert "BCDF" in shown
        await pilot.press("2")
        shown = "\n".join(str(one.content) for one in pilot.app.screen.query("Static"))
        assert "/#Ann" in shown
        assert "● 1 connected" in shown
        await pilot.press("l", "r")
        await pilot.click("#joining", offset=(6, 2))
        shown = "\n".join(str(one.content) for one in pilot.app.screen.query("Static"))
        assert "/#Watch" in shown
    assert done == ["BCDF", "Ann"]


def test_line_by_line_one_code_at_a_time_lets_in_and_sends_away() -> None:
    done: list[object] = []
    invites = (
        Invite("Watch", "http://127.0.0.1:1/#Watch", "KDQX"),
        Invite("Ann", "http://127.0.0.1:1/#Ann", "MPRT", 0, 1, done.append, lambda: done.append("away")),
        Invite("Bob", "http://127.0.0.1:1/#Bob", "MPRV", 1, 2),
    )
    now = Invitation(invites, ("Only here.",), lambda: None, "http://127.0.0.1:1", ("BCDF",))
    switch = ShareSwitch(lambda _network: nullcontext(lambda: now))
    lines: list[str] = []
    plain = PlainView(live_session(), Translator("en"), lines.append, sharing=switch)
    plain.enter_line("screens")
    assert "Who may join" in lines[-4]
    plain.enter_line("1")
    assert "screens" in lines[-1]
    del lines[:]
    plain.enter_line("screens")
    assert {"1: Watch", "2: Ann: ○ free", "3: Bob: ● 1 connected"} <= {*lines}
    plain.enter_line("2")
    assert read([line for line in lines if set(line) <= set("█▀▄ ")]) == "http://127.0.0.1:1/#Ann"
    assert "M P R T" in "\n".join(lines)
    plain.enter_line("bcdf")
    assert lines[-1] == "BCDF is connected."
    for line in ("screens", "2 r", "screens", "x"):
        plain.enter_line(line)
    assert done == ["BCDF", "away"]
    assert switch.invitation is None
    PlainView(live_session(), Translator("en"), lines.append).enter_line("screens")
    assert lines[-1] == Translator("en")("share.not_here")


class Showing(App[None]):
    """One sheet."""

    def __init__(self, sheet: ShareDialog) -> None:
        super().__init__()
        self._sheet = sheet

    def on_mount(self) -> None:
        self.push_screen(self._sheet)


@pytest.mark.parametrize(
    "address", ["rtsp://me:secret@192.0.2.9/live", "http://me:secret@192.0.2.9:8080/video", "https://[bad"]
)
def test_a_cameras_password_stands_nowhere(address: str) -> None:
    source = find_source(address)
    assert "secret" not in source.name + repr(source)


def test_a_phone_is_a_camera_like_any_other() -> None:
    assert isinstance(find_source("phone"), PhoneCamera)


def test_sharing_begins_and_ends_at_the_table(tmp_path) -> None:
    with play(tmp_path, "--demo", "--new", "--seed", "5") as terminal:
        terminal.until("Quit")
        terminal.type("j")
        terminal.until("Who may join")
        terminal.type("\r")
        terminal.until("Only browsers on this computer")
        terminal.type("x")
        terminal.until("Nobody can join any more")
        terminal.type("q")
        assert terminal.end() == 0
        assert b"Traceback" not in terminal.written


def test_what_ended_lets_nobody_in_and_begins_anew_with_other_links() -> None:
    live, unused = shared()
    unused.close()
    with closing(make_share_switch(Translator("en", GAME), session=TableSession(Plan(), live))) as sharing:
        before = sharing.start_sharing(network=False).invites[0].link
        port = int(re.search(r":(\d+)/", before)[1])
        socket.create_connection(("127.0.0.1", port)).close()
        sharing.close()
        assert sharing.invitation is None
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", port))
        live.submit_request(Donkey("giant"))
        assert (
            sharing.start_sharing(network=False).invites[0].link.partition("#")[2] != before.partition("#")[2]
        )


def test_a_fingerprint_that_is_compared_pair_for_pair_is_not_cut(monkeypatch, capsys) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    pairs = ":".join(["A1"] * 32)
    remark = Translator("en")("share.fingerprint", fingerprint=pairs)
    print_invitation(Invitation((Invite("watch", "http://127.0.0.1/#x"),), (remark,)))
    said = capsys.readouterr().out.splitlines()
    assert any(pairs in line for line in said)
    assert max(map(len, said)) <= 120
