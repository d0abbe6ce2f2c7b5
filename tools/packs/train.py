"""Train the network that identifies the cards of any pack of 52, on packs that are drawn during
training.

    python -m tools.packs.train vision/naming/pack52.onnx --minutes 45

Runs with PyTorch, ONNX and Pillow, which the project itself never needs. `README.md` beside this
file explains how.
"""

import argparse
import time
from pathlib import Path

import cv2
import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from tools.packs.photographs import HELD, Photograph, make_photographs
from tools.verifier.pairs import HEIGHT
from tools.verifier.train import FALLING, RISING, Block
from vision.fitting.patch import WIDTH

CORNER = 88, 48
"""Rows and columns of the upper left part of a patch in which its index is looked for."""

BATCH = 64
RATE = 2.5e-3

USES, POOL = 10, 6000
"""`USES`: how often a photograph is used for training, either way up; `POOL`: how many are
available at a time."""


class PackNetwork(nn.Module):
    """A network from a patch (N x 3 x 224 x 160, blue, green, red, 0 to 1) to 18 numbers: 13 of the
    rank and 4 of the suit (logits), and the log odds that the card is of a pack of 52 at all.

    One part looks at the whole card in half size, the other at the index in its corner.
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

    def part_features(self, x: Tensor) -> list[Tensor]:
        """Compute the features of each of the two parts: N x 128."""
        small = functional.avg_pool2d(x, 2)
        corner = x[:, :, : CORNER[0], : CORNER[1]]
        maps = (self.whole(small - 0.5), self.index(corner - 0.5))
        return [seen(one.flatten(1)) for seen, one in zip(self.seen, maps, strict=True)]

    def forward(self, x: Tensor) -> Tensor:
        """Compute the 18 numbers of each card: N x 18."""
        return self.both(torch.cat(self.part_features(x), 1))

    def training_outputs(self, x: Tensor) -> list[Tensor]:
        """Compute the output for training: of both parts together, with one of them missing now and
        then, and of each alone."""
        parts = self.part_features(x)
        # one part missing in an eighth of the cases: neither may rely on the other
        dropout_mask = (torch.rand(len(x), 2) > 0.12).float()
        both = self.both(torch.cat([one * dropout_mask[:, i : i + 1] for i, one in enumerate(parts)], 1))
        return [both, *(head(one) for head, one in zip(self.alone, parts, strict=True))]


def _pointwise_layers(a: int, b: int) -> nn.Module:
    return nn.Sequential(nn.Conv2d(a, b, 1), nn.ReLU())


class PhotographPool:
    """Photographs for training; the oldest are replaced by new ones."""

    def __init__(self) -> None:
        self.patches = np.zeros((POOL, HEIGHT, WIDTH, 3), np.uint8)
        self.names = np.zeros((POOL, 2), np.int64)
        self.count = 0

    def add(self, one: Photograph) -> None:
        """Add a photograph."""
        place = self.count % POOL
        self.patches[place], self.names[place] = one.patch, (one.rank, one.suit)
        self.count += 1

    def sample_batch(self, rng: np.random.Generator) -> tuple[Tensor, Tensor]:
        """Choose a random batch, each photograph either way up, moved a little, lighter or
        darker."""
        # the pool may not be full yet
        chosen = rng.integers(min(self.count, POOL), size=BATCH)
        patches = torch.from_numpy(self.patches[chosen]).permute(0, 3, 1, 2).float() / 255
        turned = torch.from_numpy(rng.random(BATCH) < 0.5)
        patches = torch.where(turned[:, None, None, None], patches.flip((2, 3)), patches)
        down, along = (int(by) for by in rng.integers(-3, 4, 2))
        patches = patches.roll((down, along), (2, 3))
        gain = torch.from_numpy(np.exp(rng.normal(0, 0.12, (BATCH, 3, 1, 1)))).float()
        patches = (patches * gain).contiguous(memory_format=torch.channels_last)
        return patches, torch.from_numpy(self.names[chosen])


def compute_loss(outputs: Tensor, names: Tensor) -> Tensor:
    """Compute the loss: of rank and suit if the card has them, and of whether it has."""
    own = names[:, 0] >= 0
    of_pack = functional.binary_cross_entropy_with_logits(outputs[:, 17], own.float())
    rank = functional.cross_entropy(outputs[own, :13], names[own, 0])
    suit = functional.cross_entropy(outputs[own, 13:17], names[own, 1])
    return rank + suit + of_pack


def train_model(model: PackNetwork, minutes: float, out: Path, first: int) -> None:
    """Train for `minutes`, on packs from seed `first` on; the network is saved now and then."""
    rng = np.random.default_rng(0)
    optimiser = torch.optim.AdamW(model.parameters(), lr=RATE, weight_decay=2e-2)
    pool, began, done, seed, mean, written = PhotographPool(), time.time(), 0, first, 0.0, 0.0
    # a fixed set that is never used for training
    held = [one for pack in range(HELD, HELD + 24) for one in make_photographs(pack, 6, 2, 1)]
    while (elapsed := time.time() - began) < 60 * minutes:
        # new photographs replace those that were used `USES` times
        while pool.count < 8 * BATCH or pool.count * USES < done * BATCH:
            for one in make_photographs(seed):
                pool.add(one)
            seed += 1
        # by the clock, because the number of steps is not known beforehand
        rate = min(1.0, (done + 1) / RISING, (1 - elapsed / (60 * minutes)) / FALLING)
        for group in optimiser.param_groups:
            group["lr"] = RATE * rate
        patches, names = pool.sample_batch(rng)
        model.train()
        both, *alone = (compute_loss(one, names) for one in model.training_outputs(patches))
        wrong = both + 0.3 * sum(alone)
        optimiser.zero_grad()
        wrong.backward()
        optimiser.step()
        done += 1
        mean += 0.03 * (float(both.detach()) - mean)
        if done % 100 == 0:
            print(
                f"{done} steps, {seed - first} packs, {time.time() - began:.0f} s, loss {mean:.3f}",
                flush=True,
            )
        if time.time() - written > 300:
            print(evaluate_model(model, held), flush=True)
            export_model(model, out)
            written = time.time()
    print(evaluate_model(model, held))
    export_model(model, out)


def evaluate_model(model: PackNetwork, held_out: list[Photograph]) -> str:
    """Evaluate the network on packs that were not used for training, both ways up together."""
    model.eval()
    patches = torch.from_numpy(np.stack([one.patch for one in held_out])).permute(0, 3, 1, 2).float() / 255
    with torch.no_grad():
        outputs = model(patches) + model(patches.flip((2, 3)))
    names = torch.tensor([(one.rank, one.suit) for one in held_out])
    own = names[:, 0] >= 0
    rank = outputs[:, :13].argmax(1) == names[:, 0]
    suit = outputs[:, 13:17].argmax(1) == names[:, 1]
    right = (rank & suit)[own].float().mean()
    kept = ((outputs[:, 17] > 0) == own).float().mean()
    return f"held: named {right:.3f}, rank {rank[own].float().mean():.3f}, suit {suit[own].float().mean():.3f}, of a pack or not {kept:.3f}"


def export_model(model: PackNetwork, out: Path) -> None:
    """Write the network for OpenCV."""
    model.eval()
    names = {"input_names": ["card"], "output_names": ["name"]}
    free = {"card": {0: "n"}, "name": {0: "n"}}
    sample = (torch.zeros(1, 3, HEIGHT, WIDTH),)
    torch.onnx.export(model, sample, str(out), **names, dynamic_axes=free, opset_version=13, dynamo=False)
    torch.save(model.state_dict(), out.with_suffix(".pt"))


def main() -> None:
    """Train and write the network."""
    parser = argparse.ArgumentParser(description="Teach the network that names the cards of any pack of 52.")
    parser.add_argument("out", type=Path)
    parser.add_argument("--minutes", type=float, default=46)
    parser.add_argument("--onward", type=Path, help="weights to go on from: a .pt beside a network")
    parser.add_argument("--seed", type=int, default=0, help="of the first pack; those below are learnt")
    options = parser.parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    model = PackNetwork()
    if options.onward:
        model.load_state_dict(torch.load(options.onward))
    train_model(model.to(memory_format=torch.channels_last), options.minutes, options.out, options.seed)


if __name__ == "__main__":
    main()
