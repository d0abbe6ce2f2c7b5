"""The page of an evening, to keep and to send to friends: one HTML file without scripts or external
files, written from a stored evening or while its table is open.

It contains who won, the story by its moments, the scores by round as a drawing and as a table, the
reasons for everybody's points, the pictures of the reveals if they were saved, and the place, notes
and photo. Every name is escaped, and the page's content policy forbids scripts and external
resources. At the end of a game a picture to share is written beside it.
"""

from __future__ import annotations

import base64
import html
from collections.abc import Sequence
from datetime import datetime
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from companion.folders import user_data_folder, user_documents_folder
from companion.journal.history import Record, ScoreRow, build_records, build_score_sheet, extract_points
from companion.journal.journal import Journal
from companion.journal.saved_session import SavedSession
from companion.journal.sidecar_files import Picture, SessionNotes, read_notes, read_photo, read_pictures
from companion.live.snapshot import ScoreHistory
from companion.rules.contract import Problem, Reason, Refusal, Text
from companion.rules.session import Session
from companion.texts import Translator, clean_text, describe_os_error, format_score
from companion.user_files import open_with_desktop, write_file
from companion.views.evening_story import Chapter, Story, tell_story
from companion.views.result_card import Standing, draw_result_card
from companion.views.themes import DEEP_INKS, INKS, mark_for_seat
from companion.views.victory import describe_victory

_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 680, 380, 50, 190, 24, 36
"""The drawing and the room around its lines, in its units (a phone has half as many pixels)."""
_APART = 24
"""Least distance between two names at the ends of the lines, so that none covers another."""
_STYLE = """
:root{color-scheme:light dark;--ground:#f6f1e3;--raised:#fffdf6;--ink:#1d2b24;--quiet:#566a5f;--line:#d8cfb8;--gold:#8a5a00}
@media(prefers-color-scheme:dark){:root{--ground:#10231c;--raised:#18332a;--ink:#f4f1e8;--quiet:#a9bdb2;--line:#2c4d40;--gold:#f2c14e}}
*{box-sizing:border-box}html{font-size:clamp(16px,.6vw + 10px,26px)}
body{margin:0 auto;max-width:62rem;padding:1.2rem;background:var(--ground);color:var(--ink);
  font:1.05rem/1.45 system-ui,"Noto Sans",sans-serif}
h1{margin:0;font-size:2.2rem}h2{margin:2rem 0 .5rem;font-size:1.3rem;color:var(--gold)}.quiet{color:var(--quiet)}
.podium{font-size:1.5rem;font-weight:700;margin:.8rem 0;padding:.6rem .9rem;border-left:.3rem solid var(--gold);background:var(--raised)}
.podium span{display:inline-block;margin-right:1.4rem}
svg{display:block;width:100%;max-width:52rem;margin:auto;height:auto;
  background:var(--raised);border:1px solid var(--line);border-radius:.5rem}
svg text{fill:var(--quiet);font-size:18px}
svg .grid{stroke:var(--line)}svg polyline{fill:none;stroke-width:3;stroke-linejoin:round}svg .at,svg .who{font-size:20px;font-weight:700}
.scroll{overflow-x:auto}table{border-collapse:collapse;min-width:min(30rem,100%)}
th,td{padding:.3rem clamp(.3rem,1.5vw,.8rem);border-bottom:1px solid var(--line);text-align:right}
th:first-child,td:first-child{text-align:left}tfoot td{font-weight:700;border-top:2px solid var(--ink)}
ol{padding-left:0;list-style:none}ol li{padding:.12rem 0}
.moments li{padding:.5rem 0 .6rem;border-bottom:1px solid var(--line)}.moments p{margin:.1rem 0}.moments b{font-size:1.15rem}
.moments .gain{display:inline-block;margin-right:1.1rem;font-weight:700}
summary{cursor:pointer;font-weight:700;padding:.2rem 0}figure{margin:1rem 0}figure img{max-width:100%;border-radius:.5rem}
figcaption{color:var(--quiet);font-size:.9em}
@media print{body{background:#fff;color:#000}details{display:block}}
"""
# It loads nothing from anywhere: the page is one file, and may be passed on.
_PAGE = """<!doctype html>
<html lang="{language}">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{style}</style>
<h1>{game}</h1>
<p class="quiet">{when} · {who}</p>
{podium}
{notes}
{told}
{plot}
<h2>{rounds}</h2>
<div class="scroll">{table}</div>
<h2>{why}</h2>
{reasons}
{pictures}
</html>
"""


