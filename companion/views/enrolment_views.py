"""Enrolment in conversations: naming cards that were photographed or laid out, and keeping or
discarding a sitting. Also enrolment line by line, for screen readers and simple terminals."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

from companion.decks.collection import describe_deck_name
from companion.enrolment.card_spread import CardSpread, Names, OrderedSpread
from companion.enrolment.enroller import Enroller, EnrolmentControls
from companion.enrolment.photos import (
    Decision,
    InspectedPhoto,
    PhotoBatch,
    write_comparison,
    write_found_picture,
    write_name_sheets,
)
from companion.enrolment.picture_analysis import Progress
from companion.rules.contract import Text
from companion.table.sightings import Health
from companion.texts import Translator
from companion.typed_lines import open_typed_lines
from companion.views.conversations import Conversation, Dialogue, Menu, Reply, Sentence, TextPrompt
from companion.views.plain_conversation import PlainConversation

ShowCards: TypeAlias = Callable[[Names, Sequence[int]], Iterator[Text]]
"""Function that shows some of the cards laid out, by their places from 0, with their current names
(an empty sequence: all); yields messages about them."""
ShowSheets: TypeAlias = Callable[[CardSpread, Names, Sequence[int]], Iterator[Text]]
"""The same, for cards that are given with each call."""


def prompt_for_card_names(
    enroller: Enroller, spread: CardSpread, translator: Translator, show: ShowCards
) -> Dialogue:
    """Let people check the names of cards that were laid out: first pairs that look alike, side by
    side, then all; then enrol them."""
    words = enroller.album.describe_design
    names = spread.assign_names()
    for one, other in spread.find_similar_pairs(names):
        first, second = names[one], names[other]
        if first is None or second is None:
            continue
        asked = translator(
            "enrol.pack.alike", first=one + 1, one=words(first), second=other + 1, other=words(second)
        )
        told = [Sentence(asked, "question"), *_build_picture_lines(show(names, (one, other)), translator)]
        rows = [
            Reply("y", translator("enrol.pack.right"), False),
            Reply("x", translator("enrol.pack.swap"), True),
        ]
        if (yield Menu(told, rows, translator("enrol.pack.answer"))):
            names = spread.rename_card(names, one, second)
    wrong: list[Sentence] = []
    while True:
        doubtful = spread.find_doubtful(names)
        rows = [
            Reply(
                str(at + 1),
                translator.translate(_describe_name(name, at, doubtful, enroller)),
                at,
                tone="quiet" if name is None else "",
            )
            for at, name in enumerate(names)
        ]
        rows.append(
            Reply("ok", translator("enrol.pack.keep", count=sum(map(bool, names))), None, tone="strong")
        )
        told = [
            *wrong,
            Sentence(translator("enrol.pack.all"), "title"),
            *_build_picture_lines(show(names, ()), translator),
        ]
        at = yield Menu(told, rows, translator("enrol.pack.ask"), long=True)
        if at is None:
            return enroller.store_card_views(spread, names)
        given = yield from _prompt_for_card_name(enroller, spread, names, at, translator, show)
        wrong = []
        if isinstance(given, str):
            wrong = [
                Sentence(
                    translator("enrol.no_card", card=given, deck=describe_deck_name(enroller.album.deck)),
                    "bad",
                )
            ]
        else:
            names = given


def _describe_name(name: str | None, at: int, doubtful: Mapping[int, str | None], enroller: Enroller) -> Text:
    """Return a card's name, with what it may be instead if that is in doubt."""
    words, other = enroller.album.describe_design, doubtful.get(at)
    if name is None:
        return (
            Text("enrol.pack.left_out")
            if other is None
            else Text("enrol.pack.no_name", {"other": words(other)})
        )
    if at not in doubtful:
        return words(name)
    return (
        Text("enrol.pack.doubtful", {"card": words(name)})
        if other in (None, name)
        else Text("enrol.pack.or", {"card": words(name), "other": words(other)})
    )


