"""Build the page of the package: the README with addresses that work outside the repository.

hatchling calls it as a metadata hook, with the repository's address in `HOME_PAGE`; without it (in
a clone) links stay as they are.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

LINK = re.compile(r"(!?\[[^]]*]\()(?!https?:|#|mailto:)([^)\s]+)\)")
"""A picture or a link to a file, in Markdown."""


def make_links_absolute(text: str, home: str, tag: str) -> str:
    """Return Markdown with every relative address at this tag of the repository `home`."""
    return LINK.sub(
        lambda found: f"{found[1]}{home}/{'raw' if found[1].startswith('!') else 'blob'}/{tag}/{found[2]})",
        text,
    )


class PackagePage(MetadataHookInterface):
    """Provides the fields that `pyproject.toml` declares dynamic: readme and urls."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add both fields."""
        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        home, tag = os.environ.get("HOME_PAGE", "").rstrip("/"), f"v{metadata['version']}"
        metadata["readme"] = {
            "content-type": "text/markdown",
            "text": make_links_absolute(text, home, tag) if home else text,
        }
        metadata["urls"] = {
            "Source": home,
            "Changelog": f"{home}/blob/{tag}/CHANGELOG.md",
            "Issues": f"{home}/issues",
        } if home else {}  # fmt: skip
