"""The plain view: everything line by line, for screen readers, logs and simple terminals.

Events are printed as they happen. A typed line is a choice; Enter alone lists what can be entered
now, by the same keys as on the dashboard. Every line names its player. `news` turns changes into
lines; `companion.views.plain_conversation` runs the conversations.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress

from companion.journal.narration import Lines
from companion.live.live import Live
from companion.live.snapshot import LeagueLamp, Snapshot, would_be_lost
from companion.plan import Plan
from companion.rules.contract import GAME_OVER, Reason, Text
from companion.texts import Translator
from companion.typed_lines import listening
from companion.views.conversations import (
    Conversation,
    Shorter,
    answer,
    correct,
    entering,
    joining,
    people,
    planning,
)
from companion.views.entry import PartByPart, choices_of
from companion.views.evening import BARE, POSE, Backstage, Evening, ShareSwitch
from companion.views.evening_page import keep_page
from companion.views.places import moves_in_words
from companion.views.plain_conversation import InLines
from companion.views.plain_words import TELLING, meant, word, words_of
from companion.views.spoken import Speaker

_TICK = 0.1
"""Seconds between two looks at the table while no line is typed."""


class Plain:
    """The plain view of one live session. `speaker`: receives every change. `photograph`,
    `sharing`: see `Evening`. `next_game`: leaves this game for another with the same players."""

    def __init__(
        self,
        live: Live,
        say: Translator,
        out: Callable[[str], object],
        backstage: Backstage = BARE,
        speaker: Speaker | None = None,
        photograph: Callable[[], Text] | None = None,
        sharing: ShareSwitch | None = None,
        next_game: Callable[[], object] = lambda: None,
    ) -> None:
        self._live = live
        self._say = say
        self._out = out
        self._backstage = backstage
        self._commands = {command.typed: command for command in backstage.commands}
        self._speaker = speaker
        self._photograph, self._sharing, self._next_game = photograph, sharing, next_game
        self._posing: float | None = None
        """When the photo is taken, on the clock of `look`."""
        self._now = 0.0
        self._new = True
        self._before: Snapshot | None = None
        self._player: str | None = None
        self._talk: InLines | None = None
        self._lost: Text | None = None
        """The warning about unsaved steps that was shown."""
        self._words: dict[str, Callable[[], object]] = {
            "": self._list,
            "undo": live.undo,
            "redo": live.redo,
            "correct": self._correct,
            "people": self._people,
            "why": self._why,
            "last": self._last,
            "now": lambda: self._out(standing(self._live.snapshot(), self._say)),
            "count": self._count,
            "moved": self._moved,
            "pause": lambda: self._pause(True),
            "go": lambda: self._pause(False),
            "mute": self._mute,
            **dict.fromkeys(("odds", "%"), self._odds),
            "page": lambda: self._tell(keep_page(live.journal, self._say.language)),
            "photo": self._pose,
            "screens": self._join,
            "again": self._again,
            **dict.fromkeys(("help", "?"), self._help),
        }
        live.subscribe(self._changed)

    def _changed(self, _snapshot: Snapshot) -> None:
        # Printed by the next look, not in the middle of handling a typed line.
        self._new = True

    def look(self, now: float) -> bool:
        """Advance the table to `now` and print what is new; return whether the game goes on."""
        self._now = now
        if self._photograph is not None and self._posing is not None and now >= self._posing:
            self._posing = None
            self._tell(self._photograph())
        self._backstage.tick(now)
        self._live.tick(now)
        snapshot = self._live.snapshot()
        if self._new:
            self._new = False
            self._say = self._say.calling(snapshot.people.shown)
            for sentence in news(self._before, snapshot, self._say):
                self._out(sentence)
            if self._speaker is not None:
                self._speaker.hear(snapshot, self._say)
            if self._before is None or snapshot.awaited != self._before.awaited:
                self._player = None  # the open menu may not be that of the player who is awaited now
            self._before = snapshot
            self._ask(snapshot)
        return not self._over

    def enter(self, line: str) -> bool:
        """Handle one typed line; return False to stop."""
        words = line.strip()
        command = meant(words, self._say)
        if command == "quit":
            return self._stays()
        talk = self._talk
        # A command that only tells may be typed during a conversation, unless the word is an answer
        # to it.
        if talk is not None and (command not in TELLING or talk.takes(words)):
            self._talk = talk.hear(words)
        elif command in self._words:
            self._words[command]()
            # The open question is repeated below what was printed in between.
            self._talk = self._talk if talk is None else talk.begin()
        elif words in self._commands:
            self._tell(self._commands[words].act())
        else:
            self._choose(words)
        return True

    def _stays(self) -> bool:
        """Warn once before unsaved steps are lost; return whether the game goes on."""
        lost = would_be_lost(self._live.snapshot())
        # Asked once, and again only if more would be lost by now.
        if lost is None or lost == self._lost:
            return False
        self._lost = lost
        self._out(self._say.say(lost))
        self._out(self._say("leaving.again", quit=word("quit", self._say)))
        return True

    def _help(self) -> None:
        self._out(self._say("plain.help", **words_of(self._say)))

    def _last(self) -> None:
        """Print the last result again."""
        report = self._live.snapshot().report
        for reason in report:
            self._out(told(reason, self._say))
        if not report:
            self._out(self._say("plain.no_result"))

    def _ask(self, snapshot: Snapshot) -> None:
        """Print a new question to the table; drop one whose card was taken away."""
        asked = None if self._talk is None else self._talk.about
        if asked is not None and asked not in snapshot.questions:
            self._talk = None
        # A conversation that is open is not interrupted: the question comes after it.
        if snapshot.questions and self._talk is None:
            question = snapshot.questions[0]
            answering = Conversation(lambda: answer(self._live, question, self._say))
            self._talk = InLines(answering, self._say, self._out, about=question).begin()

    def _list(self) -> None:
        """List what can be entered now, with keys and players; after the end of the game, what can
        be done then."""
        if self._over:
            self._out(self._say("plain.over", **words_of(self._say)))
        else:
            self._entering().begin()

    def _entering(self) -> InLines:
        now = Conversation(lambda: entering(self._live, self._backstage, self._player, self._say))
        return InLines(now, self._say, self._out, tells=True)

    def _choose(self, typed: str) -> None:
        """Handle a key and what follows it, or a seat's number or a name, which selects that
        player."""
        first, _, rest = typed.partition(" ")
        talk, player = self._entering(), self._named(first)
        reply, more = talk.begun(typed)
        goes_on = reply is not None and (
            reply.pick is not None or isinstance(reply.value, PartByPart | Shorter)
        )
        if reply is not None and (goes_on or not more):  # `2 7` is seat 2's key 7
            self._talk = talk.hear(typed)
        # Says who is awaited instead, rather than listing nothing.
        elif player is not None and not choices_of(self._live, self._backstage, player):
            awaited = self._live.snapshot().awaited
            self._tell(Text("entry.not_awaited", {"player": player, "awaited": awaited}))
        elif player is not None:
            self._player = player
            self._choose(rest.strip()) if rest.strip() else self._list()
        elif (cards := talk.as_cards(typed)) is not None:
            self._talk = talk.hear(cards)
        else:
            self._out(self._say("plain.unknown", typed=typed))

    def _named(self, typed: str) -> str | None:
        people = self._live.snapshot().people
        players = people.seats
        if typed.isdecimal() and 1 <= int(typed[:3]) <= len(players):
            # Three digits are enough: `int` raises ValueError for thousands of them.
            return players[int(typed[:3]) - 1]
        # By the current name: another player may have had it when the evening began.
        known = [(people.shown.get(seat, seat), seat) for seat in players]
        known += [(name, seat) for seat, name in people.right.items()]
        return next((seat for name, seat in known if name.casefold() == typed.casefold()), None)

    def _correct(self) -> None:
        putting_right = Conversation(
            lambda: correct(self._live, self._say), lambda: self._live.snapshot().log
        )
        self._talk = InLines(putting_right, self._say, self._out, "plain.correct.left").begin()

    def _people(self) -> None:
        pronounce = None if self._speaker is None else self._speaker.pronounce
        come_and_go = Conversation(lambda: people(self._live, self._say, pronounce))
        self._talk = InLines(come_and_go, self._say, self._out).begin()

    def _join(self) -> None:
        sharing = self._sharing
        if sharing is None:
            self._out(self._say("share.not_here"))
            return
        lobby = Conversation(lambda: joining(sharing, self._say))
        self._talk = InLines(lobby, self._say, self._out, tells=True).begin()

    def _again(self) -> None:
        """Leave this game for another with the same players, once it is over."""
        if self._over:
            self._next_game()
        else:
            self._out(self._say("plain.not_over", again=word("again", self._say)))

    @property
    def _over(self) -> bool:
        return bool(self._live.snapshot().view["phase"] == GAME_OVER)

    def _tell(self, said: object) -> None:
        if isinstance(said, Text):
            self._out(self._say.say(said))

    def _pause(self, paused: bool) -> None:
        self._live.pause(paused)
        self._backstage.pause(paused)
        go = word("go", self._say)
        self._out(self._say("plain.paused", go=go) if paused else self._say("plain.goes_on"))

    def _odds(self) -> None:
        told = not self._live.tells_odds
        self._live.tell_odds(told)
        self._out(self._say("odds.on" if told else "odds.off"))

    def _mute(self) -> None:
        if self._speaker is not None:
            self._speaker.mute()
        self._out(self._say("voice.muted"))

    def _pose(self) -> None:
        """Take a photo of the people after a few seconds, so that they can join them."""
        if self._photograph is None:
            self._out(self._say("evening.photo.no_camera"))
        else:
            self._posing = self._now + POSE
            self._out(self._say("evening.photo.soon", seconds=round(POSE)))

    def _moved(self) -> None:
        """Accept that the real cards are in their places; list the moves that nobody was asked to
        make."""
        snapshot = self._live.snapshot()
        if snapshot.unasked:
            self._out(self._say("moves.unasked"))
        for words in moves_in_words(snapshot.unasked, self._say, snapshot.people.seats):
            self._out(words)
        self._live.confirm_moves()

    def _count(self) -> None:
        """Count the deck, if it is not too late and a reader can see it."""
        if self._live.snapshot().can_count:
            self._live.count_cards()
        else:
            self._out(self._say("plain.no_count"))

    def _why(self) -> None:
        for player in self._live.snapshot().people.seats:
            for reason in self._live.explain(player):
                words = told(reason, self._say, with_points=True)
                self._out(self._say("of_whom", who=self._say.name(player), what=words))


def planned(plan: Plan, say: Translator) -> Plan | None:
    """Ask on the terminal for what the plan leaves open; None if it was left."""
    chosen: list[Plan] = []
    talk = InLines(
        Conversation(lambda: planning(plan, say, chosen.append)), say, lambda line: print(line, flush=True)
    ).begin()
    with listening() as lines, suppress(EOFError):
        while talk is not None:
            line = lines.next(_TICK)
            if line is not None:
                talk = None if meant(line.strip(), say) == "quit" else talk.hear(line.strip())
    return chosen[0] if chosen else None


def run(evening: Evening) -> Plan | None:
    """Run the plain view on the terminal until `quit`, the end of the input, or Ctrl-C; or until a
    phone has chosen the next game, whose plan is returned."""
    live, say = evening.live, Translator(evening.plan.language, evening.live.game)
    plain = Plain(
        live,
        say,
        lambda line: print(line, flush=True),
        evening.backstage,
        evening.speaker,
        evening.photograph,
        evening.sharing,
        lambda: evening.leave_for(evening.another()),
    )
    # Help first: on lines nothing else shows which words there are.
    plain.enter("?")
    with listening() as lines, suppress(EOFError):
        while evening.wanted is None:
            plain.look(time.monotonic())
            line = lines.next(_TICK)
            if line is not None and not plain.enter(line):
                break
    return evening.wanted


_BRACKETS = re.compile(r"\([^)]*\)")
_NUMBER = re.compile(r"-?\d+(?:/\d+)?")


def news(before: Snapshot | None, now: Snapshot, say: Translator) -> Iterator[str]:
    """Yield what is new since `before` (None: everything), acts first."""
    # A list: the report below is compared with what is printed here.
    acts = list(_log_news(Lines() if before is None else before.log, now.log, say))
    yield from acts
    if now.refusal is not None and (before is None or before.refusal != now.refusal):
        clause = f" ({now.refusal.clause})" if now.refusal.clause else ""
        yield say.say(now.refusal.text) + clause
    if before is None or before.report != now.report:
        yield from (told(one, say) for one in now.report if not _is_in(acts, one, say))
    if now.moves and (before is None or before.moves != now.moves):
        yield say("moves.title.plain", moved=word("moved", say))
        yield from moves_in_words(now.moves, say, now.people.seats)
    if now.odds is not None and (before is None or before.odds != now.odds):
        yield say.say(now.odds.text)
    for come_or_gone in now.people.told[0 if before is None else len(before.people.told) :]:
        yield say.say(come_or_gone.text)
    yield from _trouble(before, now, say)
    if before is None or _points(before) != _points(now):
        yield standing(now, say)
    elif before.awaited != now.awaited:
        yield say.say(now.awaited)


def standing(snapshot: Snapshot, say: Translator) -> str:
    """Return everybody's points, and what is awaited."""
    points = ", ".join(f"{say.name(name)} {worth}" for name, worth in _points(snapshot))
    return f"{points}. {say.say(snapshot.awaited)}"


