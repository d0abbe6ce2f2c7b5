"""The games whose cards we draw, and the type of the fixture that gives their pictures."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

GAMES = ("donkey_valley", "dtc", "ochs_und_esel", "partners", "ascend")

Drawn = Callable[[str], dict[str, NDArray[np.uint8]]]
