"""A seven pawn by pawn: pawn, steps, what is left; a step back; one request at the end; the board
in sight all the while."""

from itertools import permutations

import pytest

from companion.demo.actions import make_players
from companion.live.live_session import LiveSession
from companion.live.snapshot import ShownQuestion
from companion.rules.contract import Text
from companion.texts import Translator
from companion.views.conversations import Conversation, Reply, prompt_for_answer
from companion.views.entry_options import PartByPart, Way, find_enterable, group_by_parts
from companion.views.plain_conversation import PlainConversation
from companion.views.plain_view import PlainView
from tests.views.table import dashboard, live_session, on_screen, steady

FOUR = ("Ann", "Bob", "Chloé", "Dan")


def before_a_seven(least: int = 6) -> tuple[LiveSession, PartByPart]:
    """A game in which the player in turn can share a seven out in several ways."""
    live = live_session(FOUR, "partners")
    hands = make_players(live.setup)
    while True:
        deed = hands.next_action(live.list_acts(), live.snapshot().view)
        assert deed is not None
        rows = [one for one in group_by_parts(find_enterable(live).ways) if isinstance(one, PartByPart)]
        if rows and len(rows[0].ways) >= least and any(len(_parts(way)) == 2 for way in rows[0].ways):
            return live, rows[0]
        assert live.submit_request(deed.request) is None


def _parts(way: Way):
    assert way.choice.parts is not None
    return way.choice.parts.parts


def test_every_play_of_a_seven_is_reached_by_its_parts_in_any_order() -> None:
    _, seven = before_a_seven(least=12)
    assert all(seven.next_parts.count(part) == 1 for part in seven.next_parts)
    assert sorted(seven.spots) == sorted({spot for way in seven.ways for spot in way.spots})
    for way in seven.ways:
        assert sum(part.size for part in _parts(way)) == 7
        for order in permutations(_parts(way)):
            now = seven
            for part in order:
                assert part in now.next_parts
                now = now.add_part(part)
                assert now.spots == part.spots
            assert now.used_size == 7
            assert way in now.complete_ways
            assert now.next_parts == []


@pytest.mark.slow
@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
async def test_pawn_and_steps_are_typed_and_one_request_is_kept(size: tuple[int, int]) -> None:
    live, seven = before_a_seven()
    way = next(one for one in seven.ways if len(_parts(one)) == 2 and len({p.key for p in _parts(one)}) == 2)
    first, second = _parts(way)
    acts = len(live.list_acts())
    async with dashboard(live).run_test(size=size) as pilot:
        await pilot.press("enter", "7")
        assert "0 of 7 used, 7 left" in await steady(pilot)
        await pilot.press(*first.key)
        seen = await steady(pilot)
        assert f"{first.size} of 7 used, {second.size} left" in seen
        assert "◇" in seen or "◎" in seen  # the board
        await pilot.press("backspace")
        assert "0 of 7 used" in await steady(pilot)
        await pilot.press(*second.key, *first.key)  # the other way round
        await steady(pilot)
        assert "of 7 used" not in on_screen(pilot.app)
    assert len(live.list_acts()) == acts + 1
    assert set(live.list_acts()[-1].request.moves) == set(way.choice.request.moves)


async def test_a_step_back_and_every_part_by_mouse() -> None:
    live, _ = before_a_seven()
    async with dashboard(live).run_test(size=(120, 40)) as pilot:
        await pilot.press("enter", "7")
        await steady(pilot)
        listing = pilot.app.screen.query_one("#entry-list")
        await pilot.click(listing, offset=(6, 0))
        assert "0 of 7 used" not in await steady(pilot)
        await pilot.press("backspace", "backspace")
        assert "of 7 used" not in await steady(pilot)
        assert pilot.app.screen.query_one("#entry").display


def lines_of(live: LiveSession) -> tuple[PlainView, list[str]]:
    heard: list[str] = []
    plain = PlainView(live, Translator("en", live.game), heard.append)
    plain.poll_table(0.0)
    heard.clear()
    return plain, heard


def in_two(seven: PartByPart) -> list[Way]:
    """The ways that share the seven between two pawns, each with an order of its own."""
    return [one for one in seven.ways if len({part.key for part in _parts(one)}) == len(_parts(one)) == 2]


def test_in_plain_mode_a_line_is_a_pawn_and_a_part_can_be_taken_back() -> None:
    live, seven = before_a_seven()
    way = in_two(seven)[0]
    first, second = _parts(way)
    acts, (plain, heard) = len(live.list_acts()), lines_of(live)
    plain.enter_line("")
    assert sum(line.startswith("7: ") for line in heard) == 1
    plain.enter_line("7")
    assert any("0 of 7 used, 7 left" in line for line in heard)
    plain.enter_line("zebra")
    assert any("zebra" in line for line in heard)
    plain.enter_line(first.key)
    assert any(f"{first.size} of 7 used, {second.size} left" in line for line in heard)
    heard.clear()
    plain.enter_line("-")
    assert any("0 of 7 used" in line for line in heard)
    plain.enter_line(f"{first.key} {second.key}")
    assert len(live.list_acts()) == acts + 1
    assert set(live.list_acts()[-1].request.moves) == set(way.choice.request.moves)


def test_a_pawn_that_cannot_go_is_refused_with_its_clause() -> None:
    live, _ = before_a_seven()
    acts, (plain, heard) = live.list_acts(), lines_of(live)
    plain.enter_line("7")
    heard.clear()
    plain.enter_line("31")
    assert ["(PA-10)" in line for line in heard] == [True]
    assert live.list_acts() == acts


