"""Train the network that names a card of any pack of 52, on which others lie, by one index.

    python -m tools.packs.train_index vision/naming/index52.onnx --minutes 50

Corners of the same drawn packs as in `train.py`, but as they are cut out of a fan or a column: the
outline of a partly hidden card is drawn on few edges, and other cards lie close to the index, known
or not. Runs with PyTorch and ONNX; `README.md` beside this file explains how.
"""

import argparse
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from tools.packs.photographs import HELD, make_photographs
from tools.packs.train import (
    compute_loss,
    format_accuracy,
    iterate_steps,
    parse_options,
    relight_patches,
    soften_patches,
    write_onnx,
)
from tools.verifier.pairs import HEIGHT
from vision.fitting.patch import MARGIN, WIDTH
from vision.naming.pack52 import CORNER, INDEX

BEYOND = 14
"""Pixels that are kept beyond the corner, to the right and below, so that it can be moved."""

ROWS, COLUMNS = (MARGIN + one + BEYOND for one in CORNER)

CARDS, OTHERS = 10, 4
"""Cards of each drawn pack, and of others beside it."""

SMALLER = 0.98
"""How large outlines of partly hidden cards mostly are: they follow the inner side of a rim."""

ZOOM, SHIFT, TURN, SHEAR = 0.026, (1.8, 2.5), 0.012, 0.01
"""How far such outlines are off (standard deviations): in size, pixels right and down, radians, and
a shear; measured in simulated fans, rows and columns. `TAIL` spreads them: some are far off."""
TAIL = 0.5

AVERAGED = 0.004
"""Share of each step in the weights that are kept, an average over the last steps."""


class Corners(NamedTuple):
    """Upper left corners (n x `ROWS` x `COLUMNS` x 3, with the margin), the rank and suit of each,
    and other parts of cards, as large, where no index is."""

    patches: NDArray[np.uint8]
    names: NDArray[np.int64]
    elsewhere: NDArray[np.uint8]


class IndexNetwork(nn.Module):
    """A network from a corner (N x 3 x 88 x 48, blue, green, red, 0 to 1) to 18 numbers, as
    `PackNetwork` gives them."""

    def __init__(self) -> None:
        super().__init__()
        sizes = (3, 16, 2), (16, 32, 1), (32, 48, 2), (48, 64, 1), (64, 96, 2)
        self.convolutions = nn.ModuleList(nn.Conv2d(a, b, 3, step, 1) for a, b, step in sizes)
        self.point = nn.Conv2d(96, 24, 1)
        self.seen = nn.Linear(24 * 6 * 11, 128)
        self.out = nn.Linear(128, 18)

    def forward(self, x: Tensor) -> Tensor:
        """Compute the numbers of each corner: N x 18."""
        x = x - 0.5
        for one in (*self.convolutions, self.point):
            x = functional.relu(one(x))
        return self.out(functional.relu(self.seen(x.flatten(1))))


