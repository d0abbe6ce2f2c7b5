"""A sitting before the camera in which everything happens once, as people are told of it: what is
asked for, seen and noted after each key and card, and what lies in the deck's folder at the end.
After a change that is meant: `WRITE=1 pytest tests/enrolment/test_sittings_to_the_letter.py`, and
read the difference."""

from __future__ import annotations

from pathlib import Path

import pytest
from filming import NAMES, deck_folder, one, rows, table
from test_enrol_command import as_if

from companion.decks.references import load_views
from companion.enrolment.album import Album, list_wanted_designs
from companion.enrolment.enroller import Enroller, list_advice
from companion.table.decks import Deck
from companion.texts import Translator
from tests.letters import compare_with_file
from vision.decks.separation import Separation
from vision.library import Library, Margins

LETTERS = Path(__file__).with_name("letters")
SAY = Translator("en").translate


class Told:
    """Writes down what is new for people after each thing that was done."""

    def __init__(self, enroller):
        self.enroller = enroller
        self.lines = []
        self.before = {}
        self.at = 100.0

    def __call__(self, what, done=None):
        progress = self.enroller.progress
        album = self.enroller.album
        now = {
            "wanted": SAY(progress.wanted) if progress.wanted else "",
            "note": f"{'! ' if progress.trouble else ''}{SAY(progress.note) if progress.note else ''}",
            "hint": SAY(progress.hint) if progress.hint else "",
            "sheet": ", ".join(map(SAY, progress.sheet)),
            "count": f"{progress.done} of {progress.total}, view {progress.views}, copies {progress.seen}",
            "mode": f"{progress.mode} {progress.laid} laid, {progress.captures} taken",
            "views": " ".join(view.card for view in album.library.references),
            "skipped": ", ".join(map(SAY, self.enroller.skipped_designs)),
            "missing": ", ".join(map(SAY, album.missing_copies)),
            "changed": album.has_changed,
        }
        done = SAY(done) if hasattr(done, "code") else done
        self.lines.append(what if done is None else f"{what}: {done}")
        self.lines += [f"  {key}: {now[key]}" for key in now if self.before.get(key) != now[key]]
        self.before = now

    def show(self, what, picture, seconds=0.8, **kind):
        done = None
        for _ in range(round(5 * seconds)):
            done = self.enroller.add_frame(picture, self.at, **kind)
            self.at += 0.2
        self(what, done)


def begin(pack, again=""):
    deck = Deck.load(pack)
    return Told(Enroller(Album(deck, load_views(deck)[0]), list_wanted_designs(deck, ()), again))


def one_at_a_time(pack, _patch):
    told = begin(pack)
    enroller, bare = told.enroller, table().render_frame()
    told("Enter before the first picture", enroller.capture_now())
    told("copies are counted before the first picture", enroller.count_copies())
    told.show("an empty table", bare, 0.2)
    told("Enter", enroller.capture_now())
    told("copies are counted without a view", enroller.count_copies())
    told.show("a seven", one("7S"))
    told.show("something hides it", bare, 0.2)
    told.show("it lies there as before", one("7S", seed=2))
    told.show("an empty table again", bare, 0.2)
    told.show("the other seven", one("7S", "seat:1"))
    told("skip", enroller.skip())
    told.show("nothing", bare, 0.2)
    told.show("a king", one("KD"))
    told("back", enroller.undo_last())
    told("back again", enroller.undo_last())
    told("jump to the nine", enroller.jump_to("9H"))
    told("jump to nowhere", enroller.jump_to("nobody"))
    told.show("two at once", rows(["9H", "2C"]))
    told("Enter", enroller.capture_now())
    told("the way to sheets", enroller.toggle_sheet_mode())
    told("Enter", enroller.capture_now())
    told.show("a sheet", rows(["9H", "KD", "2C"]), 0.2)
    told("Enter", enroller.capture_now())
    told("Enter", enroller.capture_now())
    told.show("the sheet lies there still", rows(["9H", "KD", "2C"]), 0.2)
    told("Enter", enroller.capture_now())
    told("the way back", enroller.toggle_sheet_mode())
    told.show("an empty table", bare, 0.2)
    told.show("a nine out of turn", one("9H", "seat:1"))
    told.show("an empty table", bare, 0.2)
    told.show("the back", one("back"))
    told.show("an empty table", bare, 0.2)
    told.show("one card more than wanted", one("2C"))
    told("copies are counted", enroller.count_copies())
    told.show("the cards of a second pack, and the back", rows(["9H", "9H", "7S", "back"]), 0.2)
    told("copies are counted", enroller.count_copies())
    told.show("only the back", one("back"), 0.2)
    told("copies are counted", enroller.count_copies())
    told("skip", enroller.skip())
    return told.lines


