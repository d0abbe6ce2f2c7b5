"""Open an evening: turn its plan into a table, readers, demo players, a live session, voice and
sounds."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from companion import demo as demos
from companion import evening as parts
from companion import league, views
from companion import settings as kept_settings
from companion.decks.drawings import drawn_before
from companion.demo.later import SPARE, LaterTable, stickered
from companion.evening.first_start import deck_for
from companion.journal.journal import Journal
from companion.journal.kept import Kept
from companion.live.clocks import LONGEST, ClockOptions
from companion.live.live import Live
from companion.live.snapshot import Snapshot
from companion.plan import OFF, SIMULATED, CannotBegin, Plan, set_up, unusual
from companion.readers.camera.addresses import without_password
from companion.readers.recorded import Header, RecordedReader, Recorder
from companion.rules import registry
from companion.rules.contract import Problem, Setup, Text
from companion.rules.people import People, seat_labels
from companion.settings import Membership
from companion.table.decks import Deck
from companion.table.identification import Pad
from companion.table.sightings import TableReader
from companion.table.table import Table
from companion.views.evening import Evening
from companion.views.spoken import Speaker

if TYPE_CHECKING:
    from companion.demo.table import DemoTable
    from companion.readers.camera.reader import CameraReader
    from companion.readers.rfid.simulator import VirtualBoard
    from companion.views.dashboard.widgets.preview import Picture
    from companion.views.voice import Voice

PREVIEW = 240
"""Width in pixels of the picture that the dashboard draws in half blocks. Below 320 it has outlines
but no names."""


def open_evening(plan: Plan, journal: Journal, kept: Kept | None, now: float) -> Evening:
    """Assemble an evening; `kept`: the session of `journal` to resume, `now`: monotonic seconds.

    Raises `CannotBegin`, and `DeckError` or `ZonesError` for faulty files; no device is left open
    then.
    """
    game, setup = (registry.load(kept.setup.game), kept.setup) if kept is not None else set_up(plan)
    member = None if plan.demo else _membership(begins=kept is None)
    names: dict[str, str] = {}
    if member is not None and kept is None:  # in a league no entry holds a name
        names = dict(zip(seat_labels(len(setup.players)), setup.players, strict=True))
        setup = msgspec.structs.replace(setup, players=tuple(names))
    clock, deck = clock_of(plan), _deck(plan, game.id)
    learns = deck.at_once and deck.folder is None and any(what != OFF for what in plan.cameras)
    # A resumed evening goes on with what it had learnt until then.
    if learns and kept is not None and journal.path is not None:
        deck = parts.cameras.learnt_pack(deck, journal.path, kept.number)
    with ExitStack() as undone:
        boards, pads, board = parts.card_readers.opened(plan, game, deck) if plan.readers else ([], {}, None)
        # Only these hold something already (a simulator's process, a port's name); cameras open
        # later.
        for reader in boards:
            undone.callback(reader.close)
        demo = _demo(plan, setup, deck, pads, board) if plan.demo else None
        looks = any(what != OFF for what in plan.cameras)
        cameras, back_known = (
            parts.cameras.open_cameras(plan, deck, len(setup.players)) if looks else ([], False)
        )
        colours = {colour: seat for seat, colour in enumerate(deck.colours[: len(setup.players)], 1)}
        live = Live(
            game,
            setup,
            table=Table(deck, colours, pads, back_known=back_known or demo is not None),
            journal=journal,
            cards=tuple(deck.cards),
            clock=clock,
            now=now,
            kept=kept,
            odds=plan.odds,
            names=names,
        )
        evening = Evening(plan, live, post=live.post, board=board)
        if learns:
            begun = live.journal.evening()
            number = 0 if begun is None else begun.number
            if deck.folder is None:
                deck = parts.cameras.own_pack(deck, journal.path, number, evening.closing)
            if (
                journal.path is not None
                and deck.views is not None
                and deck.views.is_relative_to(journal.path.parent)
            ):
                # the next game of this evening starts with what was learnt in this one
                evening.plan = plan.but(deck=str(deck.folder))
        _seat(evening, deck, kept, boards, cameras, demo)
        # An evening from before joining is not the club's: it is not sent, and the players are told
        # so.
        if member is not None and kept is not None and kept.begun < member.since:
            evening.told = [*evening.told, Text("league.begun_before", {"club": member.club_name})]
        elif member is not None:
            _send_to_the_league(evening, member, journal)
        # From here on the evening itself closes what is open.
        undone.pop_all()
    return evening


def _membership(*, begins: bool) -> Membership | None:
    """Return the table's league membership, if any.

    If an evening `begins` before the table joined, the clock has been set back since; the time of
    joining is then moved back too. Otherwise the evening would count as an older one and would
    never be sent.
    """
    settings = kept_settings.load()
    member, now = settings.league, time.time()
    if member is not None and begins and now < member.since:
        member = msgspec.structs.replace(member, since=now)
        kept_settings.save(msgspec.structs.replace(settings, league=member))
    return member


def _send_to_the_league(evening: Evening, member: Membership, journal: Journal) -> None:
    """Send journalled entries to the league."""
    try:
        outbox = league.outbox.Outbox(member, lambda: journal.path, evening.live.show_league)
    except Problem as fault:  # the settings were changed by hand: the evening goes on without
        evening.told = [*evening.told, fault.text]
        return
    # The journal is the outbox: a snapshot comes after its entry is on disk.
    evening.live.subscribe(lambda _snapshot: outbox.wake())
    outbox.start()
    evening.closing.callback(outbox.close)


def _demo(
    plan: Plan, setup: Setup, deck: Deck, pads: Mapping[str, Pad], board: VirtualBoard | None
) -> DemoTable | LaterTable:
    """Return the demo's table, or an object that makes it once its screen has appeared."""

    def make(live: Live | None = None) -> DemoTable:
        if live is not None and not plan.plain and not drawn_before(deck, plan.language):
            live.remark(Text("play.drawing"))
        return demos.table.DemoTable(
            setup,
            deck,
            speed=plan.speed,
            language=plan.language,
            board=board,
            pads=pads,
            seen=board is None or OFF not in plan.cameras,
        )

    return LaterTable(make) if board is None and not plan.pictures else make()


