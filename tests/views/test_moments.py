"""What the table waits for: every game's moment, the loads that add up in their players' colours,
who leads."""

import re
from collections.abc import Callable, Collection, Sequence

import msgspec
import pytest

from companion.demo.actions import make_players
from companion.games.ascend import moves as ascend
from companion.games.donkey_valley import moves as ask
from companion.games.dtc import moves as dtc
from companion.language import LANGUAGES
from companion.live.live_session import LiveSession
from companion.rules.contract import GAME_OVER, Text
from companion.table.decks import Deck
from companion.table.fusion import PlacedCard
from companion.table.sightings import Health, Sighting
from companion.table.table import Table
from companion.texts import Translator
from companion.views.block_letters import SIZES as LETTERS
from companion.views.block_letters import draw_block_letters
from companion.views.dashboard.app import Dashboard
from companion.views.dashboard.widgets.banner import Notice
from companion.views.dashboard.widgets.stage import Stage, draw_moment
from companion.views.moments import Gain, RevealMoment, find_moment
from companion.views.page_state import build_state, render_overlay
from companion.views.panel import load_face_builder
from tests.rules.evenings import evenings_of
from tests.views.table import (
    SEVEN,
    THREE,
    dashboard,
    enter,
    first_round,
    live_session,
    on_screen,
    played_out,
    steady,
    wait_for_words,
)


def moment(live, language: str = "en"):
    snapshot = live.snapshot()
    translator = Translator(language, live.game)
    return find_moment(
        snapshot, load_face_builder(snapshot.setup.game)(snapshot.view, translator), translator
    )


@pytest.mark.parametrize(
    ("cards", "verdict", "taker"),
    [(("2", "2"), "True! DTC!!!", "Bob"), (("1", "2"), "A bluff! DTC!!!", "Ann")],
)
def test_a_challenge_in_dtc_is_a_moment(cards: tuple[str, ...], verdict: str, taker: str) -> None:
    live = live_session(SEVEN[:3], "dtc")
    enter(live, dtc.Offer("Ann", 2, 2))
    assert moment(live) is None
    enter(live, dtc.Challenge("Bob"), dtc.Reveal(cards))
    happened = moment(live)
    assert happened is not None
    assert happened.verdict == verdict
    assert [(gain.name, gain.signed_points) for gain in happened.winners] == [(taker, "+2")]
    assert all(moment(live, language) is not None for language in LANGUAGES)


def test_a_page_is_told_which_card_was_read_and_how_clear_it_was() -> None:
    live = live_session()
    live.post_report(Sighting("camera 0", 1, "donkey:giant", "middle", 0.0, confidence=0.934))
    for moment in range(5):
        live.tick(float(moment))
    translator = Translator("en", live.game)
    assert build_state(live.snapshot(), translator)["seen"] == "giant donkey: 93 % clear (read by: camera 0)"
    tracks = (("camera 0", 1), ("rfid 1", 2))
    cards = [
        PlacedCard("donkey:giant", tracks, 0.5),
        PlacedCard(None, tracks),
        PlacedCard("donkey:normal", tracks[1:]),
    ]
    shown = msgspec.structs.replace(live.snapshot(), seen=(*cards, PlacedCard("donkey:giant", ())))
    assert build_state(shown, translator)["seen"] == (
        "giant donkey: 50 % clear, a card, face down (read by: camera 0, card reader 1)"
        " · normal donkey (read by: card reader 1)"
    )
    enter(live, ask.Load(live.setup.players[0]))
    assert build_state(live.snapshot(), translator)["seen"] == ""


def test_a_page_is_told_what_is_wrong_with_a_reader_and_what_to_do_until_it_is_well() -> None:
    live = live_session()
    unplugged = Text("reader.rfid.unplugged", {"port": "/dev/ttyUSB0"})
    for state, text in (("ok", Text("reader.rfid.starting", {"reader": "rfid"})), ("lost", unplugged)):
        live.post_report(Health("rfid", state, text, 0.0))
        live.tick(0.0)
        for language in LANGUAGES:
            translator = Translator(language, live.game)
            told = build_state(live.snapshot(), translator)
            assert told["warnings"] == [translator.translate(text)] * (state == "lost")
            assert "".join(told["warnings"]) in render_overlay(told)


