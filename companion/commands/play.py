"""`companion play`: opens the table. With no camera, no reader and no recording it opens the demo table."""

from __future__ import annotations

import argparse
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from companion import settings as kept_settings
from companion.commands.common import add_language, usual_layout, usual_pads
from companion.evening.aloud import aloud
from companion.evening.evening import Evening
from companion.evening.first_start import cards_to_draw
from companion.evening.named_files import look_over
from companion.evening.opening import open_evening
from companion.evening.plan import OFF, SIMULATED, CannotBegin, Plan
from companion.evening.setup_form import fill_in, option
from companion.evening.sharing import HERE, NETWORK, PLACES, invitation, opened, tell, wait_for
from companion.evening.welcome import evening_in_words, group_of, options_of
from companion.folders import user_data
from companion.journal.journal import Journal
from companion.journal.store import Kept, default_path
from companion.live.clocks import ClockOptions
from companion.live.live import Live
from companion.live.snapshot import Snapshot
from companion.rules import registry
from companion.rules.contract import Text
from companion.texts import Translator, system_reason
from companion.views.dashboard.app import AGAIN, OWN_GAME, Dashboard
from companion.views.dashboard.around import Around
from companion.views.dashboard.ask import ask
from companion.views.dashboard.own_screen import own_screen
from companion.views.invitation import Invitation
from companion.views.overlay import Overlay
from companion.views.plain import run as run_plain
from companion.views.terminal import has_screen
from companion.views.themes import THEMES

NAMES = ("Ann", "Bob", "Chloé", "Dan", "Eve", "Finn", "Gaël", "Hugo", "Iris", "Jules", "Kim", "Lou")
"""The simulated players' names, and those of players who give none."""
GAME = "donkey_valley"
"""What is played when no game is named."""
SLOWEST, FASTEST = 0.1, 50.0
"""Speeds of the demo's players."""
DEMO_JOURNAL = "demo.sqlite"


