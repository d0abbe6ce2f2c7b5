"""PC/SC readers, with the real `pcscd` and virtual readers: tap to event beside a bare pyscard
loop; an evening at two pads and a camera.

The service finds a card by asking its driver every 0.4 s (a virtual reader can do no better; a USB
reader of the ACR122U's kind tells by itself), so the figures show what the program adds, not what a
reader at the table takes.
"""

from __future__ import annotations

import random
import statistics
import sys
import threading
import time
from collections.abc import Callable, Iterator
from queue import SimpleQueue
from typing import TypeAlias

from companion.demo.later import stickered
from companion.demo.table import DemoTable
from companion.evening.card_readers import join
from companion.live.live import Live
from companion.plan import Plan, set_up
from companion.readers.nfc.pcsc import PcscReader, Service, cards, present
from companion.readers.rfid.events import TagId
from companion.rules.contract import GAME_OVER
from companion.rules.donkey_valley import moves as rq
from companion.table.decks import Deck
from companion.table.identification import Pad
from companion.table.sightings import Report, Sighting
from companion.table.table import Table
from simulated.virtual_pcsc import DEVICES, Card, Pcscd, missing

Row: TypeAlias = tuple[str, str, str, str]
TAPS, BLOCKS = 100, 5
AWAY = 0.8
"""Seconds after which the service has noticed that a card was taken away."""
PHASES = 1.2
"""Seconds over which taps are spread: three of the service's looks, so that neither loop is in step
with them."""
EVENING = 420.0
"""Seconds within which the evening must be over."""


def run() -> Iterator[Row]:
    """Yield every figure."""
    lacking = missing()
    if lacking is not None:
        yield "PC/SC readers", "not measured", f"it needs {lacking}", "-"
        return
    yield from tap_to_event()
    yield news_to_event()
    yield evening()


class BareLoop(threading.Thread):
    """The least that anybody can write with pyscard: wait for a change, ask for the id (or not),
    note when."""

    def __init__(self, *, asks: bool = True) -> None:
        super().__init__(daemon=True)
        self._asks = asks
        self.seen: SimpleQueue[float] = SimpleQueue()
        self.ending = False
        self._service = Service()

    def run(self) -> None:
        """Wait for cards until told to end."""
        self._service.open()
        states = dict.fromkeys(DEVICES, 0)
        while not self.ending:
            for device, state in self._service.changes(states, 0.5).items():
                new, states[device] = cards(state) != cards(states[device]), state
                if new and present(state) and (not self._asks or self._service.uid(device) is not None):
                    self.seen.put(time.monotonic())
        self._service.close()


def tap_to_event() -> Iterator[Row]:
    """Lay a card, and note when its id is there: by turns with the program's reader and with the
    bare loop, never with both.

    (Two programs that talk to one card at the same time get into each other's way, and that would
    be measured.)
    """
    tag = TagId.from_hex("04a1b2c3d4e5f6")
    told: SimpleQueue[Report] = SimpleQueue()
    ours: list[float] = []
    bare: list[float] = []
    with Pcscd() as service:
        for _ in range(BLOCKS):
            loop = BareLoop()
            loop.start()
            bare += _taps(service, tag, loop.seen.get)
            loop.ending = True
            loop.join()
            reader = PcscReader({tag.hex(): "load:red:7"}.get, {})
            reader.start(told.put)
            ours += _taps(service, tag, lambda: _card(told))
            reader.close()
    conditions = (
        f"{len(ours)} taps each, by turns, on two virtual readers; pcscd looks for cards every 400 ms"
    )
    yield (
        "PC/SC: tap to event, p50 / p95",
        f"{_ms(ours, 50)} / {_ms(ours, 95)} ms",
        conditions,
        f"bare loop {_ms(bare, 50)} / {_ms(bare, 95)} ms",
    )


def news_to_event() -> Row:
    """Lay a card, and note when the service tells of it to a loop that only listens, and when the
    table has the event: one tap for both."""
    tag = TagId.from_hex("04a1b2c3d4e5f6")
    told: SimpleQueue[Report] = SimpleQueue()
    added: list[float] = []
    with Pcscd() as service:
        reader, loop = PcscReader({tag.hex(): "load:red:7"}.get, {}), BareLoop(asks=False)
        asked: list[float] = []
        reader._service.uid = _timed(reader._service.uid, asked)  # type: ignore[method-assign, assignment]
        reader.start(told.put)
        loop.start()

        def seen() -> float:
            event = _card(told)
            added.append(event - loop.seen.get(timeout=10))
            return event

        taps = list(_taps(service, tag, seen))
        loop.ending = True
        loop.join()
        reader.close()
    return (
        "PC/SC: from the service's news to the event",
        f"{_ms(added, 50)} / {_ms(added, 95)} ms",
        f"{len(taps)} taps; the virtual card itself takes {_ms(asked, 50)} / {_ms(asked, 95)} ms of it to give its id",
        "the card's own time",
    )