def _prompt_for_card_name(
    enroller: Enroller, spread: CardSpread, names: Names, at: int, translator: Translator, show: ShowCards
) -> Generator[Menu, Any, Names | str]:
    """Ask which card is at `at`: the likeliest first, then any, or none. Return the names then, or
    what was typed if the deck has no such card."""
    told = [
        Sentence(translator("enrol.pack.which", number=at + 1), "question"),
        *_build_picture_lines(show(names, (at,)), translator),
    ]
    likely = [name for name in spread.list_likely_names(at) if name != names[at]]

    def rename(name: str | None) -> Names:
        return spread.rename_card(names, at, name)

    def apply_typed(change: Callable[[str], Names], given: Sequence[str]) -> Names | str:
        name = spread.find_name(given[0])
        return given[0] if name is None else change(name)

    rows = [
        Reply(str(n), translator.translate(enroller.album.describe_design(name)), rename(name))
        for n, name in enumerate(likely, 1)
    ]
    is_ordered = isinstance(spread, OrderedSpread)
    typed = TextPrompt(translator("enrol.names.typed" if is_ordered else "enrol.pack.typed"))
    rows.append(Reply("n", translator("enrol.pack.other"), partial(apply_typed, rename), typed))
    if isinstance(spread, OrderedSpread):
        follow = partial(apply_typed, partial(spread.continue_from, names, at))
        rows.append(Reply("f", translator("enrol.names.follow"), follow, typed))
    leave_out = "enrol.names.leave_out" if is_ordered else "enrol.pack.leave_out"
    rows.append(Reply("0", translator(leave_out), rename(None)))
    given: Names | str = yield Menu(told, rows, translator("plain.parts"))
    return given


_MOST_SINGLE = 9
"""Cards found in a photo of one card up to which people may say which of them it is."""


def prompt_for_photos(
    enroller: Enroller, batch: PhotoBatch, translator: Translator, show_sheets: ShowSheets
) -> Dialogue:
    """Ask about each photo that is in doubt, then let people check the names of all cards."""
    decisions: list[Decision] = []
    for one in batch.photos:
        used = sum(len(decision.taken) + decision.skipped for decision in decisions)
        if one.fault is None:
            decisions.append(one.take_all())
        else:
            decisions.append((yield _build_photo_menu(enroller, batch, one, used, translator)))
    spread = batch.spread_cards(decisions)
    if not spread.shots:
        return Text("enrol.photo.none_left")
    return (yield from prompt_for_card_names(enroller, spread, translator, partial(show_sheets, spread)))


def _build_photo_menu(
    enroller: Enroller, batch: PhotoBatch, one: InspectedPhoto, used: int, translator: Translator
) -> Menu:
    """Build the question about a photo, before which `used` names of the order were used."""
    words, left = enroller.album.describe_design, batch.order[used:]
    assert one.fault is not None
    told = [Sentence(translator.translate(one.fault), "question")]
    told += _build_picture_lines(iter(() if one.picture is None else (one.picture,)), translator)
    count, places = len(one.shots), min(batch.count_places(one), len(left))
    rows = []
    if count:
        rows.append(Reply("a", translator("enrol.photo.all", count=count), one.take_all()))
    # Where each photo shows one card, people can say which thing it is.
    if batch.usual == 1 < count <= _MOST_SINGLE:
        rows += [
            Reply(str(at + 1), translator("enrol.photo.only", number=at + 1), Decision((at,)))
            for at in range(count)
        ]
    if places:
        first, last = words(left[0]), words(left[places - 1])
        skip = translator("enrol.photo.skip", count=places, first=first, last=last)
        rows.append(Reply("s", skip, Decision((), places)))
    typed = TextPrompt(translator("enrol.photo.how_many"), 2)
    rows.append(
        Reply(
            "n",
            translator("enrol.photo.skip_some"),
            lambda given: Decision((), _parse_count(given[0])),
            typed,
        )
    )
    if left:
        rows.append(Reply("0", translator("enrol.photo.skip_none", card=words(left[0])), Decision(())))
    return Menu(told, rows, translator("enrol.photo.ask"))


