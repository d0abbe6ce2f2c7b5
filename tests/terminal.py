"""`companion` in a pseudo-terminal of its own, as a player has it."""

import sys
from contextlib import AbstractContextManager
from pathlib import Path

from bench.terminal import Terminal, run


def play(
    folder: Path, *words: str, columns: int = 120, rows: int = 40, **env: str
) -> AbstractContextManager[Terminal]:
    """Run `companion play` of this source tree with its data in `folder`; it is ended at the
    end."""
    return companion(folder, "play", *words, columns=columns, rows=rows, **env)


def companion(
    folder: Path, *words: str, columns: int = 120, rows: int = 40, **env: str
) -> AbstractContextManager[Terminal]:
    """Run `companion` of this source tree with these words and its data in `folder`; it is ended at
    the end."""
    command = [sys.executable, "-m", "companion", *words]
    return run(
        command, columns=columns, rows=rows, XDG_DATA_HOME=str(folder), XDG_CONFIG_HOME=str(folder), **env
    )
