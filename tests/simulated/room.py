"""The room of a long evening: a laptop that runs the real program, phones and a television that are
pages of a real browser, the network between them, and the film before the phone's camera. What
happens to them is told from outside: signals, bytes that are held, a process of the browser that
dies.

Everybody here can only do what people can: look at what stands on a screen, press keys, tap.
"""

from __future__ import annotations

import codecs
import os
import re
import select
import signal
import socket
import sys
import threading
import time
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import cv2
import numpy as np
from numpy.typing import NDArray
from playwright.sync_api import BrowserContext, CDPSession, Page, Playwright
from playwright.sync_api import Error as BrowserError

from companion.demo.world import NoiseSensor
from companion.texts import Translator
from tests.simulated.phones import chromium
from tests.simulated.terminal import Terminal, started

Picture = NDArray[np.uint8]
COLUMNS, ROWS = 120, 40
TIMEOUT = 90.0
"""Seconds that anything here may take on a busy machine before it is given up."""


class Never(AssertionError):
    """What was waited for did not come."""


def until(true: Callable[[], object], what: str | Callable[[], str], seconds: float = TIMEOUT) -> None:
    """Wait until something is so; raises `Never` with `what` it was, or what there was instead."""
    deadline = time.monotonic() + seconds
    while not true():
        if time.monotonic() > deadline:
            raise Never(what if isinstance(what, str) else what())
        time.sleep(0.05)


# the film


class LiveFilm:
    """A film (YUV4MPEG2, `*.y4m`) for Chromium's false camera that can be changed while it plays,
    of `rate` frames a second.

    Chromium reads the file frame by frame, round and round, so what is written into it is seen at
    once.
    """

    FRAMES = 10

    def __init__(self, path: Path, scene: Picture, rate: int = 30) -> None:
        self.path = path
        height, width = scene.shape[:2]
        self._head = b"YUV4MPEG2 W%d H%d F%d:1 Ip A1:1 C420\n" % (width, height, rate)
        self._sensor = NoiseSensor(width, height, np.random.default_rng(1))
        path.touch()
        self.show(scene)

    def show(self, scene: Picture) -> None:
        """Let the camera see `scene` (1280x720, BGR) from now on, each frame with its own grain."""
        self.put([self._sensor.add_noise(scene) for _ in range(self.FRAMES)])

    def put(self, pictures: Sequence[Picture]) -> None:
        """Let the camera see these `FRAMES` pictures, again and again, from now on."""
        planes = [cv2.cvtColor(one, cv2.COLOR_BGR2YUV_I420).tobytes() for one in pictures]
        with self.path.open("r+b") as film:  # in its place: Chromium has it open
            film.write(b"FRAME\n".join([self._head, *planes]))

    def flags(self) -> list[str]:
        """What Chromium is started with to have it as its camera, with a person who allows it."""
        fake = ["--use-fake-ui-for-media-stream", "--use-fake-device-for-media-stream"]
        return [*fake, f"--use-file-for-fake-video-capture={self.path}"]

    def stand_still(self) -> None:
        """Let the phone's camera give no new frame, without a word, as when another program has
        it."""
        os.kill(self._camera(), signal.SIGSTOP)

    def go_on(self) -> None:
        """Let frames come again."""
        os.kill(self._camera(), signal.SIGCONT)

    def end(self) -> None:
        """Let the track end, as with a call: the browser's process that takes the pictures dies."""
        os.kill(self._camera(), signal.SIGKILL)

    def _camera(self) -> int:
        """Return the process of this film's browser that reads the camera (Linux)."""
        for process in Path("/proc").glob("[0-9]*/cmdline"):
            with suppress(OSError):
                words = process.read_bytes()
                if b"video_capture" in words and str(self.path).encode() in words:
                    return int(process.parent.name)
        raise Never("the browser's camera")


# the network


class Wire:
    """The way from a browser to the program, held or let go: bytes that nobody answers, not a line
    that is closed. `port`: where the browser connects to; `target`: where the program listens."""

    def __init__(self) -> None:
        self.target = 0
        self._goes = threading.Event()
        self._goes.set()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        threading.Thread(target=self._serve, daemon=True).start()

    def hold(self) -> None:
        """Let nothing through: the Wi-Fi is gone."""
        self._goes.clear()

    def let_go(self) -> None:
        """Let all through that waited, and what comes."""
        self._goes.set()

    def close(self) -> None:
        """Take no further line."""
        self._goes.set()
        # Closing alone does not wake the thread that waits for the next line.
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                threading.Thread(target=self._join, args=(near,), daemon=True).start()

    def _join(self, near: socket.socket) -> None:
        self._goes.wait()
        try:
            far = socket.create_connection(("127.0.0.1", self.target), 5)
        except OSError:
            near.close()
            return
        far.settimeout(None)
        with near, far:
            back = threading.Thread(target=self._pass, args=(far, near), daemon=True)
            back.start()
            self._pass(near, far)
            back.join()

    def _pass(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while part := source.recv(65536):
                self._goes.wait()
                target.sendall(part)
        for one in (source, target):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)


