from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from filming import NAMES, deck_folder, film, one, rows, table, until

from companion.__main__ import main
from companion.commands.enrol import EnrolmentCamera
from companion.readers.camera.sources import Frame, PhotoFolder, Source, SourceError, VideoFile, find_source
from companion.rules.contract import Text
from companion.table.decks import Deck
from companion.texts import Translator
from vision.library import Library
from vision.naming import pack52
from vision.reader import Reader


@pytest.fixture
def enrol(monkeypatch, tmp_path):
    """Run `companion enrol` with what somebody types."""

    def run(*words, typed=""):
        keys = tmp_path / "typed"
        keys.write_text(typed)
        with keys.open() as source:
            monkeypatch.setattr("companion.commands.enrol.find_source", every_frame)
            monkeypatch.setattr("sys.stdin", source)
            return main(["enrol", *map(str, words)])

    return run


def every_frame(what):
    """A film of which each frame counts, however busy the machine is; else what is meant by the
    word."""
    return VideoFile(Path(what), real_time=False) if what.endswith(".avi") else find_source(what)


def kept(pack):
    return [view.card for view in Library.load(pack).references]


def photograph(folder, *pictures):
    folder.mkdir()
    for number, picture in enumerate(pictures, 1):
        cv2.imwrite(str(folder / f"photo-{number}.jpg"), picture, [cv2.IMWRITE_JPEG_QUALITY, 93])
    return folder


@pytest.mark.slow
def test_a_film_of_cards_laid_one_after_another_enrols_the_deck(enrol, pack, tmp_path, capsys):
    scenes = [
        ("7S", "middle"),
        ("9H", "middle"),
        None,
        ("KD", "seat:1"),
        ("2C", "middle"),
        ("back", "seat:2"),
    ]
    source = film(tmp_path / "cards.avi", scenes)
    assert enrol("--deck", pack, "--camera", source, "--plain") == 0
    said = capsys.readouterr().out
    assert said.index("Taken: 7 of spades.") < said.index("Lay down: 9 of hearts (1 of 5)")
    assert "5 of 5 are enrolled." in said
    assert kept(pack) == [*NAMES, "back"]
    reader = Reader(Library.load(pack))
    assert [reader.read(one(card, "seat:3", seed=7))[0].card for card in NAMES] == NAMES


@pytest.mark.slow
def test_a_film_that_ends_midway_keeps_what_was_taken_and_says_what_is_left(enrol, pack, tmp_path, capsys):
    source = film(tmp_path / "short.avi", [("7S", "middle"), ("9H", "seat:1")])
    assert enrol("--deck", pack, "--camera", source, "--plain", "--lang", "fr") == 0
    assert (
        "2 sur 5 sont enregistrées. Reprenez quand vous voulez avec la même commande."
        in capsys.readouterr().out
    )
    assert kept(pack) == ["7S", "9H"]
    later = film(tmp_path / "later.avi", [("KD", "middle")])
    assert enrol("--deck", pack, "--camera", later, "--plain") == 0
    assert "Lay down: king of diamonds (2 of 5)" in capsys.readouterr().out
    assert kept(pack) == ["7S", "9H", "KD"]


@pytest.mark.slow
def test_a_folder_of_photos_is_a_camera_too_and_its_sheets_wait_for_a_word(begin, pack, tmp_path):
    enroller = begin()
    folder = photograph(tmp_path / "photos", one("7S"), one("9H", "seat:1"), rows(["KD", "2C", "back"]))
    booth = EnrolmentCamera(PhotoFolder(folder), enroller)
    booth.open()
    try:
        until(lambda: len(enroller.progress.sheet) == 3)
        assert kept(pack) == ["7S", "9H"]
        assert [label.name for label in booth.list_labels()] == ["1", "2", "3"]
        booth.capture_now()
        until(booth.is_finished)
    finally:
        booth.close()
    assert kept(pack) == [*NAMES, "back"]


