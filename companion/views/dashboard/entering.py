"""What the entry panel shows and does: the choices of who is awaited, a question to the table, a game to be chosen after the last act."""

from __future__ import annotations

from collections.abc import Callable

from textual.content import Content

from companion.live.snapshot import Question, Snapshot
from companion.rules.contract import Choice, Request, Text
from companion.texts import Translator
from companion.views.dashboard.widgets.entry_panel import EntryPanel
from companion.views.entry import Entry, Way, entry, for_everybody
from companion.views.host import Host, Seats
from companion.views.marks import marked_name
from companion.views.menu_keys import keyed


class Entering:
    """Fills the panel from the live session. `tell`: says something to whoever pressed the key. `look`: draws what is new."""

    def __init__(
        self, host: Host, seats: Seats | None, tell: Callable[[object], object], look: Callable[[], object]
    ) -> None:
        self._host = host
        self._seats = seats
        self._tell = tell
        self._look = look
        self._player: str | None = None
        self._shown: tuple[object, ...] = ()
        self._question: Question | None = None
        self._later: set[int] = set()

    @property
    def asks(self) -> bool:
        """Whether the panel holds a question to the table."""
        return self._question is not None

    def turn_to(self, player: str | None) -> None:
        """Show the choices of this player next; None: of whoever is awaited first."""
        self._player, self._shown = player, ()

    def next(self) -> None:
        """Turn to the next player who is awaited."""
        others = self._entry().others
        if others:
            self.turn_to(others[0])

    def only(self) -> Way | None:
        """Return the only thing that can be entered now, if there is but one and it names no card."""
        now = self._entry()
        own = [way for way in now.ways if not way.for_all]
        return own[0] if len(own) == 1 and not now.others and own[0].choice.pick is None else None

    def fill(self, panel: EntryPanel, snapshot: Snapshot, say: Translator) -> bool:
        """Show in the panel what is to be entered or answered now; False when there is nothing."""
        panel.say = say
        question = next((one for one in snapshot.questions if one.id not in self._later), None)
        self._question = question
        if question is not None:
            self._draw((question, say.language), lambda: self._ask(panel, question, say))
            return True
        now = self._entry()
        if not now.ways and self._player is not None:
            self.turn_to(None)
            now = self._entry()
        self._draw((now, say.language), lambda: self._offer(panel, now, say))
        return bool(now.ways)

    def take(self, way: Way) -> None:
        """Enter one thing; whose choices are shown next is for the game to say."""
        request = way.choice.request
        if way.for_all:
            self._tell_refusal(for_everybody(self._host, request))
        else:
            self._submit(request)
        self.turn_to(None)
        self._look()

    def put_aside(self) -> None:
        """Leave the question for later."""
        if self._question is not None:
            self._later.add(self._question.id)
            self._host.answer(self._question.id, None)
            self._question, self._shown = None, ()

    def _entry(self) -> Entry:
        return entry(self._host, self._seats, self._player)

    def _draw(self, what: tuple[object, ...], draw: Callable[[], object]) -> None:
        """Draw only what is new: what was typed half must not be lost at every tick."""
        if what != self._shown:
            self._shown = what
            draw()

    def _offer(self, panel: EntryPanel, now: Entry, say: Translator) -> None:
        words = [self._words(way, say) for way in now.ways]
        panel.offer(
            self._title(now, say),
            [way.key for way in now.ways],
            words,
            lambda row: self._chosen(panel, now.ways[row], say),
        )

    def _title(self, now: Entry, say: Translator) -> Content:
        players = self._host.snapshot().setup.players
        if now.player is None:
            title = Content.styled(say("choose.table"), "bold")
        else:
            title = marked_name(now.player, players.index(now.player) + 1, say, 30)
        if now.others:
            others = Content(" ").join(
                marked_name(name, players.index(name) + 1, say, 12) for name in now.others
            )
            title = Content.assemble(title, "\n", (f"Tab  {say('entry.then')} ", "$foreground-muted"), others)
        return title

    def _words(self, way: Way, say: Translator) -> Content:
        words = say.say(way.choice.label)
        return Content.styled(say("entry.for_all", what=words), "bold") if way.for_all else Content(words)

    def _chosen(self, panel: EntryPanel, way: Way, say: Translator) -> None:
        pick = way.choice.pick
        if pick is None:
            self.take(way)
        else:
            title = Content.styled(say.say(way.choice.label), "bold")
            panel.pick(title, pick, lambda cards: self._named(way.choice, cards))

    def _named(self, choice: Choice, cards: tuple[str, ...]) -> None:
        self._submit(choice.with_cards(cards))
        self.turn_to(None)
        self._look()

    def _ask(self, panel: EntryPanel, question: Question, say: Translator) -> None:
        keys = keyed([*(choice.key for choice in question.choices), ""])
        words = [*(say.say(choice.label) for choice in question.choices), say("question.later")]

        def answered(row: int) -> None:
            if row < len(question.choices):
                self._host.answer(question.id, row)
            else:
                self.put_aside()
            self.turn_to(None)
            self._look()

        title = Content.styled(say.say(question.text), "bold $warning")
        panel.offer(title, keys, [Content(one) for one in words], answered)

    def _submit(self, request: Request) -> None:
        player = getattr(request, "player", None)
        if self._seats is not None and player in self._seats.people:
            self._tell(self._seats.enact(request))
        else:
            self._host.submit(request)

    def _tell_refusal(self, refusal: object) -> None:
        text = getattr(refusal, "text", None)
        if isinstance(text, Text):
            self._tell(text)
