"""What somebody else has installed follows a session: it is told of every entry and shown in every
view, and whatever it does, the table goes on and nothing is lost."""

import contextlib
import queue
import threading
from types import SimpleNamespace

import pytest

from companion import plug_ins
from companion.__main__ import main
from companion.demo.actions import make_players
from companion.evening.session_opening import open_table_session
from companion.journal.database_file import StorageFault
from companion.journal.journal import Journal
from companion.journal.store import Store
from companion.live import followers
from companion.live.followers import Follower
from companion.live.snapshot import FollowerStatus
from companion.plan import Plan
from companion.rules import registry
from companion.rules.contract import Problem, Text
from companion.rules.entry_points import list_entry_points
from companion.settings import change_settings
from companion.texts import Translator
from companion.views.dashboard.screens.table_screen import TopBar, list_warnings
from companion.views.page_state import build_state
from companion.views.plain_view import _describe_trouble
from tests.league.tables import until
from tools.build_catalogues import compile_catalogues

NAMES = ("Ann", "Bob", "Cid")
FOLLOWER = """
from companion.live.followers import Follower
from companion.live.snapshot import FollowerStatus
from companion.rules.contract import Problem, Text
from companion.settings import change_settings


class Tally(Follower):
    def __init__(self, session):
        self.session, self.kinds, self.states = session, [], []

    def start(self):
        self.show("ok")

    def receive_entry(self, entry):
        self.kinds.append(entry.kind)
        self.show("fault" if len(self.kinds) > 4 else "waiting")

    def close(self):
        with open(self.session.locate_journal().with_name("tally.txt"), "w") as file:
            print(self.session.begun is None, len(self.kinds), file=file)

    def show(self, state):
        label = Text("tally.label", n=len(self.kinds))
        self.session.show_status(FollowerStatus(label, Text("tally.text"), state))
"""
COMMAND = """
from companion.texts import Translator


def add_arguments(parser):
    parser.add_argument("--lang", default="en")


def run(arguments):
    print(Translator(arguments.lang)("tally.text"))
    return 1
"""
HEADER = 'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n"Plural-Forms: nplurals=2; plural=(n != 1);\\n"\n'
WORDS = {
    "tally": 'msgid "tally.text"\nmsgstr "Entries are counted."\n\n'
    'msgid "tally.label"\nmsgid_plural "tally.label"\nmsgstr[0] "{n} entry"\nmsgstr[1] "{n} entries"\n',
    "tally_help": 'msgid "command.tally"\nmsgstr "count entries"\n\nmsgid "group.tally"\nmsgstr "counting"\n',
}
ENTRY_POINTS = """
[companion.followers]
tally = tally.follower:Tally

[companion.commands]
tally = tally.command
broken = tally.nowhere
"""


@pytest.fixture
def fresh(monkeypatch):
    """The registry as a new program has it."""
    monkeypatch.setattr(registry, "_hang_memory", registry.HangMemory())
    list_entry_points.cache_clear()
    yield
    list_entry_points.cache_clear()


def turn_on(name):
    change_settings(lambda before: before.with_plug_in(name, {}))


@pytest.fixture
def tally(tmp_path, monkeypatch, fresh):
    """A follower and a command that somebody else wrote, installed in a folder of their own."""
    site = tmp_path / "site"
    files = {
        "tally/__init__.py": "",
        "tally/follower.py": FOLLOWER,
        "tally/command.py": COMMAND,
        "tally-1.dist-info/METADATA": "Metadata-Version: 2.1\nName: tally\nVersion: 1\n",
        "tally-1.dist-info/entry_points.txt": ENTRY_POINTS,
        **{f"tally/locale/en/LC_MESSAGES/{name}.po": HEADER + "\n" + text for name, text in WORDS.items()},
    }
    for name, text in files.items():
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).write_text(text)
    compile_catalogues(site)
    monkeypatch.syspath_prepend(site)


