"""What is found in folders of photos, what is doubtful about them, and which names are proposed, as
people are told. After a change that is meant: `WRITE=1 pytest
tests/enrolment/test_photos_to_the_letter.py`, and read the difference."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from filming import NAMES, deck_folder, one, rows, table

from companion.decks.references import load_views
from companion.enrolment import photos as module
from companion.enrolment.album import Album, list_wanted_designs
from companion.enrolment.enroller import Enroller
from companion.enrolment.photos import (
    Decision,
    InspectedPhoto,
    PhotoBatch,
    _cut_out,
    inspect_photos,
    write_comparison,
    write_name_sheets,
)
from companion.enrolment.picture_analysis import find_cards
from companion.table.decks import Deck
from companion.texts import Translator
from tests.letters import compare_with_file
from vision.decks.capture import CardSize, SizeCandidate
from vision.geometry import find_homography, make_rectangle

SAY = Translator("en").translate


def photograph(folder, pictures):
    """Save photos; of a string, a damaged one."""
    folder.mkdir()
    files = []
    for number, picture in enumerate(pictures, 1):
        files.append(folder / f"photo-{number}.png")
        if isinstance(picture, bytes):
            files[-1].write_bytes(picture)
        else:
            cv2.imwrite(str(files[-1]), picture)
    return files


def enlarge(picture, factor=4):
    """A photo of more pixels, of a few centimetres around the one card."""
    return cv2.resize(picture[160:360, 320:500], None, fx=factor, fy=factor, interpolation=cv2.INTER_CUBIC)


FOLDERS = {
    "one card on each": lambda: [one(name) for name in NAMES],
    "sheets and a rest": lambda: [rows(["7S", "9H"]), rows(["KD", "2C"]), one("back")],
    "one too many": lambda: [one("7S"), rows(["9H", "KD"]), one("2C"), one("back")],
    "one too few, and the last": lambda: [rows(["7S", "9H"]), one("KD"), rows(["2C", "back"]), one("7S")],
    "no usual number": lambda: [one("7S"), rows(["9H", "KD"])],
    "a gap": lambda: [rows(["7S", None, "9H", "KD"]), rows(["2C", "back"])],
    "nothing and a damaged file": lambda: [one("7S"), table().render_frame(), b"\x89PNG\r\n", one("9H")],
    "nearer to the camera": lambda: [one("7S"), enlarge(one("9H")), one("KD")],
    "nothing at all": lambda: [table().render_frame()],
}


def tell(album, enroller, photos, any_order, not_read):
    """Yield what people may read of a batch whose photos are all taken."""
    batch = PhotoBatch(enroller, photos, not_read, any_order=any_order)
    yield f"{'in any order' if any_order else 'in order'}: usually {batch.usual}, {len(batch.order)} wanted"
    for photo in photos:
        unused = ", unused" if photo in batch.unused else ""
        yield (
            f"  {photo.file.name}: {len(photo.shots)} of {batch.count_places(photo)} in {photo.places}"
            f"{unused}, {photo.take_all()}, readable {photo.is_readable}"
        )
        yield from (f"    {SAY(text)}" for text in (photo.fault, photo.picture) if text)
    all_of_them = [photo.take_all() for photo in batch.photos]
    for decisions in (all_of_them, [Decision(taken[1:], 1) for taken, _ in all_of_them]):
        spread = batch.spread_cards(decisions)
        names = spread.assign_names()
        doubt = batch.find_doubt(spread, names)
        yield f"  {type(spread).__name__} {len(spread.shots)}: {names}"
        yield f"    doubtful {dict(spread.find_doubtful(names))}, missing {spread.list_missing(names)}"
        yield f"    {'clear' if doubt is None else SAY(doubt)}"
        if spread.shots:
            for text in (
                *write_name_sheets(album, spread.shots, names),
                *write_comparison(album, spread.shots, names, [0]),
            ):
                yield f"    {SAY(text)}"


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_folder_of_photos_to_the_letter(tmp_path, folder):
    pack = deck_folder(tmp_path / "pack")
    album = Album(Deck.load(pack), load_views(Deck.load(pack))[0])
    enroller = Enroller(album, list_wanted_designs(album.deck, ()))
    files = photograph(tmp_path / "photos", FOLDERS[folder]())
    lines = []
    for any_order in (False, True) if "damaged" in folder else (False,):
        photos, not_read = inspect_photos(album, files), [Path("raw.dng")] if "each" in folder else []
        lines += tell(album, enroller, photos, any_order, not_read)
    lines += [found.name for found in sorted((pack / "found").glob("*"))]
    name = folder.replace(" ", "_").replace(",", "")
    letters = Path(__file__).with_name("letters")
    compare_with_file(letters / f"photos_{name}.txt", [line.replace(str(tmp_path), "HERE") for line in lines])


def test_a_card_is_cut_out_of_its_photo_whole_upright_or_not_and_no_larger_than_needed(pack, tmp_path):
    album = Album(Deck.load(pack), load_views(Deck.load(pack))[0])
    large = enlarge(one("9H"), 13)
    for photo, most in ((one("9H"), 0), (large, 900)):
        (file,) = photograph(tmp_path / str(most), [photo])
        (inspected,) = inspect_photos(album, [file])
        (shot,) = inspected.shots
        (quad,) = find_cards(photo)
        height, width = shot.image.shape[:2]
        longest = float(np.ptp(shot.quad, axis=0).max())
        expected = most or float(np.ptp(quad, axis=0).max())
        assert longest == pytest.approx(expected, abs=1)
        # A fifth of that is left around it, where the photo has it.
        around = (*shot.quad.min(axis=0), *((width, height) - shot.quad.max(axis=0)))
        assert around == pytest.approx([0.2 * longest] * 4, abs=2)
        target = make_rectangle(126, 176)
        seen, cut = (
            cv2.GaussianBlur(
                cv2.warpPerspective(picture, find_homography(corners, target), (126, 176)), (0, 0), 2
            )
            for picture, corners in ((photo, quad), shot)
        )
        assert np.abs(seen.astype(float) - cut).mean() < 1.5


def test_a_card_in_the_corner_of_its_photo_is_cut_out_to_the_edge():
    corners = np.array([[0, 0], [62, 0], [62, 87], [0, 87]], np.float32)
    shot = _cut_out(np.zeros((88, 63, 3), np.uint8), corners)
    assert shot.image.shape == (88, 63, 3)
    assert (shot.quad == corners).all()


def test_photos_that_show_nothing_do_not_outvote_the_size_of_the_others(monkeypatch):
    card, frame = CardSize(0.1, 1.4), CardSize(0.4, 1.4)
    first = {
        name: InspectedPhoto(Path(name), [], [SizeCandidate(card, 1.0, True)], size=card) for name in "abc"
    }
    first["framed"] = InspectedPhoto(Path("framed"), [], [SizeCandidate(frame, 1.0, True)], size=frame)
    searched = []

    def inspect(_album, file, size=None):
        searched.append((str(file), size))
        return first.get(str(file), InspectedPhoto(file, [], is_readable=False))

    monkeypatch.setattr(module, "_inspect_photo", inspect)
    inspect_photos(None, [Path(name) for name in (*first, "bad1", "bad2", "bad3")])
    assert [one for one in searched if one[1] is not None] == [("framed", card)]


def test_a_picture_of_alike_cards_is_named_by_their_numbers(tmp_path):
    deck, picture = Deck.load(deck_folder(tmp_path / "pack")), one("7S")
    shot = _cut_out(picture, find_cards(picture)[0])
    (said,) = write_comparison(Album(deck, load_views(deck)[0]), [shot] * 3, ["7S", None, "9H"], [0, 2])
    assert Path(said.args["file"]).name == "alike-1-3.jpg"
    assert Path(said.args["file"]).is_file()
