"""Sheets to print: sizes, counts, cut marks, both sides, and what printing leaves in the deck's
folder."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict
from pathlib import Path

import cv2
import numpy as np
import pypdfium2
import pytest
from five_games import GAMES, Drawn
from numpy.typing import NDArray

from companion.__main__ import main
from companion.decks import sheets
from companion.decks.faces import draw_faces
from companion.decks.sheets import make_blank_pdf
from companion.games.partners import board, drawing
from companion.table.decks import Deck, DeckError
from vision.decks import separation
from vision.geometry import make_box
from vision.homography import TablePlane
from vision.library import Library
from vision.markers import find_markers


def pages(data: bytes, scale: float = 1.0) -> list[NDArray[np.uint8]]:
    document = pypdfium2.PdfDocument(data)
    found = [np.array(page.render(scale=scale).to_numpy()) for page in document]
    document.close()
    return found


def sizes(data: bytes) -> set[tuple[float, float]]:
    document = pypdfium2.PdfDocument(data)
    found = {(round(w / 72 * 25.4, 1), round(h / 72 * 25.4, 1)) for w, h in (p.get_size() for p in document)}
    document.close()
    return found


def text(data: bytes) -> str:
    document = pypdfium2.PdfDocument(data)
    found = "\n".join(page.get_textpage().get_text_range() for page in document)
    document.close()
    return found


@pytest.mark.parametrize(
    ("game", "count", "sheet_count"),
    [
        ("donkey_valley", 119, 14),
        ("dtc", 66, 8),
        ("ochs_und_esel", 110, 13),
        ("partners", 56, 7),
        ("ascend", 45, 5),
    ],
)
def test_a_deck_s_cards_are_all_on_its_sheets(game: str, count: int, sheet_count: int) -> None:
    deck = Deck.load_builtin(game)
    every = sheets.list_printed_cards(deck)
    assert Counter(card.design for card in every) == {d.name: d.copies for d in deck.designs}
    assert len(every) == count
    assert -(-count // 9) == sheet_count


@pytest.mark.parametrize(("paper", "size"), [("a4", (210.0, 297.0)), ("letter", (215.9, 279.4))])
def test_the_pdf_has_as_many_pages_as_sheets_of_the_paper_s_size(
    paper: str, size: tuple[float, float]
) -> None:
    data = sheets.build_deck_pdf(Deck.load_builtin("dtc"), paper)
    assert sizes(data) == {size}
    assert len(pages(data, 0.1)) == 8
    assert sheets.build_deck_pdf(Deck.load_builtin("dtc"), paper) == data, "the same deck gives the same file"


def test_a_card_on_the_sheet_is_63_by_88_millimetres_and_looks_as_drawn_each_of_its_copies_too(
    drawn: Drawn,
) -> None:
    scale = 400 / (88 / 25.4 * 72)
    deck = Deck.load_builtin("partners")
    page = pages(sheets.build_deck_pdf(deck), scale)[0]
    millimetre = scale * 72 / 25.4
    for place, card in enumerate(sheets.list_printed_cards(deck)[:9]):
        row, column = divmod(place, 3)
        left = round(((210 - 189) / 2 + 63 * column) * millimetre)
        top = round(((297 - 264) / 2 + 88 * row) * millimetre)
        cut = page[top : top + 400, left : left + 286]
        drawing = drawn("partners")[card.design]
        assert np.abs(cv2.blur(cut, (3, 3)).astype(int) - cv2.blur(drawing, (3, 3))).mean() < 4, place


def test_cut_marks_stand_in_the_margin_clear_of_the_cards_and_nothing_runs_over() -> None:
    scale = 4.0
    nine = Deck("nine", "donkey_valley", Deck.load_builtin("donkey_valley").designs[:9])
    page = pages(sheets.build_deck_pdf(nine, "letter"), scale)[0]
    point = scale * 72 / 25.4
    left, top = (215.9 - 189) / 2, (279.4 - 264) / 2
    for column in range(4):
        x = round((left + 63 * column) * point)
        assert page[round((top - 3) * point), x - 2 : x + 3].min() < 160, "a mark at each cut"
    for row in range(4):
        y = round((top + 88 * row) * point)
        assert page[y - 2 : y + 3, round((left - 3) * point)].min() < 160
    assert page[: round((top - 0.4) * point)].min(axis=2).mean() > 250, (
        "the margin is white but for the marks"
    )
    assert page[round((top - 1) * point)].min() > 230, "marks keep clear of the cards"


def test_on_both_sides_the_backs_are_mirrored_and_contracts_have_two_faces() -> None:
    deck = Deck.load_builtin("donkey_valley")
    every = sheets.list_printed_cards(deck, both_sides=True)
    assert len(every) == 119 - 7 - 7, "each contract and each summary is one card"
    fronts = Counter(card.design for card in every)
    assert fronts["contract:red:accept"] == 1
    assert fronts["contract:red:refuse"] == 0
    faces = {card.design: card.front for card in sheets.list_printed_cards(deck)}
    accept = next(card for card in every if card.design == "contract:red:accept")
    assert accept.back == faces["contract:red:refuse"]
    common = {card.back.svg for card in every if card.design.startswith(("load:", "donkey:"))}
    assert len(common) == 1, "loads and donkeys have one back"


@pytest.mark.parametrize(("backs", "duplex"), [(False, b"/Simplex"), (True, b"/DuplexFlipLongEdge")])
def test_a_viewer_is_asked_not_to_scale_and_for_duplex_where_there_are_backs(
    backs: bool, duplex: bytes
) -> None:
    data = sheets.build_deck_pdf(Deck.load_builtin("dtc"), backs=backs)
    assert b"/PrintScaling /None" in data
    assert b"/Duplex " + duplex in data


def test_turned_over_the_long_edge_a_back_lies_behind_its_card() -> None:
    deck = Deck(
        "two",
        "donkey_valley",
        tuple(d for d in Deck.load_builtin("donkey_valley").designs if d.name.startswith("contract:red")),
    )
    front, behind = pages(sheets.build_deck_pdf(deck, backs=True))
    middle = front.shape[1] // 2

    def inked(page: NDArray[np.uint8]) -> tuple[float, float]:
        high = slice(round(page.shape[0] * 0.06), round(page.shape[0] * 0.34))
        dark = page[high].min(axis=2) < 200
        return float(dark[:, : middle // 2].mean()), float(dark[:, -middle // 2 :].mean())

    assert inked(front)[0] > 0.1 > inked(front)[1]
    assert inked(behind)[0] < 0.1 < inked(behind)[1]


def test_the_summary_says_every_donkey_and_favour_in_french_with_its_accents() -> None:
    deck = Deck.load_builtin("donkey_valley")
    said = " ".join(words.text for side in draw_faces(deck, "fr").values() for words in side.words)
    for word in (
        "Têtu",
        "Géant",
        "Chétif",
        "Attaqué",
        "Troué",
        "Pressé",
        "Trié sur le volet",
        "surchargé",
        "révèle",
        "Décider",
    ):
        assert word in said
    printed = text(sheets.build_deck_pdf(Deck("s", "donkey_valley", deck.designs[-2:]), lang="fr"))
    for word in ("Têtu", "Géant", "à tour de rôle", "l’écart", "échanger"):
        assert word in printed


@pytest.mark.parametrize("lang", ["en", "fr"])
@pytest.mark.parametrize("face", [1, 2])
def test_the_small_print_stays_on_the_card(lang: str, face: int) -> None:
    pdf = make_blank_pdf(63, 88)
    for words in draw_faces(Deck.load_builtin("donkey_valley"), lang)[f"summary:{face}"].words:
        pdf.set_font("helvetica", "B" if words.bold else "", words.points)
        room = 25.2 if face == 1 and words.bold else 59.6
        assert words.x + pdf.get_string_width(words.text) <= room, words.text
        assert words.y < 84.6


@pytest.mark.slow
def test_printing_a_deck_enrols_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = tmp_path / "mine"
    folder.mkdir()
    monkeypatch.chdir(folder)
    assert main(["cards", "print", "--game", "dtc", "--out", "."]) == 0
    assert "66 cards to print; sheets: 8" in capsys.readouterr().out
    assert len(pages((folder / "dtc-a4-en.pdf").read_bytes(), 0.1)) == 8
    deck = Deck.load(folder)
    assert deck.designs == Deck.load_builtin("dtc").designs
    assert Library.load(folder).designs == [design.name for design in deck.designs]
    index = json.loads((folder / "references" / "index.json").read_text())
    assert index["margins"] == asdict(separation.measure_separation(Library.load(folder)).margins), (
        "the deck has set its own margins"
    )
    assert (folder / "deck.toml").read_text().startswith("# DTC"), "the deck file keeps its comments"

    deck.with_tag("dtc:4", "04a2b3c4").save()
    assert main(["cards", "print", "--game", "dtc", "--lang", "fr", "--markers", "--out", str(folder)]) == 0
    assert "66 cartes à imprimer" in capsys.readouterr().out
    again = Deck.load(folder)
    assert again.find_design_by_tag("04a2b3c4") == "dtc:4", "tags of a deck that is printed again stay"
    assert again.designs_by_marker[0] == "dtc:1"
    library = Library.load(folder)
    assert {library.count_views(name) for name in library.designs} == {2}, (
        "with markers the cards look different: a further view"
    )
    assert main(["cards", "print", "--game", "dtc", "--out", str(folder)]) == 0
    assert len(Library.load(folder)) == 14, "what is enrolled already is not enrolled again"


def test_printing_says_how_far_it_is_and_broken_off_leaves_the_sheets_of_before(tmp_path: Path) -> None:
    deck = Deck.load_builtin("dtc")
    file = sheets.write_deck_pdf(deck, tmp_path)
    before, heard = file.read_bytes(), []

    def break_off(number: int, count: int) -> None:
        heard.append((number, count))
        if number > count // 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sheets.write_deck_pdf(deck, tmp_path, on_progress=break_off)
    assert heard == [(9, 66), (18, 66), (27, 66), (36, 66)]
    assert file.read_bytes() == before
    assert list(tmp_path.iterdir()) == [file], "no half file"


def test_designs_that_the_camera_takes_for_each_other_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], drawn: Drawn
) -> None:
    file = tmp_path / "deck.toml"
    file.write_text(
        '[deck]\nname = "x"\ngame = "dtc"\n[[design]]\nname = "dtc:1"\n[[design]]\nname = "dtc:2"\n'
    )
    one, other = drawn("dtc")["dtc:1"], drawn("dtc")["dtc:1"].copy()
    other[190:200, 130:150] = 0
    Library.from_drawings({"dtc:1": one, "dtc:2": other}).save(tmp_path)
    assert main(["cards", "check", str(file), "--lang", "fr"]) == 0
    assert "\n1 et 2 se ressemblent beaucoup pour la caméra" in capsys.readouterr().out


def test_a_deck_with_a_damaged_view_is_not_called_free_of_mistakes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], drawn: Drawn
) -> None:
    Deck.load_builtin("dtc").save(tmp_path)
    Library.from_drawings(drawn("dtc")).save(tmp_path)
    assert main(["cards", "check", str(tmp_path)]) == 0
    assert "no mistakes" in capsys.readouterr().out
    view = max((tmp_path / "references").glob("*.png"))
    view.write_bytes(view.read_bytes()[:100])
    assert main(["cards", "check", str(tmp_path)]) == 2
    said = capsys.readouterr()
    assert "no mistakes" not in said.out
    assert "dtc:" in said.err


def test_a_folder_that_holds_another_game_s_deck_is_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Deck.load_builtin("partners").save(tmp_path)
    before = (tmp_path / "deck.toml").read_bytes()
    assert main(["cards", "print", "--game", "dtc", "--out", str(tmp_path)]) == 2
    assert "contains a deck of the game partners" in capsys.readouterr().err
    assert (tmp_path / "deck.toml").read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["deck.toml"]


def test_a_deck_without_drawings_cannot_be_printed_and_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "deck.toml"
    file.write_text('[deck]\nname = "x"\ngame = "whist"\n[[design]]\nname = "7S"\ncard = "w:7"\n')
    with pytest.raises(DeckError, match="no cards that this program can draw"):
        sheets.build_deck_pdf(Deck.load(file))
    assert main(["cards", "print", "--game", str(file), "--out", str(tmp_path / "out")]) == 2
    assert "no cards that this program can draw" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_every_deck_is_listed_and_each_of_its_cards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert main(["cards", "list", "--lang", "fr"]) == 0
    lines = capsys.readouterr().out.splitlines()
    others = ["any_52", "donkey_valley_52", "donkey_valley_52_seat"]
    at = sorted(GAMES).index("donkey_valley") + 1  # a game's usual deck comes before its others
    assert [line.split("\N{NO-BREAK SPACE}:")[0] for line in lines] == [
        *sorted(GAMES)[:at],
        *others,
        *sorted(GAMES)[at:],
    ]
    assert main(["cards", "list", "donkey_valley_52"]) == 0
    listed = capsys.readouterr().out
    assert "  1 × 7S = load:spades:7\n" in listed
    assert "  1 × KS = -\n" in listed


def test_a_deck_file_with_a_mistake_is_told_in_the_player_s_language(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "deck.toml"
    file.write_text('[deck]\nname = "x"\ngame = "dtc"\n[[design]]\nname = "dtc:1"\ncopies = "nine"\n')
    assert main(["cards", "check", str(file), "--lang", "fr"]) == 2
    said = capsys.readouterr().err
    assert (
        said
        == f'companion cards: {file}: ligne 6, clé `copies` : "nine" n’est pas valable : il faut un nombre entier de 1 à 999.\n'
    )


def test_a_good_deck_file_is_told_what_it_lacks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "deck.toml"
    file.write_text(
        '[deck]\nname = "x"\ngame = "dtc"\n[[design]]\nname = "dtc:1"\n[[design]]\nname = "dtc:9"\n'
    )
    assert main(["cards", "check", str(file)]) == 0
    said = capsys.readouterr().out
    assert "no mistakes" in said
    assert "The game has no such cards: dtc:9." in said
    assert "missing from this deck: dtc:2, dtc:3" in said
    assert "2 designs have no reference view for the camera yet: dtc:1, dtc:9." in said


@pytest.mark.parametrize(
    ("paper", "size", "cell"), [("a3", (420, 297), 17.5), ("letter", (279.4, 215.9), 23)]
)
def test_a_printed_board_lies_under_the_camera_as_the_game_counts_its_squares(
    paper: str, size: tuple[float, float], cell: float
) -> None:
    data = sheets.build_board_pdf(drawing.build_printed_board(), paper, "partners", "fr")
    assert sizes(data) == {size}
    assert "Imprimez à 100 %" in text(data)
    found = pages(data, 2.0)
    if paper != "a3":  # cut along the lines and join
        cut = [round((edge - 9.5) / 25.4 * 144) for edge in size]
        far = [page.shape[side] - at for page, side, at in ((found[3], 1, cut[0]), (found[3], 0, cut[1]))]
        upper = np.hstack([found[0][: cut[1], : cut[0]], found[1][: cut[1], far[0] :]])
        found = [np.vstack([upper, np.hstack([found[2][far[1] :, : cut[0]], found[3][far[1] :, far[0] :]])])]
    picture = np.ascontiguousarray(found[0][:, :, :3])
    marks = find_markers(picture)
    assert [mark.id for mark in marks] == list(board.MARKS)
    plane = TablePlane.from_markers(
        marks, {mark: make_box(x, y, x + side, y + side) for mark, (x, y, side) in board.MARKS.items()}
    )
    left, top = (board.SIZE[0] - board.SIDE) / 2, (board.SIZE[1] - board.SIDE) / 2
    middles = np.array([(left + column + 0.5, top + row + 0.5) for column, row in board.CELLS.values()])
    for away, white in (((0.3, 0), True), ((0, -0.3), True), ((0.43, 0), False), ((0, -0.43), False)):
        at = plane.to_image(middles + away).round().astype(int)
        shown = (picture[at[:, 1], at[:, 0]].min(axis=1) > 250).tolist()
        assert shown == [white] * 92, f"what pawns stand on is white, its rim is not: {away}"
    across = np.linalg.norm(np.diff(plane.to_image([(0, 0), (1, 0)]), axis=0)) / 144 * 25.4
    assert across == pytest.approx(cell, rel=0.04), "millimetres of a square: a pawn has room"
