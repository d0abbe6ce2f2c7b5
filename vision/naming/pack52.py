"""Identify a card of an ordinary pack of 52 by any printer, without a reference view.

A small network that never saw a photograph rates rank and suit, and another one rates them by the
index of a card on which others lie; they were trained on packs that `tools/packs` draws at random.
Single cards that remain open are settled by the whole pack: each name is given once, so that the
names together explain all cards best (`assign_names`, by the Hungarian method in
`solve_assignment`).
"""

import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.fitting.patch import WIDTH, Pixels, crop_margin, cut_patch, height_for_aspect
from vision.geometry import Quad, start_on_short_side
from vision.naming.pips import count_pips
from vision.outlines.covers import mark_hidden
from vision.steps import NETWORK, Steps, run_to_end

MODEL, INDEX_MODEL = (Path(__file__).with_name(name) for name in ("pack52.onnx", "index52.onnx"))
"""The networks: of whole cards, and of their corners."""

RANKS, SUITS = ("A", *map(str, range(2, 11)), "J", "Q", "K"), "HDSC"
NAMES = tuple(rank + suit for suit in SUITS for rank in RANKS)
"""Names `AH`, `2H` to `KH`, then diamonds, spades, clubs: the columns of `name_log_likelihoods`."""

HEIGHT = height_for_aspect(1.4)
"""Pixels to which the height of every card is scaled: that of poker size."""

NO_NAME = len(NAMES)
"""Column of `name_log_likelihoods` for something that does not belong to a pack of 52."""

SURE = 5.0
"""How far the log likelihood of a name must be above that of every other name for it to be sure
without a reference: by the whole card in each of three views, by an index alone in their mean."""

OF_PACK = 2.0
"""How far it must be above that of no card of a pack, likewise: names that are wrong lead this by
as much as right ones do, so that more would only cost right ones. With both limits less than one
sure name in a thousand is wrong: `tools/packs/README.md` has the numbers."""

OF_PACK_PARTIAL = 1.0
"""The same for a card that others lie on, because what is as large as cards of a pack and lies
under them is hardly ever anything else; what is to be refused is an outline round something
else."""

INDEX, CORNER = (60, 27), (88, 48)
"""Rows and columns of a card from the upper left on: what must show for the index to be read, and
what the network of corners looks at."""

VIEWS = 1.0, 0.97, 1.03
"""Factors by which a card is enlarged about its middle, in each view of it."""

COVER_RIM = 4
"""Pixels beside a cover that are painted over with it: they show its edge and shadow."""

COUNTED = 6.0
"""How much less likely every other rank is once the pips of a card were counted: of 183 counted
cards of five packs drawn by others, photographed by simulated cameras, none was wrong; of 205
number cards 22 were not counted, and no ace or court card was."""

ALIKE = 4.0
"""How much less likely two names exchanged may be for a person to be asked about them."""

_OF_THREAD = threading.local()

Logs = NDArray[np.float64]
"""Natural logarithms of likelihoods: cards x (names, and none of them)."""


def name_log_likelihoods(image: NDArray[np.uint8], quads: Sequence[Quad]) -> Logs:
    """Rate each of 52 names, and none of them, for each card of a picture (BGR; outlines in
    pixels): natural logarithms of likelihoods, n x 53. In one view the likelihoods of a card sum to
    1.

    A card is rated both ways up in three views, and the results are averaged.
    """
    return np.array([quad_log_likelihoods(image, quad).mean(axis=0) for quad in quads]).reshape(
        -1, NO_NAME + 1
    )


def patch_log_likelihoods(patch: Pixels) -> Logs:
    """Rate one card, upright without margin, in each of three views: 3 x 53."""
    return run_to_end(patch_log_likelihoods_in_steps(patch))


def patch_log_likelihoods_in_steps(patch: Pixels) -> Steps[Logs]:
    """Rate one card, upright without margin, 0 to 1, `HEIGHT` x `WIDTH`, in each of three views
    (`VIEWS`), because no outline is exact: 3 x 53. In small steps."""
    logs = []
    for view in _scale_views(patch, VIEWS):
        yield NETWORK
        # both ways up in one pass: an outline does not show which end of a card is its top
        both = _run_network(MODEL, [view, view[::-1, ::-1]])
        logs.append(_to_logs(both.mean(axis=0)))
    yield
    return _weigh_pips(np.array(logs), count_pips(patch))


def _weigh_pips(logs: Logs, count: int | None) -> Logs:
    """Make all ranks but the counted one less likely, and from four pips on that the card is of no
    pack: in other games two or three symbols stand like pips, but more of them do not."""
    if count is None:
        return logs
    others = [i for i, name in enumerate(NAMES) if name[:-1] != str(count)]
    if count > 3:
        others.append(NO_NAME)
    weighed = logs.copy()
    weighed[:, others] -= COUNTED
    return np.asarray(weighed - np.logaddexp.reduce(weighed, axis=1, keepdims=True))


