"""`companion play`: opens the table; with no camera, reader or recording, the demo table."""

from __future__ import annotations

import argparse
import signal
import sys
import time
from contextlib import suppress
from functools import partial
from pathlib import Path

from companion import settings as kept_settings
from companion.commands.play_options import (
    GAME,
    add_arguments,
    asks_for_demo,
    has_devices,
    is_demo,
    named,
    plan_of,
    players_of,
    usual_journal,
)
from companion.evening.aloud import aloud
from companion.evening.evening import Evening
from companion.evening.first_start import build_board, cards_to_draw
from companion.evening.groups import options_of, remember
from companion.evening.keepsake import keep_page
from companion.evening.named_files import look_over
from companion.evening.opening import open_evening
from companion.evening.plan import OFF, SIMULATED, CannotBegin, Plan
from companion.evening.sharing import NETWORK, PLACES, ShareSwitch, tell, wait_for
from companion.folders import user_data
from companion.journal.journal import Journal
from companion.journal.kept import Kept
from companion.live.live import Live
from companion.live.snapshot import Snapshot
from companion.rules.contract import Text
from companion.texts import Translator, system_reason
from companion.views.dashboard.app import AGAIN, OWN_GAME, Dashboard
from companion.views.dashboard.around import Around
from companion.views.dashboard.own_screen import own_screen
from companion.views.terminal import has_screen

__all__ = ["GAME", "add_arguments", "run"]


def run(arguments: argparse.Namespace) -> int:
    """Play; 0 at the end, 2 with one clear sentence when the table cannot be opened, 128 + its
    number after a signal."""
    settings = kept_settings.load()
    arguments.theme = arguments.theme or settings.theme
    arguments.voice = arguments.voice or settings.voice
    arguments.sounds = arguments.sounds or settings.sounds
    arguments.keep_pictures = arguments.keep_pictures or settings.pictures
    say = Translator(arguments.lang)
    arguments.plain = arguments.plain or not has_screen()
    _leave_when_told()
    shots = [what for what in arguments.camera if what != OFF]
    # Before any form: a file that was named and cannot be used is refused at once.
    look_over(shots, replay=arguments.replay, pads=arguments.pads, zones=arguments.zones)
    journal = Journal.open(arguments.journal or usual_journal(arguments))
    kept = _kept(arguments, journal, say)
    if kept is None and _asks_first(arguments):
        from companion.evening.setup_form import fill_in  # noqa: PLC0415 - a known group's table opens without the form

        if not fill_in(arguments, say, settings.camera):
            journal.close()
            return 0
    plan = plan_of(arguments, kept)
    drawing = cards_to_draw(plan, kept.setup.game if kept is not None else plan.game)
    behind_the_screen = plan.demo and not arguments.plain
    if drawing and not behind_the_screen:
        print(say("play.drawing"), file=sys.stderr, flush=True)
    if SIMULATED in plan.readers:
        build_board(say)
    evening = open_evening(plan, journal, kept, time.monotonic())
    if drawing and behind_the_screen:
        evening.live.remark(Text("play.drawing"))
    if asks_for_demo(arguments) and not plan.demo:
        code = "play.no_players" if named(arguments) else "play.nobody_named"
        evening.live.remark(Text(code, {"game": plan.game}))
    try:
        evening.start()
        if not plan.demo:
            remember(plan, evening.live)
        status = _share(evening, arguments, plan)
    finally:
        evening.close()
    if status not in (AGAIN, OWN_GAME):
        return status
    _next_game(arguments, evening, plan, own=status == OWN_GAME)
    return run(arguments)


