"""Donkey Valley's cards: loads, contracts, donkeys and summaries.

A load is a piece of luggage, heavier as its value rises, in its owner's colour; the value stands on
its label and in two corners. Those that buy a favour (DV-12) show it in the other two. The summary
cards say in the words of the game's catalogue what the twelve donkeys do on one face, the round and
the favours on the other.
"""

from __future__ import annotations

from collections.abc import Sequence

from companion.decks.assets import GameArt
from companion.decks.faces import CardSide, PrintLine
from companion.decks.patterns import COLOURS, PlayerColour, draw_paper_edge, draw_patterned_back
from companion.decks.svg import (
    DARK,
    HEIGHT,
    PAPER,
    WHITE,
    WIDTH,
    darken_colour,
    draw_both_ways,
    draw_box,
    draw_circle,
    draw_fitted_text,
    draw_line,
    draw_numeral,
    draw_path,
    lighten_colour,
    place_art,
    regular_polygon_path,
    star_path,
)
from companion.games.donkey_valley.cards import DONKEYS, FAVOURS, FAVOURS_A_GAME, LIMIT_STEP, SPREAD_LIMIT
from companion.rules.claims import CardId
from companion.rules.contract import Text
from companion.texts import Translator

ART = GameArt(__file__)


def draw_card_back() -> str:
    """Draw the back that all cards have."""
    middle = draw_path(star_path(8, 4, 1.6, WIDTH / 2, HEIGHT / 2), "#f2c500")
    return draw_patterned_back("#14406b", "#1b5288", 9, ART("back"), middle)


def draw_card_face(card: CardId, translator: Translator) -> CardSide:
    """Draw a face of a card; raise `KeyError` or `ValueError` for one that is not of ours."""
    kind, colour, name = card
    match kind:
        case "load":
            return CardSide(draw_load(colour, int(name)))
        case "contract":
            other = {"accept": "refuse", "refuse": "accept"}[name]
            return CardSide(draw_contract(colour, name == "accept"), other_side=f"{card.id_prefix}:{other}")
        case "donkey":
            return CardSide(draw_donkey(name, translator))
        case "summary":
            return {"1": _draw_donkey_summary, "2": _draw_round_summary}[name](translator)
    return CardSide(ART({"first_player": kind}[kind]))


def draw_load(colour: str, value: int) -> str:
    """Draw the load of that colour and value, 1 to 10."""
    own = COLOURS[colour]
    # Ten has two digits: smaller, and further from the edge.
    x, height = (11.5, 14.2) if value < 10 else (13.8, 13.0)
    index = draw_numeral(str(value), x, 12.5, height, own.numeral_ink, halo=WHITE)
    # Below the line that tells 6 from 9.
    low = 28.8 if value in (6, 9) else 25
    sign = place_art(draw_path(own.shape, own.ink, WHITE, 0.9), 11.5, low, 0.78)
    corner = (
        _draw_favour_plate(value, own)
        if value in FAVOURS
        else place_art(draw_path(own.shape, own.ink, WHITE, 0.8), 51.5, 13, 0.9)
    )
    ground = (
        draw_box(2, 2, 59, 84, 0, own.ground_tint)
        + draw_line(own.pattern, own.pattern_tint, 1.1)
        + draw_paper_edge()
    )
    luggage = ART(f"luggage/{value}", ink=own.ink)
    return (
        ground
        + luggage
        + draw_both_ways(index + sign + corner)
        + draw_box(3, 3, 57, 82, 3.5, "none", own.ink, 1.2)
    )


def _draw_favour_plate(value: int, own: PlayerColour) -> str:
    plate = draw_circle(50.5, 13.5, 8, WHITE, own.numeral_ink, 1.1)
    return plate + place_art(draw_favour_sign(value), 50.5, 13.5)


def draw_favour_sign(value: int) -> str:
    """Draw the sign of a load's favour, about 12 mm wide: decide last, exchange, capacity by two,
    choose, look."""
    return ART(f"favours/{value}")


# For the slips that a player of any colour may use.
_GREY = PlayerColour(
    "any", "#6f7480", regular_polygon_path(6, 5.6), "M8 0V88M16 0V88M24 0V88M39 0V88M47 0V88M55 0V88", {}
)