def quad_log_likelihoods(image: NDArray[np.uint8], quad: Quad) -> Logs:
    """Rate a card in a picture in each of three views: BGR, its outline in pixels."""
    return run_to_end(quad_log_likelihoods_in_steps(image, quad))


def quad_log_likelihoods_in_steps(image: NDArray[np.uint8], quad: Quad) -> Steps[Logs]:
    """Do the work of `quad_log_likelihoods` in small steps."""
    patch = cut_patch(image, start_on_short_side(quad), HEIGHT)
    return (yield from patch_log_likelihoods_in_steps(crop_margin(patch.pixels)))


def index_log_likelihoods_in_steps(
    image: NDArray[np.uint8], quad: Quad, covers: Sequence[Quad]
) -> Steps[Logs | None]:
    """Rate a partly hidden card in a picture by its indices alone, those outside the `covers`: 53
    numbers, or None if both are hidden. In small steps.

    The network has learnt that such outlines are off: its views (`VIEWS`) need not agree, only
    their mean counts.
    """
    outline = start_on_short_side(quad)
    card = np.nan_to_num(crop_margin(cut_patch(image, outline, HEIGHT).pixels))
    hidden = mark_hidden(outline, covers, (HEIGHT, WIDTH)) > 0
    corners = [_blank_hidden_corner(card[::way, ::way], hidden[::way, ::way]) for way in (1, -1)]
    found = []
    for corner in (corner for corner in corners if corner is not None):
        logs = []
        for view in _scale_views(corner, VIEWS):
            yield NETWORK
            logs.append(_to_logs(_run_network(INDEX_MODEL, [view[: CORNER[0], : CORNER[1]]])[0]))
        found.append(_log_softmax(np.mean(logs, axis=0)))
    if not found:
        return None
    ends = np.array(found)
    # where no index is seen, something may lie that is not known yet
    seen = ends.argmax(axis=1) != NO_NAME
    return np.asarray(ends[seen if seen.any() else slice(None)].mean(axis=0))


def _blank_hidden_corner(card: Pixels, hidden: NDArray[np.bool_]) -> Pixels | None:
    """Return a card with all that hides its upper left corner painted over by its paper; None if
    its index is hidden."""
    if hidden[: INDEX[0], : INDEX[1]].any():
        return None
    wide = np.ones((2 * COVER_RIM + 1, 2 * COVER_RIM + 1), np.uint8)
    hidden = cv2.dilate(hidden.astype(np.uint8), wide) > 0
    hidden[: INDEX[0], : INDEX[1]] = False
    shown = ~hidden[: CORNER[0], : CORNER[1]]
    paper = np.median(card[: CORNER[0], : CORNER[1]][shown], axis=0)
    return np.where(hidden[..., None], paper, card).astype(np.float32)


def _scale_views(patch: Pixels, factors: Sequence[float]) -> list[Pixels]:
    """Return a card enlarged by each factor about its middle."""
    height, width = patch.shape[:2]
    middle = ((width - 1) / 2, (height - 1) / 2)
    border = cv2.BORDER_REPLICATE
    return [
        np.asarray(
            cv2.warpAffine(patch, cv2.getRotationMatrix2D(middle, 0, by), (width, height), borderMode=border),
            np.float32,
        )
        for by in factors
    ]


def _run_network(model: Path, patches: Sequence[Pixels]) -> Logs:
    """Evaluate a network on cards or corners: n x 18 numbers, 13 of the rank, 4 of the suit, and
    the log odds that the card is of a pack of 52 at all."""
    cards = np.clip(np.nan_to_num(np.stack(patches)), 0, 1).transpose(0, 3, 1, 2)
    network = _load_network(model)
    network.setInput(np.ascontiguousarray(cards, np.float32))
    return np.asarray(network.forward(), np.float64)


def _to_logs(output: Logs) -> Logs:
    """Return the logarithms of 53 likelihoods, from the network's 18 numbers."""
    ranks, suits, of_pack = _log_softmax(output[:13]), _log_softmax(output[13:17]), output[17:]
    own, none = -np.logaddexp(0, -of_pack), -np.logaddexp(0, of_pack)
    names = (suits[:, None] + ranks[None, :]).ravel()
    return np.hstack([names + own, none])


def _log_softmax(logits: Logs) -> Logs:
    return np.asarray(logits - np.logaddexp.reduce(logits))


class Guess(NamedTuple):
    """The most likely identity of a card: a name, or None for no card of a pack; whether that is
    sure; and all names, likeliest first."""

    name: str | None
    sure: bool
    likely: tuple[str, ...]


