"""`companion history`: list the sessions in the journal, and what happened in one of them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from companion import settings as kept_settings
from companion.commands.common import (
    add_journal_option,
    add_json_option,
    add_language_option,
    print_json,
    refuse_overwriting_source,
    report_missing_entries,
)
from companion.journal import sidecar_files
from companion.journal.backup import save_backup
from companion.journal.database_file import resolve_path
from companion.journal.history import Record, build_records, iter_by_day
from companion.journal.saved_session import Proof, SavedSession, SessionRow, verify_commitments
from companion.journal.sidecar_files import (
    LARGEST_PHOTO,
    SessionNotes,
    pictures_folder,
    read_notes,
    read_photo,
    read_pictures,
    save_notes,
    save_photo,
)
from companion.journal.store import Store, default_journal_path
from companion.journal.summaries import SessionSummary, load_summaries, summarise_session
from companion.rules import registry
from companion.rules.contract import Game, Problem, Text
from companion.texts import (
    Translator,
    clean_text,
    describe_os_error,
    format_score,
    make_encoding_problem,
)
from companion.user_files import expand_path, read_limited_bytes
from companion.views.session_page import write_session_page


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `companion history`."""
    parser.add_argument("session", nargs="?", type=int, help="history.session")
    add_journal_option(parser)
    add_json_option(parser)
    parser.add_argument("--page", metavar="FILE.html", type=Path, help="history.page")
    parser.add_argument("--delete-pictures", action="store_true", help="history.delete_pictures")
    parser.add_argument("--throw-away", action="store_true", help="history.throw_away")
    parser.add_argument("--take-back", action="store_true", help="history.take_back")
    parser.add_argument("--place", metavar="WORDS", help="history.place")
    parser.add_argument("--note", metavar="WORDS", help="history.note")
    parser.add_argument("--photo", metavar="FILE", help="history.photo")
    parser.add_argument("--backup", metavar="FILE", type=Path, help="history.backup")
    add_language_option(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the list or the session; return 1 if it contradicts its commitments or if entries are
    missing, else 0. Raises `Problem` if the journal cannot be read."""
    translator = Translator(arguments.lang)
    if arguments.page is not None and arguments.session is None:
        raise Problem("page.which", file=str(arguments.page))
    if arguments.delete_pictures and arguments.session is None:
        raise Problem("pictures.which")
    if (arguments.throw_away or arguments.take_back) and arguments.session is None:
        raise Problem("evening.which")
    requested_notes = (arguments.place, arguments.note, arguments.photo)
    if requested_notes != (None, None, None) and arguments.session is None:
        raise Problem("evening.notes.which")
    journal = arguments.journal or default_journal_path()
    if arguments.page is not None:
        # A mistyped name must not replace the journal by a page.
        refuse_overwriting_source(arguments.page, journal)
    if arguments.backup is not None:
        return _save_backup(journal, arguments.backup, translator)
    proof = Proof()
    record: object = None
    with Store.open_read_only(journal) as store:
        # Notes and photos lie beside the file in which the evening went on, if it is read.
        journal = store.path
        if arguments.session is None and arguments.json:
            lines, record = [], list(_list_session_records(store, store.list_sessions(), translator))
        elif arguments.session is None:
            lines = list(format_session_list(store, store.list_sessions(), arguments.lang))
        else:
            saved = store.read_session(arguments.session)
            proof = verify_commitments(saved)
            lines = _list_session_lines(saved, proof, journal, arguments, translator)
            if arguments.json:
                # Afterwards, so that it has what was asked to be changed.
                record = _build_story_record(saved, store, proof, translator)
        missing = report_missing_entries(store, translator, "history")
    if arguments.json:
        print_json(record)
    else:
        for line in lines:
            print(line)
    return 0 if proof.is_valid and not missing else 1


def _list_session_lines(
    saved: SavedSession, proof: Proof, journal: Path, arguments: argparse.Namespace, translator: Translator
) -> list[str]:
    """Make the requested changes, or else tell the story; return what to print."""
    changes = list(_apply_options(saved, journal, arguments, translator))
    # Whoever changes something hears of the draws only if they are wrong.
    if changes and proof.is_valid:
        return changes
    return [*(changes or _format_story(saved, journal, translator)), *format_proof(proof, translator)]


def _save_backup(journal: Path, named: Path, translator: Translator) -> int:
    """Copy the journal to a new file; return 1 if part of it is damaged or missing."""
    target = resolve_path(expand_path(str(named)))
    if target.exists():
        raise Problem("output.there", file=str(target))
    with Store.open_read_only(journal) as store:
        damaged = save_backup(store, target)
        count = len(store.list_sessions())
        missing = report_missing_entries(store, translator, "history")
    print(translator.translate(Text("history.backed_up", {"file": str(target)}, count)))
    for text in damaged:
        print(f"companion history: {translator.translate(text)}", file=sys.stderr)
    return 1 if damaged or missing else 0


def _list_session_records(
    store: Store, rows: Sequence[SessionRow], translator: Translator
) -> Iterator[dict[str, Any]]:
    """Yield what the list says of these sessions, for programs; times are seconds since 1970."""
    settings = kept_settings.load_settings()
    for row, found in zip(rows, load_summaries(store, rows, settings.called), strict=True):
        notes = read_notes(store.path, row.number, row.begun)
        record: dict[str, Any] = {
            "session": row.number,
            "id": str(row.id),
            "game": row.game,
            "begun": row.begun,
            "last": row.last,
            "entries": row.entries,
            "hidden": row.begun in settings.thrown_away,
            "place": notes.place or None,
            "note": notes.words or None,
            "photo": bool(read_photo(store.path, row.number, row.begun)),
        }
        # One session that cannot be read does not hide the others.
        if isinstance(found, Text):
            yield record | {"trouble": translator.translate(found)}
            continue
        yield record | {
            "minutes": found.minutes,
            "over": found.is_over,
            "players": [
                {
                    "name": name,
                    "side": found.sides[name],
                    "points": found.points[name],
                    "place": found.ranks.get(name),
                }
                for name in found.players
            ],
        }


def _build_story_record(
    saved: SavedSession, store: Store, proof: Proof, translator: Translator
) -> dict[str, Any]:
    """Return one session for programs: what the list says of it, its entries in words, and what
    verifying the seals showed."""
    rows = [row for row in store.list_sessions() if row.number == saved.number]
    (listed,) = _list_session_records(store, rows, translator)
    game = registry.load_game(saved.setup.game)
    words = Translator(translator.language, game, saved.people.display_names)
    entries = [
        {
            "number": one.number,
            "time": one.time,
            "player": one.player,
            "text": words.translate(one.text),
            "points": one.points,
        }
        for one in build_records(saved)
    ]
    return listed | {"told": entries, "proof": msgspec.to_builtins(proof) | {"valid": proof.is_valid}}


def _apply_options(
    saved: SavedSession, journal: Path, arguments: argparse.Namespace, translator: Translator
) -> Iterator[str]:
    """Do what was asked with the session, and yield messages about it. The page is written last, so
    that it shows the new notes."""
    if (arguments.place, arguments.note) != (None, None):
        yield save_note(saved, journal, translator, place=arguments.place, words=arguments.note)
    if arguments.photo is not None:
        yield translator.translate(attach_photo(saved, journal, arguments.photo))
    if arguments.delete_pictures:
        yield translator.translate(delete_pictures(saved, journal))
    if arguments.throw_away or arguments.take_back:
        yield translator.translate(discard_session(saved.number, saved.begun, discard=arguments.throw_away))
    if arguments.page is not None:
        yield translator.translate(write_session_page(saved, journal, arguments.page, arguments.lang))


def _format_story(saved: SavedSession, journal: Path, translator: Translator) -> Iterator[str]:
    """Describe what happened in the session, and what else is stored of it."""
    yield from format_session(saved, translator.language)
    for line in read_notes(journal, saved.number, saved.begun).nonempty_texts:
        yield clean_text(line)
    if read_photo(journal, saved.number, saved.begun):
        yield translator("evening.photo.there", number=saved.number)
    if pictures := read_pictures(journal, saved):
        yield translator("pictures.there", n=len(pictures), folder=str(pictures_folder(journal, saved)))


def delete_pictures(saved: SavedSession, journal: Path) -> Text:
    """Delete the pictures of an evening; return how many there were, in words. Raises `Problem` if
    they cannot be deleted."""
    try:
        count = sidecar_files.delete_pictures(journal, saved)
    except OSError as fault:
        reason_args = {"folder": str(pictures_folder(journal, saved)), "reason": describe_os_error(fault)}
        raise Problem("pictures.undeleted", **reason_args) from fault
    return Text("pictures.deleted", {}, count)


def discard_session(number: int, begun: float, *, discard: bool) -> Text:
    """Hide the evening of this number and start time from lists and statistics, or (`away` false)
    restore it; return a message. Raises `Problem` if the settings cannot be saved.

    The journal is append-only and stays as it is: the settings record that an evening is hidden.
    """
    kept_settings.change_settings(lambda settings: settings.with_discarded_session(begun, discarded=discard))
    return Text("evening.thrown_away" if discard else "evening.taken_back", {"number": str(number)})


def save_note(
    saved: SavedSession, journal: Path, translator: Translator, *, place: str | None, words: str | None
) -> str:
    """Store where an evening was played, or a note (None: unchanged); return its notes in words.
    Raises `Problem` if they cannot be saved."""
    before = read_notes(journal, saved.number, saved.begun)
    now = SessionNotes(before.place if place is None else place, before.words if words is None else words)
    try:
        save_notes(journal, saved.number, saved.begun, now)
    except UnicodeEncodeError as fault:
        raise make_encoding_problem(fault) from fault
    except OSError as fault:
        raise Problem("evening.notes.not_kept", reason=describe_os_error(fault)) from fault
    return translator("evening.noted", notes=" · ".join(map(clean_text, now.nonempty_texts)) or "–")


def attach_photo(saved: SavedSession, journal: Path, file: str) -> Text:
    """Store the photo in `file` with an evening ("": delete its photo); return a message. Raises
    `Problem` if it is not a picture or cannot be saved."""
    try:
        photo = read_limited_bytes(expand_path(file), LARGEST_PHOTO) if file else b""
    except OSError as fault:
        raise Problem(
            "evening.photo.unreadable", file=clean_text(file), reason=describe_os_error(fault)
        ) from fault
    try:
        save_photo(journal, saved.number, saved.begun, photo)
    except OSError as fault:
        raise Problem("evening.notes.not_kept", reason=describe_os_error(fault)) from fault
    return Text("evening.photo.kept" if photo else "evening.photo.gone")


def format_session_list(store: Store, rows: Sequence[SessionRow], language: str) -> Iterator[str]:
    """Yield one line for each session: number, start, game, and who won or the points so far."""
    translator = Translator(language)
    titles = {one: Translator.for_game(language, one)("game.title") for one in {row.game for row in rows}}
    discarded = kept_settings.load_settings().thrown_away
    if not rows:
        yield translator("history.empty")
    # Summaries are cached: the list does not replay every act ever played.
    for row, found in zip(
        rows, load_summaries(store, rows, kept_settings.load_settings().called), strict=True
    ):
        begun = datetime.fromtimestamp(row.begun).strftime("%Y-%m-%d %H:%M")
        if isinstance(found, Text):  # one session that cannot be read does not hide the others
            game, standing = row.game, translator.translate(found)
        else:
            game, standing = titles[row.game], _format_standing(found, translator)
        discarded_label = f"  [{translator('history.thrown_away')}]" if row.begun in discarded else ""
        notes_and_photo = list(map(clean_text, read_notes(store.path, row.number, row.begun).nonempty_texts))
        if read_photo(store.path, row.number, row.begun):
            notes_and_photo.append(translator("evening.photo.mark"))
        notes = "".join(f"  · {one}" for one in notes_and_photo)
        yield f"{row.number:>4}  {begun}  {translator('of_whom', who=game, what=standing)}{notes}{discarded_label}"


def format_session(saved: SavedSession, language: str) -> Iterator[str]:
    """Yield one line for each entry: number, time, what happened, and the points where they
    changed; and one for each further day on which it was played."""
    game: Game[Any] = registry.load_game(saved.setup.game)
    translator = Translator(language, game, saved.people.display_names)
    begun = datetime.fromtimestamp(saved.begun).strftime("%Y-%m-%d %H:%M")
    players = ", ".join(map(translator.display_name, saved.people.seats))
    yield translator("of_whom", who=f"{translator('game.title')}, {begun}", what=players)
    before: object = None
    for day, time, record in iter_by_day(saved.begun, build_records(saved)):
        if day is not None:
            yield str(day)
        line = f"{record.number:>4}  {time:%H:%M:%S}  {translator.translate(record.text)}"
        yield line if record.points == before else f"{line}  [{_format_scores(record, translator)}]"
        before = record.points
    yield _format_standing(summarise_session(saved), translator)


def format_proof(proof: Proof, translator: Translator) -> Iterator[str]:
    """Describe the result of verifying the seals and the seed; nothing if there were none."""
    if proof.opened or proof.closed:
        yield translator("history.seals", opened=proof.opened, closed=proof.closed)
    if proof.seeds:
        yield translator("history.seed")
    if proof.decided_anew:
        yield translator("history.decided_anew", n=proof.decided_anew)
    if proof.otherwise:
        yield translator("history.otherwise", entries=proof.otherwise)
    if proof.false:
        yield translator("history.false", entries=proof.false)


def _format_standing(summary: SessionSummary, translator: Translator) -> str:
    display_names = {
        right: translator.with_names(summary.shown).display_name(seat)
        for seat, right in summary.names.items()
    }
    scores = ", ".join(
        f"{display_names[name]} {format_score(total)}" for name, total in summary.points.items()
    )
    if not summary.is_over:
        return translator("history.unfinished", scores=scores)
    winners = tuple(display_names[name] for name in summary.winners)
    return translator("history.won", n=len(winners), winners=winners, scores=scores)


def _format_scores(record: Record, translator: Translator) -> str:
    return ", ".join(
        f"{translator.display_name(name)} {format_score(total)}" for name, total in record.points.items()
    )
