"""Locate things on the table: the homography between the camera's picture and the plane of the
table.

Table units are chosen by the owner of the plane: millimetres on an ArUco mat, 0 to 1 between four
clicked corners, pixels if nothing is known.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from vision.errors import PlaneError
from vision.geometry import find_homography, is_convex, make_rectangle, order_clockwise, transform_points
from vision.markers import Marker

Points = NDArray[np.float32]

DRIFTED = 0.01
"""Displacement, in parts of the picture's width, from which the camera has moved."""


@dataclass(frozen=True)
class TablePlane:
    """The map between picture and table. `matrix`: 3x3, picture pixels to table units."""

    matrix: NDArray[np.float64]

    @classmethod
    def identity(cls) -> Self:
        """Build the plane of an unknown table: its units are pixels of the picture."""
        return cls(np.eye(3))

    @classmethod
    def from_corners(cls, corners: ArrayLike, width: float = 1.0, height: float = 1.0) -> Self:
        """Build the plane from the pixels of the table's four corners, in order round it from its
        top left.

        The table is assumed to be `width` x `height` units. Raises `PlaneError` unless the corners
        make a convex quadrilateral.
        """
        points = np.asarray(corners, dtype=np.float32)
        if points.shape != (4, 2) or not np.isfinite(points).all():
            raise PlaneError("Four corners of the table are needed, each with x and y.")
        quad = order_clockwise(points)
        if not is_convex(quad):
            raise PlaneError(
                "The four corners must go round the table: top left, top right, bottom right, bottom left."
            )
        target = make_rectangle(width, height) + 0.5
        # `order_clockwise` may have exchanged two corners: the target's must follow
        return cls(find_homography(points, target if np.array_equal(quad, points) else target[[0, 3, 2, 1]]))

    @classmethod
    def from_markers(cls, markers: list[Marker], mat: Mapping[int, ArrayLike]) -> Self:
        """Build the plane from an ArUco mat's markers in a picture; `mat` gives each marker's four
        corners in table units.

        Corners are in ArUco's order. Raises `PlaneError` if no marker of the mat was seen.
        """
        if not markers:
            raise PlaneError("No marker of the mat is in sight: move the camera or click the corners.")
        pixels = np.concatenate([marker.quad for marker in markers])
        units = np.concatenate(
            [np.asarray(mat[marker.id], dtype=np.float32).reshape(4, 2) for marker in markers]
        )
        # robust, so that one marker read wrongly does not bend the plane
        matrix, _ = cv2.findHomography(pixels, units, cv2.RANSAC, 0.01 * float(np.ptp(units)) + 1e-6)
        if matrix is None:
            raise PlaneError("The mat's markers do not lie in one plane: smooth the mat out.")
        return cls(np.asarray(matrix, dtype=np.float64))

    def to_table(self, points: ArrayLike) -> Points:
        """Map (n, 2) picture pixels to table units."""
        return transform_points(self.matrix, points)

    def to_image(self, points: ArrayLike) -> Points:
        """Map (n, 2) table units to picture pixels."""
        return transform_points(np.asarray(np.linalg.inv(self.matrix), dtype=np.float64), points)

    def with_shift(self, dx: float, dy: float) -> "TablePlane":
        """Return the plane after the camera's picture has shifted by (dx, dy) pixels."""
        back = np.array([[1.0, 0, -dx], [0, 1.0, -dy], [0, 0, 1.0]])
        return TablePlane(self.matrix @ back)

    def distance_to(self, other: "TablePlane", width: int, height: int) -> float:
        """Return how far apart two planes put the table, in parts of the picture's width: the worst
        of its corners."""
        corners = make_rectangle(width, height)
        apart = other.to_image(self.to_table(corners)) - corners
        return float(np.linalg.norm(apart, axis=1).max()) / width

    def has_drifted(self, other: "TablePlane", width: int, height: int) -> bool:
        """Check whether the camera has moved between two looks at the same mat."""
        return self.distance_to(other, width, height) > DRIFTED
