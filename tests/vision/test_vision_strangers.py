"""Cards of designs that nobody enrolled: their look-alike leads all others, and yet it is another
print."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from tests.vision.test_vision_print import deck as drawn_deck
from vision import outline_reader, reader
from vision.fitting.patch import WIDTH
from vision.geometry import make_rectangle
from vision.library import Library, Margins
from vision.naming import verifier
from vision.naming.identify import NamingTerms, identify_card
from vision.outlines.detect import Outline
from vision.print_check import SAME_PRINT_SCORE, hue_difference, verify_prints
from vision.reader import Reader
from vision.steps import finish_at_once, run_to_end

HIGH = 224

CLEAR = 2.0
"""Log odds beyond the limit that need no second asking."""


def sign(fill: str, ink: tuple[int, int, int] = (150, 40, 110)) -> np.ndarray:
    """A card with one sign, its inside empty, hatched or full."""
    card = np.full((420, 300, 3), 245, np.uint8)
    inside = np.zeros(card.shape[:2], np.uint8)
    cv2.ellipse(inside, (150, 210), (100, 60), 0, 0, 360, 1, -1)
    if fill == "hatched":
        inside[:, np.arange(300) % 8 > 2] = 0
    if fill != "empty":
        card[inside > 0] = ink
    cv2.ellipse(card, (150, 210), (100, 60), 0, 0, 360, ink, 5, cv2.LINE_AA)
    return card


def sure(known: dict[str, np.ndarray], scene) -> list[str]:
    return sorted(r.card for r in Reader(Library.from_drawings(known)).read(scene.picture) if r.sure)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("seen", "enrolled"), [("hatched", "empty"), ("empty", "hatched"), ("full", "hatched")]
)
def test_a_fill_that_nobody_enrolled_is_not_the_other(lay, seen, enrolled):
    known = {enrolled: sign(enrolled), "green": sign("full", (60, 160, 40))}
    scene = lay((sign(seen), 400, 330, 0), (known["green"], 700, 330, 5), width=140)
    assert sure(known, scene) == ["green"]


def test_what_shows_another_print_is_not_named_as_a_card_half_hidden_either(lay, deck, library, monkeypatch):
    first, turned_down, last = list(deck)[:3]
    monkeypatch.setattr(
        reader,
        "verify_prints_in_steps",
        lambda found: finish_at_once([replace(r, sure=r.sure and r.card != turned_down) for r in found]),
    )
    scene = lay((first, 300, 330, 0), (turned_down, 600, 330, 0), (last, 900, 330, 5), width=140)
    assert {r.card for r in Reader(library).read(scene.picture) if r.sure} == {first, last}


@pytest.mark.slow
def test_half_a_card_that_nobody_enrolled_is_not_its_look_alike(lay):
    """The nearest design explained three quarters of what shows, led all others by far and was
    named."""
    known, unknown = drawn_deck(), "violet:hatched:diamond"
    stranger = known.pop(unknown)
    above, beside = known["red:full:diamond"], known["red:empty:box"]
    scene = lay((stranger, 400, 300, 0), (above, 400, 375, 90), (beside, 800, 300, 5))
    assert sure(known, scene) == ["red:empty:box", "red:full:diamond"]
    assert unknown in sure({**known, unknown: stranger}, scene)


@pytest.mark.parametrize(("rows", "told"), [(15, False), (60, True)])
def test_by_the_rim_of_its_sign_alone_no_fill_is_told(rows, told):
    """A full oval of which no more than the upper rim showed was named as the empty one."""
    known = {fill: sign(fill) for fill in ("empty", "hatched", "full")}
    picture = np.full((620, 500, 3), 60, np.uint8)
    picture[100:520, 100:400] = known["full"]
    picture[250 + rows :] = 90  # the sign is 120 rows high and begins in row 250
    cover = make_rectangle(500, 370 - rows) + np.array([0, 250 + rows], dtype=np.float32)
    verdict = identify_card(
        picture, make_rectangle(300, 420) + 100, Library.from_drawings(known), NamingTerms([cover])
    )
    assert verdict.card == "full"
    assert (verdict.lead > 0.5) == told


def long_sign(wave: float, ink: tuple[int, int, int] = (150, 40, 110)) -> np.ndarray:
    """A card with one full sign, longer than high, its sides as wavy as said, pixels of 300."""
    card = np.full((420, 300, 3), 245, np.uint8)
    along = np.linspace(0, 2 * np.pi, 100)
    x = 82 * np.sign(np.cos(along)) * np.abs(np.cos(along)) ** 0.6
    y = 36 * np.sin(along) + wave * np.sin(x / 82 * np.pi)
    cv2.fillPoly(card, [np.round(np.stack([150 + x, 210 + y], 1)).astype(np.int32)], ink, cv2.LINE_AA)
    return card


def test_a_wavy_sign_that_nobody_enrolled_is_no_straight_one_bent_into_it(lay):
    known = {"straight": long_sign(0), "green": long_sign(0, (60, 160, 40))}
    scene = lay((long_sign(12), 400, 330, 0), (known["green"], 700, 330, 5), width=140)
    assert sure(known, scene) == ["green"]


def test_a_card_seen_from_a_slant_waits_for_the_question_of_its_print(lay, deck, library):
    card = next(iter(deck))
    picture = lay((card, 400, 330, 0), width=140).picture
    slanted = cv2.resize(picture, None, fx=1.0, fy=1.35)
    around = np.array([[-1, -1.4], [1, -1.4], [1, 1.4], [-1, 1.4]], dtype=np.float32)
    whole, sign_on_it = ((around * half + (400, 330)) * (1, 1.35) for half in (70, 20))
    unsure = Reader(library, Margins(lead=0.999))
    outline = Outline(whole.astype(np.float32), 1.0, inside=(Outline(sign_on_it.astype(np.float32), 1.0),))
    assert unsure.shape_deviation(outline) > outline_reader.ODD
    assert [(r.card, r.sure) for r in verify_prints(unsure.read_outline(slanted, outline))] == [(card, True)]


@pytest.mark.parametrize("leads", [True, False])
def test_a_pale_card_in_dim_light_is_asked_of_its_print_if_its_design_leads(lay, deck, library, leads):
    """Three of 27 cards of one photograph were explained to less than 0.6 and not asked."""
    card = next(iter(deck))
    scene = lay((card, 400, 330, 0), width=140)
    (reading,) = Reader(library).read_outline(scene.picture, Outline(scene.quads[0], 1.0))
    assert reading.leads
    pale = replace(reading, sure=False, confidence=0.55, candidates=((card, 0.55),), leads=leads)
    assert [r.sure for r in verify_prints([pale])] == [leads]


PURPLE, GREEN = (150, 40, 110), (60, 160, 40)


def of_colour(picture: np.ndarray, part: float) -> np.ndarray:
    """The same with this part of its colour, as a camera set to soft colours makes it."""
    grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)[:, :, None]
    return np.rint(part * picture + (1 - part) * grey).astype(np.uint8)


def pale_sign(fill: str, ink: tuple[int, int, int]) -> np.ndarray:
    """A card with one sign in three tenths of the ink."""
    return np.rint(0.3 * sign(fill, ink) + 0.7 * 245).astype(np.uint8)


@pytest.mark.slow
@pytest.mark.parametrize("fill", ["empty", "hatched"])
def test_pale_ink_of_another_hue_is_no_print_of_the_design(lay, fill):
    """Of 352 cards that nobody enrolled, on photographs made pale, ten were named as the same sign
    in another colour."""
    known = {"purple": pale_sign(fill, PURPLE), "red": sign("full", (40, 40, 200))}
    scene = lay((pale_sign(fill, GREEN), 400, 330, 0), (known["purple"], 700, 330, 5), width=140)
    seen = of_colour(scene.picture, 0.3)
    found = [(r.card, r.sure) for r in Reader(Library.from_drawings(known)).read(seen)]
    assert found == [("purple", False), ("purple", True)]


def nine(ink: tuple[int, int, int]) -> np.ndarray:
    """A card with a large numeral in an oval."""
    card = np.full((420, 300, 3), 245, np.uint8)
    cv2.ellipse(card, (150, 210), (103, 160), 20, 0, 360, ink, -1, cv2.LINE_AA)
    cv2.putText(card, "9", (93, 272), cv2.FONT_HERSHEY_SIMPLEX, 5.6, (245, 245, 245), 19, cv2.LINE_AA)
    return card


def test_another_printing_s_dark_green_is_not_the_dark_blue_of_the_deck(lay):
    """It is as dark as the deck's blue, and the deck's green is bright."""
    known = {"blue": nine((89, 9, 9)), "green": nine((87, 217, 130)), "red": nine((40, 40, 200))}
    scene = lay((nine((42, 76, 8)), 400, 330, 0), (known["red"], 700, 330, 5), width=140)
    assert sure(known, scene) == ["red"]


RENDERED = {
    "as it is": lambda card: card,
    "a third of the colour": lambda card: of_colour(card, 0.33),
    "a warm lamp": lambda card: np.rint(card * np.array([0.75, 0.95, 1.04])).astype(np.uint8),
    "the shade": lambda card: np.rint(card * np.array([1.04, 0.95, 0.8])).astype(np.uint8),
    "two stops darker": lambda card: np.rint(255 * (card / 255) ** 2.2 / 4).astype(np.uint8),
}


@pytest.mark.parametrize("rendered", RENDERED)
@pytest.mark.parametrize("fill", ["empty", "hatched", "full"])
def test_no_light_and_no_camera_turns_green_ink_into_purple(fill, rendered):
    seen = as_patch(RENDERED[rendered](sign(fill, GREEN)))
    assert hue_difference(seen, as_patch(sign(fill, GREEN))) < 30
    assert hue_difference(seen, as_patch(sign(fill, PURPLE))) > 100


@pytest.mark.parametrize(("seen", "laid"), [(0.0, 1.0), (1.0, 0.0)])
def test_ink_without_colour_has_no_hue(seen, laid):
    one, other = (as_patch(of_colour(sign("full", GREEN), part)) for part in (seen, laid))
    assert hue_difference(one, other) == 0


def as_patch(card: np.ndarray) -> np.ndarray:
    small = cv2.resize(card, (WIDTH, HIGH), interpolation=cv2.INTER_AREA)
    return np.asarray(small, dtype=np.float32) * np.float32(0.85 / 245)


def score(seen: np.ndarray, laid: np.ndarray, limit: float = SAME_PRINT_SCORE) -> float:
    return run_to_end(verifier.score_pair_in_steps((seen, laid), limit))


def test_the_same_print_is_told_under_blur_noise_and_other_light():
    rng = np.random.default_rng(1)
    cards = [as_patch(sign(fill)) for fill in ("empty", "hatched", "full")]
    for i, card in enumerate(cards):
        worn = cv2.GaussianBlur(card, (0, 0), 0.7) * np.array([0.95, 1.0, 1.03], dtype=np.float32)
        worn += rng.normal(0, 0.01, card.shape).astype(np.float32)
        says = [score(worn, card) for card in cards]
        assert int(np.argmax(says)) == i
        assert says[i] > 0


@pytest.mark.parametrize("height", [verifier.HEIGHT, 250])
def test_in_every_way_and_size_a_sign_in_the_middle_stays_there(height):
    card = np.ones((height, WIDTH, 3), dtype=np.float32)
    cv2.circle(card, (WIDTH // 2, height // 2), 20, (0, 0, 0), -1)
    shown = [verifier._prepare_input((card, card), way)[0] for ways, _ in verifier.SMALLER for way in ways]
    ink = [float((1 - channel).sum()) for channel in shown]
    assert ink == sorted(ink, reverse=True)
    for channel in shown:
        y, x = np.nonzero(channel < 0.5)
        assert (x.mean(), y.mean()) == pytest.approx((WIDTH / 2, verifier.HEIGHT / 2), abs=1)


def test_a_pair_that_is_clear_one_way_is_asked_of_no_other(monkeypatch):
    asked = []
    of_one = verifier._run_network
    monkeypatch.setattr(verifier, "_run_network", lambda both: asked.append(both) or of_one(both))
    card = as_patch(sign("hatched"))
    says = score(card, card)
    assert says > SAME_PRINT_SCORE + CLEAR
    assert len(asked) == 1
    score(card, card, says)
    assert len(asked) == 1 + 4


@pytest.mark.parametrize("value", [0.0, 1.0, 30.0, np.nan, np.inf])
def test_any_picture_gets_an_answer(value):
    odd = np.full((300, WIDTH, 3), value, dtype=np.float32)
    assert np.isfinite(score(odd, odd))


def hatched(aside: int) -> np.ndarray:
    """A card with a hatched sign, its lines so many pixels aside, twelve from one to the next."""
    card, lines = sign("empty"), np.zeros((420, 300), np.uint8)
    cv2.ellipse(lines, (150, 210), (98, 58), 0, 0, 360, 1, -1)
    lines[:, (np.arange(300) + aside) % 12 > 2] = 0
    card[lines > 0] = PURPLE
    return card


def test_hatching_half_a_line_aside_is_the_same_print(lay):
    """Another edition has the same hatching, and no line lies on its like: of 162 striped and empty
    cards 28 were unsure."""
    known = {"hatched": hatched(0), "green": sign("full", GREEN)}
    scene = lay(
        (hatched(0), 300, 330, 0), (hatched(5), 600, 330, 0), (known["green"], 900, 330, 5), width=140
    )
    same, aside, _ = Reader(Library.from_drawings(known)).read(scene.picture)
    assert (same.card, same.sure, aside.card, aside.sure) == ("hatched", True, "hatched", True)
    assert min(same.same, aside.same) > SAME_PRINT_SCORE + 1.5


def with_picture_of(known: np.ndarray, part: float) -> np.ndarray:
    """A card of no known design on which a known one is printed, `part` times as large."""
    high, wide = known.shape[:2]
    card = np.full((high, wide, 3), (200, 215, 225), np.uint8)
    cv2.rectangle(card, (6, 6), (wide - 7, high - 7), (60, 60, 90), 4)
    small = cv2.resize(known, None, fx=part, fy=part, interpolation=cv2.INTER_AREA)
    top, left = (high - len(small)) // 2, (wide - small.shape[1]) // 2
    card[top : top + len(small), left : left + small.shape[1]] = small
    return card


@pytest.mark.slow
@pytest.mark.parametrize("beside", [0, 3])
def test_a_card_printed_on_a_card_of_no_known_design_is_asked_about(library, lay, deck, table_with, beside):
    """It was named for sure, in photos and films, whatever lay beside it."""
    printed, *others = list(deck)[: beside + 1]
    cards = [(one, 300 + 230 * i, 220, 20 * i) for i, one in enumerate(others)]
    scene = lay((with_picture_of(deck[printed], 0.6), 640, 500, 15), *cards)
    read = {one.card: one.sure for one in Reader(library).read(scene.picture)}
    assert read == {printed: False, **dict.fromkeys(others, True)}
    film = table_with(library)
    film.show(scene.picture, 2)
    assert {one.card: one.sure for one in film.lying} == read


@pytest.mark.slow
def test_one_printed_nearly_as_large_as_the_cards_beside_it_is_not_named(library, lay, deck, table_with):
    """Four fifths passed for a card that has a border."""
    printed, *others = list(deck)[17:21]
    cards = [(one, 300 + 230 * i, 220, 20 * i) for i, one in enumerate(others)]
    scene = lay((with_picture_of(deck[printed], 0.8), 640, 500, 15), *cards)
    assert sure(deck, scene) == sorted(others)
    film = table_with(library)
    film.show(scene.picture, 2)
    assert sorted(one.card for one in film.lying if one.sure) == sorted(others)


def test_the_frame_of_the_picture_is_no_card_on_which_one_is_printed(library, lay, deck):
    """Photographs of 3 : 4 between two black bars: their frame has a card's shape, and 33 of 41
    cards of UNO on a chequered cloth were only asked about."""
    card = next(iter(deck))
    scene = lay((card, 640, 360, 5), width=260)
    framed = np.zeros((720, 720, 3), np.uint8)
    framed[2:-2, 110:610] = scene.picture[2:-2, 390:890]
    assert [(one.card, one.sure) for one in Reader(library).read(framed)] == [(card, True)]


def test_a_card_in_a_zone_of_a_mat_beside_others_is_a_card(library, lay, deck, bare):
    """The zone is as much larger than it as a card on which it might be printed."""
    lying = list(deck)[17:20]
    zones = bare.copy()
    for i in range(len(lying)):
        cv2.rectangle(
            zones, (300 + 230 * i - 63, 300 - 88), (300 + 230 * i + 62, 300 + 87), (230, 240, 240), 4
        )
    cards = [(one, 300 + 230 * i, 300, 2 * i) for i, one in enumerate(lying)]
    assert sure(deck, lay(*cards, table=zones)) == sorted(lying)


@pytest.mark.slow
def test_a_card_on_a_sheet_or_under_one_that_is_held_up_is_no_picture_of_one(library, lay, deck):
    lying, held_up = list(deck)[:2]
    sheet = np.full((1260, 900, 3), 250, np.uint8)
    sheet[420:840, 300:600] = deck[lying]
    scene = lay((sheet, 300, 360, 5), (deck[held_up], 850, 360, 0), width=300)
    assert sure(deck, scene) == sorted([lying, held_up])
