"""The session's history: acts, undo, redo and corrections, and that a journal brings all of it
back.

Played with the small game of tests/toy.py.
"""

import hashlib
import pickle

import msgspec
import pytest

from companion.journal.schema import decode_entry, encode_entry
from companion.rules.acts import EntryNotSaved, list_acts_since
from companion.rules.commitments import (
    CardResealed,
    HiddenSeed,
    Opening,
    SeedCommitted,
    SeedRevealed,
    Vault,
    compute_commitment,
    is_seal,
)
from companion.rules.contract import Event, Problem, Refusal, Request, Text, refuse
from companion.rules.people import SeatChange, VerbatimName
from companion.rules.registry import load_game
from companion.rules.session import Session
from tests.correcting import correct
from tests.rules.talk import setup_of
from tests.toy import Lay, Show, Toy

GAME = Toy()


class Kept(list):
    """A journal that can be full."""

    full = False

    def __call__(self, entry):
        if self.full:
            raise EntryNotSaved(Text("journal.full"))
        self.append(entry)


@pytest.fixture
def kept():
    return Kept()


@pytest.fixture
def session(kept):
    return Session(GAME, setup_of(GAME, ["Ann", "Ben"]), kept)


def play(session, *requests):
    for request in requests:
        assert not isinstance(session.act(request), Refusal), request


def evening(session):
    """Two rounds and a bit."""
    for high, low in ((9, 2), (3, 8)):
        play(session, Lay("Ann"), Lay("Ben"), Show("Ann", high), Show("Ben", low))
    play(session, Lay("Ann"))


def requests(session):
    return [act.request for act in session.list_acts()]


def again(session, entries):
    """The session that the journal's entries bring back, through JSON."""
    found = Session(GAME, session.setup)
    found.replay_entries([decode_entry(GAME, entry.kind, entry.at, encode_entry(entry)) for entry in entries])
    return found


def same(one, other):
    assert one.state == other.state
    assert one.list_acts() == other.list_acts()
    assert (one.can_undo, one.can_redo) == (other.can_undo, other.can_redo)


def test_a_refused_request_leaves_no_trace(session, kept):
    before = session.state
    assert session.act(Show("Ann", 3)).code == "wrong_phase"
    assert session.act(Lay("Zoe")).code == "unknown_player"
    assert session.state is before
    assert session.list_acts() == kept == []


def test_undo_is_the_prefix_at_every_step_and_redo_the_whole_again(session):
    states = [session.state]
    for request in (Lay("Ben"), Lay("Ann"), Show("Ann", 4), Show("Ben", 5), Lay("Ann")):
        play(session, request)
        states.append(session.state)
    for state in states[-2::-1]:
        session.undo()
        assert session.state == state
    assert session.undo().code == "nothing_to_undo"
    for state in states[1:]:
        session.redo()
        assert session.state == state
    assert session.redo().text.code == "refusal.nothing_to_redo"


def test_a_course_is_every_moment_from_the_first_act_to_this_one(session):
    evening(session)
    course = session.current_moment.list_moments()
    assert [moment.act.request for moment in course] == requests(session)
    assert [moment.number for moment in course] == list(range(1, 10))
    for number in range(10):
        there = session.current_moment.moment_at(number)
        assert there.number == number
        assert [act.request for act in list_acts_since(session.current_moment, number)] == requests(session)[
            number:
        ]
        assert there.list_moments() == course[:number]


def test_undo_and_redo_tell_which_act_it_was(session):
    play(session, Lay("Ann"))
    assert session.undo().request == Lay("Ann")
    assert session.redo().request == Lay("Ann")


def test_a_new_act_after_undo_ends_the_redo_and_a_refused_one_does_not(session):
    play(session, Lay("Ann"))
    session.undo()
    session.act(Show("Ann", 1))
    assert session.can_redo
    play(session, Lay("Ben"))
    assert not session.can_redo


def test_a_correction_recomputes_what_came_later(session):
    evening(session)
    assert session.view()["players"][0]["points"] == 9
    assert correct(session, 2, Show("Ann", 1)).dropped_acts == []
    assert session.view()["players"][0]["points"] == 0
    assert requests(session)[2] == Show("Ann", 1)
    assert len(session.list_acts()) == 9


