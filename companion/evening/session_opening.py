"""Open an evening: turn its plan into a table, readers, demo players, a live session, voice and
sounds."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from companion import demo as demos
from companion import evening as parts
from companion import settings as kept_settings
from companion import views
from companion.decks.collection import describe_deck_name
from companion.decks.drawings import has_cached_drawings
from companion.demo.deferred_table import SPARE_TAGS, DeferredTable, assign_tags
from companion.evening.first_start import find_plan_deck
from companion.journal.journal import Journal
from companion.journal.saved_session import SavedSession
from companion.live.clocks import LONGEST, ClockOptions
from companion.live.followers import FollowerThread, open_followers
from companion.live.live_session import LiveSession
from companion.live.snapshot import Snapshot
from companion.plan import OFF, SIMULATED, CannotBegin, Plan, find_changed_options, prepare_setup
from companion.readers.camera.addresses import strip_credentials
from companion.readers.recordings import RecordedReader, Recorder, RecordingHeader
from companion.rules import registry
from companion.rules.contract import Setup, Text
from companion.rules.people import People, list_seat_labels
from companion.settings import Settings
from companion.table.decks import Deck
from companion.table.identification import Pad
from companion.table.sightings import TableReader
from companion.table.table import Table
from companion.views.announcements import Speaker
from companion.views.table_session import TableSession

if TYPE_CHECKING:
    from companion.demo.table import DemoTable
    from companion.readers.camera.reader import CameraReader
    from companion.readers.rfid.simulator import VirtualTrays
    from companion.views.dashboard.widgets.camera_preview import Picture
    from companion.views.voice import Voice

PREVIEW = 240
"""Width in pixels of the picture that the dashboard draws in half blocks. Below 320 it has outlines
but no names."""


def open_table_session(plan: Plan, journal: Journal, saved: SavedSession | None, now: float) -> TableSession:
    """Assemble an evening; `saved`: the session of `journal` to resume, `now`: monotonic seconds.

    Raises `CannotBegin`, and `DeckError` or `ZonesError` for faulty files; no device is left open
    then.
    """
    game, setup = (
        (registry.load_game(saved.setup.game), saved.setup) if saved is not None else prepare_setup(plan)
    )
    followers, problems = _open_followers(plan, journal, saved)
    names: dict[str, str] = {}
    if saved is None and any(one.follower.needs_seat_labels for one in followers):
        names = dict(zip(list_seat_labels(len(setup.players)), setup.players, strict=True))
        setup = msgspec.structs.replace(setup, players=tuple(names))
    clock, deck = make_clock_options(plan), _load_deck(plan, game.id)
    is_learning = deck.at_once and deck.folder is None and any(what != OFF for what in plan.cameras)
    # A resumed evening goes on with what it had learnt until then.
    if is_learning and saved is not None and journal.path is not None:
        deck = parts.cameras.load_learnt_deck(deck, journal.path, saved.number)
    with ExitStack() as cleanup:
        boards, pads, virtual_trays = (
            parts.card_readers.open_card_readers(plan, game, deck, len(setup.players))
            if plan.readers
            else ([], {}, None)
        )
        # Only these hold something already (a simulator's process, a port's name); cameras open
        # later.
        for reader in boards:
            cleanup.callback(reader.close)
        demo = _make_demo_table(plan, setup, deck, pads, virtual_trays) if plan.demo else None
        has_cameras = any(what != OFF for what in plan.cameras)
        cameras, back_known = (
            parts.cameras.open_cameras(plan, deck, len(setup.players)) if has_cameras else ([], False)
        )
        colours = {colour: seat for seat, colour in enumerate(deck.owner_colours[: len(setup.players)], 1)}
        live = LiveSession(
            game,
            setup,
            table=Table(deck, colours, pads, back_known=back_known or demo is not None),
            journal=journal,
            cards=tuple(deck.card_counts),
            clock=clock,
            now=now,
            saved=saved,
            odds=plan.odds,
            names=names,
            followers=followers,
        )
        session = TableSession(plan, live, post=live.post_report, virtual_trays=virtual_trays)
        if is_learning:
            current = live.journal.read_current_session()
            number = 0 if current is None else current.number
            if deck.folder is None:
                deck = parts.cameras.make_learning_deck(deck, journal.path, number, session.closing)
            if (
                journal.path is not None
                and deck.views_folder is not None
                and deck.views_folder.is_relative_to(journal.path.parent)
            ):
                # the next game of this evening starts with what was learnt in this one
                session.plan = plan.with_changes(deck=str(deck.folder))
        _connect_parts(session, deck, saved, boards, cameras, demo)
        session.messages = [*session.messages, *problems]
        for follower in followers:
            follower.start()
            session.closing.callback(follower.close)
        # From here on the evening itself closes what is open.
        cleanup.pop_all()
    return session


def _open_followers(
    plan: Plan, journal: Journal, saved: SavedSession | None
) -> tuple[list[FollowerThread], list[Text]]:
    """Open the followers that are turned on, with why others cannot follow; none in a demo."""
    # What is installed and has no settings is not turned on.
    turned_on = [] if plan.demo else kept_settings.load_settings().list_plug_ins()
    return open_followers(turned_on, None if saved is None else saved.begun, lambda: journal.path)


def _make_demo_table(
    plan: Plan, setup: Setup, deck: Deck, pads: Mapping[str, Pad], virtual_trays: VirtualTrays | None
) -> DemoTable | DeferredTable:
    """Return the demo's table, or an object that makes it once its screen has appeared."""

    def make_table(live: LiveSession | None = None) -> DemoTable:
        if live is not None and not plan.plain and not has_cached_drawings(deck, plan.language):
            live.show_remark(Text("play.drawing"))
        return demos.table.DemoTable(
            setup,
            deck,
            speed=plan.speed,
            language=plan.language,
            virtual_trays=virtual_trays,
            pads=pads,
            with_camera=virtual_trays is None or OFF not in plan.cameras,
        )

    return DeferredTable(make_table) if virtual_trays is None and not plan.pictures else make_table()


