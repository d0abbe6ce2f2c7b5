"""`companion play`: opens the table; with no camera, reader or recording, the demo table."""

from __future__ import annotations

import argparse
import sys
import time
from contextlib import closing, suppress
from functools import partial
from pathlib import Path

from companion import evening as parts
from companion import settings as kept_settings
from companion import views
from companion.commands.play_options import (
    add_arguments,
    plan_of,
    usual_journal,
    usual_players,
    with_usual_files,
)
from companion.commands.running import GAVE_UP, attempt, leave_when_told
from companion.demo.actions import has_players
from companion.evening.first_start import build_board, cards_to_draw, look_over
from companion.evening.opening import open_evening, remember
from companion.evening.sharing import NETWORK, PLACES, phones_at, sharing_of, tell, wait_for
from companion.folders import user_data
from companion.journal.journal import Journal
from companion.journal.kept import Kept
from companion.journal.summaries import SessionSummary
from companion.live.live import Live
from companion.live.snapshot import Snapshot
from companion.plan import OFF, SIMULATED, USUAL_GAME, CannotBegin, Plan
from companion.rules.contract import Text
from companion.texts import Translator, system_reason
from companion.views.dashboard.app import Dashboard
from companion.views.dashboard.own_screen import own_screen
from companion.views.evening import Evening
from companion.views.terminal import has_screen

__all__ = ["USUAL_GAME", "add_arguments", "run"]


def run(arguments: argparse.Namespace) -> int:
    """Play; 0 at the end, 2 with one clear sentence when the table cannot be opened, 128 + its
    number after a signal."""
    return play(plan_of(arguments))


def play(plan: Plan) -> int:
    """Play by this plan, and by that of each game that is wanted after it; return the exit
    status."""
    leave_when_told()
    plan = kept_settings.load().fill(plan).but(plain=plan.plain or not has_screen())
    while True:
        done = attempt("play", partial(_play, plan), plan.language, plan.game or USUAL_GAME)
        if not isinstance(done, Plan):
            return GAVE_UP if done is None else done
        plan = done


def _play(plan: Plan) -> Plan | int:
    """Play one game; return what is wanted next, or the exit status."""
    say = Translator(plan.language)
    shots = [what for what in plan.cameras if what != OFF]
    # Before any form: a file that was named and cannot be used is refused at once.
    look_over(shots, replay=plan.replay, pads=plan.pads, zones=plan.zones)
    wants_demo = plan.demo
    plan = with_usual_files(plan.but(demo=plan.demo and has_players(plan.game or USUAL_GAME)))
    journal = Journal.open(plan.journal or usual_journal(plan))
    kept = _kept(plan, journal, say)
    if kept is None and _asks_first(plan):
        filled = parts.setup_form.fill_in(plan, say)
        if filled is None:
            journal.close()
            return 0
        plan = filled
    game = plan.game or USUAL_GAME if kept is None else kept.setup.game
    nobody = wants_demo and not has_players(game)
    remark = Text("play.no_players" if plan.players else "play.nobody_named", {"game": game})
    plan = plan.but(game=game, demo=plan.demo and has_players(game))
    if kept is None and not plan.players:
        plan = plan.but(players=usual_players(plan))
    drawing = cards_to_draw(plan)
    behind_the_screen = plan.demo and not plan.plain
    if drawing and not behind_the_screen:
        print(say("play.drawing"), file=sys.stderr, flush=True)
    if SIMULATED in plan.readers:
        build_board(say)
    with closing(open_evening(plan, journal, kept, time.monotonic())) as evening:
        if drawing and behind_the_screen:
            evening.live.remark(Text("play.drawing"))
        if nobody:
            evening.live.remark(remark)
        evening.start()
        if not plan.demo:
            remember(plan, evening.live)
        _share(evening)
        done = _show(evening)
        if evening.sharing is not None:  # not after a crash: the evening goes on, and phones come back
            evening.sharing.end()
        return done


def _asks_first(plan: Plan) -> bool:
    """Tell whether a form asks for game and players: people play, unnamed, and have a screen."""
    said = plan.demo or plan.players or plan.seats is not None
    return not said and not plan.plain and sys.stdin.isatty()


def _kept(plan: Plan, journal: Journal, say: Translator) -> Kept | None:
    """Return the evening to go on with: the one named, or one of those that have not ended and are
    offered, the last played first.

    Only evenings of the game and the players that were named, if any were.
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


def _share(evening: Evening) -> None:
    """Share the table with browsers if asked for; phones that are devices need it, and HTTPS."""
    plan, live = evening.plan, evening.live
    say = Translator(plan.language, live.game)
    camera, pads = phones_at(evening)
    sharing = evening.sharing = sharing_of(say, live=live, camera=camera, pads=pads)
    evening.closing.callback(sharing.close)
    where = plan.share or (NETWORK if camera or pads else None)
    if where is not None:
        invited = sharing.open(network=where == NETWORK)
        if camera is not None:
            tell(invited)
            wait_for(camera, say)
        elif plan.plain:
            print(invited.invites[0].link, flush=True)
    elif (usual := kept_settings.load().share) in PLACES:
        try:
            sharing.open(network=usual == NETWORK)
        except CannotBegin as fault:  # nobody asked for it this time: the game goes on without
            print(f"companion play: {fault.said(say.say)}", file=sys.stderr)


def _show(evening: Evening) -> Plan | int:
    plan, live = evening.plan, evening.live
    say = Translator(plan.language, live.game)
    if plan.overlay is not None:
        _keep_overlay(plan.overlay, live, say)
    for text in evening.told:
        print(f"companion play: {say.say(text)}", file=sys.stderr)
    if plan.plain:
        views.plain.run(evening)
        return 0
    app = Dashboard(evening)
    app.animation_level = "none" if kept_settings.load().still else "full"
    with own_screen(user_data()):
        wanted = app.run()
    return wanted or app.return_code or 0


def _keep_overlay(file: Path, live: Live, say: Translator) -> None:
    """Write the page now and after each change; a page that cannot be written is said, and the
    evening goes on without."""
    overlay = views.overlay.Overlay(file)

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
