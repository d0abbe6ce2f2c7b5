"""Enrolling tags at the table: tap after tap, a pile of copies, a lost sticker, lists, and what
goes wrong."""

from __future__ import annotations

import io

import pytest

from companion.__main__ import main
from companion.language import LANGUAGES
from companion.readers.rfid.events import TagId
from companion.readers.rfid.tag_enrolment import TagDialogue
from companion.rules.contract import Text
from companion.table.decks import Deck, Design
from companion.texts import Translator

DECK = Deck(
    "few", "donkey_valley", (Design("donkey:giant", "donkey:giant", 2), Design("load:red:1", "load:red:1"))
)


def tag(number):
    return TagId.from_hex(f"04{number:02x}0000000000")


@pytest.fixture
def kept():
    return []


@pytest.fixture
def table(kept):
    return TagDialogue(DECK, kept.append)


def codes(said):
    return [text.code for text in said]


def test_tap_after_tap_through_the_decks_order(table, kept):
    assert table.describe_next_tap().args == {"design": "donkey:giant", "left": 3}
    for number in (1, 2, 3):
        assert codes(table.handle_tags([tag(number)])) == ["tags.enrolled"]
    assert table.is_done
    assert table.describe_next_tap() == Text("tags.finished")
    assert [len(deck.find_design("donkey:giant").tags) for deck in kept] == [1, 2, 2]


def test_some_cards_only_end_with_what_the_others_lack(kept):
    table = TagDialogue(DECK, kept.append, "load:")
    list(table.handle_tags([tag(1)]))
    assert table.is_done
    assert table.describe_next_tap().args == {"only": "load:", "count": 2}
    for language in LANGUAGES:
        assert "load:" in Translator(language).translate(table.describe_next_tap())


def test_a_beginning_that_no_card_has_is_told(capsys):
    assert main(["tags", "enrol", "--deck", "donkey_valley", "--only", "lode"]) == 2
    assert "begins with lode" in capsys.readouterr().err


def test_the_same_card_twice_is_said_and_changes_nothing(table, kept):
    list(table.handle_tags([tag(1)]))
    assert codes(table.handle_tags([tag(1)])) == ["tags.again"]
    assert len(kept) == 1


def test_a_pile_of_copies_at_once_and_one_too_many(table):
    assert codes(table.handle_tags([tag(1), tag(2), tag(3)])) == [
        "tags.enrolled",
        "tags.enrolled",
        "tags.left_over",
    ]
    assert table.describe_next_tap().args["design"] == "load:red:1"


def test_a_tag_of_another_card_stays_there_until_it_is_moved_on_purpose(table):
    for number in (1, 2):
        list(table.handle_tags([tag(number)]))
    assert codes(table.handle_tags([tag(1)])) == ["tags.taken"]
    assert not table.is_done
    assert codes(table.handle_command("m")) == ["tags.enrolled"]
    assert codes(table.handle_command("m")) == ["tags.commands"], "once"
    assert table.deck.find_design_by_tag(tag(1).hex()) == "load:red:1"


def test_later_back_and_a_lost_sticker(table):
    list(table.handle_command("s"))
    assert table.describe_next_tap().args == {"design": "donkey:giant", "left": 3}
    list(table.handle_command("s"))
    assert table.describe_next_tap().args == {"design": "load:red:1", "left": 3}
    list(table.handle_command("s"))
    list(table.handle_tags([tag(1)]))
    assert codes(table.handle_command("b")) == []
    assert codes(table.handle_command("b")) == ["tags.nothing_back"]
    for number in (1, 2, 3):
        list(table.handle_tags([tag(number)]))
    assert table.is_done
    list(table.handle_command("r load:red:1"))
    assert table.describe_next_tap().code == "tags.prompt.replace"
    assert codes(table.handle_tags([tag(9)])) == ["tags.enrolled"]
    assert table.deck.find_design("load:red:1").tags == (tag(9).hex(),)


