"""The cards' art: all there, told apart, the same for printer and camera, and kept."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import cv2
import numpy as np
import pytest
from five_games import GAMES, Drawn
from numpy.typing import NDArray

from companion.decks import assets, render_back, render_drawings, svg
from companion.decks.faces import assign_markers, draw_back, draw_face, draw_faces
from companion.games.ascend import cards as ascend
from companion.games.donkey_valley import cards as donkey_valley
from companion.games.donkey_valley.drawing import ART
from companion.language import LANGUAGES
from companion.rules import registry
from companion.table.decks import MARKERS, Deck, Design
from companion.texts import Translator, find_game_folder
from vision import markers

Picture = NDArray[np.uint8]


def at_60(picture: Picture) -> NDArray[np.float32]:
    """The card 60 pixels wide, in Lab, slightly blurred: what a poor camera or a person at the
    table's far end sees."""
    small = cv2.resize(picture, (60, 84), interpolation=cv2.INTER_AREA).astype(np.float32) / 255
    return np.asarray(cv2.cvtColor(cv2.GaussianBlur(small, (0, 0), 0.8), cv2.COLOR_BGR2LAB), dtype=np.float32)


def distance(one: NDArray[np.float32], other: NDArray[np.float32]) -> float:
    """How far two cards are from alike, 0..1 and more: the mean difference in Lab over 50, either
    way up."""
    turned = other[::-1, ::-1]
    return float(min(np.abs(one - other).sum(2).mean(), np.abs(one - turned).sum(2).mean()) / 50)


def unlike_turned(picture: Picture, part: tuple[slice, slice] = np.s_[:, :]) -> float:
    """How much a picture differs from itself upside down, 0..255; a pixel's shift in drawing does
    not count."""
    soft = cv2.blur(picture, (3, 3)).astype(np.int16)
    turned = soft[::-1, ::-1]
    shifted = (np.roll(turned, (y, x), (0, 1)) for y in (-1, 0, 1) for x in (-1, 0, 1))
    return float(min(np.abs(soft[part] - other[part]).mean() for other in shifted))


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_every_card_of_the_deck_is_drawn_and_no_other(game: str, drawn: Drawn) -> None:
    deck = Deck.load_builtin(game)
    assert list(drawn(game)) == [design.name for design in deck.designs]
    for picture in drawn(game).values():
        assert picture.shape == (400, 286, 3)
        assert picture.dtype == np.uint8
        assert picture.std() > 20, "a card is no blank"


def test_an_ordinary_pack_has_no_drawings_but_its_donkeys_and_slips(drawn: Drawn) -> None:
    deck = Deck.load_builtin("donkey_valley_52")
    own = {design.name for design in deck.designs if ":" in design.name or design.name == "first_player"}
    assert set(drawn("donkey_valley_52")) == own
    assert "contract:any:accept" in own
    assert draw_face("donkey_valley", Design("7S", "load:any:7")) is None


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_no_two_designs_look_alike_at_60_pixels(game: str, drawn: Drawn) -> None:
    seen = {name: at_60(picture) for name, picture in drawn(game).items()}
    apart = {pair: distance(seen[pair[0]], seen[pair[1]]) for pair in combinations(seen, 2)}
    nearest = min(apart, key=lambda pair: apart[pair])
    assert apart[nearest] > 0.14, f"{nearest} are {apart[nearest]:.3f} apart"


@pytest.mark.slow
def test_six_and_nine_are_told_apart_upside_down(drawn: Drawn) -> None:
    cards = drawn("donkey_valley")
    for colour in Deck.load_builtin("donkey_valley").owner_colours:
        six, nine = cards[f"load:{colour}:6"], cards[f"load:{colour}:9"]
        corner = slice(20, 120), slice(15, 80)
        assert np.abs(six[corner].astype(int) - nine[::-1, ::-1][corner]).mean() > 10
        assert np.abs(six[corner].astype(int) - nine[corner]).mean() > 10