def photos_one_by_one(pack, patch):
    told = begin(pack)
    enroller = told.enroller
    told.show("a photo of nothing", table().render_frame(), 0.2, alone=True)
    told.show("a photo of one card", one("7S"), 0.2, alone=True)
    told.show("the same photo: a second seven", one("7S"), 0.2, alone=True)
    told.show("and a third, of two", one("7S"), 0.2, alone=True)
    told("it is the nine all the same", enroller.capture_now())
    told("no, it is not", enroller.undo_last())
    told.show("a photo of a sheet", rows(["9H", "KD"]), 0.2, alone=True)
    told("Enter", enroller.capture_now())
    told.show("a photo of one card", one("2C"), 0.2, alone=True)
    told("a pack", enroller.start_or_finish_pack())
    patch.setattr("companion.enrolment.pack_spread._FEWEST", 5)
    as_if(patch, *NAMES)
    told("of two cards and more", enroller.start_or_finish_pack())
    told("done already", enroller.start_or_finish_pack())
    told("a pack", enroller.start_or_finish_pack())
    told("skip", enroller.skip())
    told.show("a photo of some", rows(["7S", "9H"]), 0.2, alone=True)
    told("Enter", enroller.capture_now())
    told("Enter", enroller.capture_now())
    told.show("a photo of nothing", table().render_frame(), 0.2, alone=True)
    told("Enter", enroller.capture_now())
    told.show("a photo of others", rows(["KD", "2C"]), 0.2, alone=True)
    told("Enter", enroller.capture_now())
    told("back", enroller.undo_last())
    told("done", enroller.start_or_finish_pack())
    told("named", enroller.store_card_views(enroller.spread, enroller.spread.assign_names()))
    told("back", enroller.undo_last())
    return told.lines


def later_sittings(pack, _patch):
    lines = []
    for number, card in enumerate(("", "9H", "9H")):
        told = begin(pack, card)
        lines += told.lines
        enroller = told.enroller
        if not card:
            enroller.toggle_sheet_mode()
            told.show("everything on a sheet", rows([*NAMES, "back"]), 0.2)
            told("Enter", enroller.capture_now())
        else:
            told.show("an empty table", table().render_frame(), 0.2)
            told.show("the nine again", one("9H", seed=5))
            told("that was it", enroller.undo_session() if number == 1 else enroller.replace_older_views())
        lines += told.lines
    for number in range(5):
        told = begin(pack)
        told.enroller.jump_to("7S")
        told.enroller.toggle_sheet_mode()
        told.show("the first two on a sheet", rows(["7S", "9H"], seed=number + 6), 0.2)
        told("Enter", told.enroller.capture_now())
        told("Enter once more", told.enroller.capture_now())
        lines += told.lines
    told("only this sitting counts", told.enroller.replace_older_views())
    return [*lines, *told.lines[-3:]]


@pytest.mark.parametrize("sitting", [one_at_a_time, photos_one_by_one, later_sittings])
def test_a_sitting_to_the_letter(tmp_path, monkeypatch, sitting):
    pack = deck_folder(tmp_path / "pack")
    lines = sitting(pack, monkeypatch)
    lines += (pack / "deck.toml").read_text(encoding="utf-8").splitlines()
    lines.append(f"kept: {' '.join(view.card for view in Library.load(pack).references)}")
    compare_with_file(LETTERS / f"{sitting.__name__}.txt", lines)


def test_the_advice_after_the_self_test_to_the_letter(pack):
    deck = Deck.load_by_name("donkey_valley_52")
    album = Album(deck, Library())
    names = [design.name for design in deck.designs]
    few, many = dict.fromkeys(names, 4), dict.fromkeys(names, 5)
    pairs = tuple((names[i], names[i + 1], 1.004 - 0.0123 * i) for i in range(0, 28, 2))
    kinds = {
        "no test": None,
        "no doubt": Separation((), (), {"7S": 1, "9H": 2}, Margins()),
        "some alike, with few views": Separation(pairs[:2], (), few, Margins()),
        "some alike, with all views": Separation(pairs[:2], (), many, Margins()),
        "more alike than are named": Separation(pairs, (), many, Margins()),
        "just as many as are named": Separation(pairs[:12], (), many, Margins()),
        "unsure, alike or not": Separation(pairs[:1], (*names[:2], *names[4:6]), few, Margins()),
        "unsure, one with few views": Separation((), tuple(names[:2]), {**many, names[0]: 1}, Margins()),
        "many unsure": Separation((), tuple(names[:20]), many, Margins()),
    }
    translate = Translator.for_game("en", deck.game).translate
    lines = []
    for kind, test in kinds.items():
        lines += [f"{kind}:", *(f"  {translate(text)}" for text in list_advice(test, album))]
    own = Album(Deck.load(pack), Library())
    own.record_copy_counts({"7S": 1})
    lines += ["a copy is missing:", *(f"  {SAY(text)}" for text in list_advice(None, own))]
    lines += [f"  {SAY(text)}" for text in list_advice(Separation((), (), {"7S": 1}, Margins()), own)]
    compare_with_file(LETTERS / "advice.txt", lines)
