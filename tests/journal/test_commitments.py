"""What lies face down, and what will be drawn, follows from no byte on the disk; afterwards anybody
can check that nothing was changed."""

from __future__ import annotations

import hashlib
import io
import itertools
import json
import shutil
import stat
import subprocess

import msgspec
import pytest

from companion.__main__ import main
from companion.games.donkey_valley import moves as ask
from companion.journal.export import format_json
from companion.journal.journal import Journal
from companion.journal.saved_session import Proof, verify_commitments
from companion.journal.store import Store
from companion.readers.recordings import Recorder, RecordingHeader
from companion.referee import Referee, serve_lines
from companion.rules import registry
from companion.rules.commitments import HiddenSeed, compute_commitment
from companion.rules.contract import Refusal, Setup
from companion.rules.session import Session
from tests.live.seats import Seats
from tests.toy import Lay, Show, toy_setup

DV = registry.load_game("donkey_valley")
NAMES = ("Ann", "Bob", "Cy")
LAID = {"Ann": 7, "Bob": 3, "Cy": 10}


def hidden_setup(seed=None):
    options = {option.name: option.default for option in DV.options}
    return Setup("donkey_valley", NAMES, options, HiddenSeed() if seed is None else seed)


def loads_laid(store, setup):
    """An evening in the middle of the favours: three loads lie face down on readers."""
    store.start_session(setup)
    session = Session(DV, setup, store.append)
    session.act(ask.Donkey("giant"))
    for name, value in LAID.items():
        assert not isinstance(session.act(ask.Load(name, sealed=(value,))), Refusal)
    return session


def windows(data):
    """Every byte sequence that could be a key or a nonce, as it is and read as hex."""
    for size in (16, 20, 32, 40, 64):
        for at in range(len(data) - size + 1):
            yield data[at : at + size]


def found_out(folder):
    """Try every byte sequence on the disk with every card against every seal there, in the ways in
    which this or an older program seals."""
    data = b"".join(file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file())
    texts = {data[at : at + 64] for at in range(len(data) - 63)}
    seals = {text.decode() for text in texts if all(sign in b"0123456789abcdef" for sign in text)}
    assert len(seals) >= len(LAID), "there is something to find out"
    old_seals = {seal[:32] for seal in seals}
    cards = [(name, value) for name in NAMES for value in range(1, 11)]
    written = [f"{name}/{value}".encode() for name, value in cards]
    for key in set(windows(data)):
        nonces = {key.hex()} | ({key.decode()} if key.isalnum() and key.isascii() else set())
        for nonce, (name, value) in itertools.product(nonces, cards):
            if compute_commitment(nonce, name, value) in seals:
                yield name, value
        if len(key) == 16:
            for card, text in zip(cards, written, strict=True):
                if hashlib.blake2b(text, key=key, digest_size=16).hexdigest() in old_seals:
                    yield card


@pytest.mark.slow
def test_no_byte_sequence_on_disk_opens_a_seal_before_the_reveal(tmp_path):
    with Store.open(tmp_path / "evening.sqlite3") as store:
        session = loads_laid(store, hidden_setup())
        recorder = Recorder(
            tmp_path / "seen.jsonl", RecordingHeader(1, "donkey_valley", "farm"), lambda _report: None
        )
        (tmp_path / "export.json").write_text("".join(format_json([store.read_session(1)], "en")))
        with pytest.raises(RuntimeError) as crash:
            broken(session)
        (tmp_path / "crash.txt").write_text("\n".join(map(repr, crash.traceback[-1].locals.values())))
        assert {"evening.sqlite3-journal", "evening.sqlite3.lock"} <= {
            file.name for file in tmp_path.iterdir()
        }
        assert list(found_out(tmp_path)) == []
        recorder.close()


def broken(session):
    request = ask.Load("Ann", sealed=(7,))
    state = session.state
    raise RuntimeError(f"{request} {state.phase}")


@pytest.mark.slow
def test_the_search_of_the_disk_would_find_a_nonce(tmp_path):
    """The test before this one can fail: with the nonces on the disk it names every card."""
    with Store.open(tmp_path / "evening.sqlite3") as store:
        session = loads_laid(store, hidden_setup())
        openings = session._vault.list_openings(
            [seal for name in NAMES for seal in DV.list_seals(session.state, name)]
        )
        (tmp_path / "nonce").write_text(openings[1].nonce)
        assert list(dict.fromkeys(found_out(tmp_path))) == [("Bob", 3)]


def test_neither_the_seed_nor_a_text_of_it_is_on_disk_before_the_end(tmp_path):
    with Store.open(tmp_path / "evening.sqlite3") as store:
        setup = hidden_setup()
        loads_laid(store, setup)
        disk = b"".join(file.read_bytes() for file in tmp_path.iterdir())
        export = "".join(format_json([store.read_session(1)], "en"))
    assert setup.seed.reveal_seed().encode() not in disk
    assert setup.seed.commitment.encode() in disk
    assert json.loads(export)["sessions"][0]["seed"] is None
    assert setup.seed.reveal_seed() not in repr(setup)
    with pytest.raises(TypeError):
        msgspec.json.encode(setup)


