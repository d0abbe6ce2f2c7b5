"""Whoever must act is called in letters for two metres: every call of every game, in every
language, at every size of terminal, for names of every length."""

from functools import cache
from itertools import product

import pytest
from msgspec import structs

from companion.language import LANGUAGES
from companion.live.live import Live
from companion.live.snapshot import Snapshot
from companion.rules import registry
from companion.rules.session import Session
from companion.table.decks import Deck
from companion.table.table import Table
from companion.texts import Translator
from companion.views.bigtext import SIZES as LETTERS
from companion.views.bigtext import big
from companion.views.dashboard.widgets.band import notice_of
from companion.views.dashboard.widgets.part import ScreenState
from companion.views.dashboard.widgets.stage import Stage
from companion.views.panel import face_of
from tests.rules.evenings import evenings_of
from tests.views.screens import SIZES
from tests.views.table import dashboard, live_session, steady

NAMES = {"short": "Bo", "usual": "Chloé", "long": "Maximilian Alexander" * 5, "not ours": "Δημήτρης"}


@cache
def moments(game: str) -> dict[str, Snapshot]:
    """A table at each thing that the game waits for, by its evenings with all their options; and
    at the end."""
    found: dict[str, Snapshot] = {}
    deck = Deck.builtin(game)
    for evening in evenings_of(game):
        table = Live(evening.game, evening.setup, table=Table(deck, {}), cards=tuple(deck.cards)).snapshot()
        session, players = Session(evening.game, evening.setup), evening.players
        deed = True
        while deed:
            view = session.view()
            who = {one["player"] for one in view["waiting_for"]}
            what = f"{view['waiting_for'][0]['do']} by {len(who)}" if who else "over"
            if what not in found:
                awaited = evening.game.awaited(session.state)
                found[what] = structs.replace(table, view=view, awaited=awaited)
            deed = players.next(session.acts(), view)
            if deed:
                session.act(deed.request)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("game", registry.game_ids())
async def test_every_call_stands_in_large_letters(game: str) -> None:
    rooms = await rooms_of(game)
    small = []
    for what, snapshot in moments(game).items():
        for language, (length, name), (width, height) in product(LANGUAGES, NAMES.items(), rooms):
            say = Translator.of(language, game).calling(dict.fromkeys(snapshot.setup.players, name))
            shown = ScreenState(snapshot, face_of(game)(snapshot.view, say), say)
            lines = [line.plain for line in Stage().lines(shown, width, height)]
            if not any(stands(call, lines) for call in notice_of(shown).calls):
                small.append((what, language, length, width, notice_of(shown).calls[:1]))
    assert small == []


async def rooms_of(game: str) -> list[tuple[int, int]]:
    """Columns and rows of the stage in a terminal of each size."""
    rooms = []
    async with dashboard(live_session(evenings_of(game)[0].setup.players, game)).run_test() as pilot:
        for size in SIZES:
            await pilot.resize_terminal(*size)
            await steady(pilot)
            rooms.append(pilot.app.screen.query_one(Stage).content_size)
    return rooms


def test_a_call_names_whoever_it_is_for() -> None:
    for game in registry.game_ids():
        for snapshot in moments(game).values():
            who = {one["player"] for one in snapshot.view["waiting_for"]}
            if len(who) == 1 and who != {None}:
                [player] = who
                assert all(call.startswith(player[:3]) for call in calls_of(snapshot)), player


def test_in_ascend_it_names_who_plays_where_another_may_still_promise() -> None:
    waited = [one.view["waiting_for"] for one in moments("ascend").values()]
    promising = [one for one in waited if [each["do"] for each in one] == ["play", "pass", "promise"]]
    assert promising
    for snapshot in moments("ascend").values():
        if snapshot.view["waiting_for"] in promising:
            assert calls_of(snapshot)[0] == f"{snapshot.view['waiting_for'][0]['player']}: Play!"


def calls_of(snapshot: Snapshot) -> tuple[str, ...]:
    game = snapshot.setup.game
    say = Translator.of("en", game)
    return notice_of(ScreenState(snapshot, face_of(game)(snapshot.view, say), say)).calls


def stands(call: str, lines: list[str]) -> bool:
    """Whether the call stands in block letters of any size."""
    return any(
        all(
            any(
                all(row.strip() in line for row, line in zip(big(part, size), lines[at:], strict=False))
                for at in range(len(lines) - len(big(part, size)) + 1)
            )
            for part in call.split("\n")
        )
        for size in LETTERS
    )