def _next_game(arguments: argparse.Namespace, evening: Evening, plan: Plan, *, own: bool) -> None:
    """Let `arguments` say what is played next: the same again, by who plays the next game; or,
    after a demo, a game of one's own.

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
    """Tell whether a form asks for game and players: people play, unnamed, and have a screen."""
    people = has_devices(arguments) or not is_demo(arguments, arguments.game or GAME)
    return people and not arguments.players and not arguments.plain and sys.stdin.isatty()


def _leave_when_told() -> None:
    """Let a closed terminal or a shutdown end the evening as `q` does: devices are released, the
    journal is closed."""

    def leave(number: int, _frame: object) -> None:
        # SystemExit ends whatever waits just now, and every `finally` on the way closes its device.
        sys.exit(128 + number)

    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), leave)


def _kept(arguments: argparse.Namespace, journal: Journal, say: Translator) -> Kept | None:
    """Return the evening to go on with: the one named, or one of those that have not ended and are
    offered, the last played first.

    Only evenings of the game and the players that were named, if any were.
    """
    if arguments.resume is not None:
        kept = journal.read(arguments.resume)
        if kept is None:
            raise CannotBegin(
                journal.trouble or Text("journal.no_session", {"number": arguments.resume, "file": ""})
            )
        return kept
    if arguments.new:
        return None
    thrown = kept_settings.load().thrown_away
    offered = [one for one in journal.unfinished() if one.begun not in thrown and _wanted(one, arguments)]
    if not offered:
        return None
    if not sys.stdin.isatty() or not sys.stdout.isatty():  # nobody can be asked
        return offered[0]
    from companion.evening.welcome import evening_in_words  # noqa: PLC0415 - seldom needed, and waited for before the first screen
    from companion.views.door.reading import choose_line  # noqa: PLC0415

    labels = [say("resume.go_on_with", what=evening_in_words(one, say)) for one in offered]
    lines = [*labels, say("resume.anew")]
    chosen = choose_line(say("resume.title"), lines, say, arguments.theme, plain=arguments.plain)
    return offered[chosen] if chosen is not None and chosen < len(offered) else None


def _wanted(kept: Kept, arguments: argparse.Namespace) -> bool:
    right = tuple(kept.people.right.values())
    same = not named(arguments) or players_of(arguments.players, kept.setup.game) == right
    return same and arguments.game in (None, kept.setup.game)


def _share(evening: Evening, arguments: argparse.Namespace, plan: Plan) -> int:
    """Show the table, to browsers too if asked for; phones that are devices need it, and HTTPS."""
    camera, pads = evening.phone, evening.phone_pads
    where = arguments.share or (NETWORK if camera or pads else None)
    say = Translator(arguments.lang, evening.live.game)
    with ShareSwitch(say, live=evening.live, camera=camera, pads=pads) as sharing:
        if where is not None:
            invited = sharing.open(network=where == NETWORK)
            if camera is not None:
                tell(invited)
                wait_for(camera, say)
            elif arguments.plain:
                print(invited.invites[0].link, flush=True)
        elif (usual := kept_settings.load().share) in PLACES:
            try:
                sharing.open(network=usual == NETWORK)
            except CannotBegin as fault:  # nobody asked for it this time: the game goes on without
                print(f"companion play: {fault.said(say.say)}", file=sys.stderr)
        return _show(evening, arguments, plan, sharing)


def _show(evening: Evening, arguments: argparse.Namespace, plan: Plan, sharing: ShareSwitch) -> int:
    told: list[Text] = []
    say = Translator(arguments.lang, evening.live.game)
    if arguments.overlay is not None:
        _keep_overlay(arguments.overlay, evening.live, say)

    def missing(text: Text) -> None:
        told.append(text)
        print(f"companion play: {say.say(text)}", file=sys.stderr)

    keeping = partial(keep_page, evening.live.journal)
    with aloud(arguments.lang, voice=arguments.voice, sounds=arguments.sounds, told=missing) as speaker:
        if arguments.plain:
            from companion.views.plain import run as run_plain  # noqa: PLC0415 - one of the two views is loaded

            run_plain(evening.live, say, evening.backstage, speaker=speaker, keep_page=keeping)
            return 0
        around = Around(
            backstage=evening.backstage,
            picture_of=evening.picture if evening.has_camera else None,
            labels_of=evening.labels,
            speaker=speaker,
            board=evening.board,
            sharing=sharing,
            demo=plan.demo,
            pictures=plan.pictures and evening.has_camera,
            told=told,
            keep_page=keeping,
        )
        app = Dashboard(evening.live, language=arguments.lang, theme=arguments.theme, around=around)
        app.animation_level = "none" if kept_settings.load().still else "full"
        evening.live.on_wake(app.wake)
        with own_screen(user_data()):
            app.run()
        return app.return_code or 0


def _keep_overlay(file: Path, live: Live, say: Translator) -> None:
    """Write the page now and after each change; a page that cannot be written is said, and the
    evening goes on without."""
    from companion.views.overlay import Overlay  # noqa: PLC0415 - only who streams waits for it

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
