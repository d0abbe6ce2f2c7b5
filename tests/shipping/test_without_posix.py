"""A machine without POSIX's own modules (Windows), as far as it can be tried without one: what can
be imported there?"""

import json
import subprocess
import sys

import pytest

from companion.readers.rfid import simulator
from companion.readers.rfid.events import ReaderProblem
from companion.texts import Translator

ABSENT = ("fcntl", "termios", "pty", "tty", "resource", "grp", "pwd", "evdev")
"""What Python has on Linux and macOS only, and the Linux library for input devices."""
NEEDS_THEM: set[str] = set()
"""Modules that cannot be imported there. The simulated board needs POSIX, but says so only when it
is built."""

WALK = f"""
import importlib, json, pkgutil, sys
import builtins
real = builtins.__import__
def without(name, globals=None, locals=None, fromlist=(), level=0):
    ours = (globals or {{}}).get("__name__", "").startswith(("companion", "vision"))
    if ours and name in {ABSENT}:
        raise ImportError(name)
    return real(name, globals, locals, fromlist, level)
builtins.__import__ = without
import companion, vision
missing = {{}}
for package in (companion, vision):
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        if module.name.endswith("__main__"):
            continue
        try:
            importlib.import_module(module.name)
        except ImportError as fault:
            missing[module.name] = str(fault)
print(json.dumps(missing))
"""


def test_every_module_but_the_simulated_board_can_be_imported() -> None:
    done = subprocess.run([sys.executable, "-c", WALK], capture_output=True, text=True, check=True)
    missing = json.loads(done.stdout)
    assert set(missing) <= NEEDS_THEM, missing


def test_the_simulated_board_is_refused_there_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    with pytest.raises(ReaderProblem) as refused:
        simulator.build_firmware()
    assert "Windows" in refused.value.describe(Translator().translate)
