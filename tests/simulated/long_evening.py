"""Three games, ten minutes of the real program with a running clock, in a room with a phone's
camera, three seats and a television (`room`), while everything happens that happens to families:
lids are closed, the Wi-Fi goes, phones are locked, the program dies, fingers slip.

What is to be played is known before it begins, and told to a referee who sits apart: at the end
both must say the same. What the screens said meanwhile is held against what the journal had; a row
tells what was said wrongly, and for how long.

`LONG` is played by `python -m bench long`, `SHORT` by the tests.
"""

from __future__ import annotations

import json
import math
import random
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
from playwright.sync_api import Error as BrowserError
from playwright.sync_api import Locator, sync_playwright

from companion.demo.actions import make_players
from companion.games.donkey_valley.moves import Decide, Donkey, Favour, NoFavour, Peek
from companion.journal.narration import Narration
from companion.journal.saved_session import SavedSession
from companion.journal.store import Store
from companion.live.live_session import LiveSession
from companion.referee import Referee
from companion.rules import registry
from companion.rules.contract import Pick, Request, Setup
from companion.rules.session import Session
from companion.table.decks import Deck
from companion.table.table import Table
from companion.texts import Translator
from companion.views.conversations import GivenAnswer, prompt_for_entry, prompt_for_own_entry
from companion.views.entry_options import find_enterable, list_awaited_players
from companion.views.panel import load_face_builder
from companion.views.table_session import NO_BACKSTAGE
from tests.simulated.by_hand import answers, keys
from tests.simulated.room import (
    SEES,
    Device,
    Laptop,
    LiveFilm,
    Never,
    Room,
    Sight,
    room,
    spans,
    until,
    without,
)

PLAYERS = ("Ann", "Bob", "Cleo")


class Happening(NamedTuple):
    """What happens, `at` so many seconds after the table was opened (of a slip: to the first act
    from then on that it can happen to), for how many `seconds`."""

    at: float
    who: str
    what: str
    seconds: float = 0.0


class Game(NamedTuple):
    """One game of the evening: how long it lasts, how many acts are played at most, what happens,
    and the seed of cards and players."""

    game: str
    seconds: float
    acts: int
    happens: tuple[Happening, ...]
    seed: int = 7


LONG = (
    Game(
        "dtc",
        130,
        45,
        (
            Happening(10, "laptop", "goes to sleep", 25),
            Happening(55, "Bob", "locks the phone", 12),
            Happening(60, "a player", "presses Enter once too often"),
            Happening(80, "camera", "film stands still", 15),
            Happening(115, "Wi-Fi", "is gone", 12),
        ),
    ),
    Game(
        "ochs_und_esel",
        150,
        45,
        (
            Happening(20, "camera", "track ends", 12),
            Happening(50, "cable", "is pulled", 20),
            Happening(75, "program", "is killed"),
            Happening(110, "laptop", "goes to sleep", 25),
        ),
    ),
    Game(
        "donkey_valley",
        320,
        105,
        (
            Happening(5, "a player", "types the wrong donkey"),
            Happening(15, "tablet", "is handed round by Ann and Bob"),
            Happening(20, "a player", "accepts, undoes, accepts"),
            Happening(35, "a player", "undoes and redoes"),
            Happening(45, "a player", "types another seat's number"),
            Happening(60, "Cleo", "is renamed Chloé"),
            Happening(70, "camera", "track ends", 10),
            Happening(90, "laptop", "goes to sleep", 25),
            Happening(120, "a player", "taps twice"),
            Happening(130, "phones", "are taken again by Ann and Bob"),
            Happening(140, "Wi-Fi", "is gone", 25),
            Happening(175, "a player", "types the wrong donkey"),
            Happening(180, "Cleo", "is offline", 12),
            Happening(200, "program", "is killed"),
            Happening(220, "a player", "accepts, undoes, accepts"),
            Happening(225, "a player", "undoes and redoes"),
            Happening(230, "a player", "types another seat's number"),
            Happening(240, "a player", "taps twice"),
            Happening(250, "camera", "film stands still", 15),
            Happening(280, "Ann", "locks the phone", 12),
        ),
    ),
)
"""Ten minutes, to be read as one evening."""

AFTERWARDS = math.inf
"""When the last act has been entered."""
SHORT = (
    Game("dtc", 0, 4, (Happening(0, "a player", "presses Enter once too often"),), 2),
    Game("ochs_und_esel", 0, 3, (), 1),
    Game(
        "donkey_valley",
        0,
        10,
        (
            Happening(0, "tablet", "is handed round by Ann and Bob"),
            Happening(0, "a player", "types the wrong donkey"),
            Happening(0, "a player", "taps twice"),
            Happening(0, "a player", "types another seat's number"),
            Happening(0, "a player", "accepts, undoes, accepts"),
            Happening(0, "a player", "undoes and redoes"),
            Happening(AFTERWARDS, "camera", "track ends"),
            Happening(AFTERWARDS, "program", "is killed"),
        ),
        1,
    ),
)
"""The evening of the tests: what can be found out without waiting."""

