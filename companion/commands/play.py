"""`companion play`: its options, the plan that they make, and the table that opens by it. Without a
camera, reader or recording, the demo table opens."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from companion import evening as parts
from companion import settings as kept_settings
from companion import views
from companion.commands.common import (
    add_language_option,
    default_layout_path,
    default_pads_path,
    set_help_default,
)
from companion.commands.running import GAVE_UP, exit_on_signals, has_screen, run_reporting_problems
from companion.demo.actions import has_simulated_players
from companion.evening.first_start import (
    build_simulated_board,
    builds_demo_in_background,
    check_input_files,
    needs_card_drawing,
)
from companion.evening.session_opening import make_clock_options, open_table_session, remember_group
from companion.evening.sharing import (
    HERE,
    NETWORK,
    PLACES,
    find_phones,
    make_share_switch,
    print_invitation,
    wait_for_phone,
)
from companion.folders import user_data_folder
from companion.journal.journal import Journal
from companion.journal.saved_session import SavedSession
from companion.journal.store import default_journal_path
from companion.journal.summaries import SessionSummary
from companion.live.live_session import LiveSession
from companion.live.snapshot import Snapshot
from companion.plan import OFF, SIMULATED, USUAL_GAME, CannotBegin, Plan, load_game, parse_option
from companion.rules import registry
from companion.rules.contract import Text
from companion.texts import Translator, describe_os_error
from companion.views.dashboard.app import Dashboard
from companion.views.table_session import TableSession
from companion.views.themes import THEMES

FILE = "messages.log"
"""File for messages of libraries, in the folder of the journal; each run overwrites it."""


@contextmanager
def reserve_terminal(folder: Path) -> Iterator[None]:
    """Redirect file descriptor 2 to `folder`/`FILE` (or to the null device) inside the block, and
    give the terminal to Textual."""
    # What was written before belongs on the terminal, not in the file.
    sys.stderr.flush()
    terminal = os.dup(2)
    before = sys.__stderr__, sys.stderr
    screen = os.fdopen(terminal, "w", encoding="utf-8", errors="replace")
    # A second copy, to be put back: the first is closed with the screen.
    saved_stderr = os.dup(2)
    message_log = _open_message_log(folder)
    os.dup2(message_log, 2)
    os.close(message_log)
    sys.__stderr__ = sys.stderr = screen  # type: ignore[misc]
    try:
        yield
    finally:
        sys.__stderr__, sys.stderr = before  # type: ignore[misc]
        os.dup2(saved_stderr, 2)
        os.close(saved_stderr)
        # The terminal may be gone: what was still to be drawn does not matter, the reason for
        # leaving does.
        with suppress(OSError):
            screen.close()


def _open_message_log(folder: Path) -> int:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return os.open(folder / FILE, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    except OSError:
        return os.open(os.devnull, os.O_WRONLY)


NAMES = ("Ann", "Bob", "Chloé", "Dan", "Eve", "Finn", "Gaël", "Hugo", "Iris", "Jules", "Kim", "Lou")
"""Names of the simulated players, and of players who give none."""
SLOWEST, FASTEST = 0.1, 50.0
"""Allowed speeds of the demo's players."""
DEMO_JOURNAL = "demo.sqlite"


class _InstalledGames:
    """Names of the installed games, looked up (40 ms) only when the help that lists them is
    printed."""

    def __str__(self) -> str:
        return ", ".join(registry.list_game_ids())


