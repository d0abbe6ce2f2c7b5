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
from companion.commands.common import add_language, usual_layout, usual_pads, usually
from companion.commands.running import GAVE_UP, attempt, has_screen, leave_when_told
from companion.demo.actions import can_be_played
from companion.evening.first_start import build_board, cards_to_draw, look_over, made_behind_the_screen
from companion.evening.opening import clock_of, open_evening, remember
from companion.evening.sharing import HERE, NETWORK, PLACES, phones_at, sharing_of, tell, wait_for
from companion.folders import user_data
from companion.journal.journal import Journal
from companion.journal.kept import Kept
from companion.journal.store import default_path
from companion.journal.summaries import SessionSummary
from companion.live.live import Live
from companion.live.snapshot import Snapshot
from companion.plan import OFF, SIMULATED, USUAL_GAME, CannotBegin, Plan, loaded, option
from companion.rules import registry
from companion.rules.contract import Text
from companion.texts import Translator, system_reason
from companion.views.dashboard.app import Dashboard
from companion.views.evening import Evening
from companion.views.themes import THEMES

FILE = "messages.log"
"""File for messages of libraries, in the folder of the journal; each run overwrites it."""


@contextmanager
def own_screen(folder: Path) -> Iterator[None]:
    """Redirect file descriptor 2 to `folder`/`FILE` (or to the null device) inside the block, and
    give the terminal to Textual."""
    # What was written before belongs on the terminal, not in the file.
    sys.stderr.flush()
    terminal = os.dup(2)
    before = sys.__stderr__, sys.stderr
    screen = os.fdopen(terminal, "w", encoding="utf-8", errors="replace")
    # A second copy, to be put back: the first is closed with the screen.
    kept = os.dup(2)
    aside = _aside(folder)
    os.dup2(aside, 2)
    os.close(aside)
    sys.__stderr__ = sys.stderr = screen  # type: ignore[misc]
    try:
        yield
    finally:
        sys.__stderr__, sys.stderr = before  # type: ignore[misc]
        os.dup2(kept, 2)
        os.close(kept)
        # The terminal may be gone: what was still to be drawn does not matter, the reason for
        # leaving does.
        with suppress(OSError):
            screen.close()


def _aside(folder: Path) -> int:
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


class _Installed:
    """Names of the installed games, looked up (40 ms) only when the help that lists them is
    printed."""

    def __str__(self) -> str:
        return ", ".join(registry.game_ids())