@pytest.fixture
def installed(monkeypatch, fresh):
    """Install followers by the functions that open them."""

    def install(**opened):
        points = {
            name: SimpleNamespace(name=name, value=f"{name}:open", load=lambda one=one: one)
            for name, one in opened.items()
        }
        monkeypatch.setattr(
            registry, "list_entry_points", lambda group: points if group == plug_ins.FOLLOWERS else {}
        )
        for name in opened:
            turn_on(name)

    return install


@contextlib.contextmanager
def table(tmp_path, journal=None, *, is_resumed=False):
    """A table with simulated players, whose journal is a file: its session, a function that plays
    some steps, and one that shows what the views see."""
    file = tmp_path / "journal.sqlite3"
    journal = journal or Journal.open(file)
    stored = journal.read_session(1) if is_resumed else None
    session = open_table_session(Plan("dtc", NAMES, journal=file), journal, stored, 0.0)
    live = session.live
    players = make_players(live.setup)

    def play(steps):
        for _ in range(steps):
            action = players.next_action(live.list_acts(), live.snapshot().view)
            assert live.submit_request(action.request) is None

    def look():
        live.tick(1.0)
        return live.snapshot()

    with contextlib.closing(session):
        yield SimpleNamespace(session=session, play=play, look=look)


def count_entries(tmp_path):
    with Store.open_read_only(tmp_path / "journal.sqlite3") as store:
        return store.count_entries(1)


def shown_in_top_line(snapshot, width=120):
    screen = SimpleNamespace(snapshot=snapshot, translator=Translator("en"))
    return [str(one) for one in TopBar()._draw_followers(screen, width)]


def test_a_follower_is_told_of_every_entry_and_shown_in_every_view(tally, tmp_path):
    en = Translator.for_game("en", "dtc")
    turn_on("tally")
    with table(tmp_path) as played:
        assert played.session.messages == []
        assert until(lambda: len(played.look().followers) == 1)
        before = played.look()
        played.play(2)
        assert until(lambda: shown_in_top_line(played.look()) == ["2 entries"])
        snapshot = played.look()
        assert shown_in_top_line(snapshot, 80) == ["2 entries"]
        assert "Entries are counted." in _describe_trouble(None, snapshot, en)
        assert "Entries are counted." not in _describe_trouble(before, snapshot, en), "it is no news"
        assert build_state(snapshot, en)["warnings"] == []
        played.play(3)
        assert until(lambda: played.look().followers[0].state == "fault")
        count = count_entries(tmp_path)
        assert until(lambda: shown_in_top_line(played.look()) == [f"{count} entries ✖"])
        assert Text("tally.text") in list_warnings(played.look())
        assert build_state(played.look(), en)["warnings"] == ["Entries are counted."]
    assert (tmp_path / "tally.txt").read_text().split() == ["True", str(count)]
    with table(tmp_path, is_resumed=True) as played:
        played.play(1)
    more = count_entries(tmp_path) - count
    assert (tmp_path / "tally.txt").read_text().split() == ["False", str(more)]


def test_who_has_not_turned_a_follower_on_has_none(tally, tmp_path):
    turn_on("something of a newer version")
    with table(tmp_path) as played:
        played.play(1)
        assert (played.session.messages, played.look().followers) == ([], ())
    assert not (tmp_path / "tally.txt").exists()


def test_an_installed_command_is_listed_run_and_guessed(tally, capsys):
    assert main(["--help", "--lang", "en"]) == 0
    overview = capsys.readouterr().out
    assert "counting:\n  tally  count entries\n" in overview
    assert overview.index("counting:") < overview.index("your own programs")
    assert main(["tally"]) == 1
    assert capsys.readouterr().out == "Entries are counted.\n"
    assert main(["tally", "--lang", "fr"]) == 1
    assert capsys.readouterr().out == "Entries are counted.\n", "it speaks English only"
    with pytest.raises(SystemExit):
        main(["taly"])
    assert "(did you mean tally?)" in capsys.readouterr().err
    assert main(["--print-completion", "bash"]) == 0, "though another command is broken"
    assert "tally" in capsys.readouterr().out


