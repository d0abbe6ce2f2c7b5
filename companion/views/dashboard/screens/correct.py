"""Putting it right: the acts by rounds; change, take out or insert one; what that changes is seen
before anything happens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, NamedTuple

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Footer, Input, OptionList, Static

from companion.live.correcting import Correction
from companion.rules.contract import LONGEST_NAME, Choice, Request
from companion.texts import Translator
from companion.views.dashboard.correct_words import acts_by_round, changes
from companion.views.dashboard.parts import offer_parts
from companion.views.dashboard.screens.sheet import Sheet
from companion.views.dashboard.widgets.choices import Choices
from companion.views.dashboard.widgets.entry_panel import EntryPanel
from companion.views.entry import Way
from companion.views.host import Host
from companion.views.menu_keys import keyed
from companion.views.part_by_part import PartByPart, gathered_choices


class CorrectionChoice(NamedTuple):
    """One answer: its key, its words, the choice (None: take it out, leave it out), and whether it
    is put before the act."""

    key: str
    words: Content
    choice: Choice | None
    insert: bool = False
    leads_to: int | None = None
    """The act that this leads to, instead of answering."""
    parts: PartByPart | None = None
    """What is to be named part by part."""


class Corrections(Sheet[None]):
    """Left the acts, right what the chosen one could have been; then what is asked again, and the
    points before and after."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Back"),
        Binding("slash", "search", "Search", key_display="/"),
    ]

    def __init__(self, host: Host, say: Translator) -> None:
        super().__init__()
        self._host = host
        self._say = say
        self._at: int | None = None
        self._draft: Correction | None = None
        self._old: Request | None = None
        self._back: Callable[[], object] = lambda: None
        """Takes the last part back while something is named part by part."""
        self._line = Input(placeholder=say("correct.search"), id="acts-search", max_length=LONGEST_NAME)
        self._acts = Choices(id="acts", compact=True)
        self._news = Static(id="correct-news")
        self._panel = EntryPanel(say)

    def compose(self) -> ComposeResult:
        """Lay out the acts and, beside them, the panel."""
        with Horizontal(id="correct"):
            with Vertical(id="acts-side"):
                yield Static(Content(self._say("log.title")), id="acts-title")
                yield self._line
                yield self._acts
            with Vertical(id="correct-side"):
                yield self._news
                yield self._panel
        yield Footer(show_command_palette=False, compact=True)

    def on_mount(self) -> None:
        """Begin at the newest act."""
        self._bindings.key_to_bindings["escape"] = [Binding("escape", "leave", self._say("key.short.back"))]
        self._bindings.key_to_bindings["slash"] = [
            Binding("slash", "search", self._say("key.short.search"), key_display="/")
        ]
        self._line.display = False
        self._list("")
        self._acts.focus()
        self._panel.display = False

    def action_search(self) -> None:
        """Let words be typed that the acts must hold."""
        if self._at is None:
            self._line.display = True
            self._line.focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        """List the acts that hold what is typed."""
        self._list(event.value)

    def on_input_submitted(self) -> None:
        """Choose among the acts that were found."""
        self._acts.focus()

    def _list(self, wanted: str) -> None:
        acts = self._acts
        acts.clear_options()
        acts.add_options(acts_by_round(self._host.snapshot(), self._say, wanted.casefold().strip()))
        acts.highlighted = acts.option_count - 1 if acts.option_count else None

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Offer what the act could have been."""
        if event.option_list.id == "acts" and event.option.id is not None:
            self._choose(int(event.option.id))

    def on_entry_panel_closed(self) -> None:
        """Go back a step, and leave everything as it is."""
        self.action_leave()

    def on_entry_panel_taken_back(self) -> None:
        """Take the last part back."""
        self._back()

    def on_key(self, event: events.Key) -> None:
        """Make the correction once all is clear."""
        if (
            event.key == "enter"
            and self._draft is not None
            and self._draft.asking is None
            and self.focused is None
        ):
            event.stop()
            self._host.apply(self._draft)
            self.dismiss(None)

    def action_leave(self) -> None:
        """Go back to the acts, or to the table; nothing has happened."""
        if self._at is None:
            self.dismiss(None)
            return
        self._at, self._draft = None, None
        self._panel.display = False
        self._news.update("")
        self._acts.focus()

    def _choose(self, at: int) -> None:
        """Offer what act number `at` could have been; a value shown elsewhere leads there."""
        self._at = at
        say = self._say
        ways = [self._way_to(value, act) for value, act in self._host.shown_elsewhere(at)]
        instead = self._choices([(None, one) for one in self._host.choices_at(at)])
        before = self._choices(self._host.choices_before(at), insert=True)
        self._old = self._host.request_at(at)
        out = CorrectionChoice("-", Content(say("correct.take_out")), None)
        title = Content.styled(say("correct.title", act=at + 1), "bold")
        self._offer(title, [*instead, out, *ways, *before], self._drafted)

    def _way_to(self, value: int, act: int) -> CorrectionChoice:
        line = next(line for line in self._host.snapshot().log if line.stands and line.act == act)
        words = self._say("correct.go_to", act=act + 1, what=line.text)
        return CorrectionChoice(str(value), Content.styled(words, "$foreground-muted"), None, leads_to=act)

    def _go_to(self, act: int) -> None:
        """Turn to another act."""
        acts = self._acts
        self._list("")
        acts.highlighted = acts.get_option_index(str(act))
        self._news.update("")
        self._choose(act)

    def _choices(
        self, choices: Sequence[tuple[str | None, Choice]], *, insert: bool = False
    ) -> list[CorrectionChoice]:
        """List choices as answers; those that are made of parts together."""
        found: list[CorrectionChoice] = []
        for one in gathered_choices(choices):
            parts = one if isinstance(one, PartByPart) else None
            choice = one.choice if isinstance(one, Way) else None
            words = self._say.say(one.choice.label if isinstance(one, Way) else one.kind.label)
            if insert:
                words = self._inserted(one.player if isinstance(one, Way) else one.ways[0].player, words)
            found.append(
                CorrectionChoice("i" * insert + one.key, Content(words), choice, insert, parts=parts)
            )
        return found

    def _inserted(self, who: str | None, words: str) -> str:
        what = self._say("of_whom", who=self._say.name(who), what=words) if who else words
        return self._say("correct.insert", what=what)

    def _offer(
        self,
        title: Content,
        offered: Sequence[CorrectionChoice],
        then: Callable[[Request | None, bool], object],
    ) -> None:
        """Put the answers into the panel; the cards of one that needs cards are picked there."""
        self._back = lambda: None

        def chosen(row: int) -> None:
            choice, insert, leads_to = offered[row].choice, offered[row].insert, offered[row].leads_to
            parts = offered[row].parts
            if leads_to is not None:
                self._go_to(leads_to)
            elif parts is not None:
                self._by_parts(parts, None if insert else parts.of(self._old), lambda one: then(one, insert))
            elif choice is None or choice.pick is None:
                then(None if choice is None else choice.request, insert)
            else:
                # Not at once: the Enter that says done would make the correction unseen.
                self._panel.pick(
                    offered[row].words,
                    choice.pick,
                    lambda cards: then(choice.with_cards(cards), insert),
                    at_once=False,
                )

        self._panel.display = True
        self._panel.offer(title, keyed([one.key for one in offered]), [one.words for one in offered], chosen)
        self._panel.query_one(OptionList).focus()

    def _by_parts(self, now: PartByPart | Way, old: Way | None, then: Callable[[Request], object]) -> None:
        """Let one part after the other be named; the old way stands first."""
        if isinstance(now, PartByPart) and len(now.whole) == 1:
            now = now.whole[0]
        if isinstance(now, Way):
            self._back = lambda: None
            then(now.choice.request)
        else:
            self._back = lambda: self._by_parts(now.back(), old, then)
            offer_parts(self._panel, now, self._say, lambda one: self._by_parts(one, old, then), old)

    def _drafted(self, request: Request | None, insert: bool) -> None:
        assert self._at is not None
        draft = self._host.correction(self._at, request, insert=insert)
        if draft.refusal is not None:
            self._news.update(Content.styled(f"✘ {self._say.say(draft.refusal.text)}", "bold $error"))
            self._choose(self._at)
            return
        self._draft = draft
        self._go_on()

    def _go_on(self) -> None:
        """Ask what must be asked again, or show what the correction changes and wait for Enter."""
        draft = self._draft
        assert draft is not None
        self._news.update(changes(draft, self._say))
        if draft.asking is None:
            self._panel.display = False
            self.set_focus(None)
            return
        say = self._say
        self._old = draft.asking.request
        again = self._choices([(None, one) for one in draft.asking.choices])
        out = CorrectionChoice("-", Content(say("correct.leave_out")), None)
        title = Content.styled(say.say(draft.asking.awaited), "bold $warning")
        self._offer(title, [*again, out], self._answered)

    def _answered(self, request: Request | None, _insert: bool) -> None:
        draft = self._draft
        assert draft is not None
        refusal = draft.answer(request)
        self._go_on()
        if refusal is not None:
            self._panel.tell(f"✘ {self._say.say(refusal.text)}")
