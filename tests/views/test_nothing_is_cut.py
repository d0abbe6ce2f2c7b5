"""Every moment at three sizes, with few and many players and short and long names: every player is
on the screen, nothing overlaps, and what is cut says so by an ellipsis."""

from collections.abc import Callable, Sequence
from itertools import combinations

import pytest

from companion.demo.actions import make_players
from companion.games.ascend import moves as ascend
from companion.games.donkey_valley import moves as ask
from companion.games.dtc import moves as dtc
from companion.games.ochs_und_esel.moves import Play
from companion.language import LANGUAGES
from companion.live.live_session import LiveSession
from companion.views.block_letters import SIZES as LETTERS
from companion.views.block_letters import draw_block_letters
from companion.views.dashboard.app import Dashboard
from companion.views.dashboard.widgets.banner import CROWDED, draw_fitting_call, select_notice
from companion.views.dashboard.widgets.screen_part import ScreenPart, wrap_text
from companion.views.dashboard.widgets.seats import Seats
from companion.views.dashboard.widgets.stage import Stage
from companion.views.themes import mark_for_seat
from tests.views.screens import SIZES
from tests.views.table import dashboard, enter, live_session, played_out, steady

Names = Sequence[str]


def name_players(count: int, length: int) -> tuple[str, ...]:
    """Names of so many characters, each of another letter."""
    return tuple(chr(ord("A") + number) * length for number in range(count))


def asked(names: Names) -> LiveSession:
    live = live_session(names)
    enter(live, ask.Donkey("hand_picked"), *(ask.Load(one) for one in names))
    return live


def overloaded(names: Names) -> LiveSession:
    """A donkey that breaks down; every other player refused."""
    live = live_session(names)
    enter(live, ask.Donkey("puny"), *(ask.Load(one) for one in names))
    enter(live, *(ask.NoFavour(one) for one in names))
    enter(live, *(ask.Decide(one, at % 2 == 1) for at, one in enumerate(names)))
    enter(live, *(ask.Reveal(one, (load,)) for one, load in zip(names, (7, 9, 6, 4, 8, 5, 10), strict=False)))
    return live


def bluffed(names: Names) -> LiveSession:
    live = live_session(names, "dtc")
    enter(live, dtc.Offer(names[0], 6, 2), dtc.Challenge(names[1]))
    enter(live, dtc.Reveal(("2", "2", "5", "joker", "6", "6")))
    return live


def led(names: Names) -> LiveSession:
    live = live_session(names, "ochs_und_esel")
    enter(live, Play(names[0], ("9", "9")))
    return live


def bombed(names: Names) -> LiveSession:
    live = live_session(names, "ascend")
    first, second, *_ = live.setup.players
    enter(live, ascend.Exchanged(), ascend.Play(first, ("ace_of_knots", "ace_of_moons")))
    enter(live, ascend.Play(second, ("painter", "savage")))
    return live


def moved(names: Names) -> LiveSession:
    """Partners after nine acts: pawns stand on the track."""
    live = live_session(names, "partners")
    players = make_players(live.setup)
    for _ in range(9):
        action = players.next_action(live.list_acts(), live.snapshot().view)
        assert action is not None
        enter(live, action.request)
    return live


def captured(names: Names) -> LiveSession:
    """Partners up to the first pawn that is sent back."""
    live = live_session(names, "partners")
    players = make_players(live.setup)
    while not any(one.text.code.endswith("sent_home.captured") for one in live.snapshot().report):
        action = players.next_action(live.list_acts(), live.snapshot().view)
        assert action is not None
        enter(live, action.request)
    return live


def refused(names: Names) -> LiveSession:
    """A stubborn donkey that everybody refuses."""
    live = live_session(names)
    enter(live, ask.Donkey("stubborn"), *(ask.Load(one) for one in names))
    enter(live, *(ask.NoFavour(one) for one in names), *(ask.Decide(one, False) for one in names))
    return live


def set_aside(names: Names) -> LiveSession:
    live = live_session(names)
    enter(live, ask.Donkey("lost"), *(ask.Load(one) for one in names))
    return live


def weighed(names: Names) -> LiveSession:
    """A precision donkey that carries the loads of everybody but the last, who has to reveal."""
    live = live_session(names)
    enter(live, ask.Donkey("precision"), *(ask.Load(one) for one in names))
    enter(live, *(ask.NoFavour(one) for one in names), *(ask.Decide(one, True) for one in names))
    enter(live, *(ask.Reveal(one, (10,)) for one in names[:-1]))
    return live


def scored(names: Names) -> LiveSession:
    """Only the loads won are entered, eight each; the last player's are not."""
    live = live_session(names, hands_only=True)
    loads = [value for value in range(1, 11) for _ in names]
    enter(
        live, *(ask.ScoreLoads(one, tuple(loads[at :: len(names)][:8])) for at, one in enumerate(names[:-1]))
    )
    return live


