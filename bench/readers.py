"""Measure the card reader: the real firmware in simulated cycles, and PC/SC readers with the real
`pcscd` and virtual cards."""

from __future__ import annotations

import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import SimpleQueue

from bench.harness import Figure, Options, format_spread, quantile, time_call
from companion.demo.deferred_table import assign_tags
from companion.demo.table import DemoTable
from companion.evening.card_readers import connect_readers
from companion.games.donkey_valley import moves as rq
from companion.live.live_session import LiveSession
from companion.plan import Plan, prepare_setup
from companion.readers.nfc.pcsc import PcscReader, PcscService, count_card_changes, is_card_present
from companion.readers.rfid.events import CardArrived, CardLeft, ReaderFault, TagId
from companion.readers.rfid.simulator import VirtualTrays
from companion.rules.contract import GAME_OVER
from companion.system_needs import NEEDS
from companion.table.decks import Deck
from companion.table.identification import Pad
from companion.table.sightings import Report, Sighting
from companion.table.table import Table
from tests.simulated import lock_step, lossy_line
from tests.simulated.lock_step import HERTZ, LockStep, card
from tests.simulated.virtual_pcsc import DEVICES, Card, Pcscd, missing

FIRMWARE = Path(__file__).parent.parent / "firmware"
WUPA, REQA, ANTICOLLISION = 0x52, 0x26, 0x93


def bench_board(options: Options) -> Iterator[Figure]:
    """Run the card readers, a tray and a Nano, in simulated cycles of the real firmware: size,
    connecting, card to event, piles, faults, a line that loses bytes, an hour of noise. Wall time
    plays no part."""
    for name, part in PARTS.items():
        if options.wants_row(name):
            yield from part(options)


def _make_limit_figure(label: str, value: float, unit: str, limit: float, conditions: str) -> Figure:
    return Figure(label, f"{value:g} {unit}".strip(), f"{limit:g}", conditions, value <= limit)


def _bench_size(_: Options) -> Iterator[Figure]:
    # the firmware's own tool, which is not in a package
    sys.path.insert(0, str(FIRMWARE / "tools"))
    import size  # type: ignore[import-not-found] # noqa: PLC0415

    subprocess.run(["make", "-s", "-C", str(FIRMWARE), "pico", "all"], check=True)
    for kind in PADS:
        flash, ram = size.sizes(FIRMWARE / "build" / kind / "reader.elf")
        flash_room, ram_room = size.room_on(kind)
        where = "GCC of Debian; what the largest boot loader leaves"
        yield _make_limit_figure(f"flash, {kind}", flash, "bytes", flash_room, where)
        yield _make_limit_figure(
            f"static RAM, {kind}", round(100 * ram / ram_room, 1), "%", 69.9, "of the chip's"
        )


def _bench_connect(options: Options) -> Iterator[Figure]:
    if (boot_loaders := NEEDS["boot_loaders"]).find_missing():
        raise SystemExit(f"Arduino's boot loaders are missing; on Debian: {boot_loaders.packages}")
    for name in lock_step.SOLD:
        found = list(lock_step.plugs(name, options.scale_count(200)))
        where = f"{name}: {len(found)} plugs at random moments, from opening the port"
        yield _make_limit_figure("connected, slowest", round(max(found), 2), "s", 2.99, where)


def _bench_latency(options: Options) -> Iterator[Figure]:
    for kind, loaded in (("pico", 0), ("nano", 0), ("nano", 2)):
        found = measure_latencies(kind, options.scale_count(300), loaded=loaded)
        where = f"{kind}: {len(found)} cards at random moments, {loaded} other pads with a card; every tag takes 5 ms to wake up"
        yield _make_limit_figure(
            "card put to host event, p95", round(quantile(found, 0.95), 2), "ms", 15, where
        )
        yield Figure("card put to host event, slowest", f"{max(found):.2f} ms", "–", where)