class _PointsLine(NamedTuple):
    """One player's line in the drawing: name, seat from 1, and points after each round, starting
    with 0."""

    name: str
    seat: int
    points: list[Fraction]


def render_session_page(
    saved: SavedSession,
    language: str,
    pictures: Sequence[Picture] = (),
    notes: SessionNotes | None = None,
    photo: bytes = b"",
) -> str:
    """Return the page in `language`; `pictures`: of the reveals, in order; `photo`: of the people,
    as JPEG."""
    session, notes = saved.restore_session(), notes or SessionNotes()
    translator, seats = Translator(language, session.game, saved.people.display_names), saved.people.seats
    told, rows, story = build_records(saved), build_score_sheet(saved), tell_story(session, seats, translator)
    when = datetime.fromtimestamp(saved.begun).strftime("%Y-%m-%d %H:%M")
    parts = {
        "title": f"{translator('game.title')}, {when}",
        "game": translator("game.title"),
        "when": " · ".join(filter(None, (when, clean_text(notes.place)))),
        "who": ", ".join(map(translator.display_name, seats)),
        "rounds": translator("rounds.title"),
        "why": translator("share.why"),
    }
    return _PAGE.format(
        language=language,
        style=_STYLE + _render_ink_styles(),
        podium=_render_podium(session, story, translator),
        notes=_render_notes(clean_text(notes.words), photo, translator),
        plot=_render_plot(_build_point_lines(seats, rows), [row.round for row in rows], translator),
        table=_render_table(saved, rows, translator),
        reasons=_render_reasons(saved, translator),
        pictures=_render_pictures(pictures, told, translator),
        told=_render_story(story, translator),
        **{name: html.escape(words) for name, words in parts.items()},
    )


def _render_ink_styles() -> str:
    """Return CSS for each seat's colour on light and dark ground."""
    light = "".join(
        # Stronger than the rule for all text of the drawing.
        f".s{seat}{{stroke:{ink}}}.f{seat}{{fill:{ink}!important}}"
        for seat, ink in _number_inks(DEEP_INKS)
    )
    dark = "".join(
        f".s{seat}{{stroke:{ink}}}.f{seat}{{fill:{ink}!important}}" for seat, ink in _number_inks(INKS)
    )
    return f"{light}\n@media(prefers-color-scheme:dark){{{dark}}}\n"


def _number_inks(inks: Sequence[str]) -> list[tuple[int, str]]:
    return [(seat, inks[(seat - 1) % len(inks)]) for seat in range(1, 13)]


def _render_podium(session: Session, story: Story, translator: Translator) -> str:
    view = session.view()
    result = view["result"]
    if result is None:
        return f'<p class="podium">{html.escape(translator("page.unfinished"))}</p>'
    rows = [
        f"{row['rank']}. {translator.display_name(row['player'])} {format_score(row['points'])}"
        for row in result["ranking"]
    ]
    whole = "".join(f"<span>{html.escape(row)}</span>" for row in rows)
    victory = describe_victory(view, story.rounds, translator)
    words = html.escape(" · ".join([] if victory is None else victory.remarks))
    return f'<p class="podium">{whole}</p>' + (f'<p class="quiet">{words}</p>' if words else "")


def _render_notes(words: str, photo: bytes, translator: Translator) -> str:
    """Show the notes and the photo."""
    noted = f"<p>{html.escape(words)}</p>" if words else ""
    return noted + (f"<figure>{_render_image(photo, translator('page.photo'))}</figure>" if photo else "")


def _render_image(jpeg: bytes, words: str) -> str:
    return f'<img alt="{html.escape(words)}" src="data:image/jpeg;base64,{base64.b64encode(jpeg).decode()}">'


def _build_point_lines(players: Sequence[str], rows: Sequence[ScoreRow]) -> list[_PointsLine]:
    lines = []
    for seat, name in enumerate(players, 1):
        totals = [Fraction()]
        for row in rows:
            totals.append(totals[-1] + Fraction(row.points[name]))
        lines.append(_PointsLine(name, seat, totals))
    return lines


