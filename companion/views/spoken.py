"""What is said aloud, and how urgently, alike for the dashboard and the plain view: from two
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
    """What comes first when there is no time for everything; something more urgent breaks off what
    is being said."""

    TURN = 0
    """Whose turn it is."""
    NEWS = 1
    """What has just been done: the donkey and its effect, a load."""
    RESULT = 2
    """What a round came to."""
    TABLE = 3
    """What the table must do: a question, a refusal, time."""


class Utterance(NamedTuple):
    """One sentence, and the sound that goes with it ("": none)."""

    urgency: Urgency
    text: Text
    sound: str = ""


SENTENCES = 2
"""Said at a time: what happened and whose turn it is; with more, the voice would lag."""


def sayings(before: Snapshot | None, now: Snapshot) -> list[Utterance]:
    """List what is new, the most urgent first. Before the first snapshot everything is."""
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
    """Tell whether something was done that is said in the same words as what was done before it."""
    return len(now.log) > len(before.log)


def _time(before: Snapshot | None, now: Snapshot) -> Iterator[Utterance]:
    warned = before.clock.warning if before is not None and before.clock is not None else "none"
    warning = now.clock.warning if now.clock is not None else "none"
    if warning not in ("none", warned):
        yield Utterance(Urgency.TABLE, Text(f"voice.time.{warning}"), "time")
    if before is not None and before.paused != now.paused:
        yield Utterance(Urgency.TABLE, Text("voice.paused" if now.paused else "plain.goes_on"))


def _sound_of(before: Snapshot | None, now: Snapshot) -> str:
    """Return the sound of a result, where points have changed hands."""
    return "result" if before is not None and now.gained and now.resolved else ""


class Speaker:
    """Hears every snapshot and says what is new. `voice` or `ring` may be missing: no voice here,
    no sounds wanted.

    `ring`: plays a sound by its name. `said`: how names are to be said, by the name that is shown;
    `keep` hears when that changes.
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
        """How names are said."""
        return self._said

    def pronounce(self, name: str, words: str) -> None:
        """Say `name` as `words` from now on; as it is written where `words` is empty."""
        self._said = {**self._said, name: words}
        if not words:
            del self._said[name]
        self._keep(name, words)

    def mute(self) -> None:
        """Be silent from now on, and at once."""
        self.muted = True
        if self._voice is not None:
            self._voice.hush()

    def hear(self, snapshot: Snapshot, say: Translator) -> None:
        """Say what is new since the snapshot before."""
        before, self._before = self._before, snapshot
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
            words = " ".join(aloud.say(one.text) for one in new[:SENTENCES])
            self._voice.say(words, new[0].urgency)

    def _called(self, snapshot: Snapshot) -> Mapping[str, str]:
        shown = snapshot.people.shown
        called = {player: shown.get(player, player) for player in snapshot.people.seats}
        called = {player: self._said.get(name, name) for player, name in called.items()}
        return {player: name for player, name in called.items() if name != player}
