"""Whoever must act is called in letters for two metres: every call of every game, in every
language, at every size of terminal, for names of every length."""

from functools import cache
from itertools import product

import pytest
from msgspec import structs

from companion.language import LANGUAGES
from companion.live.live_session import LiveSession
from companion.live.snapshot import Snapshot
from companion.rules import registry
from companion.rules.session import Session
from companion.table.decks import Deck
from companion.table.table import Table
from companion.texts import Translator
from companion.views.block_letters import SIZES as LETTERS
from companion.views.block_letters import draw_block_letters
from companion.views.dashboard.widgets.banner import select_notice
from companion.views.dashboard.widgets.screen_part import ScreenState
from companion.views.dashboard.widgets.stage import Stage
from companion.views.panel import load_face_builder
from tests.rules.evenings import evenings_of
from tests.views.screens import SIZES
from tests.views.table import dashboard, live_session, steady

NAMES = {"short": "Bo", "usual": "Chloé", "long": "Maximilian Alexander" * 5, "not ours": "Δημήτρης"}


@cache
def moments(game: str) -> dict[str, Snapshot]:
    """A table at each thing that the game waits for, by its evenings with all their options; and
    at the end."""
    found: dict[str, Snapshot] = {}
    deck = Deck.load_builtin(game)
    for evening in evenings_of(game):
        table = LiveSession(
            evening.game, evening.setup, table=Table(deck, {}), cards=tuple(deck.card_counts)
        ).snapshot()
        session, players = Session(evening.game, evening.setup), evening.players
        deed = True
        while deed:
            view = session.view()
            who = {one["player"] for one in view["waiting_for"]}
            what = f"{view['waiting_for'][0]['do']} by {len(who)}" if who else "over"
            if what not in found:
                awaited = evening.game.describe_awaited(session.state)
                found[what] = structs.replace(table, view=view, awaited=awaited)
            deed = players.next_action(session.list_acts(), view)
            if deed:
                session.act(deed.request)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("game", registry.list_game_ids())
async def test_every_call_stands_in_large_letters(game: str) -> None:
    rooms = await rooms_of(game)
    small = []
    for what, snapshot in moments(game).items():
        for language, (length, name), (width, height) in product(LANGUAGES, NAMES.items(), rooms):
            if language != "de" and length != "long":  # a name takes the same room in every language
                continue
            translator = Translator.for_game(language, game).with_names(
                dict.fromkeys(snapshot.setup.players, name)
            )
            shown = ScreenState(snapshot, load_face_builder(game)(snapshot.view, translator), translator)
            lines = [line.plain for line in Stage().draw_lines(shown, width, height)]
            if not any(stands(call, lines) for call in select_notice(shown).calls):
                small.append((what, language, length, width, select_notice(shown).calls[:1]))
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


@pytest.mark.slow
def test_a_call_names_whoever_it_is_for() -> None:
    for game in registry.list_game_ids():
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


@pytest.mark.parametrize("language", LANGUAGES)
def test_in_ascend_the_headline_calls_nobody_to_lead_before_the_exchange(language: str) -> None:
    translator = Translator.for_game(language, "ascend")
    headlines = {"exchange": set(), "play": set()}
    for snapshot in moments("ascend").values():
        view = snapshot.view
        if view["phase"] in headlines and view["trick"] is None:
            headlines[view["phase"]].add(load_face_builder("ascend")(view, translator).headline)
    assert headlines["exchange"]
    assert headlines["play"] == {translator("panel.lead")}
    assert not headlines["exchange"] & headlines["play"]


def calls_of(snapshot: Snapshot) -> tuple[str, ...]:
    game = snapshot.setup.game
    translator = Translator.for_game("en", game)
    return select_notice(
        ScreenState(snapshot, load_face_builder(game)(snapshot.view, translator), translator)
    ).calls


def stands(call: str, lines: list[str]) -> bool:
    """Whether the call stands in block letters of any size."""
    return any(
        all(
            any(
                all(
                    row.strip() in line
                    for row, line in zip(draw_block_letters(part, size), lines[at:], strict=False)
                )
                for at in range(len(lines) - len(draw_block_letters(part, size)) + 1)
            )
            for part in call.split("\n")
        )
        for size in LETTERS
    )
