"""Deck files: what they say, how their mistakes are named, and what stays when they are written."""

from __future__ import annotations

import errno
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.decks.collection import find_deck
from companion.decks.references import describe_library_error
from companion.language import LANGUAGES
from companion.table import decks, pad_plan, zones
from companion.table.deck_file import find_line
from companion.table.decks import Deck, DeckError, Design, list_deck_files
from companion.texts import Translator
from vision.errors import LibraryError

HEAD = '[deck]\nname = "Mine"\ngame = "donkey_valley"\nowner_by = "seat"\n'


def written(tmp_path: Path, text: str | bytes) -> Path:
    path = tmp_path / "deck.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def mistakes(tmp_path: Path, text: str | bytes) -> list[tuple[int, str]]:
    with pytest.raises(DeckError) as caught:
        Deck.load(written(tmp_path, text))
    for lang in ("en", "fr"):
        said = caught.value.describe(Translator(lang).translate)
        assert "deck." not in said.replace("deck.toml", ""), "every mistake has its words"
    return [(fault.line, fault.key) for fault in caught.value.faults]


def test_a_pack_of_ones_own_says_what_each_design_stands_for(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        HEAD
        + '[[design]]\nname = "7S"\ncard = "load:any:7"\ncopies = 2\ntags = ["04:A2:B3:C4"]\nmarker = 17\n'
        '[[design]]\nname = "7H"\ncard = "load:any:7"\n[[design]]\nname = "KS"\ncard = ""\n',
    )
    deck = Deck.load(path)
    assert deck.designs[0] == Design("7S", "load:any:7", 2, ("04a2b3c4",), 17)
    assert (deck.find_card("7S"), deck.find_card("KS"), deck.find_card("nonsense")) == (
        "load:any:7",
        None,
        None,
    )
    assert deck.count_copies("load:any:7") == 3
    assert deck.find_design_by_tag("04a2B3c4") == "7S"
    assert deck.designs_by_marker[17] == "7S"
    assert deck.folder == tmp_path
    assert Deck.load(tmp_path) == deck, "a folder stands for the deck.toml in it"


@pytest.mark.parametrize(
    ("more", "usual"),
    [
        ("", ("none", "references", False)),
        (
            'owner_by = "seat"\nreferences = "mine/references"\nat_once = true\n',
            ("seat", "mine/references", True),
        ),
    ],
)
def test_what_a_deck_file_leaves_out_is_as_usual(
    tmp_path: Path, more: str, usual: tuple[object, ...]
) -> None:
    head = '[deck]\nname = "Mine"\ngame = "donkey_valley"\n'
    deck = Deck.load(written(tmp_path, f'{head}{more}[[design]]\nname = "load:red:7"\n'))
    assert (deck.owner_by, deck.references, deck.at_once) == usual
    assert deck.save().at_once is Deck.load(tmp_path).at_once is usual[-1]
    assert deck.designs == (Design("load:red:7", "load:red:7", 1, (), None),)
    made = Deck("Mine", "donkey_valley", deck.designs)
    assert (made.owner_by, made.references, made.path, made.at_once) == ("none", "references", None, False)


def test_the_owner_s_colour_is_in_the_card_id_unless_the_seat_tells_the_owner() -> None:
    printed, pack = Deck.load_builtin("donkey_valley"), Deck.load_builtin("donkey_valley_52_seat")
    assert printed.owner_colours == ("red", "blue", "green", "yellow", "purple", "orange", "black")
    assert printed.find_owner_colour("load:green:7") == "green"
    assert printed.find_owner_colour("donkey:giant") is None
    assert pack.owner_colours == ()
    assert Deck.load_builtin("donkey_valley_52").find_owner_colour("contract:any:accept") is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            HEAD + '[[design]]\nname = "7S"\n\n# two\n[[design]]\nname = "8S"\n  marker = "x"\n',
            [(11, "marker")],
        ),
        (HEAD + '[[design]]\nname = "7S"\n', [(6, "card")]),
        (HEAD + '[[design]]\nname = "a"\n[[design]]\nname = "a"\n', [(8, "name")]),
        (
            HEAD
            + '[[design]]\nname = "a"\ntags = ["04A2B3C4"]\n[[design]]\nname = "b"\ntags = ["04a2b3c4"]\n',
            [(10, "tags")],
        ),
        (HEAD, [(0, "design")]),
        (HEAD + '[[design]]\nname = "a\ncopies = 1\n', [(6, "name")]),
        (HEAD + '[[design]]\nname = "a"\nname = "b"\n', [(7, "name")]),
        ("a = " + "[" * 5000, [(0, "")]),
        (HEAD + "[[design\n", [(5, "")]),
        (HEAD + "name\n", [(5, "")]),
        (HEAD + 'design = 7\n[[design]]\nname = "a"\n', [(5, "design")]),
        (HEAD.encode() + b'[[design]]\nname = "\xff"\n', [(6, "")]),
        ('deck.name = "x"\ndeck.game = 3\n[[design]]\nname = "a"\n', [(2, "game")]),
        ('deck = {name = "x", game = "G"}\n[[design]]\nname = "a"\n', [(1, "game")]),
        ("", [(0, "deck"), (0, "design")]),
        ('[[deck]]\nname = "x"\n[design]\nname = "a"\n', [(1, "deck"), (3, "design")]),
    ],
)
def test_a_mistake_is_named_by_its_line_and_key(
    tmp_path: Path, text: str | bytes, expected: list[tuple[int, str]]
) -> None:
    assert mistakes(tmp_path, text) == expected


