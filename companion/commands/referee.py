"""`companion referee`: the rules of every game on standard input and output, for bots, overlays and tests."""

from __future__ import annotations

import argparse
import sys

from companion.headless import Referee, serve
from companion.texts import LANGUAGES


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `companion referee`."""
    parser.add_argument("--lang", choices=LANGUAGES, default="en", help="the language of messages (default: en)")


def run(arguments: argparse.Namespace) -> int:
    """Answer lines until standard input ends."""
    serve(Referee(arguments.lang), sys.stdin.buffer, sys.stdout.buffer)
    return 0
