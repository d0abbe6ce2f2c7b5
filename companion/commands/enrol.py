"""`companion enrol`: show the camera each design of a deck, by card, by sheet, or from photos."""

from __future__ import annotations

import argparse
import difflib
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from companion.commands.common import add_language_option, add_share_option, default_camera
from companion.commands.running import has_screen
from companion.decks.collection import find_deck, save_to_own_folder
from companion.decks.faces import draw_faces
from companion.decks.references import describe_library_error, load_views
from companion.enrolment.album import Album, list_wanted_designs
from companion.enrolment.card_pictures import draw_outlines, make_labels
from companion.enrolment.enroller import Enroller, EnrolmentControls, list_advice
from companion.enrolment.photos import InspectedPhoto, PhotoBatch, inspect_photos, write_name_sheets
from companion.evening.sharing import connect_phone
from companion.readers.camera.frames import FrameForwarder
from companion.readers.camera.photo_files import PhotoListing, leave_out_copies
from companion.readers.camera.pictures import CardLabel
from companion.readers.camera.sources import PhotoFolder, Source, VideoFile, find_source
from companion.rules.contract import Problem, Text
from companion.table.decks import Deck
from companion.table.identification import BACK
from companion.table.sightings import Health, HealthMonitor
from companion.texts import Translator
from companion.views import enrolment_views
from companion.views.dashboard.enrol import EnrolmentApp
from companion.views.dashboard.widgets.camera_preview import Picture
from companion.views.themes import THEMES
from vision.errors import LibraryError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `companion enrol`."""
    add = parser.add_argument
    add("--deck", required=True, metavar="DECK", help="common.deck")
    add("--camera", default=default_camera(), metavar="SOURCE", help="enrol.camera")
    add("--sheet", action="store_true", help="enrol.sheet")
    add("--any-order", action="store_true", help="enrol.any_order")
    add("--first", default="", metavar="CARD", help="enrol.first")
    add("--again", default="", metavar="CARD", help="enrol.again")
    add("--from-photos", type=Path, default=None, metavar="DIR", help="enrol.from_photos")
    add("--yes", action="store_true", help="enrol.yes")
    add_share_option(parser)
    add_language_option(parser)
    add("--theme", choices=[theme.name for theme in THEMES], default=THEMES[0].name, help="common.theme")
    add("--plain", action="store_true", help="common.plain")


def run(arguments: argparse.Namespace) -> int:
    """Enrol; return 0, or 1 if a photo could not be used. Raises `Problem` if it cannot begin or
    the result cannot be saved."""
    deck = find_deck(arguments.deck)
    translator = Translator.for_game(arguments.lang, deck.game)
    names = list_wanted_designs(deck, draw_faces(deck, arguments.lang))
    again, first = (_find_design(deck, name) for name in (arguments.again, arguments.first))
    # Designs are found before the deck moves to a folder of the user's own: a mistyped name must
    # not create one.
    deck = save_to_own_folder(deck, arguments.deck)
    try:
        library, damaged = load_views(deck)
    except LibraryError as fault:
        raise Problem("cards.no_views", reason=describe_library_error(fault)) from fault
    if damaged is not None:
        print(translator("enrol.put_aside", folder=str(damaged)), file=sys.stderr)
    # A card that was named is enrolled even if the deck would not ask for it.
    names = list(dict.fromkeys([*names, *filter(None, (again, first))]))
    enroller = Enroller(Album(deck, library), names, again)
    if arguments.any_order and not enroller.spread.is_pack:
        raise Problem("enrol.pack.none")
    if first:
        enroller.jump_to(first)
    status = (_enrol_with_camera if arguments.from_photos is None else _enrol_from_photos)(
        arguments, enroller, translator
    )
    return _finish_enrolment(arguments, enroller, translator) or status


def _find_design(deck: Deck, name: str) -> str:
    """Find the design that a person named, by its own name or by its card's id; "" stands for none.

    Raises `Problem`, with the nearest name if there is one.
    """
    if not name or name == BACK or deck.find_design(name) is not None:
        return name
    found = [design.name for design in deck.designs if design.card == name]
    if len(found) == 1:
        return found[0]
    if found:
        raise Problem(Text("enrol.many_designs", {"card": name, "names": found}))
    known = [design.name for design in deck.designs]
    close_matches = difflib.get_close_matches(name, [*known, *deck.card_counts, BACK], 1, 0.5)
    if close_matches:
        raise Problem(Text("enrol.near_card", {"card": name, "near": close_matches[0]}))
    raise Problem(Text("enrol.no_card", {"card": name, "deck": deck.path or deck.name}))


class EnrolmentCamera:
    """The camera to which people show their cards, and what the views need of it."""

    def __init__(self, source: Source, enroller: Enroller) -> None:
        self.source = source
        self._enroller = enroller
        self._reader = FrameForwarder(
            source, lambda frame: enroller.add_frame(frame.image, frame.at, frame.alone)
        )
        self._health_watch = HealthMonitor()
        self.controls = EnrolmentControls(enroller, self.capture_now)

    def open(self) -> None:
        """Start the camera."""
        self._reader.start(self._health_watch)

    def close(self) -> None:
        """Release the camera."""
        self._reader.close()

    def capture_now(self) -> None:
        """Take the cards in the picture; in a folder of photos, move on to the next photo."""
        if self._enroller.capture_now() and isinstance(self.source, PhotoFolder):
            self.source.show_next()

    def draw_picture(self) -> Picture | None:
        """Return the newest picture with its outlines; None before the first."""
        scene = self._enroller.scene
        return None if scene is None else draw_outlines(scene)

    def list_labels(self) -> Sequence[CardLabel]:
        """Return the numbers to draw over the picture."""
        scene = self._enroller.scene
        return () if scene is None else make_labels(scene)

    def read_health(self) -> Health | None:
        """Return the state of the camera; None before it has reported one."""
        return self._health_watch.health

    def is_finished(self) -> bool:
        """Return whether no further picture will come."""
        return self._reader.has_ended


def _enrol_with_camera(arguments: argparse.Namespace, enroller: Enroller, translator: Translator) -> int:
    """Let people show their cards to the camera; return 0. Raises `Problem` if it gave no picture
    at all."""
    booth = EnrolmentCamera(find_source(arguments.camera), enroller)
    if arguments.sheet:
        enroller.toggle_sheet_mode()
    if arguments.any_order:
        enroller.start_or_finish_pack()
    with connect_phone(booth.source, translator, arguments.share) as sharing:
        booth.open()
        try:
            if arguments.plain or not has_screen():
                plain = enrolment_views.PlainEnrolment(
                    booth.controls, translator, lambda line: print(line, flush=True)
                )
                film = isinstance(booth.source, VideoFile)
                enrolment_views.run_plain_enrolment(
                    plain, booth.is_finished, booth.read_health, translator, unattended=film
                )
            else:
                app = EnrolmentApp(
                    booth.controls,
                    booth.draw_picture,
                    booth.list_labels,
                    booth.read_health,
                    translator,
                    arguments.theme,
                )
                app.enable_sharing(sharing)
                app.run()
        finally:
            booth.close()
    if enroller.scene is None:
        health = booth.read_health()
        raise Problem(Text("enrol.no_picture") if health is None else health.text)
    return 0


def _enrol_from_photos(arguments: argparse.Namespace, enroller: Enroller, translator: Translator) -> int:
    """Enrol the cards of a folder of photos, once their names are confirmed; return 1 if something
    was left out, or nothing was enrolled."""
    source = PhotoFolder(arguments.from_photos)
    source.open()
    listing = leave_out_copies(source.listing)
    for text in _describe_left_out(listing):
        print(translator.translate(text), file=sys.stderr)
    print(translator("enrol.photo.looking", count=len(listing.photos)), flush=True)
    photos = inspect_photos(enroller.album, listing.photos)
    batch = PhotoBatch(enroller, photos, listing.pictures_not_read, any_order=arguments.any_order)
    for one in photos:
        _print_photo(one, translator, with_fault=arguments.yes or one in batch.unused)
    complete = not listing.pictures_not_read and all(one.shots for one in photos)
    if not any(one.shots for one in photos):
        return 1
    # What was left out may have been a card, so a script must not take it for success.
    confirm = _accept_photos if arguments.yes else enrolment_views.ask_about_photos
    return 0 if confirm(enroller, batch, translator) and complete else 1


def _print_photo(one: InspectedPhoto, translator: Translator, *, with_fault: bool) -> None:
    # A fault that people are asked about is told with the question.
    if one.fault is not None and with_fault:
        print(translator.translate(one.fault), file=sys.stderr)
    if one.shots:
        print(translator("enrol.pack.photo", photo=one.file.name, count=len(one.shots)))
    if one.picture is not None:
        print(translator.translate(one.picture))


def _accept_photos(enroller: Enroller, batch: PhotoBatch, translator: Translator) -> bool:
    """Enrol the cards without asking, if nothing is in doubt; return whether that was done."""
    spread = batch.spread_cards([one.take_all() for one in batch.photos])
    names = spread.assign_names()
    doubt = batch.find_doubt(spread, names)
    for text in write_name_sheets(enroller.album, spread.shots, names):
        print(translator.translate(text))
    if doubt is not None:
        print(translator("enrol.photo.not_clear", reason=doubt), file=sys.stderr)
        return False
    print(translator.translate(enroller.store_card_views(spread, names)))
    return True


def _describe_left_out(listing: PhotoListing) -> Iterator[Text]:
    """Yield messages about the order of a folder's photos, and the files that are not used."""
    if listing.is_by_time:
        yield Text("enrol.photo.by_time")
    for file, original in listing.copies:
        yield Text("enrol.photo.copy", {"photo": file.name, "other": original.name})
    for file in listing.pictures_not_read:
        yield Text("enrol.photo.format", {"photo": file.name})
    if listing.other_files:
        yield Text("enrol.photo.other_files", {"names": [file.name for file in listing.other_files]})


def _finish_enrolment(arguments: argparse.Namespace, enroller: Enroller, translator: Translator) -> int:
    """Finish a sitting: ask whether to keep its cards if they replace older views, test the new
    views, and report what is enrolled and what is left.

    Raises `Problem` if views could not be saved.
    """
    album = enroller.album
    # Without older views, cards could be taken back one by one, or were confirmed all together.
    if sys.stdin.isatty() and album.session_views and album.older_views:
        enrolment_views.ask_sitting_outcome(enroller, translator)
    if album.has_changed and album.library.references:
        print(translator("enrol.testing"), flush=True)
        for text in list_advice(enroller.check_separation(), album):
            print(translator.translate(text))
    progress = enroller.progress
    print(translator("enrol.left", done=progress.done, total=progress.total))
    if enroller.skipped_designs:
        print(translator("enrol.left.skipped", names=enroller.skipped_designs))
    if album.save_error is not None:
        raise Problem(album.save_error)
    if progress.wanted is None:
        words = {"folder": album.deck.folder, "name": arguments.deck, "camera": arguments.camera}
        print(translator("enrol.ready", **words))
    return 0
