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


def sayings(before: Snapshot | None, now: Snapshot) -> list[Utterance]:
    """List what is new, the most urgent first. Without an earlier snapshot everything is new."""
    return sorted(_new(before, now), key=lambda one: -one.urgency)


def _new(before: Snapshot | None, now: Snapshot) -> Iterator[Utterance]:
    asked = () if before is None else before.questions
    yield from (Utterance(Urgency.TABLE, one.text, "question") for one in now.questions if one not in asked)
    if now.refusal is not None and (before is None or before.refusal != now.refusal):
        yield Utterance(Urgency.TABLE, now.refusal.text, "refused")
    yield from _time(before, now)
    if now.last is not None and (before is None or before.last != now.last or _further(before, now)):
        sound = _sound_of(before, now)
        yield Utterance(Urgency.RESULT if sound else Urgency.NEWS, now.last, sound)
    if before is None or before.awaited != now.awaited:
        over = now.view["phase"] == GAME_OVER
        yield Utterance(Urgency.TURN, now.awaited, "won" if over else "" if before is None else "turn")


def _further(before: Snapshot, now: Snapshot) -> bool:
    """Return whether something was done that has the same words as the act before it."""
    return len(now.log) > len(before.log)


def _time(before: Snapshot | None, now: Snapshot) -> Iterator[Utterance]:
    warned = before.clock.warning if before is not None and before.clock is not None else "none"
    warning = now.clock.warning if now.clock is not None else "none"
    # Each warning is said once, when it begins.
    if warning not in ("none", warned):
        yield Utterance(Urgency.TABLE, Text(f"voice.time.{warning}"), "time")
    if before is not None and before.paused != now.paused:
        yield Utterance(Urgency.TABLE, Text("voice.paused" if now.paused else "plain.goes_on"))


def _sound_of(before: Snapshot | None, now: Snapshot) -> str:
    """Return the sound of a result that has changed points, else ""."""
    return "result" if before is not None and now.gained and now.resolved else ""


class Speaker:
    """Speaker that says what is new in each snapshot. `voice` or `ring` is None if there is no
    voice, or no sounds are wanted.

    `ring`: plays a sound by name. `said`: pronunciation of names, by the name as shown; `keep` is
    called when it changes.
    """

    def __init__(
        self,
        voice: Voice | None,
        ring: Callable[[str], object] | None = None,
        said: Mapping[str, str] | None = None,
        keep: Callable[[str, str], object] = lambda _name, _words: None,
    ) -> None:
        self._keep = keep
        self._voice = voice
        self._ring = ring
        self._said = dict(said or {})
        self._before: Snapshot | None = None
        self.muted = False

    @property
    def said(self) -> Mapping[str, str]:
        """Pronunciation of names."""
        return self._said

    def pronounce(self, name: str, words: str) -> None:
        """Pronounce `name` as `words` from now on; as written if `words` is empty."""
        self._said = {**self._said, name: words}
        if not words:
            del self._said[name]
        self._keep(name, words)

    def mute(self) -> None:
        """Be silent at once and from now on."""
        self.muted = True
        if self._voice is not None:
            self._voice.hush()

    def hear(self, snapshot: Snapshot, say: Translator) -> None:
        """Say what is new since the previous snapshot."""
        before, self._before = self._before, snapshot
        # The snapshot is remembered all the same, as the one before the next.
        if self.muted:
            return
        new = sayings(before, snapshot)
        if not new:
            return
        sound = next((one.sound for one in new if one.sound), "")
        if self._ring is not None and sound:
            self._ring(sound)
        if self._voice is not None:
            aloud = say.calling(self._called(snapshot))
            # In order of urgency, so the sentence that is cut is the least urgent.
            words = " ".join(aloud.say(one.text) for one in new[:SENTENCES])
            self._voice.say(words, new[0].urgency)

    def _called(self, snapshot: Snapshot) -> Mapping[str, str]:
        shown = snapshot.people.shown
        called = {player: shown.get(player, player) for player in snapshot.people.seats}
        called = {player: self._said.get(name, name) for player, name in called.items()}
        return {player: name for player, name in called.items() if name != player}