def _timed(ask: Callable[[str], TagId | None], took: list[float]) -> Callable[[str], TagId | None]:
    def timed(device: str) -> TagId | None:
        began = time.monotonic()
        answer = ask(device)
        took.append(time.monotonic() - began)
        return answer

    return timed


def _taps(service: Pcscd, tag: TagId, seen: Callable[[], float]) -> Iterator[float]:
    time.sleep(1.0)
    for number in range(TAPS // BLOCKS):
        began = time.monotonic()
        card = service.lay(number % 2, tag)
        yield seen() - began
        card.take()
        time.sleep(AWAY + random.random() * PHASES)


def _card(told: SimpleQueue[Report]) -> float:
    """Wait for a card that has come; that the last one has gone is passed over."""
    while not (isinstance(report := told.get(timeout=10), Sighting) and report.present):
        pass
    return time.monotonic()


def _ms(seconds: list[float], percent: int) -> str:
    return f"{statistics.quantiles(seconds, n=100)[percent - 1] * 1000:.0f}"


class TwoPads:
    """Two PC/SC readers as hands see them: Ann's pad and the middle's. Of several cards on one the
    reader sees the lowest."""

    SLOTS = {"seat1": 0, "middle": 1}

    def __init__(self, service: Pcscd) -> None:
        self._service = service
        self._piles: dict[str, list[TagId]] = {pad: [] for pad in self.SLOTS}
        self._seen: dict[str, tuple[TagId, Card]] = {}

    def put(self, pad: str | int, *tags: TagId) -> int:
        """Lay cards on a pad."""
        self._piles[str(pad)] += tags
        return self._show(str(pad))

    def take(self, pad: str | int, *tags: TagId) -> int:
        """Take cards away."""
        self._piles[str(pad)] = [tag for tag in self._piles[str(pad)] if tag not in tags]
        return self._show(str(pad))

    def press(self, seat: int, key: str, *, down: bool = True) -> int:
        """Do nothing: such readers have no buttons, and decisions are seen by the camera."""
        return 0

    def _show(self, pad: str) -> int:
        lowest = next(iter(self._piles[pad]), None)
        seen = self._seen.get(pad)
        if seen is not None and seen[0] != lowest:
            self._seen.pop(pad)[1].take()
        if lowest is not None and pad not in self._seen:
            self._seen[pad] = (lowest, self._service.lay(self.SLOTS[pad], lowest))
        return 0


def evening(players: int = 3, speed: float = 8.0) -> Row:
    """Play Donkey Valley to its end: a drawn table under the camera's own code, Ann's pad and the
    middle's at PC/SC readers."""
    game, setup = set_up(Plan("donkey_valley", ("Ann", "Ben", "Cleo")[:players], seed=5))
    deck = stickered(Deck.builtin("donkey_valley"))
    plan = {DEVICES[0]: Pad("seat:1", face_down=True), DEVICES[1]: Pad("middle")}
    with Pcscd() as service:
        demo = DemoTable(
            setup,
            deck,
            speed=speed,
            board=TwoPads(service),
            pads={"1.seat1": plan[DEVICES[0]], "1.middle": plan[DEVICES[1]]},
        )
        colours = {colour: seat for seat, colour in enumerate(deck.colours[:players], 1)}
        table = Table(deck, colours, plan, back_known=True)
        live = Live(game, setup, table=table, cards=tuple(deck.cards), now=time.monotonic())
        reader = PcscReader(deck.design_of_tag, plan)
        seen: list[Sighting] = []

        def post(report: Report) -> None:
            if isinstance(report, Sighting) and report.present and report.reader.startswith("rfid"):
                seen.append(report)
            live.post(report)

        demo.join(live)
        join(live, [reader])
        assert demo.camera is not None
        demo.camera.start(post)
        reader.start(post)
        began = time.monotonic()
        while live.snapshot().view["phase"] != GAME_OVER and time.monotonic() - began < EVENING:
            now = time.monotonic()
            demo.tick(now)
            live.tick(now)
            time.sleep(0.005)
        took = time.monotonic() - began
        over = live.snapshot().view["phase"] == GAME_OVER
        demo.close()
        demo.camera.close()
        reader.close()
    asked = [act.request for act in live.acts()]
    donkeys = sum(isinstance(one, rq.Donkey) for one in asked)
    sealed = sum(len(one.sealed or ()) for one in asked if isinstance(one, rq.Load))
    assert demo.director is not None
    by_hand = demo.director.entered
    return (
        "PC/SC: an evening, two pads and a camera",
        f"{'over' if over else 'NOT over'}, {took:.0f} s",
        f"{donkeys} donkeys, {len(asked)} requests, {len(seen)} cards read at the pads, {sealed} loads sealed, {by_hand} entered by hand",
        "to the end",
    )


if __name__ == "__main__":
    from bench.__main__ import main

    main(sys.argv[1:], "pcsc")