def _seat(
    evening: Evening,
    deck: Deck,
    kept: Kept | None,
    boards: Sequence[TableReader],
    cameras: Sequence[CameraReader],
    demo: DemoTable | LaterTable | None,
) -> None:
    """Connect readers, recorder, demo players and voice to the live session.

    They are closed in reverse order: demo players and readers before what records their reports.
    """
    plan, live, close = evening.plan, evening.live, evening.closing.callback
    close(live.close)
    if plan.record is not None:
        # Between readers and session, so that a recording has all that they report.
        recorder = Recorder(plan.record, Header(1, live.game.id, deck.name), live.post)
        evening.post = recorder.post
        close(recorder.close)
    if cameras:
        ink, learner = parts.cameras.learning(live, cameras, deck, kept)
        for keeper in (ink, learner):
            if keeper is not None:
                close(keeper.close)
        evening.backstage = parts.cameras.CameraKeys(cameras, learner if deck.at_once else None)
        evening.photograph = partial(parts.cameras.photograph, live, cameras[0])
    drawn = None if demo is None else demo.camera
    eyes: list[CameraReader | LaterTable] = [*cameras, *([] if drawn is None else [drawn])]
    if eyes:
        evening.picture_of, evening.labels_of = partial(_picture, eyes[0]), eyes[0].labels
        evening.enlarged_of = eyes[0].enlarged
    evening.readers = [*eyes, *boards, *([] if plan.replay is None else [RecordedReader(plan.replay)])]
    # Callbacks run in reverse, so the readers are closed in their own order.
    for reader in reversed(evening.readers):
        close(reader.close)
    # A table that is made later has no camera yet; one whose pictures are saved is made before.
    present = [one for one in eyes if not isinstance(one, LaterTable)]
    if plan.pictures and present:
        close(parts.cameras.Reveals(live, present).close)
    if boards:
        parts.card_readers.join(live, boards)
    if demo is not None:
        demo.join(live)
        evening.backstage = demo
        close(demo.close)
    _let_speak(evening)