@pytest.mark.slow
def test_a_camera_that_is_unplugged_is_waited_for_and_enrolment_goes_on(begin, pack, monkeypatch):
    monkeypatch.setattr("companion.readers.camera.frames.RETRY_DELAYS", (0.01,))
    enroller = begin()
    booth = EnrolmentCamera(
        Unplugged(
            [table().render_frame(), *[one("7S")] * 8],
            [table().render_frame()] * 2 + [one("9H", "seat:1")] * 8,
        ),
        enroller,
    )
    booth.open()
    try:
        until(lambda: enroller.progress.captures == 2)
    finally:
        booth.close()
    assert kept(pack) == ["7S", "9H"]
    assert not booth.is_finished()


class Unplugged(Source):
    """A camera that is pulled out after each of its rolls of pictures, and comes back with the
    next."""

    can_reconnect = True

    def __init__(self, *rolls):
        super().__init__("a camera with a loose plug")
        self.pictures = [[*roll, None] for roll in rolls]
        self.at = 0.0

    def read(self, wait):
        if not self.pictures:
            return None if wait(0.05) else Frame(table().render_frame(), self.at)
        picture = self.pictures[0].pop(0)
        self.at += 0.2
        if picture is None:
            self.pictures.pop(0)
            raise SourceError("unplugged", device=self.name)
        return Frame(picture, self.at)


@pytest.mark.slow
def test_photos_alone_enrol_a_deck_once_the_names_are_confirmed(enrol, pack, tmp_path, capsys):
    folder = photograph(tmp_path / "photos", rows(["7S", "9H", "KD"]), rows(["2C", "back"], seed=3))
    assert enrol("--deck", pack, "--from-photos", folder) == 1
    assert "Nothing was saved." in capsys.readouterr().out
    assert not (pack / "references").exists()
    assert enrol("--deck", pack, "--from-photos", folder, typed="ok\n") == 0
    said = capsys.readouterr().out
    assert "photo-1.jpg: 3 cards." in said
    assert "1: 7 of spades" in said
    assert "5: the back of a card" in said
    assert kept(pack) == [*NAMES, "back"]


def test_photos_may_begin_with_another_card(enrol, pack, tmp_path):
    folder = photograph(tmp_path / "photos", rows(["KD", "2C"]))
    assert enrol("--deck", pack, "--from-photos", folder, "--first", "KD", typed="ok\n") == 0
    assert kept(pack) == ["KD", "2C"]


def test_a_damaged_photo_is_asked_about_for_it_would_shift_all_later_names(enrol, pack, tmp_path, capsys):
    folder = photograph(tmp_path / "photos", rows(["7S", "9H"]), one("KD"), one("2C"))
    (folder / "photo-2.jpg").write_bytes(b"\xff\xd8 no photo")
    assert enrol("--deck", pack, "--from-photos", folder, typed="n 1\nok\n") == 1
    said = capsys.readouterr().out
    assert "photo-2.jpg can't be used" in said
    assert "0: leave the photo out; the next one shows king of diamonds" in said
    assert kept(pack) == ["7S", "9H", "2C"]


def test_a_photo_without_cards_is_asked_about_and_the_next_goes_on_with_its_own_names(
    enrol, pack, tmp_path, capsys
):
    pictures = rows(["7S"]), table().render_frame(), rows(["KD"]), rows(["2C"])
    folder = photograph(tmp_path / "photos", *pictures)
    assert enrol("--deck", pack, "--from-photos", folder, typed="s\nok\n") == 1
    said = capsys.readouterr().out
    assert "photo-2.jpg can't be used. No card was found in it." in said
    assert "s: leave the photo out; it should show 9 of hearts" in said
    assert kept(pack) == ["7S", "KD", "2C"]