_SEVERAL: Any = {"action": "append", "default": []}
_FILE: Any = {"type": Path, "metavar": "FILE"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `companion play`, in four groups."""
    _add_game(parser.add_argument_group("the game"))
    _add_devices(parser.add_argument_group("who sees the cards"))
    _add_clock(parser.add_argument_group("the clock"))
    _add_views(parser.add_argument_group("what is shown and kept"))


def _add_game(group: argparse._ArgumentGroup) -> None:
    add, several = group.add_argument, _SEVERAL
    games = ", ".join(registry.game_ids())
    add("--game", help=f"the game: {games} (default: {GAME})")
    names = "names, clockwise from the first player, with commas between them; or how many simulated players"
    add("--players", default="", help=names)
    add("--option", **several, metavar="NAME=VALUE", help="an option of the game, as the rules page names it")
    add("--seed", type=_seed, help="the seed of everything that the program draws")
    deck = "the deck: its name, its folder or its file (default: our own print-and-play deck)"
    add("--deck", default="", help=deck)


def _seed(words: str) -> str:
    try:
        words.encode()
    except UnicodeEncodeError as fault:
        raise argparse.ArgumentTypeError("bytes that are no text cannot be a seed") from fault
    return words


def _add_devices(group: argparse._ArgumentGroup) -> None:
    add, several, file = group.add_argument, _SEVERAL, _FILE
    camera = "a camera's number, path or address, phone, a video file, a folder of photos; off: none at the demo table"
    add("--camera", **several, metavar="SOURCE", help=camera)
    reader = "a card reader: auto, its port, pcsc (all PC/SC readers), typed (all that type like a keyboard), pn532=PORT, "
    reader += "phone (the players' phones read stickers), simulated"
    add("--reader", **several, metavar="READER", help=reader)
    add("--pads", **file, help="what the readers' pads are for (docs/reader.en.md)")
    add("--zones", **file, help="the table's layout, from `companion calibrate`")
    add("--replay", **file, help="play a recording of sightings")
    add("--record", **file, help="record what the readers see into a new file")
    add("--by-hand", action="store_true", help="no device: enter everything by keys")
    add("--demo", action="store_true", help="the demo table (what opens when no device is named)")
    add("--speed", type=float, default=1.0, help="how fast the demo's players move (default: 1)")


def _add_clock(group: argparse._ArgumentGroup) -> None:
    add = group.add_argument
    add("--clock", type=float, metavar="SECONDS", help="a clock for each turn")
    add("--bank", type=float, default=0.0, metavar="SECONDS", help="a bank of seconds for each player")
    per = "whether the clock begins anew with each turn or each phase"
    add("--clock-per", choices=("turn", "phase"), default="turn", help=per)
    up = "when time is up: warn, or do what hurts least"
    add("--when-up", choices=("warn", "harmless"), default="warn", help=up)


def _add_views(group: argparse._ArgumentGroup) -> None:
    add, file = group.add_argument, _FILE
    add("--journal", **file, help=f"where the evening is kept (default: {default_path()})")
    add("--resume", type=int, metavar="NUMBER", help="go on with this session of the history")
    add(
        "--new",
        action="store_true",
        help="begin anew without asking whether to go on with an unfinished session",
    )
    add_language(group)
    themes = [theme.name for theme in THEMES]
    add("--theme", choices=themes, default="", help="the colours")
    add("--plain", action="store_true", help="line by line, for screen readers and simple terminals")
    add("--voice", action="store_true", help="say what happens")
    add("--sounds", action="store_true", help="short sounds: whose turn, a question, a result")
    share = "show the table to browsers: of this computer (here), or of the local network (network)"
    add("--share", nargs="?", const=HERE, choices=PLACES, help=share)
    add("--overlay", **file, help="keep a page for a stream or a second screen in FILE (HTML)")


def run(arguments: argparse.Namespace) -> int:
    """Play; 0 at the end, 2 with one clear sentence when the table cannot be opened, 128 + its number after a signal."""
    settings = kept_settings.load()
    arguments.theme = arguments.theme or settings.theme
    arguments.voice = arguments.voice or settings.voice
    arguments.sounds = arguments.sounds or settings.sounds
    say = Translator(arguments.lang)
    arguments.plain = arguments.plain or not has_screen()
    _leave_when_told()
    shots = [what for what in arguments.camera if what != OFF]
    look_over(shots, replay=arguments.replay, pads=arguments.pads, zones=arguments.zones)
    journal = Journal.open(arguments.journal or _usual_journal(arguments))
    kept = _kept(arguments, journal, say)
    if kept is None and _asks_first(arguments) and not fill_in(arguments, say, settings.camera):
        journal.close()
        return 0
    plan = _plan(arguments, kept)
    if cards_to_draw(plan, kept.setup.game if kept is not None else plan.game):
        print(say("play.drawing"), file=sys.stderr, flush=True)
    evening = open_evening(plan, journal, kept, time.monotonic())
    try:
        evening.start()
        if not plan.demo:
            kept_settings.save(settings.with_group(group_of(plan, evening.live.setup)))
        status = _share(evening, arguments, plan)
    finally:
        evening.close()
    if status not in (AGAIN, OWN_GAME):
        return status
    _next_game(arguments, evening, plan, own=status == OWN_GAME)
    return run(arguments)


def _next_game(arguments: argparse.Namespace, evening: Evening, plan: Plan, *, own: bool) -> None:
    """Let `arguments` say what is played next: the same again, by who plays the next game; or, after a demo, a game of one's own.

    Where people have come or gone so that the game cannot be played by them, the form asks.
    """
    arguments.new, arguments.resume, arguments.game = True, None, plan.game
    if own:
        arguments.demo, arguments.players, arguments.by_hand = False, "", True
        return
    players = evening.live.snapshot().people.next_players
    fit = len(players) in evening.live.game.seats
    arguments.players = ",".join(players) if fit else ""
    arguments.by_hand = not plan.demo
    arguments.option = list(options_of(evening.live.setup))


def _asks_first(arguments: argparse.Namespace) -> bool:
    """Tell whether a form asks for game and players: people play, have not said who, and have a screen."""
    return _devices(arguments) and not arguments.players and not arguments.plain and sys.stdin.isatty()


def _leave_when_told() -> None:
    """Let a closed terminal or a shutdown end the evening as `q` does: devices are released, the journal is closed."""

    def leave(number: int, _frame: object) -> None:
        sys.exit(128 + number)

    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), leave)


def _plan(arguments: argparse.Namespace, kept: Kept | None) -> Plan:
    game = kept.setup.game if kept is not None else arguments.game or GAME
    return Plan(
        game=game,
        players=kept.setup.players if kept is not None else _players(arguments.players, game),
        options=dict(map(_option, arguments.option)),
        seed=arguments.seed,
        deck=arguments.deck,
        zones=_layout(arguments),
        cameras=tuple(arguments.camera),
        readers=tuple(arguments.reader),
        pads=_places(arguments),
        replay=arguments.replay,
        record=arguments.record,
        demo=_is_demo(arguments),
        speed=_speed(arguments.speed),
        clock=_clock(arguments),
        language=arguments.lang,
    )


def _speed(speed: float) -> float:
    if not SLOWEST <= speed <= FASTEST:
        raise CannotBegin(Text("play.bad_speed", {"least": SLOWEST, "most": FASTEST}))
    return speed


def _devices(arguments: argparse.Namespace) -> bool:
    """Tell whether people play: with a real device, by hand, or, named, at the simulated reader's board."""
    real = [
        *(one for one in arguments.camera if one != OFF),
        *(one for one in arguments.reader if one != SIMULATED),
    ]
    named = bool(arguments.players) and not arguments.players.isdecimal()
    return bool(real or arguments.replay or arguments.by_hand or (arguments.reader and named))


def _layout(arguments: argparse.Namespace) -> Path | None:
    """Return the layout to use: the one named, else the one that `companion calibrate` kept, if there is one."""
    usual = usual_layout()
    return arguments.zones or (usual if usual.exists() else None)


def _places(arguments: argparse.Namespace) -> Path | None:
    """Return the places of the readers: the file named, else the one that `companion pads` kept, if there is one."""
    return arguments.pads or (usual_pads() if usual_pads().exists() else None)


def _players(words: str, game_id: str) -> tuple[str, ...]:
    if words and not words.isdecimal():
        return tuple(name.strip() for name in words.split(","))
    try:
        seats = registry.load(game_id).seats
    except registry.GameUnavailable as fault:
        raise CannotBegin(Text("refusal.unknown_game", {"game": game_id, "reason": fault.reason})) from fault
    return NAMES[: int(words[:3]) if words else min(max(seats[0], 4), seats[-1])]


def _option(words: str) -> tuple[str, object]:
    try:
        return option(words)
    except ValueError as fault:
        raise CannotBegin(Text("play.bad_option", {"option": words})) from fault


def _clock(arguments: argparse.Namespace) -> ClockOptions | None:
    if arguments.clock is None:
        return None
    try:
        return ClockOptions(arguments.clock_per, arguments.clock, arguments.bank, when_up=arguments.when_up)
    except ValueError as fault:
        raise CannotBegin(Text("play.bad_clock", {"reason": str(fault)})) from fault


def _is_demo(arguments: argparse.Namespace) -> bool:
    """Tell whether simulated players play."""
    return bool(arguments.demo or (not _devices(arguments) and arguments.resume is None))


def _usual_journal(arguments: argparse.Namespace) -> Path:
    """Return the journal of real evenings, or beside it the demo's own, so that history is not full of games nobody played."""
    return user_data() / DEMO_JOURNAL if _is_demo(arguments) else default_path()


def _kept(arguments: argparse.Namespace, journal: Journal, say: Translator) -> Kept | None:
    """Return the evening to go on with: the one named, or one of those that have not ended and are offered, the last played first.

    Only evenings of the game and the players that were named, if any were.
    """
    if arguments.resume is not None:
        kept = journal.read(arguments.resume)
        if kept is None:
            raise CannotBegin(
                journal.trouble or Text("journal.no_session", {"number": arguments.resume, "file": ""})
            )
        return kept
    offered = [] if arguments.new else [one for one in journal.unfinished() if _wanted(one, arguments)]
    if not offered:
        return None
    labels = [say("resume.go_on_with", what=evening_in_words(one, say)) for one in offered]
    chosen = ask(say("resume.title"), [*labels, say("resume.anew")], plain=arguments.plain)
    return offered[chosen] if chosen is not None and chosen < len(offered) else None


def _wanted(kept: Kept, arguments: argparse.Namespace) -> bool:
    named = arguments.players and not arguments.players.isdecimal()
    same = not named or _players(arguments.players, kept.setup.game) == kept.setup.players
    return same and arguments.game in (None, kept.setup.game)


def _share(evening: Evening, arguments: argparse.Namespace, plan: Plan) -> int:
    """Show the table, to browsers too if that was asked for; phones that are devices need it, and HTTPS."""
    camera, pads = evening.phone, evening.phone_pads
    where = arguments.share or (NETWORK if camera or pads else None)
    if where is None:
        return _show(evening, arguments, plan)
    say = Translator(arguments.lang, evening.live.game)
    with opened(where, say, live=evening.live, camera=camera, pads=pads) as share:
        invited = invitation(share, say, evening.live.setup.players)
        if camera is not None:
            tell(invited)
            wait_for(camera, say)
        elif arguments.plain:
            print(share.link(), flush=True)
        return _show(evening, arguments, plan, invited)


def _show(
    evening: Evening, arguments: argparse.Namespace, plan: Plan, invited: Invitation | None = None
) -> int:
    told: list[Text] = []
    say = Translator(arguments.lang, evening.live.game)
    if arguments.overlay is not None:
        _keep_overlay(arguments.overlay, evening.live, say)

    def missing(text: Text) -> None:
        told.append(text)
        print(f"companion play: {say.say(text)}", file=sys.stderr)

    with aloud(arguments.lang, voice=arguments.voice, sounds=arguments.sounds, told=missing) as speaker:
        if arguments.plain:
            run_plain(evening.live, say, evening.backstage, speaker=speaker)
            return 0
        around = Around(
            backstage=evening.backstage,
            picture_of=evening.picture if evening.has_camera else None,
            labels_of=evening.labels,
            speaker=speaker,
            board=evening.board,
            invitation=invited,
            demo=plan.demo,
            told=told,
        )
        app = Dashboard(evening.live, language=arguments.lang, theme=arguments.theme, around=around)
        app.animation_level = "none" if kept_settings.load().still else "full"
        evening.live.on_wake(app.wake)
        with own_screen(user_data()):
            app.run()
        return app.return_code or 0


def _keep_overlay(file: Path, live: Live, say: Translator) -> None:
    """Write the page now and after each change; a page that cannot be written is said, and the evening goes on without."""
    overlay = Overlay(file)

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
