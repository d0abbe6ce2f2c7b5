"""A demo evening on a clock of its own: the drawn table, the camera's code and the live session,
step by step in one thread."""

from functools import cache

import pytest

from companion.demo import table as demo_table
from companion.journal.journal import Journal
from companion.journal.saved_session import SavedSession
from companion.live.live_session import LiveSession
from companion.plan import Plan, prepare_setup
from companion.readers.camera.sources import Frame
from companion.rules.acts import Entry
from companion.table.decks import Deck
from companion.table.table import Table
from companion.texts import Translator

STEP, SPARE = 0.08, 8
"""Seconds between two frames, and steps of work, of some milliseconds, that the camera's thread has
time for while it waits for the next."""
NAMES = ("Ann", "Bob", "Chloé", "Dan", "Eve")


@cache
def _cards(game: str, drawn=demo_table.load_card_pictures):
    """Unpack a game's cards once for all evenings: it took as long as some of them."""
    return drawn(Deck.load_builtin(game), "en")


class Evening:
    """Everything of `companion play --demo` but the screen and the threads. `kept`: the session to
    go on with."""

    def __init__(
        self,
        game: str = "donkey_valley",
        players: int = 3,
        seed: int = 1,
        kept: SavedSession | None = None,
        journal: Journal | None = None,
        speed: float = 3.0,
        **options: object,
    ) -> None:
        rules, setup = prepare_setup(Plan(game, NAMES[:players], options, seed=seed))
        setup = setup if kept is None else kept.setup
        deck = Deck.load_builtin(game)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(demo_table, "load_card_pictures", lambda deck, _language: _cards(deck.game))
            self.demo = demo_table.DemoTable(setup, deck, speed=speed)
        colours = {colour: seat for seat, colour in enumerate(deck.owner_colours[:players], 1)}
        table = Table(deck, colours, back_known=True)
        self.live = LiveSession(
            rules, setup, table=table, cards=tuple(deck.card_counts), saved=kept, journal=journal
        )
        self.translator = Translator("en", rules)
        self.demo.attach_session(self.live)
        assert self.demo.camera is not None
        self.demo.camera.attach(self.live.post_report)
        self.now = 0.0

    def again(self) -> "Evening":
        """Take this session up again, as after the program was killed: nothing is left but what the
        journal holds."""
        setup = self.live.setup
        entries = tuple(Entry("act", (act,)) for act in self.live.list_acts())
        kept = SavedSession(1, setup, 0.0, entries, (0.0,) * len(entries))
        return Evening(setup.game, len(setup.players), kept=kept, speed=self.demo.stage.speed)

    def step(self) -> None:
        """Let one frame's time pass."""
        self.now += STEP
        stage, camera = self.demo.stage, self.demo.camera
        assert camera is not None
        stage.advance(STEP)
        camera.process_frame(Frame(stage.take_picture().image, self.now))
        for _ in range(SPARE):
            if not camera.continue_processing():
                break
        self.demo.tick(self.now)
        self.live.tick(self.now)

    def until(self, phase: str, seconds: float) -> None:
        """Go on until the game is in `phase`; fails after so many seconds of the evening's own
        time."""
        deadline = self.now + seconds
        while self.live.snapshot().view["phase"] != phase:
            assert self.now < deadline, f"no {phase} after {seconds} s: {self.live.snapshot().view}"
            self.step()