def played_out(commit, setup=None):
    """A whole toy evening of one round; Ann's card was read by a reader, Ben's was not."""
    game = registry.load_game("toy")
    session = Session(game, setup or toy_setup(seed=HiddenSeed(), rounds=1), commit)
    for request in (Lay("Ann", (4,)), Lay("Ben"), Show("Ann", 4), Show("Ben", 2)):
        assert not isinstance(session.act(request), Refusal)
    return session


def test_what_was_sealed_and_the_seed_can_be_checked_afterwards(file):
    setup = toy_setup(seed=HiddenSeed(), rounds=1)
    fixed = setup.seed.commitment
    with Store.open(file) as store:
        store.start_session(setup)
        played_out(store.append, setup)
        kept = store.read_session(1)
    assert verify_commitments(kept) == Proof(opened=1, closed=0, seeds=1, decided_anew=4)
    (told,) = [note for entry in kept.entries for note in entry.notes]
    assert kept.commitment == fixed == told.commitment
    (again,) = json.loads("".join(format_json([kept], "en")))["sessions"]
    assert again["seed"] == told.seed, "told with the export, so that the draws can be made again"
    opening = again["entries"][2]["acts"][0]["events"][0]["opened"][0]
    assert opening["card"] == 4
    # anybody can check it without this program
    text = f'["{opening["nonce"]}","Ann",4]'
    assert hashlib.sha256(text.encode()).hexdigest() == again["entries"][0]["acts"][0]["request"]["sealed"][0]


def test_a_stranger_s_program_checks_the_commitment_too(file):
    """`sha256sum` knows nothing of this program."""
    if (tool := shutil.which("sha256sum") or shutil.which("shasum")) is None:
        pytest.skip("neither sha256sum nor shasum is installed")
    text = '["00ff","Chloé",7]'.encode()
    words = [tool] if tool.endswith("sha256sum") else [tool, "-a", "256"]
    said = subprocess.run(words, input=text, capture_output=True, check=True).stdout.decode()
    assert said.split()[0] == compute_commitment("00ff", "Chloé", 7)


def test_a_journal_in_which_a_card_was_changed_is_noticed(file, capsys):
    with Store.open(file) as store:
        store.start_session(toy_setup(seed=HiddenSeed(), rounds=1))
        entries = []
        played_out(entries.append)
        shown = entries[2].acts[0]
        event = msgspec.structs.replace(
            shown.events[0],
            value=9,
            opened=(msgspec.structs.replace(shown.events[0].opened[0], card=9),),
        )
        entries[2] = msgspec.structs.replace(
            entries[2], acts=(msgspec.structs.replace(shown, events=(event,)),)
        )
        for entry in entries:
            store.append(entry)
        assert verify_commitments(store.read_session(1)).false == (3, 4), (
            "the card, and a seed that belongs to another session"
        )
    assert main(["history", "1", "--journal", str(file)]) == 1
    assert "3 and 4" in capsys.readouterr().out


def overloaded_evening(store, setup):
    """One donkey of an evening: sealed loads overload it, so that the program draws who wins
    what."""
    store.start_session(setup)
    session = Session(DV, setup, store.append)
    requests = [ask.Donkey("puny"), *(ask.Load(name, sealed=(10 - at,)) for at, name in enumerate(NAMES))]
    requests += [ask.NoFavour(name) for name in NAMES] + [ask.Decide(name, accept=False) for name in NAMES]
    requests += [ask.Reveal(name, (10 - at,)) for at, name in enumerate(NAMES)]
    for request in requests:
        assert not isinstance(session.act(request), Refusal)
    return session


def test_every_draw_follows_again_from_the_seed_and_a_changed_one_is_noticed(file, capsys):
    with Store.open(file) as store:
        overloaded_evening(store, hidden_setup(seed=11))
        kept = store.read_session(1)
    assert verify_commitments(kept) == Proof(opened=3, decided_anew=13)
    *others, last = kept.entries
    (drawn,) = (event for event in last.acts[0].events if event.__struct_config__.tag == "loads_drawn")
    one, two, *rest = drawn.draws
    swapped = (
        msgspec.structs.replace(one, card=two.card),
        msgspec.structs.replace(two, card=one.card),
        *rest,
    )
    events = tuple(
        msgspec.structs.replace(drawn, draws=swapped) if event is drawn else event
        for event in last.acts[0].events
    )
    changed = msgspec.structs.replace(last, acts=(msgspec.structs.replace(last.acts[0], events=events),))
    with Store.open(file) as store:
        store.start_session(kept.setup)
        for entry in (*others, changed):
            store.append(entry)
    assert main(["history", "2", "--journal", str(file), "--lang", "fr"]) == 1
    assert "les entrées 13 donnent d’autres résultats" in capsys.readouterr().out


