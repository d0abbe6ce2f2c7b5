"""Pages that the home screen opens itself: earlier evenings, people, figures, decks, settings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from io import BytesIO

import msgspec
from textual.content import Content

from companion import commands, libraries
from companion import settings as kept_settings
from companion.commands.figures import load_figures
from companion.commands.history import (
    attach_photo,
    delete_pictures,
    discard_session,
    format_session,
    format_session_list,
    save_note,
)
from companion.commands.running import run_from_home_screen
from companion.decks.collection import describe_deck_name, list_deck_files
from companion.evening.home_screen_entries import format_session_summary
from companion.evening.sharing import PLACES
from companion.figures.rendering import FiguresWording
from companion.folders import user_decks_folder
from companion.journal.database_file import StorageFault
from companion.journal.saved_session import SavedSession
from companion.journal.sidecar_files import read_notes, read_photo, read_pictures
from companion.journal.store import Store, default_journal_path, journal_exists
from companion.journal.summaries import iter_last_played, list_unfinished
from companion.language import LANGUAGES
from companion.plan import Plan
from companion.rules.contract import Problem
from companion.rules.start import check_names
from companion.settings import Settings
from companion.table.decks import Deck, DeckError
from companion.table.zones import describe_design
from companion.texts import Translator, clean_text
from companion.views.dashboard.widgets.stage import compute_columns, draw_picture_cells
from companion.views.home_screen.figures_page import FiguresPage
from companion.views.home_screen.list_pages import ListPage, ProgressCallback, ProgressPage, SearchPage
from companion.views.themes import THEMES


def _browse_history(settings: Settings, translator: Translator) -> str:
    """Search the list of evenings, and read any of them act by act."""
    if not journal_exists(default_journal_path()):
        return translator("history.empty")
    at: int | None = 0
    while at is not None:
        try:
            with Store.open_read_only(default_journal_path()) as store:
                rows = [row for row in store.list_sessions() if row.entries][::-1]
                if not rows:
                    return translator("history.empty")
                lines = list(format_session_list(store, rows, translator.language))
                page = SearchPage(
                    translator("home_screen.history"), lines, translator, settings.theme, at, can_remove=True
                )
                at = page.run()
                if at is None:
                    return ""
                saved = store.read_session(rows[at].number)
        except Problem as fault:
            return translator.translate(fault.text)
        # Outside the `with`: resuming an evening writes to the journal that was being read.
        if page.chosen_for_removal:
            _confirm_discard(saved.number, saved.begun, lines[at], settings, translator)
        else:
            _browse_session(saved, settings, translator)
    return ""


def _browse_unfinished(settings: Settings, translator: Translator) -> str:
    """Search the evenings that have not ended, resume one, or discard some."""
    at: int | None = 0
    while True:
        try:
            with Store.open_read_only(default_journal_path()) as store:
                now = kept_settings.load_settings()
                unfinished = list_unfinished(store, now.thrown_away, now.called)
        except StorageFault as fault:
            return translator.translate(fault.text)
        if not unfinished:  # the last one was thrown away: the home screen offers none any more
            return ""
        lines = [format_session_summary(summary, translator) for summary in unfinished]
        page = SearchPage(
            translator("home_screen.evenings"), lines, translator, settings.theme, at or 0, can_remove=True
        )
        at = page.run()
        if at is None:
            return ""
        if not page.chosen_for_removal:
            _play_saved_session(unfinished[at].number, translator)
            return ""
        _confirm_discard(unfinished[at].number, unfinished[at].begun, lines[at], settings, translator)


def _play_saved_session(number: int, translator: Translator) -> None:
    run_from_home_screen(Plan(resume=number), translator)


def _confirm_discard(
    number: int, begun: float, title: str, settings: Settings, translator: Translator
) -> None:
    """Ask for confirmation and discard the evening, or restore one that was discarded."""
    discard = begun not in kept_settings.load_settings().thrown_away
    if discard:
        surely = [translator("evening.leave"), translator("evening.surely")]
        if ListPage(title, surely, translator, settings.theme).run() != 1:
            return
    discard_session(number, begun, discard=discard)


def _browse_session(saved: SavedSession, settings: Settings, translator: Translator) -> None:
    """Show an evening act by act. Its first lines resume it if it has not ended, discard or restore
    it, edit its notes and photo, and delete its pictures."""
    session_lines = list(format_session(saved, translator.language))
    discarded = saved.begun in kept_settings.load_settings().thrown_away
    actions: list[tuple[str, Callable[[], None]]] = []
    if not saved.is_over:
        actions.append((translator("evening.go_on"), lambda: _play_saved_session(saved.number, translator)))
    words = translator("evening.take_back" if discarded else "evening.throw_away")
    actions.append(
        (words, lambda: _confirm_discard(saved.number, saved.begun, session_lines[0], settings, translator))
    )
    # Notes lie beside the journal, which only grows and is never edited.
    notes = read_notes(default_journal_path(), saved.number, saved.begun)
    words = translator("evening.place", place=clean_text(notes.place) or "–")
    actions.append((words, lambda: _edit_note(saved, "place", settings, translator)))
    words = translator("evening.words", words=clean_text(notes.words) or "–")
    actions.append((words, lambda: _edit_note(saved, "words", settings, translator)))
    photo = read_photo(default_journal_path(), saved.number, saved.begun)
    words = translator("evening.photo", photo=translator("answer.yes" if photo else "answer.no"))
    actions.append((words, lambda: _edit_photo(saved, settings, translator)))
    if picture_count := len(read_pictures(default_journal_path(), saved)):
        words = translator("pictures.delete", n=picture_count)
        actions.append((words, lambda: _confirm_delete_pictures(saved, picture_count, settings, translator)))
    lines = [*(f"▸ {words}" for words, _ in actions), *session_lines[1:]]
    chosen = ListPage(
        session_lines[0], lines, translator, settings.theme, photo=make_photo_renderer(photo)
    ).run()
    if chosen is not None and chosen < len(actions):
        actions[chosen][1]()


def make_photo_renderer(photo: bytes) -> Callable[[int, int], Content] | None:
    """Return a function that draws a JPEG in character cells; None if the JPEG cannot be read."""
    try:
        with libraries.Image.open(BytesIO(photo), formats=["JPEG"]) as image:
            picture = image.convert("RGB")
    except (OSError, ValueError, SyntaxError):  # as Pillow says that a file is damaged
        return None

    def render_photo(columns: int, rows: int) -> Content:
        rows = min(rows, max(rows * columns // max(compute_columns(picture, rows), 1), 1))
        return Content("\n").join(
            draw_picture_cells(picture, min(compute_columns(picture, rows), columns), rows)
        )

    return render_photo


def _edit_note(saved: SavedSession, field: str, settings: Settings, translator: Translator) -> None:
    """Ask where an evening was played, or for a note; `-` alone deletes it."""
    page = SearchPage(translator(f"evening.{field}.ask"), [], translator, settings.theme, free=True)
    if page.run() is not None:
        typed = "" if page.typed == "-" else page.typed
        place, words = (typed, None) if field == "place" else (None, typed)
        save_note(saved, default_journal_path(), translator, place=place, words=words)


def _edit_photo(saved: SavedSession, settings: Settings, translator: Translator) -> None:
    """Ask for the file name of a photo until it can be used or the page is left; `-` alone deletes
    the photo."""
    title = translator("evening.photo.ask")
    while True:
        page = SearchPage(title, [], translator, settings.theme, free=True)
        if page.run() is None:
            return
        try:
            attach_photo(saved, default_journal_path(), "" if page.typed == "-" else page.typed)
        except Problem as fault:
            title = translator.translate(fault.text)
        else:
            return


def _confirm_delete_pictures(
    saved: SavedSession, count: int, settings: Settings, translator: Translator
) -> None:
    surely = [translator("pictures.leave"), translator("pictures.surely")]
    if ListPage(translator("pictures.delete", n=count), surely, translator, settings.theme).run() == 1:
        delete_pictures(saved, default_journal_path())


def _browse_people(settings: Settings, translator: Translator) -> str:
    """Rename a person in all evenings, or merge two names of one person."""
    at: int | None = 0
    while True:
        # Loaded again each time: the last renaming has changed them.
        settings = kept_settings.load_settings()
        times: Counter[str] = Counter()
        if journal_exists(default_journal_path()):
            try:
                with Store.open_read_only(default_journal_path()) as store:
                    for one in iter_last_played(store, settings.thrown_away, settings.called):
                        times.update(one.players)
            except StorageFault as fault:
                return translator.translate(fault.text)
        people = sorted({*times, *settings.list_known_names()}, key=str.casefold)
        if not people:
            return translator("people.none")
        lines = [f"{clean_text(name)}  {translator('people.evenings', n=times[name])}" for name in people]
        at = SearchPage(translator("home_screen.people"), lines, translator, settings.theme, at or 0).run()
        if at is None:
            return ""
        _rename_person(people[at], people, settings, translator)


def _rename_person(old: str, people: Sequence[str], settings: Settings, translator: Translator) -> None:
    """Ask for the new name, or for the person to merge with; merging must be confirmed."""
    old_name, others = clean_text(old), [name for name in people if name != old]
    ways = [
        translator("people.call", player=old_name),
        *([translator("people.merge", player=old_name)] if others else []),
    ]
    way = ListPage(old_name, ways, translator, settings.theme).run()
    if way is None:
        return
    page = SearchPage(
        ways[way], list(map(clean_text, others)) if way else [], translator, settings.theme, free=not way
    )
    at = page.run()
    if at is None:
        return
    new = page.typed or others[at]
    surely = [translator("people.as_is"), translator("people.surely", old=old_name, new=clean_text(new))]
    refusal = check_names([new])
    if refusal is not None:
        ListPage(
            translator.translate(refusal.text), [translator("people.as_is")], translator, settings.theme
        ).run()
    # A new name for one person needs no confirmation; merging two people does.
    elif new not in others or ListPage(ways[-1], surely, translator, settings.theme).run() == 1:
        kept_settings.change_settings(lambda settings: settings.with_renamed_person(old, new))


def _browse_figures(settings: Settings, translator: Translator) -> str:
    """Show the figures of all evenings."""
    if not journal_exists(default_journal_path()):
        return translator("history.empty")
    try:
        found, omissions = load_figures(default_journal_path())
    except StorageFault as fault:
        return translator.translate(fault.text)
    if not found:
        return translator("figures.none")
    FiguresPage(
        found, FiguresWording(translator.language), settings.theme, [*map(translator.translate, omissions)]
    ).run()
    return ""


def _run_deck_browser(settings: Settings, translator: Translator) -> str:
    """Show the list of decks, and the cards of any of them."""
    decks = _load_decks()
    at: int | None = 0
    while at is not None:
        at = _choose_deck("home_screen.decks", decks, settings, translator, at)
        if at is not None:
            name, deck = decks[at]
            in_words = Translator.for_game(translator.language, deck.game)
            cards = [
                f"{one.copies:3d} × {in_words.translate(describe_design(deck, one.name))}"
                for one in deck.designs
            ]
            if (
                ListPage(
                    translator.format_argument(describe_deck_name(deck)),
                    [translator("home_screen.print"), *cards],
                    translator,
                    settings.theme,
                ).run()
                == 0
            ):
                _print_deck(deck, name, settings, translator)
    return ""


def _load_decks() -> list[tuple[str, Deck]]:
    """Return the decks, ours and the user's, with their names in commands."""
    decks = []
    for name, path in list_deck_files().items():
        try:
            decks.append((name, Deck.load(path)))
        except DeckError:  # `companion cards check` says what is wrong with it
            continue
    return decks