def told(reason: Reason, say: Translator, *, with_points: bool = False) -> str:
    """Return a reason in words with its clauses; the drawn box of a step is put into words.

    `with_points`: add what it was worth, unless the sentence ends with that number.
    """
    words = say.say(reason.text).removeprefix("☐ ")
    if words.startswith("☑ "):
        words = say("plain.ticked", step=words[2:])
    if with_points and reason.points and str(reason.points) not in _numbers_at_the_end(words):
        words = say("plain.worth", what=words, points=reason.points)
    return f"{words} ({', '.join(reason.clauses)})"


def _numbers_at_the_end(words: str) -> list[str]:
    """List the numbers after the last colon, ignoring brackets: a "round 7" is not what it was
    worth."""
    return _NUMBER.findall(_BRACKETS.sub("", words).rpartition(":")[2])


def _is_in(acts: Sequence[str], reason: Reason, say: Translator) -> bool:
    """Return whether a result was already printed with its act, so that it is not repeated."""
    return any(say.say(reason.text) in act for act in acts)


def _trouble(before: Snapshot | None, now: Snapshot, say: Translator) -> Iterator[str]:
    """Yield messages besides the game: a notice, a journal that is not written, a reader with
    problems, and its recovery."""
    known = () if before is None else _besides(before)
    ill = () if before is None else [one.reader for one in before.health if one.state in ("lost", "look")]
    for one in now.health:
        # Otherwise people would go on by keys for the rest of the evening.
        if one.state == "ok" and one.reader in ill:
            yield say.say(Text("plain.back", {"what": one.text}))
    for text in _besides(now):
        if text not in known:
            yield say.say(text)


def _log_news(told_before: Lines, log: Lines, say: Translator) -> Iterator[str]:
    """Yield each new line of the log, and each line that no longer stands."""
    same = log.since(told_before)
    known = list(told_before[same:])
    for line in log[same:]:
        # A line that was printed before and still stands is not news, wherever it is now.
        if line in known:
            known.remove(line)
        elif line.stands:
            yield say.say(line.text)
        else:
            yield say("plain.struck", line=line.text)


def _points(snapshot: Snapshot) -> list[tuple[str, object]]:
    return [(row["name"], row["points"]) for row in snapshot.view["players"]]


def _besides(snapshot: Snapshot) -> list[Text]:
    # The dashboard shows the end of a video by its status indicator; here it must be printed.
    lost = [health.text for health in snapshot.health if health.warns or health.state == "off"]
    league = None if snapshot.league is None else _league(snapshot.league)
    return [text for text in (snapshot.notice, snapshot.keeping, league, *lost) if text is not None]


def _league(lamp: LeagueLamp) -> Text:
    """Describe the connection to the league, without the number of waiting entries: it would be
    news after every act."""
    return lamp.trouble or Text("league.there" if lamp.connected else "league.away")
