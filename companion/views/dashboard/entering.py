"""Logic of the entry panel over one live session: possible entries, and questions to the table.

The panel stays open while the table changes, so two things must not happen. An entry that is half
made must not be lost: the conversation is repeated after each snapshot with the answers so far, as
far as they are still offered. And a key must not be taken for rows that appeared just before it was
pressed: rows that come by themselves accept no key for `MOMENT` seconds, whereas rows that a key
has asked for accept the next key at once.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from companion.live.live import Live
from companion.live.snapshot import ShownQuestion, Snapshot
from companion.rules.contract import GAME_OVER, Refusal, Text
from companion.texts import Translator
from companion.views.conversations import Cards, Conversation, Dialogue, Menu, Reply, answer, entering
from companion.views.dashboard.screens.table import TableScreen
from companion.views.dashboard.widgets.entry_panel import EntryPanel
from companion.views.entry import choices_of
from companion.views.evening import Backstage

MOMENT = 0.6
"""Seconds for which rows that appeared by themselves accept no key, because it was meant for the
previous rows."""


class Entering:
    """The conversation in the entry panel, repeated after each snapshot with the answers so far, as
    far as they are still offered.

    `tell`: shows a message to the person who pressed the key. `clock`: monotonic seconds.
    """

    def __init__(
        self,
        live: Live,
        backstage: Backstage,
        table: TableScreen,
        tell: Callable[[object], object],
        clock: Callable[[], float],
    ) -> None:
        self._live = live
        self._backstage = backstage
        self._table = table
        self._tell = tell
        self._clock = clock
        self._open = False
        self._player: str | None = None
        self._question: ShownQuestion | None = None
        self._talk: Conversation | None = None
        self._shown: Menu | None = None
        """The menu that the keys refer to; None while a key has asked for the next one."""
        self._came = -math.inf
        """When it appeared by itself."""

    @property
    def open(self) -> bool:
        """Whether the panel has the keyboard focus."""
        return self._table.entry is not None and self._table.entry.display

    def ready(self) -> bool:
        """Return whether a key pressed now is meant for the rows shown."""
        return self._clock() - self._came >= MOMENT

    def act(self) -> None:
        """Open the panel at the awaited player."""
        self._turn_to(None)
        self._show()

    def open_at(self, seat: int) -> None:
        """Open the panel at one seat (0: at the awaited player); if that player has nothing
        to enter, show who has."""
        snapshot = self._live.snapshot()
        players = snapshot.people.seats
        # There are keys for nine seats.
        if seat > len(players):
            return
        player = players[seat - 1] if seat else None
        if player is not None and not choices_of(self._live, self._backstage, player):
            self._tell(Text("entry.not_awaited", {"player": player, "awaited": snapshot.awaited}))
            return
        self._turn_to(player)
        self._show()

    def leave(self) -> None:
        """Close the panel, so that keys work for the table again."""
        self._open = False
        self._turn_to(None)
        self._fill_again()

    def close(self) -> None:
        """Close the panel; a question is postponed, and choosing cards only goes back one level."""
        panel = self._table.entry
        # The question appeared as Esc was pressed for something else.
        if self._question is not None and not self.ready():
            return
        if self._question is not None:
            self._live.answer(self._question.id, None)
            self._turn_to(None)
        elif panel is not None and (panel.picking or (self._talk is not None and self._talk.answers)):
            self._turn_to(None)
        else:
            self._open = False
        self._fill_again()

    def take_back(self) -> None:
        """Take back the last part of an entry; without one, show all choices."""
        if self._talk is not None and self._talk.back():
            self._shown = None
            self._fill_again()

    def next(self) -> None:
        """Switch to the next awaited player."""
        menu = None if self._talk is None else self._talk.menu
        if menu is not None and menu.standing is not None and menu.standing.others:
            self._turn_to(menu.standing.others[0])
        self._fill_again()

    def fill(self, snapshot: Snapshot, say: Translator) -> None:
        """Update the panel to what is awaited now; a question to the table opens it."""
        panel = self._table.entry
        if panel is None:
            return
        panel.say, panel.ready = say, self.ready
        before, self._question = self._question, next(iter(snapshot.questions), None)
        if (before and before.id) != (self._question and self._question.id):
            self._talk = None
            if self._question is not None:
                self._shown = Menu((), ())  # no key has asked for a question
        menu = self._menu() if self._open or self._question is not None else None
        # A panel without rows would only cover the table.
        if menu is not None and menu.replies:
            self._draw(panel, menu)
            self._table.show_entry(True)
        elif panel.display:
            self._table.show_entry(False)

    def _menu(self) -> Menu:
        """Return what can be entered or answered now."""
        if self._talk is None:
            self._talk = Conversation(self._begin)
        else:
            # Only as far as they are still offered: with other ways, parts named before could be
            # complete, and would be entered unasked.
            self._talk.again(self._talk.answers)
        assert self._talk.menu is not None
        # The player has nothing to enter any more: show who is awaited.
        if not self._talk.menu.replies and self._player is not None:
            self._player = None
            self._talk.again(())
        return self._talk.menu

    def _begin(self) -> Dialogue:
        assert self._table.entry is not None
        say = self._table.entry.say
        if self._question is not None:
            return answer(self._live, self._question, say)
        return entering(self._live, self._backstage, self._player, say)

    def _draw(self, panel: EntryPanel, menu: Menu) -> None:
        """Redraw only what has changed, so that half-typed input is not lost at every tick."""
        before, self._shown = self._shown, menu
        same = before is not None and before.is_like(menu)
        if before is not None and not same:
            self._came = self._clock()
        if not same or (before is not None and before.standing != menu.standing and not panel.picking):
            panel.show(menu, self.answered)

    def answered(self, reply: Reply, cards: Cards) -> None:
        """Handle an answer from the panel, if it is still offered."""
        talk = self._talk
        now = None if talk is None else talk.offered(reply)
        if talk is None or now is None:
            return  # it disappeared with its card while more was typed
        self._ask_for_more()
        talk.answer(now, cards)
        if talk.menu is not None:
            self._fill_again()
        else:
            self._over(talk.outcome)

    def _over(self, outcome: Refusal | Text | None) -> None:
        """Continue after an entry: the game decides whose choices are shown next; a refusal is
        shown where the entry was typed."""
        self._turn_to(None)
        self._fill_again()
        panel = self._table.entry
        if isinstance(outcome, Refusal) and panel is not None and panel.display:
            panel.tell(f"✘ {panel.say.say(outcome.text)}")
        self._tell(outcome)

    def _show(self) -> None:
        self._open = True
        self._fill_again()
        # The panel did not open: there is nothing to enter.
        if not self.open:
            self._open = False
            over = self._live.snapshot().view["phase"] == GAME_OVER
            self._tell(Text("choose.over" if over else "choose.nothing"))

    def _fill_again(self) -> None:
        if self._table.entry is not None:
            self.fill(self._live.snapshot(), self._table.entry.say)

    def _turn_to(self, player: str | None) -> None:
        """Show the choices of this player next; None: of the first awaited player."""
        self._player, self._talk = player, None
        self._ask_for_more()

    def _ask_for_more(self) -> None:
        """Mark the next menu as asked for by a key."""
        self._shown, self._came = None, -math.inf
