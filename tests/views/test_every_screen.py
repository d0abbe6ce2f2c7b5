"""Every screen of the program, in every language and at three sizes: no message id, no foreign
word, nothing cut."""

import asyncio
import re

import pytest
from syrupy.assertion import SnapshotAssertion
from textual.actions import parse
from textual.app import App
from textual.geometry import Region
from textual.screen import ActiveBinding
from textual.widget import Widget
from textual.widgets import Button, Label, Static
from textual.widgets._footer import FooterKey

from companion.games.ascend import moves as ascend
from companion.games.donkey_valley import moves as ask
from companion.games.dtc import moves as dtc
from companion.language import LANGUAGES
from companion.texts import Translator
from companion.views.conversations import describe_refusal
from companion.views.dashboard.app import KEYS, Dashboard
from companion.views.dashboard.widgets.screen_part import ScreenPart
from companion.views.dashboard.widgets.seats import Seats
from tests.views.screens import PLACES, SIZES, Place, hands_only, middle, screens_of
from tests.views.table import (
    SEVEN,
    Characters,
    dashboard,
    enter,
    live_session,
    on_screen,
    wait_until,
)

CODE = re.compile(r"\b[a-z_]+\.[a-z_]+\b(?!\s*=)|\b[a-z]+_[a-z_]+\b|card\.\?|\{\w*\}")
"""What a message id, a name of the wire, or a place for an argument looks like."""
OPTION = re.compile(r"\b[a-z_]+ ?= ?[a-z_]+|video\d|companion \w+")
"""A reason may name the option that decided, as the rules pages write it; a form names a device."""
FOREIGN = {
    "fr": r"\b(?:the|and|Close|Quit|Undo|Keys|Back|Enter|Round|Rounds|Search|Pause\?|kept|wins|player)\b",
    "de": r"\b(?:the|and|Close|Quit|Undo|Keys|Back|Round|Rounds|Search|kept|wins|player|Yes|No|et|les|joueur)\b",
    "en": r"\b(?:und|oder|nicht|les|joueur|manche|aucune)\b",
}
QUOTING = {"form"}
"""The form quotes the rule sheets in their own languages."""
SMALL, USUAL, LARGE = SIZES
LOOKS = [
    *((place, language, SMALL) for place in PLACES for language in LANGUAGES if language != "en"),
    *(
        (place, language, size)
        for place in PLACES
        for language, size in (("en", USUAL), ("de", LARGE))
        if place.name in ("home_screen", "result", "won", "partners")
    ),
]
"""The smallest screen, where words are cut first, in the languages with the longest words; the
words of larger ones are the same, and so are those of a few places in the others."""
LONGEST = ("de", SMALL)
"""What the quick tests look at: most words that are cut are cut there."""


@pytest.mark.parametrize(
    ("place", "language", "size"),
    [pytest.param(*look, marks=() if look[1:] == LONGEST else pytest.mark.slow) for look in LOOKS],
    ids=lambda one: getattr(one, "name", str(one)),
)
async def test_no_screen_shows_a_code_or_a_foreign_word_or_cuts_one(
    place: Place, language: str, size: tuple[int, int], snapshot: SnapshotAssertion
) -> None:
    seen = [
        (name, on_screen(app), cut(app) + cut_keys(app), await keys_alone(app), doubled_words(app), type(app))
        async for name, app in screens_of(place, language, size)
    ]
    for name, screen, lost, unclicked, doubled, _ in seen:
        shown = OPTION.sub("", screen)
        assert not CODE.search(shown), (name, CODE.findall(shown))
        assert name in QUOTING or not re.search(FOREIGN[language], shown), (
            name,
            re.findall(FOREIGN[language], shown),
        )
        assert lost == [], name
        assert unclicked == set(), name
        assert doubled == [], name
    if (language, size) == LONGEST and seen[0][-1] is Dashboard:
        # `pytest tests/views --snapshot-update` renews what was looked at
        shown = "\n\n".join(f"[{name}]\n{screen}" for name, screen, *_ in seen)
        assert shown == snapshot(extension_class=Characters)


BY_OTHER_CLICKS = {
    "move": "a click into the picture puts the corner there",
    "choose": "a click on a name chooses it",
    "other": "a click on a line chooses its code",
    "carry": "names are dragged",
    "let_go": "the mouse lets go",
    "done": "a click on a line of the panel takes it",
    "take_back": "a click on a ticked line takes it back",
    "dismiss": "a click anywhere, or beside the keys",
    "seat": "a click on a player's lines opens the panel there",
    "next": "a click on the line that names who else is awaited",
    "leave": "a click beside the cards to move",
    "all_done": "ticking the cards one by one",
    "quit": "the line of the key q does the same",
    "command_palette": "what it offers is in the list of keys",
}
"""What is no key in the footer, and what the mouse does instead."""


