"""What the verifier's limits are chosen from: every card of a photograph counts."""

import cv2

from bench.vision_limits import of_photo
from tests.vision.test_vision_keypoints import on_black
from vision.decks.labels import Label, LabelledPhoto
from vision.library import Library
from vision.reader import Reader


def photographed(scene, names, folder):
    cv2.imwrite(str(folder / "table.png"), scene.picture)
    middles = [quad.mean(axis=0).tolist() for quad in scene.quads]
    cards = tuple(Label(name, *middle, None) for name, middle in zip(names, middles, strict=True))
    return LabelledPhoto(folder / "table.png", "table.png", "painted", "test", cards)


def test_cards_found_by_their_outline_and_by_their_print_are_both_counted(painted, lay, library, tmp_path):
    black = ["painting 1", "painting 4"]
    scene = on_black(painted, (black[0], 230, 260, 10), (black[1], 620, 280, 200))
    rows, settled = of_photo(
        Reader(Library.from_drawings(painted)), photographed(scene, black, tmp_path), 5, True
    )
    assert {row.label for row in rows if row.right} | set(settled) == {5, 6}

    pale = ["bench:red:6", "bench:blue:10"]
    scene = lay((pale[0], 200, 200, 0), (pale[1], 700, 400, 30))
    rows, settled = of_photo(Reader(library), photographed(scene, pale, tmp_path), 0, True)
    assert {row.label for row in rows if row.right} | set(settled) == {0, 1}