def draw_corners(seed: int) -> Corners:
    """Draw and photograph cards of one pack, and cut out both corners of each that have an
    index."""
    shown = list(make_photographs(seed, CARDS, OTHERS))
    rng = np.random.default_rng(seed)
    patches = [one.patch[::way, ::way][:ROWS, :COLUMNS] for one in shown for way in (1, -1)]
    names = [(one.rank, one.suit) for one in shown for _ in range(2)]
    rows, columns = (MARGIN + one for one in CORNER)
    down = int(rng.integers(rows // 2, HEIGHT - 3 * rows // 2))
    along = int(rng.integers(columns, WIDTH + 2 * MARGIN - COLUMNS))
    elsewhere = [one.patch[down : down + ROWS, along : along + COLUMNS] for one in shown[::6]]
    return Corners(np.stack(patches), np.array(names), np.stack(elsewhere))


class CornerPool:
    """Corners for training; the oldest make room for new ones."""

    def __init__(self, most: int) -> None:
        self._packs: list[Corners] = []
        self._most = most

    @property
    def count(self) -> int:
        """How many corners it has."""
        return sum(len(one.patches) for one in self._packs)

    def add(self, pack: Corners) -> None:
        """Add the corners of a pack."""
        self._packs.append(pack)
        if self.count > self._most:
            del self._packs[0]

    def sample_batch(self, size: int) -> tuple[Tensor, Tensor]:
        """Choose a random batch: corners, 0 to 1, changed anew, and the names."""
        patches, names = [], []
        for at in torch.randint(len(self._packs), (size,)).tolist():
            pack = self._packs[at]
            number = int(torch.randint(len(pack.patches), ()))
            patches.append(pack.patches[number])
            names.append(pack.names[number])
            if torch.rand(()) < 1 / 12:
                patches.append(pack.elsewhere[number % len(pack.elsewhere)])
                names.append(np.array([-1, -1]))
        found = torch.from_numpy(np.stack(patches)).permute(0, 3, 1, 2).float() / 255
        return change_corners(found, torch.from_numpy(np.stack(names)))


def change_corners(patches: Tensor, names: Tensor) -> tuple[Tensor, Tensor]:
    """Show corners as they are cut out of cards that others lie on: beside other cards, moved,
    turned and scaled, softer, in another light, and partly painted over; return them (n x 3 x 88 x
    48) and their names, which those have lost whose index is cut off."""
    patches, cut = lay_cards_over(lay_cards_beside(patches))
    moved = paint_over(soften_patches(displace_corners(patches)))
    return relight_patches(moved).clamp(0, 1), torch.where(cut[:, None], -1, names)


def lay_cards_beside(patches: Tensor) -> Tensor:
    """Lay other cards outside every second card: above it, or to the left."""
    rows, columns = _pixel_numbers()
    gap, chance = 4 * _uniform(patches), _uniform(patches)
    outside = ((rows < MARGIN - gap) & (chance < 0.35)) | (
        (columns < MARGIN - gap) & (chance > 0.25) & (chance < 0.5)
    )
    return torch.where(outside, _relight_others(patches).flip((2, 3)), patches)


def lay_cards_over(patches: Tensor) -> tuple[Tensor, Tensor]:
    """Lay other cards over most cards, below the index or to the right of it, and now and then
    through it: return which of them lost it."""
    n, (rows, columns) = len(patches), _pixel_numbers()
    others, chance, slope = _relight_others(patches), _uniform(patches), 0.06 * torch.randn(n, 1, 1, 1)
    through = [_uniform(patches) < 0.12 for _ in range(2)]
    down = torch.where(through[0], 8 + 32 * _uniform(patches), INDEX[0] - 3 + 34 * _uniform(patches))
    along = torch.where(through[1], 3 + 10 * _uniform(patches), INDEX[1] + 26 * _uniform(patches))
    down, along = down.round().long(), along.round().long()
    below, right = chance < 0.42, (chance > 0.42) & (chance < 0.62)
    upper = others.gather(2, (rows - down).clamp(min=0).expand_as(patches))
    left = others.gather(3, (columns - along).clamp(min=0).expand_as(patches))
    covered = below & (rows >= MARGIN + down + slope * (columns - MARGIN))
    patches = torch.where(covered, upper, patches)
    covered = right & (columns >= MARGIN + along + slope * (rows - MARGIN))
    patches = torch.where(covered, left, patches)
    return patches, ((below & through[0]) | (right & through[1])).flatten()


def displace_corners(patches: Tensor) -> Tensor:
    """Cut corners out by outlines that are off: n x 3 x 88 x 48."""
    n = len(patches)
    tail = torch.exp(TAIL * torch.randn(n, 1, 1))
    zoom = [SMALLER * torch.exp(ZOOM * tail * torch.randn(n, 1, 1)) for _ in range(2)]
    shift = [tail * by * torch.randn(n, 1, 1) for by in SHIFT]
    turn, shear = TURN * tail * torch.randn(n, 1, 1), SHEAR * tail * torch.randn(n, 1, 1)
    down, along = torch.meshgrid(*(torch.arange(one).float() for one in CORNER), indexing="ij")
    # about the middle of the card
    middle = (WIDTH - 1) / 2, (HEIGHT - 1) / 2
    along, down = along - middle[0], down - middle[1]
    x = middle[0] + zoom[0] * along - (turn + shear) * down + shift[0] + MARGIN
    y = middle[1] + zoom[1] * down + turn * along + shift[1] + MARGIN
    grid = torch.stack([2 * (x + 0.5) / COLUMNS - 1, 2 * (y + 0.5) / ROWS - 1], -1)
    return functional.grid_sample(patches, grid, padding_mode="border", align_corners=False)


def paint_over(patches: Tensor) -> Tensor:
    """Paint what hides a corner beside the index over with its paper, as `pack52` does."""
    n = len(patches)
    rows = torch.arange(CORNER[0])[:, None]
    columns = torch.arange(CORNER[1])[None]
    along, down = INDEX[1] + 30 * _uniform(patches), INDEX[0] + 36 * _uniform(patches)
    slope, chance = 0.1 * torch.randn(n, 1, 1, 1), _uniform(patches)
    hidden = (columns > along + slope * (rows - 30)) & (chance < 0.45)
    hidden |= (rows > down + slope * (columns - 20)) & (chance > 0.25) & (chance < 0.7)
    hidden &= (rows >= INDEX[0]) | (columns >= INDEX[1])
    shown = patches.masked_fill(hidden, math.nan).flatten(2)
    return torch.where(hidden, shown.nanmedian(2).values[:, :, None, None], patches)


def _pixel_numbers() -> tuple[Tensor, Tensor]:
    return torch.arange(ROWS)[:, None], torch.arange(COLUMNS)[None]


def _uniform(patches: Tensor) -> Tensor:
    return torch.rand(len(patches), 1, 1, 1)


def _relight_others(patches: Tensor) -> Tensor:
    """Return other cards of a batch, in nearly the same light."""
    light = torch.exp(0.1 * torch.randn(len(patches), 1, 1, 1))
    return patches[torch.randperm(len(patches))] * light


def train_model(model: IndexNetwork, options: argparse.Namespace) -> dict[str, Tensor]:
    """Train on packs from seed `options.seed` on; return the averaged weights."""
    optimiser = torch.optim.AdamW(model.parameters(), weight_decay=1e-2)
    average = {name: one.clone() for name, one in model.state_dict().items()}
    pool = CornerPool(options.pool)
    for done, elapsed in iterate_steps(optimiser, draw_corners, pool, options):
        patches, names = pool.sample_batch(options.batch)
        with torch.autocast("cpu", torch.bfloat16):
            outputs = model(patches)
        loss = compute_loss(outputs.float(), names)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        optimiser.step()
        for name, one in model.state_dict().items():
            average[name].lerp_(one, AVERAGED)
        if done % 100 == 0:
            print(f"{done} steps, {pool.count} corners, {elapsed:.0f} s, loss {loss.item():.3f}", flush=True)
    return average


def evaluate_model(model: IndexNetwork, held: Sequence[Corners]) -> str:
    """Evaluate the network on packs that were not used for training, changed as in training."""
    torch.manual_seed(1)
    patches = (
        torch.from_numpy(np.concatenate([one.patches for one in held])).permute(0, 3, 1, 2).float() / 255
    )
    names = torch.from_numpy(np.concatenate([one.names for one in held]))
    with torch.no_grad():
        changed, left = change_corners(patches, names)
        return format_accuracy(model(changed), left)


def main() -> None:
    """Train and write the network."""
    options = parse_options(
        "Teach the network that names a card by its index.",
        minutes=50,
        workers=1,
        rate=6e-4,
        batch=96,
        pool=100_000,
    )
    model = IndexNetwork()
    if options.onward:
        model.load_state_dict(torch.load(options.onward))
    model.load_state_dict(train_model(model.to(memory_format=torch.channels_last), options))
    torch.save(model.state_dict(), options.out.with_suffix(".pt"))
    write_onnx(model.eval(), CORNER, options.out)
    print(evaluate_model(model, [draw_corners(seed) for seed in range(HELD, HELD + 24)]))


if __name__ == "__main__":
    main()
