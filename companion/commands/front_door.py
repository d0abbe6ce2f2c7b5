"""Pages that the front door opens itself: earlier evenings, people, figures, decks, settings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from io import BytesIO

import msgspec
from textual.content import Content

from companion import commands, libraries
from companion import settings as kept_settings
from companion.commands.figures import figures
from companion.commands.history import (
    delete_pictures,
    note,
    photograph,
    session_in_words,
    sessions_in_words,
    throw_away,
)
from companion.commands.running import run_from_the_door
from companion.decks.collection import available
from companion.evening.sharing import PLACES
from companion.evening.welcome import evening_in_words
from companion.figures.shown import Wording
from companion.folders import user_decks
from companion.journal.beside import notes_of, photo_of, pictures_of
from companion.journal.kept import Kept
from companion.journal.place import StorageFault
from companion.journal.store import Store, default_path
from companion.journal.summaries import last_played, unfinished
from companion.language import LANGUAGES
from companion.plan import Plan
from companion.rules.contract import Problem
from companion.rules.start import bad_names
from companion.settings import Settings
from companion.table.decks import Deck, DeckError
from companion.texts import Translator, clean
from companion.views.dashboard.widgets.stage import columns_for, in_cells
from companion.views.door.figures import Figures
from companion.views.door.reading import Browse, LongWork, Search, Told
from companion.views.themes import THEMES


def _history(settings: Settings, say: Translator) -> str:
    """Search the list of evenings, and read any of them act by act."""
    if not default_path().exists():
        return say("history.empty")
    at: int | None = 0
    while at is not None:
        try:
            with Store.look(default_path()) as store:
                played = [row for row in store.sessions() if row.entries][::-1]
                if not played:
                    return say("history.empty")
                lines = list(sessions_in_words(store, played, say.language))
                page = Search(say("door.history"), lines, say, settings.theme, at, throws=True)
                at = page.run()
                if at is None:
                    return ""
                kept = store.read(played[at].number)
        except Problem as fault:
            return say.say(fault.text)
        # Outside the `with`: resuming an evening writes to the journal that was being read.
        if page.thrown_away:
            _throw_away(kept.number, kept.begun, lines[at], settings, say)
        else:
            _read_evening(kept, settings, say)
    return ""


def _evenings(settings: Settings, say: Translator) -> str:
    """Search the evenings that have not ended, resume one, or discard some."""
    at: int | None = 0
    while True:
        try:
            with Store.look(default_path()) as store:
                now = kept_settings.load()
                begun = unfinished(store, now.thrown_away, now.called)
        except StorageFault as fault:
            return say.say(fault.text)
        if not begun:  # the last one was thrown away: the door offers none any more
            return ""
        lines = [evening_in_words(kept, say) for kept in begun]
        page = Search(say("door.evenings"), lines, say, settings.theme, at or 0, throws=True)
        at = page.run()
        if at is None:
            return ""
        if not page.thrown_away:
            _go_on(begun[at].number, say)
            return ""
        _throw_away(begun[at].number, begun[at].begun, lines[at], settings, say)


def _go_on(number: int, say: Translator) -> None:
    run_from_the_door(Plan(resume=number), say)


def _throw_away(number: int, begun: float, words: str, settings: Settings, say: Translator) -> None:
    """Ask for confirmation and discard the evening, or restore one that was discarded."""
    away = begun not in kept_settings.load().thrown_away
    if away:
        surely = [say("evening.leave"), say("evening.surely")]
        if Browse(words, surely, say, settings.theme).run() != 1:
            return
    throw_away(number, begun, away=away)


def _read_evening(kept: Kept, settings: Settings, say: Translator) -> None:
    """Show an evening act by act. Its first lines resume it if it has not ended, discard or restore
    it, edit its notes and photo, and delete its pictures."""
    told = list(session_in_words(kept, say.language))
    away = kept.begun in kept_settings.load().thrown_away
    doings: list[tuple[str, Callable[[], None]]] = []
    if not kept.over:
        doings.append((say("evening.go_on"), lambda: _go_on(kept.number, say)))
    words = say("evening.take_back" if away else "evening.throw_away")
    doings.append((words, lambda: _throw_away(kept.number, kept.begun, told[0], settings, say)))
    # Notes lie beside the journal, which only grows and is never edited.
    noted = notes_of(default_path(), kept.number, kept.begun)
    words = say("evening.place", place=clean(noted.place) or "–")
    doings.append((words, lambda: _note(kept, "place", settings, say)))
    words = say("evening.words", words=clean(noted.words) or "–")
    doings.append((words, lambda: _note(kept, "words", settings, say)))
    photo = photo_of(default_path(), kept.number, kept.begun)
    words = say("evening.photo", photo=say("yes" if photo else "no"))
    doings.append((words, lambda: _photo(kept, settings, say)))
    if there := len(pictures_of(default_path(), kept)):
        words = say("pictures.delete", n=there)
        doings.append((words, lambda: _delete_pictures(kept, there, settings, say)))
    lines = [*(f"▸ {words}" for words, _ in doings), *told[1:]]
    chosen = Browse(told[0], lines, say, settings.theme, photo=drawn(photo)).run()
    if chosen is not None and chosen < len(doings):
        doings[chosen][1]()


def drawn(photo: bytes) -> Callable[[int, int], Content] | None:
    """Return a function that draws a JPEG in character cells; None if the JPEG cannot be read."""
    try:
        with libraries.Image.open(BytesIO(photo), formats=["JPEG"]) as opened:
            picture = opened.convert("RGB")
    except (OSError, ValueError, SyntaxError):  # as Pillow says that a file is damaged
        return None

    def draw(columns: int, rows: int) -> Content:
        rows = min(rows, max(rows * columns // max(columns_for(picture, rows), 1), 1))
        return Content("\n").join(in_cells(picture, min(columns_for(picture, rows), columns), rows))

    return draw


def _note(kept: Kept, what: str, settings: Settings, say: Translator) -> None:
    """Ask where an evening was played, or for a note; `-` alone deletes it."""
    page = Search(say(f"evening.{what}.ask"), [], say, settings.theme, free=True)
    if page.run() is not None:
        typed = "" if page.typed == "-" else page.typed
        place, words = (typed, None) if what == "place" else (None, typed)
        note(kept, default_path(), say, place=place, words=words)


def _photo(kept: Kept, settings: Settings, say: Translator) -> None:
    """Ask for the file name of a photo until it can be used or the page is left; `-` alone deletes
    the photo."""
    title = say("evening.photo.ask")
    while True:
        page = Search(title, [], say, settings.theme, free=True)
        if page.run() is None:
            return
        try:
            photograph(kept, default_path(), "" if page.typed == "-" else page.typed)
        except Problem as fault:
            title = say.say(fault.text)
        else:
            return


def _delete_pictures(kept: Kept, there: int, settings: Settings, say: Translator) -> None:
    surely = [say("pictures.leave"), say("pictures.surely")]
    if Browse(say("pictures.delete", n=there), surely, say, settings.theme).run() == 1:
        delete_pictures(kept, default_path())


def _people(settings: Settings, say: Translator) -> str:
    """Rename a person in all evenings, or merge two names of one person."""
    at: int | None = 0
    while True:
        # Loaded again each time: the last renaming has changed them.
        settings = kept_settings.load()
        times: Counter[str] = Counter()
        if default_path().exists():
            try:
                with Store.look(default_path()) as store:
                    for one in last_played(store, settings.thrown_away, settings.called):
                        times.update(one.players)
            except StorageFault as fault:
                return say.say(fault.text)
        people = sorted({*times, *settings.names()}, key=str.casefold)
        if not people:
            return say("people.none")
        lines = [f"{clean(name)}  {say('people.evenings', n=times[name])}" for name in people]
        at = Search(say("door.people"), lines, say, settings.theme, at or 0).run()
        if at is None:
            return ""
        _call_otherwise(people[at], people, settings, say)


def _call_otherwise(old: str, people: Sequence[str], settings: Settings, say: Translator) -> None:
    """Ask for the new name, or for the person to merge with; merging must be confirmed."""
    shown, others = clean(old), [name for name in people if name != old]
    ways = [say("people.call", player=shown), *([say("people.merge", player=shown)] if others else [])]
    way = Browse(shown, ways, say, settings.theme).run()
    if way is None:
        return
    page = Search(ways[way], list(map(clean, others)) if way else [], say, settings.theme, free=not way)
    at = page.run()
    if at is None:
        return
    new = page.typed or others[at]
    surely = [say("people.as_is"), say("people.surely", old=shown, new=clean(new))]
    refusal = bad_names([new])
    if refusal is not None:
        Browse(say.say(refusal.text), [say("people.as_is")], say, settings.theme).run()
    # A new name for one person needs no confirmation; merging two people does.
    elif new not in others or Browse(ways[-1], surely, say, settings.theme).run() == 1:
        kept_settings.keep(kept_settings.load().calling(old, new))


def _figures(settings: Settings, say: Translator) -> str:
    """Show the figures of all evenings."""
    if not default_path().exists():
        return say("history.empty")
    try:
        found, left_out = figures(default_path())
    except StorageFault as fault:
        return say.say(fault.text)
    if not found:
        return say("figures.none")
    Figures(found, Wording(say.language), settings.theme, [*map(say.say, left_out)]).run()
    return ""


def _decks(settings: Settings, say: Translator) -> str:
    """Show the list of decks, and the cards of any of them."""
    decks = []
    for name, path in available().items():
        try:
            decks.append((name, Deck.load(path)))
        except DeckError:  # `companion cards check` says what is wrong with it
            continue
    at: int | None = 0
    while at is not None:
        lines = [f"{deck.name}  ({name})" for name, deck in decks]
        at = Browse(say("door.decks"), lines, say, settings.theme, at).run()
        if at is not None:
            name, deck = decks[at]
            cards = [f"{one.copies:3d} × {one.name}" for one in deck.designs]
            if Browse(deck.name, [say("door.print"), *cards], say, settings.theme).run() == 0:
                _print(deck, name, settings, say)
    return ""


def _print(deck: Deck, name: str, settings: Settings, say: Translator) -> None:
    """Print a deck into its folder among the user's decks, showing progress and result."""

    def work(done: Told) -> list[str]:
        return commands.cards.print_deck(deck, user_decks() / name, say, done=done)

    title = f"{deck.name}: {say('door.print')}"
    said = LongWork(title, work, "cards.progress", say, settings.theme).run()
    Browse(title, [say("door.print.broken_off")] if said is None else said, say, settings.theme).run()


