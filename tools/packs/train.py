"""Train the network that identifies the cards of any pack of 52, on packs that are drawn during
training.

    python -m tools.packs.train vision/naming/pack52.onnx --minutes 45

Runs with PyTorch, ONNX and Pillow, which the project itself never needs, on a graphics processor if
there is one. `README.md` beside this file explains how.
"""

import argparse
import copy
import math
import multiprocessing
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from multiprocessing.queues import Queue
from pathlib import Path
from typing import Protocol, TypeVar

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from tools.packs.photographs import HELD, make_photographs
from tools.verifier.pairs import HEIGHT
from tools.verifier.train import RISING, Block
from vision.fitting.patch import WIDTH
from vision.naming.pack52 import CORNER

RATE = 3e-3
"""Greatest learning rate."""

COARSEST = 3.0
"""How many times smaller the picture of a card may be made before it is enlarged again."""

WEIGHTS = 1.0, 0.3, 0.7, 0.3
"""Weights of the losses that `compute_losses` gives."""

ELSEWHERE = 8
"""One card in so many also shows what is not in its corner."""

T = TypeVar("T")
T_contra = TypeVar("T_contra", contravariant=True)

Pack = tuple[NDArray[np.uint8], NDArray[np.int64]]
"""Photographs of the cards of one pack, and of others: patches (n x 224 x 160 x 3), and rank and
suit of each, -1 if it is of no pack of 52."""


class PackNetwork(nn.Module):
    """A network from a patch (N x 3 x 224 x 160, blue, green, red, 0 to 1) to 18 numbers: 13 of the
    rank and 4 of the suit (logits), and the log odds that the card is of a pack of 52 at all.

    One part looks at the whole card in half size, the other at the index in its upper left corner.
    """

    def __init__(self) -> None:
        super().__init__()
        self.whole = nn.Sequential(
            Block(3, 16, 2),
            Block(16, 32, 2),
            Block(32, 48, 1),
            Block(48, 64, 2),
            Block(64, 96, 1),
            _pointwise_layers(96, 16),
        )
        self.index = nn.Sequential(
            Block(3, 16, 2),
            Block(16, 32, 1),
            Block(32, 48, 2),
            Block(48, 64, 1),
            Block(64, 96, 2),
            _pointwise_layers(96, 24),
        )
        sizes = 16 * 10 * 14, 24 * 6 * 11
        self.seen = nn.ModuleList([nn.Sequential(nn.Linear(size, 128), nn.ReLU()) for size in sizes])
        self.alone = nn.ModuleList([nn.Linear(128, 18) for _ in sizes])
        self.both = nn.Sequential(nn.Linear(256, 128), nn.ReLU(), nn.Linear(128, 18))

    def forward(self, x: Tensor) -> Tensor:
        """Compute the numbers of each card: N x 18."""
        return self.both(torch.cat([self._see_whole(x), self._see_corner(cut_corner(x))], 1))

    def training_outputs(self, x: Tensor, elsewhere: Tensor) -> tuple[list[Tensor], Tensor]:
        """Compute the output for training: of both parts together, with one of them missing now and
        then, and of each alone; then of what is not in a corner (`elsewhere`)."""
        index, other = self._see_corner(torch.cat([cut_corner(x), elsewhere])).split([len(x), len(elsewhere)])
        parts = self._see_whole(x), index
        # one part missing in an eighth of the cases: neither may rely on the other
        kept = (torch.rand(len(x), 2, device=x.device) > 0.12).float()
        both = self.both(torch.cat([one * kept[:, i : i + 1] for i, one in enumerate(parts)], 1))
        alone = [head(one) for head, one in zip(self.alone, parts, strict=True)]
        return [both, *alone], self.alone[1](other)

    def _see_whole(self, x: Tensor) -> Tensor:
        return self.seen[0](self.whole(functional.avg_pool2d(x, 2) - 0.5).flatten(1))

    def _see_corner(self, corner: Tensor) -> Tensor:
        return self.seen[1](self.index(corner - 0.5).flatten(1))


