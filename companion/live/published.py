"""The newest snapshot, and those who are told of each."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from companion.live.snapshot import Snapshot

Subscriber = Callable[[Snapshot], object]


class Publisher:
    """One snapshot at a time, numbered; the same object until something in it changes."""

    def __init__(self, first: Snapshot) -> None:
        self.snapshot = first
        self._subscribers: list[Subscriber] = []

    def subscribe(self, subscriber: Subscriber) -> Callable[[], None]:
        """Call `subscriber` with each new snapshot, in the thread that made it; return its end."""
        self._subscribers.append(subscriber)
        return lambda: self._subscribers.remove(subscriber)

    def publish(self, drawn: Snapshot) -> None:
        """Number `drawn` and tell everybody, if anything but its number is new."""
        if drawn != self.snapshot:
            self.snapshot = msgspec.structs.replace(drawn, number=drawn.number + 1)
            # A copy: a subscriber may end its own subscription while it is told.
            for subscriber in tuple(self._subscribers):
                subscriber(self.snapshot)
