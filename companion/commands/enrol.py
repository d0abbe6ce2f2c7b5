"""`companion enrol`: show the camera each design of a deck, by card, by sheet, or from photos."""

from __future__ import annotations

import argparse
import difflib
import sys
from collections.abc import Sequence
from pathlib import Path

from companion.commands.common import add_language, add_share, usual_camera
from companion.commands.running import has_screen
from companion.decks.collection import find_deck, settled
from companion.decks.faces import faces
from companion.decks.references import views_of, words_of
from companion.enrolment.album import Album, asked_for
from companion.enrolment.enroller import FEWEST, Controls, Enroller, advice
from companion.enrolment.photos import draw, from_photos, labels, laid_out
from companion.evening.sharing import joined
from companion.readers.camera.frames import Onlooker
from companion.readers.camera.pictures import CardLabel
from companion.readers.camera.sources import Film, Photos, Source, find
from companion.rules.contract import Problem, Text
from companion.table.decks import Deck
from companion.table.identification import BACK
from companion.table.sightings import Health, HealthWatch
from companion.texts import Translator
from companion.views import enrolling
from companion.views.dashboard.enrol import Enrol
from companion.views.dashboard.widgets.preview import Picture
from companion.views.themes import THEMES
from vision.errors import LibraryError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `companion enrol`."""
    add = parser.add_argument
    add("--deck", required=True, metavar="DECK", help="common.deck")
    add("--camera", default=usual_camera(), metavar="SOURCE", help="enrol.camera")
    add("--sheet", action="store_true", help="enrol.sheet")
    add("--any-order", action="store_true", help="enrol.any_order")
    add("--first", default="", metavar="CARD", help="enrol.first")
    add("--again", default="", metavar="CARD", help="enrol.again")
    add("--from-photos", type=Path, default=None, metavar="DIR", help="enrol.from_photos")
    add_share(parser)
    add_language(parser)
    add("--theme", choices=[theme.name for theme in THEMES], default=THEMES[0].name, help="common.theme")
    add("--plain", action="store_true", help="common.plain")


def run(arguments: argparse.Namespace) -> int:
    """Enrol; return 0, or 1 if a photo could not be used. Raises `Problem` if it cannot begin or
    the result cannot be saved."""
    deck = find_deck(arguments.deck)
    say = Translator.of(arguments.lang, deck.game)
    names = asked_for(deck, faces(deck, arguments.lang))
    again, first = (_design(deck, name) for name in (arguments.again, arguments.first))
    # Designs are found before the deck moves to a folder of the user's own: a mistyped name must
    # not create one.
    deck = settled(deck, arguments.deck)
    try:
        library, damaged = views_of(deck)
    except LibraryError as fault:
        raise Problem("cards.no_views", reason=words_of(fault)) from fault
    if damaged is not None:
        print(say("enrol.put_aside", folder=str(damaged)), file=sys.stderr)
    # A card that was named is enrolled even if the deck would not ask for it.
    names = list(dict.fromkeys([*names, *filter(None, (again, first))]))
    enroller = Enroller(Album(deck, library), names, again)
    if arguments.any_order and enroller.spread.total < FEWEST:
        raise Problem("enrol.pack.none")
    if first:
        enroller.go_to(first)
    status = (_shown if arguments.from_photos is None else _photographed)(arguments, enroller, say)
    return _farewell(arguments, enroller, say) or status


def _design(deck: Deck, name: str) -> str:
    """Find the design that a person named, by its own name or by its card's id; "" stands for none.

    Raises `Problem`, with the nearest name if there is one.
    """
    if not name or name == BACK or deck.design(name) is not None:
        return name
    found = [design.name for design in deck.designs if design.card == name]
    if len(found) == 1:
        return found[0]
    if found:
        raise Problem(Text("enrol.many_designs", {"card": name, "names": found}))
    known = [design.name for design in deck.designs]
    near = difflib.get_close_matches(name, [*known, *deck.cards, BACK], 1, 0.5)
    if near:
        raise Problem(Text("enrol.near_card", {"card": name, "near": near[0]}))
    raise Problem(Text("enrol.no_card", {"card": name, "deck": deck.path or deck.name}))


class Booth:
    """The camera to which people show their cards, and what the views need of it."""

    def __init__(self, source: Source, enroller: Enroller) -> None:
        self.source = source
        self._enroller = enroller
        self._reader = Onlooker(source, lambda frame: enroller.see(frame.image, frame.at, frame.alone))
        self._told = HealthWatch()
        self.controls = Controls(enroller, self.now)

    def open(self) -> None:
        """Start the camera."""
        self._reader.start(self._told)

    def close(self) -> None:
        """Release the camera."""
        self._reader.close()

    def now(self) -> None:
        """Take the cards in the picture; in a folder of photos, move on to the next photo."""
        if self._enroller.now() and isinstance(self.source, Photos):
            self.source.next()

    def picture(self) -> Picture | None:
        """Return the newest picture with its outlines; None before the first."""
        scene = self._enroller.scene
        return None if scene is None else draw(scene)

    def numbers(self) -> Sequence[CardLabel]:
        """Return the numbers to draw over the picture."""
        scene = self._enroller.scene
        return () if scene is None else labels(scene)

    def health(self) -> Health | None:
        """Return the state of the camera; None before it has reported one."""
        return self._told.health

    def ended(self) -> bool:
        """Return whether no further picture will come."""
        return self._reader.over


def _shown(arguments: argparse.Namespace, enroller: Enroller, say: Translator) -> int:
    """Let people show their cards to the camera; return 0. Raises `Problem` if it gave no picture
    at all."""
    booth = Booth(find(arguments.camera), enroller)
    if arguments.sheet:
        enroller.sheet()
    if arguments.any_order:
        enroller.pack()
    with joined(booth.source, say, arguments.share) as sharing:
        booth.open()
        try:
            if arguments.plain or not has_screen():
                plain = enrolling.PlainEnrolment(booth.controls, say, lambda line: print(line, flush=True))
                film = isinstance(booth.source, Film)
                enrolling.run(plain, booth.ended, booth.health, say, unattended=film)
            else:
                app = Enrol(booth.controls, booth.picture, booth.numbers, booth.health, say, arguments.theme)
                app.let_join(sharing)
                app.run()
        finally:
            booth.close()
    if enroller.scene is None:
        health = booth.health()
        raise Problem(Text("enrol.no_picture") if health is None else health.text)
    return 0


def _photographed(arguments: argparse.Namespace, enroller: Enroller, say: Translator) -> int:
    """Enrol the cards of a folder of photos; return 1 if one could not be used."""
    source = Photos(arguments.from_photos)
    source.open()
    good = True
    taken = laid_out if arguments.any_order else from_photos
    for text in taken(enroller, source.files):
        used = text.code in ("enrol.photo.taken", "enrol.photo.picture", "enrol.pack.photo")
        good = good and used
        print(say.say(text), file=sys.stdout if used else sys.stderr)
    if arguments.any_order and enroller.spread.shots:
        enrolling.hold(enrolling.name_pack(enroller, say, print))
    return 0 if good else 1


def _farewell(arguments: argparse.Namespace, enroller: Enroller, say: Translator) -> int:
    """Finish a sitting: ask whether to keep its cards if they replace older views, test the new
    views, and report what is enrolled and what is left.

    Raises `Problem` if views could not be saved.
    """
    album = enroller.album
    # Without older views, cards shown one by one could be taken back one by one.
    if sys.stdin.isatty() and album.taken and (album.older or arguments.from_photos is not None):
        enrolling.ask_what_becomes(enroller, say)
    if album.fresh and album.library.references:
        print(say("enrol.testing"), flush=True)
        for text in advice(enroller.test(), album):
            print(say.say(text))
    progress = enroller.progress
    print(say("enrol.left", done=progress.done, total=progress.total))
    if enroller.skipped:
        print(say("enrol.left.skipped", names=enroller.skipped))
    if album.unkept is not None:
        raise Problem(album.unkept)
    if progress.wanted is None:
        words = {"folder": album.deck.folder, "name": arguments.deck, "camera": arguments.camera}
        print(say("enrol.ready", **words))
    return 0