def test_a_photo_with_a_gap_is_asked_about_with_as_many_names_as_it_has_places(enrol, pack, tmp_path, capsys):
    """Photos of other numbers of cards do not tell how many lay there: its own rows do."""
    pictures = rows(["7S", None, "KD", "2C"]), rows(["back"])
    folder = photograph(tmp_path / "photos", *pictures)
    assert enrol("--deck", pack, "--from-photos", folder, typed="s\nok\n") == 0
    said = capsys.readouterr().out
    assert "(row by row: 1 of 2 and 2), outlined and numbered" in said
    assert "it should show 4 cards, 7 of spades to 2 of clubs" in said
    assert kept(pack) == ["back"]


@pytest.mark.slow
def test_a_photo_with_another_number_of_cards_is_asked_about(enrol, pack, tmp_path, capsys):
    folder = photograph(tmp_path / "photos", one("7S"), rows(["back", "9H"]), one("KD"), one("2C"))
    assert enrol("--deck", pack, "--from-photos", folder, typed="2\nok\n") == 0
    assert "Cards found in photo-2.jpg: 2. Most of the photos show 1." in capsys.readouterr().out
    assert kept(pack) == NAMES
    reader = Reader(Library.load(pack))
    assert [reader.read(one(card, "seat:3", seed=7))[0].card for card in NAMES] == NAMES


def test_a_card_of_another_deck_is_left_out_and_the_names_after_it_move_up(enrol, pack, tmp_path):
    folder = photograph(tmp_path / "photos", rows(["7S", "back", "9H", "KD", "2C"], columns=5))
    assert enrol("--deck", pack, "--from-photos", folder, typed="2\n0\nok\n") == 0
    assert kept(pack) == NAMES


@pytest.mark.slow
def test_the_order_goes_on_from_a_card_that_is_named(enrol, pack, tmp_path, capsys):
    folder = photograph(tmp_path / "photos", rows(["7S", "KD", "2C"]))
    assert enrol("--deck", pack, "--from-photos", folder, typed="2\nf nobody\n2\nf kd\nok\n") == 0
    said = capsys.readouterr().out
    assert "The deck has no card nobody" in said
    assert "3 cards are enrolled; missing: 9 of hearts." in said
    assert kept(pack) == ["7S", "KD", "2C"]


def test_cards_beyond_the_decks_order_have_no_names_and_are_shown(enrol, pack, tmp_path, capsys):
    folder = photograph(tmp_path / "photos", rows(["2C", "back"]), one("7S"))
    assert enrol("--deck", pack, "--from-photos", folder, "--first", "2C", typed="ok\n") == 0
    assert "3: – left out, not a card of this deck" in capsys.readouterr().out
    assert kept(pack) == ["2C", "back"]


@pytest.mark.slow
def test_a_program_takes_names_only_if_nothing_is_in_doubt(enrol, pack, tmp_path, capsys):
    folder = photograph(tmp_path / "photos", one("7S"), one("9H"), one("KD"))
    (folder / "photo-2.dng").write_bytes(b"raw")
    (folder / "photo-2.jpg").unlink()
    assert enrol("--deck", pack, "--from-photos", folder, "--yes") == 1
    assert "Nothing was saved, because something is in doubt. photo-2.dng" in capsys.readouterr().err
    assert not (pack / "references").exists()
    (folder / "photo-2.dng").unlink()
    cv2.imwrite(str(folder / "photo-2.jpg"), one("9H"))
    assert enrol("--deck", pack, "--from-photos", folder, "--yes") == 0
    assert kept(pack) == ["7S", "9H", "KD"]
    # The cards are known now, so that one out of its place is noticed.
    cv2.imwrite(str(folder / "photo-1.jpg"), one("KD", seed=4))
    (folder / "photo-3.jpg").unlink()
    assert enrol("--deck", pack, "--from-photos", folder, "--first", "7S", "--yes") == 1
    assert "The name of one card is uncertain." in capsys.readouterr().err


def test_a_pack_is_known_by_its_cards_and_not_by_their_places(
    enrol, decks_at_home, monkeypatch, tmp_path, capsys
):
    folder = photograph(tmp_path / "photos", rows(["7S", "9H", "KD"]))
    as_if(monkeypatch, "AS", "3S", "5H")
    assert enrol(*PACK[:2], "--from-photos", folder, "--first", "AS", typed="ok\n") == 0
    said = capsys.readouterr().out
    assert "1: ace of spades\n" in said
    assert "2: 3 of spades  ? or 2 of spades" in said
    assert kept(decks_at_home / "donkey_valley_52_seat") == ["AS", "3S", "5H"]


