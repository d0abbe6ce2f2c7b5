"""The journal is deleted, moved away or replaced while people play, or reached by two names:
nothing that was accepted is lost."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys

import pytest

from companion.journal.database_file import StorageFault
from companion.journal.journal import Journal
from companion.journal.store import Store
from companion.rules.session import Session
from tests.toy import TOY, Lay, toy_setup


def remove(file):
    subprocess.run(["rm", file], check=True)


def remove_all(file):
    for one in file.parent.iterdir():
        one.unlink()


def move_away(file):
    subprocess.run(["mv", file, file.with_name("elsewhere")], check=True)


def replace(file):
    other = file.with_name("other")
    Store.open(other).close()
    subprocess.run(["mv", other, file], check=True)


def remove_the_folder(file):
    shutil.rmtree(file.parent)


@pytest.mark.parametrize(
    "harm",
    [remove, remove_all, move_away, replace, remove_the_folder],
    ids=lambda harm: harm.__name__,
)
def test_the_evening_goes_on_in_a_file_beside(tmp_path, harm):
    file = tmp_path / "evenings" / "evening.sqlite3"
    journal = Journal.open(file)
    journal.start_session(toy_setup())
    session = Session(TOY, toy_setup(), journal.append)
    session.act(Lay("Ann"))
    harm(file)
    session.act(Lay("Ben"))
    assert journal.trouble is None
    assert journal.relocation_notice.code == "journal.moved"
    new = file.with_name("evening-2.sqlite3")
    assert journal.relocation_notice.args["new"] == str(new)
    with Store.open_read_only(new) as look:  # as after a kill: nothing was closed
        assert look.read_session(1).restore_session().list_acts() == session.list_acts()
    journal.close()
    with Store.open(new) as again:
        assert len(again.read_session(1).entries) == 2


def test_what_lies_at_the_old_place_is_left_alone(tmp_path):
    file = tmp_path / "evening.sqlite3"
    journal = Journal.open(file)
    journal.start_session(toy_setup())
    remove(file)
    file.write_text("somebody's letter")
    file.with_name(file.name + ".mark").write_text("somebody's too")
    journal.append(Session(TOY, toy_setup()) and _entry())
    journal.close()
    assert file.read_text() == "somebody's letter"
    assert file.with_name(file.name + ".mark").read_text() == "somebody's too"


def test_a_journal_that_is_gone_is_missed_at_each_start_until_something_is_saved(tmp_path):
    file = tmp_path / "evening.sqlite3"
    setup = toy_setup()
    with Store.open(file) as store:
        store.start_session(setup)
        Session(TOY, setup, store.append).act(Lay("Ann"))
    remove(file)
    for _start in range(2):
        with Store.open(file) as store:
            assert store.notice.code == "journal.gone"
    with Store.open(file) as store:
        store.start_session(setup)
        Session(TOY, setup, store.append).act(Lay("Ann"))
    with Store.open(file) as store:
        assert store.notice is None


def _entry():
    entries = []
    Session(TOY, toy_setup(), entries.append).act(Lay("Ann"))
    return entries[0]


def test_the_referee_says_it_and_goes_on(tmp_path):
    """The program itself, in a process of its own, as a bot drives it."""
    file = tmp_path / "bot.sqlite3"
    words = [sys.executable, "-m", "companion", "referee", "--journal", str(file)]
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as bot:

        def say(**request):
            bot.stdin.write(json.dumps(request) + "\n")
            bot.stdin.flush()
            return json.loads(bot.stdout.readline())

        assert say(do="start", game="donkey_valley", players=["A", "B", "C"])["ok"]
        remove(file)
        assert say(do="donkey", type="giant")["ok"]
        bot.stdin.close()
        told = bot.stderr.read()
    assert "bot-2.sqlite3" in told
    with Store.open_read_only(tmp_path / "bot-2.sqlite3") as look:
        assert len(look.read_session(1).entries) == 1


@pytest.mark.parametrize("link", [os.symlink, os.link], ids=["symlink", "hard link"])
def test_two_names_are_one_journal(tmp_path, link):
    file, other = tmp_path / "evening.sqlite3", tmp_path / "by another name"
    store = Store.open(file)
    link(file, other)
    with pytest.raises(StorageFault) as caught:
        Store.open(other)
    assert caught.value.text.code in {"journal.locked", "journal.several_names"}
    store.close()


def test_a_link_that_leads_nowhere_yet_leads_to_the_journal(tmp_path):
    file, link = tmp_path / "evening.sqlite3", tmp_path / "link"
    link.symlink_to(file)
    with Store.open(link) as store:
        store.start_session(toy_setup())
    assert link.is_symlink()
    with Store.open_read_only(file) as look:
        assert look.find_last_session() == 1


def test_a_lock_that_was_deleted_is_taken_again(tmp_path):
    file = tmp_path / "evening.sqlite3"
    store = Store.open(file)
    store.start_session(toy_setup())
    remove(file.with_name(file.name + ".lock"))
    store.append(_entry())
    with pytest.raises(StorageFault) as caught:
        Store.open(file)
    assert caught.value.text.code == "journal.locked"
    store.close()


def test_a_device_is_no_journal_and_nothing_is_left_beside_it(tmp_path):
    for path in ("/dev/null", tmp_path / "pipe"):
        if path != "/dev/null":
            os.mkfifo(path)
        with pytest.raises(StorageFault) as caught:
            Store.open(path)
        assert caught.value.text.code == "journal.no_file"
    assert not os.path.lexists("/dev/null.lock")
    assert [one.name for one in tmp_path.iterdir()] == ["pipe"]


def test_a_foreign_file_gets_no_lock_beside_it(tmp_path):
    file = tmp_path / "letter.txt"
    file.write_text("Dear Ann")
    with pytest.raises(StorageFault):
        Store.open(file)
    assert [one.name for one in tmp_path.iterdir()] == ["letter.txt"]


def test_a_working_folder_that_was_deleted_is_said(tmp_path):
    """In a process of its own: the folder is gone under it."""
    gone = tmp_path / "gone"
    gone.mkdir()
    script = 'cd "$1" && rmdir "$1" && exec "$2" -m companion referee --journal evening.sqlite3'
    done = subprocess.run(
        ["sh", "-c", script, "sh", str(gone), sys.executable],
        input="",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2, done.stderr
    assert done.stderr.startswith("companion referee: ")
    assert "Traceback" not in done.stderr
