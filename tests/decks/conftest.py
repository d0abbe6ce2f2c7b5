"""The cards' pictures, drawn once for all tests of this folder."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from five_games import Drawn
from numpy.typing import NDArray

from companion.decks import render_drawings
from companion.table.decks import Deck


@pytest.fixture(scope="session")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache of pictures that is not the user's."""
    return tmp_path_factory.mktemp("pictures")


@pytest.fixture(scope="session")
def drawn(pictures: Path) -> Drawn:
    @cache
    def of(game: str) -> dict[str, NDArray[np.uint8]]:
        return render_drawings(Deck.load_builtin(game), cache=pictures)

    return of