SOON = 6.0
"""Seconds within which a screen has to say that a camera is blind or a line is lost, or that it is
well again, however busy the machine is."""
LATE = 2.5
"""Seconds that a page may be behind the journal."""
SILENT = 20.0
"""Seconds after which a page that is cut off has to say so: its heartbeat, and five more."""
SLOW = 10.0
"""Seconds after which somebody thinks that a tap or a key came to nothing."""
TRIES = 3
"""So often somebody taps before they go to the laptop."""


class Row(NamedTuple):
    """One row of the report. `well`: whether the figure keeps its limit."""

    name: str
    figure: str
    conditions: str
    limit: str
    well: bool


class Course:
    """How one game should go: the acts that are meant, found before it begins; how far it has come;
    and what may be entered next, known by a live table of our own that nothing happens to."""

    def __init__(self, setup: Setup, most: int) -> None:
        self.setup = setup
        self.game = registry.load_game(setup.game)
        self.translator = Translator("en", self.game)
        self.live = LiveSession(self.game, setup, table=Table(Deck.load_by_name(setup.game)))
        self.meant = list(self._meant(most))

    def _meant(self, most: int) -> Iterator[Request]:
        session, players = Session(self.game, self.setup), make_players(self.setup)
        for _ in range(most):
            deed = players.next_action(session.list_acts(), session.view())
            if deed is None:
                return
            for request in _one_by_one(deed.request):
                session.act(request)
                yield request

    @property
    def done(self) -> list[Request]:
        """The acts so far, with those that a table makes by itself."""
        return [act.request for act in self.live.list_acts()]

    @property
    def next(self) -> Request | None:
        """The act that is to come."""
        done = len(self.done)
        return self.meant[done] if done < len(self.meant) else None

    def go_on(self) -> None:
        """Take it that the act to come has been entered."""
        request = self.next
        assert request is not None
        refusal = self.live.submit_request(request)
        assert refusal is None, refusal

    def go_back(self) -> None:
        """Take it that the last act has to be entered again."""
        self.live.undo()

    def answers(self, request: Request, translator: Translator) -> list[GivenAnswer]:
        """Return what the player's own page is answered to enter `request`."""
        return answers(
            lambda: prompt_for_own_entry(self.live, getattr(request, "player", ""), translator),
            request,
            translator,
        )

    def keys(self, request: Request) -> str:
        """Return what is typed for it: the seat's number, then as the panel says; of cards always
        with Enter."""
        player = getattr(request, "player", None)
        given = answers(
            lambda: prompt_for_entry(self.live, NO_BACKSTAGE, player, self.translator),
            request,
            self.translator,
        )
        seat = "0" if player is None else str(self.setup.players.index(player) + 1)
        enter = "\r" if given[-1].cards is not None else ""
        return seat + "".join(keys(given)).removesuffix("\r") + enter

    def refereed(self) -> str:
        """Tell a referee the acts that were played, and return its view."""
        answers = told(self.setup, self.done)
        assert all(answer["ok"] for answer in answers), answers
        return json.dumps(answers[-1]["view"], sort_keys=True)


