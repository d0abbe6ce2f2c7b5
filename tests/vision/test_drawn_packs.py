from __future__ import annotations

import cv2
import numpy as np

from tools.packs import cards


def test_typefaces_with_exchanged_signs_are_not_drawn_with(monkeypatch):
    def render(file, sign):
        mask = np.zeros((60, 60), np.uint8)
        shape = {"s": "c", "c": "s"}.get(sign, sign) if file == "exchanged" else sign
        if shape == "s":
            cv2.fillPoly(mask, [np.array([(30, 2), (56, 58), (4, 58)])], 255)
        else:
            cv2.circle(mask, (30, 14 if file == "bold" else 12), 12, 255, -1)
            cv2.circle(mask, (14, 44), 12, 255, -1)
            cv2.circle(mask, (46, 44), 12, 255, -1)
        return mask

    monkeypatch.setattr(cards, "render_letters", render)
    files = ["bold", "plain", "exchanged", "thin"]
    assert cards.select_usual_typefaces(files, "sc") == ["bold", "plain", "thin"]