def test_in_plain_mode_a_word_of_the_table_leaves_the_parts_but_one_that_only_tells() -> None:
    live, seven = before_a_seven()
    first = _parts(in_two(seven)[0])[0]
    acts, (plain, heard) = len(live.list_acts()), lines_of(live)
    for line in ("7", first.key, "now"):
        heard.clear()
        plain.enter_line(line)
    assert any(f"{first.size} of 7 used" in line for line in heard)
    plain.enter_line("correct")
    assert heard[-1].startswith("Which number was wrong?")
    for line in ("", "7", first.key, "undo"):
        plain.enter_line(line)
    assert len(live.list_acts()) == acts - 1


def after_a_seven() -> tuple[LiveSession, Way, Way]:
    """A seven was played; return how, and how it should have been."""
    live, seven = before_a_seven()
    played, meant = in_two(seven)[:2]
    assert live.submit_request(played.choice.request) is None
    return live, played, meant


def test_in_plain_mode_a_seven_is_corrected_pawn_by_pawn_and_the_old_one_comes_first() -> None:
    live, played, meant = after_a_seven()
    at, (plain, heard) = len(live.list_acts()) - 1, lines_of(live)
    for words in ("correct", str(at + 1), "7"):
        heard.clear()
        plain.enter_line(words)
    assert heard[1].startswith("=: as it was: ")
    plain.enter_line(" ".join(part.key for part in _parts(meant)))
    plain.enter_line("yes")
    assert set(live.list_acts()[at].request.moves) == set(meant.choice.request.moves)
    for words in ("correct", str(at + 1), "7 =", "yes"):
        plain.enter_line(words)
    assert (
        set(live.list_acts()[at].request.moves)
        == set(meant.choice.request.moves)
        != set(played.choice.request.moves)
    )


async def test_a_seven_is_corrected_pawn_by_pawn_on_the_screen() -> None:
    live, _, meant = after_a_seven()
    at, (first, second) = len(live.list_acts()) - 1, _parts(meant)
    async with dashboard(live).run_test(size=(120, 40)) as pilot:
        await pilot.press("c", "enter", "7")
        seen = await steady(pilot)
        assert "as it was: " in seen
        assert "0 of 7 used" in seen
        await pilot.press(*first.key)
        assert f"{first.size} of 7 used" in await steady(pilot)
        await pilot.press("backspace")
        assert "0 of 7 used" in await steady(pilot)
        await pilot.press(*first.key, *second.key, "enter")
        await steady(pilot)
    assert set(live.list_acts()[at].request.moves) == set(meant.choice.request.moves)


def test_a_question_about_a_seven_is_answered_pawn_by_pawn_in_plain_lines_too() -> None:
    live, seven = before_a_seven()
    choices = tuple(way.choice for way in seven.ways)
    way = next(one for one in seven.ways if len(_parts(one)) == 2 and len({p.key for p in _parts(one)}) == 2)
    heard: list[str] = []
    answered: list[tuple[int, int | None]] = []
    question = ShownQuestion(3, Text("doubt.foreign_card", {"card": "x"}), None, choices)
    live.answer_question = lambda number, choice: answered.append((number, choice))  # type: ignore[method-assign]
    translator = Translator("en", live.game)
    answering = Conversation(lambda: prompt_for_answer(live, question, translator))
    talk: PlainConversation | None = PlainConversation(answering, translator, heard.append).print_menu()
    assert len([line for line in heard if ": " in line]) < 4  # one entry, not a line for each way
    for words in ("7", "nonsense", "", f"7 {_parts(way)[0].key}", _parts(way)[1].key):
        assert talk is not None
        talk = talk.handle_line(words)
    while talk is not None:  # the order, where it matters
        talk = talk.handle_line("1")
    [(number, choice)] = answered
    assert number == 3
    assert choice is not None
    assert set(choices[choice].request.moves) == set(way.choice.request.moves)


def test_parts_are_named_by_the_player_of_their_only_way() -> None:
    _, seven = before_a_seven()
    assert PartByPart(seven.ways[-1:]).player == seven.ways[-1].player == seven.player is not None


def test_parts_named_so_far_hold_only_while_the_ways_are_the_same() -> None:
    _, seven = before_a_seven()
    fewer = PartByPart(seven.ways[1:])
    assert Reply("7", "x", seven).is_equivalent(Reply("7", "x", PartByPart(seven.ways)))
    assert not Reply("7", "x", seven).is_equivalent(Reply("7", "x", fewer))


async def test_the_smallest_board_says_what_everybody_has_and_who_acts() -> None:
    names = ("Ann", "Bartholomäus-Ferdinand X", "Chloé", "Dan")
    live = live_session(names, "partners")
    hands = make_players(live.setup)
    while (
        live.snapshot().view["phase"] != "play" or live.snapshot().view["waiting_for"][0]["player"] != "Chloé"
    ):
        deed = hands.next_action(live.list_acts(), live.snapshot().view)
        assert deed is not None
        assert live.submit_request(deed.request) is None
    app = dashboard(live)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("enter")
        screen = await steady(pilot)
        cards = {row["name"]: "▮" * row["cards_left"] for row in live.snapshot().view["players"]}
        assert "2 Bartholo… " in screen
        assert f"▶◨ {cards['Chloé']} 0/4" in screen
        assert [f"{sign} {cards[name]} 0/4" in screen for sign, name in zip("◨◧◨◧", names, strict=True)] == [
            True
        ] * 4
        assert screen.count("▶") == 1
