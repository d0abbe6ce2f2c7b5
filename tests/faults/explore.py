"""Explore every fault of every call of some writers: `python -m tests.faults.explore [--every N]
NAME...`, with the shim in LD_PRELOAD. Prints one JSON object: for each writer, what was tried and
what disagreed.

For each call that a writer makes, and each error, once and for good: the answer given, the file and
the next start must agree, also after the disk has healed and the program has gone on, and in
sampled states after a power failure.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from unittest.mock import patch

from companion.journal import database_file
from tests.faults import writers
from tests.faults.disk import Disk, Fault, PowerFailures
from tests.faults.writers import State, Writer
from tests.toy_referee import install

_ERRORS = {
    "open": ("EIO", "ENOSPC", "EINTR"),
    # A file on a disk is never read short, except at its end.
    "read": ("EIO", "EINTR"),
    "write": ("EIO", "ENOSPC", "EINTR", "short"),
    "fsync": ("EIO", "ENOSPC", "EINTR"),
    "truncate": ("EIO", "ENOSPC", "EINTR"),
    "rename": ("EIO", "ENOSPC"),
    "unlink": ("EIO",),
    "mkdir": ("EIO", "ENOSPC"),
    "chmod": ("EIO",),
    "lock": ("EIO", "EINTR"),
}
_STATES = 2
"""Random states after each power failure, besides nothing and everything."""


class Exploration:
    """The exploration of one writer in a folder of its own."""

    def __init__(self, kind: type[Writer], folder: Path) -> None:
        self.kind = kind
        self.counts: Counter[str] = Counter()
        self.disagreements: list[str] = []
        self._folder = folder
        self._found: dict[frozenset[tuple[str, bytes]], State] = {}
        """What the next start found, by the files that it had: a third of the states are equal."""

    def run(self, every: int) -> None:
        """Try all faults, or `EIO` at each `fsync`, which decides most, and each `every`-th of the
        rest."""
        for number, fault in enumerate(self._list_faults()):
            if number % every == 0 or (fault.call, fault.error) == ("fsync", "EIO"):
                self._try(fault)
        self._explore_crashes()

    def _list_faults(self) -> Iterator[Fault]:
        """Yield a fault for each call that the writer makes on a healthy disk."""
        place = self._make_place()
        writer = self.kind(place / "home")
        writer.prepare()
        watched = Disk(place / "home", place / "trace")
        watched.fail(None)
        writer.write()
        watched.close()
        calls = Counter(one.call for one in watched.list_operations())
        writer.close()
        writers.remove_folder(place)
        for call, count in calls.items():
            for nth in range(1, count + 1):
                for error in _ERRORS[call]:
                    yield Fault(call, nth, error, for_good=False)
                    yield Fault(call, nth, error, for_good=True)

    def _make_place(self) -> Path:
        place = Path(tempfile.mkdtemp(dir=self._folder))
        (place / "home").mkdir()
        return place

    def _try(self, fault: Fault) -> None:
        self.counts.update(("faults", fault.call))
        place = self._make_place()
        home = place / "home"
        writer = self.kind(home)
        writer.prepare()
        watched, failures = Disk(home, place / "trace"), PowerFailures(home)
        watched.fail(fault)
        try:
            allowed = writer.write()
        except Exception as error:
            self._disagree(fault, "the answer", repr(error)[:300], ())
            allowed = writer.possible
        finally:
            watched.heal()
        operations = watched.list_operations()
        self._check_kill(fault, "killed", place, allowed)
        for operation in operations:
            failures.apply(operation)
        self._check_power_failures(fault, "power failure", place, failures, allowed)
        try:
            allowed = writer.go_on()
        except Exception as error:
            self._disagree(fault, "going on", repr(error)[:300], ())
            allowed = None
        if allowed is not None:
            self._check_kill(fault, "killed later", place, allowed)
            for operation in watched.list_operations()[len(operations) :]:
                failures.apply(operation)
            self._check_power_failures(fault, "power failure later", place, failures, allowed)
        watched.close()
        writer.close()
        if allowed is not None:
            self._check_kill(fault, "closed", place, allowed)
        writers.remove_folder(place)

    def _explore_crashes(self) -> None:
        """Let the power fail after each call of a write without faults."""
        place = self._make_place()
        home = place / "home"
        writer = self.kind(home)
        writer.prepare()
        watched, failures = Disk(home, place / "trace"), PowerFailures(home)
        watched.fail(None)
        allowed = writer.write()
        watched.close()
        for number, operation in enumerate(watched.list_operations()):
            failures.apply(operation)
            self._check_power_failures(
                f"crash after {operation.call} {number}", "power failure", place, failures, writer.possible
            )
        self._check_power_failures("no fault", "power failure", place, failures, allowed)
        writer.close()
        writers.remove_folder(place)

    def _check_kill(self, fault: object, when: str, place: Path, allowed: Sequence[State]) -> None:
        home = place / "home"
        files = {str(one.relative_to(home)): one.read_bytes() for one in home.rglob("*") if one.is_file()}
        self._check(fault, when, place, files, allowed)
        self.counts["kills"] += 1

    def _check_power_failures(
        self, fault: object, when: str, place: Path, failures: PowerFailures, allowed: Sequence[State]
    ) -> None:
        for files in failures.list_states(_STATES, self.counts["power failures"]):
            self._check(fault, when, place, files, allowed)
            self.counts["power failures"] += 1

    def _check(
        self, fault: object, when: str, place: Path, files: dict[str, bytes], allowed: Sequence[State]
    ) -> None:
        key = frozenset(files.items())
        if key not in self._found:
            self._found[key] = self._read(place / "state", files)
        if self._found[key] not in allowed:
            self._disagree(fault, when, self._found[key], allowed)

    def _read(self, folder: Path, files: dict[str, bytes]) -> State:
        folder.mkdir()
        for name, data in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(data)
        try:
            # What is read is thrown away: nobody waits for the real disk.
            with patch.object(database_file, "DURABLE", ("PRAGMA synchronous = OFF",)):
                return self.kind.read(folder)
        except Exception as error:
            return repr(error)[:300]
        finally:
            writers.remove_folder(folder)

    def _disagree(self, fault: object, when: str, found: State, allowed: Sequence[State]) -> None:
        said = f"{fault}: {when}: found {found!s:.300}, not one of {allowed!s:.600}"
        self.disagreements.append(said)


def main() -> None:
    """Explore the writers named, and print the result."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    install()
    found = {}
    kinds = {kind.__name__: kind for kind in writers.WRITERS}
    for name in arguments.names or kinds:
        folder = Path(tempfile.mkdtemp())
        try:
            exploration = Exploration(kinds[name], folder)
            exploration.run(arguments.every)
        finally:
            writers.remove_folder(folder)
        found[name] = {**exploration.counts, "disagreements": exploration.disagreements}
    print(json.dumps(found))


if __name__ == "__main__":
    main()
