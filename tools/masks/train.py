"""Teach the masks: a small network that says which places of a picture are card, and which are the
inner part of one.

    python -m tools.masks.train vision/outlines/masks.onnx --steps 8000

Runs with PyTorch and ONNX, which the project itself never needs. `README.md` beside this file says
how.
"""

import argparse
import copy
import time
from pathlib import Path

import cv2
import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from tools.masks.tables import Tables
from tools.verifier.train import Block

BATCH, AGAIN = 8, 2
"""Tables that are learned from at once, and how often each is, mirrored and in other colours."""

RATE, RISING, FALLING = 3e-3, 100, 0.4
"""How fast it learns at most; steps until then; part of all steps over which it falls again."""

KEPT = 0.98
"""What is written is the mean of the weights over the last steps: the part of it kept a step."""


class Masks(nn.Module):
    """Three channels in (0..1, sides of whole 32 pixels), two out at a quarter of the size: log
    odds of card, and of the inner part of one."""

    def __init__(self) -> None:
        super().__init__()
        self.quarter = nn.Sequential(Block(3, 12, 2), Block(12, 24, 2), Block(24, 24, 1))
        self.eighth = nn.Sequential(Block(24, 56, 2), Block(56, 56, 1))
        self.sixteenth = nn.Sequential(Block(56, 96, 2), Block(96, 96, 1))
        self.last = nn.Sequential(Block(96, 128, 2), Block(128, 128, 1))
        self.up = nn.ModuleList([nn.Conv2d(128, 96, 1), nn.Conv2d(96, 56, 1), nn.Conv2d(56, 24, 1)])
        self.mixed = nn.ModuleList([Block(96, 96, 1), Block(56, 56, 1), Block(24, 24, 1)])
        self.out = nn.Conv2d(24, 2, 1)

    def forward(self, x: Tensor) -> Tensor:
        """N x 3 x height x width in, N x 2 x height / 4 x width / 4 log odds out."""
        finer = [self.quarter(x)]
        finer.append(self.eighth(finer[-1]))
        finer.append(self.sixteenth(finer[-1]))
        seen = self.last(finer[-1])
        for up, mixed in zip(self.up, self.mixed, strict=True):
            larger = functional.interpolate(up(seen), scale_factor=2.0, mode="nearest")
            seen = mixed(larger + finer.pop())
        return self.out(seen)


def wrong(says: Tensor, truth: Tensor) -> Tensor:
    """Cross entropy, and what the overlap of what is said and what is true lacks of one (dice)."""
    said = says.sigmoid()
    shared = (said * truth).sum((0, 2, 3))
    dice = 1 - (2 * shared + 50) / (said.sum((0, 2, 3)) + truth.sum((0, 2, 3)) + 50)
    return functional.binary_cross_entropy_with_logits(says, truth) + 0.5 * dice.mean()


def changed(seen: Tensor, maps: Tensor, rng: torch.Generator) -> tuple[Tensor, Tensor]:
    """A batch, mirrored and with its colours exchanged."""
    way = [axis for axis in (2, 3) if torch.rand((), generator=rng) < 0.5]
    seen, maps = (seen.flip(way), maps.flip(way)) if way else (seen, maps)
    if torch.rand((), generator=rng) < 0.4:
        seen = seen[:, torch.randperm(3, generator=rng)]
    return seen, maps


def batch(tables: Tables, many: int) -> tuple[Tensor, Tensor]:
    """Some tables, as the network wants them."""
    drawn = [tables.table() for _ in range(many)]
    seen, maps = (
        torch.from_numpy(np.stack(one)).permute(0, 3, 1, 2).float() / 255 for one in zip(*drawn, strict=True)
    )
    return seen, maps


def main() -> None:
    """Teach, and write the network now and then and at the end."""
    parser = argparse.ArgumentParser(description="Teach the masks.")
    parser.add_argument("out", type=Path)
    parser.add_argument("--steps", type=int, default=8000)
    parser.add_argument("--every", type=int, default=400)
    options = parser.parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    rng = torch.Generator().manual_seed(0)
    model = Masks().to(memory_format=torch.channels_last)
    print(sum(p.numel() for p in model.parameters()), "weights", flush=True)
    held = batch(Tables(np.random.default_rng(2**20)), 48)
    tables = Tables(np.random.default_rng(0))
    mean = copy.deepcopy(model).eval()
    optimiser = torch.optim.AdamW(model.parameters(), lr=RATE, weight_decay=1e-2)
    began, loss = time.time(), 1.5
    waiting: list[tuple[Tensor, Tensor]] = []
    for step in range(options.steps):
        if not waiting:
            drawn = batch(tables, 4 * BATCH)
            for _ in range(AGAIN):
                order = torch.randperm(4 * BATCH, generator=rng).split(BATCH)
                waiting += [(drawn[0][part], drawn[1][part]) for part in order]
        seen, maps = changed(*waiting.pop(0), rng)
        left = (options.steps - step) / options.steps
        for group in optimiser.param_groups:
            group["lr"] = RATE * min(1.0, (step + 1) / RISING, left / FALLING)
        amiss = wrong(model(seen.contiguous(memory_format=torch.channels_last)), maps)
        optimiser.zero_grad()
        amiss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 2.0)
        optimiser.step()
        follow(mean, model, min(KEPT, (step + 1) / (step + 11)))
        loss += 0.02 * (float(amiss.detach()) - loss)
        if (step + 1) % options.every == 0 or step + 1 == options.steps:
            took = f"{step + 1} of {options.steps} steps, {time.time() - began:.0f} s"
            print(f"{took}, loss {loss:.3f}, {judged(mean, held)}", flush=True)
            save(mean, options.out)


@torch.no_grad()
def follow(mean: Masks, model: Masks, kept: float) -> None:
    """Bring the mean a step nearer to the model: this part of it is kept."""
    for ours, theirs in zip(mean.state_dict().values(), model.state_dict().values(), strict=True):
        ours.copy_(kept * ours + (1 - kept) * theirs if ours.is_floating_point() else theirs)


@torch.no_grad()
def judged(model: Masks, held: tuple[Tensor, Tensor]) -> str:
    """Of tables that it did not learn from, what is card and said to be in parts of what is either,
    for both maps."""
    said, truth = model(held[0]) > 0, held[1] > 0.5
    shared, either = (said & truth).sum((0, 2, 3)), (said | truth).sum((0, 2, 3))
    return "held: " + ", ".join(f"{float(part):.3f}" for part in shared / either)


def save(model: Masks, out: Path) -> None:
    """Write the network for OpenCV."""
    names = {"input_names": ["picture"], "output_names": ["maps"]}
    sample = (torch.zeros(1, 3, 352, 480),)
    torch.onnx.export(copy.deepcopy(model).eval(), sample, str(out), **names, opset_version=13, dynamo=False)


if __name__ == "__main__":
    main()
