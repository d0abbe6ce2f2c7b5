"""Teach the verifier: a small network that says whether a seen card and an enrolled view laid over
it show the same print.

    python -m tools.verifier.train PAIRS vision/verifier.onnx [--start EARLIER.pt]

Runs with PyTorch and ONNX, which the project itself never needs. `README.md` beside this file says
how.
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

HELD = 3
"""Chunks that are not learned from: they tell how well it goes."""


class Block(nn.Module):
    """A convolution of 3 x 3 by steps of `step`, made even over the batch, what is negative cut
    off."""

    def __init__(self, a: int, b: int, step: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(a, b, 3, step, 1, bias=False)
        self.norm = nn.BatchNorm2d(b)

    def forward(self, x: Tensor) -> Tensor:
        """N x a x height x width in, b channels out."""
        return functional.relu(self.norm(self.conv(x)))


class Verifier(nn.Module):
    """Six channels in (seen and laid over, 0..1), one number out: the log odds that both are the
    same print.

    Where the two differ is weighed in the middle of the network against what is usual on the whole
    card (`context`): another ink or light differs everywhere, another design in one place.
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
        """N x 6 x height x width in, N x 1 log odds out."""
        near = self.near(x)
        told = self.context(functional.adaptive_avg_pool2d(near, 1))
        # the sum with what is negative cut off, said so that OpenCV 5 does not fuse it with the
        # convolution: there both would have to be of one size
        middle = torch.maximum(self.middle(near), -told) + told
        maps = [self.far(middle), functional.relu(self.mid_out(middle))]
        pooled = [
            pool(one, 1)
            for one in maps
            for pool in (functional.adaptive_avg_pool2d, functional.adaptive_max_pool2d)
        ]
        return self.head(torch.cat(pooled, 1).flatten(1))


def changed(pairs: Tensor, rng: torch.Generator) -> Tensor:
    """A batch for the network: the pairs mirrored, with their colours exchanged, a little brighter
    or darker."""
    way = [axis for axis in (1, 2) if torch.rand((), generator=rng) < 0.5]
    pairs = pairs.flip(way) if way else pairs
    if torch.rand((), generator=rng) < 0.3:
        order = torch.randperm(3, generator=rng)
        pairs = pairs[..., torch.cat([order, order + 3])]
    gain = (1 + 0.1 * torch.randn((len(pairs), 1, 1, 1), generator=rng)) / 255
    return (pairs * gain).permute(0, 3, 1, 2)


def main() -> None:
    """Teach, judge by the held chunks now and then, and write the network."""
    parser = argparse.ArgumentParser(description="Teach the verifier.")
    parser.add_argument("pairs", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--start", type=Path, help="weights (.pt) to go on from")
    parser.add_argument("--steps", type=int, default=1600)
    parser.add_argument("--rate", type=float, default=3e-3)
    options = parser.parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(1)
    rng = torch.Generator().manual_seed(0)
    files = sorted(f for f in options.pairs.glob("????.npy"))
    held, files = files[:HELD], files[HELD:]
    model = Verifier().to(memory_format=torch.channels_last)
    if options.start:
        model.load_state_dict(torch.load(options.start, weights_only=True))
    optimiser = torch.optim.AdamW(model.parameters(), lr=options.rate, weight_decay=1e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, options.rate, total_steps=options.steps, pct_start=0.1
    )
    began, done, mean = time.time(), 0, 0.7
    while done < options.steps:
        # two chunks at once: one alone holds only 64 decks
        chosen = [files[i] for i in torch.randperm(len(files), generator=rng)[:2]]
        pairs, same = (torch.cat(parts) for parts in zip(*(load(f) for f in chosen), strict=True))
        order = torch.randperm(len(pairs), generator=rng)
        for i in range(0, min(len(order), BATCH * (options.steps - done)), BATCH):
            batch = order[i : i + BATCH]
            with torch.autocast("cpu", torch.bfloat16):
                says = model(changed(pairs[batch], rng)).float()[:, 0]
            wrong = functional.binary_cross_entropy_with_logits(says, same[batch].float())
            optimiser.zero_grad()
            wrong.backward()
            optimiser.step()
            schedule.step()
            done += 1
            mean += 0.03 * (float(wrong.detach()) - mean)
        print(f"{done} of {options.steps} steps, {time.time() - began:.0f} s, loss {mean:.4f}", flush=True)
    print(judged(model, held))
    save(model, options.out)


def load(file: Path) -> tuple[Tensor, Tensor]:
    """A chunk as `pairs` writes it: the pairs, and whether both show the same design."""
    same = file.with_name(f"{file.stem}-same.npy")
    return torch.from_numpy(np.load(file)), torch.from_numpy(np.load(same))


def judged(model: Verifier, files: list[Path]) -> str:
    """How well the network does on chunks that it did not learn from."""
    model.eval()
    says, same = [], []
    with torch.no_grad():
        for pairs, truth in (load(f) for f in files):
            says += [model(part.permute(0, 3, 1, 2).float() / 255)[:, 0] for part in pairs.split(BATCH)]
            same.append(truth)
    odds, own = torch.cat(says), torch.cat(same)
    right = float(((odds > 0) == own).float().mean())
    limit = odds[~own].quantile(0.99)
    kept = float((odds[own] > limit).float().mean())
    return f"held: right {right:.3f}; where 1 % of the twins pass, {kept:.3f} of the cards' own do"


def save(model: Verifier, out: Path) -> None:
    """Write the network for OpenCV, and its weights to go on from beside it."""
    model.eval()
    torch.save(model.state_dict(), out.with_suffix(".pt"))
    names = {"input_names": ["pair"], "output_names": ["same"]}
    free = {"pair": {0: "n"}, "same": {0: "n"}}
    sample = (torch.zeros(1, 6, HEIGHT, WIDTH),)
    torch.onnx.export(model, sample, str(out), **names, dynamic_axes=free, opset_version=13, dynamo=False)


if __name__ == "__main__":
    main()
