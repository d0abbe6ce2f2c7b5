"""`companion history`: list the sessions in the journal, and what happened in one of them."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from companion import settings as kept_settings
from companion.commands.common import add_journal, add_language, spare, tell_missing
from companion.given_files import bytes_of, path_of
from companion.journal import beside
from companion.journal.beside import (
    LARGEST_PHOTO,
    EveningNotes,
    keep_notes,
    keep_photo,
    notes_of,
    photo_of,
    pictures_folder,
    pictures_of,
)
from companion.journal.history import Record, by_day, records
from companion.journal.kept import Kept, Proof, SessionRow, prove
from companion.journal.store import Store, default_path
from companion.journal.summaries import SessionSummary, summaries, summary_of
from companion.rules import registry
from companion.rules.contract import Game, Problem, Text
from companion.texts import Translator, clean, no_text, system_reason
from companion.views.evening_page import write_page


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `companion history`."""
    parser.add_argument("session", nargs="?", type=int, help="history.session")
    add_journal(parser)
    parser.add_argument("--page", metavar="FILE.html", type=Path, help="history.page")
    parser.add_argument("--delete-pictures", action="store_true", help="history.delete_pictures")
    parser.add_argument("--throw-away", action="store_true", help="history.throw_away")
    parser.add_argument("--take-back", action="store_true", help="history.take_back")
    parser.add_argument("--place", metavar="WORDS", help="history.place")
    parser.add_argument("--note", metavar="WORDS", help="history.note")
    parser.add_argument("--photo", metavar="FILE", help="history.photo")
    add_language(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the list or the session; return 1 if it contradicts its commitments or if entries are
    missing, else 0. Raises `Problem` if the journal cannot be read."""
    say = Translator(arguments.lang)
    if arguments.page is not None and arguments.session is None:
        raise Problem("page.which", file=str(arguments.page))
    if arguments.delete_pictures and arguments.session is None:
        raise Problem("pictures.which")
    if (arguments.throw_away or arguments.take_back) and arguments.session is None:
        raise Problem("evening.which")
    noted = (arguments.place, arguments.note, arguments.photo)
    if noted != (None, None, None) and arguments.session is None:
        raise Problem("evening.notes.which")
    journal = arguments.journal or default_path()
    if arguments.page is not None:
        # A mistyped name must not replace the journal by a page.
        spare(arguments.page, journal)
    proof = Proof()
    with Store.look(journal) as store:
        if arguments.session is None:
            lines = list(sessions_in_words(store, store.sessions(), arguments.lang))
        else:
            kept = store.read(arguments.session)
            proof = prove(kept)
            told = list(_done(kept, journal, arguments, say)) or _story(kept, journal, say)
            lines = [*told, *proof_in_words(proof, say)]
        missing = tell_missing(store, say, "history")
    for line in lines:
        print(line)
    return 0 if proof.holds and not missing else 1


def _done(kept: Kept, journal: Path, arguments: argparse.Namespace, say: Translator) -> Iterator[str]:
    """Do what was asked with the session, and yield messages about it. The page is written last, so
    that it shows the new notes."""
    if (arguments.place, arguments.note) != (None, None):
        yield note(kept, journal, say, place=arguments.place, words=arguments.note)
    if arguments.photo is not None:
        yield say.say(photograph(kept, journal, arguments.photo))
    if arguments.delete_pictures:
        yield say.say(delete_pictures(kept, journal))
    if arguments.throw_away or arguments.take_back:
        yield say.say(throw_away(kept.number, kept.begun, away=arguments.throw_away))
    if arguments.page is not None:
        yield say.say(write_page(kept, journal, arguments.page, arguments.lang))


def _story(kept: Kept, journal: Path, say: Translator) -> Iterator[str]:
    """Describe what happened in the session, and what else is stored of it."""
    yield from session_in_words(kept, say.language)
    for line in notes_of(journal, kept.number, kept.begun).told:
        yield clean(line)
    if photo_of(journal, kept.number, kept.begun):
        yield say("evening.photo.there", number=kept.number)
    if there := pictures_of(journal, kept):
        yield say("pictures.there", n=len(there), folder=str(pictures_folder(journal, kept)))


def delete_pictures(kept: Kept, journal: Path) -> Text:
    """Delete the pictures of an evening; return how many there were, in words. Raises `Problem` if
    they cannot be deleted."""
    try:
        count = beside.delete_pictures(journal, kept)
    except OSError as fault:
        told = {"folder": str(pictures_folder(journal, kept)), "reason": system_reason(fault)}
        raise Problem("pictures.undeleted", **told) from fault
    return Text("pictures.deleted", {}, count)


def throw_away(number: int, begun: float, *, away: bool) -> Text:
    """Hide the evening of this number and start time from lists and statistics, or (`away` false)
    restore it; return a message. Raises `Problem` if the settings cannot be saved.

    The journal is append-only and stays as it is: the settings record that an evening is hidden.
    """
    settings = kept_settings.load()
    kept_settings.keep(settings.throwing_away(begun, away=away))
    return Text("evening.thrown_away" if away else "evening.taken_back", {"number": str(number)})


def note(kept: Kept, journal: Path, say: Translator, *, place: str | None, words: str | None) -> str:
    """Store where an evening was played, or a note (None: unchanged); return its notes in words.
    Raises `Problem` if they cannot be saved."""
    before = notes_of(journal, kept.number, kept.begun)
    now = EveningNotes(before.place if place is None else place, before.words if words is None else words)
    try:
        keep_notes(journal, kept.number, kept.begun, now)
    except UnicodeEncodeError as fault:
        raise no_text(fault) from fault
    except OSError as fault:
        raise Problem("evening.notes.not_kept", reason=system_reason(fault)) from fault
    return say("evening.noted", notes=" · ".join(map(clean, now.told)) or "–")


def photograph(kept: Kept, journal: Path, file: str) -> Text:
    """Store the photo in `file` with an evening ("": delete its photo); return a message. Raises
    `Problem` if it is not a picture or cannot be saved."""
    try:
        photo = bytes_of(path_of(file), LARGEST_PHOTO) if file else b""
    except OSError as fault:
        raise Problem("evening.photo.unreadable", file=clean(file), reason=system_reason(fault)) from fault
    try:
        keep_photo(journal, kept.number, kept.begun, photo)
    except OSError as fault:
        raise Problem("evening.notes.not_kept", reason=system_reason(fault)) from fault
    return Text("evening.photo.kept" if photo else "evening.photo.gone")


def sessions_in_words(store: Store, listed: Sequence[SessionRow], language: str) -> Iterator[str]:
    """Yield one line for each session: number, start, game, and who won or the points so far."""
    say = Translator(language)
    titles = {one: Translator.of(language, one)("game.title") for one in {row.game for row in listed}}
    thrown = kept_settings.load().thrown_away
    if not listed:
        yield say("history.empty")
    # Summaries are cached: the list does not replay every act ever played.
    for row, found in zip(listed, summaries(store, listed, kept_settings.load().called), strict=True):
        begun = datetime.fromtimestamp(row.begun).strftime("%Y-%m-%d %H:%M")
        if isinstance(found, Text):  # one session that cannot be read does not hide the others
            game, standing = row.game, say.say(found)
        else:
            game, standing = titles[row.game], _standing(found, say)
        away = f"  [{say('history.thrown_away')}]" if row.begun in thrown else ""
        told = list(map(clean, notes_of(store.path, row.number, row.begun).told))
        if photo_of(store.path, row.number, row.begun):
            told.append(say("evening.photo.mark"))
        notes = "".join(f"  · {one}" for one in told)
        yield f"{row.number:>4}  {begun}  {say('of_whom', who=game, what=standing)}{notes}{away}"


def session_in_words(kept: Kept, language: str) -> Iterator[str]:
    """Yield one line for each entry: number, time, what happened, and the points where they
    changed; and one for each further day on which it was played."""
    game: Game[Any] = registry.load(kept.setup.game)
    say = Translator(language, game, kept.people.shown)
    begun = datetime.fromtimestamp(kept.begun).strftime("%Y-%m-%d %H:%M")
    players = ", ".join(map(say.name, kept.people.seats))
    yield say("of_whom", who=f"{say('game.title')}, {begun}", what=players)
    before: object = None
    for day, time, record in by_day(kept.begun, records(kept)):
        if day is not None:
            yield str(day)
        told = f"{record.number:>4}  {time:%H:%M:%S}  {say.say(record.text)}"
        yield told if record.points == before else f"{told}  [{_scores(record, say)}]"
        before = record.points
    yield _standing(summary_of(kept), say)


def proof_in_words(proof: Proof, say: Translator) -> Iterator[str]:
    """Describe the result of verifying the seals and the seed; nothing if there were none."""
    if proof.opened or proof.closed:
        yield say("history.seals", opened=proof.opened, closed=proof.closed)
    if proof.seeds:
        yield say("history.seed")
    if proof.decided_anew:
        yield say("history.decided_anew", n=proof.decided_anew)
    if proof.otherwise:
        yield say("history.otherwise", entries=proof.otherwise)
    if proof.false:
        yield say("history.false", entries=proof.false)


def _standing(found: SessionSummary, say: Translator) -> str:
    called = {right: say.calling(found.shown).name(seat) for seat, right in found.names.items()}
    scores = ", ".join(f"{called[name]} {total}" for name, total in found.points.items())
    if not found.over:
        return say("history.unfinished", scores=scores)
    winners = tuple(called[name] for name in found.winners)
    return say("history.won", n=len(winners), winners=winners, scores=scores)


def _scores(record: Record, say: Translator) -> str:
    return ", ".join(f"{say.name(name)} {total}" for name, total in record.points.items())