def cut_corner(patches: Tensor) -> Tensor:
    """Cut out the upper left corner of cards."""
    return patches[:, :, : CORNER[0], : CORNER[1]]


def _pointwise_layers(a: int, b: int) -> nn.Module:
    return nn.Sequential(nn.Conv2d(a, b, 1), nn.ReLU())


class Pool(Protocol[T_contra]):
    """What a training takes its batches from."""

    @property
    def count(self) -> int:
        """How many pictures it has."""

    def add(self, pack: T_contra) -> None:
        """Add what was drawn of a pack."""


class PhotographPool:
    """Photographs for training, where the network is; `iterate_steps` fills it from other
    processes."""

    def __init__(self, device: torch.device, most: int) -> None:
        self.patches = torch.zeros((most, 3, HEIGHT, WIDTH), dtype=torch.uint8, device=device)
        self.names = torch.zeros((most, 2), dtype=torch.int64, device=device)
        self.count = 0

    def add(self, pack: Pack) -> None:
        """Add the photographs of a pack."""
        patches, names = (torch.from_numpy(one).to(self.names.device) for one in pack)
        places = (torch.arange(len(names), device=names.device) + self.count) % len(self.names)
        self.patches[places], self.names[places] = patches.permute(0, 3, 1, 2), names
        self.count += len(names)

    def sample_batch(self, size: int) -> tuple[Tensor, Tensor]:
        """Choose a random batch: patches, 0 to 1, each changed anew, and the names."""
        # the pool may not be full yet
        chosen = torch.randint(min(self.count, len(self.names)), (size,), device=self.names.device)
        return change_patches(self.patches[chosen].float() / 255), self.names[chosen]


def change_patches(patches: Tensor) -> Tensor:
    """Show cards either way up, moved, turned and scaled a little, softer, in another light, with
    noise."""
    n, device = len(patches), patches.device

    def normal(*shape: int) -> Tensor:
        return torch.randn((n, *shape), device=device)

    way = torch.where(torch.rand(n, device=device) < 0.5, -1.0, 1.0)
    grid_matrix = torch.zeros((n, 2, 3), device=device)
    angle, zoom = 0.008 * normal(1), torch.exp(0.018 * normal(2))
    grid_matrix[:, 0, 0] = way * zoom[:, 0]
    grid_matrix[:, 1, 1] = way * zoom[:, 1]
    grid_matrix[:, 0, 1] = -angle[:, 0] * HEIGHT / WIDTH
    grid_matrix[:, 1, 0] = angle[:, 0] * WIDTH / HEIGHT
    grid_matrix[:, :, 2] = 0.02 * normal(2)
    grid = functional.affine_grid(grid_matrix, list(patches.shape), align_corners=False)
    moved = functional.grid_sample(patches, grid, padding_mode="border", align_corners=False)
    return relight_patches(soften_patches(moved))


def soften_patches(patches: Tensor) -> Tensor:
    """Make half of the cards softer, in a third of the batches."""
    # one factor for the batch: in a batch all pictures have one size
    if torch.rand(()) >= 0.35:
        return patches
    factor = float(1 + (COARSEST - 1) * torch.rand(()) ** 2)
    small = functional.interpolate(
        patches, scale_factor=1 / factor, mode="bilinear", antialias=True, recompute_scale_factor=False
    )
    soft = functional.interpolate(small, patches.shape[2:], mode="bilinear")
    return torch.where(torch.rand((len(patches), 1, 1, 1), device=patches.device) < 0.5, soft, patches)


def relight_patches(patches: Tensor) -> Tensor:
    """Show cards in another light, with noise."""
    n, device = len(patches), patches.device

    def normal(*shape: int) -> Tensor:
        return torch.randn((n, *shape), device=device)

    lit = patches.clamp(0, 1) ** torch.exp(0.15 * normal(1, 1, 1))
    lit = lit * torch.exp(0.1 * normal(1, 1, 1) + 0.1 * normal(3, 1, 1))
    grey = lit.mean(1, keepdim=True)
    lit = grey + torch.exp(0.2 * normal(1, 1, 1)) * (lit - grey)
    strength = 0.02 * torch.rand((n, 1, 1, 1), device=device)
    return (lit + strength * torch.randn_like(lit)).contiguous(memory_format=torch.channels_last)