async def keys_alone(app: App[object]) -> set[str]:
    """What only keys can do once the footer, which Textual draws anew a moment after the keys have
    changed, is there."""
    for _ in range(20):
        if not (found := keys_only(app)):
            break
        await asyncio.sleep(0.1)
    return found


def keys_only(app: App[object]) -> set[str]:
    """What the keys of this screen can do and the mouse cannot: not in the footer, nor in the list
    of keys that the footer opens."""
    shown = [one for one in app.screen.query(FooterKey) if app.screen.region.contains_region(one.region)]
    clicked = {_action(one.action) for one in shown if one.region.area}
    if "help" in clicked or app.screen.has_class("-glance"):  # a click leads from the glance to the footer
        clicked |= {key.action for key in KEYS}
    bound = {_action(one.binding.action) for one in app.screen.active_bindings.values() if _is_ours(one)}
    return bound - clicked - set(BY_OTHER_CLICKS)


def cut_keys(app: App[object]) -> list[str]:
    """The keys of the footer that do not stand on the screen, where nothing shows that there are
    more."""
    return [
        one.description
        for one in app.screen.query(FooterKey)
        if one.region.area and not app.screen.region.contains_region(one.region)
    ]


def doubled_words(app: App[object]) -> list[str]:
    """The words that stand behind two keys of one footer, which do not do the same."""
    words: dict[str, str] = {}
    found = []
    for one in app.screen.query(FooterKey):
        if words.setdefault(one.description, one.action) != one.action:
            found.append(one.description)
    return found


def _action(words: str) -> str:
    return parse(words)[1]


def _is_ours(bound: ActiveBinding) -> bool:
    name = _action(bound.binding.action)
    does = getattr(type(bound.node), f"action_{name}", None)
    return bound.enabled and does is not None and does.__module__.startswith("companion.")


def cut(app: App[object]) -> list[str]:
    """The widgets with words that do not stand whole on the screen, though nothing scrolls to
    them."""
    return [str(one) for one in app.screen.walk_children(Widget) if _has_words(one) and _is_cut(app, one)]


def _has_words(widget: Widget) -> bool:
    return isinstance(widget, Label | Static | Button) and widget.display and bool(widget.region.area)


def _is_cut(app: App[object], widget: Widget) -> bool:
    around = list(widget.ancestors_with_self)
    if any(
        isinstance(one, Widget) and (one.allow_vertical_scroll or one.allow_horizontal_scroll)
        for one in around
    ):
        return False
    return not app.screen.region.contains_region(widget.region)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_two_keys_have_the_same_word(language: str) -> None:
    translator = Translator(language)
    codes = {*(f"key.short.{key.action}" for key in KEYS if key.footer), "key.short.back", "key.short.search"}
    words = {code: translator(code) for code in codes}
    assert len(set(words.values())) == len(codes), words


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("size", SIZES)
async def test_a_refusal_is_on_the_screen_whole_and_once(language: str, size: tuple[int, int]) -> None:
    live = middle("donkey_valley")
    refusal = live.submit_request(ask.Favour("Dora", 3))
    assert refusal is not None
    async with dashboard(live, language=language).run_test(size=size) as pilot:
        await pilot.pause()
        shown = on_screen(pilot.app)
    assert shown.count("✘") == 1
    words = describe_refusal(refusal, Translator(language, live.game)).split()
    assert " ".join(words) in " ".join(shown.split())


@pytest.mark.parametrize("size", SIZES)
async def test_a_click_on_a_player_opens_the_panel_there_and_one_on_its_title_turns_to_the_next(
    size: tuple[int, int],
) -> None:
    async with dashboard(hands_only(), language="en").run_test(size=size) as pilot:
        await pilot.pause()
        title = pilot.app.screen.query_one("#entry-title", Static)
        seats = pilot.app.screen.query_one("#seats")
        third = next(row for row, line in enumerate(str(seats.render()).split("\n")) if "■" in line)
        await pilot.click(seats, offset=(6, third))
        await pilot.pause()
        assert str(title.render()).startswith("■ Cy")
        await pilot.click(title, offset=(3, 1))
        await pilot.pause()
        assert str(title.render()).startswith("▲ Ann")