def _render_plot(
    lines: Sequence[_PointsLine], labels: Sequence[int | str | None], translator: Translator
) -> str:
    """Draw the points after each round. Each player's sign stands at every point, so that colour is
    never the only cue. A game with fewer than two rounds has no drawing."""
    # The lines of a game without rounds would say nothing.
    if len(labels) < 2:
        return ""
    low = min(min(line.points) for line in lines)
    high = max(max(line.points) for line in lines)
    # If everybody has the same points, any span will do.
    span = float(high - low) or 1.0
    rounds = len(lines[0].points) - 1

    def to_x(number: int) -> float:
        return round(_LEFT + (_WIDTH - _LEFT - _RIGHT) * number / max(rounds, 1), 1)

    def to_y(total: Fraction) -> float:
        return round(_HEIGHT - _BOTTOM - (_HEIGHT - _TOP - _BOTTOM) * float(total - low) / span, 1)

    drawn = [
        f'<line class="grid" x1="{to_x(number)}" y1="{_TOP}" x2="{to_x(number)}" y2="{_HEIGHT - _BOTTOM}"/>'
        f'<text x="{to_x(number)}" y="{_HEIGHT - 10}" text-anchor="middle">{html.escape(str(label or ""))}</text>'
        for number, label in enumerate(("", *labels))
    ]
    drawn += [
        # A set, so that equal ends are labelled once.
        f'<text x="{_LEFT - 8}" y="{to_y(total) + 5}" text-anchor="end">{total}</text>'
        for total in {low, high}
    ]
    ends = _spread_heights([to_y(line.points[-1]) for line in lines])
    for line, end in zip(lines, ends, strict=True):
        sign = mark_for_seat(line.seat).shape
        way = " ".join(f"{to_x(number)},{to_y(total)}" for number, total in enumerate(line.points))
        drawn.append(f'<polyline class="s{line.seat}" points="{way}"/>')
        drawn += [
            f'<text class="at f{line.seat}" x="{to_x(number)}" y="{to_y(total) + 6}" text-anchor="middle">{sign}</text>'
            for number, total in enumerate(line.points)
            if number
        ]
        words = html.escape(
            f"{sign} {translator.display_name(line.name, 10)} {format_score(line.points[-1])}"
        )
        drawn.append(
            f'<text class="who f{line.seat}" x="{_WIDTH - _RIGHT + 16}" y="{end + 6}">{words}</text>'
        )
    label = html.escape(translator("page.plot"))
    return f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{label}">{"".join(drawn)}</svg>'


def _spread_heights(heights: Sequence[float]) -> list[float]:
    """Move heights apart, from the top down, until no two are nearer than `_APART`, and no further
    than needed."""
    order = sorted(range(len(heights)), key=lambda place: heights[place])
    placed = list(heights)
    for before, after in pairwise(order):
        placed[after] = max(placed[after], placed[before] + _APART)
    # Pushed down too far, all move up together.
    over = max(max(placed) - (_HEIGHT - _BOTTOM), 0.0)
    return [round(height - over, 1) for height in placed]


def _render_table(saved: SavedSession, sheet: Sequence[ScoreRow], translator: Translator) -> str:
    names = saved.people.seats
    heads = "".join(
        f"<th>{html.escape(f'{mark_for_seat(seat).shape} {translator.display_name(name)}')}</th>"
        for seat, name in enumerate(names, 1)
    )
    rows = "".join(
        f"<tr><td>{html.escape(str(row.round or ''))}</td>"
        + "".join(f"<td>{html.escape(format_score(row.points[name]))}</td>" for name in names)
        + "</tr>"
        for row in sheet
    )
    totals = extract_points(saved.restore_session().view())
    foot = "".join(f"<td>{html.escape(str(totals[name]))}</td>" for name in names)
    return (
        f"<table><thead><tr><th>{html.escape(translator('export.round'))}</th>{heads}</tr></thead><tbody>{rows}</tbody>"
        f"<tfoot><tr><td>{html.escape(translator('export.total'))}</td>{foot}</tr></tfoot></table>"
    )


def _format_reason(reason: Reason, translator: Translator) -> str:
    words = translator.translate(reason.text)
    return (
        translator("share.labelled", label=format_score(reason.points), value=words)
        if reason.points
        else words
    )


def _render_reasons(saved: SavedSession, translator: Translator) -> str:
    told, session = [], saved.restore_session()
    for name in saved.people.seats:
        found = session.explain_points(name)
        rows = () if isinstance(found, Refusal) else found
        lines = "".join(
            f"<li>{html.escape(_format_reason(row, translator))}"
            f' <span class="quiet">{html.escape(" ".join(row.clauses))}</span></li>'
            for row in rows
        )
        told.append(
            f"<details><summary>{html.escape(translator.display_name(name))}</summary><ol>{lines}</ol></details>"
        )
    return "".join(told)