# the laptop


class Paper:
    """What stands on a terminal's screen, of what a program wrote: text, places, line ends, and the
    screen wiped. Colours are not looked at. That is all that the program's screens use."""

    _PART = re.compile(
        r"\x1b\[([0-?]*)([ -/]*[@-~])|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[^\[\]]|[\r\n\b]|[^\x1b\r\n\b]+"
    )

    def __init__(self, columns: int, rows: int) -> None:
        self._decode = codecs.getincrementaldecoder("utf-8")("replace")
        self._left = ""
        self.resize(columns, rows)

    def resize(self, columns: int, rows: int) -> None:
        """Begin with an empty screen of another size."""
        self._size = columns, rows
        self._lines = [[" "] * columns for _ in range(rows)]
        self._x = self._y = 0

    @property
    def lines(self) -> list[str]:
        """The rows as they stand there."""
        return ["".join(row).rstrip() for row in self._lines]

    def write(self, data: bytes) -> None:
        """Take what was written."""
        text, at = self._left + self._decode.decode(data), 0
        while found := self._PART.match(text, at):
            at = found.end()
            self._take(found)
        self._left = text[at:]

    def _take(self, found: re.Match[str]) -> None:
        part, does = found[0], found[2]
        if does == "H":
            row, _, column = found[1].partition(";")
            self._y, self._x = int(row or 1) - 1, int(column or 1) - 1
        elif does == "J":
            self.resize(*self._size)
        elif part == "\r":
            self._x = 0
        elif part == "\n":
            self._down()
        elif not part.startswith("\x1b") and part != "\b":
            self._print(part)

    def _print(self, text: str) -> None:
        columns, rows = self._size
        for sign in text:
            if unicodedata.combining(sign):
                continue
            if self._x >= columns:
                self._x = 0
                self._down()
            if self._y < rows:
                self._lines[self._y][self._x] = sign
            self._x += 2 if unicodedata.east_asian_width(sign) in "WF" else 1

    def _down(self) -> None:
        if self._y + 1 < self._size[1]:
            self._y += 1
        else:
            self._lines = [*self._lines[1:], [" "] * self._size[0]]


class Glance(NamedTuple):
    """What the laptop's screen said from `at` (seconds since 1970) on: the camera's lamp ("" where
    none is shown), and whether real cards were to be moved."""

    at: float
    lamp: str
    asks: bool


_LAMP = re.compile(r"([●◌✖◐○]) camera")
SEES = ("●", "◐")
"""The camera's lamp while its pictures come: well, or with something to look at, as on a machine
that is too slow for all of them."""
_ASKS = Translator("en")("moves.title")
_LINK = re.compile(r"https?://127\.0\.0\.1:\d+/\w*#[\w-]+")
_SHEET = "Who is connected, and how to join"
_OFFERED = re.compile(r"(?m)^\W* (\w) {3}(\S+(?: \S+)*)")
"""A code's key, and whom or what it is for."""


