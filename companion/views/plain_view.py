"""The plain view: everything line by line, for screen readers, logs and simple terminals.

Events are printed as they happen. A typed line is a choice; Enter alone lists what can be entered
now, by the same keys as on the dashboard. Every line names its player. `describe_news` turns
changes into lines; `companion.views.plain_conversation` runs the conversations.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress

from msgspec.structs import replace

from companion.journal.narration import LogLines
from companion.live.live_session import LiveSession
from companion.live.snapshot import Snapshot, describe_unsaved_steps
from companion.plan import Plan
from companion.rules.contract import GAME_OVER, Reason, Text
from companion.texts import VULGAR_FRACTIONS, Translator, format_score
from companion.typed_lines import open_typed_lines
from companion.views.announcements import Speaker
from companion.views.conversations import (
    Conversation,
    PartialPick,
    describe_refusal,
    prompt_for_answer,
    prompt_for_correction,
    prompt_for_entry,
    prompt_for_people_change,
    prompt_for_plan,
    prompt_for_sharing,
)
from companion.views.entry_options import PartByPart, list_player_choices
from companion.views.places import format_moves
from companion.views.plain_conversation import PlainConversation
from companion.views.plain_words import (
    READ_ONLY_COMMANDS,
    translate_command,
    translate_commands,
    translate_to_english_command,
)
from companion.views.session_page import save_session_page
from companion.views.table_session import NO_BACKSTAGE, POSE, Backstage, ShareSwitch, TableSession
from companion.views.victory import describe_victory

_TICK = 0.1
"""Seconds between two looks at the table while no line is typed."""


class PlainView:
    """The plain view of one live session. `speaker`: receives every change. `photograph`,
    `sharing`: see `TableSession`. `next_game`: leaves this game for another with the same
    players."""

    def __init__(
        self,
        live: LiveSession,
        translator: Translator,
        out: Callable[[str], object],
        backstage: Backstage = NO_BACKSTAGE,
        speaker: Speaker | None = None,
        photograph: Callable[[], Text] | None = None,
        sharing: ShareSwitch | None = None,
        next_game: Callable[[], object] = lambda: None,
    ) -> None:
        self._live = live
        self._translator = translator
        self._out = out
        self._backstage = backstage
        self._commands = {command.typed: command for command in backstage.commands}
        self._speaker = speaker
        self._photograph, self._sharing, self._next_game = photograph, sharing, next_game
        self._posing: float | None = None
        """When the photo is taken, on the clock of `poll_table`."""
        self._now = 0.0
        self._new = True
        self._before: Snapshot | None = None
        self._player: str | None = None
        self._talk: PlainConversation | None = None
        self._lost: Text | None = None
        """The warning about unsaved steps that was shown."""
        self._words: dict[str, Callable[[], object]] = {
            "": self._print_entries,
            "undo": live.undo,
            "redo": live.redo,
            "correct": self._start_correction,
            "people": self._start_people_change,
            "why": self._print_reasons,
            "last": self._print_last_result,
            "now": lambda: self._out(describe_standings(self._live.snapshot(), self._translator)),
            "count": self._count_cards,
            "moved": self._confirm_moves,
            "pause": lambda: self._set_paused(True),
            "go": lambda: self._set_paused(False),
            "mute": self._mute_speaker,
            **dict.fromkeys(("odds", "%"), self._toggle_odds),
            "page": lambda: self._print_text(save_session_page(live.journal, self._translator.language)),
            "photo": self._schedule_photo,
            "screens": self._start_sharing_menu,
            "again": self._start_next_game,
            **dict.fromkeys(("help", "?"), self._print_help),
        }
        live.subscribe(self._mark_changed)

    def _mark_changed(self, _snapshot: Snapshot) -> None:
        # Printed by the next look, not in the middle of handling a typed line.
        self._new = True

    def poll_table(self, now: float) -> bool:
        """Advance the table to `now` and print what is new; return whether the game goes
        on."""
        self._now = now
        if self._photograph is not None and self._posing is not None and now >= self._posing:
            self._posing = None
            self._print_text(self._photograph())
        self._backstage.tick(now)
        self._live.tick(now)
        snapshot = self._live.snapshot()
        if self._new:
            self._new = False
            self._translator = self._translator.with_names(snapshot.people.display_names)
            for sentence in describe_news(self._before, snapshot, self._translator):
                self._out(sentence)
            if self._speaker is not None:
                self._speaker.announce_changes(snapshot, self._translator)
            if self._before is None or snapshot.awaited != self._before.awaited:
                self._player = None  # the open menu may not be that of the player who is awaited now
            self._before = snapshot
            self._put_question(snapshot)
        return not self._is_over

    def enter_line(self, line: str) -> bool:
        """Handle one typed line; return False to stop."""
        words = line.strip()
        command = translate_to_english_command(words, self._translator)
        if command == "quit":
            return self._warn_before_quitting()
        talk = self._talk
        is_answer = talk is not None and talk.accepts_line(words)
        # Whoever types something else instead of cards, or of a part, has left that entry.
        if talk is not None and not is_answer and self._leaves_entry(talk, command, words):
            talk = self._talk = None
        # A command that only tells may be typed during a conversation, unless the word is an answer
        # to it.
        if talk is not None and (command not in READ_ONLY_COMMANDS or is_answer):
            self._talk = self._answer(talk, words)
        elif command in self._words:
            self._words[command]()
            # The open question is repeated below what was printed in between.
            self._talk = self._talk if talk is None else talk.print_menu()
        elif words in self._commands:
            self._print_text(self._commands[words].act())
        else:
            self._choose_entry(words)
        return True

    def _leaves_entry(self, talk: PlainConversation, command: str, words: str) -> bool:
        """Tell whether words that answer nothing lead out of an entry: the table's words do, but
        among parts those that only tell do not; in place of cards a player does, too."""
        is_known = command in self._words or words in self._commands
        if talk.is_naming_parts:
            return is_known and command not in READ_ONLY_COMMANDS
        return talk.is_naming_cards and (is_known or self._find_player(words.partition(" ")[0]) is not None)

    def _warn_before_quitting(self) -> bool:
        """Warn once before unsaved steps are lost; return whether the game goes on."""
        lost = describe_unsaved_steps(self._live.snapshot())
        # Asked once, and again only if more would be lost by now.
        if lost is None or lost == self._lost:
            return False
        self._lost = lost
        self._out(self._translator.translate(lost))
        self._out(self._translator("leaving.again", quit=translate_command("quit", self._translator)))
        return True

    def print_demo_notice(self) -> None:
        """Say that simulated players play, and how to play for real."""
        self._out(self._translator("plain.demo", command="companion play --plain --by-hand"))

    def _print_help(self) -> None:
        self._out(self._translator("plain.help", **translate_commands(self._translator)))

    def _print_last_result(self) -> None:
        """Print the last result again."""
        report = self._live.snapshot().report
        for reason in report:
            self._out(describe_reason(reason, self._translator))
        if not report:
            self._out(self._translator("plain.no_result"))

    def _put_question(self, snapshot: Snapshot) -> None:
        """Print a new question to the table; drop one whose card was taken away."""
        asked = None if self._talk is None else self._talk.about
        if asked is not None and asked not in snapshot.questions:
            self._talk = None
        # A conversation that is open is not interrupted: the question comes after it.
        if snapshot.questions and self._talk is None:
            question = snapshot.questions[0]
            answering = Conversation(lambda: prompt_for_answer(self._live, question, self._translator))
            self._talk = PlainConversation(
                answering, self._translator, self._out, about=question
            ).print_menu()

    def _print_entries(self) -> None:
        """List what can be entered now, with keys and players; after the end of the game, what can
        be done then."""
        if self._is_over:
            self._out(self._translator("plain.over", **translate_commands(self._translator)))
        else:
            self._make_entry_conversation().print_menu()

    def _make_entry_conversation(self) -> PlainConversation:
        now = Conversation(
            lambda: prompt_for_entry(self._live, self._backstage, self._player, self._translator)
        )
        return PlainConversation(now, self._translator, self._out, tells=True)

    def _choose_entry(self, typed: str, *, seated: bool = False) -> None:
        """Handle a key and what follows it, or a seat's number or a name, which selects that
        player. `seated`: the player was selected before."""
        first, _, rest = typed.partition(" ")
        talk, player = self._make_entry_conversation(), None if seated else self._find_player(first)
        reply, more = talk.parse_reply(typed)
        goes_on = reply is not None and (
            reply.pick is not None or isinstance(reply.value, PartByPart | PartialPick)
        )
        if reply is not None and reply.tone == "refused" and player is not None:
            reply = None  # rather a seat's number than an entry that the rules refuse
        if reply is not None and (goes_on or not more):  # `2 7` is seat 2's key 7
            self._talk = self._answer(talk, typed)
        # Says who is awaited instead, rather than listing nothing.
        elif player is not None and not list_player_choices(self._live, self._backstage, player):
            if rest and (cards := talk.expand_card_names(typed)) is not None:
                self._talk = self._answer(talk, cards)
                return
            refusal = describe_refusal(self._live.refuse_idle_player(player), self._translator)
            self._out(f"{refusal} {self._describe_joined_keys(talk, typed)}".rstrip())
        elif player is not None:
            self._player = player
            self._choose_entry(rest.strip(), seated=True) if rest.strip() else self._print_entries()
        elif (cards := talk.expand_card_names(typed)) is not None:
            self._talk = self._answer(talk, cards)
        else:
            told = self._translator("plain.unknown", typed=typed)
            talk.print_unfit(f"{told} {self._describe_joined_keys(talk, typed)}".rstrip())

    def _describe_joined_keys(self, talk: PlainConversation, typed: str) -> str:
        """Return what keys that were typed with spaces mean without them; "" if nothing."""
        keys = "".join(typed.split())
        reply = None if keys == typed else talk.find_reply(keys)
        if reply is None or reply.tone == "refused":
            return ""
        return self._translator("plain.without_space", keys=keys, what=reply.words)

    def _answer(self, talk: PlainConversation, typed: str) -> PlainConversation | None:
        """Let a conversation handle a line. It prints its refusal itself, which the news of the
        table then leaves out."""
        following = talk.handle_line(typed)
        if self._before is not None:
            self._before = replace(self._before, refusal=self._live.snapshot().refusal)
        return following

    def _find_player(self, typed: str) -> str | None:
        people = self._live.snapshot().people
        players = people.seats
        numbers = {str(number): player for number, player in enumerate(players, 1)}
        if typed in numbers:
            return numbers[typed]
        # By the current name: another player may have had it when the evening began.
        known = [(people.display_names.get(seat, seat), seat) for seat in players]
        known += [(name, seat) for seat, name in people.real_names.items()]
        return next((seat for name, seat in known if name.casefold() == typed.casefold()), None)

    def _start_correction(self) -> None:
        if not self._live.snapshot().log:
            self._out(self._translator("correct.nothing"))
            return
        putting_right = Conversation(
            lambda: prompt_for_correction(self._live, self._translator), lambda: self._live.snapshot().log
        )
        self._talk = PlainConversation(
            putting_right, self._translator, self._out, "plain.correct.left"
        ).print_menu()

    def _start_people_change(self) -> None:
        pronounce = None if self._speaker is None else self._speaker.set_pronunciation
        come_and_go = Conversation(lambda: prompt_for_people_change(self._live, self._translator, pronounce))
        self._talk = PlainConversation(come_and_go, self._translator, self._out).print_menu()

    def _start_sharing_menu(self) -> None:
        sharing = self._sharing
        if sharing is None:
            self._out(self._translator("share.not_here"))
            return
        lobby = Conversation(lambda: prompt_for_sharing(sharing, self._translator))
        self._talk = PlainConversation(lobby, self._translator, self._out, tells=True).print_menu()

    def _start_next_game(self) -> None:
        """Leave this game for another with the same players, once it is over."""
        if self._is_over:
            self._next_game()
        else:
            self._out(self._translator("plain.not_over", again=translate_command("again", self._translator)))

    @property
    def _is_over(self) -> bool:
        return bool(self._live.snapshot().view["phase"] == GAME_OVER)

    def _print_text(self, message: object) -> None:
        if isinstance(message, Text):
            self._out(self._translator.translate(message))

    def _set_paused(self, paused: bool) -> None:
        self._live.set_paused(paused)
        self._backstage.set_paused(paused)
        go = translate_command("go", self._translator)
        self._out(self._translator("plain.paused", go=go) if paused else self._translator("plain.goes_on"))

    def _toggle_odds(self) -> None:
        told = not self._live.shows_odds
        self._live.set_odds_shown(told)
        self._out(self._translator("odds.on" if told else "odds.off"))

    def _mute_speaker(self) -> None:
        if self._speaker is not None:
            self._speaker.mute()
        self._out(self._translator("voice.muted"))

    def _schedule_photo(self) -> None:
        """Take a photo of the people after a few seconds, so that they can join them."""
        if self._photograph is None:
            self._out(self._translator("evening.photo.no_camera"))
        else:
            self._posing = self._now + POSE
            self._out(self._translator("evening.photo.soon", seconds=round(POSE)))

    def _confirm_moves(self) -> None:
        """Accept that the real cards are in their places; list the moves that nobody was asked to
        make."""
        snapshot = self._live.snapshot()
        if snapshot.unasked:
            self._out(self._translator("moves.unasked"))
        for words in format_moves(snapshot.unasked, self._translator, snapshot.people.seats):
            self._out(words)
        self._live.confirm_moves()

    def _count_cards(self) -> None:
        """Count the deck, if it is not too late and a reader can see it."""
        if self._live.snapshot().can_count:
            self._live.pause_for_card_count()
        else:
            self._out(self._translator("plain.no_count"))

    def _print_reasons(self) -> None:
        for player in self._live.snapshot().people.seats:
            for reason in self._live.explain_points(player):
                words = describe_reason(reason, self._translator, with_points=True)
                self._out(self._translator("of_whom", who=self._translator.display_name(player), what=words))


def complete_plan(plan: Plan, translator: Translator) -> Plan | None:
    """Ask on the terminal for what the plan leaves open; None if it was left."""
    chosen: list[Plan] = []
    talk = PlainConversation(
        Conversation(lambda: prompt_for_plan(plan, translator, chosen.append)),
        translator,
        lambda line: print(line, flush=True),
    ).print_menu()
    with open_typed_lines() as lines, suppress(EOFError):
        while talk is not None:
            line = lines.next_line(_TICK)
            if line is not None:
                talk = (
                    None
                    if translate_to_english_command(line.strip(), translator) == "quit"
                    else talk.handle_line(line.strip())
                )
    return chosen[0] if chosen else None


def run(session: TableSession) -> Plan | None:
    """Run the plain view on the terminal until `quit`, the end of the input, or Ctrl-C; or until a
    phone has chosen the next game, whose plan is returned."""
    live, say = session.live, Translator(session.plan.language, session.live.game)
    plain = PlainView(
        live,
        say,
        lambda line: print(line, flush=True),
        session.backstage,
        session.speaker,
        session.photograph,
        session.sharing,
        lambda: session.switch_to_game(session.plan_next_game()),
    )
    if session.plan.demo:
        plain.print_demo_notice()
    # Help first: on lines nothing else shows which words there are.
    plain.enter_line("?")
    with open_typed_lines() as lines, suppress(EOFError):
        while session.next_plan is None:
            plain.poll_table(time.monotonic())
            line = lines.next_line(_TICK)
            if line is not None and not plain.enter_line(line):
                break
    return session.next_plan


_BRACKETS = re.compile(r"\([^)]*\)")
_NUMBER = re.compile(rf"-?\d*(?:{'|'.join(VULGAR_FRACTIONS.values())})|-?\d+(?: \d+/\d+)?")


def describe_news(before: Snapshot | None, snapshot: Snapshot, translator: Translator) -> Iterator[str]:
    """Yield what is new since `before` (None: everything), acts first."""
    # A list: the report below is compared with what is printed here.
    acts = list(_describe_new_lines(LogLines() if before is None else before.log, snapshot.log, translator))
    yield from acts
    if snapshot.refusal is not None and (before is None or before.refusal != snapshot.refusal):
        yield describe_refusal(snapshot.refusal, translator)
    if before is None or (before.report != snapshot.report and not _was_undone(before, snapshot)):
        yield from (
            describe_reason(one, translator)
            for one in _list_new_reasons(before, snapshot)
            if not _is_already_told(acts, one, translator)
        )
    if snapshot.moves and (before is None or before.moves != snapshot.moves):
        yield translator("moves.title.plain", moved=translate_command("moved", translator))
        yield from format_moves(snapshot.moves, translator, snapshot.people.seats)
    if snapshot.odds is not None and (before is None or before.odds != snapshot.odds):
        yield translator.translate(snapshot.odds.text)
    for come_or_gone in snapshot.people.described_changes[
        0 if before is None else len(before.people.described_changes) :
    ]:
        yield translator.translate(come_or_gone.text)
    yield from _describe_trouble(before, snapshot, translator)
    is_won = snapshot.view["phase"] == GAME_OVER and (before is None or before.view["phase"] != GAME_OVER)
    if before is None or is_won or _list_points(before) != _list_points(snapshot):
        yield describe_standings(snapshot, translator)
        victory = describe_victory(snapshot.view, snapshot.rounds, translator) if is_won else None
        if victory is not None:
            yield " ".join([victory.headline, *(f"{remark}." for remark in victory.remarks)])
    elif before.awaited != snapshot.awaited:
        yield translator.translate(snapshot.awaited)


def _list_new_reasons(before: Snapshot | None, snapshot: Snapshot) -> Sequence[Reason]:
    """List the reasons of the report that were not printed with an earlier act: that of a result
    entered player by player grows with each of them."""
    shared = 0 if before is None else len(before.report)
    is_continued = before is not None and snapshot.report[:shared] == before.report
    return snapshot.report[shared:] if is_continued else snapshot.report


def _was_undone(before: Snapshot, snapshot: Snapshot) -> bool:
    """Return whether acts were only taken back since `before`: the report is then that of an
    earlier round, which was printed after that round."""
    same = snapshot.log.count_shared_lines(before.log)
    return len(before.log) > same and not any(line.stands for line in snapshot.log[same:])


def describe_standings(snapshot: Snapshot, translator: Translator) -> str:
    """Return everybody's points, and what is awaited."""
    points = ", ".join(f"{translator.display_name(name)} {worth}" for name, worth in _list_points(snapshot))
    return f"{points}. {translator.translate(snapshot.awaited)}"


