"""The sheet with the QR codes: how to join with a phone, a tablet or a television."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Label, Static

from companion.texts import Translator
from companion.views.dashboard.screens.sheet import Sheet
from companion.views.invitation import Invitation, qr


class ShareSheet(Sheet[None]):
    """One code after another, each with its words and its link. `end`: what ends the sharing, if
    that can be done here."""

    DEFAULT_CSS = """
    ShareSheet { align: center middle; }
    ShareSheet #sheet {
        width: 120; max-width: 96%; height: auto; max-height: 94%; background: $surface; border: thick $primary; padding: 0 2;
    }
    ShareSheet .qr { width: auto; margin: 1 0; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,j,enter,q", "back", "Back"),
        Binding("x", "end", "End"),
    ]

    def __init__(
        self, invitation: Invitation, say: Translator, end: Callable[[], object] | None = None
    ) -> None:
        super().__init__()
        self._invitation = invitation
        self._say = say
        self._end = end

    def compose(self) -> ComposeResult:
        """Lay out the sheet."""
        with VerticalScroll(id="sheet"):
            yield Label(Content.styled(self._say("share.sheet"), "bold"), id="sheet-title")
            for remark in self._invitation.remarks:
                yield Static(Content(remark))
            if self._end is not None:
                yield Static(Content.styled(self._say("share.end"), "bold"))
            for invite in self._invitation.invites:
                yield Label(Content.styled(invite.words, "bold $primary"), classes="sheet-player")
                yield Static(Content.styled("\n".join(qr(invite.link)), "#ffffff on #000000"), classes="qr")
                yield Static(Content(invite.link))

    def action_end(self) -> None:
        """Let nobody in any more, and close the pages that are open."""
        if self._end is not None:
            self._end()
            self.notify(self._say("share.ended"))
            self.dismiss(None)

    def action_back(self) -> None:
        """Back to the table."""
        self.dismiss(None)
