"""The options of `companion play`, and the plan of an evening that they amount to."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from companion.commands.common import add_language, usual_layout, usual_pads, usually
from companion.evening.opening import clock_of
from companion.evening.sharing import HERE, PLACES
from companion.folders import user_data
from companion.journal.store import default_path
from companion.plan import OFF, SIMULATED, USUAL_GAME, CannotBegin, Plan, option
from companion.rules import registry
from companion.rules.contract import Text
from companion.views.themes import THEMES

NAMES = ("Ann", "Bob", "Chloé", "Dan", "Eve", "Finn", "Gaël", "Hugo", "Iris", "Jules", "Kim", "Lou")
"""The simulated players' names, and those of players who give none."""
SLOWEST, FASTEST = 0.1, 50.0
"""Speeds of the demo's players."""
DEMO_JOURNAL = "demo.sqlite"


class _Installed:
    """The names of the games, looked up (40 ms) only where the help that lists them is printed."""

    def __str__(self) -> str:
        return ", ".join(registry.game_ids())


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
    usually(add("--game", help=f"the game: %(usual)s (default: {USUAL_GAME})"), _Installed())
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
    reader = "a card reader: auto, its port, trays (all trays with a board of their own), pcsc (all PC/SC readers), "
    reader += "typed (all that type like a keyboard), pn532=PORT, phone (the players' phones read stickers), simulated"
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
    usually(add("--journal", **file, help="where the evening is kept (default: %(usual)s)"), default_path())
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
    pictures = (
        "keep pictures of the cards that are turned up, for the page of the evening (`companion history`)"
    )
    add("--keep-pictures", action="store_true", help=pictures)
    share = "show the table to browsers: of this computer (here), or of the local network (network)"
    add("--share", nargs="?", const=HERE, choices=PLACES, help=share)
    add(
        "--odds",
        action="store_true",
        help="tell the chance of what lies face down, from what is public: for study and onlookers",
    )
    add("--overlay", **file, help="keep a page for a stream or a second screen in FILE (HTML)")


def plan_of(arguments: argparse.Namespace) -> Plan:
    """Return the plan that the arguments fill. Raises `CannotBegin` for options, a speed or a clock
    that cannot be."""
    if not SLOWEST <= arguments.speed <= FASTEST:
        raise CannotBegin(Text("play.bad_speed", {"least": SLOWEST, "most": FASTEST}))
    counted = arguments.players.isdecimal()
    named = arguments.players.split(",") if arguments.players and not counted else ()
    plan = Plan(
        game=arguments.game or "",
        players=tuple(name.strip() for name in named),
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
    """Tell whether people play: with a real device, by hand, or named at the simulated board."""
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
    """Return as many of `NAMES` as are asked for or usual. Raises `CannotBegin` for an unknown
    game."""
    try:
        seats = registry.load(plan.game).seats
    except registry.GameUnavailable as fault:
        raise CannotBegin(fault.refusal.text) from fault
    return NAMES[: min(max(seats[0], 4), seats[-1]) if plan.seats is None else plan.seats]


def with_usual_files(plan: Plan) -> Plan:
    """Let the plan name the layout that `companion calibrate` kept and the places that `companion
    pads` kept, where there are any and it names none."""
    usual = {"zones": usual_layout(), "pads": usual_pads()}
    there = {name: file for name, file in usual.items() if getattr(plan, name) is None and file.exists()}
    return plan.but(**there)


def usual_journal(plan: Plan) -> Path:
    """Return the journal of real evenings, or beside it the demo's own, so that history is not full
    of games nobody played."""
    return user_data() / DEMO_JOURNAL if plan.demo else default_path()