def won(names: Names) -> LiveSession:
    return played_out(names)


CASES = [
    (asked, 7),
    (overloaded, 7),
    (bluffed, 6),
    (led, 12),
    (bombed, 4),
    (moved, 4),
    (captured, 4),
    (refused, 7),
    (set_aside, 7),
    (weighed, 7),
    (scored, 7),
    (won, 7),
]
FEW = [(asked, 3), (overloaded, 3), (bluffed, 2)]


@pytest.mark.parametrize(
    ("language", "happened", "count", "length"),
    [
        *(("de", *case, 24) for case in CASES),
        *(
            pytest.param(language, *case, length, marks=pytest.mark.slow)
            for language, length, cases in (
                # English words are the shortest
                *((one, 24, CASES) for one in LANGUAGES if one not in ("de", "en")),
                ("de", 24, FEW),
                ("de", 1, [*FEW, (won, 7)]),
            )
            for case in cases
        ),
    ],
)
async def test_nothing_is_cut_without_an_ellipsis_and_nothing_overlaps(
    language: str, happened: Callable[[Names], LiveSession], count: int, length: int
) -> None:
    live = happened(name_players(count, length))
    async with dashboard(live, language=language).run_test(size=SIZES[0]) as pilot:
        for size in SIZES:
            await pilot.resize_terminal(*size)
            await steady(pilot)
            assert list_faults(pilot.app) == [], size


def list_faults(app: Dashboard) -> list[object]:
    """What is wrong with the screen as it is drawn."""
    parts = [one for one in app.screen.query(ScreenPart) if one.display and one.region.area]
    faults: list[object] = [
        ("overlaps", one, other) for one, other in combinations(parts, 2) if one.region.overlaps(other.region)
    ]
    faults += [("is beyond the edge", one) for one in parts if one.region not in app.screen.region]
    for part in parts:
        width, height = part.content_size
        faults += [("too wide", part, line.plain) for line in part._drawn if line.cell_length > width]
        faults += [("too tall", part)] if len(part._drawn) > height else []
    state = app.screen.query_one(Stage).screen_state
    assert state is not None
    seats = "\n".join(line.plain for line in app.screen.query_one(Seats)._drawn)
    # A podium may take the players' place.
    shown = seats if state.snapshot.view["result"] is None else seats + draw_stage(app)
    for number, seat in enumerate(state.face.seats, 1):
        mark = mark_for_seat(number).shape
        faults += [] if mark in shown else [("is not shown", seat.name)]
        faults += [] if seat.name in shown or "…" in shown or is_large(seat.name, shown) else [seat.name]
    stage = draw_stage(app)
    if state.snapshot.view["result"] is None:
        sentences = [select_notice(state).sentence]
        sentences += [state.face.meaning] if state.moment is None else [state.moment.figures]
        faults += [("is cut", words) for words in sentences if not stands_there(words, stage)]
    return faults


def draw_stage(app: Dashboard) -> str:
    return "\n".join(line.plain for line in app.screen.query_one(Stage)._drawn)


def stands_there(words: str, drawn: str) -> bool:
    """Whether a sentence stands there whole, in any letters, or ends with an ellipsis."""
    lines = [line.strip() for line in drawn.split("\n")]
    text, whole = " ".join(" ".join(lines).split()), " ".join(words.split())
    if whole in text or is_large(words, drawn):
        return True
    # Beside a picture other signs stand between two of its lines.
    return "…" in drawn or all(word in text for word in whole.split())


def is_large(words: str, drawn: str) -> bool:
    return any(all(row.strip() in drawn for row in draw_block_letters(words, size)) for size in LETTERS)


@pytest.mark.parametrize("size", [one for one in LETTERS if one >= CROWDED])
def test_two_lines_of_giant_letters_do_not_touch(size: int) -> None:
    lines = draw_fitting_call(("GIANT\nÉTÉ",), 400, 3 * size, (size,))
    one, other = draw_block_letters("GIANT", size), draw_block_letters("ÉTÉ", size)
    assert list(lines) == [*one, "", *other]


@pytest.mark.parametrize("width", range(8, 40))
def test_no_line_begins_with_what_a_no_break_space_ties_to_the_word_before(width: int) -> None:
    lines = wrap_text("Bob\u00a0: la faveur d’un employé, ou aucune\u00a0? «\u00a0Oui\u00a0»", width, "bold")
    assert not [line for line in lines if line.plain[0] in ":?»"]
    assert not [line for line in lines if line.plain.endswith("«")]
    assert "".join(line.plain for line in lines).replace(" ", "") == (
        "Bob\u00a0:lafaveurd’unemployé,ouaucune\u00a0?«\u00a0Oui\u00a0»"
    )
    assert all(str(line.spans[0].style) == "bold" for line in lines)