def test_the_next_act_ends_it() -> None:
    live = live_session(SEVEN[:3], "dtc")
    enter(live, dtc.Offer("Ann", 2, 2), dtc.Challenge("Bob"), dtc.Reveal(("1", "2")))
    enter(live, dtc.Offer("Ann", 1, 3))
    assert moment(live) is None


def test_a_bomb_in_ascend_is_a_moment_of_its_own() -> None:
    live = live_session(SEVEN[:3], "ascend")
    first, second, _ = live.setup.players
    enter(live, ascend.Exchanged(), ascend.Play(first, ("ace_of_knots", "ace_of_moons")))
    assert moment(live) is None
    enter(live, ascend.Play(second, ("painter", "savage")))
    happened = moment(live)
    assert happened is not None
    assert (happened.verdict, happened.tone) == ("Bomb!", "bad")
    assert [(take.seat, take.calls[0]) for take in happened.takes] == [(3, "Chloé: a bomb, or pass")]
    assert all(moment(live, language) is not None for language in LANGUAGES)
    enter(live, ascend.Pass(live.setup.players[2]))
    assert moment(live) is None, "the next act ends it"


def test_pages_turn_the_cards_up_one_by_one_and_say_what_hands_must_do() -> None:
    live = live_session(SEVEN[:3], "dtc")
    enter(live, dtc.Offer("Ann", 2, 2), dtc.Challenge("Bob"), dtc.Reveal(("1", "2")))
    told = build_state(live.snapshot(), Translator("en", live.game))["moment"]
    assert told["cards"] == ("1", "2")
    assert told["takes"] == [{"mark": 0, "words": "Ann takes 1 and 2"}]


async def test_an_offer_turns_up_card_by_card_before_its_verdict(monkeypatch) -> None:
    # By hand: a busy machine would turn up several between two looks.
    monkeypatch.setattr("companion.views.dashboard.app._TURN", 1e6)
    live = live_session(SEVEN[:3], "dtc")
    enter(live, dtc.Offer("Ann", 3, 4), dtc.Challenge("Bob"))
    async with dashboard(live).run_test(size=(120, 40)) as pilot:
        enter(live, dtc.Reveal(("4", "joker", "2")))
        await pilot.pause()
        app = pilot.app
        seen, around = [], []
        while app._face_down:
            seen.append(on_stage(app))
            around.append(on_screen(app))
            app._turn_next_card(app._face_down + 1)
            await pilot.pause()
        assert len(set(seen)) == 2
        assert not any("bluff" in one for one in around), "nor do story and points tell it"
        assert "bluff" in on_screen(app)
        assert not any("Ann takes" in one or in_letters("A bluff!", one) for one in seen)
        assert in_letters("A bluff!", on_stage(app))


async def test_loads_add_up_under_their_players_marks_and_the_result_can_be_called_back() -> None:
    live = live_session()
    first_round(live)
    result = moment(live)
    players = live.setup.players[1:] + live.setup.players[:1]
    async with dashboard(live).run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        assert "◂ leads" in on_screen(pilot.app)
        enter(live, ask.Donkey("giant"), *(ask.Load(one) for one in players))
        enter(live, *(ask.NoFavour(one) for one in players), *(ask.Decide(one, True) for one in players))
        enter(live, ask.Reveal("Bob", (7,)))
        await wait_for_words(pilot, "●7")
        assert not in_letters(result.verdict, on_stage(pilot.app))
        await pilot.press("v")
        await pilot.pause()
        assert in_letters(result.verdict, on_stage(pilot.app))


async def test_nobody_leads_any_more_once_the_game_is_over() -> None:
    async with dashboard(played_out(THREE)).run_test(size=(120, 40)) as pilot:
        assert "◂" not in await steady(pilot)


def overloaded(players: Sequence[str], refusing: Collection[int]) -> LiveSession:
    """A puny donkey that breaks down; those at these places refuse."""
    live = live_session(players)
    enter(live, ask.Donkey("puny"), *(ask.Load(one) for one in players))
    enter(live, *(ask.NoFavour(one) for one in players))
    enter(live, *(ask.Decide(one, at not in refusing) for at, one in enumerate(players)))
    for one, load in zip(players, (7, 9, 6, 4, 8, 5, 10), strict=False):
        enter(live, ask.Reveal(one, (load,)))
    return live


SIZES = ((80, 24), (120, 40), (200, 60))