class Evening:
    """The evening as it goes. `counts` has how often something went wrong, `faults` says each. What
    lasted is kept as spans of time, in seconds since 1970: `asleep`, when the laptop's screen could
    not change; `blind`, when the camera saw nothing; `cut`, by device, when its line was; and
    `checking`, when it was right to ask for the real cards. `truths`: what was so from when on."""

    def __init__(
        self, around: Room, laptop: Laptop, chance: random.Random, tell: Callable[[str], object]
    ) -> None:
        self.room, self.laptop = around, laptop
        self.counts: Counter[str] = Counter()
        self.faults: list[str] = []
        self.asleep: list[tuple[float, float]] = []
        self.blind: list[tuple[float, float]] = []
        self.cut: dict[str, list[tuple[float, float]]] = {}
        self.checking: list[tuple[float, float]] = []
        self.truths: list[Sight] = []
        self.devices: list[Device] = []
        self.began = time.time()
        self.ended = self.began
        self._chance = chance
        self._tell = tell
        self._sessions = 0
        self._slips: list[Happening] = []
        self._asked_since: float | None = None
        self._focus = 0
        self.camera = self._bring("camera")
        self.tv = self._bring("tv", 1920, 1080)
        self.seats = {player: self._bring(player) for player in PLAYERS}

    @cached_property
    def journal(self) -> Path:
        """Where the evening is kept."""
        return self.laptop.folder / "evening.sqlite3"

    # a game from its beginning to its end

    def play(self, game: Game) -> None:
        """Play one game while all that happens, happens."""
        self._tell(f"{game.game}: the table is opened")
        self._sessions += 1
        self._open("--game", game.game, "--players", ",".join(PLAYERS), "--new", "--seed", str(game.seed))
        self.course = Course(self._kept().setup, game.acts)
        began = time.time()
        coming, self._slips = list(game.happens), []
        while coming or self.course.next or time.time() < began + game.seconds:
            now = time.time() - began
            if coming and (now >= coming[0].at or self.course.next is None):
                self._happen(coming.pop(0))
                continue
            request = self.course.next
            if request is None:
                self._wait(0.5)
                continue
            self._enter(request)
            left = len(self.course.meant) - len(self.course.done)
            rest = game.seconds - (time.time() - began) - sum(one.seconds for one in coming)
            self._wait(min(max(rest / max(left, 1) - 2.0, 0.0), 3.0) * self._chance.uniform(0.5, 1.5))
        self._compare(game)
        self._close()

    def break_off(self, game: Game, fault: Exception) -> None:
        """Give a game up: the next one is another evening's."""
        self._tell(f"  broken off: {fault}")
        self.counts["games broken off"] += 1
        self.faults.append(f"{game.game} is broken off: {str(fault).splitlines()[0]}")
        begun = time.time()
        self._end(begun)
        self._cut(begun, *self.cut)

    def _open(self, *words: str) -> None:
        """Run the program, and let everybody scan its codes."""
        share = ("--camera", "phone", "--share", "here", "--clock", "60", "--lang", "en")
        begun = time.time()
        self.laptop.start("play", *share, "--journal", str(self.journal), *words)
        if link := self.laptop.camera_link():
            self.camera.open(self.room.reach(link))
        self.camera.film()
        self.laptop.shows("Quit")
        self.links = self.laptop.links()
        self.tv.open(self.room.reach(self.links["tv"]))
        for player in PLAYERS:
            self._scan(player)
        self._span(begun, self.blind, self.asleep)

    def _close(self) -> None:
        begun = time.time()
        self.laptop.leave()
        self.laptop.type("q", 0.5)
        self._end(begun)

    def _end(self, begun: float) -> None:
        self.laptop.kill()
        self._truths_of(self._kept())
        self._span(begun, self.blind, self.asleep)

    def _scan(self, player: str) -> None:
        called = self._kept().replay_narration().people.display_names.get(player, player)
        if called not in self.links:
            self.counts["names put right that the sheet of links does not know"] += 1
            called = player
        self.seats[player].open(self.room.reach(self.links[called], by_wifi=True))

    def _bring(self, name: str, width: int = 390, height: int = 844) -> Device:
        device = Device(name, self.room.context(width, height))
        self.devices.append(device)
        self.cut.setdefault(name, [])
        return device

    def _compare(self, game: Game) -> None:
        """Hold everything against the referee, and every page against the journal."""
        kept = self._kept()
        view = json.loads(msgspec.json.encode(kept.restore_session().view()))
        same = json.dumps(view, sort_keys=True) == self.course.refereed()
        self.counts["games whose score is another"] += not same
        truth = self._truth(kept.replay_narration())
        self._tell(f"  {len(self.course.done)} acts; {truth.awaited} {truth.points}")
        for device in (self.tv, *self.seats.values()):
            self.counts["pages at the end"] += 1
            try:
                until(lambda device=device: device.sight()[1:3] == truth[1:3], "the same", SILENT)  # type: ignore[misc]
            except (Never, BrowserError):
                self.counts["pages that say something else at the end"] += 1
                self.faults.append(f"{game.game}: {device.name}'s page ends with another table")

    # one act

    def _enter(self, request: Request) -> None:
        """Let whoever it is enter the act that is meant: on their page, or at the laptop."""
        self._look_at_the_banner()
        device = self.seats.get(getattr(request, "player", ""))
        for slip in [one for one in self._slips if self._can_slip(one.what, request)]:
            self._slips.remove(slip)
            self._tell(f"  {slip.what}")
            _SLIPS[slip.what](self, request)
            if self.course.next is not request:
                return
        if device is None or device.away or self._chance.random() < 0.3 or not self._on_page(device, request):
            self._by_keys(request)

    def _by_keys(self, request: Request) -> None:
        for _ in range(TRIES):
            if self._typed(self.course.keys(request)) and self._entered(request, "at the laptop"):
                return
        raise Never(f"{request} at the laptop:\n{self.laptop.screen}")

    def _typed(self, keys: str) -> bool:
        """Open the panel by a seat's number, and type the rest there; tell whether it opened."""
        self.laptop.leave()
        self.laptop.type(keys[0])
        with suppress(Never):
            until(lambda: self.laptop.entering, "the panel", SOON)
            self.laptop.type(keys[1:])
            return True
        return False

    def _on_page(self, device: Device, request: Request, taps: int = 1) -> bool:
        """Answer the player's own page; tell whether that entered it."""
        device.page.bring_to_front()  # of a tablet's tabs one is seen
        given = self.course.answers(request, self._say)
        try:
            for _ in range(TRIES):
                self._begin_anew(device)
                if not all(self._answered(device, one) for one in given):
                    continue
                for _ in range(taps - 1):  # the finger is where it was
                    device.page.mouse.down()
                    device.page.mouse.up()
                if self._entered(request, f"on {device.name}'s page"):
                    return True
        except (Never, BrowserError) as fault:
            self.faults.append(f"{device.name}'s page: {str(fault).splitlines()[0]}")
        self.counts["acts that their page could not enter"] += 1
        return False

    def _begin_anew(self, device: Device) -> None:
        """Take back what has been answered on a page and led nowhere."""
        back = device.page.locator("#choices > button.quiet")
        while back.count():
            back.click()
            self._wait(0.3)

    def _answered(self, device: Device, one: GivenAnswer) -> bool:
        """Give one answer on a page, found by its words; False where what was picked is picked no
        longer."""
        page, words = device.page, one.reply.words
        choices = page.locator("#choices .rows")
        if one.cards is not None:
            box = choices.locator(".pick:has(.cards)").filter(has=page.get_by_text(words, exact=True))
            until(box.count, f"{words!r} is offered", 2 * SLOW)
            if not self._picked(box, one):
                return False
            box.locator(".send").click(delay=60)
            return True
        called = page.get_by_role("button", name=words, exact=True)
        button = choices.locator("> button, :is(.grid, .likely) > button").and_(called)
        until(button.count, f"{words!r} is offered", 2 * SLOW)
        grid = choices.locator(".pick:has(.grid)").filter(has=called)
        entered_then = grid.count() > 0
        self._hold_focus(device, button)
        button.click(delay=60)
        if entered_then:  # of those that differ in numbers alone one is chosen, then entered
            grid.locator(".send").click(delay=60)
        return True

    def _hold_focus(self, device: Device, button: Locator) -> None:
        """Now and then somebody goes to a button by the keyboard, and looks up before pressing."""
        self._focus += 1
        if self._focus % 6 == 1:
            button.focus()
            time.sleep(1.2)
            held = device.page.evaluate("document.getElementById('choices').contains(document.activeElement)")
            self.counts["focus held"] += 1
            self.counts["focus wiped"] += not held

    def _picked(self, box: Locator, one: GivenAnswer) -> bool:
        """Pick the cards one after the other, in the time that people take; tell whether they are
        all picked still."""
        assert isinstance(one.reply.pick, Pick)
        cards = one.cards or ()
        names = [name for name, _ in one.reply.pick.cards]
        self.counts["picks"] += 1
        for number, card in enumerate(cards):
            box.locator(".cards > button").nth(names.index(card)).click(delay=60)
            time.sleep(self._chance.uniform(0.5, 0.9))
            if box.locator("[aria-pressed=true]").count() != len(set(cards[: number + 1])):
                self.counts["picks wiped"] += 1
                return False
        time.sleep(1.2)  # a look at the hand once more, before they are sent
        if box.locator("[aria-pressed=true]").count() != len(set(cards)):
            self.counts["picks wiped"] += 1
            return False
        return True

    def _entered(self, request: Request, where: str) -> bool:
        """Wait for the act; tell whether it was made. What was made beside it is put right, as
        people do who see it on the screen."""
        expected = [*self.course.done, request]
        with suppress(Never):
            until(lambda: self._acts() != self.course.done, "an act", SLOW)
        time.sleep(0.3)  # a second one that nobody meant comes with the first
        acts = self._acts()
        done = acts[: len(expected)] == expected
        if done:
            self.course.go_on()
        elif acts == self.course.done:
            self.counts["taps and keys without effect"] += 1
        self._put_right(where)
        return done

    def _put_right(self, where: str) -> None:
        """Undo what nobody meant, and count it."""
        acts = self._acts()
        if acts == self.course.done:
            return
        unmeant = acts[len(self.course.done) :] or acts[-1:]
        meant = self.course.next
        wrong = unmeant[0]
        whose = getattr(wrong, "player", None)
        theirs = {getattr(meant, "player", None), *(name for name in PLAYERS if f"{name}'s" in where)}
        kind = (
            "acts of the wrong player" if "page" in where and theirs != {whose} else "acts that nobody meant"
        )
        self.counts[kind] += len(unmeant)
        self.faults.append(f"{kind}: {where}, {wrong}")
        while (acts := self._acts()) != self.course.done[: len(acts)]:
            self._undo()
        while len(self.course.done) > len(acts):
            self.course.go_back()

    # slips

    def _can_slip(self, what: str, request: Request) -> bool:
        before = self.course.done[-1] if self.course.done else None
        match what:
            case "presses Enter once too often":
                if getattr(request, "player", None) is None:
                    return False
                pick = self.course.answers(request, self._say)[-1].reply.pick
                return isinstance(pick, Pick) and pick.least == pick.most
            case "types the wrong donkey":
                return isinstance(request, Donkey)
            case "accepts, undoes, accepts":
                return isinstance(request, Decide)
            case "undoes and redoes":
                return isinstance(request, Decide) and isinstance(before, Decide) and before.accept
            case "types another seat's number":
                waiting = list_awaited_players(self.course.live.snapshot())
                others = [name for name in PLAYERS if name not in waiting]
                return isinstance(request, NoFavour | Favour) and waiting[:1] == ["Bob"] and bool(others)
        return getattr(request, "player", None) is not None  # taps twice

    def _slip_enter(self, request: Request) -> None:
        # `keys` ends with the Enter that the panel asks for, and that hands the cards over by
        # itself.
        self._by_keys(request)

    def _slip_donkey(self, request: Request) -> None:
        way = next(
            way
            for way in find_enterable(self.course.live).ways
            if isinstance(way.choice.request, Donkey) and way.choice.request != request and way.key != "r"
        )
        self._mistyped("0" + way.key)

    def _slip_accept(self, request: Request) -> None:
        assert isinstance(request, Decide)
        self._mistyped(f"{PLAYERS.index(request.player) + 1}a")

    def _mistyped(self, keys: str) -> None:
        """Type what is wrong, see it, and take it back."""
        until(lambda: self._typed(keys), lambda: f"the panel:\n{self.laptop.screen}")
        until(
            lambda: len(self._acts()) == len(self.course.done) + 1, lambda: f"{keys}:\n{self.laptop.screen}"
        )
        self._wait(1)
        self._undo()

    def _undo(self) -> None:
        """Take back one act with the key for it."""
        before = self._acts()
        for _ in range(TRIES):
            self.laptop.leave()
            self.laptop.type("u")
            with suppress(Never):
                until(lambda: self._acts() != before, "undone", SLOW)
                return
        raise Never(f"{before[-1]} undone:\n{self.laptop.screen}")

    def _slip_redo(self, request: Request) -> None:
        assert isinstance(request, Decide)
        until(lambda: self._typed(f"{PLAYERS.index(request.player) + 1}u"), "the panel")
        time.sleep(1)
        # Where a row begins with r it only asks for another: U redoes for certain.
        self.laptop.type("r")
        time.sleep(1)
        self.laptop.type("U")
        self._settle("keys: u, then r and U with the panel open")

    def _slip_seat(self, _request: Request) -> None:
        waiting = list_awaited_players(self.course.live.snapshot())
        other = next(name for name in PLAYERS if name not in waiting)
        self.laptop.leave()
        self.laptop.type(str(PLAYERS.index(other) + 1))
        time.sleep(1)
        self.laptop.type("2")
        self._settle("keys: the numbers of two seats")

    def _settle(self, where: str) -> None:
        """Wait until keys have done what they do; then everything must be as it was."""
        with suppress(Never):
            until(lambda: self._acts() != self.course.done, "nothing", 1.5)
            until(lambda: self._acts() == self.course.done, "the redo", 1.5)
        self._put_right(where)
        self.laptop.leave()

    def _slip_twice(self, request: Request) -> None:
        device = self.seats[request.player]  # type: ignore[attr-defined]
        if not device.away:
            self._on_page(device, request, taps=2)

    # happenings

    def _happen(self, one: Happening) -> None:
        if one.who == "a player":
            self._slips.append(one)
            return
        self._tell(f"  {one.who} {one.what}" + (f" for {one.seconds:.0f} s" if one.seconds else ""))
        begun = time.time()
        _HAPPENINGS[one.what](self, one, begun)

    def _sleep(self, one: Happening, begun: float) -> None:
        self.laptop.sleep()
        self._wait(one.seconds)
        self.laptop.wake()
        self._span(begun, self.blind, self.asleep)
        self._cut(begun, *self.cut)

    def _lock(self, one: Happening, _begun: float) -> None:
        device = self.seats[one.who]
        device.lock()
        self._play_on(one.seconds)
        device.unlock()

    def _still(self, one: Happening, begun: float) -> None:
        self.room.film.stand_still()
        self._play_on(one.seconds)
        self.room.film.go_on()
        self._span(begun, self.blind)

    def _track(self, one: Happening, begun: float) -> None:
        self.room.film.end()
        if not one.seconds:
            until(lambda: not self.laptop.is_seeing, "the laptop says that the camera is blind")
        if self._moves_again():
            self._span(begun, self.blind)
            self._play_on(one.seconds)
        else:
            self._play_on(one.seconds)
            self._start_camera()
            self._span(begun, self.blind)
        if not one.seconds:
            until(lambda: self.laptop.is_seeing, "the laptop says that the camera sees again")

    def _moves_again(self) -> bool:
        """Wait whether the phone's page starts its camera by itself."""
        track = "document.getElementById('picture').srcObject?.getVideoTracks()[0]"
        with suppress(Never):
            until(lambda: self.camera.page.evaluate(f"{track}?.readyState === 'ended'"), "its end", SOON)
            until(lambda: self.camera.page.evaluate(f"{track}?.readyState === 'live'"), "a picture", SOON)
            return True
        return False

    def _start_camera(self) -> None:
        """Whoever sees no picture on the phone starts the camera anew."""
        with suppress(BrowserError):
            self.camera.page.locator("#stop").click(timeout=2000)
        self.camera.film()

    def _hold(self, one: Happening, begun: float) -> None:
        wifi = one.who == "Wi-Fi"
        wire = self.room.wifi if wifi else self.room.cable
        wire.hold()
        self._play_on(one.seconds, keys=wifi)
        wire.let_go()
        self._cut(begun, *(PLAYERS if wifi else ("tv", "camera")))
        if not wifi:
            self._span(begun, self.blind)

    def _offline(self, one: Happening, begun: float) -> None:
        context = self.seats[one.who].context
        context.set_offline(True)
        self._play_on(one.seconds, keys=True)
        context.set_offline(False)
        self._cut(begun, self.seats[one.who].name)

    def _kill(self, _one: Happening, begun: float) -> None:
        self.laptop.kill()
        self._wait(1)
        self._open("--resume", str(self._sessions))
        self._cut(begun, *self.cut)
        # What lies on the table may be anything after that: it is asked for, and rightly.
        self._answer_the_banner()
        self._wait(0.5)
        self._span(begun, self.checking)

    def _rename(self, one: Happening, _begun: float) -> None:
        called = one.what.rsplit(" ", 1)[-1]
        for _ in range(TRIES):
            self.laptop.leave()
            self.laptop.type("p", 0.6)
            self.laptop.type(f"{PLAYERS.index(one.who) + 1}r", 0.6)
            with suppress(Never):
                self.laptop.shows("Name, then Enter", SOON)
                break
        self.laptop.type(called + "\r")
        until(
            lambda: called in self._kept().replay_narration().people.display_names.values(),
            lambda: f"the new name\n{self.laptop.screen}",
        )
        self.laptop.leave()

    def _tablet(self, _one: Happening, _begun: float) -> None:
        """Two seats as two tabs of one browser."""
        self.links = self.laptop.links()
        context = self.room.context(1024, 768)
        for player in ("Ann", "Bob"):
            self.seats[player].close()
            tab = Device(f"{player}'s tab", context)
            self.cut.setdefault(tab.name, [])
            self.devices.append(tab)
            self.seats[player] = tab
            self._scan(player)

    def _phones(self, _one: Happening, _begun: float) -> None:
        self.links = self.laptop.links()
        for player in ("Ann", "Bob"):
            self.seats[player].close()
            self.seats[player] = self._bring(player)
            self._scan(player)

    def _play_on(self, seconds: float, *, keys: bool = False) -> None:
        """Let the game go on meanwhile; with `keys` at the laptop alone."""
        until_then = time.time() + seconds
        while time.time() < until_then - 3 and (request := self.course.next) is not None:
            if keys:
                self._by_keys(request)
            else:
                self._enter(request)
            self._wait(0.5)
        self._wait(max(until_then - time.time(), 0))

    # what stands on the laptop's screen

    def _look_at_the_banner(self) -> None:
        """Nobody lets the screen ask for ever: after some seconds they say that the cards lie
        right."""
        asks = self.laptop.glances[-1].asks if self.laptop.glances else False
        if not asks:
            self._asked_since = None
        elif self._asked_since is None:
            self._asked_since = time.time()
        elif time.time() > self._asked_since + 8:
            self._answer_the_banner()

    def _answer_the_banner(self) -> None:
        self._wait(0.5)
        for _ in range(4):
            if not self.laptop.glances[-1].asks:
                return
            self.laptop.leave()
            self.laptop.type("m", 1)
            if self.laptop.entering:  # several: a list
                self.laptop.type("m", 1)

    # the truth

    def _kept(self) -> SavedSession:
        with Store.open_read_only(self.journal) as look:
            return look.read_session(self._sessions)

    def _acts(self) -> list[Request]:
        return [act.request for act in self._kept().restore_session().list_acts()]

    @property
    def _say(self) -> Translator:
        return self.course.translator.with_names(self._kept().replay_narration().people.display_names)

    def _truth(self, now: Narration, at: float = 0.0) -> Sight:
        translator = self.course.translator.with_names(now.people.display_names)
        view = now.session.view()
        points = [seat.points for seat in load_face_builder(self.course.setup.game)(view, translator).seats]
        return Sight(
            at,
            translator.translate(self.course.game.describe_awaited(now.session.state)),
            " ".join(points),
            "",
        )

    def _truths_of(self, kept: SavedSession) -> None:
        """Take down what was so from when on."""
        narration = Narration(Session(self.course.game, kept.setup))
        self.truths.append(self._truth(narration, kept.begun))
        for one, at in zip(kept.entries, kept.times, strict=True):
            narration.replay_entry(one)
            self.truths.append(self._truth(narration, at))

    def _span(self, begun: float, *of: list[tuple[float, float]]) -> None:
        """Take down that something was so since `begun`, until now."""
        now = time.time()
        for spans_of_it in of:
            spans_of_it.append((begun, now))

    def _cut(self, begun: float, *names: str) -> None:
        self._span(begun, *(self.cut[name] for name in names))

    def _wait(self, seconds: float) -> None:
        # The browser's driver works only while it is asked something.
        end = time.time() + seconds
        while (left := end - time.time()) > 0:
            self.tv.page.wait_for_timeout(1000 * min(left, 0.5))

    # the report

    def rows(self) -> Iterator[Row]:
        """What was told wrongly, and for how long."""
        minutes = f"{(self.ended - self.began) / 60:.1f} min"
        counted = self.counts
        yield _count("games broken off", counted["games broken off"], minutes)
        yield _count(
            "games whose score is not the referee's", counted["games whose score is another"], minutes
        )
        yield _count("acts of the wrong player", counted["acts of the wrong player"], "two tabs of a tablet")
        yield _count(
            "acts that nobody meant",
            counted["acts that nobody meant"],
            "Enter, u r, a seat's number, a second tap",
        )
        yield _count(
            "picks wiped", counted["picks wiped"], f"of {counted['picks']} on phones, the clock running"
        )
        yield _count(
            "focus wiped", counted["focus wiped"], f"of {counted['focus held']} buttons held for 1.2 s"
        )
        yield _count(
            "acts that their page could not enter",
            counted["acts that their page could not enter"],
            "entered at the laptop",
        )
        sheet = "names put right that the sheet of links does not know"
        yield _count(sheet, counted[sheet], "Cleo is Chloé")
        yield from self._camera_rows()
        yield self._asked_row()
        yield from self._page_rows()
        pages = counted["pages at the end"]
        yield _count(
            "pages that end with another table",
            counted["pages that say something else at the end"],
            f"of {pages}",
        )
        yield _count("tracebacks", len(self.laptop.faults), minutes)

    def _camera_rows(self) -> Iterator[Row]:
        glances = self.laptop.glances
        told = [(one.at, one.lamp not in ("", *SEES)) for one in glances]
        well = [(one.at, one.lamp in SEES) for one in glances]
        not_seeing = [(begin, end + SOON + 2) for begin, end in self.blind]
        wrongly_lost = without(spans(told, self.ended), not_seeing)
        seeing = without([(self.began, self.ended)], self.blind)
        yield _time(
            "camera lost while its pictures came", wrongly_lost, f"of {_length(seeing):.0f} s that it saw", 0
        )
        still = without(self.blind, self.asleep)
        # What was well before the film stood still may stay for some seconds.
        wrongly_well = [
            part
            for begin, end in still
            for part in without(spans(well, self.ended), [(0, begin + SOON), (end, self.ended + 1)])
        ]
        yield _time(
            "camera well while it was blind",
            wrongly_well,
            f"of {_length(still):.0f} s, {len(still)} times",
            0,
        )

    def _asked_row(self) -> Row:
        asked = without(
            spans([(one.at, one.asks) for one in self.laptop.glances], self.ended),
            [*self.checking, *self.asleep],
        )
        name = "real cards to be put right that lay right"
        return Row(name, f"{len(asked)} times", f"{_length(asked):.1f} s in all", "0", not asked)

    def _page_rows(self) -> Iterator[Row]:
        old, silent, lost = [], [], []
        for device in self.devices:
            cut = sorted(self.cut[device.name])
            unseeing = self.blind if device is self.camera else []
            told = device.told
            spells = list(zip(told, [one.at for one in told[1:]] + [self.ended], strict=True))
            quiet = [(one.at, end) for one, end in spells if not one.trouble]
            if device is not self.camera:
                shown = [part for one, end in spells for part in self._old(one, end)]
                old += without(
                    shown,
                    [part for begin, end in cut for part in ((begin, begin + SILENT), (end, end + SOON))],
                )
            for begin, end in cut:
                silent += without(quiet, [(0, begin + SILENT), (end, self.ended + 1)])
            troubled = [
                (one.at, end)
                for one, end in spells
                if one.trouble not in ("", "locked", "closed", "nothing is open")
            ]
            lost += without(
                troubled, [(begin, end + SILENT) for begin, end in [*cut, *self.asleep, *unseeing]]
            )
        pages = f"of {len(self.devices)} pages, added up"
        yield _time("an old table shown, and nothing said", old, pages, 0)
        yield _time("cut off, and nothing said", silent, f"{pages}, after {SILENT:.0f} s", 0)
        yield _time("trouble told where there was none", lost, pages, 0)

    def _old(self, one: Sight, end: float) -> list[tuple[float, float]]:
        """Return when what a page said was not so, nor had been just before."""
        if one.trouble or not one.awaited:
            return []
        ends = [truth.at for truth in self.truths[1:]] + [self.ended]
        so = [
            (truth.at - 0.5, until_then + LATE)
            for truth, until_then in zip(self.truths, ends, strict=True)
            if truth[1:3] == one[1:3]
        ]
        return without([(one.at, end)], [*so, *self.asleep])