def test_look_alikes_and_phones_are_warned_of(table):
    list(table.handle_tags([TagId.from_hex("04010200000001")]))
    assert codes(table.handle_tags([TagId.from_hex("04010300000002")])) == ["tags.enrolled"]
    assert codes(table.handle_tags([TagId.from_hex("04010200000003")])) == [
        "tags.enrolled",
        "tags.lookalikes",
    ]
    deck = Deck(
        "many", "donkey_valley", tuple(Design(f"load:red:{n}", f"load:red:{n}", 1) for n in range(1, 10))
    )
    table = TagDialogue(deck, lambda _deck: None)
    for number in range(7):
        said = list(table.handle_tags([TagId.from_hex(f"0401020000000{number}")]))
    assert said[-1].args == {"designs": tuple(f"load:red:{n}" for n in range(1, 6))}, "five are named"
    assert codes(table.handle_tags([TagId.from_hex("08aabbcc")])) == ["tags.random"]


@pytest.mark.parametrize(
    ("line", "code"), [("x", "tags.commands"), ("r nobody", "deck.no_such_design"), ("m", "tags.commands")]
)
def test_a_command_that_makes_no_sense_is_answered(table, line, code):
    assert codes(table.handle_command(line)) == [code]


def test_lists_go_out_and_come_back(tmp_path, capsys):
    folder = tmp_path / "mine"
    DECK.with_tag("load:red:1", tag(7).hex()).save(folder)
    file = tmp_path / "tags.csv"
    assert main(["tags", "export", str(file), "--deck", str(folder)]) == 0
    assert file.read_text() == f"design,tag\nload:red:1,{tag(7).hex()}\n"
    file.write_text(file.read_text() + f"donkey:giant,{tag(8).hex()}\n")
    assert main(["tags", "import", str(file), "--deck", str(folder)]) == 0
    assert Deck.load(folder).find_design_by_tag(tag(8).hex()) == "donkey:giant"
    assert "One new tag; lines read: 2" in capsys.readouterr().out


@pytest.mark.parametrize("delimiter", [";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be"])
def test_a_list_is_read_as_spreadsheet_programs_write_it(tmp_path, delimiter, encoding):
    folder = tmp_path / "mine"
    Deck.load_builtin("donkey_valley").save(folder)
    text = f"design{delimiter}tag\r\ndonkey:giant{delimiter}{tag(8).hex()}\r\n"
    file = tmp_path / "tags.csv"
    file.write_bytes(("\ufeff" * (encoding == "utf-16-be") + text).encode(encoding))
    assert main(["tags", "import", str(file), "--deck", str(folder)]) == 0
    assert Deck.load(folder).find_design_by_tag(tag(8).hex()) == "donkey:giant"


@pytest.mark.parametrize("text", ["card;tag\n", "design,tag\nnobody,04000000000001\n", b"\xff\xfe\x00"])
def test_a_bad_list_changes_nothing_and_says_which_line(tmp_path, capsys, text):
    DECK.save(tmp_path / "mine")
    before = (tmp_path / "mine" / "deck.toml").read_bytes()
    file = tmp_path / "tags.csv"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    assert main(["tags", "import", str(file), "--deck", str(tmp_path / "mine")]) == 2
    said = capsys.readouterr().err
    assert said.startswith("companion tags: Line ")
    assert (tmp_path / "mine" / "deck.toml").read_bytes() == before


def test_no_such_file_or_deck_is_one_sentence(tmp_path, capsys):
    assert main(["tags", "import", str(tmp_path / "no.csv"), "--deck", "donkey_valley"]) == 2
    assert main(["tags", "export", str(tmp_path / "no.csv"), "--deck", "no_such_deck"]) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 2


def test_without_the_toolchain_the_simulated_reader_is_refused_in_one_sentence(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    monkeypatch.setattr("companion.readers.rfid.simulator.list_missing_tools", lambda _target="tray": ["g++"])
    for command in (
        ["tags", "enrol", "--deck", "donkey_valley", "--reader", "simulated"],
        ["play", "--reader", "simulated", "--plain", "--journal", str(tmp_path / "evening.sqlite")],
        ["check", "--reader", "simulated", "--plain"],
    ):
        assert main(command) in (1, 2)
        said = capsys.readouterr().err
        assert "g++" in said
        complaint = [line for line in said.splitlines() if not line.startswith("Drawing the cards")]
        assert len(complaint) == 1