def describe_reason(reason: Reason, translator: Translator, *, with_points: bool = False) -> str:
    """Return a reason in words with its clauses; the drawn box of a step is put into words.

    `with_points`: add what it was worth, unless the sentence ends with that number.
    """
    words = translator.translate(reason.text).removeprefix("☐ ")
    if words.startswith("☑ "):
        words = translator("plain.ticked", step=words[2:])
    if with_points and reason.points and format_score(reason.points) not in _find_trailing_numbers(words):
        words = translator("plain.worth", what=words, points=format_score(reason.points))
    return f"{words} ({', '.join(reason.clauses)})"


def _find_trailing_numbers(words: str) -> list[str]:
    """List the numbers after the last colon, ignoring brackets: a "round 7" is not what it was
    worth."""
    return _NUMBER.findall(_BRACKETS.sub("", words).rpartition(":")[2])


def _is_already_told(acts: Sequence[str], reason: Reason, translator: Translator) -> bool:
    """Return whether a result was already printed with its act, so that it is not repeated."""
    return any(translator.translate(reason.text) in act for act in acts)


def _describe_trouble(before: Snapshot | None, snapshot: Snapshot, translator: Translator) -> Iterator[str]:
    """Yield messages besides the game: a notice, a journal that is not written, a reader with
    problems, and its recovery."""
    known = () if before is None else _list_notices(before)
    ill = () if before is None else [one.reader for one in before.health if one.state in ("lost", "look")]
    for one in snapshot.health:
        # Otherwise people would go on by keys for the rest of the evening.
        if one.state == "ok" and one.reader in ill:
            yield translator.translate(Text("plain.back", {"what": one.text}))
    # What is not saved is told again after each round: an evening goes on for hours.
    again = before is not None and len(before.rounds) != len(snapshot.rounds)
    for text in _list_notices(snapshot):
        if text not in known or (again and text == snapshot.keeping):
            yield translator.translate(text)


def _describe_new_lines(told_before: LogLines, log: LogLines, translator: Translator) -> Iterator[str]:
    """Yield each new line of the log, and each line that no longer stands."""
    same = log.count_shared_lines(told_before)
    known = list(told_before[same:])
    for line in log[same:]:
        # A line that was printed before and still stands is not news, wherever it is now.
        if line in known:
            known.remove(line)
        elif line.stands:
            yield translator.translate(line.text)
        else:
            yield translator("plain.struck", line=line.text)


def _list_points(snapshot: Snapshot) -> list[tuple[str, str]]:
    return [(row["name"], format_score(row["points"])) for row in snapshot.view["players"]]


def _list_notices(snapshot: Snapshot) -> list[Text]:
    # The dashboard shows the end of a video by its status indicator; here it must be printed.
    lost = [health.text for health in snapshot.health if health.needs_attention or health.state == "off"]
    followers = [status.text for status in snapshot.followers]
    return [text for text in (snapshot.notice, snapshot.keeping, *followers, *lost) if text is not None]