def _choose_deck(
    title: str, decks: Sequence[tuple[str, Deck]], settings: Settings, translator: Translator, at: int = 0
) -> int | None:
    lines = [f"{translator.format_argument(describe_deck_name(deck))}  ({name})" for name, deck in decks]
    return ListPage(translator(title), lines, translator, settings.theme, at).run()


def _enrol_deck(settings: Settings, translator: Translator) -> str:
    """Ask which deck to show the camera, and enrol it."""
    decks = _load_decks()
    at = _choose_deck("home_screen.enrol", decks, settings, translator)
    if at is not None:
        run_from_home_screen("enrol", translator, ["--deck", decks[at][0]])
    return ""


def _print_deck(deck: Deck, name: str, settings: Settings, translator: Translator) -> None:
    """Print a deck into its folder among the user's decks, showing progress and result."""

    def print_sheets(done: ProgressCallback) -> list[str]:
        return commands.cards.print_deck(deck, user_decks_folder() / name, translator, done=done)

    title = translator(
        "share.labelled", label=describe_deck_name(deck), value=translator("home_screen.print")
    )
    result = ProgressPage(title, print_sheets, "cards.progress", translator, settings.theme).run()
    ListPage(
        title,
        [translator("home_screen.print.broken_off")] if result is None else result,
        translator,
        settings.theme,
    ).run()


