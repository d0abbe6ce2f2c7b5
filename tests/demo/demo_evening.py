"""A demo evening on a clock of its own: the drawn table, the camera's code and the live session, step by step in one thread."""

from companion.app import Plan, set_up
from companion.demo.backstage import Backstage
from companion.live.live import Live
from companion.readers.camera.sources import Frame
from companion.table.decks import Deck
from companion.table.table import Table

STEP = 0.08
"""Seconds between two frames."""
NAMES = ("Ann", "Bob", "Chloé", "Dan", "Eve")


class Evening:
    """Everything of `companion play --demo` but the screen and the threads."""

    def __init__(self, game: str = "donkey_valley", players: int = 3, seed: int = 1, **options: object) -> None:
        rules, setup = set_up(Plan(game, NAMES[:players], options, seed))
        deck = Deck.builtin(game)
        self.demo = Backstage(setup, deck, speed=3.0)
        colours = {colour: seat for seat, colour in enumerate(deck.colours[:players], 1)}
        table = Table(deck, colours, back_known=True)
        self.live = Live(rules, setup, table=table, cards=tuple(deck.cards))
        self.demo.join(self.live)
        self.demo.camera.attach(self.live.post)
        self.now = 0.0

    def step(self) -> None:
        """Let one frame's time pass."""
        self.now += STEP
        stage = self.demo.stage
        if not stage.paused:
            stage.advance(STEP)
        self.demo.camera.look_at(Frame(stage.picture().image, self.now))
        self.demo.tick(self.now)
        self.live.tick(self.now)

    def until(self, phase: str, seconds: float) -> None:
        """Go on until the game is in `phase`; fails after so many seconds of the evening's own time."""
        deadline = self.now + seconds
        while self.live.snapshot().view["phase"] != phase:
            assert self.now < deadline, f"no {phase} after {seconds} s: {self.live.snapshot().view}"
            self.step()