class Laptop:
    """The real program in a terminal of its own, with its data in `folder`; watched by a thread of
    ours as somebody does who never looks away: `glances` has every change of what it says."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.glances: list[Glance] = []
        self.faults: list[str] = []
        self._paper = Paper(COLUMNS, ROWS)
        self._terminal: Terminal | None = None

    def start(self, *words: str) -> None:
        """Run the program with these words: by a new user, but for pictures of cards drawn
        before."""
        home = str(self.folder)
        self._paper = Paper(COLUMNS, ROWS)
        self._terminal = started(
            [sys.executable, "-m", "companion", *words],
            columns=COLUMNS,
            rows=ROWS,
            XDG_DATA_HOME=home,
            XDG_CONFIG_HOME=home,
        )
        self._watching = threading.Thread(
            target=self._watch, args=(self._terminal.handle, self._paper), daemon=True
        )
        self._watching.start()

    @property
    def text(self) -> str:
        """All that stands on the screen, in one line: where a sentence is broken is nobody's
        concern."""
        return " ".join(" ".join(self._paper.lines).split())

    @property
    def screen(self) -> str:
        """The screen as it stands there."""
        return "\n".join(self._paper.lines)

    def shows(self, words: str, seconds: float = TIMEOUT) -> None:
        """Wait until these words stand on the screen."""
        until(lambda: words in self.text, lambda: f"{words!r} on the screen:\n{self.screen}", seconds)

    def type(self, keys: str, pause: float = 0.1) -> None:
        """Press keys, one after the other."""
        for key in keys:
            self._running.type(key)
            time.sleep(pause)

    @property
    def is_seeing(self) -> bool:
        """Whether the screen says that the camera's pictures come."""
        return bool(self.glances) and self.glances[-1].lamp in SEES

    @property
    def entering(self) -> bool:
        """Whether a panel or a list has the keys: the last row then says how it is left."""
        return "esc Back" in self._paper.lines[-1]

    def leave(self) -> None:
        """Press Escape until the table has the keys."""
        for _ in range(6):
            if not self.entering:
                return
            self.type("\x1b")
            with suppress(Never):
                until(lambda: not self.entering, "the table", 1.5)
        raise Never(f"Escape leads back to the table:\n{self.screen}")

    def links(self) -> dict[str, str]:
        """Read the links on the sheet that `j` opens, where each code is chosen by its key: by the
        player's name, and by `tv`, `camera`, `join` and `stream`."""
        self.leave()
        self.type("j")
        self.shows(_SHEET, 30)
        until(self._link, lambda: f"a code:\n{self.screen}", 30)
        time.sleep(0.5)
        found: dict[str, str] = {}
        for key, words in _OFFERED.findall(self.screen):
            self.type(key)
            link = self._other_link(words, found.values())
            path = urlsplit(link).path.strip("/")
            rest = "join" if "choose your seat" in words else "tv"
            name = words.split(" ", 1)[-1] if path == "seat" else path or rest  # a seat's mark, and its name
            found[name] = link
        self.type("\x1b")
        until(lambda: not self._link(), "the table again")
        return found

    def _other_link(self, words: str, known: Collection[str]) -> str:
        """Wait for a link that has not been read yet, and until it stands there whole."""
        until(lambda: self._link() not in ("", *known), lambda: f"the code of {words}:\n{self.screen}", 30)
        time.sleep(0.3)
        return self._link()

    def camera_link(self) -> str:
        """Wait for the code that asks for a phone, and read the link below it; "" if a phone has
        come back by itself before the code was seen."""
        until(
            lambda: self.is_seeing or "/camera#" in self._link(), lambda: f"the camera's link:\n{self.screen}"
        )
        return "" if self.is_seeing else self._link()

    def ended(self) -> None:
        """Wait until the program has ended by itself."""
        until(lambda: not self._running.running(), lambda: f"the end:\n{self.screen}", 2 * TIMEOUT)
        self.kill()

    def sleep(self) -> None:
        """Close the lid: the program stands."""
        os.kill(self._running.process, signal.SIGSTOP)

    def wake(self) -> None:
        """Open the lid."""
        os.kill(self._running.process, signal.SIGCONT)

    def kill(self) -> None:
        """Let the program die at once, as with an empty battery."""
        if self._terminal is not None:
            self._terminal.kill()
            self._watching.join(5)
            self._terminal.close()
            self._terminal = None
            self.glances.append(Glance(time.time(), "", False))

    @property
    def _running(self) -> Terminal:
        assert self._terminal is not None, "the program does not run"
        return self._terminal

    def _link(self) -> str:
        """The link that stands on the screen; "" where none does."""
        link = _LINK.search(self.screen)
        return "" if link is None else link[0]

    def _watch(self, handle: int, paper: Paper) -> None:
        with suppress(OSError):
            while data := os.read(handle, 65536):
                paper.write(data)
                if b"Traceback" in data:
                    self.faults.append(self.text[-400:])
                if not select.select([handle], [], [], 0.05)[0]:
                    self._glance(paper.lines)

    def _glance(self, lines: list[str]) -> None:
        lamp = _LAMP.search(lines[0])
        now = Glance(time.time(), "" if lamp is None else lamp[1], any(_ASKS in line for line in lines))
        if not self.glances or self.glances[-1][1:] != now[1:]:
            self.glances.append(now)


# the pages

_WATCHING = """
window.said = [];
window.sight = () => {
  const text = (id) => document.getElementById(id)?.textContent ?? "";
  const trouble = document.getElementById("trouble");
  const points = [...document.querySelectorAll("#seats .points")].map((one) => one.textContent);
  return [text("awaited"), points.join(" "), trouble && !trouble.hidden ? trouble.textContent : ""];
};
window.addEventListener("DOMContentLoaded", () => setInterval(() => {
  const now = window.sight();
  const last = window.said.at(-1);
  if (!last || now.some((one, place) => one !== last[place + 1])) window.said.push([Date.now() / 1000, ...now]);
}, 200));
"""


class Sight(NamedTuple):
    """What a page said from `at` (seconds since 1970) on: who must act, everybody's points, and
    what trouble it told of."""

    at: float
    awaited: str
    points: str
    trouble: str


