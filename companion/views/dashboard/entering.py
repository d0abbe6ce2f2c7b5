"""What the entry panel shows and does: the choices of who is awaited, a question to the table, a
game to be chosen after the last act."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual.content import Content

from companion.live.snapshot import Question, Snapshot
from companion.rules.contract import Choice, Request, Text
from companion.texts import Translator
from companion.views.dashboard.parts import offer_parts
from companion.views.dashboard.screens.table import TableScreen
from companion.views.dashboard.widgets.entry_panel import EntryPanel
from companion.views.entry import Entry, Way, entry, for_everybody
from companion.views.host import Host, Seats
from companion.views.marks import marked_name
from companion.views.menu_keys import keyed
from companion.views.part_by_part import PartByPart, gathered


class Entering:
    """Opens and fills the panel from the live session.

    `tell`: says something to whoever pressed the key. `look`: draws what is new.
    """

    def __init__(
        self,
        host: Host,
        seats: Seats | None,
        table: TableScreen,
        tell: Callable[[object], object],
        look: Callable[[], object],
    ) -> None:
        self._host = host
        self._seats = seats
        self._table = table
        self._tell = tell
        self._look = look
        self._open = False
        self._player: str | None = None
        self._shown: tuple[object, ...] = ()
        self._question: Question | None = None
        self._by_parts: PartByPart | None = None
        self._later: set[int] = set()

    def act(self) -> None:
        """Open the panel at whoever is awaited; what has only one way is entered at once."""
        self._turn_to(None)
        only = None if self._open else self._only()
        if only is not None:
            self._take(only)
        else:
            self._show()

    def open_at(self, seat: int) -> None:
        """Open the panel at one seat (0: at whoever is awaited); an empty seat opens nothing,
        and where the panel stands open it says which keys there are."""
        players = self._host.snapshot().setup.players
        if seat <= len(players):
            self._turn_to(players[seat - 1] if seat else None)
            self._show()
        elif self._table.entry is not None and self._table.entry.display:
            self._table.entry.tell_keys(str(seat))

    def close(self) -> None:
        """Close the panel; a question is put aside for later, a picker of cards goes back first."""
        panel = self._table.entry
        if self._question is not None:
            self._put_aside(self._question)
        elif self._by_parts is not None or (panel is not None and panel.picking):
            self._turn_to(None)
        else:
            self._open = False
        self._fill_again()
        self._look()

    def take_back(self) -> None:
        """Take back the last part of what is entered by parts; without one, show all choices."""
        if self._by_parts is not None:
            self._go_on_with(self._by_parts.back() if self._by_parts.taken else None)

    def next(self) -> None:
        """Turn to the next player who is awaited."""
        others = self._entry().others
        if others:
            self._turn_to(others[0])
        self._fill_again()

    def fill(self, snapshot: Snapshot, say: Translator) -> None:
        """Keep the panel at what is awaited now; a question to the table opens it."""
        panel = self._table.entry
        if panel is None:
            return
        panel.say = say
        there = self._draw_in(panel, snapshot, say)
        if self._question is not None or (self._open and there):
            self._table.show_entry(True)
        elif panel.display:
            self._table.show_entry(False)

    def _show(self) -> None:
        self._open = True
        self._fill_again()
        panel = self._table.entry
        if panel is not None and not panel.display:
            self._open = False
            self._tell(Text("choose.nothing"))

    def _fill_again(self) -> None:
        if self._table.entry is not None:
            self.fill(self._host.snapshot(), self._table.entry.say)

    def _draw_in(self, panel: EntryPanel, snapshot: Snapshot, say: Translator) -> bool:
        """Show in the panel what is to be entered or answered now; False when there is nothing."""
        question = next((one for one in snapshot.questions if one.id not in self._later), None)
        self._question = question
        if question is not None:
            asked = (question, self._by_parts, say.language)
            self._draw(asked, lambda: self._ask(panel, question, say))
            return True
        now = self._entry()
        if not now.ways and self._player is not None:
            self._turn_to(None)
            now = self._entry()
        parts = self._still(now.ways)
        if parts is None:
            self._draw((now, say.language), lambda: self._offer(panel, now, say))
        else:
            self._draw((parts, say.language), lambda: offer_parts(panel, parts, say, self._go_on_with))
        return bool(now.ways)

    def _turn_to(self, player: str | None) -> None:
        """Show the choices of this player next; None: of whoever is awaited first."""
        self._player, self._shown, self._by_parts = player, (), None

    def _only(self) -> Way | None:
        """Return the only thing that can be entered now, if there is one and it names no card."""
        now = self._entry()
        own = [way for way in now.ways if not way.for_all]
        return own[0] if len(own) == 1 and not now.others and own[0].choice.pick is None else None

    def _take(self, way: Way) -> None:
        """Enter one thing; whose choices are shown next is for the game to say."""
        request = way.choice.request
        if way.for_all:
            self._tell_refusal(for_everybody(self._host, request))
        else:
            self._submit(request)
        self._turn_to(None)
        self._look()

    def _put_aside(self, question: Question) -> None:
        """Leave the question for later."""
        self._later.add(question.id)
        self._host.answer(question.id, None)
        self._question, self._shown = None, ()

    def _entry(self) -> Entry:
        return entry(self._host, self._seats, self._player)

    def _draw(self, what: tuple[object, ...], draw: Callable[[], object]) -> None:
        """Draw only what is new: what was typed half must not be lost at every tick."""
        if what != self._shown:
            self._shown = what
            draw()

    def _still(self, ways: Sequence[Way]) -> PartByPart | None:
        """Return what is entered part by part, unless a card on the table has decided meanwhile."""
        if self._by_parts is not None and not all(way in ways for way in self._by_parts.ways):
            self._by_parts = None
        return self._by_parts

    def _offer(self, panel: EntryPanel, now: Entry, say: Translator) -> None:
        rows = gathered(now.ways)

        def chosen(row: int) -> None:
            one = rows[row]
            self._chosen(panel, one, say) if isinstance(one, Way) else self._go_on_with(one)

        panel.offer(
            self._title(now, say), [one.key for one in rows], [self._words(one, say) for one in rows], chosen
        )

    def _go_on_with(self, now: PartByPart | Way | None) -> None:
        """Go on from here; what is named in full and comes out in one way only is entered. None:
        show all choices again."""
        if isinstance(now, PartByPart) and len(now.whole) == 1:
            now = now.whole[0]
        if isinstance(now, Way):
            self._take(now)
            return
        self._by_parts, self._shown = now, ()
        self._fill_again()

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

    def _words(self, way: Way | PartByPart, say: Translator) -> Content:
        if isinstance(way, PartByPart):
            return Content(say.say(way.kind.label))
        words = say.say(way.choice.label)
        return Content.styled(say("entry.for_all", what=words), "bold") if way.for_all else Content(words)

    def _chosen(self, panel: EntryPanel, way: Way, say: Translator) -> None:
        pick = way.choice.pick
        if pick is None:
            self._take(way)
        else:
            title = Content.styled(say.say(way.choice.label), "bold")
            panel.pick(title, pick, lambda cards: self._named(way.choice, cards))

    def _named(self, choice: Choice, cards: tuple[str, ...]) -> None:
        self._submit(choice.with_cards(cards))
        self._turn_to(None)
        self._look()

    def _ask(self, panel: EntryPanel, question: Question, say: Translator) -> None:
        keys = keyed([*(choice.key for choice in question.choices), ""])
        ways = [Way(key, None, choice) for key, choice in zip(keys, question.choices, strict=False)]
        parts = self._still(ways)

        def answered(one: Way | PartByPart | None) -> None:
            if isinstance(one, PartByPart) and len(one.whole) == 1:
                one = one.whole[0]
            if isinstance(one, PartByPart):
                self._go_on_with(one)
                return
            if one is None:
                self._put_aside(question)
            else:
                self._host.answer(question.id, ways.index(one))
            self._turn_to(None)
            self._look()

        if parts is not None:
            offer_parts(panel, parts, say, answered)
            return
        rows: list[Way | PartByPart | None] = [*gathered(ways), None]
        words = [Content(say("question.later")) if one is None else self._words(one, say) for one in rows]
        title = Content.styled(say.say(question.text), "bold $warning")
        panel.offer(
            title,
            [keys[-1] if one is None else one.key for one in rows],
            words,
            lambda row: answered(rows[row]),
        )

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