def test_each_photo_is_shown_with_what_was_found_in_it(enrol, pack, tmp_path, capsys):
    folder = photograph(tmp_path / "photos", rows(["7S", "9H", "KD"]))
    assert enrol("--deck", pack, "--from-photos", folder, typed="ok\n") == 0
    assert str(pack / "found" / "photo-1.jpg") in capsys.readouterr().out
    assert cv2.imread(str(pack / "found" / "photo-1.jpg")).shape[1] == 1440
    # Three cards beside each other, each with its name below.
    height, width = cv2.imread(str(pack / "found" / "names-1.jpg")).shape[:2]
    assert width > 1.5 * height


def test_one_of_the_programs_own_decks_gets_a_folder_among_peoples_decks(
    enrol, decks_at_home, tmp_path, capsys
):
    folder = photograph(tmp_path / "photos", one("7S"))
    own = Deck.load_builtin("donkey_valley_52_seat").path
    before = own.read_bytes()
    words = "--deck", "donkey_valley_52_seat", "--from-photos", folder, "--first", "7S"
    assert enrol(*words, typed="1\nn 7S\nok\n") == 0
    assert kept(decks_at_home / "donkey_valley_52_seat") == ["7S"]
    assert own.read_bytes() == before
    assert not (own.parent / "references").exists()


@pytest.mark.slow
def test_letters_steer_the_plain_view(enrol, pack, tmp_path, capsys):
    source = film(tmp_path / "cards.avi", [("9H", "middle")], seconds=2)
    typed = "n\nx\ng KD\ng nobody\nb\nb\ns\ns\nt\n?\nc\n"
    assert enrol("--deck", pack, "--camera", source, "--plain", typed=typed) == 0
    said = capsys.readouterr().out
    assert "Skipped: 7 of spades." in said
    assert "There is no command x here." in said
    assert "There is no command nobody" in said
    assert "Lay down: king of diamonds" in said
    assert "No view has been taken yet." in said or "tell them all apart" in said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--deck", "nobody"], "nobody"),
        (["--deck", "absent/pack"], "absent/pack"),
        (["--deck", "PACK", "--again", "7T"], "did you mean 7S?"),
        (["--deck", "PACK", "--first", "zzzzzz"], "no card zzzzzz"),
        (
            ["--deck", "donkey_valley_52_seat", "--again", "load:any:7"],
            "load:any:7 has several designs",
        ),
        (["--deck", "PACK", "--camera", "no-film.avi", "--plain"], "no-film.avi"),
        (["--deck", "PACK", "--from-photos", "no-folder"], "no-folder"),
    ],
)
def test_what_cannot_begin_says_why_in_one_sentence(enrol, pack, capsys, words, said):
    assert enrol(*(str(pack) if word == "PACK" else word for word in words)) == 2
    heard = capsys.readouterr()
    assert said in heard.err
    assert "Traceback" not in heard.err
    assert not (pack / "references").exists()


def test_a_folder_that_cannot_be_written_is_known_before_the_first_card(enrol, decks_at_home, capsys):
    decks_at_home.parent.mkdir(parents=True, exist_ok=True)
    decks_at_home.write_text("a file where the folder of decks should be")
    assert enrol("--deck", "dtc", "--camera", "absent.avi") == 2
    assert "dtc" in capsys.readouterr().err


def test_a_deck_file_with_a_mistake_is_named_by_line(enrol, tmp_path, capsys):
    folder = deck_folder(tmp_path / "wrong")
    (folder / "deck.toml").write_text((folder / "deck.toml").read_text().replace("copies", "coppies"))
    assert enrol("--deck", folder) == 2
    assert "did you mean `copies`?" in capsys.readouterr().err


