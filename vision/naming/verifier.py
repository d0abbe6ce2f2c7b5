"""Whether a seen card and a design laid over it show the same print: the one question that does not
ask for the second best.

A small network answers it, which never saw a photograph: it was taught by cards that
`tools/verifier` draws at random, each beside a twin that differs by a pip, a suit, a hatch, a hue
or a part of its picture, worn by made-up presses, lamps and cameras. OpenCV runs it;
`tools/verifier/README.md` says how it is made anew.
"""

import threading
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.fitting.patch import WIDTH, Pixels

MODEL = Path(__file__).with_name("verifier.onnx")

HEIGHT = 224
"""Pixels to which the height of every card is brought; cards were drawn 7 to 5 for learning."""

WAYS = ((1, 1), (-1, -1)), ((-1, 1), (1, -1))
"""Steps along a picture's rows and columns: as it is and turned by half, and mirrored."""

CERTAIN = 1.5
"""Log odds by two ways from the limit beyond which the other two are not asked: of 399 pairs of
`bench.vision_tables` and others with a quarter of the deck missing 312 were, none on the other side
by all four."""

AT_ONCE = 4
"""Pairs that the network is asked of in one go: two ways of each are 7 MB then; 16 took longer."""

_OF_THREAD = threading.local()


def odds(pairs: Sequence[tuple[Pixels, Pixels]], limit: float) -> NDArray[np.float32]:
    """The log odds that each seen card shows the same print as the design laid over it, lit and
    bent as it is.

    All pictures are without margin. Each pair is asked of as it is and turned, and, if that does
    not say clearly on which side of `limit` it is, mirrored both ways, and the mean taken: what
    chance has taught the network is not the same in all four. What lies on the card speaks against
    the same print.
    """
    straight, mirrored = WAYS
    says = _of_all(pairs, straight)
    near = np.flatnonzero(np.abs(says - limit) < CERTAIN)
    says[near] = (says[near] + _of_all([pairs[int(i)] for i in near], mirrored)) / 2
    return says


def _of_all(pairs: Sequence[tuple[Pixels, Pixels]], ways: Sequence[tuple[int, int]]) -> NDArray[np.float32]:
    says = [_of_batch(pairs[first : first + AT_ONCE], ways) for first in range(0, len(pairs), AT_ONCE)]
    return np.concatenate([np.zeros(0, dtype=np.float32), *says])


def _of_batch(pairs: Sequence[tuple[Pixels, Pixels]], ways: Sequence[tuple[int, int]]) -> NDArray[np.float32]:
    channels = [[channel for one in pair for channel in cv2.split(_of_size(one))] for pair in pairs]
    # what is no number is taken for black: a flat patch is exposed by a division
    both = np.nan_to_num(np.clip(np.array(channels), 0, 1), copy=False)
    network = _network()
    network.setInput(np.concatenate([both[:, :, ::down, ::along] for down, along in ways]))
    says = np.asarray(network.forward(), dtype=np.float32).reshape(len(ways), len(pairs))
    return np.asarray(says.mean(axis=0), dtype=np.float32)


def _of_size(pixels: Pixels) -> Pixels:
    if pixels.shape[:2] == (HEIGHT, WIDTH):
        return pixels
    return np.asarray(cv2.resize(pixels, (WIDTH, HEIGHT)), dtype=np.float32)


def _network() -> cv2.dnn.Net:
    """The network; each thread has its own, because a net remembers its input."""
    if not hasattr(_OF_THREAD, "network"):
        _OF_THREAD.network = cv2.dnn.readNetFromONNX(str(MODEL))
    network: cv2.dnn.Net = _OF_THREAD.network
    return network