def _settings(settings: Settings, say: Translator) -> str:
    """Change settings one after the other; each is saved at once."""
    at: int | None = 0
    while at is not None:
        # The language is one of the settings, so the next list is in the new one.
        say = Translator(settings.spoken())
        listed = rows(settings, say)
        at = Browse(say("door.settings"), [words for words, _ in listed], say, settings.theme, at).run()
        if at is not None:
            settings = listed[at][1]()
            kept_settings.keep(settings)
    return ""


def rows(settings: Settings, say: Translator) -> list[tuple[str, Callable[[], Settings]]]:
    """List the settings in words, each with a function that returns the settings after choosing
    it."""

    def next_of(name: str, values: Sequence[str]) -> Callable[[], Settings]:
        now = getattr(settings, name)
        after = values[(values.index(now) + 1) % len(values)] if now in values else values[0]
        return lambda: msgspec.structs.replace(settings, **{name: after})

    def other(name: str) -> Callable[[], Settings]:
        return lambda: msgspec.structs.replace(settings, **{name: not getattr(settings, name)})

    yes_no = {True: say("yes"), False: say("no")}
    spoken = settings.language
    language = Translator(spoken)("language.own") if spoken else say("settings.computers")
    theme = settings.theme or THEMES[0].name
    return [
        (say("settings.language", value=language), next_of("language", ("", *LANGUAGES))),
        (say("settings.theme", value=say(f"theme.{theme}")), next_of("theme", [one.name for one in THEMES])),
        (say("settings.voice", value=yes_no[settings.voice]), other("voice")),
        (say("settings.sounds", value=yes_no[settings.sounds]), other("sounds")),
        (say("settings.still", value=yes_no[settings.still]), other("still")),
        (say("settings.pictures", value=yes_no[settings.pictures]), other("pictures")),
        (
            say("settings.camera", value=settings.camera or say("none")),
            next_of("camera", ("", "0", "1", "2")),
        ),
    ]


def _share(settings: Settings, say: Translator) -> str:
    """Switch to the next choice of who may join the tables: nobody, browsers on this computer,
    those in the local network."""
    values = ("", *PLACES)
    after = values[(values.index(settings.share) + 1) % len(values)] if settings.share in values else ""
    kept_settings.keep(msgspec.structs.replace(settings, share=after))
    return say("share.who_nobody") if not after else f"{say(f'share.who_{after}')}. {say('share.with_j')}"


LOOKING: dict[str, Callable[[Settings, Translator], str]] = {
    "evenings": _evenings,
    "history": _history,
    "people": _people,
    "figures": _figures,
    "cards": _decks,
    "settings": _settings,
    "share": _share,
}