def guess_name(logs: Logs, taken_names: Collection[str] = (), of_pack: float = OF_PACK) -> Guess:
    """Identify one card alone, from views x 53, or 53 numbers as `name_log_likelihoods` gives them.

    `taken_names`: names that other cards have and this one hardly can. None of them is ever sure;
    as rivals they need not be further behind than `ALIKE`, and must lead by as much to be listed
    first.
    """
    views = np.atleast_2d(logs)
    taken = np.array([name in taken_names for name in NAMES])
    together = views.mean(axis=0)
    best = int(together.argmax())
    behind = np.delete(views[:, [best]] - views, best, axis=1)
    enough = np.append(np.where(taken, ALIKE, SURE), of_pack)
    sure = best != NO_NAME and not taken[best] and (behind >= np.delete(enough, best)).all()
    likely = np.argsort(ALIKE * taken - together[:NO_NAME])
    return Guess(NAMES[best] if best != NO_NAME else None, bool(sure), tuple(NAMES[i] for i in likely))


def assign_names(logs: Logs, copies: Mapping[str, int] | None = None) -> list[str | None]:
    """Find the most likely names of all cards of a pack together, each given at most as often as
    `copies` says (None: once each); None for something that is not a card of the pack, or for which
    no name is left."""
    if not len(logs):
        return []
    # a column for each copy of a name
    name_slots = np.repeat(
        np.arange(NO_NAME), [1 if copies is None else copies.get(name, 0) for name in NAMES]
    )
    # as many columns for "none" as there are cards: it may be given to any number of them
    none = np.repeat(logs[:, NO_NAME:], len(logs), axis=1)
    chosen = solve_assignment(-np.hstack([logs[:, name_slots], none]))
    return [NAMES[name_slots[at]] if at < len(name_slots) else None for at in chosen]


def solve_assignment(costs: Logs) -> list[int]:
    """Assign a column to each row, none twice, so that the total of the costs is least (rows x
    columns, no fewer columns than rows).

    Rows are placed one by one, each along the cheapest path over rows placed before, whose columns
    are exchanged along it. Prices of rows (`u`) and columns (`v`) keep `costs - u - v` from being
    negative, and at 0 where a row is placed: that makes the whole assignment the best one (H. W.
    Kuhn, "The Hungarian method for the assignment problem", 1955; the search is E. W. Dijkstra's).
    """
    rows, columns = costs.shape
    u, v = np.zeros(rows), np.zeros(columns)
    owner = np.full(columns, -1)
    for row in range(rows):
        far, before = np.full(columns, np.inf), np.full(columns, -1)
        done = np.zeros(columns, bool)
        at, column, so_far = row, -1, 0.0
        # Dijkstra: take the nearest column, until one is found that no row owns
        while at >= 0:
            over = so_far + costs[at] - u[at] - v
            nearer = ~done & (over < far)
            far[nearer], before[nearer] = over[nearer], column
            column = int(np.where(done, np.inf, far).argmin())
            so_far = float(far[column])
            done[column] = True
            at = int(owner[column])
        # new prices keep the reduced costs from being negative
        passed = done & (owner >= 0)
        u[row] += so_far
        u[owner[passed]] += so_far - far[passed]
        v[done] -= so_far - far[done]
        # exchange the columns along the path that was found
        while column >= 0:
            previous = int(before[column])
            owner[column] = owner[previous] if previous >= 0 else row
            column = previous
    places = {int(one): column for column, one in enumerate(owner) if one >= 0}
    return [places[row] for row in range(rows)]


def find_ambiguous_pairs(logs: Logs, names: Sequence[str | None]) -> Iterator[tuple[int, int]]:
    """Yield pairs of cards whose names are hardly less likely when exchanged (by less than `ALIKE`,
    a difference of logarithms), most alike first; no card is in two pairs."""
    columns = [NO_NAME if name is None else NAMES.index(name) for name in names]
    found = []
    for i, one in enumerate(columns):
        for j, other in enumerate(columns[:i]):
            if one != other:
                loss = logs[i, one] + logs[j, other] - logs[i, other] - logs[j, one]
                if loss < ALIKE:
                    found.append((float(loss), j, i))
    paired: set[int] = set()
    for _, j, i in sorted(found):
        if not paired & {i, j}:
            paired |= {i, j}
            yield j, i


def _load_network(model: Path) -> cv2.dnn.Net:
    """Return a network of this thread; each thread has its own, because a net remembers its
    input."""
    if not hasattr(_OF_THREAD, model.stem):
        setattr(_OF_THREAD, model.stem, cv2.dnn.readNetFromONNX(str(model)))
    network: cv2.dnn.Net = getattr(_OF_THREAD, model.stem)
    return network