def test_a_load_reads_alike_either_way_up(drawn: Drawn) -> None:
    """The corners tell colour and value, so no player sees more of a load than another."""
    for name, picture in drawn("donkey_valley").items():
        if name.startswith("load:"):
            assert unlike_turned(picture, np.s_[25:85, 20:85]) < 15, name  # the pattern behind may differ


@pytest.mark.parametrize("game", GAMES)
def test_a_back_tells_nothing_and_is_no_card_s_face(game: str, drawn: Drawn) -> None:
    back = render_back(game)
    assert unlike_turned(back) < 2, "a back that has an up and a down marks cards"
    assert min(distance(at_60(back), at_60(one)) for one in drawn(game).values()) > 0.3


def test_each_game_has_a_back_of_its_own() -> None:
    backs = [at_60(render_back(game)) for game in GAMES]
    assert min(distance(a, b) for a, b in combinations(backs, 2)) > 0.3


def test_cards_have_white_edges_all_round_so_that_a_cut_a_little_off_shows_nothing(drawn: Drawn) -> None:
    for game in GAMES:
        for name, picture in drawn(game).items():
            rim = np.concatenate(
                [
                    picture[:8].reshape(-1, 3),
                    picture[-8:].reshape(-1, 3),
                    picture[:, :8].reshape(-1, 3),
                    picture[:, -8:].reshape(-1, 3),
                ]
            )
            assert (rim.min(axis=1) > 235).mean() > 0.99, f"{game} {name}"


def test_pictures_are_drawn_once_and_kept_and_a_damaged_one_is_drawn_again(tmp_path: Path) -> None:
    deck = Deck.load_builtin("dtc")
    first = render_drawings(deck, cache=tmp_path)
    (file,) = tmp_path.iterdir()
    written = file.stat().st_mtime_ns
    again = render_drawings(deck, cache=tmp_path)
    assert all(np.array_equal(first[name], again[name]) for name in first)
    assert file.stat().st_mtime_ns == written
    file.write_bytes(b"damaged")
    repaired = render_drawings(deck, cache=tmp_path)
    assert all(np.array_equal(first[name], repaired[name]) for name in first)
    render_drawings(deck, height=200, cache=tmp_path)
    assert len(list(tmp_path.iterdir())) == 1, "older pictures of a deck make room"


def test_decks_of_a_game_share_what_was_drawn_and_none_takes_the_others_place(tmp_path: Path) -> None:
    drawn: list[int] = []

    def pictures(deck: Deck) -> dict[str, Picture]:
        drawn.clear()
        return render_drawings(
            deck, height=100, cache=tmp_path, on_progress=lambda number, _count: drawn.append(number)
        )

    dtc = Deck.load_builtin("dtc")
    few = replace(dtc, designs=(Design("7S", "dtc:4"), *dtc.designs[:2]))
    every, some = pictures(dtc), pictures(few)
    assert drawn == [], "they are the other deck's cards"
    assert list(some) == [design.name for design in dtc.designs[:2]]
    assert all(np.array_equal(every[name], picture) for name, picture in some.items())
    marker = pictures(few.with_markers({dtc.designs[0].name: 3}))
    assert drawn == [1], "one looks otherwise"
    assert not np.array_equal(marker[dtc.designs[0].name], every[dtc.designs[0].name])
    for deck in (dtc, few):
        pictures(deck)
        assert drawn == [], "it is still there"