def _bench_piles(options: Options) -> Iterator[Figure]:
    for kind in PADS:
        inventories, rounds = measure_piles(kind, options.scale_count(20))
        slowest = (round(max(one), 2) for one in (inventories, rounds))
        yield _make_limit_figure(
            "ten tags inventoried", next(slowest), "ms", 45, f"{kind}: slowest of {len(inventories)} piles"
        )
        yield _make_limit_figure(
            "ten known tags verified", next(slowest), "ms", 10, f"{kind}: slowest of {len(rounds)} rounds"
        )


def _bench_dead_reader(_: Options) -> Iterator[Figure]:
    for kind in PADS:
        where = f"{kind}: power, crystal, MISO; the slowest"
        yield _make_limit_figure("dead reader named", round(measure_dead_reader(kind), 1), "ms", 2000, where)


def _bench_lossy_line(options: Options) -> Iterator[Figure]:
    tally = lossy_line.run(options.scale_count(100_000), seed=4, mean_gap_ms=25)
    where = (
        f"{tally.posted} events, 1 % of bytes lost or garbled each way, {tally.closes} closes, {tally.resets} resets; "
        f"{tally.taken} taken once, {tally.told_lost} given up and told by a snapshot"
    )
    for what, count in (
        ("events lost silently", tally.silent),
        ("events taken twice or out of order", tally.twice),
        ("pads wrong at the end", not tally.agree),
        (f"commands not carried out, of {tally.commands}", not tally.obeyed),
    ):
        yield _make_limit_figure(what, count, "", 0, where)


def _bench_noise(options: Options) -> Iterator[Figure]:
    for kind, native, usual in (("nano", False, 60.0), ("nano", True, 5.0), ("pico", True, 60.0)):
        minutes = usual * options.times
        left, twice = simulate_noise(kind, minutes, native=native)
        build = "native build" if native else "simavr"
        where = f"{kind}, {minutes:g} simulated minutes, 20 % of replies garbled, {build}"
        yield _make_limit_figure("false removals", left, "cards", 0, where)
        yield _make_limit_figure("false arrivals", twice, "cards", 0, where)


PARTS: dict[str, Callable[[Options], Iterator[Figure]]] = {
    "size": _bench_size,
    "connect": _bench_connect,
    "latency": _bench_latency,
    "piles": _bench_piles,
    "dead": _bench_dead_reader,
    "line": _bench_lossy_line,
    "noise": _bench_noise,
}


PADS = {"pico": 1, "nano": 3}
"""Pads of each kind of board."""


def measure_latencies(kind: str, count: int, *, loaded: int) -> list[float]:
    """Return the milliseconds from laying a card on a pad to the last byte of its event, `loaded`
    other pads having one card."""
    rng = random.Random(1)
    found = []
    with LockStep(kind, seed=1) as table:
        table.open()
        for pad in range(loaded):
            table.board.put_tags(pad, card(pad))
        table.run(200)
        for n in range(count):
            pad = rng.randrange(loaded, PADS[kind])
            # at another moment of the reader's cycle each time
            table.run(rng.uniform(20, 30), step=5)
            put = table.board.put_tags(pad, card(1000 + n))
            arrived = [e for e in table.run(40) if isinstance(e, CardArrived)]
            assert len(arrived) == 1
            found.append(arrived[0].received * 1000 - put * 1000 / HERTZ)
            table.board.take_tags(pad)
            table.until(lambda: not table.wire.pads[pad].tags)  # noqa: B023 - called at once
    return found


def measure_piles(kind: str, count: int) -> tuple[list[float], list[float]]:
    """Lay ten tags on one pad at once; return the milliseconds of each inventory, and of each
    verification once they are known.

    The inventory is timed from the first frame on air that they answer to the last event at the
    host.
    """
    inventories, rounds = [], []
    for n in range(count):
        with LockStep(kind, seed=n + 1) as table:
            table.open()
            # at another moment of the reader's cycle for each pile
            table.run(n * 0.7)
            table.board.send_command("trace", 0, "on")
            pile = [card(100 * n + i, batch=n) for i in range(10)]
            table.board.put_tags(0, *pile)
            arrived = [e for e in table.run(120) if isinstance(e, CardArrived)]
            assert {e.tag for e in arrived} == set(pile)
            # the inventory begins with the frame that the tags answer, the one before
            first = next(i for i, line in enumerate(table.air) if line["command"] == ANTICOLLISION)
            inventories.append(arrived[-1].received * 1000 - table.air[first - 1]["from"] * 1000 / HERTZ)
            table.run(300)
            table.air.clear()
            table.run(200)
            rounds += list(_find_verification_times(table.air))
    return inventories, rounds


