"""`companion history`: which sessions the journal holds, and what happened in one of them."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from companion import settings as kept_settings
from companion.commands.common import add_journal, add_language, spare, tell_missing
from companion.journal import beside
from companion.journal.beside import (
    EveningNotes,
    keep_notes,
    notes_of,
    pictures_folder,
    pictures_of,
)
from companion.journal.history import Record, records
from companion.journal.kept import Kept, SessionRow
from companion.journal.proof import Proof, prove
from companion.journal.store import Store, default_path
from companion.journal.summaries import SessionSummary, summaries, summary_of
from companion.rules import registry
from companion.rules.contract import Game, Problem, Text
from companion.texts import Translator, clean, system_reason
from companion.views.saved_page import write_page


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `companion history`."""
    parser.add_argument(
        "session", nargs="?", type=int, help="the number of one session, to see what happened in it"
    )
    add_journal(parser)
    page = "keep the page of that evening in FILE: one HTML file with scores, reasons and the story, to send to friends"
    parser.add_argument("--page", metavar="FILE.html", type=Path, help=page)
    delete = "delete all pictures that were kept of that evening's reveals"
    parser.add_argument("--delete-pictures", action="store_true", help=delete)
    away = "offer and count that evening no more: the journal keeps it, and --take-back takes it back"
    parser.add_argument("--throw-away", action="store_true", help=away)
    parser.add_argument("--take-back", action="store_true", help="take back an evening that was thrown away")
    parser.add_argument("--place", metavar="WORDS", help="note where that evening was played")
    parser.add_argument(
        "--note", metavar="WORDS", help="note something of that evening; no words take it away"
    )
    add_language(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the list or the session; 1 when it is not what was committed to, or the journal lacks
    what was kept in it; 2 with a message when the journal cannot be read."""
    say = Translator(arguments.lang)
    if arguments.page is not None and arguments.session is None:
        raise Problem("page.which", file=str(arguments.page))
    if arguments.delete_pictures and arguments.session is None:
        raise Problem("pictures.which")
    if (arguments.throw_away or arguments.take_back) and arguments.session is None:
        raise Problem("evening.which")
    if (arguments.place, arguments.note) != (None, None) and arguments.session is None:
        raise Problem("evening.notes.which")
    journal = arguments.journal or default_path()
    if arguments.page is not None:
        spare(arguments.page, journal)
    proof = Proof()
    with Store.look(journal) as store:
        if arguments.session is None:
            lines = list(sessions_in_words(store, store.sessions(), arguments.lang))
        else:
            kept = store.read(arguments.session)
            proof = prove(kept)
            told = list(_told(kept, journal, arguments, say))
            lines = [*told, *proof_in_words(proof, say)]
        missing = tell_missing(store, say, "history")
    for line in lines:
        print(line)
    return 0 if proof.holds and not missing else 1


def _told(kept: Kept, journal: Path, arguments: argparse.Namespace, say: Translator) -> Iterator[str]:
    """Do what was asked with the session, and tell it; what happened in it if nothing was."""
    if arguments.page is not None:
        yield say.say(write_page(kept, journal, arguments.page, arguments.lang))
    if arguments.delete_pictures:
        yield say.say(delete_pictures(kept, journal))
    if arguments.throw_away or arguments.take_back:
        yield say.say(throw_away(kept.number, kept.begun, away=arguments.throw_away))
    if (arguments.place, arguments.note) != (None, None):
        yield note(kept, journal, say, place=arguments.place, words=arguments.note)
    elif not (arguments.page or arguments.delete_pictures or arguments.throw_away or arguments.take_back):
        yield from session_in_words(kept, arguments.lang)
        for line in notes_of(journal, kept.number, kept.begun).told:
            yield clean(line)
        if there := pictures_of(journal, kept):
            yield say("pictures.there", n=len(there), folder=str(pictures_folder(journal, kept)))


def delete_pictures(kept: Kept, journal: Path) -> Text:
    """Delete the pictures of an evening; say how many there were. Raises `Problem` when they cannot
    be deleted."""
    try:
        count = beside.delete_pictures(journal, kept)
    except OSError as fault:
        told = {"folder": str(pictures_folder(journal, kept)), "reason": system_reason(fault)}
        raise Problem("pictures.undeleted", **told) from fault
    return Text("pictures.deleted", {}, count)


def throw_away(number: int, begun: float, *, away: bool) -> Text:
    """Offer and count the evening of this number, that began then, no more, or (`away` false)
    again; say so.

    The journal only grows: nothing of it is deleted. That it was thrown away stands in the
    settings.
    """
    settings = kept_settings.load()
    kept_settings.save(settings.throwing_away(begun, away=away))
    return Text("evening.thrown_away" if away else "evening.taken_back", {"number": str(number)})


def note(kept: Kept, journal: Path, say: Translator, *, place: str | None, words: str | None) -> str:
    """Note where an evening was played, or words (None: what was noted before stays); say what is
    noted of it now. Raises `Problem` when it cannot be kept."""
    before = notes_of(journal, kept.number, kept.begun)
    now = EveningNotes(before.place if place is None else place, before.words if words is None else words)
    try:
        keep_notes(journal, kept.number, kept.begun, now)
    except OSError as fault:
        raise Problem("evening.notes.not_kept", reason=system_reason(fault)) from fault
    return say("evening.noted", notes=" · ".join(map(clean, now.told)) or "–")


def sessions_in_words(store: Store, listed: Sequence[SessionRow], language: str) -> Iterator[str]:
    """Give one line a session: number, when it began, the game, who won or how it stands."""
    say = Translator(language)
    titles = {one: Translator.of(language, one)("game.title") for one in {row.game for row in listed}}
    thrown = kept_settings.load().thrown_away
    if not listed:
        yield say("history.empty")
    for row, found in zip(listed, summaries(store, listed, kept_settings.load().called), strict=True):
        begun = datetime.fromtimestamp(row.begun).strftime("%Y-%m-%d %H:%M")
        if isinstance(found, Text):  # one session that cannot be read does not hide the others
            game, standing = row.game, say.say(found)
        else:
            game, standing = titles[row.game], _standing(found, say)
        away = f"  [{say('history.thrown_away')}]" if row.begun in thrown else ""
        notes = "".join(f"  · {clean(one)}" for one in notes_of(store.path, row.number, row.begun).told)
        yield f"{row.number:>4}  {begun}  {say('of_whom', who=game, what=standing)}{notes}{away}"


def session_in_words(kept: Kept, language: str) -> Iterator[str]:
    """Give one line an entry: number, time, what happened, and the points where they changed."""
    game: Game[Any] = registry.load(kept.setup.game)
    say = Translator(language, game, kept.people.shown)
    begun = datetime.fromtimestamp(kept.begun).strftime("%Y-%m-%d %H:%M")
    players = ", ".join(map(say.name, kept.people.seats))
    yield say("of_whom", who=f"{say('game.title')}, {begun}", what=players)
    before: object = None
    for record in records(kept):
        time = datetime.fromtimestamp(record.time).strftime("%H:%M:%S")
        told = f"{record.number:>4}  {time}  {say.say(record.text)}"
        yield told if record.points == before else f"{told}  [{_scores(record, say)}]"
        before = record.points
    yield _standing(summary_of(kept), say)


def proof_in_words(proof: Proof, say: Translator) -> Iterator[str]:
    """Say what came of the check of the seals and the seed; nothing where there were none."""
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