def cut_other_corners(patches: Tensor) -> Tensor:
    """Cut out of cards what is not in their corner, as large as one: there is no index in it."""
    rows, columns = CORNER
    down = int(torch.randint(rows // 2, HEIGHT - 3 * rows // 2, ()))
    along = int(torch.randint(columns, WIDTH - 2 * columns, ()))
    return patches[:, :, down : down + rows, along : along + columns]


def compute_loss(outputs: Tensor, names: Tensor) -> Tensor:
    """Compute the loss: of rank and suit if the card has them, and of whether it has."""
    own = (names[:, 0] >= 0).float()
    total = own.sum().clamp(min=1)
    of_pack = functional.binary_cross_entropy_with_logits(outputs[:, 17], own)
    rank = functional.cross_entropy(outputs[:, :13], names[:, 0].clamp(min=0), reduction="none")
    suit = functional.cross_entropy(outputs[:, 13:17], names[:, 1].clamp(min=0), reduction="none")
    return ((rank + suit) * own).sum() / total + of_pack


def compute_losses(model: PackNetwork, patches: Tensor, names: Tensor, elsewhere: Tensor) -> Tensor:
    """Compute the four losses: of both parts together, of the whole card and of its corner alone,
    and of what is not in a corner."""
    outputs, other = model.training_outputs(patches, elsewhere)
    none = torch.full((len(other), 2), -1, device=other.device)
    return torch.stack([*(compute_loss(one, names) for one in outputs), compute_loss(other, none)])


def train_model(model: PackNetwork, options: argparse.Namespace) -> None:
    """Train on packs from seed `options.seed` on; the network is saved now and then."""
    device = next(model.parameters()).device
    optimiser = torch.optim.AdamW(model.parameters(), weight_decay=2e-2)
    # a fixed set that is never used for training
    held = [draw_pack(seed, 6, 2) for seed in range(HELD, HELD + 24)]
    pool, saved = PhotographPool(device, options.pool), 0.0
    for done, elapsed in iterate_steps(optimiser, draw_pack, pool, options):
        patches, names = pool.sample_batch(options.batch)
        elsewhere = cut_other_corners(patches[::ELSEWHERE])
        with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
            losses = compute_losses(model, patches, names, elsewhere)
        optimiser.zero_grad(set_to_none=True)
        (losses * torch.tensor(WEIGHTS, device=device)).sum().backward()
        optimiser.step()
        if done % 100 == 0:
            shown = " ".join(f"{one:.3f}" for one in losses.tolist())
            print(f"{done} steps, {pool.count} cards, {elapsed:.0f} s, losses {shown}", flush=True)
        if elapsed - saved > 120:
            save_model(model, options.out, held)
            saved = elapsed
    save_model(model, options.out, held)


def iterate_steps(
    optimiser: torch.optim.Optimizer, draw: Callable[[int], T], pool: Pool[T], options: argparse.Namespace
) -> Iterator[tuple[int, float]]:
    """Yield the number of each step of a training and the seconds until then, until the time is up,
    with the pool filled and the learning rate set for it."""
    began = time.time()
    with _draw_in_processes(draw, options.seed, options.workers) as packs:
        for number in count(1):
            if (elapsed := time.time() - began) >= 60 * options.minutes:
                return
            while pool.count < 8 * options.batch or not packs.empty():
                pool.add(packs.get())
            # by the clock, because the number of steps is not known beforehand
            falling = 0.5 + 0.5 * math.cos(math.pi * elapsed / (60 * options.minutes))
            for group in optimiser.param_groups:
                group["lr"] = options.rate * min(1.0, number / RISING) * falling
            yield number, elapsed


@contextmanager
def _draw_in_processes(draw: Callable[[int], T], first: int, workers: int) -> Iterator["Queue[T]"]:
    """Draw packs from seed `first` on, in other processes."""
    context = multiprocessing.get_context("fork")
    packs = context.Queue(maxsize=4 * workers)
    drawers = [
        context.Process(target=_draw_on, args=(draw, packs, first + number, workers), daemon=True)
        for number in range(workers)
    ]
    for one in drawers:
        one.start()
    try:
        yield packs
    finally:
        for one in drawers:
            one.terminate()


def _draw_on(draw: Callable[[int], T], packs: "Queue[T]", first: int, step: int) -> None:
    for seed in count(first, step):
        packs.put(draw(seed))


def draw_pack(seed: int, *numbers: int) -> Pack:
    """Draw and photograph a pack as `make_photographs` does."""
    shown = list(make_photographs(seed, *numbers))
    return np.stack([one.card for one in shown]), np.array([(one.rank, one.suit) for one in shown])


def evaluate_model(model: PackNetwork, held: Sequence[Pack]) -> str:
    """Evaluate the network on packs that were not used for training, both ways up together."""
    model.eval()
    device = next(model.parameters()).device
    patches, names = (torch.from_numpy(np.concatenate(one)).to(device) for one in zip(*held, strict=True))
    patches = patches.permute(0, 3, 1, 2).float() / 255
    with torch.no_grad():
        outputs = model(patches) + model(patches.flip((2, 3)))
    model.train()
    return format_accuracy(outputs, names)


def format_accuracy(outputs: Tensor, names: Tensor) -> str:
    """Compare what a network says with the true names."""
    own = names[:, 0] >= 0
    rank, suit = outputs[:, :13].argmax(1) == names[:, 0], outputs[:, 13:17].argmax(1) == names[:, 1]
    kept = ((outputs[:, 17] > 0) == own).float().mean()
    return (
        f"held: named {(rank & suit)[own].float().mean():.3f}, rank {rank[own].float().mean():.3f}, "
        f"suit {suit[own].float().mean():.3f}, of a pack or not {kept:.3f}"
    )


def save_model(model: PackNetwork, out: Path, held: Sequence[Pack]) -> None:
    """Evaluate the network and write it for OpenCV."""
    print(evaluate_model(model, held), flush=True)
    export_model(model, out)


def export_model(model: PackNetwork, out: Path) -> None:
    """Write the network for OpenCV, and its weights beside it."""
    torch.save(model.state_dict(), out.with_suffix(".pt"))
    write_onnx(copy.deepcopy(model).cpu().eval(), (HEIGHT, WIDTH), out)


def write_onnx(model: nn.Module, size: tuple[int, int], out: Path) -> None:
    """Write a network of pictures of this size (rows, columns) for OpenCV."""
    names = {"input_names": ["card"], "output_names": ["name"]}
    free = {"card": {0: "n"}, "name": {0: "n"}}
    sample = (torch.zeros(1, 3, *size),)
    torch.onnx.export(model, sample, str(out), **names, dynamic_axes=free, opset_version=13, dynamo=False)


def parse_options(description: str, **defaults: float) -> argparse.Namespace:
    """Parse the options of a training, and let this process and those that draw use one core
    each."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("out", type=Path)
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--onward", type=Path, help="weights to go on from: a .pt beside a network")
    parser.add_argument("--seed", type=int, default=0, help="of the first pack; those below are learnt")
    parser.add_argument("--workers", type=int, help="that draw")
    parser.add_argument("--rate", type=float, help="greatest learning rate")
    parser.add_argument("--batch", type=int)
    parser.add_argument("--pool", type=int, help="photographs kept at a time")
    parser.set_defaults(**defaults)
    options = parser.parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(1)
    # before processes are forked: threads of OpenCV are not forked with them
    cv2.setNumThreads(1)
    return options


def main() -> None:
    """Train and write the network."""
    options = parse_options(
        "Teach the network that names the cards of any pack of 52.",
        minutes=46,
        workers=max(1, (os.cpu_count() or 2) - 1),
        rate=RATE,
        batch=64,
        pool=6000,
    )
    model = PackNetwork()
    if options.onward:
        model.load_state_dict(torch.load(options.onward, map_location="cpu"))
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    train_model(model.to(device, memory_format=torch.channels_last), options)


if __name__ == "__main__":
    main()