def _connect_parts(
    session: TableSession,
    deck: Deck,
    saved: SavedSession | None,
    boards: Sequence[TableReader],
    cameras: Sequence[CameraReader],
    demo: DemoTable | DeferredTable | None,
) -> None:
    """Connect readers, recorder, demo players and voice to the live session.

    They are closed in reverse order: demo players and readers before what records their reports.
    """
    plan, live, close_later = session.plan, session.live, session.closing.callback
    close_later(live.close)
    if plan.record is not None:
        # Between readers and session, so that a recording has all that they report.
        recorder = Recorder(plan.record, RecordingHeader(1, live.game.id, deck.name), live.post_report)
        session.post = recorder.post
        close_later(recorder.close)
    if cameras:
        ink, learner = parts.cameras.start_learning(live, cameras, deck, saved)
        for keeper in (ink, learner):
            if keeper is not None:
                close_later(keeper.close)
        session.backstage = parts.cameras.CameraCommands(cameras, learner if deck.at_once else None)
        session.photograph = partial(parts.cameras.take_photo, live, cameras[0])
    demo_camera = None if demo is None else demo.camera
    picture_sources: list[CameraReader | DeferredTable] = [
        *cameras,
        *([] if demo_camera is None else [demo_camera]),
    ]
    if picture_sources:
        session.picture_of, session.labels_of = (
            partial(_grab_preview, picture_sources[0]),
            picture_sources[0].list_labels,
        )
        session.enlarged_of = picture_sources[0].enlarge_card
    session.readers = [
        *picture_sources,
        *boards,
        *([] if plan.replay is None else [RecordedReader(plan.replay)]),
    ]
    # Callbacks run in reverse, so the readers are closed in their own order.
    for reader in reversed(session.readers):
        close_later(reader.close)
    # A table that is made later has no camera yet; one whose pictures are saved is made before.
    present = [one for one in picture_sources if not isinstance(one, DeferredTable)]
    if plan.pictures and present:
        close_later(parts.cameras.RevealPictures(live, present).close)
    if boards:
        parts.card_readers.connect_readers(live, boards)
    if demo is not None:
        demo.attach_session(live)
        session.backstage = demo
        close_later(demo.close)
    _open_voice_and_sounds(session)


