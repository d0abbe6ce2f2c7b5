"""The entry panel over one live session: what may be entered now, a question to the table."""

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
"""Seconds for which rows that came by themselves take no key: it was meant for those before."""


class Entering:
    """Holds the conversation that stands in the panel: it begins anew with each snapshot, with what
    was answered so far as it is offered still.

    `tell`: says something to whoever pressed the key. `clock`: monotonic seconds.
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
        """What the keys mean now; None while what comes next was asked for by a key."""
        self._came = -math.inf
        """When it came by itself."""

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
        snapshot = self._live.snapshot()
        players = snapshot.people.seats
        if seat > len(players):
            return
        player = players[seat - 1] if seat else None
        if player is not None and not choices_of(self._live, self._backstage, player):
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
            self._live.answer(self._question.id, None)
            self._turn_to(None)
        elif panel is not None and (panel.picking or (self._talk is not None and self._talk.answers)):
            self._turn_to(None)
        else:
            self._open = False
        self._fill_again()

    def take_back(self) -> None:
        """Take back the last part of what is entered by parts; without one, show all choices."""
        if self._talk is not None and self._talk.back():
            self._shown = None
            self._fill_again()

    def next(self) -> None:
        """Turn to the next player who is awaited."""
        menu = None if self._talk is None else self._talk.menu
        if menu is not None and menu.standing is not None and menu.standing.others:
            self._turn_to(menu.standing.others[0])
        self._fill_again()

    def fill(self, snapshot: Snapshot, say: Translator) -> None:
        """Keep the panel at what is awaited now; a question to the table opens it."""
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
            self._talk.again(self._talk.answers)
        assert self._talk.menu is not None
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
        """Draw only what is new: what was typed half must not be lost at every tick."""
        before, self._shown = self._shown, menu
        same = before is not None and before.is_like(menu)
        if before is not None and not same:
            self._came = self._clock()
        if not same or (before is not None and before.standing != menu.standing and not panel.picking):
            panel.show(menu, self.answered)

    def answered(self, reply: Reply, cards: Cards) -> None:
        """Take an answer of the panel, if it is offered still."""
        talk = self._talk
        now = None if talk is None else talk.offered(reply)
        if talk is None or now is None:
            return  # gone with its card, while more was typed
        self._ask_for_more()
        talk.answer(now, cards)
        if talk.menu is not None:
            self._fill_again()
        else:
            self._over(talk.outcome)

    def _over(self, outcome: Refusal | Text | None) -> None:
        """Go on after something was entered: whose choices are shown next is for the game to say;
        why it was refused is said where it was typed."""
        self._turn_to(None)
        self._fill_again()
        panel = self._table.entry
        if isinstance(outcome, Refusal) and panel is not None and panel.display:
            panel.tell(f"✘ {panel.say.say(outcome.text)}")
        self._tell(outcome)

    def _show(self) -> None:
        self._open = True
        self._fill_again()
        if not self.open:
            self._open = False
            over = self._live.snapshot().view["phase"] == GAME_OVER
            self._tell(Text("choose.over" if over else "choose.nothing"))

    def _fill_again(self) -> None:
        if self._table.entry is not None:
            self.fill(self._live.snapshot(), self._table.entry.say)

    def _turn_to(self, player: str | None) -> None:
        """Show the choices of this player next; None: of whoever is awaited first."""
        self._player, self._talk = player, None
        self._ask_for_more()

    def _ask_for_more(self) -> None:
        """Take what comes next for what a key has asked for."""
        self._shown, self._came = None, -math.inf