_SLIPS: dict[str, Callable[[Evening, Request], None]] = {
    "presses Enter once too often": Evening._slip_enter,
    "types the wrong donkey": Evening._slip_donkey,
    "accepts, undoes, accepts": Evening._slip_accept,
    "undoes and redoes": Evening._slip_redo,
    "types another seat's number": Evening._slip_seat,
    "taps twice": Evening._slip_twice,
}
_HAPPENINGS: dict[str, Callable[[Evening, Happening, float], None]] = {
    "goes to sleep": Evening._sleep,
    "locks the phone": Evening._lock,
    "film stands still": Evening._still,
    "track ends": Evening._track,
    "is gone": Evening._hold,
    "is pulled": Evening._hold,
    "is offline": Evening._offline,
    "is killed": Evening._kill,
    "is renamed Chloé": Evening._rename,
    "is handed round by Ann and Bob": Evening._tablet,
    "are taken again by Ann and Bob": Evening._phones,
}


def _one_by_one(request: Request) -> Iterator[Request]:
    """Give what a menu lets people enter: who looks at several loads looks at one after the
    other."""
    if isinstance(request, Peek):
        yield from (Peek(request.player, (name,)) for name in request.at)
    else:
        yield request


def _count(name: str, number: int, conditions: str) -> Row:
    return Row(name, str(number), conditions, "0", number == 0)


