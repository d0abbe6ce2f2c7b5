"""What is said aloud, and how urgent it is, the same for dashboard and plain view: from two
snapshots to sentences and a sound."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple

from companion.live.snapshot import Snapshot
from companion.rules.contract import GAME_OVER, Text
from companion.texts import Translator

if TYPE_CHECKING:
    from companion.views.voice import Voice


class Urgency(IntEnum):
    """Priority of a sentence; a more urgent one interrupts what is being said."""

    TURN = 0
    """Whose turn it is."""
    NEWS = 1
    """What was just done: the donkey and its effect, a load."""
    RESULT = 2
    """The result of a round."""
    TABLE = 3
    """What the table must react to: a question, a refusal, the clock."""


class Utterance(NamedTuple):
    """One sentence, and the sound that goes with it ("": none)."""

    urgency: Urgency
    text: Text
    sound: str = ""


SENTENCES = 2
"""Most sentences said at a time, what happened and whose turn it is; with more, the voice would lag
behind."""


def list_utterances(before: Snapshot | None, snapshot: Snapshot) -> list[Utterance]:
    """List what is new, the most urgent first. Without an earlier snapshot everything is new."""
    return sorted(_generate_utterances(before, snapshot), key=lambda one: -one.urgency)


def _generate_utterances(before: Snapshot | None, snapshot: Snapshot) -> Iterator[Utterance]:
    asked = () if before is None else before.questions
    yield from (
        Utterance(Urgency.TABLE, one.text, "question") for one in snapshot.questions if one not in asked
    )
    if snapshot.refusal is not None and (before is None or before.refusal != snapshot.refusal):
        yield Utterance(Urgency.TABLE, snapshot.refusal.text, "refused")
    yield from _announce_time(before, snapshot)
    if snapshot.last is not None and (
        before is None or before.last != snapshot.last or _has_new_lines(before, snapshot)
    ):
        sound = _choose_sound(before, snapshot)
        yield Utterance(Urgency.RESULT if sound else Urgency.NEWS, snapshot.last, sound)
    if before is None or before.awaited != snapshot.awaited:
        over = snapshot.view["phase"] == GAME_OVER
        yield Utterance(Urgency.TURN, snapshot.awaited, "won" if over else "" if before is None else "turn")


def _has_new_lines(before: Snapshot, snapshot: Snapshot) -> bool:
    """Return whether something was done that has the same words as the act before it."""
    return len(snapshot.log) > len(before.log)


def _announce_time(before: Snapshot | None, snapshot: Snapshot) -> Iterator[Utterance]:
    clock, clock_before = snapshot.clock, None if before is None else before.clock
    # Each warning is said once, when it begins.
    if clock is not None and clock.warning not in ("none", clock_before and clock_before.warning):
        yield Utterance(Urgency.TABLE, Text(f"voice.time.{clock.warning}"), "time")
    if before is not None and before.paused != snapshot.paused:
        yield Utterance(Urgency.TABLE, Text("voice.paused" if snapshot.paused else "plain.goes_on"))


def _choose_sound(before: Snapshot | None, snapshot: Snapshot) -> str:
    """Return the sound of a result that has changed points, else ""."""
    return "result" if before is not None and snapshot.gained and snapshot.resolved else ""


class Speaker:
    """Speaker that says what is new in each snapshot. `voice` or `ring` is None if there is no
    voice, or no sounds are wanted.

    `ring`: plays a sound by name. `pronunciations`: pronunciation of names, by the name as shown;
    `save` is called when it changes.
    """

    def __init__(
        self,
        voice: Voice | None,
        ring: Callable[[str], object] | None = None,
        pronunciations: Mapping[str, str] | None = None,
        save: Callable[[str, str], object] = lambda _name, _words: None,
    ) -> None:
        self._keep = save
        self._voice = voice
        self._ring = ring
        self._pronunciations = dict(pronunciations or {})
        self._before: Snapshot | None = None
        self.muted = False

    @property
    def pronunciations(self) -> Mapping[str, str]:
        """Pronunciation of names."""
        return self._pronunciations

    def set_pronunciation(self, name: str, words: str) -> None:
        """Pronounce `name` as `words` from now on; as written if `words` is empty."""
        self._pronunciations = {**self._pronunciations, name: words}
        if not words:
            del self._pronunciations[name]
        self._keep(name, words)

    def mute(self) -> None:
        """Be silent at once and from now on."""
        self.muted = True
        if self._voice is not None:
            self._voice.silence_voice()

    def announce_changes(self, snapshot: Snapshot, translator: Translator) -> None:
        """Say what is new since the previous snapshot."""
        before, self._before = self._before, snapshot
        # The snapshot is remembered all the same, as the one before the next.
        if self.muted:
            return
        new = list_utterances(before, snapshot)
        if not new:
            return
        sound = next((one.sound for one in new if one.sound), "")
        if self._ring is not None and sound:
            self._ring(sound)
        if self._voice is not None:
            aloud = translator.with_names(self._list_spoken_names(snapshot))
            # In order of urgency, so the sentence that is cut is the least urgent.
            words = " ".join(aloud.translate(one.text) for one in new[:SENTENCES])
            self._voice.queue_sentence(words, new[0].urgency)

    def _list_spoken_names(self, snapshot: Snapshot) -> Mapping[str, str]:
        shown = snapshot.people.display_names
        called = {player: shown.get(player, player) for player in snapshot.people.seats}
        called = {player: self._pronunciations.get(name, name) for player, name in called.items()}
        return {player: name for player, name in called.items() if name != player}
