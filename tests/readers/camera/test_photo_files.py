from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from companion.readers.camera.photo_files import leave_out_copies, list_photos, read_time_taken
from companion.readers.camera.sources import PhotoFolder, SourceError

EXIF_IFD, TAKEN, FRACTION = 0x8769, 0x9003, 0x9291


def take_photo(file, taken="", fraction="", shade=0):
    exif = Image.Exif()
    exif[EXIF_IFD] = {**({TAKEN: taken} if taken else {}), **({FRACTION: fraction} if fraction else {})}
    Image.fromarray(np.full((20, 30, 3), shade, np.uint8)).save(file, exif=exif.tobytes())


def names(files):
    return [file.name for file in files]


@pytest.mark.parametrize("kind", ["jpg", "png", "webp", "avif"])
def test_photos_come_in_the_order_in_which_they_were_taken(tmp_path, kind):
    take_photo(tmp_path / f"IMG_0001.{kind}", "2026:05:06 07:10:00")
    take_photo(tmp_path / f"IMG_9998.{kind}", "2026:05:06 07:08:09", "20")
    take_photo(tmp_path / f"IMG_9999.{kind}", "2026:05:06 07:08:09", "500")
    listing = list_photos(tmp_path)
    assert names(listing.photos) == [f"IMG_{number}.{kind}" for number in ("9998", "9999", "0001")]
    assert listing.is_by_time


@pytest.mark.parametrize("taken", ["", "0000:00:00 00:00:00", "yesterday"])
def test_where_one_photo_has_no_time_the_names_count(tmp_path, taken):
    take_photo(tmp_path / "a.jpg", "2026:05:06 07:10:00")
    take_photo(tmp_path / "b.jpg", taken)
    take_photo(tmp_path / "c.jpg", "2025:05:06 07:10:00")
    assert names(list_photos(tmp_path).photos) == ["a.jpg", "b.jpg", "c.jpg"]
    assert read_time_taken(tmp_path / "b.jpg") is None


@pytest.mark.parametrize(
    ("numbers", "order"),
    [
        ([1, 2, 9998, 9999], [9998, 9999, 1, 2]),
        ([1, 2, 3], [1, 2, 3]),
        ([2, 9998, 9999], [2, 9998, 9999]),
    ],
)
def test_a_camera_counts_from_9999_to_0001(tmp_path, numbers, order):
    for number in numbers:
        take_photo(tmp_path / f"DSCF{number:04d}.jpg")
    assert names(list_photos(tmp_path).photos) == [f"DSCF{number:04d}.jpg" for number in order]


def test_hidden_files_are_no_photos_and_others_are_listed_by_what_they_are(tmp_path):
    for name in ("._a.jpg", ".DS_Store", "a.jpg", "b.JPEG", "c.dng", "c.mov", "notes.txt"):
        (tmp_path / name).write_bytes(name.encode())
    (tmp_path / "folder").mkdir()
    listing = list_photos(tmp_path)
    assert names(listing.photos) == ["a.jpg", "b.JPEG"]
    assert names(listing.pictures_not_read) == ["c.dng"]
    assert names(listing.other_files) == ["c.mov", "notes.txt"]


def test_a_folder_of_hidden_files_has_no_photos(tmp_path):
    (tmp_path / "._a.jpg").write_bytes(b"")
    with pytest.raises(SourceError, match="no_photos"):
        PhotoFolder(tmp_path).open()


def test_a_photo_that_is_there_twice_counts_once(tmp_path):
    for number, name in enumerate(("a.jpg", "b.heic", "b.jpg")):
        take_photo(tmp_path / "drawn.png", shade=50 * number)
        (tmp_path / "drawn.png").rename(tmp_path / name)
    (tmp_path / "a (1).jpg").write_bytes((tmp_path / "a.jpg").read_bytes())
    listing = leave_out_copies(list_photos(tmp_path))
    assert len(listing.photos) == 2
    assert (tmp_path / "b.jpg") in listing.photos
    assert {(file.name, original.name) for file, original in listing.copies} == {
        ("a.jpg", "a (1).jpg"),
        ("b.heic", "b.jpg"),
    }
