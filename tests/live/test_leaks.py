"""A pad knows what lies face down. Nothing else may: no file, no view, no export, no exception."""

from __future__ import annotations

import json
import re
import traceback

import msgspec
import pytest

from companion.journal.export import FORMATS
from companion.journal.journal import Journal
from companion.journal.store import Store
from companion.live.sealed_decisions import fill_sealed_cards, validate_request
from companion.rules import registry
from companion.rules.contract import Refusal
from companion.rules.session import Session
from companion.table.decks import Deck, Design
from companion.table.seals import Secret
from tests.correcting import correct_live
from tests.live.seats import DECK, Seats
from tests.toy import TOY, Lay, Show, Toy, toy_setup

HIDDEN = 8675309
CARD = f"toy:{HIDDEN}"
FULL = Deck("toy", "toy", (*DECK.designs, Design(CARD, CARD)), "seat")


@pytest.fixture(autouse=True)
def toy_is_installed(monkeypatch):
    real = registry.load_game
    monkeypatch.setattr(registry, "load_game", lambda game_id: TOY if game_id == "toy" else real(game_id))


def everything_in(folder):
    return b"".join(file.read_bytes() for file in sorted(folder.iterdir()))


def shown(live):
    """Everything that views, logs and debuggers may print of the live session."""
    snapshot = live.snapshot()
    return "".join(
        [
            repr(snapshot),
            msgspec.json.encode(snapshot, enc_hook=repr).decode(),
            repr(vars(live)),
            repr(live.table.seals),
            repr(live.table.list_claims(1000)),
            repr(live.list_acts()),
            repr(live.list_choices(None)),
        ]
    )


@pytest.fixture
def evening(tmp_path):
    seats = Seats("Ann", "Ben", journal=Journal.open(tmp_path / "evening.sqlite3"), deck=FULL)
    seats.first = seats.lay(1, CARD, under=True)
    seats.later()
    yield seats
    seats.live.close()


def test_a_card_read_face_down_is_sealed_in_the_request(evening):
    (act,) = evening.live.list_acts()
    (seal,) = act.request.sealed
    assert re.fullmatch("[0-9a-f]{64}", seal)
    evening.live.undo()
    evening.live.submit_request(Lay("Ann"))
    (again,) = evening.live.list_acts()
    assert again.request.sealed != (seal,), "the same card has another seal each time"


def test_the_sealed_card_must_be_the_one_that_is_shown(evening):
    evening.live.submit_request(Lay("Ben"))
    assert evening.live.submit_request(Show("Ann", 3)).code == "sealed_mismatch"


def test_no_file_holds_a_face_down_card(evening, tmp_path):
    evening.live.undo()
    evening.live.redo()
    evening.live.submit_request(Lay("Ben"))
    correct_live(evening.live, 1, Lay("Ben"))
    names = {file.name for file in tmp_path.iterdir()}
    assert {"evening.sqlite3", "evening.sqlite3.mark", "evening.sqlite3.lock"} <= names
    assert str(HIDDEN).encode() not in everything_in(tmp_path)
    evening.live.close()
    assert str(HIDDEN).encode() not in everything_in(tmp_path)


def test_no_view_shows_a_face_down_card(evening):
    assert str(HIDDEN) not in shown(evening.live)
    evening.live.undo()
    assert str(HIDDEN) not in shown(evening.live)


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_no_export_has_a_face_down_card_that_was_never_turned_up(evening, tmp_path, name):
    lying = evening.lay(2, "toy:4", under=True)
    evening.later()
    seals = [seal for act in evening.live.list_acts() for event in act.events for seal in event.seals]
    assert len(seals) == 2
    evening.take(lying)
    evening.take(evening.first)
    evening.later()
    correct_live(evening.live, 0, Lay("Ann"))
    for _ in range(3):
        for request in (Lay("Ann"), Lay("Ben"), Show("Ann", 3), Show("Ben", 4)):
            evening.live.submit_request(request)
    assert evening.phase == "game_over"
    with Store.open_read_only(tmp_path / "evening.sqlite3") as look:
        text = "".join(FORMATS[name]([look.read_session(1)], "en"))
    assert len(text) > 20
    assert str(HIDDEN) not in text


@pytest.mark.parametrize(
    "asked", [Lay("Ann"), Lay("Ann", sealed=(f"{HIDDEN}",)), Lay("Ann", sealed=({HIDDEN: 1},))]
)
def test_no_exception_names_a_face_down_card(asked):
    class Broken(Toy):
        def decide(self, state, request):
            raise ValueError("the rules stumbled")

    seats = Seats("Ann", "Ben", deck=FULL, game=Broken())
    refusal = seats.live.submit_request(asked)
    assert isinstance(refusal, Refusal)
    assert str(HIDDEN) not in repr(refusal)
    seats.lay(1, CARD, under=True)
    seats.later()
    assert str(HIDDEN) not in shown(seats.live)


def test_a_crash_report_with_local_variables_does_not_name_it(evening):
    """Even the most talkative traceback, with the locals of every frame, shows only that something
    lies there."""
    try:
        secrets = evening.table.seals.list_for_seat(1)
        sighted = evening.table
        raise RuntimeError(f"crash with {secrets} and {sighted}")
    except RuntimeError as fault:
        report = "".join(traceback.TracebackException.from_exception(fault, capture_locals=True).format())
    assert "secrets" in report
    assert str(HIDDEN) not in report


def test_only_a_request_that_asks_for_it_gets_the_card():
    secrets = (Secret("toy:7"),)
    assert fill_sealed_cards(Show("Ann", 3), secrets) == Show("Ann", 3)
    assert fill_sealed_cards(Lay("Ann"), secrets) == Lay("Ann", sealed=(7,))
    assert fill_sealed_cards(Lay("Ann"), ()) == Lay("Ann")
    assert fill_sealed_cards(Lay("Ann", sealed=(2,)), secrets) == Lay("Ann", sealed=(2,))
    assert fill_sealed_cards(Lay("Ann"), secrets * 2) == Lay(
        "Ann"
    )  # two cards for one: which one is not known
    assert validate_request(Lay("Ann", sealed=(2.5,))) is None


def test_donkey_valleys_loads_are_sealed_one_by_one_or_not_at_all(tmp_path):
    game = registry.load_game("donkey_valley")
    setup = msgspec.structs.replace(
        toy_setup("Ann", "Ben", "Cleo"),
        game="donkey_valley",
        options={option.name: option.default for option in game.options},
    )
    load, swap = (
        next(one for one in game.requests if one.__struct_config__.tag == tag)
        for tag in ("load", "swap_load")
    )
    two = (Secret("load:red:7"), Secret("load:red:3"))
    assert fill_sealed_cards(load("Ann", count=2), two).sealed == (7, 3)
    assert fill_sealed_cards(load("Ann"), two).sealed is None
    assert fill_sealed_cards(swap("Ann", True), two).sealed == 3
    with Store.open(tmp_path / "evening.sqlite3") as store:
        store.start_session(setup)
        session = Session(game, setup, store.append)
        donkey = next(one for one in game.requests if one.__struct_config__.tag == "donkey")
        session.act(donkey("giant"))
        session.act(fill_sealed_cards(load("Ann"), two[:1]))
        written = [json.loads(row[0]) for row in store._db.execute("SELECT acts FROM entries")]
        read = store.read_session(1).restore_session()
    (kept,) = written[1]["acts"][0]["request"]["sealed"]
    assert re.fullmatch("[0-9a-f]{64}", kept)
    assert read.state == session.state
