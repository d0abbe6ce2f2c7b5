"""Commands and followers of sessions that are installed, found by their entry points without
importing them.

A plug-in has the same name in both groups (`_` for `-`). Its messages have codes that begin with
its name and a dot; its package's folder `locale` holds them, those of its commands' help in the
domain `<name>_help`, all others in the domain `<name>`.
"""

from __future__ import annotations

from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

from companion.rules.entry_points import list_entry_points

COMMANDS = "companion.commands"
"""Group of the commands: modules as those in `companion/commands`."""
FOLLOWERS = "companion.followers"
"""Group of the followers of sessions (`companion.live.followers`)."""


def find_catalogues(name: str) -> Path | None:
    """Find the folder with a plug-in's catalogues; None if it has no package, or is not
    installed."""
    own = Path(__file__).parent / name / "locale"
    # A name from a message of a reader can be longer than a file's may be.
    with suppress(OSError):
        if name.isidentifier() and own.is_dir():
            return own
    for group in (COMMANDS, FOLLOWERS):
        point = list_entry_points(group).get(name)
        if point is None:
            continue
        # Only the topmost package is looked for: finding those inside would import it.
        top, *inner = point.module.split(".")
        with suppress(ImportError, ValueError):
            spec = find_spec(top)
            if spec is not None and spec.submodule_search_locations:
                folder = Path(spec.submodule_search_locations[0], *inner)
                return (folder if folder.is_dir() else folder.parent) / "locale"
    return None
