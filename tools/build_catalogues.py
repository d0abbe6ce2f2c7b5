"""Compile the gettext catalogues (`*.po` to `*.mo`), for the wheel, the editable install and `make`.

Run as a program it compiles those below the folders named (default: `companion`); hatchling calls it as a build hook.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ImportError:  # run by hand, without the build back end
    BuildHookInterface = object


def compile_below(folder: Path) -> int:
    """Compile every catalogue below `folder` that is newer than its compiled form; return how many were."""
    count = 0
    for po in sorted(folder.rglob("*.po")):
        mo = po.with_suffix(".mo")
        if mo.exists() and mo.stat().st_mtime >= po.stat().st_mtime:
            continue
        with po.open("rb") as source:
            catalogue = read_po(source, abort_invalid=True)
        with mo.open("wb") as target:
            write_mo(target, catalogue)
        count += 1
    return count


class CatalogueHook(BuildHookInterface):  # type: ignore[misc, type-arg]
    """Compiles the catalogues before hatchling gathers the files."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Run before the build; see hatchling's documentation of build hooks."""
        compile_below(Path(self.root) / "companion")


if __name__ == "__main__":
    for name in sys.argv[1:] or ["companion"]:
        print(f"{name}: {compile_below(Path(name))} catalogue(s) compiled")
