"""Reading JSON files that people give: ordinary files of a bounded size, and never a wait."""

import json
import os
import stat
from pathlib import Path
from typing import Any

MOST_BYTES = 10_000_000
"""Of a labels file or an index of views: a thousand labelled photos have 1 MB."""


def json_of(path: Path) -> Any:
    """Return what is in the JSON file `path`.

    Raises `OSError` when it cannot be opened, `ValueError` when it is no ordinary file, too large,
    too deep or no JSON.
    """
    # a pipe that nobody writes to would hold up the opening
    with open(  # noqa: PTH123 - what is examined must be what is read
        os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)), "rb"
    ) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise ValueError("no ordinary file")
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise ValueError(f"more than {MOST_BYTES // 1_000_000} MB")
    try:
        return json.loads(data)
    except RecursionError as error:
        raise ValueError("brackets too deep") from error
