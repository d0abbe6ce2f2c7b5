"""Whether a seen card and a design laid over it show the same print: the one question that does not ask for the second best.

A small network answers it, which never saw a photograph: it was taught by cards that `tools/verifier` draws at random, each
beside a twin that differs by a pip, a suit, a hatch, a hue or a part of its picture, worn by made-up presses, lamps and
cameras. OpenCV runs it; `tools/verifier/README.md` says how it is made anew.
"""

import threading
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.patch import WIDTH, Pixels

MODEL = Path(__file__).with_name("verifier.onnx")

HEIGHT = 224
"""Pixels to which the height of every card is brought; cards were drawn 7 to 5 for learning."""

_OF_THREAD = threading.local()


def odds(seen: Pixels, laid: Sequence[Pixels]) -> NDArray[np.float32]:
    """The log odds that a seen card shows the same print as each of the designs laid over it, lit and bent as it is.

    All pictures are without margin and of one size. Each pair is asked of as it is and mirrored both
    ways, and the mean taken: what chance has taught the network is not the same in all four. What
    lies on the card speaks against the same print.
    """
    size = (WIDTH, HEIGHT)
    pairs = np.empty((len(laid), HEIGHT, WIDTH, 6), dtype=np.float32)
    pairs[..., :3] = _of_size(seen, size)
    for i, one in enumerate(laid):
        pairs[i, ..., 3:] = _of_size(one, size)
    # what is no number is taken for black: a flat patch is exposed by a division
    pairs = np.nan_to_num(np.clip(pairs, 0, 1), copy=False)
    mirrored = [pairs, pairs[:, ::-1], pairs[:, :, ::-1], pairs[:, ::-1, ::-1]]
    network = _network()
    network.setInput(np.ascontiguousarray(np.concatenate(mirrored).transpose(0, 3, 1, 2)))
    says = np.asarray(network.forward(), dtype=np.float32).reshape(len(mirrored), len(laid))
    return np.asarray(says.mean(axis=0), dtype=np.float32)


def _of_size(pixels: Pixels, size: tuple[int, int]) -> Pixels:
    return pixels if pixels.shape[1::-1] == size else np.asarray(cv2.resize(pixels, size), dtype=np.float32)


def _network() -> cv2.dnn.Net:
    """The network; each thread has its own, because a net remembers its input."""
    if not hasattr(_OF_THREAD, "network"):
        _OF_THREAD.network = cv2.dnn.readNetFromONNX(str(MODEL))
    network: cv2.dnn.Net = _OF_THREAD.network
    return network
