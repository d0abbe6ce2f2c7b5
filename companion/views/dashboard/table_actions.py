"""What the dashboard's keys do to the table that it shows, each in a few lines: steps, corrections,
people, odds, cards to move, silence, language and colours."""

from __future__ import annotations

from abc import abstractmethod

from companion.plan import Plan
from companion.texts import LANGUAGES, Translator
from companion.views.conversations import Conversation, correct, people
from companion.views.dashboard import screens
from companion.views.dashboard.around import Around
from companion.views.dashboard.keys import NAMED
from companion.views.dashboard.themed import ThemedApp
from companion.views.host import Host
from companion.views.places import move_in_words
from companion.views.themes import THEMES


class TableActions(ThemedApp[Plan | None]):
    """A screen over one live session; ends with the plan of what is wanted next, if anything is.

    `around`: what there is besides the game.
    """

    def __init__(self, host: Host, say: Translator, theme: str, around: Around) -> None:
        super().__init__(say, theme)
        self.host = host
        self._around = around

    @abstractmethod
    def look(self) -> None:
        """Let the live session take in what there is, and show it if anything is new."""

    @abstractmethod
    def look_again(self) -> None:
        """Draw everything anew, whether or not anything has changed."""

    def action_undo(self) -> None:
        """Take back the last step."""
        self.host.undo()
        self.look()

    def action_redo(self) -> None:
        """Take back the last undo."""
        self.host.redo()
        self.look()

    def action_correct(self) -> None:
        """Correct the past: choose an act, say what it should have been, see what that changes,
        then make it or leave it."""
        if len(self.host.snapshot().log):
            putting_right = Conversation(
                lambda: correct(self.host, self.say), lambda: self.host.snapshot().log
            )
            self.push_screen(screens.ConversationScreen(putting_right, self.say), lambda _: self.look())
        else:
            self.notify(self.say("correct.nothing"))

    def action_explain(self) -> None:
        """Show the score sheet with its reasons."""
        snapshot = self.host.snapshot()
        reasons = [(player, self.host.explain(player)) for player in snapshot.people.seats]
        self.push_screen(screens.Explanation(snapshot, reasons, self.say))

    def action_people(self) -> None:
        """Put names right; let people come and go."""
        speaker = self._around.speaker
        pronounce = None if speaker is None else speaker.pronounce
        come_and_go = Conversation(lambda: people(self.host, self.say, pronounce))
        screen = screens.ConversationScreen(come_and_go, self.say, again=True)
        self.push_screen(screen, lambda _: self.look_again())

    def action_odds(self) -> None:
        """Tell the chance of what is about to be turned up, or no more."""
        told = not self.host.tells_odds
        self.host.tell_odds(told)
        self.notify(self.say("odds.on" if told else "odds.off"))
        self.look()

    def action_confirm_moves(self) -> None:
        """Take it that the real cards lie as they should; several are ticked off in a list, and so
        is what nobody was asked to move."""
        snapshot = self.host.snapshot()
        if len(snapshot.moves) < 2 and not snapshot.unasked:
            self._moved(True)
            return
        moves = snapshot.moves or snapshot.unasked
        words = [move_in_words(move, self.say, snapshot.people.seats) for move in moves]
        self.push_screen(screens.Moves(words, self.say), self._moved)

    def _moved(self, done: bool | None) -> None:
        if done:
            self.host.confirm_moves()
        self.look()

    def action_count_cards(self) -> None:
        """Let the cards be laid out and counted before the game begins."""
        self.host.count_cards()
        self.look()

    def action_mute(self) -> None:
        """Silence voice and sounds for the rest of the evening."""
        if self._around.speaker is not None:
            self._around.speaker.mute()
        self.notify(self.say("voice.muted"))
        self.refresh_bindings()

    def action_language(self) -> None:
        """Change to the next language."""
        after = LANGUAGES[(LANGUAGES.index(self.say.language) + 1) % len(LANGUAGES)]
        self.say = Translator(after, self.host.game)
        self.name_keys("key.short.", NAMED)
        self.look_again()

    def action_next_theme(self) -> None:
        """Change to the next of our themes."""
        names = [one.name for one in THEMES]
        self.theme = names[(names.index(self.theme) + 1) % len(names)] if self.theme in names else names[0]
