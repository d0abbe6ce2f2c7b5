"""Two usual ways of recognising cards, on the same outlines: a perceptual hash, and ORB with
RANSAC."""

from collections.abc import Iterable, Sequence
from typing import TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from vision import photo
from vision.decks.enrol import outline_of
from vision.decks.labels import LabelledPhoto
from vision.fitting.patch import MARGIN, cut_raw
from vision.geometry import Quad, upright
from vision.library import Library
from vision.outlines.detect import outlines

Picture = NDArray[np.uint8]
Features: TypeAlias = "tuple[Sequence[cv2.KeyPoint], cv2.typing.MatLike | None]"
"""Where ORB found something, and what; None where it found nothing."""


def compare(library: Library, photos: Iterable[LabelledPhoto]) -> str:
    """The share of labelled cards that each peer's best guess names right, as one line."""
    hashed, orb, cards = _right(library, photos)
    return (
        f"Peers on the same {cards} outlines, best guess right: "
        f"perceptual hash {100 * hashed / cards:.1f} %, ORB with RANSAC {100 * orb / cards:.1f} %."
    )


def shares(library: Library, photos: Iterable[LabelledPhoto]) -> str:
    """The same as a cell of a table: the hash, ORB."""
    hashed, orb, cards = _right(library, photos)
    return f"{100 * hashed / cards:.0f} %, {100 * orb / cards:.0f} %"


def _right(library: Library, photos: Iterable[LabelledPhoto]) -> tuple[int, int, int]:
    """How many cards the hash and ORB name right, and how many whole cards are labelled (1 if none
    are)."""
    bare = [r.picture[MARGIN:-MARGIN, MARGIN:-MARGIN] for r in library.references]
    cards = [r.card for r in library.references]
    hashes = np.stack([phash(p) for p in bare])
    orb = cv2.ORB.create(400)
    features = [_features(p, orb) for p in bare]
    counts = np.zeros(3, dtype=int)
    for labelled in photos:
        image = photo.load(labelled.path)
        found = outlines(image)
        for label in (c for c in labelled.cards if not (c.hidden or c.ignore)):
            quad = outline_of(found, label)
            counts[2] += 1
            if quad is None:
                continue
            seen = _cut(image, quad, library.height)
            counts[0] += cards[_nearest_hash(seen, hashes)] == label.card
            counts[1] += cards[_most_inliers(seen, orb, features)] == label.card
    return int(counts[0]), int(counts[1]), max(int(counts[2]), 1)


def _cut(image: Picture, quad: Quad, height: int) -> Picture:
    return cut_raw(image, upright(quad), height)[MARGIN:-MARGIN, MARGIN:-MARGIN]


def phash(picture: Picture) -> NDArray[np.bool_]:
    """The 256-bit perceptual hash: signs of the low frequencies of a cosine transform, a colour
    channel each."""
    bits = []
    for channel in cv2.split(cv2.cvtColor(picture, cv2.COLOR_BGR2LAB)):
        small = cv2.resize(channel, (32, 32), interpolation=cv2.INTER_AREA).astype(np.float32)
        low = cv2.dct(small)[:16, :16].ravel()
        bits.append(low > np.median(low))
    return np.concatenate(bits)


def _nearest_hash(seen: Picture, hashes: NDArray[np.bool_]) -> int:
    turned = np.ascontiguousarray(seen[::-1, ::-1])
    off = np.minimum((hashes != phash(seen)).sum(axis=1), (hashes != phash(turned)).sum(axis=1))
    return int(off.argmin())


def _features(picture: Picture, orb: cv2.ORB) -> Features:
    return orb.detectAndCompute(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), None)


def _most_inliers(seen: Picture, orb: cv2.ORB, features: Sequence[Features]) -> int:
    points, described = _features(seen, orb)
    matcher = cv2.BFMatcher(cv2.NORM_HAMMING, crossCheck=True)
    inliers = []
    for known_points, known in features:
        if described is None or known is None:
            inliers.append(0)
            continue
        pairs = sorted(matcher.match(known, described), key=lambda m: m.distance)[:80]
        if len(pairs) < 5:
            inliers.append(0)
            continue
        source = np.array([known_points[m.queryIdx].pt for m in pairs], np.float32)
        target = np.array([points[m.trainIdx].pt for m in pairs], np.float32)
        _, mask = cv2.findHomography(source, target, cv2.RANSAC, 3.0)
        inliers.append(0 if mask is None else int(mask.sum()))
    return int(np.argmax(inliers))
