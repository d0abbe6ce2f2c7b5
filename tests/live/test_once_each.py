"""Each event is folded once, however many look on; an evening that goes on is read and replayed
once."""

from __future__ import annotations

import asyncio
import json
from collections import Counter

import pytest

from companion.evening.home_screen_entries import format_session_summary
from companion.journal import database_file
from companion.journal.journal import Journal
from companion.journal.store import Store
from companion.journal.summaries import list_unfinished
from companion.live.live_session import LiveSession
from companion.share.page_connections import StateBroadcast
from companion.table.decks import Deck
from companion.table.table import Table
from companion.texts import Translator
from companion.views.plain_view import PlainView
from tests.rules.evenings import EVENINGS
from tests.views.table import dashboard

DTC = next(one for one in EVENINGS if one.game.id == "dtc")


@pytest.fixture
def folds(monkeypatch):
    """How often the game was given each event."""
    folded: Counter[int] = Counter()
    kind = type(DTC.game)
    evolve = kind.evolve

    def counted(game, state, event):
        folded[id(event)] += 1
        seen.append(event)  # or another event could be given its id
        return evolve(game, state, event)

    seen: list[object] = []
    monkeypatch.setattr(kind, "evolve", counted)
    return folded


def play(live, look=lambda: None, acts=10_000):
    players = DTC.players
    while len(live.list_acts()) < acts and (
        deed := players.next_action(live.list_acts(), live.snapshot().view)
    ):
        assert live.submit_request(deed.request) is None
        look()
    return [event for act in live.list_acts() for event in act.events]


def opened(journal=None, kept=None):
    table = Table(Deck.load_builtin("dtc"))
    return LiveSession(DTC.game, DTC.setup, table=table, journal=journal, saved=kept)


async def test_an_event_is_folded_once_though_screen_lines_and_browsers_show_it(folds):
    live, lines = opened(), []
    translator = Translator("en", live.game)
    plain, board = PlainView(live, translator, lines.append), StateBroadcast(lambda _language: translator)
    board.attach_loop()
    live.subscribe(lambda snapshot: board.publish_snapshot(snapshot, {}))
    sent = []

    async def watch():
        while True:
            sent.append(await board.wait_for_state(sent[-1].number if sent else -1))

    async with dashboard(live).run_test() as pilot:
        watching = asyncio.create_task(watch())
        events = play(live, lambda: plain.poll_table(0.0))
        await pilot.pause()
        watching.cancel()
    assert live.snapshot().view["result"]
    assert len(lines) > len(live.list_acts())
    assert json.loads(sent[-1].body)["state"]["number"] == live.snapshot().number
    assert folds == dict.fromkeys(map(id, events), 1)


def test_an_evening_that_goes_on_is_read_once_and_replayed_once(folds, tmp_path, monkeypatch):
    file, asked = tmp_path / "journal.sqlite3", []
    for _evening in range(2):
        journal = Journal.open(file)
        play(opened(journal), acts=12)
        journal.close()

    def watched(path, mode, connect=database_file.open_connection):
        connection = connect(path, mode)
        connection.set_trace_callback(asked.append)
        return connection

    with Store.open_read_only(file) as store:
        assert len(list_unfinished(store, ())) == 2  # counted now, at the latest
    monkeypatch.setattr(database_file, "open_connection", watched)
    folds.clear()
    journal = Journal.open(file)
    offered = journal.list_unfinished()
    for found in offered:
        format_session_summary(found, Translator("en", DTC.game))
    kept = journal.read_session(offered[0].number)
    live = opened(journal, kept)
    assert len(live.list_acts()) == 12
    assert [words for words in asked if words.startswith("SELECT * FROM entries")] == [
        f"SELECT * FROM entries WHERE session = {kept.number} AND sequence >= 0 ORDER BY sequence LIMIT -1"
    ]
    events = [event for entry in kept.entries for act in entry.acts for event in act.events]
    assert folds == dict.fromkeys(map(id, events), 1)
    journal.close()
