"""Every screen of the program in one table. Two uses: tests look for codes, foreign words and cut
text; `make pictures` takes pictures.

An app is opened once, and its screens one after the other by the keys that people press; Escape
leads back.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import nullcontext, suppress
from functools import cache
from typing import Any, NamedTuple

from textual.app import App
from textual.widgets import Input

from companion.commands.home_screen_pages import build_setting_rows
from companion.decks import render_back, render_drawings
from companion.decks.references import load_views
from companion.demo.actions import make_players
from companion.demo.table import Animation
from companion.demo.world import World
from companion.enrolment.album import Album, list_wanted_designs
from companion.enrolment.enroller import Enroller, EnrolmentControls
from companion.equipment.diagnosis import make_finding
from companion.equipment.steps import AnswerStep, EquipmentCheck, MeasureStep
from companion.evening.home_screen_entries import PastSessions, format_session_summary, list_home_entries
from companion.evening.setup_form import build_game_row
from companion.figures.rendering import FiguresWording
from companion.figures.tables import build_tables
from companion.games.ascend import moves as ascend
from companion.games.donkey_valley import moves as ask
from companion.games.dtc import moves as dtc
from companion.journal.saved_session import SavedSession
from companion.journal.summaries import summarise_session
from companion.live.live_session import LiveSession
from companion.plan import Plan
from companion.rules import registry
from companion.rules.session import Session
from companion.settings import Settings
from companion.table.decks import Deck
from companion.table.table import Table
from companion.table.zones import make_default_zones
from companion.texts import Translator
from companion.views.dashboard.app import Dashboard
from companion.views.dashboard.calibrate import WHOLE, CalibrationApp
from companion.views.dashboard.check import CheckApp
from companion.views.dashboard.enrol import EnrolmentApp
from companion.views.dashboard.setup import SetupApp
from companion.views.dashboard.widgets.camera_preview import CameraView
from companion.views.home_screen.figures_page import FiguresPage
from companion.views.home_screen.home_screen import HomeScreen
from companion.views.home_screen.list_pages import ListPage, SearchPage
from companion.views.table_session import Invitation, Invite, ShareSwitch
from tests.rules.evenings import evenings_of
from tests.views.table import SEVEN, dashboard, enter, first_round, live_session, steady

SIZES = ((80, 24), (120, 40), (200, 60))
"""What terminals people have: the smallest, a usual one, and a laptop's whole screen."""
FOUR = SEVEN[:4]


class Place(NamedTuple):
    """An app: `start_sharing` makes it in a language; `screens`: each by the keys that lead to it.

    `rest`: seconds until a screen that looks by the clock has something to show.
    """

    name: str
    open: Callable[[str], App[Any]]
    screens: Mapping[str, tuple[str, ...]]
    rest: float | None = None


async def screens_of(
    place: Place, language: str, size: tuple[int, int]
) -> AsyncIterator[tuple[str, App[Any]]]:
    """Open an app and give each of its screens, by name."""
    app = place.open(language)
    async with app.run_test(size=size) as pilot:
        for name, keys in place.screens.items():
            await pilot.press(*keys)
            await pilot.pause(place.rest)
            if isinstance(app, Dashboard):
                await steady(pilot)
            yield name, app
            await pilot.press(*("space",) if name == "paused" else ("escape",) * len(keys))


def hands_only() -> LiveSession:
    """Ochs & Esel of which only the hands' ends are told, at the first of them."""
    [evening] = [one for one in evenings_of("ochs_und_esel") if one.setup.options["hands_only"]]
    deck = Deck.load_builtin("ochs_und_esel")
    return LiveSession(evening.game, evening.setup, table=Table(deck, {}), cards=tuple(deck.card_counts))


def middle(game: str) -> LiveSession:
    """A session in the middle of an evening."""
    if game == "donkey_valley":
        live = live_session(FOUR)
        first_round(live)
        enter(live, ask.Donkey("hand_picked"), *(ask.Load(name) for name in FOUR))
        return live
    evening = evenings_of(game)[0]
    live, players = live_session(evening.setup.players, game), evening.players
    for _ in range(9):
        deed = players.next_action(live.list_acts(), live.snapshot().view)
        if deed is None or live.submit_request(deed.request) is not None:
            break
    return live


def _until(game: str, ending: str) -> LiveSession:
    """A session of simulated players up to the act whose report has a line with such a code."""
    evening = evenings_of(game)[0]
    live = live_session(evening.setup.players, game)
    players = evening._replace(setup=live.setup).players
    while not any(one.text.code.endswith(ending) for one in live.snapshot().report):
        deed = players.next_action(live.list_acts(), live.snapshot().view)
        assert deed is not None
        enter(live, deed.request)
    return live


