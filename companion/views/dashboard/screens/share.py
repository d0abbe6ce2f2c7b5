"""The sheet that lets others join: one code at a time, chosen by key; who is in; and the screens
that wait to be let in."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from companion.texts import Translator
from companion.views.dashboard.screens.sheet import Sheet
from companion.views.entry import keyed
from companion.views.invitation import Invitation, Invite, qr

LOOK = 0.5
"""Seconds between two looks at who is in, and who waits."""


class ShareSheet(Sheet[None]):
    """Left what can be joined and who is in, right the code of the one that is chosen. `invited`:
    returns what can be joined now, None once nothing is shared; `end`: ends the sharing."""

    DEFAULT_CSS = """
    ShareSheet { align: center middle; }
    ShareSheet #sheet {
        width: 124; max-width: 100%; height: auto; max-height: 100%; background: $surface; border: thick $primary; padding: 0 1;
    }
    ShareSheet #sheet-columns { height: auto; }
    ShareSheet #joining { width: 1fr; padding-right: 1; }
    ShareSheet #code { width: auto; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,j,enter,q", "back", "Back"),
        Binding("x", "end", "End"),
        Binding("l", "let_in", "Let in"),
        Binding("r", "renew", "Renew"),
        Binding("down,right", "other(1)", "Next"),
        Binding("up,left", "other(-1)", "Before"),
    ]

    def __init__(
        self, invited: Callable[[], Invitation | None], say: Translator, end: Callable[[], object]
    ) -> None:
        super().__init__()
        self._invited = invited
        self._say = say
        self._end = end
        self._chosen = 0
        self._joining, self._code = Static(id="joining"), Static(id="code")

    def compose(self) -> ComposeResult:
        """Lay out the sheet."""
        with VerticalScroll(id="sheet"), Horizontal(id="sheet-columns"):
            yield self._joining
            yield self._code

    def on_mount(self) -> None:
        """Draw it, and go on looking who is in."""
        self._draw()
        self.set_interval(LOOK, self._draw)

    def on_key(self, event: events.Key) -> None:
        """Choose the code whose key was typed."""
        keys = self._keys()
        if event.character in keys:
            event.stop()
            self._chosen = keys.index(event.character)
            self._draw()

    def action_other(self, step: int) -> None:
        """Choose the next code, or the one before."""
        self._chosen = (self._chosen + step) % max(len(self._keys()), 1)
        self._draw()

    def action_let_in(self) -> None:
        """Let the screen that has waited longest in, for what is chosen."""
        now, one = self._invited(), self._one()
        if now is not None and now.knocking and one is not None:
            one.let_in(now.knocking[0])
            self._draw()

    def action_renew(self) -> None:
        """Send away whoever has what is chosen: its link is another from now on."""
        one = self._one()
        if one is not None:
            one.send_away()
            self._draw()

    def action_end(self) -> None:
        """Let nobody in any more, and close the pages that are open."""
        self._end()
        self.notify(self._say("share.ended"))
        self.dismiss(None)

    def action_back(self) -> None:
        """Back to the table."""
        self.dismiss(None)

    def _keys(self) -> list[str]:
        now = self._invited()
        return keyed([""] * len(now.invites))[: len(now.invites)] if now is not None else []

    def _one(self) -> Invite | None:
        now = self._invited()
        return None if now is None else now.invites[self._chosen]

    def _draw(self) -> None:
        now, one, say = self._invited(), self._one(), self._say
        if now is None or one is None:
            return
        lines = [Content.styled(say("share.sheet"), "bold")]
        for at, (key, invite) in enumerate(zip(self._keys(), now.invites, strict=True)):
            style = "bold reverse" if at == self._chosen else "bold"
            here = "" if not invite.inside else f"  {say('share.inside', count=str(invite.inside))}"
            lines.append(
                Content.assemble(
                    (f" {key} ", style),
                    "  ",
                    (invite.words, style if at == self._chosen else ""),
                    (here, "$success"),
                )
            )
        lines.append(Content())
        for letters in now.knocking:
            lines.append(Content.styled(say("share.knocks", letters=letters), "bold $warning"))
        lines += [Content(say("share.sheet_keys")), Content(), *map(Content, now.remarks)]
        self._joining.update(Content("\n").join(lines))
        typed = say("share.typed", address=now.address, letters=" ".join(one.letters)) if one.letters else ""
        code = Content.styled("\n".join(qr(one.link)), "#ffffff on #000000")
        self._code.update(Content("\n").join([code, Content.styled(typed, "bold"), Content(one.link)]))
