"""Notes, photos and pictures beside a journal: private, bounded, and found by the session they
belong to."""

from __future__ import annotations

import io
import stat
from types import SimpleNamespace

import pytest
from PIL import Image

from companion.journal import sidecar_files
from companion.journal.sidecar_files import (
    LONGEST_NOTES,
    SessionNotes,
    copy_sidecar_files,
    delete_pictures,
    read_notes,
    read_photo,
    read_pictures,
    save_notes,
    save_photo,
    save_picture,
)
from companion.rules.contract import Problem

BEGUN = 1_790_000_000.75
RED, BLUE = (200, 30, 30), (30, 30, 200)


def photo(size=(2400, 1200), kind="PNG", **more):
    """A photo whose left half is red and whose right half is blue."""
    image = Image.new("RGB", size, RED)
    image.paste(BLUE, (size[0] // 2, 0, *size))
    written = io.BytesIO()
    image.save(written, kind, **more)
    return written.getvalue()


def is_private(file):
    return stat.S_IMODE(file.stat().st_mode) == 0o600


def test_notes_are_kept_by_number_and_start_and_no_longer_than_they_may(file):
    notes = SessionNotes("p" * (LONGEST_NOTES + 9), "w" * (LONGEST_NOTES + 9))
    save_notes(file, 3, BEGUN, notes)
    saved = file.with_name("evening-notes") / "3-1790000000.json"
    assert is_private(saved)
    assert read_notes(file, 3, BEGUN) == SessionNotes("p" * LONGEST_NOTES, "w" * LONGEST_NOTES)
    assert read_notes(file, 3, BEGUN + 1) == read_notes(file, 4, BEGUN) == SessionNotes()
    assert SessionNotes("", "w").nonempty_texts == ["w"]
    saved.write_text("{")
    assert read_notes(file, 3, BEGUN) == SessionNotes()
    saved.write_bytes(b'{"place": "' + b"x" * 20_000 + b'"}')
    assert read_notes(file, 3, BEGUN) == SessionNotes()
    save_notes(file, 3, BEGUN, SessionNotes())
    assert not saved.exists()


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "BMP", "TIFF"])
def test_a_photo_of_any_kind_is_kept_as_a_smaller_jpeg(file, kind):
    save_photo(file, 1, BEGUN, photo(kind=kind))
    kept = Image.open(io.BytesIO(read_photo(file, 1, BEGUN)))
    assert (kept.format, kept.mode, kept.size) == ("JPEG", "RGB", (1600, 800))
    assert is_private(file.with_name("evening-notes") / "1-1790000000.jpg")
    assert kept.getpixel((400, 400)) == pytest.approx(RED, abs=8)
    assert kept.getpixel((1200, 400)) == pytest.approx(BLUE, abs=8)
    save_photo(file, 1, BEGUN, b"")
    assert read_photo(file, 1, BEGUN) == b""


def test_a_photo_is_turned_upright_and_loses_what_the_camera_wrote(file):
    told = Image.Exif()
    told[0x0112] = 6  # turned a quarter, clockwise
    told[0x010F] = "the maker of the camera"
    save_photo(file, 1, BEGUN, photo((400, 200), "JPEG", exif=told))
    data = read_photo(file, 1, BEGUN)
    kept = Image.open(io.BytesIO(data))
    assert kept.size == (200, 400)
    assert kept.getpixel((100, 50)) == pytest.approx(RED, abs=8)
    assert dict(kept.getexif()) == {}
    assert b"maker" not in data


@pytest.mark.parametrize("data", [b"x", b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n", photo()[:200]])
def test_what_is_no_photo_is_refused_and_the_one_before_stays(file, data):
    save_photo(file, 1, BEGUN, photo((40, 20)))
    before = read_photo(file, 1, BEGUN)
    with pytest.raises(Problem) as error:
        save_photo(file, 1, BEGUN, data)
    assert error.value.text.code == "evening.photo.no_picture"
    assert read_photo(file, 1, BEGUN) == before


def session(entries, number=2):
    return SimpleNamespace(number=number, begun=BEGUN, entries=range(entries))


def test_pictures_are_read_in_the_order_of_the_entries_and_deleted_together(file):
    for entries in (12, 3, 10_000):
        save_picture(file, session(entries), f"picture {entries}".encode())
    folder = file.with_name("evening-pictures") / "2-1790000000"
    assert sorted(one.name for one in folder.iterdir()) == ["0003.jpg", "0012.jpg", "10000.jpg"]
    assert all(map(is_private, folder.iterdir()))
    (folder / "notes.txt").write_text("no picture")
    (folder / "0004.jpg").mkdir()
    (folder / "0005.jpg").write_bytes(b"x" * (sidecar_files.LARGEST_PICTURE + 1))
    assert read_pictures(file, session(0)) == [
        (3, b"picture 3"),
        (12, b"picture 12"),
        (10_000, b"picture 10000"),
    ]
    assert read_pictures(file, session(0, 5)) == []
    assert (delete_pictures(file, session(0)), delete_pictures(file, session(0))) == (5, 0)
    assert not folder.exists()


def test_no_more_pictures_are_kept_than_may_be(file, monkeypatch):
    monkeypatch.setattr(sidecar_files, "MOST_PICTURES", 2)
    for entries in (1, 2, 3):
        save_picture(file, session(entries), b"picture")
    assert [one.entry for one in read_pictures(file, session(0))] == [1, 2]


def test_everything_of_one_session_is_copied_under_its_new_number(file, tmp_path):
    save_notes(file, 2, BEGUN, SessionNotes("Lyon"))
    save_notes(file, 22, BEGUN, SessionNotes("Nice"))
    save_photo(file, 2, BEGUN, photo((40, 20)))
    save_picture(file, session(7), b"picture")
    target = tmp_path / "other" / "copy.sqlite3"
    save_notes(target, 5, BEGUN, SessionNotes("there already"))
    for new in (4, 5):
        copy_sidecar_files(file, 2, target, new, BEGUN)
        assert read_photo(target, new, BEGUN) == read_photo(file, 2, BEGUN) != b""
        assert read_pictures(target, session(0, new)) == [(7, b"picture")]
    assert read_notes(target, 4, BEGUN) == SessionNotes("Lyon")
    assert read_notes(target, 5, BEGUN) == SessionNotes("there already")
    copied = sorted(str(one.relative_to(target.parent)) for one in target.parent.rglob("*") if one.is_file())
    assert copied == [
        "copy-notes/4-1790000000.jpg",
        "copy-notes/4-1790000000.json",
        "copy-notes/5-1790000000.jpg",
        "copy-notes/5-1790000000.json",
        "copy-pictures/4-1790000000/0007.jpg",
        "copy-pictures/5-1790000000/0007.jpg",
    ]