def test_the_message_says_file_line_key_and_what_to_do(tmp_path: Path) -> None:
    path = written(tmp_path, HEAD + '[[design]]\nname = "load:red:7"\ncoppies = 2\n')
    with pytest.raises(DeckError) as caught:
        Deck.load(path)
    assert str(caught.value) == (
        f"{path}: line 7, key `coppies`: is not a key of [[design]]; did you mean `copies`?"
    )
    assert caught.value.text == caught.value.faults[0].describe(), "what a command says that names no file"


def test_every_mistake_is_named_at_once(tmp_path: Path) -> None:
    text = HEAD.replace("seat", "suit") + '[[design]]\nname = ""\n[[design]]\nname = "b"\ncopies = -1\n'
    assert mistakes(tmp_path, text) == [(4, "owner_by"), (6, "name"), (9, "copies")]
    with pytest.raises(DeckError) as caught:
        Deck.load(tmp_path)
    file = re.escape(str(tmp_path / "deck.toml"))
    assert re.fullmatch(rf"{file}: line 4, .*\n{file}: line 6, .*\n{file}: line 9, .*", str(caught.value))


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("missing", "cannot be read"), ("folder", "cannot be read"), ("binary", "line 2: this is not UTF-8"),
        ("huge", r".*odd\.toml is larger than"), ("deep", r".*odd\.toml"),
    ],
)  # fmt: skip
def test_a_file_that_is_no_deck_file_is_refused_in_words(tmp_path: Path, what: str, said: str) -> None:
    path = tmp_path / "odd.toml"
    if what == "folder":
        path = tmp_path
    elif what == "binary":
        path.write_bytes(bytes(range(256)))
    elif what == "huge":
        path.write_bytes(b"#" * 5_000_000)
    elif what == "deep":
        path.write_bytes(b"a = " + b"[" * 5000)
    with pytest.raises(DeckError) as caught:
        Deck.load(path)
    assert re.match(f"{re.escape(str(path))}(/deck.toml)?: {said}", str(caught.value)), caught.value