def _render_pictures(pictures: Sequence[Picture], records: Sequence[Record], translator: Translator) -> str:
    """Show each picture above the words of its act; pictures of unknown entries do not belong to
    this evening and are left out."""
    about = {record.number: translator.translate(record.text) for record in records}
    shown = "".join(
        f"<figure>{_render_image(jpeg, about[entry])}<figcaption>{html.escape(about[entry])}</figcaption></figure>"
        for entry, jpeg in pictures
        if entry in about
    )
    if not shown:
        return ""
    return f"<h2>{html.escape(translator('page.pictures'))}</h2>{shown}"


def _render_story(story: Story, translator: Translator) -> str:
    """Tell the moments, each with its sentence and the points that it changed."""
    if not story.chapters:
        return ""
    items = "".join(_render_chapter(chapter) for chapter in story.chapters)
    return f'<h2>{html.escape(translator("page.story"))}</h2><ol class="moments">{items}</ol>'


def _render_chapter(chapter: Chapter) -> str:
    gains = "".join(
        f'<span class="gain f{gain.seat}">{mark_for_seat(gain.seat).shape}'
        f" {html.escape(gain.name)} {html.escape(gain.signed_points)}</span>"
        for gain in chapter.gains
    )
    lines = [f"<b>{html.escape(chapter.call)}</b>"]
    lines += [html.escape(words) for words in (chapter.sentence, " ".join(chapter.remarks)) if words]
    lines += [gains] if gains else []
    return f"<li>{''.join(f'<p>{line}</p>' for line in lines)}</li>"


def write_session_page(saved: SavedSession, journal: Path, file: Path, language: str) -> Text:
    """Write the page of the evening with the notes, photo and pictures beside the journal; return
    where it is.

    Raises `Problem` if it cannot be written there.
    """
    at = (journal, saved.number, saved.begun)
    page = render_session_page(
        saved, language, read_pictures(journal, saved), read_notes(*at), read_photo(*at)
    )
    try:
        write_file(file, [page.encode()])
    except OSError as fault:
        raise Problem("page.unwritable", file=str(file), reason=describe_os_error(fault)) from fault
    return Text("page.kept", {"file": str(file)})


def save_session_page(journal: Journal, language: str) -> Text:
    """Write the page of the evening that `journal` is recording, and once the game has ended a
    picture to share; open the page, and return where it is, or why there is none.

    It is written to the user's documents or, if these cannot be written, beside the user's journal.
    The same evening has the same file name and is overwritten.
    """
    saved, path = journal.read_current_session(), journal.path
    if saved is None or path is None:
        return journal.trouble or Text("page.no_journal")
    name = f"{saved.setup.game}-{datetime.fromtimestamp(saved.begun):%Y-%m-%d-%H%M}"
    told = Text("page.no_journal")
    # There may be no such folder, or a read-only one.
    for folder in (user_documents_folder(), user_data_folder()):
        file = folder / f"{name}.html"
        try:
            write_session_page(saved, path, file, language)
            card = _write_result_card(saved, file.with_suffix(".png"), language)
        except Problem as fault:
            told = fault.text
        else:
            code = "page.saved_with_card" if card else "page.saved"
            return Text(f"{code}.open" if open_with_desktop(file) else code, {"file": str(file)})
    return told


def _write_result_card(saved: SavedSession, file: Path, language: str) -> bool:
    """Write the picture to share; return False before the end of the game. Raises `Problem`."""
    session = saved.restore_session()
    translator = Translator(language, session.game, saved.people.display_names)
    view = session.view()
    rounds = ScoreHistory(session.game).list_rounds(session.current_moment)
    victory = describe_victory(view, rounds, translator)
    if victory is None:
        return False
    seats = saved.people.seats
    standings = [
        Standing(
            seats.index(row["player"]) + 1,
            row["rank"],
            translator.display_name(row["player"]),
            format_score(row["points"]),
        )
        for row in view["result"]["ranking"]
    ]
    title = f"{translator('game.title')} · {datetime.fromtimestamp(saved.begun):%Y-%m-%d}"
    card = draw_result_card(title, victory.headline, victory.remarks, standings)
    try:
        write_file(file, [card])
    except OSError as fault:
        raise Problem("page.unwritable", file=str(file), reason=describe_os_error(fault)) from fault
    return True