def test_acts_that_no_longer_fit_are_dropped_and_named(session):
    evening(session)
    dropped = [(fallen.number, fallen.reason.code) for fallen in correct(session, 1, None).dropped_acts]
    assert (2, "wrong_phase") in dropped
    assert len(session.list_acts()) + len(dropped) == 8


def test_a_correction_that_is_refused_changes_nothing(session, kept):
    evening(session)
    before, count = session.state, len(kept)
    assert session.replace_acts(2, [Show("Ann", 99)]).code == "bad_value"
    later = session.replace_acts(2, [Show("Ann", 1), Lay("Zoe")])
    assert (later.code, later.text.code, later.text.args["at"]) == ("unknown_player", "refusal.later", 3)
    assert session.replace_acts(2, [Lay("Zoe")]).text.code == "refusal.unknown_player"
    for at in (-1, 10, 10**9):
        for refusal in (session.replace_acts(at, []), session.correct_act(at, None)):
            assert (refusal.code, refusal.text.code) == ("nothing_to_undo", "refusal.no_such_act")
    assert session.state is before
    assert len(kept) == count


def test_one_undo_takes_a_whole_correction_back(session):
    evening(session)
    before = session.state, session.list_acts()
    correct(session, 0, None)
    session.undo()
    assert (session.state, session.list_acts()) == before
    session.redo()
    assert len(session.list_acts()) < len(before[1])


def test_the_journal_brings_everything_back_undo_redo_and_corrections(session, kept):
    evening(session)
    steps = [
        session.undo,
        session.undo,
        session.redo,
        lambda: correct(session, 2, Show("Ann", 5)),
        session.undo,
        session.redo,
        lambda: correct(session, 6, None),
        lambda: play(session, Show("Ann", 7)),
        session.undo,
    ]
    same(session, again(session, kept))
    for step in steps:
        step()
        same(session, again(session, kept))
    revived = again(session, kept)
    while session.can_undo:
        session.undo()
        revived.undo()
        same(session, revived)
    assert session.list_acts() == []


def test_what_is_not_on_disk_was_not_done(session, kept):
    evening(session)
    session.undo()
    before, acts, count = session.state, session.list_acts(), len(kept)
    kept.full = True
    for step in (
        lambda: session.act(Lay("Ann")),
        session.undo,
        session.redo,
        lambda: correct(session, 2, Show("Ann", 1)),
    ):
        with pytest.raises(EntryNotSaved):
            step()
        assert session.state is before
        assert session.list_acts() == acts
    kept.full = False
    session.redo()
    assert len(kept) == count + 1


def test_only_seals_of_face_down_cards_are_kept_and_a_correction_can_use_them(session, kept):
    play(session, Lay("Ann", (7,)), Lay("Ben", (2,)))
    correct(session, 0, Lay("Ann", (9,)))
    written = msgspec.json.encode(kept).decode()
    for value in (7, 2, 9):
        assert f"[{value}]" not in written
    assert session.act(Show("Ben", 3)).code == "sealed_mismatch"
    assert session.act(Show("Ann", 7)).code == "sealed_mismatch"
    play(session, Show("Ann", 9), Show("Ben", 2))


def test_a_game_that_is_over_takes_undo_and_questions_only(session):
    for _ in range(3):
        play(session, Lay("Ann"), Lay("Ben"), Show("Ann", 9), Show("Ben", 2))
    assert session.is_over
    assert session.act(Lay("Ann")).code == "game_over"
    assert session.act(Lay("Zoe")).code == "game_over"
    assert session.explain_points("Ann")
    assert session.explain_points("Zoe").code == "unknown_player"
    session.undo()
    assert not session.is_over


def test_a_correction_may_end_a_game_earlier_or_reopen_it(session):
    for _ in range(3):
        play(session, Lay("Ann"), Lay("Ben"), Show("Ann", 9), Show("Ben", 2))
    correct(session, 11, None)
    assert not session.is_over
    session.undo()
    assert session.is_over


def test_an_act_is_verified_by_what_its_request_leads_to(session):
    play(session, Lay("Ann", (7,)), Lay("Ben"), Show("Ann", 7))
    before, (laid, _, shown) = session.current_moment.moment_at(2), session.list_acts()
    start = session.current_moment.moment_at(0)
    assert session.verify_act(start, laid)
    assert session.verify_act(before, shown)
    other = msgspec.structs.replace(shown.events[0], value=8)
    assert not session.verify_act(before, msgspec.structs.replace(shown, events=(other,)))
    assert not session.verify_act(before, msgspec.structs.replace(shown, request=Lay("Ann"), events=()))
    assert not session.verify_act(before, msgspec.structs.replace(shown, events=()))


