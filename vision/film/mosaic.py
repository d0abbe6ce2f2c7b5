"""The table as it is known, whatever part of it the camera shows."""

from collections.abc import Sequence

import numpy as np

from vision.film.view import Mask, Matrix, Thumb, framed, is_still, warped


class Mosaic:
    """A picture of the table, kept as the camera saw it at first, with what of it is `known`.

    It is written and shown through the view of the moment: nothing is resampled more than once each
    way, so that an hour of sway does not blur it.
    """

    def __init__(self, shape: Sequence[int]) -> None:
        self.picture: Thumb = np.zeros(shape, dtype=np.float32)
        self.known: Mask = np.zeros(shape, dtype=np.bool_)

    def seen(self, view: Matrix) -> tuple[Thumb, Mask]:
        """The picture as the camera shows it under a view, and what of it is known."""
        if is_still(view):
            return self.picture, self.known
        if bool(self.known.all()):
            return warped(self.picture, view), framed(self.known.shape, view)
        # A pixel that is mixed of known and unknown ones is not known.
        known = warped(self.known.astype(np.float32), view, border=0.0) > 0.99
        return warped(self.picture, view), np.asarray(known, dtype=np.bool_)

    def missing(self, view: Matrix) -> Mask:
        """What the camera shows under a view of the part that is kept and is not known yet."""
        if bool(self.known.all()):
            return np.zeros(self.known.shape, dtype=np.bool_)
        lacks = np.asarray(~self.known, dtype=np.float32)
        return np.asarray(warped(lacks, view, border=0.0) > 0.5, dtype=np.bool_)

    def write(self, thumb: Thumb, where: Mask, view: Matrix) -> None:
        """Take in the small pixels `where` of a frame that is seen under a view."""
        if not is_still(view):
            back: Matrix = np.asarray(np.linalg.inv(view), dtype=np.float64)
            where = warped(where.astype(np.float32), back, border=0.0) > 0.5
            thumb = warped(thumb, back)
        self.picture[where] = thumb[where]
        self.known |= where

    def relight(self, gain: float, offset: float) -> None:
        """The light has changed for all of the table: gain and offset in grey levels."""
        self.picture = np.asarray(np.clip(gain * self.picture + offset, 0, 255), dtype=np.float32)

    def carry(self, view: Matrix) -> None:
        """Keep the picture as it is seen under a view from now on."""
        self.picture, self.known = self.seen(view)