def test_a_broken_command_is_told_in_one_sentence(tally, capsys):
    assert main(["broken", "--lang", "en"]) == 2
    lacking = "ModuleNotFoundError: No module named 'tally.nowhere'"
    assert capsys.readouterr().err == (
        f"companion broken: The plug-in broken can't be loaded, so it is left out: {lacking}\n"
    )


class Recorder(Follower):
    """Counts what it is told; `at` of the entries comes to `fault`."""

    def __init__(self, fault=lambda: None, at=0):
        self.entries, self.fault, self.at, self.closed = [], fault, at, 0

    def receive_entry(self, entry):
        if len(self.entries) == self.at:
            self.fault()
        self.entries.append(entry)

    def close(self):
        self.closed += 1


def fail(error):
    def raise_error(*_):
        raise error

    return raise_error


@pytest.mark.parametrize("error", [ValueError("no"), SystemExit(3), RecursionError()])
def test_a_follower_that_fails_is_left_out_and_the_players_are_told(error, installed, tmp_path):
    failing, other = Recorder(fail(error), 1), Recorder()
    installed(failing=lambda _: failing, other=lambda _: other)
    with table(tmp_path) as played:
        played.play(5)
        assert until(lambda: played.look().followers)
        (status,) = played.look().followers
        assert status.state == "fault"
        told = Translator("en").translate(status.text)
        assert told.startswith(
            f"The plug-in failing has failed, so it is left out of this game: {type(error).__name__}"
        )
        assert shown_in_top_line(played.look()) == ["failing ✖"]
        assert played.look().keeping is None
    assert (len(failing.entries), failing.closed) == (1, 1)
    assert (len(other.entries), other.closed) == (count_entries(tmp_path), 1)


@pytest.mark.parametrize(
    ("opened", "told"),
    [
        (fail(ValueError("no")), "The plug-in odd can't be loaded, so it is left out: ValueError: no"),
        (
            fail(SystemExit(3)),
            "The plug-in odd can't be loaded, so it is left out: ImportError: it would end",
        ),
        (lambda _: 7, "The plug-in odd can't be loaded, so it is left out: TypeError: 7 is no Follower"),
        (
            fail(Problem("reader.camera.no_folder", folder="x")),
            "There is no folder x. Check its name.",
        ),
    ],
)
def test_a_follower_that_cannot_be_opened_is_left_out(opened, told, installed, tmp_path):
    installed(odd=opened, absent=lambda _: None)
    with table(tmp_path) as played:
        (message,) = played.session.messages
        assert Translator("en").translate(message).startswith(told)
        played.play(3)
        assert played.look().followers == ()
    assert count_entries(tmp_path) >= 3


def test_a_follower_that_hangs_when_it_is_opened_costs_its_timeout_once(installed, tmp_path, monkeypatch):
    monkeypatch.setattr(registry, "IMPORT_TIMEOUT", 0.1)
    go, calls = threading.Event(), []

    def hang(session):
        calls.append(session)
        go.wait()

    installed(slow=hang)
    for _ in range(2):
        with table(tmp_path) as played:
            assert [one.code for one in played.session.messages] == ["plug_in.broken"]
            played.play(2)
    assert len(calls) == 1
    go.set()


