"""Compiles the catalogues whenever the package is built or installed."""

from pathlib import Path
from typing import Any

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CatalogueHook(BuildHookInterface[Any]):
    """Hatchling finds it by this file's name (`[tool.hatch.build.hooks.custom]`)."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Run before the files are gathered; a catalogue with a mistake ends the build."""
        for po in Path(self.root, "second_best").rglob("*.po"):
            with po.open("rb") as source, po.with_suffix(".mo").open("wb") as target:
                write_mo(target, read_po(source, abort_invalid=True))
