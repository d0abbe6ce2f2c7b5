"""What tables tell is decided anew: honest evenings pass, whatever was forged in them does not;
what no table wrote is put aside; projections come to the same in every way."""

from __future__ import annotations

import json
import random

import pytest
from msgspec.structs import replace

from companion.demo.actions import make_players
from companion.journal import schema
from companion.league import projections
from companion.league.projections import Judge, MalformedLog, Projector, rebuild_projections
from companion.league.protocol import Acknowledgement, TellSeats
from companion.rules import registry
from companion.rules.commitments import HiddenSeed, SeedRevealed
from companion.rules.session import Session
from tests.league.tables import PlayedTable, joined, league_server, until
from tests.rules.evenings import EVENINGS


def log_of(setup, *, slips=0, restart=None):
    """A whole game by its players as a journal has it, some steps taken back, with a restart."""
    game, log = registry.load_game(setup.game), []
    session, players = Session(game, setup, log.append), make_players(setup)
    chance = random.Random(4)
    while (deed := players.next_action(session.list_acts(), session.view())) is not None:
        session.act(deed.request)
        if session.can_undo and chance.random() < slips:
            session.undo()
            session.redo()
        if restart == session.current_moment.number:
            kept, session = (
                log.copy(),
                Session(game, replace(setup, seed=HiddenSeed(fresh=False)), log.append),
            )
            session.replay_entries(kept)
            session.commit_new_seed()
    return [(one.kind, one.at, schema.FORMAT, schema.encode_entry(one)) for one in log]


def judged(setup, log):
    judge = Judge(schema.encode_setup(setup))
    for row in log:
        judge.judge_entry(*row)
    return judge


def hidden(setup):
    return replace(setup, seed=HiddenSeed())


ONE_A_GAME = [*{one.game.id: one for one in EVENINGS}.values()]


@pytest.mark.parametrize("evening", ONE_A_GAME, ids=lambda one: f"{one.game.id}-{one.name}")
def test_honest_evenings_pass(evening):
    draws = evening.setup.options.get("draws") == "app"
    judge = judged(evening.setup, log_of(evening.setup, slips=0.05))
    assert judge.session.is_over
    assert judge.verdict == ("public" if draws else "checked")


DONKEYS = next(
    one.setup
    for one in EVENINGS
    if one.game.id == "donkey_valley"
    and one.setup.options["draws"] == "app"
    and not one.setup.options["hands_only"]
)
DTC = next(one.setup for one in EVENINGS if one.game.id == "dtc")


def test_draws_are_pending_until_their_seed_is_told(monkeypatch):
    chance = random.Random(4)  # by these seeds something is drawn before the restart

    def seed():
        return SeedRevealed(chance.randbytes(16).hex(), chance.randbytes(32).hex())

    monkeypatch.setattr("companion.rules.commitments._generate_seed", seed)
    setup = hidden(DONKEYS)
    log = log_of(setup)
    assert judged(setup, log[:-1]).verdict == "pending"
    assert judged(setup, log).verdict == "checked"
    other = replace(DONKEYS, seed=HiddenSeed())
    assert judged(other, log).verdict == "otherwise", "the seed that is told was not committed to"
    again = hidden(DONKEYS)
    assert judged(again, log_of(again, restart=30)).verdict == "pending", "the first one went with a restart"


@pytest.mark.parametrize("setup", [DONKEYS, DTC], ids=["donkeys", "dtc"])
def test_whatever_is_forged_is_noticed(setup):
    setup = hidden(setup)
    log, noticed, tried = log_of(setup), 0, 0
    chance = random.Random(7)
    for at in chance.sample(range(len(log)), min(60, len(log))):
        kind, place, written_as, body = log[at]
        for lie in _numbers_changed(json.loads(body), chance):
            forged = [*log[:at], (kind, place, written_as, json.dumps(lie).encode()), *log[at + 1 :]]
            tried += 1
            try:
                noticed += judged(setup, forged).verdict == "otherwise"
            except MalformedLog:
                noticed += 1
    assert tried > 15
    assert noticed == tried


def _numbers_changed(entry, chance):
    """The entry with one number of an event changed: two of them at most."""
    places = []

    def walk(value, way):
        if isinstance(value, dict):
            for name, one in value.items():
                walk(one, (*way, name))
        elif isinstance(value, list):
            for number, one in enumerate(value):
                walk(one, (*way, number))
        elif type(value) is int:
            places.append(way)

    for number, act in enumerate(entry.get("acts", [])):
        walk(act["events"], ("acts", number, "events"))
    for way in chance.sample(places, min(2, len(places))):
        lie = json.loads(json.dumps(entry))
        within = lie
        for name in way[:-1]:
            within = within[name]
        within[way[-1]] += chance.choice((-1, 1))
        yield lie


@pytest.mark.parametrize(
    "row",
    [
        ("act", 0, 2, b"no JSON"),
        ("act", 0, 2, b'{"acts":[{"request":{"do":"chess"},"events":[]}]}'),
        ("undo", 0, 2, b'{"acts":[]}'),
        ("redo", 0, 2, b'{"acts":[]}'),
        ("act", 0, 99, b'{"acts":[]}'),
    ],
)
def test_what_no_table_wrote_is_malformed(row):
    with pytest.raises(MalformedLog):
        judged(DTC, [row])