def clock_of(plan: Plan) -> ClockOptions | None:
    """Return the clock that was chosen; raises `CannotBegin` for times that no clock can show."""
    if plan.clock is None:
        return None
    try:
        return ClockOptions(plan.clock_per, plan.clock, plan.bank, when_up=plan.when_up)
    except ValueError as fault:
        given = next(f"{one:g}" for one in (plan.clock, plan.bank) if not 0 <= one <= LONGEST)
        raise CannotBegin(Text("play.bad_clock", {"given": given, "most": LONGEST})) from fault


def _deck(plan: Plan, game: str) -> Deck:
    deck = deck_for(plan, game)
    if deck.game != game:
        raise CannotBegin(Text("play.other_game", {"deck": deck.name, "game": game}))
    return stickered(deck, SPARE) if SIMULATED in plan.readers else deck


def _picture(camera: CameraReader | LaterTable) -> Picture | None:
    preview = camera.preview(PREVIEW)
    return None if preview is None else preview.image


def remember(plan: Plan, live: Live) -> None:
    """Store the plan with the players of this evening, and again whenever a name is corrected,
    replacing the entry with the old name."""
    by: list[tuple[str, ...]] = [live.snapshot().people.seats]

    def follow(snapshot: Snapshot) -> None:
        group = group_of(plan, live.setup, snapshot.people)
        if len(by) == 1 or by[-1] != group.players:
            settings = kept_settings.load()
            # A corrected name must not leave the group behind under the old one.
            for players in by:
                settings = settings.without_group(group.game, players)
            kept_settings.save(settings.with_group(group))
            by.append(group.players)

    follow(live.snapshot())
    live.subscribe(follow)


def group_of(plan: Plan, setup: Setup, people: People) -> Plan:
    """Return the part of an evening's plan that is stored: who plays what, by their corrected
    names, and how; passwords of cameras are removed."""
    return Plan(
        setup.game,
        tuple(people.right.values()),
        unusual(setup),
        plan.deck,
        tuple(map(without_password, plan.cameras)),
        plan.readers,
        plan.clock,
        plan.bank,
        plan.clock_per,
        plan.when_up,
    )


def _let_speak(evening: Evening) -> None:
    """Open voice and sounds if wanted and available; note what is missing."""
    told: list[Text] = []
    voice: Voice | None = None
    ring: Callable[[str], object] | None = None
    if evening.plan.voice:
        try:
            voice = views.voice.Voice(evening.plan.language)
            evening.closing.callback(voice.close)
        except views.voice.NoVoice as fault:
            told.append(fault.text)
    if evening.plan.sounds:
        try:
            player = views.voice.Sounds()
            evening.closing.callback(player.close)
            ring = player.play
        except views.voice.NoSounds as fault:
            told.append(fault.text)
            ring = _bell
    if voice is not None or ring is not None:
        evening.speaker = Speaker(voice, ring, kept_settings.load().said, _keep)
    evening.told = told


def _bell(name: str) -> None:
    """Ring the terminal's bell for sounds that must not be missed."""
    if name in ("question", "time", "won") and sys.__stderr__ is not None:
        sys.__stderr__.write("\a")
        sys.__stderr__.flush()


def _keep(name: str, words: str) -> None:
    """Remember how a name is pronounced."""
    settings = kept_settings.load()
    said = {**settings.said, name: words}
    if not words:
        del said[name]
    kept_settings.save(msgspec.structs.replace(settings, said=said))