def _overload() -> LiveSession:
    live = live_session(FOUR)
    first_round(live, "puny")
    return live


def _bluff() -> LiveSession:
    live = live_session(SEVEN[:3], "dtc")
    enter(live, dtc.Offer("Ann", 3, 2), dtc.Challenge("Bob"), dtc.Reveal(("2", "2", "5")))
    return live


def _bomb() -> LiveSession:
    live = live_session(SEVEN[:3], "ascend")
    first, second, _ = live.setup.players
    enter(live, ascend.Exchanged(), ascend.Play(first, ("ace_of_knots", "ace_of_moons")))
    enter(live, ascend.Play(second, ("painter", "savage")))
    return live


DRAMAS: Mapping[str, Callable[[], LiveSession]] = {
    "overload": _overload,
    "bluff": _bluff,
    "taken_donkey": lambda: _until("ochs_und_esel", "trick.donkey"),
    "sent_home": lambda: _until("partners", "sent_home.captured"),
    "bomb": _bomb,
}
"""The moment of each game that everybody waits for, by the name of its screen."""


def _result(language: str) -> App[Any]:
    live = live_session(FOUR)
    first_round(live)
    return dashboard(live, language=language)


def _lobby(language: str) -> App[Any]:
    """A table that is shared: the television watches, two players have their phones in hand."""
    say, root = Translator(language), "https://192.168.1.20:8640"
    invites = [
        Invite(say("share.watch"), f"{root}/#Kg49-lyjSR-VmD3R8aMI0g", "KDQX", 1),
        Invite(say("share.join"), f"{root}/#A5Jmv_4EG7Cn5xNmLs5Kig", "MPRT"),
        *(
            Invite(name, f"{root}/seat#VmD3R8aMI0gKg49-lyjS{seat}", f"BCD{seat}", seat % 2, seat)
            for seat, name in enumerate(FOUR, 1)
        ),
    ]
    now = Invitation(
        tuple(invites),
        (say("share.reach_network", address="192.168.1.20"),),
        address=root,
        waiting_codes=("FGHJ",),
    )
    sharing = ShareSwitch(lambda _network: nullcontext(lambda: now))
    sharing.start_sharing(network=True)
    return dashboard(middle("donkey_valley"), language=language, sharing=sharing)


def _won(language: str) -> App[Any]:
    """The end of a short game: one evening of Donkey Valley played out by its simulated players."""
    live = live_session(FOUR)
    players = make_players(live.setup)
    with suppress(StopIteration):
        while (deed := players.next_action(live.list_acts(), live.snapshot().view)) is not None:
            if live.submit_request(deed.request) is not None:
                break
    return dashboard(live, language=language)


@cache
def _kept() -> tuple[SavedSession, ...]:
    found = []
    for number, game in enumerate(("dtc", "donkey_valley"), 1):
        evening = evenings_of(game)[0]
        entries: list[Any] = []
        session, players = Session(evening.game, evening.setup, entries.append), evening.players
        while (deed := players.next_action(session.list_acts(), session.view())) is not None:
            session.act(deed.request)
        found.append(
            SavedSession(
                number,
                evening.setup,
                1.79e9,
                tuple(entries),
                tuple(1.79e9 + 30 * n for n in range(len(entries))),
            )
        )
    return tuple(found)


SETTINGS = Settings(
    groups=(Plan("donkey_valley", FOUR, cameras=("0",)), Plan("ascend", ("Ann", "Dora", "Emil")))
)


def _show_home_screen(language: str) -> App[Any]:
    translator = Translator(language)
    unfinished = [summarise_session(kept) for kept in _kept()[1:]]
    return HomeScreen(
        list_home_entries(SETTINGS, PastSessions(unfinished, SETTINGS.groups[0]), translator), translator, ""
    )


def _evenings(language: str) -> App[Any]:
    translator = Translator(language)
    lines = [format_session_summary(summarise_session(kept), translator) for kept in _kept()[1:]] * 9
    return SearchPage(translator("home_screen.evenings"), lines, translator, "", can_remove=True)


class _Filled(SetupApp):
    """A form in which the names stand already."""

    def on_mount(self) -> None:
        self.query_one("#players", Input).value = ", ".join(FOUR)