def players_marks(app: App[object]) -> str:
    return str(app.screen.query_one("#seats").render())


@pytest.mark.parametrize("language", LANGUAGES)
async def test_no_word_beside_a_player_is_cut_when_the_panel_is_open(language: str) -> None:
    async with dashboard(hands_only(), language=language).run_test(size=(80, 24)) as pilot:
        await pilot.press("enter")
        await pilot.pause()
        assert "◀" in players_marks(pilot.app)
        assert "…" not in players_marks(pilot.app)


@pytest.mark.parametrize("panel", [False, True])
@pytest.mark.parametrize("language", LANGUAGES)
async def test_what_stands_beside_a_player_stands_there_whole(language: str, panel: bool) -> None:
    """Half a list of cards would mislead; `…` alone is the sign of who has not decided."""
    async with dashboard(middle("donkey_valley"), language=language).run_test(size=(80, 24)) as pilot:
        await pilot.press(*["enter"] * panel)
        await pilot.pause()
        assert not re.search(r"[^▌ ] ?…", players_marks(pilot.app)), players_marks(pilot.app)


@pytest.mark.parametrize("panel", [False, True])
async def test_the_signs_beside_a_result_stand_there_whole(panel: bool) -> None:
    live = middle("donkey_valley")
    enter(live, ask.Favour("Bob", 2), *(ask.NoFavour(name) for name in ("Chloé", "Dora", "Ann")))
    enter(live, *(ask.Decide(name, True) for name in ("Chloé", "Dora", "Ann", "Bob")))
    enter(live, *(ask.Reveal(name, (8,)) for name in ("Bob", "Chloé", "Dora", "Ann")))
    async with dashboard(live, language="fr").run_test(size=(80, 24)) as pilot:
        await pilot.press(*["enter"] * panel)
        await pilot.pause()
        assert "…" not in players_marks(pilot.app), players_marks(pilot.app)


async def test_words_beside_a_player_stand_there_where_they_fit() -> None:
    live = live_session(SEVEN[:4], "dtc")
    enter(live, dtc.Offer("Ann", 4, 6), dtc.Challenge("Bob"), dtc.Reveal(("2", "joker", "joker", "joker")))
    async with dashboard(live).run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert "→ giver" in players_marks(pilot.app)
    live = live_session(SEVEN[:4], "ascend")
    enter(live, ascend.Exchanged())
    async with dashboard(live).run_test(size=(80, 24)) as pilot:
        await pilot.press("enter")
        await pilot.pause()
        assert "11 cards in hand" in players_marks(pilot.app)


async def test_lines_that_were_drawn_for_more_room_are_cut_and_never_folded(monkeypatch) -> None:
    async with dashboard(middle("ascend")).run_test(size=(120, 40)) as pilot:
        seats = pilot.app.screen.query_one(Seats)
        monkeypatch.setattr(ScreenPart, "on_resize", lambda _: None)
        await pilot.resize_terminal(60, 40)
        await pilot.pause()
        shown = [strip.text.rstrip() for strip in seats.render_lines(Region(0, 0, *seats.size))]
        drawn = [line.plain[: seats.size.width].rstrip() for line in seats._drawn]
        assert shown[: len(drawn)] == drawn[: len(shown)]


async def test_in_a_narrow_row_signs_are_left_out_and_nothing_breaks() -> None:
    async with dashboard(middle("partners"), language="en").run_test(size=(80, 24)) as pilot:
        await pilot.press("enter")
        for width, height in ((30, 12), (80, 24), (120, 40)):
            await pilot.resize_terminal(width, height)
            await pilot.pause()
        await wait_until(pilot, lambda: "◨" in players_marks(pilot.app))


@pytest.mark.slow
async def test_the_list_of_keys_presses_them_by_mouse() -> None:
    async with dashboard(middle("donkey_valley"), language="en").run_test(size=(120, 40)) as pilot:
        await pilot.press("question_mark")
        await pilot.pause()
        line = next(one for one in pilot.app.screen.query(".help-key") if "stand-ins" in str(one.render()))
        await pilot.click(line)
        await pilot.pause()
        assert type(pilot.app.screen).__name__ == "ConversationScreen"
        await pilot.press("escape", "question_mark")
        await pilot.pause()
        await pilot.click("#sheet-title")
        await pilot.pause()
        assert not pilot.app.screen.query(".help-key")