@pytest.mark.slow
@pytest.mark.parametrize(("count", "language"), [(3, "de"), (5, "fr"), (7, "de"), (7, "en")])
async def test_who_takes_which_cards_stands_on_the_moment(count: int, language: str) -> None:
    live = overloaded(SEVEN[:count], {0, 2, 4, 6})
    happened = moment(live, language)
    assert happened is not None
    assert {take.seat for take in happened.takes} == {gain.seat for gain in happened.winners}
    async with dashboard(live, language=language).run_test(size=SIZES[0]) as pilot:
        for size in SIZES:
            await pilot.resize_terminal(*size)
            screen, stage = await steady(pilot), on_stage(pilot.app)
            for take in happened.takes:
                large = any(in_letters(call, stage) for call in take.calls)
                assert large or take.calls[0] in screen, (size, take)


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_one_taker_stands_there_in_large_letters(size: tuple[int, int]) -> None:
    live = overloaded(SEVEN[:4], {3})
    [take] = moment(live).takes
    async with dashboard(live).run_test(size=size) as pilot:
        await pilot.pause()
        stage = on_stage(pilot.app)
    assert take.calls[0].startswith("Dora draws ")
    assert in_letters(take.calls[0], stage)


def on_stage(app: Dashboard) -> str:
    return "\n".join(line.plain for line in app.screen.query_one(Stage)._drawn)


def in_letters(call: str, stage: str) -> bool:
    """Whether it stands there in block letters, in one line or in two."""
    return any(
        all(row.strip() in stage for part in words.split("\n") for row in draw_block_letters(part, size))
        for words in (call, call.replace(" ", "\n", 1))
        for size in LETTERS
    )


async def test_during_a_moment_nothing_is_told_twice() -> None:
    live = overloaded(SEVEN, {0, 2, 4, 6})
    async with dashboard(live).run_test(size=(120, 40)) as pilot:
        screen = await steady(pilot)
        takes = [
            next(call for call in take.calls if call in screen or in_letters(call, on_stage(pilot.app)))
            for take in moment(live).takes
        ]
        await pilot.press("e")
        explained = await steady(pilot)
    assert len(takes) == 4
    for said in ("[DV-", "was right", "capacity 28"):
        assert said in explained
        assert said not in screen
    assert not re.search(r"\+\d", screen.split("Rounds")[0])


async def test_what_is_cut_says_how_much_more_there_is_and_nothing_comes_last() -> None:
    live = overloaded(SEVEN, {0, 2, 4, 6})
    enter(live, ask.Donkey("giant"))
    async with dashboard(live).run_test(size=(120, 40)) as pilot:
        screen = await steady(pilot)
    assert re.search(r"… and \d+ more: e", screen)
    reasons = screen.rsplit("Round 1, puny donkey", 1)[1]
    assert "refused, was right" in reasons
    assert "nothing" not in reasons.split("refused, was right")[0]


@pytest.mark.parametrize(
    ("game", "code", "words"),
    [
        ("ochs_und_esel", "trick.ox", "takes"),
        ("ochs_und_esel", "trick.donkey", "takes"),
        ("partners", "sent_home.captured", "goes back"),
        ("partners", "pawn_locked", "is home"),
    ],
)
def test_other_games_say_who_takes_the_cards_or_moves_a_pawn(game: str, code: str, words: str) -> None:
    live = until(game, code)
    happened = moment(live)
    assert happened is not None
    assert any(words in take.calls[0] for take in happened.takes)
    assert all(moment(live, language).takes for language in LANGUAGES)


def until(game: str, code: str) -> LiveSession:
    """Play evenings of this game until the report tells of that."""
    for evening in evenings_of(game):
        if evening.setup.options.get("hands_only"):
            continue
        deck = Deck.load_builtin(game)
        live = LiveSession(evening.game, evening.setup, table=Table(deck, {}), cards=tuple(deck.card_counts))
        players = evening.players
        while (deed := players.next_action(live.list_acts(), live.snapshot().view)) is not None:
            if live.submit_request(deed.request) is not None:
                break
            report = live.snapshot().report
            if live.snapshot().resolved and any(code in one.text.code for one in report):
                return live
    raise LookupError(code)


