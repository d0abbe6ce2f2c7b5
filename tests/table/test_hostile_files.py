"""Whatever file people are given to use, there is one sentence about it: no traceback, no wait, no
memory without end."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.__main__ import main
from companion.readers.recordings import RecordingError, read_recording
from companion.rules.contract import Problem
from companion.table import deck_file, pad_plan, zones
from companion.table.deck_file import DeckError
from companion.table.decks import Deck
from companion.texts import Translator
from companion.user_files import TEXT_BYTES, BadFile, read_limited_bytes, write_file_atomically

HOSTILE = {
    "deep brackets": b"a = " + b"[" * 100_000,
    "deep tables": b"a = " + b"{a=" * 30_000,
    "a long number": b"[deck]\nname = " + b"9" * 9_000,
    "a long hexadecimal": b"[[design]]\ncopies = 0x" + b"f" * 90_000,
    "dotted keys": b"a." * 50_000 + b"a = 1",
    "a dotted header": b"[" + b"a." * 50_000 + b"a]\n",
    "a dotted key in braces": b"x = {" + b"a." * 50_000 + b"a = 1}",
    "numbers as dotted keys": b"1." * 50_000 + b"1 = 1",
    "no date": b"a = 2024-13-45",
    "no text": bytes(range(256)) * 40,
    "nulls": b"\0" * 5_000,
    "nothing": b"",
    "many faults": b"[deck]\nname = 1\n" + b"[[design]]\nnmae = 1\n" * 20_000,
    "many strange tables": b"".join(b"[t%d]\n" % number for number in range(30_000)),
    "many strange keys": b"[deck]\n" + b"".join(b"k%d = 1\n" % number for number in range(30_000)),
    "many zones": b"".join(b'[[zone]]\nname = "z%d"\npoints = []\n' % number for number in range(15_000)),
    "many pads": b'[[pad]]\nzone = "seat:1"\n' * 25_000,
    "too large": b"#" * (TEXT_BYTES + 1),
    "a window's text": "[deck]\r\nname = 'x'\r\n".encode("utf-16"),
}
READERS = {
    "deck": Deck.load,
    "zones": zones.load_zones,
    "pads": pad_plan.load_pads,
    "recording": read_recording,
}


def complaint(read, path):
    """What is said about the file; only a `Problem` or a `DeckError` may come, in both
    languages."""
    try:
        read(path)
    except DeckError as error:
        return [error.describe(Translator(language).translate) for language in ("en", "fr")]
    except Problem as error:
        return [Translator(language).translate(error.text) for language in ("en", "fr")]
    return []


@pytest.mark.slow
@pytest.mark.parametrize("kind", READERS)
@pytest.mark.parametrize("what", HOSTILE)
def test_every_file_is_read_or_said(tmp_path, kind, what):
    file = tmp_path / "given.toml"
    file.write_bytes(HOSTILE[what])
    for words in complaint(READERS[kind], file):
        assert "given.toml" in words
        assert "{" not in words.replace("{}", "")
        assert len(words) < 40_000
        assert words.count("\n") <= 2 * deck_file.MOST_FAULTS


@pytest.mark.parametrize("kind", READERS)
def test_what_is_no_ordinary_file_is_said_at_once(tmp_path, kind):
    """A pipe that nobody writes to, devices without end, a folder, a link to itself, nothing."""
    pipe, circle = tmp_path / "pipe", tmp_path / "circle"
    os.mkfifo(pipe)
    circle.symlink_to(circle)
    zero = tmp_path / "zero"
    zero.symlink_to("/dev/zero")
    folder = tmp_path / "folder"
    folder.mkdir()
    for path in (pipe, circle, zero, Path("/dev/zero"), tmp_path / "none", folder):
        first, _ = complaint(READERS[kind], path)
        assert first


@pytest.mark.slow
def test_one_bad_deck_does_not_hide_the_others(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("companion.decks.collection.user_decks_folder", lambda: tmp_path)
    for number, content in enumerate(HOSTILE.values()):
        folder = tmp_path / f"bad{number}"
        folder.mkdir()
        (folder / "deck.toml").write_bytes(content)
    (tmp_path / "pipe").mkdir()
    os.mkfifo(tmp_path / "pipe" / "deck.toml")
    assert main(["cards", "list"]) in (0, 2)
    said = capsys.readouterr()
    assert "decktet" in said.out.lower()
    assert "bad0" in said.out + said.err


def test_dotted_keys_take_no_memory(tmp_path):
    """In a process of its own that may have 1 GB: 100 kB of dots once took 3.5."""
    file = tmp_path / "deck.toml"
    file.write_bytes(HOSTILE["dotted keys"])
    code = "import sys; from companion.__main__ import main; sys.exit(main(['cards', 'check', sys.argv[1]]))"
    done = subprocess.run(
        [sys.executable, "-c", code, str(file)],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30)),
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
    )
    assert "Traceback" not in done.stderr, done.stderr
    assert "deck.toml" in done.stdout + done.stderr


@settings(max_examples=150)
@given(data=st.binary(max_size=300) | st.text("[]{}=.\"'#\n\\0aé", max_size=200).map(str.encode))
def test_any_bytes_are_read_or_said(tmp_path_factory, data):
    file = tmp_path_factory.getbasetemp() / "any.toml"
    file.write_bytes(data)
    for read in READERS.values():
        assert all("any.toml" in words for words in complaint(read, file))


def test_a_file_that_grows_while_it_is_read_has_a_bound(tmp_path):
    file = tmp_path / "given"
    file.write_bytes(b"x" * 101)
    with pytest.raises(BadFile):
        read_limited_bytes(file, 100)
    assert read_limited_bytes(file, 101) == b"x" * 101
    with pytest.raises(BadFile):
        read_limited_bytes(Path("a\0b"))


def test_a_recording_is_refused_by_its_own_error(tmp_path):
    file = tmp_path / "seen.jsonl"
    file.write_bytes(b'{"recording": 1}\n' + b"[" * 100_000 + b"\n{}\n")
    with pytest.raises(RecordingError):
        read_recording(file)


def test_a_read_only_file_is_not_replaced(tmp_path):
    """Neither by renaming, which asks for the folder's rights alone, nor by root."""
    file = tmp_path / "table.toml"
    write_file_atomically(file, "old")
    file.chmod(0o400)
    with pytest.raises(PermissionError):
        write_file_atomically(file, "new")
    assert file.read_text() == "old"
    assert [*tmp_path.iterdir()] == [file]