def _find_verification_times(air: list[dict[str, int]]) -> Iterator[float]:
    """Yield the milliseconds of each round of one WUPA and ten confirmations."""
    woke, asked, end = None, 0, 0
    for line in air:
        if line["command"] == WUPA:
            woke, asked = line["from"], 0
        elif line["command"] == ANTICOLLISION and woke is not None:
            asked, end = asked + 1, line["to"]
        elif line["command"] == REQA and woke is not None:
            if asked == 10:
                yield (end - woke) * 1000 / HERTZ
            woke = None


def simulate_noise(kind: str, minutes: float, *, native: bool) -> tuple[int, int]:
    """Let cards lie on all pads, three on the last, while a fifth of all replies is garbled, a
    quarter of these to silence. Return (false removals, arrivals twice)."""
    with LockStep(kind, native=native) as table:
        table.open()
        pads = range(PADS[kind])
        for pad in pads:
            table.board.put_tags(pad, card(pad), *([card(50), card(51)] if pad == pads[-1] else []))
        table.run(500)
        for pad in pads:
            table.board.send_command("noise", pad, 20, 25)
        since = len(table.events)
        table.run(minutes * 60_000, step=200)
        later = table.events[since:]
    return sum(isinstance(e, CardLeft) for e in later), sum(isinstance(e, CardArrived) for e in later)


def measure_dead_reader(kind: str) -> float:
    """Return the milliseconds from a reader's death to the event that names it, the slowest of
    several kinds of death."""
    slowest = 0.0
    for words in (("kill", 0), ("mute", 0, "on"), ("miso", 0, "low")):
        with LockStep(kind) as table:
            table.open()
            died = table.board.send_command(*words)
            table.until(lambda: any(e.health > 1 for e in table.of(ReaderFault)))
            named = next(e for e in table.of(ReaderFault) if e.health > 1)
            slowest = max(slowest, named.received * 1000 - died * 1000 / HERTZ)
    return slowest


# PC/SC

TAPS, BLOCKS = 20, 5
"""Taps in a block, and number of blocks, in turns."""
AWAY = 0.8
"""Seconds after which the service has noticed that a card was taken away."""
PHASES = 1.2
"""Seconds over which taps are spread: three of the service's polls, so that neither loop is in step
with them."""
EVENING = 420.0
"""Seconds within which the evening must be over."""


def bench_pcsc(options: Options) -> Iterator[Figure]:
    """Measure PC/SC readers, with the real `pcscd` and virtual cards: tap to event beside a bare
    pyscard loop; an evening at two pads and a camera.

    The service finds a card by asking its driver every 0.4 s (a virtual reader can do no better; a
    USB reader of the ACR122U's kind reports by itself), so the figures show what the program adds,
    not what a reader at the table takes.
    """
    lacking = missing()
    if lacking is not None:
        yield Figure("PC/SC readers", "not measured", "–", f"it needs {lacking}")
        return
    taps = options.scale_count(TAPS)
    yield from _measure_tap_to_event(taps)
    yield _measure_news_to_event(taps)
    yield _play_at_two_pads()