def test_which_acts_hold_a_draw_of_the_program():
    """What it draws: donkeys, where the app draws them, and the loads that a donkey takes."""
    donkeys = load_game("donkey_valley")
    drawn = {kind.__struct_config__.tag for kind in donkeys.draws}
    assert drawn == {"draw_donkey", "loads_drawn"}
    assert {load_game(game).draws for game in ("dtc", "partners", "ochs_und_esel")} == {frozenset()}
    session = Session(donkeys, setup_of(donkeys, ["Ann", "Ben", "Cy"]))
    play(session, donkeys.moves.DrawDonkey(), donkeys.moves.Load("Ann"))
    (draw, load), moment = session.list_acts(), session.current_moment
    assert session.contains_draw(moment.moment_at(0), draw)
    assert not session.contains_draw(moment.moment_at(1), load)


def test_what_cards_were_laid_is_known_from_what_the_journal_published(session, kept):
    play(session, Lay("Ann", (7,)), Lay("Ben", (2,)), Show("Ann", 7))
    after = again(session, kept)
    assert after.list_closed_seals("Ann") == ()
    assert after.list_closed_seals("Ben") == session.state.laid["Ben"]


def test_a_long_evening_of_undos_leaves_nothing_behind_that_cannot_be_freed():
    session = Session(GAME, setup_of(GAME, ["Ann", "Ben"]))
    play(session, Lay("Ann"))
    for _ in range(5_000):
        session.undo()
        play(session, Lay("Ann"))
        correct(session, 0, Lay("Ben"))
        session.undo()
    assert len(session.list_acts()) == 1
    assert not session.can_redo or session.redo() is not None
    del session


# ---- commitments ----


def test_a_commitment_is_the_hash_that_the_journals_page_describes():
    """docs/journal.en.md: SHA-256 of a JSON list without blanks, in UTF-8."""
    for what, text in ((("Zoé", 3), '["00ff","Zoé",3]'), (("a seed",), '["00ff","a seed"]')):
        assert compute_commitment("00ff", *what) == hashlib.sha256(text.encode()).hexdigest()
    one = Opening("s", 3, "00ff")
    assert one.matches_seal(compute_commitment("00ff", "Ann", 3), "Ann")
    assert not one.matches_seal(compute_commitment("00ff", "Ann", 3), "Ben")
    for sign, seals in (("0" * 32, True), ("f" * 64, True), ("0" * 48, False), ("g" * 32, False), (7, False)):
        assert is_seal(sign) is seals


def test_every_seal_is_drawn_anew_and_may_be_forgotten():
    vault = Vault()
    first, second = (vault.seal_card("Ann", 3) for _ in range(2))
    assert first != second
    (opening,) = vault.list_openings([first, "unknown"])
    assert (opening.seal, opening.card, len(bytes.fromhex(opening.nonce))) == (first, 3, 32)
    assert opening.matches_seal(first, "Ann")
    vault.discard_seals([first, "unknown"])
    assert (first in vault, second in vault) == (False, True)
    now = vault.reseal_card(first, "Ann", 5)
    (anew,) = vault.list_openings([first])
    assert (anew.seal, anew.card, anew.matches_seal(now, "Ann"), now in vault) == (first, 5, True, False)
    assert repr(vault) == "Vault(2 (face down))"


def test_what_lay_face_down_before_a_restart_is_sealed_anew_once_it_is_kept(session, kept):
    play(session, Lay("Ann", sealed=(3,)), Lay("Ben"))
    assert session.list_closed_seals("Ann") == ()
    after = again(session, kept)
    after.commit = kept
    (seal,) = after.list_closed_seals("Ann")
    assert after.list_closed_seals("Ben") == ()
    assert not after.reseal_cards("Ann", [3, 4])
    assert not after.reseal_cards("Ben", [4])
    kept.full = True
    with pytest.raises(EntryNotSaved):
        after.reseal_cards("Ann", [3])
    assert after.list_closed_seals("Ann") == (seal,), "what is in no journal proves nothing"
    kept.full = False
    assert after.reseal_cards("Ann", [3])
    (note,) = kept[-1].notes
    assert (kept[-1].kind, note.player, note.before) == ("note", "Ann", seal)
    assert note.now != seal
    assert after.list_closed_seals("Ann") == ()
    assert after.act(Show("Ann", 4)).code == "sealed_mismatch"
    play(after, Show("Ann", 3))