def _edit_settings(settings: Settings, translator: Translator) -> str:
    """Change settings one after the other; each is saved at once."""
    at: int | None = 0
    while at is not None:
        # The language is one of the settings, so the next list is in the new one.
        translator = Translator(settings.resolve_language())
        listed = build_setting_rows(settings, translator)
        at = ListPage(
            translator("home_screen.settings"), [words for words, _ in listed], translator, settings.theme, at
        ).run()
        if at is not None:
            settings = kept_settings.change_settings(listed[at][1])
    return ""


def build_setting_rows(
    settings: Settings, translator: Translator
) -> list[tuple[str, Callable[[Settings], Settings]]]:
    """List the settings in words, each with the change that choosing it makes."""

    def cycle_value(name: str, values: Sequence[str]) -> Callable[[Settings], Settings]:
        now = getattr(settings, name)
        after = values[(values.index(now) + 1) % len(values)] if now in values else values[0]
        return lambda before: msgspec.structs.replace(before, **{name: after})

    def toggle_value(name: str) -> Callable[[Settings], Settings]:
        after = not getattr(settings, name)
        return lambda before: msgspec.structs.replace(before, **{name: after})

    yes_no = {True: translator("answer.yes"), False: translator("answer.no")}
    language_code = settings.language
    language = (
        Translator(language_code)("language.own") if language_code else translator("settings.computers")
    )
    theme = settings.theme or THEMES[0].name
    return [
        (translator("settings.language", value=language), cycle_value("language", ("", *LANGUAGES))),
        (
            translator("settings.theme", value=translator(f"theme.{theme}")),
            cycle_value("theme", [one.name for one in THEMES]),
        ),
        (translator("settings.voice", value=yes_no[settings.voice]), toggle_value("voice")),
        (translator("settings.sounds", value=yes_no[settings.sounds]), toggle_value("sounds")),
        (translator("settings.still", value=yes_no[settings.still]), toggle_value("still")),
        (translator("settings.pictures", value=yes_no[settings.pictures]), toggle_value("pictures")),
        (
            translator("settings.camera", value=settings.camera or translator("list.none")),
            cycle_value("camera", ("", "0", "1", "2")),
        ),
    ]


def _cycle_sharing(settings: Settings, translator: Translator) -> str:
    """Switch to the next choice of who may join the tables: nobody, browsers on this computer,
    those in the local network."""
    values = ("", *PLACES)
    after = values[(values.index(settings.share) + 1) % len(values)] if settings.share in values else ""
    kept_settings.change_settings(lambda before: msgspec.structs.replace(before, share=after))
    return (
        translator("share.who_nobody")
        if not after
        else f"{translator(f'share.who_{after}')}. {translator('share.with_j')}"
    )


PAGE_OPENERS: dict[str, Callable[[Settings, Translator], str]] = {
    "evenings": _browse_unfinished,
    "history": _browse_history,
    "people": _browse_people,
    "figures": _browse_figures,
    "cards": _run_deck_browser,
    "enrol": _enrol_deck,
    "settings": _edit_settings,
    "share": _cycle_sharing,
}