_SEVERAL: Any = {"action": "append", "default": []}
_FILE: Any = {"type": Path, "metavar": "FILE"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `companion play`, in four groups."""
    _add_game_options(parser.add_argument_group("play.group.game"))
    _add_device_options(parser.add_argument_group("play.group.devices"))
    _add_clock_options(parser.add_argument_group("play.group.clock"))
    _add_view_options(parser.add_argument_group("play.group.views"))


def _add_game_options(group: argparse._ArgumentGroup) -> None:
    add, several = group.add_argument, _SEVERAL
    set_help_default(add("--game", help="play.game"), _InstalledGames())
    add("--players", default="", help="play.players")
    add("--option", **several, metavar="NAME=VALUE", help="play.option")
    add("--seed", type=_parse_seed, help="play.seed")
    add("--deck", default="", help="play.deck")


def _parse_seed(words: str) -> str:
    try:
        words.encode()
    except UnicodeEncodeError as fault:
        raise argparse.ArgumentTypeError("a seed must be valid text") from fault
    return words


def _add_device_options(group: argparse._ArgumentGroup) -> None:
    add, several, file = group.add_argument, _SEVERAL, _FILE
    add("--camera", **several, metavar="SOURCE", help="play.camera")
    add("--reader", **several, metavar="READER", help="play.reader")
    add("--pads", **file, help="play.pads")
    add("--zones", **file, help="play.zones")
    add("--replay", **file, help="play.replay")
    add("--record", **file, help="play.record")
    add("--by-hand", action="store_true", help="play.by_hand")
    add("--demo", action="store_true", help="play.demo")
    add("--speed", type=float, default=1.0, help="play.speed")


def _add_clock_options(group: argparse._ArgumentGroup) -> None:
    add = group.add_argument
    add("--clock", type=float, metavar="SECONDS", help="play.clock")
    add("--bank", type=float, default=0.0, metavar="SECONDS", help="play.bank")
    add("--clock-per", choices=("turn", "phase"), default="turn", help="play.clock_per")
    add("--when-up", choices=("warn", "harmless"), default="warn", help="play.when_up")


def _add_view_options(group: argparse._ArgumentGroup) -> None:
    add, file = group.add_argument, _FILE
    set_help_default(add("--journal", **file, help="play.journal"), default_journal_path())
    add("--resume", type=int, metavar="NUMBER", help="play.resume")
    add("--new", action="store_true", help="play.new")
    add_language_option(group)
    themes = [theme.name for theme in THEMES]
    add("--theme", choices=themes, default="", help="common.theme")
    add("--plain", action="store_true", help="common.plain")
    add("--voice", action="store_true", help="play.voice")
    add("--sounds", action="store_true", help="play.sounds")
    add("--keep-pictures", action="store_true", help="play.keep_pictures")
    add("--share", nargs="?", const=HERE, choices=PLACES, help="play.share")
    add("--odds", action="store_true", help="play.odds")
    add("--overlay", **file, help="play.overlay")


def build_plan(arguments: argparse.Namespace) -> Plan:
    """Return the plan that the arguments make. Raises `CannotBegin` for invalid options, speeds or
    clocks."""
    if not SLOWEST <= arguments.speed <= FASTEST:
        raise CannotBegin(Text("play.bad_speed", {"least": SLOWEST, "most": FASTEST}))
    is_count = arguments.players.isdecimal()
    names = arguments.players.split(",") if arguments.players and not is_count else ()
    plan = Plan(
        game=arguments.game or "",
        players=tuple(name.strip() for name in names),
        # Three digits are enough: `int` refuses numbers of thousands of digits.
        seats=int(arguments.players[:3]) if is_count else None,
        options=dict(map(_parse_option, arguments.option)),
        seed=arguments.seed,
        deck=arguments.deck,
        zones=arguments.zones,
        cameras=tuple(arguments.camera),
        readers=tuple(arguments.reader),
        pads=arguments.pads,
        replay=arguments.replay,
        record=arguments.record,
        demo=arguments.demo or not (arguments.resume is not None or _has_real_players(arguments)),
        speed=arguments.speed,
        clock=arguments.clock,
        bank=arguments.bank,
        clock_per=arguments.clock_per,
        when_up=arguments.when_up,
        journal=arguments.journal,
        resume=arguments.resume,
        offers=not arguments.new,
        language=arguments.lang,
        theme=arguments.theme,
        plain=arguments.plain,
        voice=arguments.voice,
        sounds=arguments.sounds,
        odds=arguments.odds,
        pictures=arguments.keep_pictures,
        share=arguments.share or "",
        overlay=arguments.overlay,
    )
    make_clock_options(plan)
    return plan


def _has_real_players(arguments: argparse.Namespace) -> bool:
    """Return whether people play: with a real device, by manual entry, or named at the simulated
    board."""
    real = [
        *(one for one in arguments.camera if one != OFF),
        *(one for one in arguments.reader if one != SIMULATED),
    ]
    has_names = arguments.players and not arguments.players.isdecimal()
    return bool(real or arguments.replay or arguments.by_hand or (arguments.reader and has_names))


def _parse_option(words: str) -> tuple[str, object]:
    try:
        return parse_option(words)
    except ValueError as fault:
        raise CannotBegin(Text("play.bad_option", {"option": words})) from fault


def default_players(plan: Plan) -> tuple[str, ...]:
    """Return as many of `NAMES` as were asked for, or the usual number. Raises `CannotBegin` for an
    unknown game."""
    seats = load_game(plan.game).seats
    return NAMES[: min(max(seats[0], 4), seats[-1]) if plan.seats is None else plan.seats]


def with_default_files(plan: Plan) -> Plan:
    """Add the files saved by `companion calibrate` and `companion pads` to the plan, if they exist
    and it names none."""
    usual = {"zones": default_layout_path(), "pads": default_pads_path()}
    found = {name: file for name, file in usual.items() if getattr(plan, name) is None and file.exists()}
    return plan.with_changes(**found)


def choose_journal_path(plan: Plan) -> Path:
    """Return the journal of real evenings, or the demo's own beside it, so that demo games do not
    fill the history."""
    return user_data_folder() / DEMO_JOURNAL if plan.demo else default_journal_path()


def run(arguments: argparse.Namespace) -> int:
    """Play; return 0 at the end, 128 + its number after a signal. Raises `Problem` if the table
    cannot be opened."""
    return play_games(build_plan(arguments))


def play_games(plan: Plan) -> int:
    """Play by this plan and by those of the games chosen after it; return the exit status."""
    exit_on_signals()
    # The command line comes first, the settings fill the rest.
    plan = kept_settings.load_settings().fill_plan(plan).with_changes(plain=plan.plain or not has_screen())
    requested_share = True
    # Open from game to game: what waits for the disk must not be lost with its game.
    journals: dict[Path, Journal] = {}
    try:
        while True:
            outcome = run_reporting_problems(
                "play",
                partial(_play_game, plan, journals, requested_share=requested_share),
                plan.language,
                plan.game or USUAL_GAME,
            )
            if not isinstance(outcome, Plan):
                return GAVE_UP if outcome is None else outcome
            # Only the first game, and its sharing, were asked for on the command line.
            plan, requested_share = outcome, False
    finally:
        for journal in journals.values():
            journal.stays_open = False
            journal.close()


def _open_journal(path: Path, journals: dict[Path, Journal]) -> Journal:
    if path not in journals:
        journals[path] = Journal.open(path)
        journals[path].stays_open = True
    return journals[path]


def _play_game(plan: Plan, journals: dict[Path, Journal], *, requested_share: bool = True) -> Plan | int:
    """Play one game; return the plan of the next one, or the exit status. `journals`: those of this
    run; `requested_share`: see `_start_sharing`."""
    translator = Translator(plan.language)
    shots = [name for name in plan.cameras if name != OFF]
    # Before any form: a file that was named and cannot be used is refused at once.
    check_input_files(shots, replay=plan.replay, pads=plan.pads, zones=plan.zones)
    # A plug-in's game may have no simulated players, or no drawn cards.
    wants_demo, by_itself = plan.demo, partial(has_simulated_players, needs_drawings=OFF not in plan.cameras)
    plan = with_default_files(plan.with_changes(demo=wants_demo and by_itself(plan.game or USUAL_GAME)))
    journal = _open_journal(plan.journal or choose_journal_path(plan), journals)
    saved = _choose_saved_session(plan, journal, translator)
    if saved is None and _needs_setup_form(plan):
        filled = (
            views.plain_view.complete_plan(plan, translator)
            if plan.plain
            else parts.setup_form.run_setup_form(plan, translator)
        )
        if filled is None:
            return 0
        plan = filled
    game = plan.game or USUAL_GAME if saved is None else saved.setup.game
    lacks_players = wants_demo and not by_itself(game)
    # A plug-in's game without simulated players opens by hand, and says why it is no demo.
    remark = Text("play.no_players" if plan.players else "play.nobody_named", {"game": game})
    plan = plan.with_changes(game=game, demo=plan.demo and by_itself(game))
    if saved is None and not plan.players:
        plan = plan.with_changes(players=default_players(plan))
    # Before the screen opens there is only the terminal to say why it takes so long.
    if not builds_demo_in_background(plan) and needs_card_drawing(plan):
        print(translator("play.drawing"), file=sys.stderr, flush=True)
    if SIMULATED in plan.readers:
        build_simulated_board(translator)
    with closing(open_table_session(plan, journal, saved, time.monotonic())) as session:
        if lacks_players:
            session.live.show_remark(remark)
        session.start_readers()
        if not plan.demo:
            remember_group(plan, session.live)
        _start_sharing(session, requested_share=requested_share)
        outcome = _run_view(session)
        if session.sharing is None:
            return outcome
        shared = session.sharing.invitation
        if isinstance(outcome, Plan) and shared is not None:
            session.sharing.hand_over()
            # The next game is shared with the same browsers, which come back by themselves.
            return outcome.with_changes(share=NETWORK if shared.address.startswith("https") else HERE)
        session.sharing.end_sharing()  # not after a crash: the evening goes on, and phones come back
        return outcome


def _needs_setup_form(plan: Plan) -> bool:
    """Return whether people are asked for game and players: they play, unnamed, at a terminal."""
    is_complete = plan.demo or plan.players or plan.seats is not None
    return not is_complete and sys.stdin.isatty()


def _choose_saved_session(plan: Plan, journal: Journal, translator: Translator) -> SavedSession | None:
    """Return the session to resume: the one named, or one of the unfinished ones that are offered,
    the last played first.

    Only sessions of the named game and players are offered, if any were named.
    """
    if plan.resume is not None:
        saved = journal.read_session(plan.resume)
        if saved is None:
            raise CannotBegin(
                journal.trouble or Text("journal.no_session", {"number": plan.resume, "file": ""})
            )
        return saved
    if not plan.offers:
        return None
    unfinished = journal.list_unfinished(kept_settings.load_settings().thrown_away)
    offered = [one for one in unfinished if _matches_plan(one, plan)]
    if not offered:
        return None
    if not sys.stdin.isatty() or not sys.stdout.isatty():  # nobody can be asked
        return journal.read_session(offered[0].number)
    labels = [
        translator(
            "resume.go_on_with", what=parts.home_screen_entries.format_session_summary(one, translator)
        )
        for one in offered
    ]
    lines = [*labels, translator("resume.anew")]
    chosen = views.home_screen.list_pages.choose_line(
        translator("resume.title"), lines, translator, plan.theme, plain=plan.plain
    )
    return (
        journal.read_session(offered[chosen].number) if chosen is not None and chosen < len(offered) else None
    )


def _matches_plan(summary: SessionSummary, plan: Plan) -> bool:
    return plan.players in ((), summary.players) and plan.game in ("", summary.game)


def _start_sharing(session: TableSession, *, requested_share: bool) -> None:
    """Share the table with browsers if asked for; phones that are devices need it, and HTTPS.

    If nobody asked for it this time (the previous game was shared), a missing network does not stop
    the game.
    """
    plan = session.plan
    translator = Translator(plan.language, session.live.game)
    camera, pads = find_phones(session)
    # Also where nothing is shared yet: it can be turned on by a key at any time.
    sharing = session.sharing = make_share_switch(translator, session=session, camera=camera, pads=pads)
    # Also if the table ends by an error: pages must not stay open without a table.
    session.closing.callback(sharing.close)
    place = plan.share or (NETWORK if camera or pads else None)
    if place is not None:
        try:
            invited = sharing.start_sharing(network=place == NETWORK)
        except CannotBegin as fault:
            if requested_share:
                raise
            session.live.show_remark(fault.text)
            return
        if camera is not None:
            print_invitation(invited)
            wait_for_phone(camera, translator)
        elif plan.plain:
            print(invited.invites[0].link, flush=True)
    elif (usual := kept_settings.load_settings().share) in PLACES:
        try:
            sharing.start_sharing(network=usual == NETWORK)
        except CannotBegin as fault:  # it was not asked for this time, so the game goes on without
            print(f"companion play: {fault.describe(translator.translate)}", file=sys.stderr)


def _run_view(session: TableSession) -> Plan | int:
    plan, live = session.plan, session.live
    translator = Translator(plan.language, live.game)
    if plan.overlay is not None:
        _keep_overlay_updated(plan.overlay, live, translator)
    for text in session.messages:
        print(f"companion play: {translator.translate(text)}", file=sys.stderr)
    if plan.plain:
        return views.plain_view.run(session) or 0
    app = Dashboard(session)
    app.animation_level = "none" if kept_settings.load_settings().still else "full"
    with reserve_terminal(user_data_folder()):
        outcome = app.run()
    return outcome or app.return_code or 0


def _keep_overlay_updated(file: Path, live: LiveSession, translator: Translator) -> None:
    """Write the overlay page now and after each change. If it cannot be written, that is reported
    and the evening goes on."""
    overlay = views.page_state.Overlay(file)

    def update_overlay(snapshot: Snapshot) -> None:
        with suppress(OSError):  # a full disk, a stick that was pulled out: the next change tries again
            overlay.write_snapshot(snapshot, translator)

    try:
        overlay.write_snapshot(live.snapshot(), translator)
    except OSError as fault:
        print(
            f"companion play: {translator('play.no_overlay', why=describe_os_error(fault), file=str(file))}",
            file=sys.stderr,
        )
    else:
        live.subscribe(update_overlay)
