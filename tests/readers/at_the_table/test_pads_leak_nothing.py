"""What a pad reads of a face-down card is in no journal, no recording, no view, no log and no
traceback before it is turned up."""

from __future__ import annotations

import io
import json
import traceback

import msgspec
from rich.console import Console
from rich.pretty import Pretty

from companion.demo.deferred_table import SPARE_TAGS, assign_tags
from companion.journal.journal import Journal
from companion.readers.recordings import Recorder, RecordingHeader
from companion.readers.rfid.simulator import VirtualTrays
from companion.table.decks import Deck
from tests.readers.at_the_table.rfid_table import DECK, RfidTable

HIDDEN = "load:red:7"
TAG = next(one.tags[0] for one in DECK.designs if one.name == HIDDEN)


def printed(thing):
    """Every way in which a careless line of code may print it."""
    out = io.StringIO()
    Console(file=out, width=400).print(Pretty(thing))
    return f"{thing!r} {thing} {out.getvalue()}"


def laid(**kinds):
    table = RfidTable(**kinds)
    table.health("ok")
    table.put("middle", "donkey:giant")
    table.later(0.5)
    table.put("seat1", HIDDEN)
    table.later(1)
    return table


def test_the_journal_keeps_only_the_seal(tmp_path):
    table = laid(journal=Journal.open(tmp_path / "evening.sqlite3"))
    table.live.close()
    kept = b"".join(file.read_bytes() for file in sorted(tmp_path.iterdir()))
    assert len(table.live.list_acts()) == 2
    assert HIDDEN.encode() not in kept
    assert TAG.encode() not in kept
    assert b'"values":[7]' not in kept


def test_the_recording_has_no_name_in_it(tmp_path):
    file = tmp_path / "seen.jsonl"
    passed = []
    recorder = Recorder(file, RecordingHeader(1, "donkey_valley", DECK.name), passed.append)
    laid(post=recorder.post)
    recorder.close()
    text = file.read_text()
    assert "donkey:giant" in text
    assert HIDDEN not in text
    assert any(getattr(one, "where", "") == "1.seat1" for one in passed)


def test_no_view_log_or_debugger_names_it():
    table = laid()
    live, snapshot = table.live, table.live.snapshot()
    everything = [
        snapshot,
        live.list_acts(),
        live.table.list_claims(table.now),
        live.table.seals,
        vars(live),
        table.boards,
    ]
    shown = "".join(map(printed, everything)) + json.dumps(msgspec.to_builtins(snapshot, enc_hook=repr))
    assert "donkey" in shown
    assert HIDDEN not in shown
    assert TAG not in shown


def test_no_traceback_with_local_variables_names_it():
    table = laid()
    board = table.boards[0]
    lying = list(board._sightings.values())
    try:
        raise RuntimeError(f"crash over {lying} at {board}")
    except RuntimeError as fault:
        report = "".join(traceback.TracebackException.from_exception(fault, capture_locals=True).format())
    assert "lying" in report
    assert HIDDEN not in report


class Silent:
    """A tray without a simulator."""

    def put_tags(self, *_):
        return 0

    take_tags = put_tags


def test_the_virtual_trays_name_no_card_that_lies_face_down():
    board = VirtualTrays({"seat1": Silent(), "middle": Silent()}, DECK, ["seat1"])
    board.lay_card("seat1", HIDDEN)
    board.lay_card("middle", "donkey:giant")
    assert board.list_cards("seat1") == [None]
    assert board.list_cards("middle") == ["donkey:giant"]
    assert HIDDEN in board.list_free_designs(), "a card that is missing from the list would be told by that"
    assert HIDDEN not in printed(board)
    assert TAG not in printed(vars(board)["_there"])


def test_trying_each_card_of_the_list_names_no_hidden_one():
    """Every card that the list offers can be laid, the hidden ones too, and the list is the same
    whatever lies face down."""
    places = [f"seat{number}" for number in range(1, 8)]
    deck = assign_tags(Deck.load_builtin("donkey_valley"), SPARE_TAGS)

    def tried(*hidden):
        board = VirtualTrays({place: Silent() for place in [*places, "middle"]}, deck, places)
        for number, design in enumerate(hidden, 1):
            board.lay_card(f"seat{number}", design)
        offered = list(board.list_free_designs())
        laid = []
        for design in offered:
            board.lay_card("middle", design)
            laid.append(board.list_cards("middle"))
            board.lift_card("middle")
        return offered, laid

    nothing = tried()
    assert tried(HIDDEN) == nothing
    assert tried(*["load:red:7"] * 6) == nothing
    assert all(len(one) == 1 for one in nothing[1])