def _form(language: str) -> App[Any]:
    translator = Translator(language)
    games = [build_game_row(name, translator) for name in registry.list_game_ids()]
    return _Filled(
        games,
        translator,
        Plan(),
        camera="0",
        people=FOUR,
        look_through=lambda _camera: CameraView(_picture(), None),
    )


def _history(language: str) -> App[Any]:
    from companion.commands.history import format_session  # noqa: PLC0415 - commands are opened one at a time

    told = list(format_session(_kept()[1], language))
    return ListPage(told[0], told[1:], Translator(language), "")


def _figures(language: str) -> App[Any]:
    return FiguresPage(
        build_tables([summarise_session(kept) for kept in _kept()]), FiguresWording(language), ""
    )


def _settings(language: str) -> App[Any]:
    translator = Translator(language)
    return ListPage(
        translator("home_screen.settings"),
        [words for words, _ in build_setting_rows(SETTINGS, translator)],
        translator,
        "",
    )


@cache
def _picture() -> Any:
    """What a camera sees: a drawn table with a donkey and four loads."""
    pictures = render_drawings(Deck.load_builtin("donkey_valley"))
    world = World(pictures, render_back("donkey_valley"), make_default_zones(4))
    for card, zone in (("donkey:giant", "middle"), ("load:red:7", "seat:1"), ("load:blue:5", "seat:2")):
        world.lay_card(card, zone)
    return Animation(world).take_picture().image


def _calibrate(language: str) -> App[Any]:
    return CalibrationApp(_picture, lambda _: "", Translator(language), WHOLE)


def _enrol(language: str) -> App[Any]:
    deck = Deck.load_builtin("donkey_valley")
    controls = EnrolmentControls(
        Enroller(Album(deck, load_views(deck)[0]), list_wanted_designs(deck, ()), "")
    )
    return EnrolmentApp(controls, _picture, tuple, lambda: None, Translator.for_game(language, deck.game))


def _check(language: str) -> App[Any]:
    disk = MeasureStep(
        "disk", "disk", lambda: [make_finding("disk", "ok", "disk.ok", folder="~", room=5120, milliseconds=3)]
    )
    return CheckApp(EquipmentCheck([disk, AnswerStep("buzzer", lambda: None)]), Translator(language))


PLACES = (
    Place("home_screen", _show_home_screen, {"home_screen": ()}),
    Place("evenings", _evenings, {"evenings": ()}),
    Place("form", _form, {"form": ()}, rest=0.4),
    Place("history", _history, {"history": ()}),
    Place("figures", _figures, {"figures": ()}),
    Place("pairs", _figures, {"pairs": ("right",) * 2}),
    Place("favours", _figures, {"favours": ("left",) * 2}),
    Place("settings", _settings, {"settings": ()}),
    Place("calibrate", _calibrate, {"calibrate": ()}, rest=0.4),
    Place("enrol", _enrol, {"enrol": ()}, rest=0.4),
    Place("check", _check, {"check": ()}, rest=0.6),
    Place(
        "donkey_valley",
        lambda language: dashboard(middle("donkey_valley"), language=language),
        {
            "donkey_valley": (),
            "entry": ("enter",),
            "why": ("e",),
            "corrections": ("c",),
            "correction": ("c", "enter"),
            "help": ("question_mark",),
            "palette": ("ctrl+p",),
            "paused": ("space",),
            "people": ("p",),
            "person": ("p", "2"),
            "undone": ("u",),
        },
    ),
    Place(
        "glance",
        lambda language: dashboard(middle("donkey_valley"), language=language),
        {"glance": ("g",), "moves": ("u", "u", "m")},
    ),
    Place("lobby", _lobby, {"lobby": ("j", "4")}),
    Place("result", _result, {"result": ()}),
    Place("result_glance", _result, {"result_glance": ("g",)}),
    Place("won", _won, {"won": ()}),
    *(
        Place(
            name,
            lambda language, happened=happened: dashboard(happened(), language=language),
            {name: (), f"{name}_glance": ("g",)},
        )
        for name, happened in DRAMAS.items()
    ),
    *(
        Place(
            game,
            lambda language, game=game: dashboard(middle(game), language=language),
            {game: (), f"{game}_entry": ("enter",)},
        )
        for game in ("dtc", "ochs_und_esel", "partners", "ascend")
    ),
    Place(
        "hands_only",
        lambda language: dashboard(hands_only(), language=language),
        {"hands_only": (), "hands_only_entry": ("enter",), "hands_only_cards": ("enter", "h", "7", "d", "j")},
    ),
)
"""All apps with their screens; a new screen adds a line here, and is tested and pictured."""
