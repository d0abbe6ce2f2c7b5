"""Logic of the entry panel over one live session: possible entries, and questions to the table.

The panel stays open while the table changes, so two things must not happen. An entry that is half
made must not be lost: the conversation is repeated after each snapshot with the answers so far, as
far as they are still offered. And a key must not be taken for rows that appeared just before it was
pressed: rows that come by themselves accept no key for `SETTLE_SECONDS` seconds, whereas rows that
a key has asked for accept the next key at once.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from companion.live.live_session import LiveSession
from companion.live.snapshot import ShownQuestion, Snapshot
from companion.rules.contract import GAME_OVER, Refusal, Text
from companion.texts import Translator
from companion.views.conversations import (
    Cards,
    Conversation,
    Dialogue,
    Menu,
    Reply,
    describe_refusal,
    prompt_for_answer,
    prompt_for_entry,
)
from companion.views.dashboard.screens.table_screen import TableScreen
from companion.views.dashboard.widgets.entry_panel import EntryPanel
from companion.views.entry_options import list_player_choices
from companion.views.table_session import Backstage

REDO_KEY = "r"
"""The key that takes back an undo, unless a row of the open panel has it."""
SETTLE_SECONDS = 0.6
"""Seconds for which rows that appeared by themselves accept no key, because it was meant for the
previous rows."""


class EntryController:
    """The conversation in the entry panel, repeated after each snapshot with the answers so far, as
    far as they are still offered.

    `notify`: shows a message to the person who pressed the key. `clock`: monotonic seconds.
    """

    def __init__(
        self,
        live: LiveSession,
        backstage: Backstage,
        table: TableScreen,
        notify: Callable[[object], object],
        clock: Callable[[], float],
    ) -> None:
        self._live = live
        self._backstage = backstage
        self._table = table
        self._tell = notify
        self._clock = clock
        self._open = False
        self._player: str | None = None
        self._question: ShownQuestion | None = None
        self._talk: Conversation | None = None
        self._shown: Menu | None = None
        """The menu that the keys refer to; None while a key has asked for the next one."""
        self._came = -math.inf
        """When it appeared by itself."""
        self.told_refusal: Refusal | None = None
        """The last refusal that was told in the panel, where the entry was typed."""

    @property
    def is_open(self) -> bool:
        """Whether the panel has the keyboard focus."""
        return self._table.entry_panel is not None and self._table.entry_panel.display

    def is_ready(self) -> bool:
        """Return whether a key pressed now is meant for the rows shown."""
        return self._clock() - self._came >= SETTLE_SECONDS

    def open_panel(self) -> None:
        """Open the panel at the awaited player."""
        self._select_player(None)
        self._open_and_fill()

    def open_at_seat(self, seat: int) -> None:
        """Open the panel at one seat (0: at the awaited player); if that player has nothing
        to enter, show who has."""
        snapshot = self._live.snapshot()
        players = snapshot.people.seats
        # There are keys for nine seats.
        if seat > len(players):
            return
        player = players[seat - 1] if seat else None
        if player is not None and not list_player_choices(self._live, self._backstage, player):
            self._tell(self._live.refuse_idle_player(player))
            return
        self._select_player(player)
        self._open_and_fill()

    def close_panel(self) -> None:
        """Close the panel, so that keys work for the table again."""
        self._open = False
        self._select_player(None)
        self._refill_panel()

    def undo_step(self) -> None:
        """Take back the last step. An open panel then shows the choices of the player whose step it
        was."""
        acts = self._live.list_acts()
        player = getattr(acts[-1].request, "player", None) if acts else None
        self._live.undo()
        if self._open:
            self._select_player(player)
            self._refill_panel()
            panel = self._table.entry_panel
            # Elsewhere it takes the undo back; here it would enter something.
            if panel is not None and panel.display and panel.uses_key(REDO_KEY):
                panel.doubted_key = REDO_KEY

    def redo_step(self) -> None:
        """Take back the last undo. An open panel then shows the awaited player's choices."""
        self._live.redo()
        if self._open:
            self._select_player(None)
            self._refill_panel()

    def can_redo_by_key(self, key: str) -> bool:
        """Return whether there is an undo to take back, and no row of the open panel uses its
        key."""
        panel = self._table.entry_panel
        return self._live.snapshot().can_redo and panel is not None and not panel.uses_key(key)

    def step_back(self) -> None:
        """Close the panel; a question is postponed, and choosing cards only goes back one level."""
        panel = self._table.entry_panel
        # The question appeared as Esc was pressed for something else.
        if self._question is not None and not self.is_ready():
            return
        if self._question is not None:
            self._live.answer_question(self._question.id, None)
            self._select_player(None)
        elif panel is not None and (panel.is_picking or (self._talk is not None and self._talk.answers)):
            self._select_player(None)
        else:
            self._open = False
        self._refill_panel()

    def take_back_part(self) -> None:
        """Take back the last part of an entry; without one, show all choices."""
        if self._talk is not None and self._talk.take_back_answer():
            self._shown = None
            self._refill_panel()

    def show_next_player(self) -> None:
        """Switch to the next awaited player."""
        menu = None if self._talk is None else self._talk.menu
        if menu is not None and menu.entry_turn is not None and menu.entry_turn.others:
            self._select_player(menu.entry_turn.others[0])
        self._refill_panel()

    def update_panel(self, snapshot: Snapshot, translator: Translator) -> None:
        """Update the panel to what is awaited now; a question to the table opens it."""
        panel = self._table.entry_panel
        if panel is None:
            return
        panel.set_translator(translator)
        panel.ready = self.is_ready
        before, self._question = self._question, next(iter(snapshot.questions), None)
        if (before and before.id) != (self._question and self._question.id):
            self._talk = None
            if self._question is not None:
                self._shown = Menu((), ())  # no key has asked for a question
        menu = self._build_menu() if self._open or self._question is not None else None
        # A panel without rows would only cover the table.
        if menu is not None and (menu.replies or menu.attempts()):
            self._draw_menu(panel, menu)
            self._table.set_entry_visible(True)
        elif panel.display:
            self._table.set_entry_visible(False)

    def _build_menu(self) -> Menu:
        """Return what can be entered or answered now."""
        if self._talk is None:
            self._talk = Conversation(self._start_dialogue)
        else:
            # Only as far as they are still offered: with other ways, parts named before could be
            # complete, and would be entered unasked.
            self._talk.restart(self._talk.answers)
        assert self._talk.menu is not None
        # The player has nothing to enter any more: show who is awaited.
        if not self._talk.menu.replies and self._player is not None:
            self._player = None
            self._talk.restart(())
        return self._talk.menu

    def _start_dialogue(self) -> Dialogue:
        assert self._table.entry_panel is not None
        translator = self._table.entry_panel.translator
        if self._question is not None:
            return prompt_for_answer(self._live, self._question, translator)
        return prompt_for_entry(self._live, self._backstage, self._player, translator)

    def _draw_menu(self, panel: EntryPanel, menu: Menu) -> None:
        """Redraw only what has changed, so that half-typed input is not lost at every tick."""
        before, self._shown = self._shown, menu
        same = before is not None and before.is_equivalent(menu)
        if before is not None and not same:
            self._came = self._clock()
        if not same or (before is not None and before.entry_turn != menu.entry_turn and not panel.is_picking):
            panel.show_menu(menu, self.handle_answer)

    def handle_answer(self, reply: Reply, cards: Cards) -> None:
        """Handle an answer from the panel, if it is still offered."""
        talk = self._talk
        now = None if talk is None else talk.find_offered(reply)
        if talk is None or now is None:
            return  # it disappeared with its card while more was typed
        self._accept_next_menu()
        talk.give_answer(now, cards)
        if talk.menu is not None:
            self._refill_panel()
        else:
            self._handle_outcome(talk.outcome)

    def _handle_outcome(self, outcome: Refusal | Text | None) -> None:
        """Continue after an entry: the game decides whose choices are shown next; a refusal is
        shown where the entry was typed, and the same player's choices stay."""
        refused = isinstance(outcome, Refusal)
        self._select_player(self._player if refused else None)
        self._refill_panel()
        panel = self._table.entry_panel
        if isinstance(outcome, Refusal) and panel is not None and panel.display:
            self.told_refusal = outcome
            panel.show_hint(f"✘ {describe_refusal(outcome, panel.translator)}")
        else:
            self._tell(outcome)

    def _open_and_fill(self) -> None:
        self._open = True
        self._refill_panel()
        # The panel did not open: there is nothing to enter.
        if not self.is_open:
            self._open = False
            over = self._live.snapshot().view["phase"] == GAME_OVER
            self._tell(Text("choose.over" if over else "choose.nothing"))

    def _refill_panel(self) -> None:
        if self._table.entry_panel is not None:
            self.update_panel(self._live.snapshot(), self._table.entry_panel.translator)

    def _select_player(self, player: str | None) -> None:
        """Show the choices of this player next; None: of the first awaited player."""
        self._player, self._talk = player, None
        self._accept_next_menu()

    def _accept_next_menu(self) -> None:
        """Mark the next menu as asked for by a key."""
        self._shown, self._came = None, -math.inf