class BareLoop(threading.Thread):
    """The shortest possible loop with pyscard: wait for a change, request the id (or not), record
    the time."""

    def __init__(self, *, asks: bool = True) -> None:
        super().__init__(daemon=True)
        self._asks = asks
        self.seen: SimpleQueue[float] = SimpleQueue()
        self.ending = False
        self._service = PcscService()

    def run(self) -> None:
        """Wait for cards until `ending` is set."""
        self._service.open()
        states = dict.fromkeys(DEVICES, 0)
        while not self.ending:
            for device, state in self._service.wait_for_changes(states, 0.5).items():
                new, states[device] = count_card_changes(state) != count_card_changes(states[device]), state
                if (
                    new
                    and is_card_present(state)
                    and (not self._asks or self._service.read_card_id(device) is not None)
                ):
                    self.seen.put(time.monotonic())
        self._service.close()


def _measure_tap_to_event(taps: int) -> Iterator[Figure]:
    """Lay a card, and record when its id arrives: in turns with the program's reader and with the
    bare loop, never with both.

    (Two programs that talk to one card at the same time disturb each other, and that would be
    measured.)
    """
    tag = TagId.from_hex("04a1b2c3d4e5f6")
    reports: SimpleQueue[Report] = SimpleQueue()
    ours: list[float] = []
    bare: list[float] = []
    with Pcscd() as service:
        for _ in range(BLOCKS):
            loop = BareLoop()
            loop.start()
            bare += _time_taps(service, tag, taps, loop.seen.get)
            loop.ending = True
            loop.join()
            reader = PcscReader({tag.hex(): "load:red:7"}.get, {})
            reader.start(reports.put)
            ours += _time_taps(service, tag, taps, lambda: _wait_for_card(reports))
            reader.close()
    conditions = (
        f"{len(ours)} taps each, by turns, on two virtual readers; pcscd looks for cards every 400 ms"
    )
    peer = f"bare loop {format_spread(bare, '.0f', 1000)} ms"
    yield Figure(
        "PC/SC: tap to event", f"{format_spread(ours, '.0f', 1000)} ms", peer, f"median, p95; {conditions}"
    )


def _measure_news_to_event(taps: int) -> Figure:
    """Lay a card, and record when the service reports it to a loop that only listens, and when the
    table has the event: one tap for both."""
    tag = TagId.from_hex("04a1b2c3d4e5f6")
    reports: SimpleQueue[Report] = SimpleQueue()
    added: list[float] = []
    with Pcscd() as service:
        reader, loop = PcscReader({tag.hex(): "load:red:7"}.get, {}), BareLoop(asks=False)
        asked: list[float] = []
        # wrapped, to measure the card's own time
        reader._service.read_card_id = _record_times(reader._service.read_card_id, asked)  # type: ignore[method-assign, assignment]
        reader.start(reports.put)
        loop.start()

        def wait_for_event() -> float:
            event = _wait_for_card(reports)
            added.append(event - loop.seen.get(timeout=10))
            return event

        laid = list(_time_taps(service, tag, taps, wait_for_event))
        loop.ending = True
        loop.join()
        reader.close()
    peer = f"{format_spread(asked, '.0f', 1000)} ms: the card's own time to give its id"
    figure = f"{format_spread(added, '.0f', 1000)} ms"
    return Figure(
        "PC/SC: from the service's news to the event", figure, peer, f"{len(laid)} taps, virtual cards"
    )


def _record_times(ask: Callable[[str], TagId | None], took: list[float]) -> Callable[[str], TagId | None]:
    def ask_and_record(device: str) -> TagId | None:
        seconds, answer = time_call(lambda: ask(device), time.monotonic)
        took.append(seconds)
        return answer

    return ask_and_record


def _time_taps(service: Pcscd, tag: TagId, taps: int, wait_for_event: Callable[[], float]) -> Iterator[float]:
    time.sleep(1.0)
    for number in range(taps):
        began = time.monotonic()
        card = service.lay(number % 2, tag)
        yield wait_for_event() - began
        card.take()
        time.sleep(AWAY + random.random() * PHASES)


def _wait_for_card(reports: SimpleQueue[Report]) -> float:
    """Wait for a card that has arrived; reports that the last one has gone are ignored."""
    while not (isinstance(report := reports.get(timeout=10), Sighting) and report.present):
        pass
    return time.monotonic()