def shown(db):
    """All that the projections hold."""
    tables = db.execute("SELECT * FROM table_now ORDER BY session").fetchall()
    results = db.execute("SELECT * FROM results ORDER BY session, seat").fetchall()
    states = db.execute("SELECT session, state FROM sessions ORDER BY session").fetchall()
    return tables, results, states, db.execute("SELECT feed FROM projected").fetchall()


@pytest.mark.slow
def test_followed_by_two_or_rebuilt_it_is_the_same(database, db, tmp_path, monkeypatch):
    monkeypatch.setattr(projections, "_MOST_SESSIONS", 2)  # sessions are read again
    tables = [PlayedTable(tmp_path / f"{at}.sqlite3", "ochs_und_esel", 4, seed=at) for at in range(4)]
    with league_server(database) as (one, url), league_server(database) as (_two, there):
        lines = [joined(one, (url, there)[at % 2], str(at)) for at in range(4)]
        for line, table in zip(lines, tables, strict=True):
            assert line.announce_session(table.head).answer == "ok"
        assert until(lambda: len(shown(db)[0]) == 4), "seen before anybody has played"
        assert lines[0].send_seats(tables[0].head.session, {"s1": "Ann", "s2": "Bo"}).answer == "ok"
        heard = TellSeats(lines[0].public, tables[0].head.session, 1, {"s1": "Ann", "s2": "Bo"}, bytes(64))
        heard = lines[0]._sign_message(heard, heard.signed_bytes)
        assert lines[0].send_seats(tables[0].head.session, {"s1": "Ann", "s2": "Bob"}, 7).answer == "ok"
        answer = lines[1].send_message("/seats", heard, Acknowledgement)
        assert (answer.answer, answer.next) == ("gap", 7), "what was heard is not told again"
        assert lines[0].send_seats(tables[0].head.session, {"s1": "Ann", "s2": "Bo"}, 8).answer == "ok"
        assert lines[1].send_seats(tables[0].head.session, {"s1": "Mallory"}).answer == "unknown"
        for _ in range(3):
            for line, table in zip(lines, tables, strict=True):
                before = len(table.entries)
                table.play(15)
                table.send(line, before)
        ended = PlayedTable(tmp_path / "ended.sqlite3", players=4)
        ended.replay(log_of(ended.setup))
        line = joined(one, url, "ended")
        line.announce_session(ended.head)
        line.send_seats(ended.head.session, {"s1": "Ann", "s4": "Di"})
        ended.send(line)
        # what no table wrote, after what one did; and a game that nobody knows here
        broken = PlayedTable(tmp_path / "broken.sqlite3").play(5)
        line.announce_session(broken.head)
        broken.store._db.execute("UPDATE entries SET kind = 'redo' WHERE sequence = 3")
        broken.send_rows(line, broken.store._db.execute("SELECT * FROM entries ORDER BY sequence").fetchall())
        foreign = PlayedTable(tmp_path / "foreign.sqlite3", game_name="plugged_in")
        line.announce_session(foreign.head)
        total = sum(len(one.entries) for one in (*tables, ended, broken))
        assert until(lambda: shown(db)[3] == [(total,)])
    followed = shown(db)
    views = {row[0]: row[3] for row in followed[0]}
    for table in tables:
        assert views[table.head.session] == json.loads(json.dumps(table.session.view()))
    states = dict(followed[2])
    assert states[ended.head.session] == "over"
    assert states[broken.head.session] == "malformed"
    assert states[foreign.head.session] == "foreign_game"
    ranking = {one["player"]: one["rank"] for one in views[ended.head.session]["result"]["ranking"]}
    assert {row[1]: row[4] for row in followed[1]} == ranking
    assert {row[6] for row in followed[1]} == {"checked"}
    names = "SELECT seat, name FROM results LEFT JOIN people USING (person) ORDER BY seat"
    assert db.execute(names).fetchall() == [("s1", "Ann"), ("s2", None), ("s3", None), ("s4", "Di")]
    assert rebuild_projections(database, one.club.number) == total
    assert shown(db) == followed
    db.execute("DELETE FROM table_now")
    db.execute("DELETE FROM results")
    db.execute("DELETE FROM projected")
    follower = Projector(database, one.club.number)
    assert until(lambda: shown(db)[3] == [(total,)])
    follower.close()
    assert shown(db) == followed
    for table in (*tables, ended, broken, foreign):
        table.store.close()


def test_an_end_that_is_taken_back_is_no_result(database, db, tmp_path):
    table = PlayedTable(tmp_path / "one.sqlite3", players=4)
    table.replay(log_of(table.setup))
    with league_server(database) as (server, url):
        line = joined(server, url)
        line.announce_session(table.head)
        table.send(line)
        assert until(lambda: len(shown(db)[1]) == 4)
        before = len(table.entries)
        table.session.undo()
        table.send(line, before)
        assert until(lambda: not shown(db)[1])
        assert shown(db)[2] == [(table.head.session, "open")]
    table.store.close()