def _parse_count(typed: str) -> int:
    return int(typed) if typed.isdecimal() else 0


def _build_picture_lines(texts: Iterator[Text], translator: Translator) -> list[Sentence]:
    return [Sentence(translator.translate(text), "quiet") for text in texts]


def prompt_for_sitting_outcome(enroller: Enroller, translator: Translator) -> Dialogue:
    """Discard a sitting, or let it replace all older views of the same cards."""
    album = enroller.album
    older = len(album.older_views)
    rows = [Reply("b", translator("enrol.sitting.back"), enroller.undo_session)]
    if older:
        rows.insert(
            0, Reply("r", translator("enrol.sitting.replace", count=older), enroller.replace_older_views)
        )
    told = [Sentence(translator("enrol.sitting", count=len(album.session_views)))]
    deed: Callable[[], Text] = yield Menu(told, rows, translator("enrol.sitting.ask"))
    return deed()


_TICK = 0.1
_LETTERS = {"": "now", "n": "skip", "b": "back", "s": "sheet", "c": "count"}
"""Letters to type, by the deeds of `EnrolmentControls`."""


class PlainEnrolment:
    """An enrolment line by line."""

    def __init__(
        self, controls: EnrolmentControls, translator: Translator, out: Callable[[str], object]
    ) -> None:
        self._controls = controls
        self._translator = translator
        self._out = out
        self._before: Progress | None = None
        self._talk: PlainConversation | None = None

    @property
    def is_finished(self) -> bool:
        """Whether, by what was printed last, no card is left to show the camera or to name."""
        # Not the current progress: what happened since then must be printed before the end.
        return self._talk is None and self._before is not None and self._before.wanted is None

    def print_progress(self) -> None:
        """Print what is new; nothing while cards are being named."""
        if self._talk is not None:
            return
        now, before = self._controls.enroller.progress, self._before
        self._before = now
        # A note may be the same for two cards in a row: the number of captures tells them apart.
        if now.note is not None and (
            before is None or now.note != before.note or now.captures != before.captures
        ):
            self._out(("! " if now.trouble else "") + self._translator.translate(now.note))
        # The numbers on the sheet are announced once for each new sheet.
        if now.mode == "sheet" and (before is None or now.sheet != before.sheet):
            for number, card in enumerate(now.sheet, 1):
                self._out(self._translator("enrol.sheet.row", number=number, card=card))
            scene = self._controls.enroller.scene
            if now.sheet and scene is not None:
                text = write_found_picture(self._controls.enroller.album, scene, "sheet")
                if text is not None:
                    self._out(self._translator.translate(text))
        laid = 0 if before is None else before.laid
        if self._controls.enroller.spread.is_complete and now.laid != laid:
            self._start_naming()
        if (
            now.mode != "pack"
            and now.wanted is not None
            and (before is None or (now.wanted, now.mode) != (before.wanted, before.mode))
        ):
            count = self._translator("enrol.progress", done=now.done, total=now.total)
            how = "enrol.lay" if now.mode == "one" else "enrol.lay_from"
            self._out(f"{self._translator(how, card=now.wanted)} ({count})")

    def enter_line(self, line: str) -> bool:
        """Handle one typed line; return False to stop."""
        if self._talk is not None:
            # While cards are being named, every line answers that conversation.
            self._talk = self._talk.handle_line(line.strip())
            return True
        letter, _, rest = line.strip().partition(" ")
        deeds: dict[str, Callable[[], object]] = {
            **{typed: self._controls.actions[name] for typed, name in _LETTERS.items()},
            "t": self.print_test_results,
            "p": self._start_pack,
            "g": lambda: self._go_to_card(rest.strip()),
            "?": lambda: self._out(self._translator("enrol.plain.help")),
        }
        if letter == "q":
            return False
        deeds.get(letter, lambda: self._out(self._translator("enrol.plain.unknown", typed=line.strip())))()
        return True

    def print_test_results(self) -> None:
        """Check the views and print the result."""
        self._out(self._translator("enrol.testing"))
        for text in self._controls.check_views():
            self._out(self._translator.translate(text))

    def _start_pack(self) -> None:
        if self._controls.enroller.start_or_finish_pack():
            self._start_naming()

    def _start_naming(self) -> None:
        self._talk = start_pack_naming(self._controls.enroller, self._translator, self._out)

    def _go_to_card(self, name: str) -> None:
        if not self._controls.jump_to(name):
            self._out(self._translator("enrol.plain.unknown", typed=name))


