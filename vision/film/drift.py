"""How far a camera has moved since the plane of the table was set."""

import numpy as np
from numpy.typing import NDArray

from vision.film.view import Matrix


class Drift:
    """The sum of a camera's moves, in pixels of the frame; once it was lost nobody can tell."""

    def __init__(self) -> None:
        self._moved = np.eye(3)

    def carry(self, step: Matrix) -> None:
        """The camera has moved by `step`."""
        if np.isfinite(self._moved).all():
            self._moved = step @ self._moved

    def lose(self) -> None:
        """The camera has moved, and nothing says how."""
        self._moved[:2, 2] = np.inf

    def of(self, frame: NDArray[np.uint8]) -> tuple[float, float]:
        """How far the middle of a frame has moved along x and y, in pixels; infinite if that was
        lost."""
        if not np.isfinite(self._moved).all():
            return np.inf, np.inf
        height, width = frame.shape[:2]
        middle = np.array([width / 2, height / 2, 1.0])
        dx, dy = (self._moved @ middle - middle)[:2]
        return float(dx), float(dy)
