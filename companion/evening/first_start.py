"""What is done before the table opens. The files that a command line names are looked at: what is
not there now will not come by itself. At the first start our cards are drawn once, which takes a
second or two; the simulated card reader is compiled, which takes up to a minute."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from companion.decks.collection import deck_of, find_deck
from companion.decks.drawings import drawn_before
from companion.plan import OFF, SIMULATED, CannotBegin, Plan
from companion.readers import camera, recorded
from companion.readers.recorded import RecordingError
from companion.readers.rfid.events import ReaderProblem
from companion.readers.rfid.simulator import build
from companion.rules.contract import Text
from companion.table import pads as pad_plans
from companion.table import zones as layouts
from companion.table.decks import Deck
from companion.table.pads import PadsError
from companion.table.zones import ZonesError
from companion.texts import Translator

if TYPE_CHECKING:
    from companion.readers.camera.sources import Source


def cards_to_draw(plan: Plan) -> bool:
    """Tell whether the evening waits until its cards are drawn. Raises `DeckError`."""
    return _drawings_wanted(plan) and not drawn_before(deck_for(plan, plan.game), plan.language)


def made_behind_the_screen(plan: Plan) -> bool:
    """Tell whether the demo's table is made, and said to be, once its screen is seen: the drawn one
    alone is. One with a board, or whose reveals are kept, is made before; lines have no screen."""
    return plan.demo and not plan.plain and SIMULATED not in plan.readers and not plan.pictures


def deck_for(plan: Plan, game: str) -> Deck:
    """Return the deck that was named, else the game's own. Raises `DeckError`."""
    return find_deck(plan.deck) if plan.deck else deck_of(game)


def _drawings_wanted(plan: Plan) -> bool:
    """Tell whether a camera looks at cards, a real one or the demo table's; with `off` a simulated
    reader's demo has none."""
    demo_is_seen = plan.demo and not (SIMULATED in plan.readers and OFF in plan.cameras)
    return demo_is_seen or any(what != OFF for what in plan.cameras)


def build_board(say: Translator) -> None:
    """Compile the simulated card reader where anything of it is new, and tell the terminal how far
    it is. Why it cannot be compiled is said where it is started."""
    begin, end = ("\r", "") if sys.stderr.isatty() else ("", "\n")

    def tell(done: int, count: int) -> None:
        words = say("reader.simulator_building", done=str(done), count=str(count))
        print(f"{begin}{words}", end="\n" if done == count else end, file=sys.stderr, flush=True)

    with suppress(ReaderProblem):
        build(told=tell)


def look_over(cameras: Iterable[str], *, replay: Path | None, pads: Path | None, zones: Path | None) -> None:
    """Raise `CannotBegin` at the first of these that is missing or not what it should be; see
    `companion.plan.Plan`."""
    try:
        for what in cameras:
            _look_through(what)
        if replay is not None:
            recorded.read(replay)
        if pads is not None:
            pad_plans.load(pads)
        if zones is not None:
            layouts.load(zones)
    except (RecordingError, PadsError, ZonesError) as fault:
        if isinstance(fault, ZonesError) and isinstance(fault.__cause__, FileNotFoundError):
            raise CannotBegin(Text("play.no_layout", {"file": str(zones)})) from fault
        raise CannotBegin(fault.text) from fault


def _look_through(what: str) -> None:
    try:
        source_of(what)
    except camera.sources.SourceError as fault:
        raise CannotBegin(fault.text) from fault


def source_of(what: str) -> Source:
    """Return the camera, film or folder of photos that a person named.

    Raises `SourceError` for a film or a folder that cannot be shown; a camera may still be plugged
    in.
    """
    source = camera.sources.find(what)
    if not source.returns:
        source.open()
        source.close()
    return source