class TwoPads(VirtualTrays):
    """Two PC/SC readers as hands use them: Ann's pad and the middle's. Of several cards on one, the
    reader sees the lowest."""

    SLOTS = {"seat1": 0, "middle": 1}

    def __init__(self, service: Pcscd) -> None:
        super().__init__({}, Deck.load_builtin("donkey_valley"))
        self.pads = tuple(self.SLOTS)
        self._service = service
        self._piles: dict[str, list[TagId]] = {pad: [] for pad in self.SLOTS}
        self._seen: dict[str, tuple[TagId, Card]] = {}

    def put_tags(self, pad: str, *tags: TagId) -> None:
        """Lay cards on a pad."""
        self._piles[pad] += tags
        self._update_reader(pad)

    def take_tags(self, pad: str, *tags: TagId) -> None:
        """Take cards away."""
        self._piles[pad] = [tag for tag in self._piles[pad] if tag not in tags]
        self._update_reader(pad)

    def press_button(self, seat: int, key: str, *, down: bool = True) -> None:
        """Do nothing: such readers have no buttons, and the camera sees decisions."""

    def _update_reader(self, pad: str) -> None:
        lowest = next(iter(self._piles[pad]), None)
        seen = self._seen.get(pad)
        # one card is taken away before the next is shown
        if seen is not None and seen[0] != lowest:
            self._seen.pop(pad)[1].take()
        if lowest is not None and pad not in self._seen:
            self._seen[pad] = (lowest, self._service.lay(self.SLOTS[pad], lowest))


def _play_at_two_pads() -> Figure:
    """Play Donkey Valley to its end: a drawn table with the camera's own code, Ann's pad and the
    middle's at PC/SC readers."""
    game, setup = prepare_setup(Plan("donkey_valley", ("Ann", "Ben", "Cleo"), seed=5))
    deck = assign_tags(Deck.load_builtin("donkey_valley"))
    plan = {DEVICES[0]: Pad("seat:1", face_down=True), DEVICES[1]: Pad("middle")}
    with Pcscd() as service:
        demo = DemoTable(
            setup,
            deck,
            speed=8.0,
            virtual_trays=TwoPads(service),
            pads={"1.seat1": plan[DEVICES[0]], "1.middle": plan[DEVICES[1]]},
        )
        colours = {colour: seat for seat, colour in enumerate(deck.owner_colours[:3], 1)}
        table = Table(deck, colours, plan, back_known=True)
        live = LiveSession(game, setup, table=table, cards=tuple(deck.card_counts), now=time.monotonic())
        reader = PcscReader(deck.find_design_by_tag, plan)
        seen: list[Sighting] = []

        def record_and_post(report: Report) -> None:
            if isinstance(report, Sighting) and report.present and report.reader.startswith("rfid"):
                seen.append(report)
            live.post_report(report)

        demo.attach_session(live)
        connect_readers(live, [reader])
        assert demo.camera is not None
        demo.camera.start(record_and_post)
        reader.start(record_and_post)
        began = time.monotonic()
        while live.snapshot().view["phase"] != GAME_OVER and time.monotonic() - began < EVENING:
            now = time.monotonic()
            demo.tick(now)
            live.tick(now)
            # leaves time to the readers' threads
            time.sleep(0.005)
        took = time.monotonic() - began
        over = live.snapshot().view["phase"] == GAME_OVER
        demo.close()
        demo.camera.close()
        reader.close()
    asked = [act.request for act in live.list_acts()]
    donkeys = sum(isinstance(one, rq.Donkey) for one in asked)
    sealed = sum(len(one.sealed or ()) for one in asked if isinstance(one, rq.Load))
    assert demo.director is not None
    by_hand = demo.director.manual_entries
    figure = f"{'over' if over else 'NOT over'}, {took:.0f} s"
    conditions = (
        f"{donkeys} donkeys, {len(asked)} requests, {len(seen)} cards read at the pads, "
        f"{sealed} loads sealed, {by_hand} entered by hand"
    )
    return Figure("PC/SC: an evening, two pads and a camera", figure, "to the end", conditions, over)
