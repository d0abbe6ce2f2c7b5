"""Sheet that lets others join: one code at a time, chosen by key, with the connected pages and the
screens that wait to be admitted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from textwrap import wrap
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.style import Style
from textual.widgets import Footer, Static

from companion.texts import Translator
from companion.views.block_letters import fit_block_letters
from companion.views.dashboard.screens.dialog import Dialog
from companion.views.entry_options import assign_keys
from companion.views.table_session import Invitation, Invite, describe_connected_pages, draw_qr_code
from companion.views.themes import mark_for_seat

_WORDS = 26
"""Columns for the purpose of a code; longer words push what stands beside them."""
POLL_SECONDS = 0.5
"""Seconds between two looks at the connected and waiting screens."""


class ShareDialog(Dialog[None]):
    """Sheet with a list of what can be joined on the left, and the code of the selected entry on
    the right.

    `invited`: returns what can be joined now, None once nothing is shared; `end`: ends the sharing.
    """

    DEFAULT_CSS = """
    ShareDialog { align: center middle; }
    ShareDialog #lobby {
        width: 124; max-width: 100%; height: auto; max-height: 100%; background: $surface; border: thick $primary; padding: 0 1;
    }
    ShareDialog.-low #lobby { width: 100%; height: 100%; border: none; padding: 0; }
    ShareDialog #lobby-columns { height: auto; }
    ShareDialog #joining { width: 1fr; padding-right: 1; }
    ShareDialog #code { width: auto; }
    """
    VERTICAL_BREAKPOINTS = [(0, "-low"), (30, "-high")]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("l", "let_in", "share.key.let_in"),
        Binding("r", "renew", "share.key.renew"),
        Binding("x", "end", "share.key.end"),
        Binding("escape,j,enter,q", "back", "key.short.back"),
        Binding("down,right", "other(1)", "key.short.choose"),
        Binding("up,left", "other(-1)", "key.short.choose"),
    ]

    def __init__(
        self, invited: Callable[[], Invitation | None], translator: Translator, end: Callable[[], object]
    ) -> None:
        super().__init__()
        self._invited = invited
        self._translator = translator
        self._end = end
        self._chosen = 0
        self._joining, self._code = Static(id="joining"), Static(id="code")

    def compose(self) -> ComposeResult:
        """Lay out the sheet."""
        with VerticalScroll(id="lobby"), Horizontal(id="lobby-columns"):
            yield self._joining
            yield self._code
        yield Footer(compact=True)

    def on_mount(self) -> None:
        """Name its keys, and keep it up to date."""
        for key, own in self._bindings.key_to_bindings.items():
            is_shown = key in ("l", "r", "x", "escape")
            self._bindings.key_to_bindings[key] = [
                # Until here the descriptions of these are message codes.
                replace(
                    one,
                    description=self._translator(one.description) if is_shown else one.description,
                    show=is_shown,
                )
                for one in own
            ]
        self.set_interval(POLL_SECONDS, self._draw_invitation)

    def on_resize(self) -> None:
        """Draw what has room, once the class of the size is set."""
        self.call_after_refresh(self._draw_invitation)

    def on_key(self, event: events.Key) -> None:
        """Select the code whose key was typed."""
        keys = self._list_keys()
        if event.character in keys:
            event.stop()
            self._chosen = keys.index(event.character)
            self._draw_invitation()

    def on_click(self, event: events.Click) -> None:
        """Select the code whose line was clicked."""
        self._chosen = event.style.meta.get("code", self._chosen)
        self._draw_invitation()

    def action_other(self, step: int) -> None:
        """Select the next or the previous code."""
        self._chosen = (self._chosen + step) % max(len(self._list_keys()), 1)
        self._draw_invitation()

    def action_let_in(self) -> None:
        """Admit the screen that has waited longest, for the selected purpose."""
        now, one = self._invited(), self._find_chosen_invite()
        if now is not None and now.waiting_codes and one is not None:
            one.let_in(now.waiting_codes[0])
            self._draw_invitation()

    def action_renew(self) -> None:
        """Disconnect the pages with the selected purpose, by renewing its link."""
        one = self._find_chosen_invite()
        if one is not None:
            one.send_away()
            self._draw_invitation()

    def action_end(self) -> None:
        """End the sharing and close all open pages."""
        self._end()
        self.notify(self._translator("share.ended"))
        self.dismiss(None)

    def action_back(self) -> None:
        """Go back to the table."""
        self.dismiss(None)

    def _list_keys(self) -> list[str]:
        now = self._invited()
        return assign_keys([""] * len(now.invites))[: len(now.invites)] if now is not None else []

    def _find_chosen_invite(self) -> Invite | None:
        now = self._invited()
        return None if now is None else now.invites[self._chosen]

    def _draw_invitation(self) -> None:
        now, one, translator = self._invited(), self._find_chosen_invite(), self._translator
        if now is None or one is None:
            return
        lines = [Content.styled(translator("share.sheet"), "bold $primary")]
        lines += [
            Content.styled(translator("share.knocks", letters=one), "bold $warning")
            for one in now.waiting_codes
        ]
        marks = [mark_for_seat(invite.seat) if invite.seat else None for invite in now.invites]
        names = [
            f"{mark.shape} {invite.words}" if mark else invite.words
            for mark, invite in zip(marks, now.invites, strict=True)
        ]
        wide = min(max(map(len, names)), _WORDS)
        rows = zip(self._list_keys(), now.invites, names, marks, strict=True)
        for at, (key, invite, name, mark) in enumerate(rows):
            chosen = at == self._chosen
            lines.append(
                Content.assemble(
                    (f" {key} ", "bold reverse $primary" if chosen else "bold reverse"),
                    "  ",
                    (name.ljust(wide), f"bold {mark.style}" if mark else "bold" if chosen else ""),
                    "  ",
                    (
                        describe_connected_pages(invite, translator),
                        "$success" if invite.page_count else "$foreground-muted",
                    ),
                ).stylize(Style.from_meta({"code": at}))
            )
        lines += [Content(), *(Content.styled(one, "$foreground-muted") for one in now.remarks)]
        self._joining.update(Content("\n").join(lines))
        typed = (
            translator("share.typed", address=now.address, letters=" ".join(one.letters))
            if one.letters
            else ""
        )
        # Fixed colours: a scanner needs the contrast in every theme.
        code = [Content.styled("\n".join(draw_qr_code(one.link)), "#ffffff on #000000")]
        room = code[0].cell_length // len(draw_qr_code(one.link))
        # Wrapped to the width of the code, beside which there is no more room.
        code += [Content.styled(line, "bold") for line in wrap(typed, room)]
        # At 80x24 the sheet is whole without the large letters below the code.
        if not self.has_class("-low"):
            large = fit_block_letters(" ".join(one.letters), room) if one.letters else ()
            code += [*(Content.styled(line, "bold $primary") for line in ("", *large)), Content(one.link)]
        self._code.update(Content("\n").join(code))
