"""Arguments that several commands have: the language, and the camera that people here usually have."""

from __future__ import annotations

import argparse

from companion.evening.sharing import NETWORK, PLACES
from companion.settings import load
from companion.texts import LANGUAGES


def add_language(parser: argparse.ArgumentParser | argparse._ArgumentGroup) -> None:
    """Add `--lang`; by default the language of the settings, else the computer's."""
    usual = load().spoken()
    parser.add_argument(
        "--lang", choices=LANGUAGES, default=usual, help=f"the language (default: {usual}, from the settings)"
    )


def add_share(parser: argparse.ArgumentParser) -> None:
    """Add `--share`: from where a phone that is a camera or a reader may connect."""
    words = "where a phone connects: on the local network, or in a browser of this computer (here)"
    parser.add_argument("--share", default=NETWORK, choices=PLACES, help=words)


def usual_camera() -> str:
    """Return the camera of the settings, else the first."""
    return load().camera or "0"
