"""A whole play before the camera: a card is laid on the printed board, a pawn goes, no key is
pressed."""

from pathlib import Path

import numpy as np
import pytest

from companion.decks import render_back, render_drawings
from companion.games.partners.drawing import build_camera_board
from companion.games.partners.moves import Exchanged, Move, Play
from companion.readers.camera.reader import CameraReader
from companion.readers.camera.sources import Frame, VideoFile
from companion.table import zones
from companion.table.decks import Deck
from companion.texts import Translator
from tests.simulated.pawn_films import SETTINGS, shot
from tests.views.table import live_session
from vision.library import Library

PLAYERS = ("Ann", "Bob", "Cid", "Dot")


class Evening:
    """A table with our board under a camera; time is that of the frames."""

    def __init__(self, setting):
        faces = render_drawings(Deck.load_builtin("partners"))
        self.eight = faces["pa:8"]
        library = Library.from_drawings({**faces, "back": np.asarray(render_back("partners"))})
        self.live = live_session(PLAYERS, "partners")
        self.reader = CameraReader(
            VideoFile(Path("x.mp4")), library, zones.make_default_zones(4), board=build_camera_board()
        )
        self.reader.attach(self.live.post_report)
        self.setting, self.random, self.now = setting, np.random.default_rng(2), 0.0

    def goes_on(self, seconds, pawns, *cards, arm=False, until=lambda: False):
        """Show this for so long, or until something is so."""
        end = self.now + seconds
        while self.now < end and not until():
            picture = shot(self.setting, pawns, self.random, arm=arm, cards=cards)
            self.reader.process_frame(Frame(picture, self.now))
            while self.reader.continue_processing():
                pass
            self.live.tick(self.now)
            self.now += 0.25

    @property
    def pawns(self):
        return [row["pawns"] for row in self.live.snapshot().view["players"]]

    @property
    def asked(self):
        return [
            Translator("en", self.live.game).translate(one.text) for one in self.live.snapshot().questions
        ]


@pytest.mark.slow
def test_a_card_and_a_pawn_are_a_play():
    evening = Evening(next(one for one in SETTINGS if one.name == "dim"))
    evening.live.submit_request(Exchanged())
    for player in PLAYERS:
        evening.live.submit_request(Play(player, "heart", (Move(player, 1, "start"),)))
    before = evening.pawns
    evening.goes_on(1.0, before)
    evening.goes_on(0.5, before, arm=True)
    evening.goes_on(8, before, evening.eight, until=lambda: evening.asked)
    assert evening.asked == ["Ann played 8. Which pawn goes where?"], "out of the base, or eight on"
    after = [["1:8", "base", "base", "base"], *before[1:]]
    evening.goes_on(0.5, before, evening.eight, arm=True)
    evening.goes_on(8, after, evening.eight, until=lambda: evening.pawns == after)
    assert evening.pawns == after
    assert not evening.asked
    wrong = [*after[:2], ["3:6", "base", "base", "base"], after[3]]
    evening.goes_on(8, wrong, evening.eight, until=lambda: evening.asked)
    assert evening.asked == [
        "One of Cid's pawns is on square 6 of Cid. It was on start, and nobody moved it."
    ]
    evening.goes_on(8, after, evening.eight, until=lambda: not evening.asked)
    assert not evening.asked