@pytest.mark.parametrize("fresh", [True, False])
def test_a_seed_that_the_program_chose_is_committed_to_told_and_followed_by_another(fresh):
    seed = HiddenSeed(fresh=fresh)
    if not fresh:
        note = seed.make_due_note(over=False)
        assert seed.make_due_note(over=True) is None
        before = seed.commitment
        seed.confirm_note(note)
        assert seed.commitment == note.commitment != before
    assert seed.make_due_note(over=False) is None
    told = seed.make_due_note(over=True)
    assert (told.commitment, told.seed) == (seed.commitment, seed.reveal_seed())
    seed.confirm_note(told)
    assert seed.make_due_note(over=True) is None
    assert seed.make_due_note(over=False).commitment != told.commitment


def test_after_a_restart_another_seed_is_committed_to_once(kept):
    setup = msgspec.structs.replace(setup_of(GAME, ["Ann", "Ben"]), seed=HiddenSeed(fresh=False))
    session = Session(GAME, setup, kept)
    for _ in range(2):
        session.commit_new_seed()
    (entry,) = kept
    assert (entry.kind, entry.acts) == ("note", ())
    assert entry.notes == session.notes == (SeedCommitted(setup.seed.commitment),)
    told = setup.seed.make_due_note(over=True)
    assert [len(bytes.fromhex(one)) for one in (told.seed, told.nonce)] == [16, 32]
    play(session, Lay("Ann"))
    assert (kept[-1].notes, session.notes) == ((), ())


@pytest.mark.parametrize(
    ("note", "fields"),
    [
        (SeedCommitted("00"), {"type": "seed_committed", "commitment": "00"}),
        (SeedRevealed("a", "b"), {"type": "seed_told", "seed": "a", "nonce": "b"}),
        (
            CardResealed("Ann", "0", "1"),
            {"type": "sealed_anew", "player": "Ann", "before": "0", "now": "1"},
        ),
        (
            SeatChange("join", "", "Zoe"),
            {"type": "seated", "deed": "join", "seat": "", "name": "Zoe"},
        ),
    ],
    ids=lambda one: one.get("type") if isinstance(one, dict) else "",
)
def test_a_note_is_written_as_older_journals_have_it(note, fields):
    assert msgspec.to_builtins(note) == fields


@pytest.mark.parametrize("secret", [Vault(), HiddenSeed()], ids=["seals", "seed"])
def test_a_secret_is_not_written_anywhere(secret):
    with pytest.raises(TypeError, match=r"not written anywhere$"):
        pickle.dumps(secret)


@pytest.mark.parametrize("base", [Request, Event])
@pytest.mark.parametrize(("field", "hides"), [("sealed", True), ("opened", True), ("player", False)])
def test_a_kind_hides_cards_if_it_has_a_field_of_them(base, field, hides):
    kind = msgspec.defstruct("Kind", [(field, str)], bases=(base,), frozen=True)
    assert (base.hides_cards, kind.hides_cards) == (False, hides)
    heir = msgspec.defstruct("Heir", [("more", int)], bases=(kind,), frozen=True)
    assert heir.hides_cards is hides


def test_a_problem_is_its_message_and_an_entry_that_is_not_saved_is_in_no_doubt():
    problem = EntryNotSaved("journal.full", file="a")
    assert isinstance(problem, Problem)
    assert (str(problem), problem.text) == ("journal.full", Text("journal.full", {"file": "a"}))
    assert str(EntryNotSaved(problem.text)) == "journal.full"
    assert not problem.is_in_doubt


def test_a_long_word_is_quoted_in_part_and_a_name_that_fits_stays_what_it_is():
    def quote(name):
        return refuse("bad_players", message="people_done", player=VerbatimName(name)).text.args["player"]

    assert (quote("x" * 120), type(quote("x" * 120))) == ("x" * 120, VerbatimName)
    assert quote("x" * 121) == "x" * 120


def test_a_change_of_people_is_a_note(session, kept):
    change = SeatChange("rename", "Ann", "Anna")
    session.record_seat_change(change)
    assert (kept[-1].kind, kept[-1].acts, kept[-1].notes) == ("note", (), (change,))
    assert not session.can_undo
