"""The cards' pictures, drawn once for all tests."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from five_games import Drawn
from numpy.typing import NDArray

from companion.decks import render_drawings
from companion.table.decks import Deck


@pytest.fixture(scope="session")
def drawn() -> Drawn:
    @cache
    def of(game: str) -> dict[str, NDArray[np.uint8]]:
        return render_drawings(Deck.load_builtin(game))

    return of
