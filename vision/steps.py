"""Run work in small steps of some milliseconds each, which can be interrupted and continued."""

from collections.abc import Generator
from typing import Any, TypeVar, cast

Result = TypeVar("Result")

# `int | None`, but then mypy wants a value in every `yield`
Steps = Generator[Any, None, Result]
"""Work that can be interrupted and continued, some milliseconds a step, and returns a result. A
step yields the number of small steps for which the next one counts, or None if that is small."""

NETWORK = 4
"""Number of small steps that take about as long as evaluating a network once (4 to 16 ms)."""


def run_to_end(steps: Steps[Result]) -> Result:
    """Do all steps of a piece of work and return its result."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return cast(Result, end.value)


def finish_at_once(result: Result) -> Steps[Result]:
    """Return a result that needs no work, where steps are expected."""
    yield from ()
    return result
