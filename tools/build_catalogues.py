"""Compile the gettext catalogues (`*.po` to `*.mo`), for the wheel, the editable install and
`make`.

Run as a program it compiles those in the given folders (default: `companion`) and lists the
messages that a language lacks, which are shown in English; hatchling calls it as a build hook.
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


def list_missing_messages(folder: Path) -> list[str]:
    """List the messages that one language has and another lacks, English included, for every folder
    `locale` below `folder`. A catalogue that English lacks (`argparse.po`) may exist in any
    language."""
    lacking = []
    for english in sorted(folder.rglob("en/LC_MESSAGES/*.po")):
        files = [
            one / "LC_MESSAGES" / english.name for one in sorted(english.parents[2].iterdir()) if one.is_dir()
        ]
        there = {po: _read_message_ids(po) for po in files if po.exists()}
        wanted = set[str]().union(*there.values())
        lacking += [f"{po}: {code}" for po, known in there.items() for code in sorted(wanted - known)]
        lacking += [f"{po} is not there" for po in files if po not in there]
    return lacking


def _read_message_ids(po: Path) -> set[str]:
    with po.open("rb") as source:
        return {
            # an empty translation counts as missing: gettext would return the code
            message.id if isinstance(message.id, str) else message.id[0]
            for message in read_po(source, abort_invalid=True)
            if message.id and all(message.string if isinstance(message.string, tuple) else (message.string,))
        }


def compile_catalogues(folder: Path) -> int:
    """Compile every catalogue below `folder` that is newer than its compiled form; return how many
    were compiled."""
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
    """Compiles the catalogues before hatchling collects the files, and packs the parts of docs/
    that the program reads, and the reader's firmware if `make firmware` has compiled it."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Run before the build; see hatchling's documentation of build hooks."""
        compile_catalogues(Path(self.root) / "companion")
        for image in Path(self.root).glob("out/firmware/reader-*.*") if version == "standard" else ():
            build_data["force_include"][str(image)] = f"companion/readers/rfid/images/{image.name}"
        if self.target_name == "wheel" and version == "standard":  # an editable install reads docs/ itself
            build_data["force_include"]["docs/rules"] = "companion/share/pages/rules"
            build_data["force_include"]["docs/sixth_game"] = "companion/commands/sixth_game"


if __name__ == "__main__":
    for name in sys.argv[1:] or ["companion"]:
        print(f"{name}: {compile_catalogues(Path(name))} catalogue(s) compiled")
        for gap in list_missing_messages(Path(name)):
            print(f"not translated yet: {gap}")