def as_if(monkeypatch, *names):
    """Let the network be nearly sure that cards come in this order, but for jacks and kings, which
    it takes for each other's."""

    coming = iter(names)

    def likelihoods(_, quads):
        says = np.full((len(quads), pack52.NO_NAME + 1), -30.0)
        for row in says:
            name = next(coming)
            row[pack52.NAMES.index(name)] = -0.7
            if name in ("JS", "JC"):
                row[[pack52.NAMES.index(jack) for jack in ("JS", "JC")]] = -0.7, -0.8
        return says

    monkeypatch.setattr(pack52, "name_log_likelihoods", likelihoods)


PACK = "--deck", "donkey_valley_52_seat", "--any-order"


def test_a_pack_in_any_order_is_owned_once_look_alikes_are_put_right(
    enrol, decks_at_home, monkeypatch, tmp_path, capsys
):
    folder = photograph(tmp_path / "photos", rows(["7S", "9H", "KD", "2C"]))
    as_if(monkeypatch, "JC", "9H", "JS", "KD")
    assert enrol(*PACK, "--from-photos", folder, typed="x\n4\nn QD\n4\n0\nok\n") == 0
    said = capsys.readouterr().out
    assert "photo-1.jpg: 4 cards." in said
    assert "Is number 1 jack of spades, and number 3 jack of clubs?" in said
    assert "4: queen of diamonds" in said
    assert "3 cards are enrolled; missing: " in said
    home = decks_at_home / "donkey_valley_52_seat"
    assert kept(home) == ["JC", "9H", "JS"]
    assert {one.name for one in (home / "found").iterdir()} >= {"names-1.jpg", "alike-1-3.jpg", "alike-4.jpg"}


def test_a_pack_is_not_taken_before_somebody_says_so(enrol, decks_at_home, monkeypatch, tmp_path, capsys):
    folder = photograph(tmp_path / "photos", rows(["7S", "9H"]))
    as_if(monkeypatch, "7S", "9H")
    assert enrol(*PACK, "--from-photos", folder, typed="1\nn 99\n") == 1
    said = capsys.readouterr().out
    assert "The deck has no card 99" in said
    assert "Nothing was saved." in said
    assert not (decks_at_home / "donkey_valley_52_seat" / "references").exists()


def test_a_deck_that_is_no_pack_says_so(enrol, pack, capsys):
    assert enrol("--deck", pack, "--any-order") == 2
    assert "isn't a pack of 52" in capsys.readouterr().err


def test_a_pack_comes_sheet_by_sheet_before_the_camera(begin, monkeypatch):
    enroller = begin()
    assert not enroller.start_or_finish_pack()
    assert enroller.progress.trouble
    monkeypatch.setattr("companion.enrolment.pack_spread._FEWEST", 5)
    assert not enroller.start_or_finish_pack()
    as_if(monkeypatch, "9H", "KD")
    enroller.add_frame(rows(["9H", "KD"]), 0.0)
    assert enroller.capture_now()
    assert not enroller.capture_now()
    assert enroller.progress.note == Text("enrol.pack.same")
    as_if(monkeypatch, "2C", "7S")
    enroller.add_frame(rows(["2C", "7S"], columns=1), 1.0)
    assert enroller.capture_now()
    assert (enroller.progress.laid, enroller.spread.pack_size, enroller.spread.is_complete) == (4, 5, False)
    assert enroller.spread.assign_names() == ("9H", "KD", "2C", "7S")
    enroller.undo_last()
    assert enroller.progress.laid == 2
    assert enroller.start_or_finish_pack()
    stored = enroller.store_card_views(enroller.spread, enroller.spread.assign_names())
    assert stored == enroller.progress.note
    assert Translator("en").translate(stored) == (
        "2 cards are enrolled; missing: 7 of spades and 2 of clubs."
    )
    assert [view.card for view in enroller.album.library.references] == ["9H", "KD"]
    enroller.undo_last()
    assert not enroller.album.library.references
