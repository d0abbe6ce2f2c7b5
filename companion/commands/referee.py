"""`companion referee`: the rules of every game, line by line, for bots, overlays and tests."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, redirect_stdout, suppress
from typing import BinaryIO

from companion import journal
from companion.language import LANGUAGES
from companion.referee import Referee, serve_lines
from companion.texts import Translator


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `companion referee`."""
    parser.add_argument("--lang", choices=LANGUAGES, default="en", help="referee.lang")
    parser.add_argument("--journal", metavar="FILE", help="referee.journal")


def run(arguments: argparse.Namespace) -> int:
    """Reply to lines until standard input ends; return 0. Raises `Problem` if the journal cannot be
    used: a bot that relies on it must know before it plays."""
    with _reserve_stdout() as target:
        return _serve_requests(arguments, target)


@contextmanager
def _reserve_stdout() -> Iterator[BinaryIO]:
    """Yield the output stream for replies only. Anything that plug-in games print goes to standard
    error instead, or it would be read as a reply."""
    sys.stdout.flush()
    ours = sys.stdout
    with ExitStack() as restore, redirect_stdout(sys.stderr):
        target: BinaryIO = ours.buffer
        with suppress(OSError, ValueError):  # a test's stream has no number
            number, saved_stdout = ours.fileno(), os.dup(ours.fileno())
            # a library in C prints to the descriptor, not to `sys.stdout`
            restore.callback(os.close, saved_stdout)
            restore.callback(os.dup2, saved_stdout, number)
            os.dup2(sys.stderr.fileno(), number)
            target = restore.enter_context(os.fdopen(os.dup(saved_stdout), "wb"))
        yield target


def _serve_requests(arguments: argparse.Namespace, target: BinaryIO) -> int:
    if arguments.journal is None:
        serve_lines(Referee(arguments.lang), sys.stdin.buffer, target)
        return 0
    with journal.store.Store.open(arguments.journal) as store:
        translator = Translator(arguments.lang)
        store.on_relocation = lambda text: print(
            f"companion referee: {translator.translate(text)}", file=sys.stderr, flush=True
        )
        if store.notice is not None:
            store.on_relocation(store.notice)
        last = store.find_last_session()
        session = None if last is None else store.resume_session(last).restore_session(store.append)
        if session is not None:
            # The seed of coming draws was lost with the last process: a new one is committed to
            # before any act.
            session.commit_new_seed()
        serve_lines(Referee(arguments.lang, store, session), sys.stdin.buffer, target)
    return 0
