"""Real cards that the edge of the picture cuts off: how many are named, and whether any is named
wrongly.

    python -m bench.vision_cut_off [--cards 12] [--only NAME] [--seed 2026]
                                 [--keep FOLDER]

Each picture is a stranger's photograph, untouched, that ends within a card, at the edge that this
lies nearest to: a third or half of it lies beyond. All else is as in `bench.vision_laid_over`.
"""

import numpy as np

from bench.vision_laid_over import Picture, Table, report, unit
from vision.decks.labels import LabelledPhoto
from vision.geometry import box, to_quad, transform


def main() -> None:
    """Print the table."""
    report(
        CutOff, "cut off", "Cards of strangers' photographs, a third or half beyond the edge of the picture"
    )


class CutOff(Table):
    """The photographs of one table, each ending within a card."""

    def made(self, labelled: LabelledPhoto, share: str, rng: np.random.Generator) -> Picture | None:
        """A picture that ends within a card, where it lies nearest to an edge; nothing if what the
        card is told by does not show."""
        image, lying = self.lying(labelled.path)
        if not lying:
            return None
        card = lying[int(rng.integers(len(lying)))]
        low, high = card.quad.min(axis=0), card.quad.max(axis=0)
        size = np.array(image.shape[1::-1])
        edge = int(np.concatenate([low, size - high]).argmin())
        at = round(float((low + rng.uniform(0.2, 0.8) * (high - low))[edge % 2]))
        beyond = [*(2 * low - high), *(2 * high - low)]
        beyond[(edge + 2) % 4] = at
        if not self.shows(labelled, share, transform(to_quad(card.quad, unit(self.height)), box(*beyond))):
            return None
        kept = [0, 0, *size]
        kept[edge] = at
        left, top, right, bottom = kept
        shift = np.array([left, top], dtype=np.float32)
        others = tuple((name, place - shift) for name, place in self.places(labelled))
        part = np.ascontiguousarray(image[top:bottom, left:right])
        return Picture(part, (card.card, card.quad - shift), others)


if __name__ == "__main__":
    main()