def make_clock_options(plan: Plan) -> ClockOptions | None:
    """Return the clock that was chosen; raises `CannotBegin` for times that no clock can show."""
    if plan.clock is None:
        return None
    try:
        return ClockOptions(plan.clock_per, plan.clock, plan.bank, when_up=plan.when_up)
    except ValueError as fault:
        invalid_seconds = next(f"{one:g}" for one in (plan.clock, plan.bank) if not 0 <= one <= LONGEST)
        raise CannotBegin(Text("play.bad_clock", {"given": invalid_seconds, "most": LONGEST})) from fault


def _load_deck(plan: Plan, game: str) -> Deck:
    deck = find_plan_deck(plan, game)
    if deck.game != game:
        raise CannotBegin(Text("play.other_game", {"deck": describe_deck_name(deck), "game": game}))
    return assign_tags(deck, SPARE_TAGS) if SIMULATED in plan.readers else deck


def _grab_preview(camera: CameraReader | DeferredTable) -> Picture | None:
    preview = camera.draw_preview(PREVIEW)
    return None if preview is None else preview.image


def remember_group(plan: Plan, live: LiveSession) -> None:
    """Store the plan with the players of this evening, and again whenever a name is corrected,
    replacing the entry with the old name."""
    saved_groups: list[tuple[str, ...]] = [live.snapshot().people.seats]

    def save_group(snapshot: Snapshot) -> None:
        group = build_group_plan(plan, live.setup, snapshot.people)
        if len(saved_groups) == 1 or saved_groups[-1] != group.players:

            def list_group(settings: Settings) -> Settings:
                # A corrected name must not leave the group behind under the old one.
                for players in saved_groups:
                    settings = settings.without_group(group.game, players)
                return settings.with_group(group)

            kept_settings.try_change_settings(list_group)
            saved_groups.append(group.players)

    save_group(live.snapshot())
    live.subscribe(save_group)


def build_group_plan(plan: Plan, setup: Setup, people: People) -> Plan:
    """Return the part of an evening's plan that is stored: who plays what, by their corrected
    names, and how; passwords of cameras are removed."""
    return Plan(
        setup.game,
        tuple(people.real_names.values()),
        find_changed_options(setup),
        plan.deck,
        tuple(map(strip_credentials, plan.cameras)),
        plan.readers,
        plan.clock,
        plan.bank,
        plan.clock_per,
        plan.when_up,
    )


def _open_voice_and_sounds(session: TableSession) -> None:
    """Open voice and sounds if wanted and available; note what is missing."""
    notices: list[Text] = []
    voice: Voice | None = None
    play_sound: Callable[[str], object] | None = None
    if session.plan.voice:
        try:
            voice = views.voice.Voice(session.plan.language)
            session.closing.callback(voice.close)
        except views.voice.NoVoice as fault:
            notices.append(fault.text)
    if session.plan.sounds:
        try:
            player = views.voice.Sounds()
            session.closing.callback(player.close)
            play_sound = player.play
        except views.voice.NoSounds as fault:
            notices.append(fault.text)
            play_sound = _ring_terminal_bell
    if voice is not None or play_sound is not None:
        session.speaker = Speaker(voice, play_sound, kept_settings.load_settings().said, _save_pronunciation)
    damage = kept_settings.take_damage_notice()
    session.messages = notices if damage is None else [*notices, damage]


def _ring_terminal_bell(name: str) -> None:
    """Ring the terminal's bell for sounds that must not be missed."""
    if name in ("question", "time", "won") and sys.__stderr__ is not None:
        sys.__stderr__.write("\a")
        sys.__stderr__.flush()


def _save_pronunciation(name: str, pronunciation: str) -> None:
    """Remember how a name is pronounced."""

    def change_pronunciation(settings: Settings) -> Settings:
        pronunciations = {**settings.said, name: pronunciation}
        if not pronunciation:
            del pronunciations[name]
        return msgspec.structs.replace(settings, said=pronunciations)

    kept_settings.try_change_settings(change_pronunciation)