_SEVERAL: Any = {"action": "append", "default": []}
_FILE: Any = {"type": Path, "metavar": "FILE"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `companion play`, in four groups."""
    _add_game(parser.add_argument_group("play.group.game"))
    _add_devices(parser.add_argument_group("play.group.devices"))
    _add_clock(parser.add_argument_group("play.group.clock"))
    _add_views(parser.add_argument_group("play.group.views"))


def _add_game(group: argparse._ArgumentGroup) -> None:
    add, several = group.add_argument, _SEVERAL
    usually(add("--game", help="play.game"), _Installed())
    add("--players", default="", help="play.players")
    add("--option", **several, metavar="NAME=VALUE", help="play.option")
    add("--seed", type=_seed, help="play.seed")
    add("--deck", default="", help="play.deck")


def _seed(words: str) -> str:
    try:
        words.encode()
    except UnicodeEncodeError as fault:
        raise argparse.ArgumentTypeError("a seed must be valid text") from fault
    return words


def _add_devices(group: argparse._ArgumentGroup) -> None:
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


def _add_clock(group: argparse._ArgumentGroup) -> None:
    add = group.add_argument
    add("--clock", type=float, metavar="SECONDS", help="play.clock")
    add("--bank", type=float, default=0.0, metavar="SECONDS", help="play.bank")
    add("--clock-per", choices=("turn", "phase"), default="turn", help="play.clock_per")
    add("--when-up", choices=("warn", "harmless"), default="warn", help="play.when_up")


def _add_views(group: argparse._ArgumentGroup) -> None:
    add, file = group.add_argument, _FILE
    usually(add("--journal", **file, help="play.journal"), default_path())
    add("--resume", type=int, metavar="NUMBER", help="play.resume")
    add("--new", action="store_true", help="play.new")
    add_language(group)
    themes = [theme.name for theme in THEMES]
    add("--theme", choices=themes, default="", help="common.theme")
    add("--plain", action="store_true", help="common.plain")
    add("--voice", action="store_true", help="play.voice")
    add("--sounds", action="store_true", help="play.sounds")
    add("--keep-pictures", action="store_true", help="play.keep_pictures")
    add("--share", nargs="?", const=HERE, choices=PLACES, help="play.share")
    add("--odds", action="store_true", help="play.odds")
    add("--overlay", **file, help="play.overlay")


def plan_of(arguments: argparse.Namespace) -> Plan:
    """Return the plan that the arguments make. Raises `CannotBegin` for invalid options, speeds or
    clocks."""
    if not SLOWEST <= arguments.speed <= FASTEST:
        raise CannotBegin(Text("play.bad_speed", {"least": SLOWEST, "most": FASTEST}))
    counted = arguments.players.isdecimal()
    named = arguments.players.split(",") if arguments.players and not counted else ()
    plan = Plan(
        game=arguments.game or "",
        players=tuple(name.strip() for name in named),
        # Three digits are enough: `int` refuses numbers of thousands of digits.
        seats=int(arguments.players[:3]) if counted else None,
        options=dict(map(_option, arguments.option)),
        seed=arguments.seed,
        deck=arguments.deck,
        zones=arguments.zones,
        cameras=tuple(arguments.camera),
        readers=tuple(arguments.reader),
        pads=arguments.pads,
        replay=arguments.replay,
        record=arguments.record,
        demo=arguments.demo or not (arguments.resume is not None or _people_play(arguments)),
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
    clock_of(plan)
    return plan


def _people_play(arguments: argparse.Namespace) -> bool:
    """Return whether people play: with a real device, by manual entry, or named at the simulated
    board."""
    real = [
        *(one for one in arguments.camera if one != OFF),
        *(one for one in arguments.reader if one != SIMULATED),
    ]
    named = arguments.players and not arguments.players.isdecimal()
    return bool(real or arguments.replay or arguments.by_hand or (arguments.reader and named))


def _option(words: str) -> tuple[str, object]:
    try:
        return option(words)
    except ValueError as fault:
        raise CannotBegin(Text("play.bad_option", {"option": words})) from fault


def usual_players(plan: Plan) -> tuple[str, ...]:
    """Return as many of `NAMES` as were asked for, or the usual number. Raises `CannotBegin` for an
    unknown game."""
    seats = loaded(plan.game).seats
    return NAMES[: min(max(seats[0], 4), seats[-1]) if plan.seats is None else plan.seats]


def with_usual_files(plan: Plan) -> Plan:
    """Add the files saved by `companion calibrate` and `companion pads` to the plan, if they exist
    and it names none."""
    usual = {"zones": usual_layout(), "pads": usual_pads()}
    there = {name: file for name, file in usual.items() if getattr(plan, name) is None and file.exists()}
    return plan.but(**there)


def usual_journal(plan: Plan) -> Path:
    """Return the journal of real evenings, or the demo's own beside it, so that demo games do not
    fill the history."""
    return user_data() / DEMO_JOURNAL if plan.demo else default_path()


def run(arguments: argparse.Namespace) -> int:
    """Play; return 0 at the end, 128 + its number after a signal. Raises `Problem` if the table
    cannot be opened."""
    return play(plan_of(arguments))


def play(plan: Plan) -> int:
    """Play by this plan and by those of the games chosen after it; return the exit status."""
    leave_when_told()
    # The command line comes first, the settings fill the rest.
    plan = kept_settings.load().fill(plan).but(plain=plan.plain or not has_screen())
    asked = True
    while True:
        done = attempt("play", partial(_play, plan, asked=asked), plan.language, plan.game or USUAL_GAME)
        if not isinstance(done, Plan):
            return GAVE_UP if done is None else done
        # Only the first game, and its sharing, were asked for on the command line.
        plan, asked = done, False


def _play(plan: Plan, *, asked: bool = True) -> Plan | int:
    """Play one game; return the plan of the next one, or the exit status. `asked`: see `_share`."""
    say = Translator(plan.language)
    shots = [what for what in plan.cameras if what != OFF]
    # Before any form: a file that was named and cannot be used is refused at once.
    look_over(shots, replay=plan.replay, pads=plan.pads, zones=plan.zones)
    # A plug-in's game may have no simulated players, or no drawn cards.
    wants_demo, by_itself = plan.demo, partial(can_be_played, drawn=OFF not in plan.cameras)
    plan = with_usual_files(plan.but(demo=wants_demo and by_itself(plan.game or USUAL_GAME)))
    # Closed even if no game begins: the home screen may start another one.
    with closing(Journal.open(plan.journal or usual_journal(plan))) as journal:
        kept = _kept(plan, journal, say)
        if kept is None and _asks_first(plan):
            filled = views.plain.planned(plan, say) if plan.plain else parts.setup_form.fill_in(plan, say)
            if filled is None:
                return 0
            plan = filled
        game = plan.game or USUAL_GAME if kept is None else kept.setup.game
        nobody = wants_demo and not by_itself(game)
        # A plug-in's game without simulated players opens by hand, and says why it is no demo.
        remark = Text("play.no_players" if plan.players else "play.nobody_named", {"game": game})
        plan = plan.but(game=game, demo=plan.demo and by_itself(game))
        if kept is None and not plan.players:
            plan = plan.but(players=usual_players(plan))
        # Before the screen opens there is only the terminal to say why it takes so long.
        if not made_behind_the_screen(plan) and cards_to_draw(plan):
            print(say("play.drawing"), file=sys.stderr, flush=True)
        if SIMULATED in plan.readers:
            build_board(say)
        with closing(open_evening(plan, journal, kept, time.monotonic())) as evening:
            if nobody:
                evening.live.remark(remark)
            evening.start()
            if not plan.demo:
                remember(plan, evening.live)
            _share(evening, asked=asked)
            done = _show(evening)
            if evening.sharing is None:
                return done
            shared = evening.sharing.invitation
            if isinstance(done, Plan) and shared is not None:
                evening.sharing.pass_on()
                # The next game is shared with the same browsers, which come back by themselves.
                return done.but(share=NETWORK if shared.address.startswith("https") else HERE)
            evening.sharing.end()  # not after a crash: the evening goes on, and phones come back
            return done


def _asks_first(plan: Plan) -> bool:
    """Return whether people are asked for game and players: they play, unnamed, at a terminal."""
    said = plan.demo or plan.players or plan.seats is not None
    return not said and sys.stdin.isatty()


def _kept(plan: Plan, journal: Journal, say: Translator) -> Kept | None:
    """Return the session to resume: the one named, or one of the unfinished ones that are offered,
    the last played first.

    Only sessions of the named game and players are offered, if any were named.
    """
    if plan.resume is not None:
        kept = journal.read(plan.resume)
        if kept is None:
            raise CannotBegin(
                journal.trouble or Text("journal.no_session", {"number": plan.resume, "file": ""})
            )
        return kept
    if not plan.offers:
        return None
    begun = journal.unfinished(kept_settings.load().thrown_away)
    offered = [one for one in begun if _wanted(one, plan)]
    if not offered:
        return None
    if not sys.stdin.isatty() or not sys.stdout.isatty():  # nobody can be asked
        return journal.read(offered[0].number)
    labels = [say("resume.go_on_with", what=parts.welcome.evening_in_words(one, say)) for one in offered]
    lines = [*labels, say("resume.anew")]
    chosen = views.door.reading.choose_line(say("resume.title"), lines, say, plan.theme, plain=plan.plain)
    return journal.read(offered[chosen].number) if chosen is not None and chosen < len(offered) else None


def _wanted(one: SessionSummary, plan: Plan) -> bool:
    return plan.players in ((), one.players) and plan.game in ("", one.game)


def _share(evening: Evening, *, asked: bool) -> None:
    """Share the table with browsers if asked for; phones that are devices need it, and HTTPS.

    If nobody asked for it this time (the previous game was shared), a missing network does not stop
    the game.
    """
    plan = evening.plan
    say = Translator(plan.language, evening.live.game)
    camera, pads = phones_at(evening)
    # Also where nothing is shared yet: it can be turned on by a key at any time.
    sharing = evening.sharing = sharing_of(say, evening=evening, camera=camera, pads=pads)
    # Also if the table ends by an error: pages must not stay open without a table.
    evening.closing.callback(sharing.close)
    where = plan.share or (NETWORK if camera or pads else None)
    if where is not None:
        try:
            invited = sharing.open(network=where == NETWORK)
        except CannotBegin as fault:
            if asked:
                raise
            evening.live.remark(fault.text)
            return
        if camera is not None:
            tell(invited)
            wait_for(camera, say)
        elif plan.plain:
            print(invited.invites[0].link, flush=True)
    elif (usual := kept_settings.load().share) in PLACES:
        try:
            sharing.open(network=usual == NETWORK)
        except CannotBegin as fault:  # it was not asked for this time, so the game goes on without
            print(f"companion play: {fault.said(say.say)}", file=sys.stderr)


def _show(evening: Evening) -> Plan | int:
    plan, live = evening.plan, evening.live
    say = Translator(plan.language, live.game)
    if plan.overlay is not None:
        _keep_overlay(plan.overlay, live, say)
    for text in evening.told:
        print(f"companion play: {say.say(text)}", file=sys.stderr)
    if plan.plain:
        return views.plain.run(evening) or 0
    app = Dashboard(evening)
    app.animation_level = "none" if kept_settings.load().still else "full"
    with own_screen(user_data()):
        wanted = app.run()
    return wanted or app.return_code or 0


def _keep_overlay(file: Path, live: Live, say: Translator) -> None:
    """Write the overlay page now and after each change. If it cannot be written, that is reported
    and the evening goes on."""
    overlay = views.state.Overlay(file)

    def show(snapshot: Snapshot) -> None:
        with suppress(OSError):  # a full disk, a stick that was pulled out: the next change tries again
            overlay.show(snapshot, say)

    try:
        overlay.show(live.snapshot(), say)
    except OSError as fault:
        print(
            f"companion play: {say('play.no_overlay', why=system_reason(fault), file=str(file))}",
            file=sys.stderr,
        )
    else:
        live.subscribe(show)
