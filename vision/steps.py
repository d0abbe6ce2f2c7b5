"""Run work in small steps of some milliseconds each, which can be interrupted and continued."""

from collections.abc import Generator
from typing import TypeVar, cast

Result = TypeVar("Result")

Steps = Generator[None, None, Result]
"""Work that can be interrupted and continued, some milliseconds a step, and returns a result."""


def run_to_end(steps: Generator[None, None, Result]) -> Result:
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