def test_a_follower_that_hangs_is_told_and_misses_nothing(installed, tmp_path, monkeypatch):
    monkeypatch.setattr(followers, "HANG_TIMEOUT", 0.05)
    go = threading.Event()
    hanging, other = Recorder(go.wait, 1), Recorder()
    installed(hanging=lambda _: hanging, other=lambda _: other)
    with table(tmp_path) as played:
        played.play(5)
        hangs = ("fault", Text("follower.hangs", {"name": "hanging"}))
        # On a busy machine the other one is late for a moment too.
        assert until(lambda: [(one.state, one.text) for one in played.look().followers] == [hangs])
        assert until(lambda: len(other.entries) == count_entries(tmp_path)), "it does not wait for that"
        assert played.look().keeping is None
        go.set()
        assert until(lambda: len(hanging.entries) == count_entries(tmp_path))
        assert until(lambda: played.look().followers == ())
    assert hanging.entries == other.entries


def test_the_end_of_a_session_does_not_wait_for_a_follower_that_hangs(installed, tmp_path, monkeypatch):
    monkeypatch.setattr(followers, "HANG_TIMEOUT", 0.05)
    monkeypatch.setattr(followers, "CLOSE_TIMEOUT", 600.0)
    go = threading.Event()
    hanging = Recorder(go.wait)
    installed(hanging=lambda _: hanging)
    with table(tmp_path) as played:
        played.play(1)
        assert until(lambda: played.look().followers)
    assert (len(hanging.entries), hanging.closed) == (0, 0)
    go.set()
    assert until(lambda: hanging.closed == 1)
    assert len(hanging.entries) == count_entries(tmp_path)


def test_only_what_is_on_disk_is_told_and_only_to_the_followers_of_its_session(
    installed, tmp_path, monkeypatch
):
    recorders = []
    installed(one=lambda _: recorders.append(Recorder()) or recorders[-1])
    file, is_full = tmp_path / "journal.sqlite3", True
    append = Store.append

    def append_if_room(store, *words):
        if is_full:
            raise StorageFault("journal.full", file=str(file))
        append(store, *words)

    monkeypatch.setattr(Store, "append", append_if_room)
    journal = Journal.open(file)
    journal.stays_open = True
    with table(tmp_path, journal) as played:
        played.play(2)
        assert played.look().keeping is not None
    with table(tmp_path, journal) as played:
        played.play(1)
        is_full = False
        journal.run_maintenance(10.0)
        assert journal.pending_count == 0
        played.play(2)
    assert [len(one.entries) for one in recorders] == [0, 3]
    journal.stays_open = False
    journal.close()


def test_a_seat_label_is_what_a_follower_may_ask_for(installed, tmp_path):
    asking = Recorder()
    asking.needs_seat_labels = True
    installed(asking=lambda _: asking)
    with table(tmp_path) as played:
        assert played.session.live.setup.players == ("s1", "s2", "s3")
        assert tuple(played.look().people.real_names.values()) == NAMES


def test_what_a_follower_cannot_do_is_shown_and_what_it_can_do_again(monkeypatch):
    monkeypatch.setattr(followers, "HANG_TIMEOUT", 0.02)
    go_on, shown, closed = threading.Event(), queue.Queue(), threading.Event()

    class Slow(Follower):
        def start(self):
            go_on.wait(10)

        def receive_entry(self, entry):
            raise Problem("journal.full", file=entry)

        def close(self):
            closed.set()

    thread = followers.FollowerThread("slow")
    thread.follower = Slow()
    assert not Slow.needs_seat_labels
    thread.on_change = lambda: shown.put(thread.status)
    assert thread._thread.daemon, "the program can end all the same"
    thread.start()
    label, hangs = Text("follower.label", {"name": "slow"}), Text("follower.hangs", {"name": "slow"})
    assert shown.get(timeout=10) == FollowerStatus(label, hangs, "fault")
    go_on.set()
    assert shown.get(timeout=10) is None
    thread.show_status(FollowerStatus(label, hangs))
    assert shown.get(timeout=10).state == "ok"
    thread.post_entry("a")
    full = FollowerStatus(label, Text("journal.full", {"file": "a"}), "fault")
    assert shown.get(timeout=10) == full
    assert closed.wait(10)
    thread.close()
