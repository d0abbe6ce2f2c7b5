"""Work in small steps, some milliseconds each, that can be put down and taken up again."""

from collections.abc import Generator
from typing import TypeVar, cast

Result = TypeVar("Result")


def finish(steps: Generator[None, None, Result]) -> Result:
    """Do all steps of a piece of work and return what comes of it."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return cast(Result, end.value)