def run_plain_enrolment(
    plain: PlainEnrolment,
    ended: Callable[[], bool],
    health: Callable[[], Health | None],
    translator: Translator,
    *,
    unattended: bool = False,
) -> None:
    """Run the conversation until `q`, until all cards are enrolled, or until the camera has
    `ended`.

    The end of the input stops it too, unless it is `unattended`: a video ends by itself.
    """
    print(translator("enrol.plain.help"), flush=True)
    said: Text | None = None
    with open_typed_lines() as lines:
        while True:
            over = ended()  # first, so that results of the last frame are still printed
            now = health()
            if now is not None and now.text != said:
                said = now.text
                print(("! " if now.state == "lost" else "") + translator.translate(said), flush=True)
            plain.print_progress()
            if plain.is_finished or over:
                return
            try:
                line = lines.next_line(_TICK)
            except EOFError:
                if not unattended:
                    return
                # Without an input nothing else slows this loop down.
                time.sleep(_TICK)
            else:
                if line is not None and not plain.enter_line(line):
                    return


def start_pack_naming(
    enroller: Enroller, translator: Translator, out: Callable[[str], object]
) -> PlainConversation | None:
    """Start the conversation that names the cards of a pack."""
    show = partial(_show_cards, enroller, enroller.spread)
    talk = Conversation(lambda: prompt_for_card_names(enroller, enroller.spread, translator, show))
    return PlainConversation(talk, translator, out, left="enrol.pack.not_yet", tells=True).print_menu()


def _show_cards(enroller: Enroller, spread: CardSpread, names: Names, which: Sequence[int]) -> Iterator[Text]:
    if which:
        return write_comparison(enroller.album, spread.shots, names, which)
    return write_name_sheets(enroller.album, spread.shots, names)


def ask_about_photos(enroller: Enroller, batch: PhotoBatch, translator: Translator) -> bool:
    """Ask about the photos and the names of their cards, in lines; return whether the cards were
    enrolled."""
    talk = Conversation(
        lambda: prompt_for_photos(enroller, batch, translator, partial(_show_cards, enroller))
    )
    run_conversation(
        PlainConversation(talk, translator, print, left="enrol.photo.not_saved", tells=True).print_menu()
    )
    return bool(enroller.album.session_views)


def ask_sitting_outcome(enroller: Enroller, translator: Translator) -> None:
    """Ask whether to keep a sitting; at the end of the input everything stays as it is."""
    talk = Conversation(lambda: prompt_for_sitting_outcome(enroller, translator))
    run_conversation(
        PlainConversation(talk, translator, print, left="enrol.sitting.kept", tells=True).print_menu()
    )


def run_conversation(conversation: PlainConversation | None) -> None:
    """Run a conversation in lines; the end of the input leaves it."""
    with open_typed_lines() as lines:
        while conversation is not None:
            try:
                line = lines.next_line(_TICK)
            except EOFError:
                # An empty line leaves a conversation.
                line = ""
            if line is not None:
                conversation = conversation.handle_line(line.strip())