def test_without_a_cache_folder_the_pictures_are_drawn_all_the_same(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    assert len(render_drawings(Deck.load_builtin("dtc"), height=100, cache=blocked / "below")) == 7


@pytest.mark.parametrize("language", LANGUAGES)
def test_names_on_cards_can_be_written_accents_and_all(language: str) -> None:
    donkeys, emblems = (Translator.for_game(language, game) for game in ("donkey_valley", "ascend"))
    names = [donkeys(f"print.{kind}") for kind in donkey_valley.DONKEYS] + [
        emblems(f"print.{card}") for card in ascend.CARDS
    ]
    for name in names:
        assert name == name.upper()
        assert all(svg.has_glyph(sign) for sign in name), name
    assert svg.draw_text("É", 0, 0, 4, "#000000") != svg.draw_text("E", 0, 0, 4, "#000000")


@pytest.mark.parametrize("game", ["donkey_valley", "ascend"])
def test_a_language_that_lacks_the_words_loses_no_card(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("companion.texts.LANGUAGES", (*LANGUAGES, "nl"))
    deck = Deck.load_builtin(game)
    assert draw_faces(deck, "nl") == draw_faces(deck, "en")
    assert len(draw_faces(deck, "nl")) == len(deck.designs)


def test_every_picture_file_is_whole_is_on_some_card_and_names_no_font_but_ours() -> None:
    assets._load_group.cache_clear()
    for game in GAMES:
        draw_faces(Deck.load_builtin(game))
        draw_back(game)
    files = [
        file for game in GAMES for file in find_game_folder(registry.load_game(game)).glob("art/**/*.svg")
    ]
    unused = len(files) - assets._load_group.cache_info().currsize
    assert unused == 0, "a picture that no card shows"
    for file in files:
        assert ElementTree.parse(file).getroot().get("font-family") == "Quicksand"
    assert "Quicksand" in svg.FONT.with_name("OFL.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("game", "name"),
    [
        *(("donkey_valley", name) for name in ("donkey:../first_player", "load:red:11", "donkey:", "oe:ox")),
        ("ochs_und_esel", "oe:dragon"),
        ("ascend", "decktet:castle.svg"),
        ("no_such_game", "oe:ox"),
    ],
)
def test_a_name_that_a_deck_file_made_up_is_a_card_of_the_owner_s_own(game: str, name: str) -> None:
    assert draw_face(game, Design(name, name)) is None


def test_a_picture_is_filled_in_with_colours_their_shades_and_words() -> None:
    barrel = ART("luggage/6", ink="#1f6fd0")
    assert "#1f6fd0" in barrel
    assert svg.darken_colour("#1f6fd0", 0.3) in barrel
    assert not set(re.findall(r"var|color-mix|<text|[{}]", barrel))
    assert ART("donkeys/giant", "GÉANT") != ART("donkeys/giant", "GIANT")


def test_a_sign_without_a_shape_is_a_question_mark_and_no_end() -> None:
    assert svg.draw_text("Ω", 0, 0, 4, "#000000") == svg.draw_text("?", 0, 0, 4, "#000000")


def test_the_decktet_has_its_suits_and_ranks() -> None:
    assert ascend.CARDS["castle"].suits == {"suns", "knots"}
    assert ascend.CARDS["borderland"].rank == ascend.PAWN
    assert not ascend.CARDS["excuse"].suits
    held = [suit for card in ascend.CARDS.values() for suit in card.suits]
    assert {suit: held.count(suit) for suit in ascend.SUITS} == dict.fromkeys(ascend.SUITS, 14)
    assert {f"decktet:{card}" for card in ascend.CARDS} == set(Deck.load_builtin("ascend").card_counts)


def test_a_printed_marker_is_read_back_and_names_its_card(tmp_path: Path) -> None:
    deck = assign_markers(Deck.load_builtin("partners"))
    for name, picture in render_drawings(deck, cache=tmp_path).items():
        assert [deck.designs_by_marker.get(seen.id) for seen in markers.find_markers(picture, MARKERS)] == [
            name
        ]
        assert markers.find_markers(picture) == [], "no card is taken for a corner of the mat"


def test_markers_that_are_there_stay_and_the_rest_get_free_ones() -> None:
    deck = Deck.load_builtin("dtc").with_markers({"dtc:6": 0})
    assert {d.name: d.marker for d in assign_markers(deck).designs} == {
        "dtc:1": 1, "dtc:2": 2, "dtc:3": 3, "dtc:4": 4, "dtc:5": 5, "dtc:6": 0, "dtc:joker": 6,
    }  # fmt: skip
    summaries = [d for d in assign_markers(Deck.load_builtin("donkey_valley")).designs if d.card is None]
    assert [d.marker for d in summaries] == [None, None]
