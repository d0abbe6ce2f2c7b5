"""What the entry panel shows and does: the choices of who is awaited, a question to the table, a
game to be chosen after the last act."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from textual.content import Content

from companion.live.snapshot import Question, Snapshot
from companion.rules.contract import Choice, Refusal, Request, Text
from companion.texts import Translator
from companion.views.conversations import Cards, Conversation, Reply, answer, parts_menu
from companion.views.dashboard.screens.table import TableScreen
from companion.views.dashboard.widgets.entry_panel import EntryPanel
from companion.views.entry import Entry, Way, choices_of, entry, for_everybody
from companion.views.host import Host, Seats
from companion.views.marks import marked_name
from companion.views.part_by_part import PartByPart, gathered

MOMENT = 0.6
"""Seconds for which rows that came by themselves take no key: it was meant for those before."""


class Entering:
    """Opens and fills the panel from the live session.

    `tell`: says something to whoever pressed the key. `look`: draws what is new. `clock`: monotonic
    seconds.
    """

    def __init__(
        self,
        host: Host,
        seats: Seats | None,
        table: TableScreen,
        tell: Callable[[object], object],
        look: Callable[[], object],
        clock: Callable[[], float],
    ) -> None:
        self._host = host
        self._seats = seats
        self._table = table
        self._tell = tell
        self._look = look
        self._clock = clock
        self._open = False
        self._player: str | None = None
        self._shown: tuple[object, ...] = ()
        self._meant: object = None
        """What the keys mean now; None while what comes next was asked for by a key."""
        self._came = -math.inf
        """When it came by itself."""
        self._asked: tuple[Question, str] | None = None
        """The question that is answered now, and the language in which it was put."""
        self._answering: Conversation | None = None
        self._question: Question | None = None
        self._by_parts: PartByPart | None = None

    @property
    def open(self) -> bool:
        """Whether the panel has the keys."""
        return self._table.entry is not None and self._table.entry.display

    def ready(self) -> bool:
        """Tell whether what stands there is what a key typed now is meant for."""
        return self._clock() - self._came >= MOMENT

    def act(self) -> None:
        """Open the panel at whoever is awaited."""
        self._turn_to(None)
        self._show()

    def open_at(self, seat: int) -> None:
        """Open the panel at one seat (0: at whoever is awaited); where that player has nothing to
        enter it says who has."""
        snapshot = self._host.snapshot()
        players = snapshot.people.seats
        if seat > len(players):
            return
        player = players[seat - 1] if seat else None
        if player is not None and not choices_of(self._host, self._seats, player):
            self._tell(Text("entry.not_awaited", {"player": player, "awaited": snapshot.awaited}))
            return
        self._turn_to(player)
        self._show()

    def leave(self) -> None:
        """Close the panel: the keys are the table's again."""
        self._open = False
        self._turn_to(None)
        self._fill_again()

    def close(self) -> None:
        """Close the panel; a question is put aside for later, a picker of cards goes back first."""
        panel = self._table.entry
        if self._question is not None and not self.ready():
            return
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
        if self._question is not None and self._answering is not None:
            self._answering.back()
            self._ask_for_more()
            self._fill_again()
        elif self._by_parts is not None:
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
        panel.say, panel.ready = say, self.ready
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
        question = next(iter(snapshot.questions), None)
        self._question = question
        if question is not None:
            self._ask(panel, question, say)
            return True
        now = self._entry()
        if not now.ways and self._player is not None:
            self._player = None
            now = self._entry()
        parts = self._still(now.ways)
        meant = (now.player, now.ways, parts)
        if parts is None:
            self._draw((now, say.language), meant, lambda: self._offer(panel, now, say))
        else:
            self._draw(
                (parts, say.language),
                meant,
                lambda: panel.show(parts_menu(parts, say), lambda one, _: self._go_on_with(one.value)),
            )
        return bool(now.ways)

    def _turn_to(self, player: str | None) -> None:
        """Show the choices of this player next; None: of whoever is awaited first."""
        self._player, self._by_parts = player, None
        self._ask_for_more()

    def _ask_for_more(self) -> None:
        """Take what comes next for what a key has asked for."""
        self._shown, self._meant, self._came = (), None, -math.inf

    def _take(self, way: Way) -> None:
        """Enter one thing."""
        request = way.choice.request
        self._entered(for_everybody(self._host, request) if way.for_all else self._submit(request))

    def _entered(self, refusal: Refusal | None) -> None:
        """Go on after something was entered: whose choices are shown next is for the game to say;
        why it was refused is said where it was typed."""
        self._turn_to(None)
        self._look()
        self._fill_again()
        panel = self._table.entry
        if refusal is not None and panel is not None and panel.display:
            panel.tell(f"✘ {panel.say.say(refusal.text)}")

    def _put_aside(self, question: Question) -> None:
        """Leave the question for later."""
        self._host.answer(question.id, None)
        self._question = None
        self._ask_for_more()

    def _entry(self) -> Entry:
        return entry(self._host, self._seats, self._player)

    def _draw(self, what: tuple[object, ...], meant: object, draw: Callable[[], object]) -> None:
        """Draw only what is new: what was typed half must not be lost at every tick."""
        if what == self._shown:
            return
        if self._meant not in (None, meant):
            self._came = self._clock()
        self._shown, self._meant = what, meant
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
        self._by_parts = now
        self._ask_for_more()
        self._fill_again()

    def _title(self, now: Entry, say: Translator) -> Content:
        players = self._host.snapshot().people.seats
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
        self._entered(self._submit(choice.with_cards(cards)))

    def _ask(self, panel: EntryPanel, question: Question, say: Translator) -> None:
        """Put a question to the table; anew in another language, whose words are its rows."""
        talk = self._answering
        if talk is None or self._asked != (question, say.language):
            if self._asked is None or self._asked[0].id != question.id:
                self._meant = ()  # no key has asked for a question
            self._asked = (question, say.language)
            self._answering = talk = Conversation(lambda: answer(self._host, question, say))
        menu, step = talk.menu, len(talk.answers)
        assert menu is not None
        self._draw(
            (question, step, say.language), (question.id, step), lambda: panel.show(menu, self._answered)
        )

    def _answered(self, reply: Reply, cards: Cards) -> None:
        question, talk = self._question, self._answering
        if question is None or talk is None or self._asked is None:
            return  # gone with its card, while more was typed
        talk.answer(reply, cards)
        if talk.menu is not None:
            self._ask_for_more()
            self._fill_again()
            return
        self._asked = None
        self._turn_to(None)
        self._look()

    def _submit(self, request: Request) -> Refusal | None:
        player = getattr(request, "player", None)
        if self._seats is not None and player in self._seats.people:
            self._tell(self._seats.enact(request))
            return None
        return self._host.submit(request)