@given(st.binary(max_size=200) | st.text(max_size=200).map(lambda t: (HEAD + t).encode("utf-8", "replace")))
def test_no_file_whatever_brings_anything_but_a_deck_or_a_deck_error(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    path = tmp_path_factory.mktemp("fuzz") / "deck.toml"
    path.write_bytes(data)
    try:
        deck = Deck.load(path)
    except DeckError as error:
        lines = str(error).splitlines()
    else:
        lines = [design.name for design in deck.designs]
    assert lines


def test_saving_keeps_comments_order_and_everything_that_did_not_change(tmp_path: Path) -> None:
    text = (
        "# Grandmother's pack\n\n"
        + HEAD.replace('"Mine"', '"Mine" # ours')
        + '\n# sevens\n[[design]]\nname = "7S"  # a coffee stain\ncard = "load:any:7"\n\n'
        + '# eights\n[[design]]\nname = "8S"\ncard = "load:any:8"\ncopies = 2\n'
    )
    path = written(tmp_path, text)
    Deck.load(path).with_tag("8S", "04-A2-B3-C4").save()
    after = path.read_text()
    assert after.replace('tags = ["04a2b3c4"]\n', "").replace('references = "references"\n', "") == text
    assert Deck.load(path).find_design_by_tag("04a2b3c4") == "8S"


def test_only_what_changed_is_written_anew_and_what_is_usual_is_left_out(tmp_path: Path) -> None:
    text = HEAD + '[[design]]\nname = "a"\ncard = "a"\ncopies = 0x3\n'
    path = written(tmp_path, text + 'tags = [ "04a2b3c4" ]  # worn\nmarker = 0x11\n')
    deck = Deck.load(path)
    deck.with_copies("a", 4).save()
    assert 'copies = 4\ntags = [ "04a2b3c4" ]  # worn\nmarker = 0x11\n' in path.read_text()
    deck.with_copies("a", 1).without_tag("04a2b3c4").save()
    assert not {"copies", "tags"} & set(path.read_text().split())


def test_a_tag_that_goes_to_another_card_leaves_the_first(tmp_path: Path) -> None:
    deck = Deck.load_builtin("dtc").with_tag("dtc:4", "04a2b3c4").with_tag("dtc:5", "04A2B3C4")
    assert deck.find_design_by_tag("04a2b3c4") == "dtc:5"
    assert deck.find_design("dtc:4") == Design("dtc:4", "dtc:4", 9)
    saved = deck.save(tmp_path / "own")
    assert saved.path == tmp_path / "own" / "deck.toml"
    assert Deck.load(saved.path).designs == deck.designs
    assert deck.without_tag("04a2b3c4").find_design_by_tag("04a2b3c4") is None


@pytest.mark.parametrize(("design", "tag"), [("dtc:9", "04a2b3c4"), ("dtc:4", "04"), ("dtc:4", "xyz")])
def test_a_tag_for_no_card_or_of_no_kind_is_refused(design: str, tag: str) -> None:
    with pytest.raises(DeckError):
        Deck.load_builtin("dtc").with_tag(design, tag)


def test_the_program_s_own_decks_are_never_changed() -> None:
    deck = Deck.load_builtin("dtc")
    assert deck.folder is None
    assert deck.views_folder is None
    with pytest.raises(DeckError, match="say where to save"):
        deck.with_copies("dtc:4", 2).save()
    assert Deck.load_builtin("dtc").count_copies("dtc:4") == 9


def test_designs_that_come_and_go_are_written_and_the_others_keep_their_comments(tmp_path: Path) -> None:
    path = written(tmp_path, HEAD + '[[design]]\nname = "a" # first\n[[design]]\nname = "b" # second\n')
    deck = Deck.load(path)
    changed = Deck(deck.name, deck.game, (deck.designs[1], Design("c", "c", 3)), deck.owner_by, path=path)
    changed.save()
    assert "# second" in path.read_text()
    assert Deck.load(path).designs == changed.designs


def test_a_deck_that_cannot_be_written_leaves_the_old_file(tmp_path: Path) -> None:
    path = written(tmp_path, HEAD + '[[design]]\nname = "a"\n')
    deck = Deck.load(path)
    path.write_text("= damaged meanwhile")
    with pytest.raises(DeckError, match="left as it was"):
        deck.with_copies("a", 4).save()
    assert path.read_text() == "= damaged meanwhile"
    with pytest.raises(DeckError, match="cannot be written"):
        deck.save(path / "below")


def test_exactly_the_designs_named_carry_markers(tmp_path: Path) -> None:
    deck = Deck("Mine", "donkey_valley", tuple(Design(name, None) for name in "abc"))
    deck = deck.with_markers({"a": 1, "b": 2}).with_markers({"b": 3, "c": 4})
    assert deck.designs_by_marker == {3: "b", 4: "c"}
    with pytest.raises(DeckError):
        deck.with_markers({"d": 5})
    assert Deck.load(deck.save(tmp_path / "deck.toml").path or "").designs == deck.designs


def test_people_s_decks_come_before_the_program_s_own(tmp_path: Path) -> None:
    (tmp_path / "dtc").mkdir()
    written(tmp_path / "dtc", HEAD + '[[design]]\nname = "a"\n')
    assert Deck.load_by_name("dtc", tmp_path).name == "Mine"
    assert Deck.load_by_name("partners", tmp_path).name == Deck.load_builtin("partners").name
    assert list_deck_files(tmp_path)["dtc"] == tmp_path / "dtc" / "deck.toml"
    with pytest.raises(DeckError, match=r"^whist: [^:]*The decks are: any_52, ascend, donkey_valley"):
        Deck.load_by_name("whist", tmp_path)


@pytest.mark.parametrize(
    ("name", "designs", "cards"),
    [
        ("donkey_valley", 7 * 12 + 12 + 1 + 2, 7 * 12 + 20 + 1),
        ("donkey_valley_52", 53 + 2 + 12 + 1, 40 + 14 + 20 + 1),
        ("donkey_valley_52_seat", 53 + 2 + 12 + 1, 40 + 14 + 20 + 1),
        ("any_52", 53 + 2 + 12 + 1, 40 + 14 + 20 + 1),
        ("dtc", 7, 66),
        ("ochs_und_esel", 16, 110),
        ("partners", 14, 56),
        ("ascend", 45, 45),
    ],
)
def test_the_program_s_own_decks_have_the_games_cards(name: str, designs: int, cards: int) -> None:
    deck = Deck.load_builtin(name)
    assert len(deck.designs) == designs
    assert sum(deck.card_counts.values()) == cards


def test_the_twenty_donkeys_are_of_twelve_kinds() -> None:
    deck = Deck.load_builtin("donkey_valley")
    donkeys = {card: copies for card, copies in deck.card_counts.items() if card.startswith("donkey:")}
    assert len(donkeys) == 12
    assert sum(donkeys.values()) == 20


def test_a_folder_that_happens_to_have_a_decks_name_hides_no_deck(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "dtc").mkdir()
    assert find_deck("dtc").name == Deck.load_builtin("dtc").name
    Deck.load_builtin("partners").save(tmp_path / "dtc")
    assert find_deck("dtc").game == "partners"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("reason", ["none", "damaged", "view", "version", "link", "unwritable", "aside", ""])
def test_what_is_wrong_with_views_is_said_in_every_language(language: str, reason: str) -> None:
    fault = LibraryError("In English only.", reason, "my-deck")
    fault.__cause__ = PermissionError(errno.EACCES, "Permission denied")
    said = Translator(language).translate(describe_library_error(fault))
    assert not {"English", "views."} & set(said.split())
    assert not said.startswith("views.")
    assert "my-deck" in said or not reason
    assert language == "en" or "denied" not in said


@pytest.mark.parametrize(
    ("table", "index", "key", "line"),
    [
        ("deck", 0, "name", 2),
        ("deck", 0, "game", 3),
        ("deck", 0, None, 1),
        ("deck", 0, "absent", 1),
        ("design", 0, "name", 5),
        ("design", 1, "name", 9),
        ("design", 1, "copies", 8),
        ("design", 2, "name", 0),
        ("other", 0, "name", 0),
    ],
)
def test_a_key_is_found_in_its_own_table(table: str, index: int, key: str | None, line: int) -> None:
    text = """[deck] # ours
name = "x"
"game" = "y"
[[design]]
  name = "a"
copies = 2
# between
[[ design ]]
name="b"
"""
    assert find_line(text, table, index, key) == line


@pytest.mark.parametrize(
    ("text", "line"),
    [('a = 1\ndeck.name = "x"\n', 2), ('a = 1\n\n  deck = {name = "x"}\n', 3), ("names.deck = 1\n", 0)],
)
def test_a_key_is_found_in_a_table_that_has_no_header(text: str, line: int) -> None:
    assert find_line(text, "deck", 0, "name") == line
    assert find_line(text, "deck", 0) == line


@pytest.mark.parametrize(
    ("folder", "is_allowed"),
    [
        ("references", True), ("mine/references", True), ("", False), ("mine", False), ("references/more", False),
        ("/references", False), ("../references", False), ("mine/../references", False),
        ("..\\\\references", False), ("a\\\\references", False), ("a\\\\b/references", False), ("C:/references", False),
    ],
)  # fmt: skip
def test_pictures_of_a_deck_lie_in_its_own_folder(tmp_path: Path, folder: str, is_allowed: bool) -> None:
    text = HEAD + f'references = "{folder}"\n' + '[[design]]\nname = "7S"\ncard = "load:any:7"\n'
    if is_allowed:
        assert Deck.load(written(tmp_path, text)).references == folder
    else:
        assert mistakes(tmp_path, text) == [(5, "references")]


def test_each_games_own_deck_comes_first() -> None:
    files = list(list_deck_files().values())
    for folder in {file.parent for file in files}:
        assert next(file for file in files if file.parent == folder).name == "deck.toml"


def test_a_tag_that_cannot_be_and_an_unknown_design_are_named() -> None:
    deck = Deck.load_builtin("dtc")
    for design, tag, key in ((deck.designs[0].name, "04", "tags"), ("nothing", "04a2b3c4", "name")):
        with pytest.raises(DeckError) as caught:
            deck.with_tag(design, tag)
        assert [fault.key for fault in caught.value.faults] == [key]
        assert caught.value.file == str(deck.path)
    with pytest.raises(DeckError, match=r"^Mine: "):
        Deck("Mine", "dtc", ()).save()


@pytest.mark.parametrize("copies", [0, 1, 999, 1000])
def test_a_card_has_from_one_to_999_copies(copies: int) -> None:
    deck = Deck.load_builtin("dtc")
    if 0 < copies < 1000:
        assert deck.with_copies("dtc:4", copies).count_copies("dtc:4") == copies
        return
    with pytest.raises(DeckError) as caught:
        deck.with_copies("dtc:4", copies)
    assert str(caught.value) == (
        f"{deck.path}: key `copies`: {copies} is not valid: it must be a whole number from 1 to 999."
    )


def test_the_names_of_the_table_s_files_stay() -> None:
    assert (decks.FILE, zones.FILE, pad_plan.FILE) == ("deck.toml", "table.toml", "pads.toml")