def lost_and_found() -> LiveSession:
    """Donkey Valley whose first donkey is lost, until it comes back."""
    live = live_session()
    enter(live, ask.Donkey("lost"), *(ask.Load(one) for one in THREE))
    assert moment(live).verdict == "SET ASIDE"
    for number in range(7):
        view = live.snapshot().view
        first = THREE.index(view["first_player"])
        players = THREE[first:] + THREE[:first]
        enter(live, ask.Donkey("puny"), *(ask.Load(one) for one in players))
        enter(live, *(ask.NoFavour(one) for one in players), *(ask.Decide(one, False) for one in players))
        enter(live, *(ask.Reveal(one, (4 + number,)) for one in players))
    return live


def tied() -> LiveSession:
    """Ascend of a target that two players reach together."""
    for seed in range(200):
        live = live_session(SEVEN[:3], "ascend", target=13)
        players = make_players(msgspec.structs.replace(live.setup, seed=seed))
        while (deed := players.next_action(live.list_acts(), live.snapshot().view)) is not None:
            if live.submit_request(deed.request) is not None:
                break
            if any(one.text.code == "report.tie" for one in live.snapshot().report):
                return live
    raise LookupError("no tie")


def last_challenge() -> LiveSession:
    """DTC after the challenge that ends it."""
    live = played_out(SEVEN[:3], "dtc")
    assert live.snapshot().view["phase"] == GAME_OVER
    return live


@pytest.mark.parametrize(
    ("happened", "verdict", "taker"),
    [
        (lost_and_found, "OVERLOADED", "The lost donkey is back"),
        (tied, "A tie! One more hand", ""),
        (last_challenge, "DTC!!!", "takes"),
    ],
)
def test_what_happens_seldom_has_its_moment(
    happened: Callable[[], LiveSession], verdict: str, taker: str
) -> None:
    live = happened()
    found = moment(live)
    assert found is not None
    assert verdict in found.verdict
    assert not taker or any(taker in take.calls[0] for take in found.takes)
    assert all(moment(live, language).verdict for language in LANGUAGES)


async def test_the_last_result_stands_before_the_podium(monkeypatch) -> None:
    monkeypatch.setattr("companion.views.dashboard.app._LAST_RESULT", 1e6)
    live = played_out(SEVEN[:3], "dtc")
    live.undo()
    async with dashboard(live).run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        live.redo()
        app = pilot.app
        await pilot.pause()
        while app._face_down:
            app._turn_next_card(app._face_down + 1)
            await pilot.pause()
        assert any(in_letters(call, on_stage(app)) for call in (moment(live).verdict, *moment(live).shorter))
        assert "fewer than" not in on_screen(app)


def test_names_are_cut_before_letters_are_small() -> None:
    live = live_session(("Maximilian Alexander Konstantin", "Bo", "Cy"), "dtc")
    enter(live, dtc.Offer("Maximilian Alexander Konstantin", 2, 2))
    enter(live, dtc.Challenge("Bo"), dtc.Reveal(("1", "2")))
    [take] = moment(live).takes
    assert take.calls[-1] == "Max… takes 1 and 2"


def test_a_verdict_that_is_too_long_for_one_line_takes_two() -> None:
    def draw(verdict: str) -> str:
        reveal = RevealMoment(verdict, "", "plain", ())
        lines = draw_moment(reveal, Notice((), "Ann plays."), 78, 12, Translator("en"))
        return "\n".join(line.plain.strip() for line in lines)

    upper, lower = (draw_block_letters(words, 3) for words in ("THE LOST", "DONKEY IS BACK"))
    drawn = draw("THE LOST DONKEY IS BACK")
    assert all(line.strip() in drawn for line in (*upper, *lower))
    assert "Donaudampfschifffahrtsgesellschaft" in draw("Donaudampfschifffahrtsgesellschaft")


def test_winners_side_by_side_stand_apart() -> None:
    happened = RevealMoment("End", "", "good", (Gain(1, "Ann", "9"), Gain(2, "Chloé", "4")))
    drawn = draw_moment(happened, Notice(("",), ""), 200, 30, Translator("en"))
    letters = [line.plain for line in drawn if "█" in line.plain]
    small = draw_moment(happened, Notice(("",), ""), 200, 12, Translator("en"))
    for lines, size in ((drawn, 9), (small, 3)):
        assert all(any(row in line.plain for line in lines) for row in draw_block_letters("Ann +9", size))
    alone = len(draw_block_letters("Ann +9", 9)[0])
    columns = ["".join(line[at : at + 1] for line in letters[-5:]).strip() for at in range(200)]
    first = next(at for at, column in enumerate(columns) if column)
    gap = columns[first + alone : first + alone + 9]
    assert not any(gap), letters
