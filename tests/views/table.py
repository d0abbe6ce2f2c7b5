"""A live session of Donkey Valley for the views' tests, and a look at what stands on the screen."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode
from textual.app import App
from textual.pilot import Pilot

from companion.demo.actions import make_players
from companion.games.donkey_valley import moves as ask
from companion.journal.journal import Journal
from companion.live.clocks import ClockOptions
from companion.live.live_session import LiveSession
from companion.plan import Plan
from companion.rules.contract import Refusal, Request
from companion.rules.start import Start, prepare_game
from companion.table.decks import Deck
from companion.table.table import Table
from companion.views.dashboard.app import Dashboard
from companion.views.dashboard.screens.table_screen import KeysRow
from companion.views.table_session import TableSession

THREE = ("Ann", "Bob", "Chloé")
SEVEN = ("Ann", "Bob", "Chloé", "Dora", "Emil", "Françoise", "Gus")


def live_session(
    players: Sequence[str] = THREE,
    game: str = "donkey_valley",
    clock: ClockOptions | None = None,
    journal: Journal | None = None,
    **options: Any,
) -> LiveSession:
    begun = prepare_game(Start(game, list(players), options, 11))
    assert not isinstance(begun, Refusal), begun
    deck = Deck.load_builtin(game)
    colours = {colour: seat for seat, colour in enumerate(deck.owner_colours[: len(players)], 1)}
    return LiveSession(
        *begun, table=Table(deck, colours), cards=tuple(deck.card_counts), clock=clock, journal=journal
    )


def enter(live: LiveSession, *requests: Request) -> None:
    for request in requests:
        refusal = live.submit_request(request)
        assert refusal is None, refusal


def played_out(players: tuple[str, ...], game: str = "donkey_valley") -> LiveSession:
    """A game that simulated players have played to its end."""
    live = live_session(players, game)
    hands = make_players(live.setup)
    with suppress(StopIteration):
        while (deed := hands.next_action(live.list_acts(), live.snapshot().view)) is not None:
            assert live.submit_request(deed.request) is None
    return live


def first_round(live: LiveSession, donkey: str = "giant") -> None:
    """A donkey, a load each, no favours; everybody but the last accepts; loads 7, 5, 3 and so on
    turned up."""
    players = live.setup.players
    enter(
        live,
        ask.Donkey(donkey),
        *(ask.Load(player) for player in players),
        *(ask.NoFavour(player) for player in players),
    )
    enter(live, *(ask.Decide(player, player != players[-1]) for player in players))
    for number, player in enumerate(players):
        enter(live, ask.Reveal(player, ((7, 5, 3, 2, 4, 6, 8)[number],)))


class Heard(list[str]):
    """A voice that remembers what it was told to say."""

    def queue_sentence(self, sentence: str, urgency: int = 0) -> None:
        self.append(sentence)

    def silence_voice(self) -> None:
        self.append("(silence)")


USUAL = Plan()


def dashboard(
    live: LiveSession, language: str = "en", theme: str = "", plan: Plan = USUAL, **more: Any
) -> Dashboard:
    plan = plan.with_changes(language=language, theme=theme)
    return Dashboard(TableSession(plan, live, **more), clock=lambda: 0.0)


def _stands(row: KeysRow) -> bool:
    """Whether the row of keys is laid out, which happens last, or not to be seen at all."""
    return not row.display or any(key.size for key in row.children)


async def steady(pilot: Pilot[object]) -> str:
    """What stands on the screen once nothing on it changes any more: on a busy machine one pause is
    not always enough."""
    seen, before = on_screen(pilot.app), ""
    while seen != before or not all(map(_stands, pilot.app.screen.query(KeysRow))):
        await pilot.pause(0.1)
        seen, before = on_screen(pilot.app), seen
    return seen


async def wait_until(pilot: Pilot[object], is_so: Callable[[], object]) -> str:
    """Wait for something to happen, however slow the machine is; return what stands on the screen
    then."""
    async with asyncio.timeout(30):
        while not is_so():
            await pilot.pause(0.02)
    return on_screen(pilot.app)


async def wait_for_words(pilot: Pilot[object], words: str) -> str:
    """Wait until words stand on the screen, and return what else does; lines may end between
    them."""
    wanted = " ".join(words.split())
    return await wait_until(pilot, lambda: wanted in " ".join(on_screen(pilot.app).split()))


class Characters(SingleFileSnapshotExtension):
    """A text file of its own for each snapshot, so that a change can be read in a diff."""

    _write_mode = WriteMode.TEXT
    file_extension = "txt"


def on_screen(app: App[Any]) -> str:
    """The characters on the screen, line by line."""
    strips = app.screen._compositor.render_strips()
    return "\n".join("".join(segment.text for segment in strip).rstrip() for strip in strips)
