"""A game of Donkey Valley at two PC/SC readers: the real pcscd, the real program, cards put down
and taken away while it runs."""

from __future__ import annotations

import time
from contextlib import closing

import pytest

from companion.evening.session_opening import open_table_session
from companion.games.donkey_valley import moves as rq
from companion.journal.journal import Journal
from companion.language import LANGUAGES
from companion.plan import CannotBegin, Plan
from companion.readers.nfc import pcsc
from companion.readers.rfid.events import TagId
from companion.table.decks import Deck
from companion.texts import Translator
from tests.simulated.virtual_pcsc import DEVICES

TIMEOUT = 30.0
GIANT, LOAD = "0401000000c0de", "0402000000c0de"
PADS = (
    f'[[pad]]\ndevice = "{DEVICES[0]}"\nzone = "seat:1"\n[[pad]]\ndevice = "{DEVICES[1]}"\nzone = "middle"\n'
)


@pytest.fixture
def evening(pcscd, tmp_path, monkeypatch):
    monkeypatch.setattr(pcsc, "POLL_INTERVAL", 0.1)
    deck = Deck.load_builtin("donkey_valley").with_tag("donkey:giant", GIANT).with_tag("load:red:7", LOAD)
    deck.save(tmp_path / "deck")
    (tmp_path / "pads.toml").write_text(PADS)
    plan = Plan(
        "donkey_valley",
        ("Ann", "Ben", "Cleo"),
        seed=1,
        deck=str(tmp_path / "deck"),
        readers=("pcsc",),
        pads=tmp_path / "pads.toml",
    )
    opened = open_table_session(plan, Journal.open(tmp_path / "evening.sqlite"), None, time.monotonic())
    opened.start_readers()
    yield opened
    opened.close()


def until(evening, enough):
    deadline = time.monotonic() + TIMEOUT
    while not (found := enough()):
        assert time.monotonic() < deadline, evening.live.snapshot()
        evening.live.tick(time.monotonic())
        time.sleep(0.01)
    return found


def asked(evening, kind):
    return [act.request for act in evening.live.list_acts() if isinstance(act.request, kind)]


def test_a_donkey_is_turned_up_at_one_pad_and_a_load_lies_sealed_on_the_other(evening, pcscd, tmp_path):
    giant = pcscd.lay(1, TagId.from_hex(GIANT))
    (donkey,) = until(evening, lambda: asked(evening, rq.Donkey))
    assert donkey.type == "giant"
    giant.take()
    load = pcscd.lay(0, TagId.from_hex(LOAD))
    (laid,) = until(evening, lambda: asked(evening, rq.Load))
    assert (laid.player, laid.count, laid.values, len(laid.sealed)) == ("Ann", 1, None, 1)
    written = b"".join(file.read_bytes() for file in tmp_path.glob("evening.sqlite*"))
    assert LOAD.encode() not in written
    assert b"load:red:7" not in written
    assert "load:red:7" not in repr(evening.live.snapshot())
    load.take()
    states = {one.reader: one.state for one in evening.live.snapshot().health}
    assert states["rfid pcsc 1"] == states["rfid pcsc 2"] == "ok"


def test_without_pyscard_the_table_is_not_opened_and_what_to_install_is_said(monkeypatch, tmp_path):
    monkeypatch.setitem(__import__("sys").modules, "smartcard", None)
    plan = Plan("donkey_valley", ("Ann", "Ben", "Cleo"), readers=("pcsc",))
    with closing(Journal.open(tmp_path / "evening.sqlite")) as journal, pytest.raises(CannotBegin) as caught:
        open_table_session(plan, journal, None, 0.0)
    for language in LANGUAGES:
        assert "card-table-companion[pcsc]" in Translator(language).translate(caught.value.text)