def test_after_the_end_an_undo_commits_to_another_seed(file):
    with Store.open(file) as store:
        setup = toy_setup(seed=HiddenSeed(), rounds=1)
        store.start_session(setup)
        session = played_out(store.append, setup)
        told = session.notes[0].seed
        session.undo()
        assert setup.seed.reveal_seed() != told
        assert session.notes[0].commitment == setup.seed.commitment
        session.redo()
        assert verify_commitments(store.read_session(1)) == Proof(opened=1, seeds=2, decided_anew=4)


def test_after_a_restart_the_pads_are_read_and_sealed_anew(file):
    seats = Seats("Ann", "Ben", journal=Journal.open(file))
    seats.lay(1, "toy:4", under=True)
    seats.later()
    seats.live.submit_request(Lay("Ben"))
    seats.live.close()

    journal = Journal.open(file)
    again = Seats(journal=journal, kept=journal.read_session(journal.list_unfinished()[0].number))
    again.live.confirm_moves()
    again.later()
    assert again.live.snapshot().notice.code == "live.closed"
    again.lay(1, "toy:4", under=True)
    again.later(3)
    assert again.live.snapshot().notice is None
    assert again.live.submit_request(Show("Ann", 5)).code == "sealed_mismatch"
    assert again.live.submit_request(Show("Ann", 4)) is None
    assert verify_commitments(journal.read_session(1)) == Proof(opened=1, decided_anew=3)
    again.live.close()


def test_where_no_pad_can_read_it_after_a_restart_the_table_shows(file):
    with Store.open(file) as store:
        store.start_session(toy_setup())
        session = Session(registry.load_game("toy"), toy_setup(), store.append)
        session.act(Lay("Ann", (4,)))
        session.act(Lay("Ben"))
        again = store.resume_session(1).restore_session(store.append)
        assert not isinstance(again.act(Show("Ann", 5)), Refusal)
        assert verify_commitments(store.read_session(1)) == Proof(closed=1, decided_anew=3)


def test_the_referee_commits_to_its_seed_and_tells_it_at_the_end(tmp_path):
    lines = [{"do": "start", "game": "toy", "players": ["Ann", "Ben"], "options": {"rounds": 1}}]
    lines += [{"do": "lay", "player": "Ann", "sealed": [4]}, {"do": "lay", "player": "Ben"}]
    lines += [{"do": "show", "player": "Ann", "value": 4}, {"do": "show", "player": "Ben", "value": 2}]
    out = io.BytesIO()
    serve_lines(Referee(), io.BytesIO(b"\n".join(map(msgspec.json.encode, lines))), out)
    replies = [json.loads(line) for line in out.getvalue().splitlines()]
    begun, told = replies[0]["events"][0], replies[-1]["events"][-1]
    assert begun["seed"] is None
    assert told["type"] == "seed_told"
    assert compute_commitment(told["nonce"], told["seed"]) == begun["commitment"]
    assert all("opened" not in event for reply in replies for event in reply["events"])


def test_a_restarted_referee_commits_to_a_new_seed(file):
    with Store.open(file) as store:
        store.start_session(toy_setup(seed=HiddenSeed()))
        session = store.resume_session(1).restore_session(store.append)
        session.commit_new_seed()
        (entry,) = store.read_session(1).entries
        assert entry.notes[0].commitment == session.setup.seed.commitment
        session.commit_new_seed()
        assert len(store.read_session(1).entries) == 1, "once is enough"


def test_files_are_their_owner_s_alone(tmp_path):
    folder = tmp_path / "not" / "yet" / "there"
    store = Store.open(folder / "evening.sqlite3")
    store.start_session(toy_setup())
    recorder = Recorder(folder / "seen.jsonl", RecordingHeader(1), lambda _report: None)
    modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()}
    assert len(modes) == 4
    assert set(modes.values()) == {0o600}, modes
    assert {stat.S_IMODE(one.stat().st_mode) for one in (folder, folder.parent, folder.parent.parent)} == {
        0o700
    }
    recorder.close()
    store.close()


def test_a_journal_that_others_could_read_is_closed_to_them(file):
    Store.open(file).close()
    file.chmod(0o644)
    Store.open(file).close()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_whoever_only_notes_something_is_not_told_of_the_draws(file, capsys):
    setup = toy_setup(seed=HiddenSeed(), rounds=1)
    with Store.open(file) as store:
        store.start_session(setup)
        played_out(store.append, setup)
    assert main(["history", "1", "--journal", str(file), "--lang", "en"]) == 0
    assert "seed" in capsys.readouterr().out
    assert main(["history", "1", "--journal", str(file), "--lang", "en", "--note", "rain"]) == 0
    assert capsys.readouterr().out == "Noted: rain\n"
