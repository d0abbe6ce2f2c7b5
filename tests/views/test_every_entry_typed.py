"""Every kind of entry of the right shape is typed, in every game and phase, possible or not: either
exactly that entry happens, or nothing does and a sentence with its clause says why."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import pytest

from companion.games.donkey_valley.moves import Reveal
from companion.games.dtc.moves import Accept, Offer
from companion.live.live_session import LiveSession
from companion.rules.contract import GAME_OVER, Choice, Refusal, Request, Shortcut
from companion.table.decks import Deck
from companion.table.table import Table
from companion.texts import Translator
from companion.views.conversations import describe_refusal
from companion.views.entry_options import list_card_keys
from companion.views.plain_view import PlainView
from tests.rules.evenings import EVENINGS, ONE_OF_EACH_GAME, titled
from tests.views.table import dashboard, enter, first_round, live_session, on_screen, steady
from tests.views.test_slips import at_once

CLAUSE = re.compile(r"\([A-Z]{2,3}-\d+\)")
ONE_EACH = [
    *ONE_OF_EACH_GAME.values(),
    *(evening for evening in EVENINGS if evening.setup.options.get("hands_only")),
]


class Typed(NamedTuple):
    """What is typed, one string for each menu, and the request that it stands for."""

    keys: tuple[str, ...]
    request: Request


def shortcuts_of(choice: Choice, found: tuple[Shortcut, ...]) -> Iterator[Typed]:
    for one in found:
        for key in (one.key, *one.aliases):
            if one.cards:
                yield Typed((key,), choice.with_cards(one.cards))
            for rest in shortcuts_of(choice, one.then):
                yield Typed((key, *rest.keys), rest.request)


def entries_of(choice: Choice) -> Iterator[Typed]:
    """The ways to type a choice."""
    pick = choice.pick
    if pick is None:
        for key in (choice.key, *choice.aliases):
            if key:
                yield Typed((key,), choice.request)
        return
    yield from shortcuts_of(choice, (*pick.likely, *pick.attempts))
    if pick.least < pick.most:
        # One of each kind, more of one than there are, and one more than can be named.
        for key, (name, copies) in zip(list_card_keys(pick), pick.cards, strict=True):
            for count in {1, copies + 1, pick.most + 1}:
                yield Typed((choice.key, *((key,) * count)), choice.with_cards((name,) * count))
        for name, key in pick.others:
            yield Typed((choice.key, key), choice.with_cards((name,)))
    else:
        # Cards that are gone, and more of one kind than there are.
        for name, key in pick.others:
            yield Typed((choice.key, *((key,) * pick.most)), choice.with_cards((name,) * pick.most))
        for key, (name, copies) in zip(pick.keys, pick.cards, strict=True):
            if copies < pick.most:
                yield Typed((choice.key, *((key,) * pick.most)), choice.with_cards((name,) * pick.most))


def list_entries(live: LiveSession, player: str | None) -> Mapping[tuple[str, ...], Request]:
    """What may be typed at this seat, by its keys. An attempt whose key begins like a possible
    entry's is no entry of its own."""
    table, offered = list(live.list_choices(None)), list(live.list_choices(player))
    found = {one.keys: one.request for choice in (*table, *offered) for one in entries_of(choice)}
    kinds = {choice.parts.key for choice in offered if choice.parts is not None}
    whole = {keys[0] for keys in found if len(keys) == 1} | kinds
    for choice in (*live.list_attempts(None), *live.list_attempts(player)):
        for one in entries_of(choice):
            first = one.keys[0]
            clash = any(key != first and (first.startswith(key) or key.startswith(first)) for key in whole)
            if not clash:
                found.setdefault(one.keys, one.request)
    return found


def open_session(evening: Any) -> LiveSession:
    deck = Deck.load_builtin(evening.game.id)
    return LiveSession(evening.game, evening.setup, table=Table(deck, {}), cards=tuple(deck.card_counts))


def stops(evening: Any, most: int) -> Iterator[LiveSession]:
    """A session at the first `most` moments of each kind: its phase, and what may be entered."""
    live, players, seen = open_session(evening), evening.players, dict[object, int]()
    while live.snapshot().view["phase"] != GAME_OVER:
        view = live.snapshot().view
        player = next((row["player"] for row in view["waiting_for"]), None)
        kinds = {(type(one.request), one.pick is None) for one in live.list_choices(player)}
        kind = (view["phase"], frozenset(kinds), view.get("trick") is None, view.get("to_beat") is None)
        seen[kind] = seen.get(kind, 0) + 1
        if seen[kind] <= most:
            yield live
        deed = players.next_action(live.list_acts(), live.snapshot().view)
        if deed is None or live.submit_request(deed.request) is not None:
            return


def judge(live: LiveSession, request: Request) -> Refusal | None:
    decided = live.game.decide(live._timeline.state, request)
    return decided if isinstance(decided, Refusal) else None


def requests(live: LiveSession) -> list[Request]:
    return [act.request for act in live.list_acts()]


def distinct(live: LiveSession, player: str | None, tried: Counter[object], most: int) -> Iterator[Typed]:
    """Of what may be typed at this seat, at most `most` entries of each kind: the request, what the
    game says to it, and whether one, two or more menus take it. `tried` counts them for the whole
    evening."""
    for keys, request in list_entries(live, player).items():
        refusal = judge(live, request)
        kind = (type(request), refusal and refusal.code, min(len(keys), 3))
        if tried[kind] < most:
            tried[kind] += 1
            yield Typed(keys, request)


