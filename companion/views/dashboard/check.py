"""Screen for the check of the equipment: findings, the current step, and keys for yes, no and
skip."""

from __future__ import annotations

import time
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Footer, Label, Static

from companion.equipment.diagnosis import Finding, Verdict
from companion.equipment.steps import EquipmentCheck
from companion.texts import Translator
from companion.views.dashboard.themed_app import ThemedApp

_POLL_SECONDS = 0.1
SIGNS: dict[Verdict, tuple[str, str]] = {
    "ok": ("✓", "$success"),
    "warn": ("!", "$warning"),
    "fault": ("✗", "$error"),
    "absent": ("–", "$foreground-muted"),
    "skipped": ("·", "$foreground-muted"),
}
"""Each verdict's sign and colour; colour never carries the meaning alone."""


class CheckApp(ThemedApp[None]):
    """Screen that runs a check until it is left."""

    CSS = """
    #title { width: 1fr; text-style: bold; padding: 0 1; background: $primary; color: $background; }
    #found { height: 1fr; padding: 1 2; }
    #now { width: 1fr; min-height: 3; padding: 1 2; background: $panel; text-style: bold; }
    """
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        # Without any words Textual would keep them out of the footer, whatever they are named
        # later.
        Binding("y", "answer(True)", "Yes", id="yes"),
        Binding("n", "answer(False)", "No", id="no"),
        Binding("s,enter", "skip", "Skip", id="skip"),
        Binding("r", "again", "Once more", id="again"),
        Binding("b", "one_back", "One back", id="back"),
        Binding("q,escape", "quit", "Quit", id="quit"),
    ]

    def __init__(self, check: EquipmentCheck, translator: Translator) -> None:
        super().__init__(translator)
        self._check = check

    def compose(self) -> ComposeResult:
        """Lay out the findings, what is to be done, and the keys."""
        yield Label(self.translator("check.title"), id="title")
        with VerticalScroll(id="found"):
            yield Static(id="findings")
        yield Static(id="now")
        yield Footer(compact=True)

    def on_mount(self) -> None:
        """Start the check."""
        self.label_keys("check.key.", ("yes", "no", "skip", "again", "back", "quit"))
        self.set_interval(_POLL_SECONDS, self.poll_check)
        self._draw_check()

    def poll_check(self) -> None:
        """Advance the check, and show what is new."""
        # The timer may still fire while the screen is being removed.
        if not self.is_taken_down and self._check.tick(time.monotonic()):
            self._draw_check()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer yes and no only if the step asks a question."""
        step = self._check.current
        return step is not None and step.asks if action == "answer" else True

    def action_answer(self, yes: bool) -> None:
        """Answer the question."""
        self._check.record_answer(yes)
        self.poll_check()

    def action_skip(self) -> None:
        """Skip the step; leave after the last."""
        if self._check.is_done:
            self.exit()
            return
        self._check.skip_step()
        self._draw_check()

    def action_again(self) -> None:
        """Repeat the step."""
        self._check.repeat_step()
        self.poll_check()

    def action_one_back(self) -> None:
        """Go back to the previous step."""
        self._check.step_back()
        self.poll_check()

    def _draw_check(self) -> None:
        rows = [self._draw_finding(one) for one in self._check.findings]
        self.query_one("#findings", Static).update(Content("\n").join(rows))
        self.query_one("#found", VerticalScroll).scroll_end(animate=False)
        step = self._check.current
        words = "" if step is None else self.translator.translate(step.prompt)
        if self._check.is_done:
            words = f"{format_summary(self._check, self.translator)} {self.translator('check.leave')}"
        self.query_one("#now", Static).update(Content(words))
        # Yes and no are keys only in steps that ask.
        self.refresh_bindings()

    def _draw_finding(self, finding: Finding) -> Content:
        sign, colour = SIGNS[finding.verdict]
        part = self.translator.translate(finding.part)
        return Content.assemble(
            (f" {sign} ", f"bold {colour}"), (part, "bold"), "  ", self.translator.translate(finding.text)
        )


def format_finding(finding: Finding, translator: Translator) -> str:
    """Return a finding in one line."""
    told = translator(
        "of_whom", who=translator.translate(finding.part), what=translator.translate(finding.text)
    )
    return f"[{SIGNS[finding.verdict][0]}] {told}"


def format_summary(check: EquipmentCheck, translator: Translator) -> str:
    """Return the summary of a check; "" for one that was left early."""
    if not check.is_done:
        return ""
    faults = sum(one.verdict == "fault" for one in check.findings)
    warnings = sum(one.verdict == "warn" for one in check.findings)
    if faults:
        return translator("check.end.faults", faults, count=faults)
    return (
        translator("check.end.warnings", warnings, count=warnings)
        if warnings
        else translator("check.end.fine")
    )
