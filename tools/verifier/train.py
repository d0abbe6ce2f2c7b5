"""Train the verifier: a small network that decides whether a seen card and an enrolled view aligned
with it show the same print.

    python -m tools.verifier.train PAIRS vision/naming/verifier.onnx

Runs with PyTorch and ONNX, which the project itself never needs. `README.md` beside this file
explains how.
"""

import argparse
import time
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

HEIGHT, WIDTH = 224, 160
BATCH = 64

RATE, RISING, FALLING = 2e-3, 150, 0.35
"""Greatest learning rate; steps until it is reached; part of all steps over which it falls
again."""

HELD = 3
"""Chunks that are not used for training, for evaluation."""


class Block(nn.Module):
    """A convolution of 3 x 3 with a stride of `step`, batch normalisation, and a rectifier."""

    def __init__(self, a: int, b: int, step: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(a, b, 3, step, 1, bias=False)
        self.norm = nn.BatchNorm2d(b)

    def forward(self, x: Tensor) -> Tensor:
        """Map N x a x height x width to b channels."""
        return functional.relu(self.norm(self.conv(x)))


class Verifier(nn.Module):
    """A network from six channels (seen and aligned, 0 to 1) to the log odds that both are the same
    print.

    Differences between the two are compared, in the middle of the network, with what is usual on
    the whole card (`context`): another ink or light differs everywhere, another design in one
    place.
    """

    def __init__(self, wide: int = 16) -> None:
        super().__init__()
        w = wide
        self.near = nn.Sequential(Block(6, w, 2), Block(w, 2 * w, 2), Block(2 * w, 2 * w, 1))
        self.context = nn.Sequential(nn.Conv2d(2 * w, 2 * w, 1), nn.ReLU(), nn.Conv2d(2 * w, 3 * w, 1))
        self.middle = nn.Sequential(nn.Conv2d(2 * w, 3 * w, 3, 2, 1, bias=False), nn.BatchNorm2d(3 * w))
        self.far = nn.Sequential(Block(3 * w, 4 * w, 1), Block(4 * w, 4 * w, 2), Block(4 * w, 4 * w, 1))
        self.mid_out = nn.Conv2d(3 * w, 2 * w, 1)
        self.head = nn.Sequential(nn.Linear(2 * 4 * w + 2 * 2 * w, 64), nn.ReLU(), nn.Linear(64, 1))

    def forward(self, x: Tensor) -> Tensor:
        """Map N x 6 x height x width to N x 1 log odds."""
        near = self.near(x)
        context = self.context(functional.adaptive_avg_pool2d(near, 1))
        # the sum, rectified, written in a way that OpenCV 5 does not fuse with the convolution: it
        # would require both to have the same size
        middle = torch.maximum(self.middle(near), -context) + context
        maps = [self.far(middle), functional.relu(self.mid_out(middle))]
        pooled = [
            pool(one, 1)
            for one in maps
            for pool in (functional.adaptive_avg_pool2d, functional.adaptive_max_pool2d)
        ]
        return self.head(torch.cat(pooled, 1).flatten(1))


def augment_pairs(pairs: Tensor, rng: torch.Generator) -> Tensor:
    """Augment a batch for the network: pairs mirrored, colours exchanged, a little brighter or
    darker."""
    way = [axis for axis in (1, 2) if torch.rand((), generator=rng) < 0.5]
    pairs = pairs.flip(way) if way else pairs
    if torch.rand((), generator=rng) < 0.3:
        order = torch.randperm(3, generator=rng)
        pairs = pairs[..., torch.cat([order, order + 3])]
    gain = (1 + 0.1 * torch.randn((len(pairs), 1, 1, 1), generator=rng)) / 255
    return (pairs * gain).permute(0, 3, 1, 2)


def main() -> None:
    """Train, evaluate on the held chunks, and write the network."""
    parser = argparse.ArgumentParser(description="Teach the verifier.")
    parser.add_argument("pairs", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--steps", type=int, default=2400)
    options = parser.parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(1)
    # without the `-same` files beside them
    files = sorted(f for f in options.pairs.glob("????.npy"))
    model = Verifier().to(memory_format=torch.channels_last)
    train_model(model, files[HELD:], options.steps)
    print(evaluate_model(model, files[:HELD]))
    export_model(model, options.out)


def learning_rate_factor(step: int, steps: int) -> float:
    """Return the learning rate at a step, in parts of `RATE`: rising, constant, and falling to zero
    over the last third, so that longer training begins like shorter."""
    return min(1.0, (step + 1) / RISING, (steps - step) / (FALLING * steps))


def train_model(model: Verifier, files: list[Path], steps: int) -> None:
    """Train on chunks, two at once because one alone holds only 64 decks; in order at first, then
    shuffled."""
    rng = torch.Generator().manual_seed(0)
    optimiser = torch.optim.AdamW(model.parameters(), lr=RATE, weight_decay=1e-2)
    began, done, mean, order = time.time(), 0, 0.7, list(range(len(files)))
    left: list[int] = []
    while done < steps:
        if len(left) < 2:
            left = order if done == 0 else torch.randperm(len(files), generator=rng).tolist()
        chosen, left = [files[i] for i in left[:2]], left[2:]
        pairs, same = (torch.cat(parts) for parts in zip(*(load_chunk(f) for f in chosen), strict=True))
        for batch in torch.randperm(len(pairs), generator=rng).split(BATCH)[: steps - done]:
            for group in optimiser.param_groups:
                group["lr"] = RATE * learning_rate_factor(done, steps)
            with torch.autocast("cpu", torch.bfloat16):
                outputs = model(augment_pairs(pairs[batch], rng)).float()[:, 0]
            wrong = functional.binary_cross_entropy_with_logits(outputs, same[batch].float())
            optimiser.zero_grad()
            wrong.backward()
            optimiser.step()
            done += 1
            mean += 0.03 * (float(wrong.detach()) - mean)
        print(f"{done} of {steps} steps, {time.time() - began:.0f} s, loss {mean:.4f}", flush=True)


def load_chunk(file: Path) -> tuple[Tensor, Tensor]:
    """Load a chunk as `pairs` writes it: the pairs, and whether both show the same design."""
    same = file.with_name(f"{file.stem}-same.npy")
    return torch.from_numpy(np.load(file)), torch.from_numpy(np.load(same))


def evaluate_model(model: Verifier, files: list[Path]) -> str:
    """Evaluate the network on chunks that were not used for training."""
    model.eval()
    outputs, same = [], []
    with torch.no_grad():
        for pairs, truth in (load_chunk(f) for f in files):
            outputs += [model(part.permute(0, 3, 1, 2).float() / 255)[:, 0] for part in pairs.split(BATCH)]
            same.append(truth)
    odds, own = torch.cat(outputs), torch.cat(same)
    right = float(((odds > 0) == own).float().mean())
    # the score that one in a hundred twins exceeds
    limit = odds[~own].quantile(0.99)
    kept = float((odds[own] > limit).float().mean())
    return f"held: right {right:.3f}; where 1 % of the twins pass, {kept:.3f} of the cards' own do"


def export_model(model: Verifier, out: Path) -> None:
    """Write the network for OpenCV."""
    model.eval()
    names = {"input_names": ["pair"], "output_names": ["same"]}
    free = {"pair": {0: "n"}, "same": {0: "n"}}
    sample = (torch.zeros(1, 6, HEIGHT, WIDTH),)
    torch.onnx.export(model, sample, str(out), **names, dynamic_axes=free, opset_version=13, dynamo=False)


if __name__ == "__main__":
    main()