@pytest.mark.slow
@pytest.mark.parametrize("evening", EVENINGS, ids=titled)
def test_every_entry_typed_in_lines_happens_or_is_refused_with_its_clause(evening) -> None:
    tried = Counter[object]()
    for live in stops(evening, 1):
        say, heard = Translator("en", live.game), list[str]()
        plain = PlainView(live, say, heard.append)
        plain.poll_table(0.0)
        waiting = [row["player"] for row in live.snapshot().view["waiting_for"]]
        for player in dict.fromkeys(waiting):
            seat = None if player is None else live.setup.players.index(player) + 1
            for keys, request in distinct(live, player, tried, 5):
                refusal, before = judge(live, request), requests(live)
                heard.clear()
                several = len(set(waiting)) > 1 and seat is not None
                if not several and refusal is not None and plain._find_player(keys[0]) is not None:
                    continue  # in lines a number is a seat's before it is a refused entry
                plain.enter_line(f"{seat} {' '.join(keys)}" if several else " ".join(keys))
                plain.poll_table(0.0)
                told = " ".join(heard)
                if refusal is None:
                    assert requests(live) == [*before, request], (keys, told)
                    live.undo()
                    plain.poll_table(0.0)
                else:
                    assert requests(live) == before, (keys, told)
                    assert describe_refusal(refusal, say) in told, (keys, told)
                    assert CLAUSE.search(told), told
                plain._talk = None
    assert len(tried) >= 2


@pytest.mark.slow
@pytest.mark.parametrize("evening", ONE_EACH, ids=titled)
async def test_every_entry_typed_at_the_panel_happens_or_is_refused_with_its_clause(
    evening, monkeypatch
) -> None:
    tried = Counter[object]()
    for live in stops(evening, 1):
        say = Translator("en", live.game)
        waiting = [row["player"] for row in live.snapshot().view["waiting_for"]]
        entries = list(distinct(live, waiting[0], tried, 1))
        if not entries:
            continue
        async with dashboard(live).run_test(size=(120, 40)) as pilot:
            monkeypatch.setattr("textual.app.wait_for_idle", at_once(pilot.app))
            panel = pilot.app._table.entry_panel
            for keys, request in entries:
                refusal, before = judge(live, request), requests(live)
                if not pilot.app._entering.is_open:
                    await pilot.press("enter")
                await pilot.press(*"".join(keys))
                if panel.has_typed or panel.is_picking:
                    await pilot.press("enter")
                if refusal is None:
                    assert requests(live) == [*before, request], (keys, on_screen(pilot.app))
                    live.undo()
                    await pilot.pause()
                else:
                    assert requests(live) == before, (keys, on_screen(pilot.app))
                    hint = panel.query_one("#entry-wrong")
                    assert hint.display
                    shown = " ".join(str(hint.content).split())
                    sentence = f"✘ {describe_refusal(refusal, say)}"
                    assert shown == sentence, (keys, shown)
                await pilot.press("escape", "escape", "escape")
    assert len(tried) >= 2


async def test_a_refused_offer_is_dropped_whole_and_a_key_that_means_nothing_is_answered() -> None:
    live = live_session(("Ann", "Ben", "Cy"), "dtc")
    enter(live, Offer("Ann", 2, 4), Accept("Ben"))
    async with dashboard(live).run_test(size=(80, 24)) as pilot:
        before = requests(live)
        await pilot.press("enter", "2", "3")
        seen = " ".join((await steady(pilot)).split())
        assert "(DTC-5)" in seen
        await pilot.press("2", "3", "2", "z")
        assert requests(live) == before
        seen = " ".join((await steady(pilot)).split())
        assert "No line has the key 2z" in seen
        assert "(DTC-3)" in seen
        await pilot.press("2", "5")
        await steady(pilot)
        assert requests(live)[-1] == Offer("Ben", 2, 5)


async def test_ten_is_typed_as_it_is_written() -> None:
    live = live_session()
    first_round(live, "giant")
    live.undo()
    async with dashboard(live).run_test(size=(80, 24)) as pilot:
        before = requests(live)
        await pilot.press("enter", "1")
        assert requests(live) == before  # it may become a ten
        await pilot.press("0")
        await steady(pilot)
        assert requests(live)[-1] == Reveal("Chloé", (10,))
        live.undo()
        await steady(pilot)
        await pilot.press("escape", "enter", "1", "enter")
        assert requests(live)[-1] == Reveal("Chloé", (1,))


async def test_what_is_typed_when_the_panel_is_closed_is_not_entered_afterwards() -> None:
    live = live_session()
    first_round(live, "giant")
    live.undo()
    async with dashboard(live).run_test(size=(80, 24)) as pilot:
        before = requests(live)
        await pilot.press("enter", "1", "escape")
        assert not pilot.app._entering.is_open
        await pilot.pause(1.0)  # longer than the panel waits for the 0 of a ten
        assert requests(live) == before
        # The next 1 is given its own time: it is not entered by what the first one left behind.
        await pilot.press("enter", "1")
        assert requests(live) == before


async def test_undo_keeps_the_panel_open_at_the_player_whose_entry_it_was() -> None:
    live = live_session()
    first_round(live)
    async with dashboard(live).run_test(size=(80, 24)) as pilot:
        await pilot.press("enter")
        assert pilot.app._entering.is_open
        await pilot.press("u")
        await steady(pilot)
        assert pilot.app._entering.is_open
        await pilot.press("9")
        await steady(pilot)
        assert requests(live)[-1] == Reveal("Chloé", (9,))


async def test_a_number_typed_in_the_list_of_corrections_goes_to_that_entry() -> None:
    live = live_session()
    first_round(live)
    async with dashboard(live).run_test(size=(80, 24)) as pilot:
        await pilot.press("c", "1", "2")
        await pilot.press("enter")
        assert "Entry 12 should have been" in await steady(pilot)