class Device:
    """A phone, a tablet's tab, a television: one page. `away`: locked or frozen, nobody looks at
    it."""

    def __init__(self, name: str, context: BrowserContext) -> None:
        self.name = name
        self.context = context
        self.page: Page = context.new_page()
        self.page.add_init_script(_WATCHING)
        self.page.set_default_timeout(1000 * TIMEOUT)
        self.away = False
        self._told: list[Sight] = []
        self._line: CDPSession | None = None

    def open(self, link: str) -> None:
        """Scan a code."""
        self._gather()
        # By way of an empty page: a link that differs in its `#` alone would load nothing.
        self.page.goto("about:blank")
        self._told.append(Sight(time.time(), "", "", "nothing is open"))
        with suppress(BrowserError):
            self.page.goto(link)

    def film(self) -> None:
        """Let the camera's page film: its owner starts it where it does not go on by itself, as it
        does where it filmed before."""
        filming = self.page.locator("#stop")
        self.page.locator("#start, #stop").first.wait_for()
        until(lambda: filming.is_visible() or self._started(), "the camera films")

    def _started(self) -> bool:
        with suppress(BrowserError):  # the button went: the page has begun by itself
            self.page.locator("#start").click(timeout=1000)
        return self.page.locator("#stop").is_visible()

    @property
    def told(self) -> list[Sight]:
        """All that the page has said since it was made."""
        self._gather()
        return self._told

    def sight(self) -> Sight:
        """What the page says now."""
        return Sight(time.time(), *self.page.evaluate("sight()"))

    def lock(self) -> None:
        """Lock the phone: its browser freezes the page."""
        self._gather()
        self._told.append(Sight(time.time(), "", "", "locked"))
        self.away = True
        self._line = self._line or self.context.new_cdp_session(self.page)
        self._line.send("Page.setWebLifecycleState", {"state": "frozen"})

    def unlock(self) -> None:
        """Take the phone in hand again."""
        assert self._line is not None
        self._line.send("Page.setWebLifecycleState", {"state": "active"})
        self.away = False
        self.page.evaluate("said.length = 0")

    def close(self) -> None:
        """Close the page."""
        self._gather()
        self._told.append(Sight(time.time(), "", "", "closed"))
        self.page.close()
        self.away = True

    def _gather(self) -> None:
        if not self.away and not self.page.is_closed():
            with suppress(BrowserError):
                rows: list[list[Any]] = self.page.evaluate("window.said ? said.splice(0) : []")
                # The page compares with the last that it has: that one stays there, and here.
                self._told += [Sight(*row) for row in rows]


class Room:
    """The browser with its devices, and the two wires: `wifi` for what is reached as `localhost`
    (phones with a seat), `cable` for what is reached by its number (camera and television)."""

    def __init__(self, driver: Playwright, film: LiveFilm) -> None:
        self.film = film
        self.wifi, self.cable = Wire(), Wire()
        rules = f"MAP localhost 127.0.0.1:{self.wifi.port}, MAP 127.0.0.1 127.0.0.1:{self.cable.port}"
        self.browser = chromium(driver, *film.flags(), f"--host-resolver-rules={rules}")

    def reach(self, link: str, *, by_wifi: bool = False) -> str:
        """Let the wires end at the program that this link leads to; return the link as a device
        opens it."""
        port = urlsplit(link).port
        assert port is not None
        self.wifi.target = self.cable.target = port
        return link.replace("127.0.0.1", "localhost") if by_wifi else link

    def context(self, width: int = 390, height: int = 844) -> BrowserContext:
        """Bring another device: a browser of its own."""
        return self.browser.new_context(viewport={"width": width, "height": height}, reduced_motion="reduce")

    def close(self) -> None:
        """Leave."""
        self.browser.close()
        for wire in (self.wifi, self.cable):
            wire.close()


def spans(changes: Iterable[tuple[float, bool]], end: float) -> Iterator[tuple[float, float]]:
    """Give the spans of time in which something was so, from the moments at which it changed."""
    began: float | None = None
    for at, so in changes:
        if so and began is None:
            began = at
        elif not so and began is not None:
            yield began, at
            began = None
    if began is not None:
        yield began, end


def without(
    some: Iterable[tuple[float, float]], others: Iterable[tuple[float, float]]
) -> list[tuple[float, float]]:
    """Return what is left of some spans of time where others are taken out."""
    left = list(some)
    for begin, end in others:
        left = [
            part
            for one, other in left
            for part in ((one, min(other, begin)), (max(one, end), other))
            if part[0] < part[1]
        ]
    return left


@contextmanager
def room(driver: Playwright, film: LiveFilm) -> Iterator[Room]:
    """Open a room; close it at the end."""
    opened = Room(driver, film)
    try:
        yield opened
    finally:
        opened.close()