def _length(some: Iterable[tuple[float, float]]) -> float:
    return sum(end - begin for begin, end in some)


def _time(name: str, some: Sequence[tuple[float, float]], conditions: str, limit: float) -> Row:
    seconds = _length(some)
    return Row(name, f"{seconds:.1f} s", conditions, f"{limit:g} s", seconds <= limit + 0.05)


def told(setup: Setup, requests: Iterable[Request]) -> list[Any]:
    """Tell a new referee a game, from its start; return all its answers."""
    referee = Referee()
    start = {
        "do": "start",
        "game": setup.game,
        "players": setup.players,
        "options": dict(setup.options),
        "seed": setup.seed,
    }
    lines = [json.dumps(start).encode(), *map(msgspec.json.encode, requests)]
    return [json.loads(referee.answer_line(line)) for line in lines]


def evening(
    games: Sequence[Game],
    folder: Path,
    seed: int = 1,
    tell: Callable[[str], object] = print,
    rate: int = 30,
) -> Evening:
    """Play an evening with its data in `folder`; return it. `rate`: pictures a second of the
    phone."""
    bare = np.full((720, 1280, 3), (70, 95, 60), np.uint8)
    with sync_playwright() as driver, room(driver, LiveFilm(folder / "table.y4m", bare, rate)) as around:
        laptop = Laptop(folder)
        try:
            one = Evening(around, laptop, random.Random(seed), tell)
            for game in games:
                try:
                    one.play(game)
                except (Never, BrowserError) as fault:
                    one.break_off(game, fault)
            for device in one.devices:
                device.close()  # and what they have said is taken down
            one.ended = time.time()
            return one
        finally:
            laptop.kill()