def draw_contract(colour: str, accept: bool) -> str:
    """Draw one face of the contract card of that colour, or of the slip for any colour (`any`)."""
    # `any` is a slip without a colour.
    own = COLOURS.get(colour, _GREY)
    ground = draw_box(2, 2, 59, 84, 0, own.ground_tint if accept else own.pattern_tint)
    ground += "" if accept else draw_line(own.pattern, own.ground_tint, 1.6)
    sign = place_art(draw_path(own.shape, own.ink, darken_colour(own.ink, 0.35), 0.6), 12, 13, 1.25)
    other = place_art(draw_path(own.shape, own.ink, WHITE, 0.8), 51, 13, 1.25)
    return (
        ground
        + draw_paper_edge()
        + ART(f"contract/{'accept' if accept else 'refuse'}")
        + draw_both_ways(sign + other)
        + draw_box(3.6, 3.6, 55.8, 80.8, 3.2, "none", own.ink, 2.4)
    )


def draw_donkey(kind: str, translator: Translator) -> str:
    """Draw the donkey card `kind` (`giant`), named in the words of the game's catalogue.

    Raises what `ART` does for a kind that only a deck file knows.
    """
    return ART(f"donkeys/{kind}", translator.find_words(Text(f"print.{kind}")) or kind)


def _draw_summary_sheet(title: str, ink: str, rows: str) -> str:
    """Draw a titled sheet around its rows, which the rounded frame clips."""
    head = draw_box(2, 2, WIDTH - 4, 10, 0, ink) + draw_fitted_text(title, WIDTH / 2, 7.4, 4.6, 50, PAPER)
    return (
        draw_box(2, 2, 59, 84, 0, PAPER)
        + rows
        + head
        + draw_paper_edge()
        + draw_box(3, 3, 57, 82, 3.5, "none", ink, 1)
    )


def _draw_donkey_summary(translator: Translator) -> CardSide:
    art = ""
    words: list[PrintLine] = []
    for row, kind in enumerate(DONKEYS):
        top = 13.0 + 5.95 * row
        art += draw_box(
            3.6, top, 55.8, 5.8, 0, lighten_colour(ART.default_colour(f"donkeys/{kind}", "ink"), 0.8)
        ) + place_art(draw_donkey(kind, translator), 4.4, top + 0.2, 0.061)
        words.append(PrintLine(9.2, top + 3.7, 5.0, translator(f"print.{kind}").capitalize(), True))
        numbers = {"each": DONKEYS[kind].per_player, "limit": SPREAD_LIMIT}
        words += _layout_lines(25.6, top, translator(f"print.summary.{kind}", **numbers).split("\n"), 5.8)
    return CardSide(
        _draw_summary_sheet(translator("print.summary.1"), "#2f6f8f", art), tuple(words), "summary:2"
    )


def _layout_lines(
    x: float, top: float, lines: Sequence[str], room: float, points: float = 5.0
) -> list[PrintLine]:
    """Place one or two lines, vertically centred in the height `room`."""
    step = 2.25
    first = top + room / 2 + 0.75 - step * (len(lines) - 1) / 2
    return [PrintLine(x, first + step * k, points, text) for k, text in enumerate(lines)]


def _draw_round_summary(translator: Translator) -> CardSide:
    art = ""
    words = [
        PrintLine(6, 16.6 + 3.0 * k, 6.0, text)
        for k, text in enumerate(translator("print.summary.round", favours=FAVOURS_A_GAME).split("\n"))
    ]
    # The rows share the height that the text of the round leaves.
    step = 40.5 / len(FAVOURS)
    for row, value in enumerate(FAVOURS):
        top, room = 43.6 + step * row, step - 0.3
        art += draw_box(3.6, top, 55.8, room, 0, "#f6e7d8" if row % 2 else "#fbf3e8")
        art += draw_fitted_text(str(value), 8.6, top + room / 2, 4.8, 7, DARK) + draw_circle(
            17, top + room / 2, 3.6, "#ffffff", DARK, 0.4
        )
        art += place_art(draw_favour_sign(value), 17, top + room / 2, 0.44)
        lines = translator(f"print.summary.favour.{value}", by=LIMIT_STEP).split("\n")
        words += _layout_lines(22.4, top, lines, room, 5.8)
    return CardSide(
        _draw_summary_sheet(translator("print.summary.2"), "#7a2f14", art), tuple(words), "summary:1"
    )
