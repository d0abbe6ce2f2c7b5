"""The plain view: an evening told line by line, and typed in word by word."""

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from companion.games.ascend import moves as ascend
from companion.games.donkey_valley import moves as ask
from companion.games.dtc import moves as dtc
from companion.language import LANGUAGES
from companion.live.live_session import LiveSession
from companion.live.snapshot import CardMove, FollowerStatus, ShownQuestion, Snapshot
from companion.rules.contract import Chance, Choice, Text, refuse
from companion.table.sightings import Battery, Health
from companion.texts import Translator
from companion.views.announcements import Speaker
from companion.views.page_state import build_state
from companion.views.plain_view import PlainView, describe_news
from companion.views.victory import describe_victory
from tests.views.table import SEVEN, THREE, Heard, enter, first_round, live_session, played_out
from tests.views.test_parts_drawn import MOVES


class Told:
    """A plain view whose lines are kept."""

    def __init__(self, live: LiveSession) -> None:
        self.lines: list[str] = []
        self.plain = PlainView(live, Translator("en", live.game), self.lines.append)

    def look(self) -> list[str]:
        """What is said new."""
        self.lines.clear()
        self.plain.poll_table(0.0)
        return list(self.lines)

    def type(self, words: str) -> bool:
        self.lines.clear()
        return self.plain.enter_line(words)


def test_what_happens_is_told_once() -> None:
    live = live_session()
    told = Told(live)
    assert "Turn up the next donkey" in told.look()[-1]
    enter(live, ask.Donkey("giant"))
    assert any("giant" in line for line in told.look())
    assert told.look() == []


def test_what_was_taken_back_is_said_to_count_no_longer() -> None:
    live = live_session()
    told = Told(live)
    enter(live, ask.Donkey("giant"), ask.Load("Ann"))
    told.look()
    told.type("undo")
    struck = told.look()
    assert "No longer counts: Ann has played." in struck
    told.type("redo")
    assert "Ann has played." in told.look()


def test_an_undo_rereads_no_earlier_result() -> None:
    live = live_session()
    told = Told(live)
    first_round(live)
    told.look()
    enter(live, ask.Donkey("giant"), *(ask.Load(one) for one in THREE))
    told.look()
    told.type("undo")
    assert not any("Round 1" in line for line in told.look())
    players = live.setup.players[1:] + live.setup.players[:1]
    enter(live, ask.Load(live.snapshot().view["waiting_for"][0]["player"]))
    enter(live, *(ask.NoFavour(one) for one in players), *(ask.Decide(one, True) for one in players))
    enter(live, *(ask.Reveal(one, (8,)) for one in players))
    assert any("Round 2" in line for line in told.look())
    told.type("undo")
    assert not any("Round 1" in line or "Round 2" in line for line in told.look()[1:])


def test_dozens_of_numbers_are_listed_as_one_range() -> None:
    live = live_session(SEVEN[:3], "dtc", hands_only=True)
    told = Told(live)
    told.look()
    told.type("")
    ranges = [line for line in told.lines if line.startswith("00 to 66: ")]
    assert ranges == ["00 to 66: from “Ann has 0 cards at the end” to “Ann has 66 cards at the end”"]
    assert len(told.lines) < 8


def test_what_may_be_inserted_in_a_correction_is_listed_by_seats_and_in_ranges() -> None:
    live = live_session(SEVEN[:3], "dtc", hands_only=True)
    enter(live, *(dtc.Count(player, 22) for player in SEVEN[:3]))
    told = Told(live)
    told.look()
    told.type("correct")
    told.type("1")
    ranges = [line for line in told.lines if line.startswith("i200 to i266: ")]
    assert ranges == [
        "i200 to i266: from “Insert before it: Bob has 0 cards at the end” to “Insert before it: Bob has 66 cards at the end”"
    ]
    assert len(told.lines) < 8


def test_a_result_that_is_told_player_by_player_is_not_repeated() -> None:
    live = live_session(("Ann", "Bob", "Cy", "Dan"), "partners", hands_only=True)
    told = Told(live)
    told.look()
    lines = []
    for pawns in "2424":
        told.type(pawns)
        lines += told.look()
    named = [line.partition(" has ")[0] for line in lines if " has " in line]
    assert named == ["Ann", "Bob", "Cy", "Dan"]


def test_numbers_on_cards_are_listed_once() -> None:
    live = live_session(THREE, hands_only=True)
    told = Told(live)
    told.look()
    told.type("w")
    assert "by spaces: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10." in told.lines[-1]


@pytest.mark.parametrize("typed", ["3 4", "5 4"])
def test_keys_typed_with_a_space_are_answered_with_what_they_mean_without_it(typed: str) -> None:
    live = live_session(THREE, "dtc")
    told = Told(live)
    told.look()
    told.type(typed)
    keys, number = typed.replace(" ", ""), {"3": "three", "5": "five"}[typed[0]]
    assert f"Without the space, {keys} is: Ann: {number} 4s." in told.lines[-1]
    assert not live.list_acts()


@pytest.mark.parametrize("typed", ["3 3 j", "5 3 3", "r 3 3 j"])
def test_cards_that_were_turned_up_are_typed_as_they_lie(typed: str) -> None:
    live = live_session(THREE, "dtc")
    enter(live, dtc.Offer("Ann", 3, 3), dtc.Challenge("Bob"))
    told = Told(live)
    told.look()
    told.type(typed)
    cards = tuple({"j": "joker"}.get(one, one) for one in typed.removeprefix("r ").split())
    assert live.list_acts()[-1].request == dtc.Reveal(cards)


def test_french_elides_before_an_offer() -> None:
    live = live_session(THREE, "dtc")
    enter(live, dtc.Offer("Ann", 1, 3), dtc.Accept("Bob"))
    assert "mieux qu’un 3" in Translator("fr", live.game).translate(live.snapshot().awaited)


@pytest.mark.parametrize(
    ("again", "entered"),
    [
        ("3 10", ask.ScoreLoads("Ann", (3, 10))),
        ("w 3 10", ask.ScoreLoads("Ann", (3, 10))),
        ("n", ask.ScoreLoads("Ann", ())),
        ("Chloé", None),
        ("undo", None),
        ("rubbish", None),
    ],
)
def test_after_cards_that_fit_nothing_the_whole_entry_or_something_else_is_typed(again, entered) -> None:
    live = live_session(THREE, hands_only=True)
    told = Told(live)
    told.look()
    told.type("w 3 11")
    assert told.lines[0].startswith("3 11 doesn't fit here")
    told.type(again)
    assert [act.request for act in live.list_acts()] == ([] if entered is None else [entered])
    assert any("fit here" in line for line in told.lines) == (again == "rubbish")
    if again == "Chloé":
        assert "w: The loads that Chloé has won" in told.lines


@pytest.mark.parametrize("language", LANGUAGES)
def test_in_ascend_the_suits_to_follow_are_told_in_every_view(language: str) -> None:
    live = live_session(SEVEN[:3], "ascend")
    enter(live, ascend.Exchanged(), ascend.Play(live.setup.players[0], ("journey",)))
    translator = Translator(language, live.game)
    suits = [translator(f"suit.{suit}") for suit in ("moons", "waves")]
    snapshot = live.snapshot()
    shown = build_state(snapshot, translator)
    for words in (*describe_news(None, snapshot, translator),)[-1], shown["awaited"], shown["meaning"]:
        assert all(suit in words for suit in suits), words


def test_what_only_tells_is_told_while_something_is_asked_and_the_question_stands() -> None:
    live = live_session()
    told = Told(live)
    enter(live, ask.Donkey("giant"), ask.Load("Ann"))
    told.look()
    told.type("correct")
    menu = list(told.lines)
    for words in ("now", "?", "last", "why"):
        told.type(words)
        assert told.lines[-len(menu) :] == menu
        assert not any("doesn't fit here" in line for line in told.lines)
    told.type("rubbish")
    assert told.lines[0] == "rubbish doesn't fit here; an empty line cancels."
    told.type("1")
    assert told.lines != menu


def test_after_an_undo_and_something_else_only_the_new_line_is_told() -> None:
    live = live_session()
    told = Told(live)
    enter(live, ask.Donkey("giant"))
    told.look()
    live.undo()
    enter(live, ask.Donkey("puny"))
    lines = told.look()
    assert sum(line.startswith("No longer counts: ") for line in lines) == 1
    assert any("puny" in line for line in lines)


def test_cards_that_only_keys_told_of_are_listed_for_whoever_asks() -> None:
    live = live_session()
    told = Told(live)
    first_round(live)
    told.look()
    live.undo()
    assert not any("then type moved" in line for line in told.look())
    told.type("moved")
    assert any("put it face up in front of" in line for line in told.lines)
    told.type("moved")
    assert not any("put it face up in front of" in line for line in told.lines)


def test_cards_that_a_reader_saw_are_listed_until_somebody_types_moved() -> None:
    live = live_session()
    before = live.snapshot()
    asked = msgspec.structs.replace(before, moves=(CardMove("donkey:giant", "middle", None),))
    lines = list(describe_news(before, asked, Translator("en", live.game)))
    assert [line.count("then type moved") for line in lines] == [1, 0]
    assert "giant" in lines[1]


class StorageFault:
    """A session whose next snapshot says that something is wrong."""

    def __init__(self, live: LiveSession) -> None:
        self._live = live
        self.changes: dict[str, object] = {}

    def subscribe(self, heard: Callable[[Snapshot], object]) -> None:
        self._heard = heard

    def change(self, **changes: object) -> None:
        self.changes |= changes
        self._heard(self.snapshot())

    def __getattr__(self, name: str) -> object:
        return getattr(self._live, name)

    def snapshot(self) -> Snapshot:
        before = self._live.snapshot()
        return msgspec.structs.replace(before, number=before.number + len(self.changes), **self.changes)


def test_a_notice_a_full_disk_and_a_lost_camera_are_told_once() -> None:
    host = StorageFault(live_session())
    told = Told(host)  # type: ignore[arg-type]
    told.look()
    full = Text("journal.folder", {"file": "/tmp"})
    host.change(keeping=full)
    assert told.look() == ["/tmp is a folder: name a file for the journal."]
    host.change(notice=Text("live.held"))
    assert len(told.look()) == 1
    lost = Health("camera", "lost", Text("reader.camera.no_film", {"file": "a.mp4"}), 0.0)
    host.change(health=(lost,))
    assert len(told.look()) == 1
    assert told.look() == []
    host.change(health=(Health("camera", "off", Text("reader.camera.ended", {"device": "a.mp4"}), 0.0),))
    assert told.look() == ["a.mp4 has ended. Go on with the keyboard, or choose another reader."]


def test_a_phone_that_runs_out_is_told_once_and_one_that_is_charged_is_not() -> None:
    live = live_session()
    told = Told(live)
    told.look()
    charged = Text("reader.camera.ok_battery", {"device": "phone", "width": 1280, "height": 720, "level": 90})
    low = Text("reader.camera.battery_low", {"level": 12})
    live.post_report(Health("camera", "ok", charged, 0.0, Battery(90, charging=False)))
    assert told.look() == []
    live.post_report(Health("camera", "ok", low, 1.0, Battery(12, charging=False)))
    assert told.look() == ["The phone's battery is at 12 %: plug it in before its camera turns off."]
    assert told.look() == []


def test_enter_lists_and_a_key_of_the_list_chooses() -> None:
    live = live_session()
    told = Told(live)
    told.type("")
    key = next(line for line in told.lines if "iant" in line).partition(":")[0]
    assert told.type(key)
    assert live.snapshot().view["donkey"] == "giant"


def test_words_that_mean_nothing_are_answered_and_change_nothing() -> None:
    live = live_session()
    told = Told(live)
    for words in ("xyzzy", "\x1b[31m", "9" * 500, "\u202eevil"):
        assert told.type(words)
        assert told.lines
        assert "\x1b" not in told.lines[-1]
        assert "\u202e" not in told.lines[-1]
    assert live.list_acts() == []
    assert not told.type("quit")


def test_a_refusal_is_told_with_its_clause() -> None:
    live = live_session()
    told = Told(live)
    enter(live, ask.Donkey("normal"), *(ask.Load(name) for name in THREE))
    told.look()
    live.submit_request(ask.Favour("Ann", 3))
    assert any("(DV-12)" in line for line in told.look())


def test_why_gives_the_reasons_with_their_clauses() -> None:
    live = live_session()
    first_round(live)
    told = Told(live)
    told.type("why")
    assert any(line.startswith("Ann: ") and "(DV-" in line for line in told.lines)


def at_decisions() -> LiveSession:
    """A round of three players in which all loads lie and nobody asks a favour."""
    live = live_session()
    enter(live, ask.Donkey("normal"), *(ask.Load(name) for name in THREE))
    enter(live, *(ask.NoFavour(name) for name in THREE))
    return live


def test_every_line_of_the_list_names_its_player_and_its_key_is_the_cards_own() -> None:
    live = at_decisions()
    enter(live, *(ask.Decide(name, True) for name in THREE))
    told = Told(live)
    told.look()
    told.type("")
    ann = [line for line in told.lines if ": Ann: " in line]
    assert any(line.startswith("7: ") and "7" in line[3:] for line in ann)
    assert told.lines[-1].startswith("Others to act: 2 Bob")
    told.type("2 7")
    assert live.list_acts()[-1].request == ask.Reveal("Bob", (7,))
    told.type("chloé")
    assert all(": Chloé: " in line for line in told.lines[:-1])


def test_one_key_enters_for_everybody_what_all_do_alike() -> None:
    live = live_session()
    enter(live, ask.Donkey("normal"))
    told = Told(live)
    for typed in ("*", "N", "A"):
        told.type(typed)
        told.look()
    assert [type(act.request).__name__ for act in live.list_acts()[1:]] == [
        *["Load"] * 3,
        *["NoFavour"] * 3,
        *["Decide"] * 3,
    ]
    assert live.snapshot().view["phase"] == "reveal"


def test_after_a_seat_a_name_is_no_other_seat() -> None:
    live = at_decisions()
    told = Told(live)
    told.look()
    told.type("1 bob")
    assert told.lines[0].startswith("bob can't be entered here.")


def test_everybody_does_what_was_chosen_for_all() -> None:
    live = at_decisions()
    told = Told(live)
    told.look()
    told.type("R")
    assert [act.request for act in live.list_acts()[7:]] == [ask.Decide(name, accept=False) for name in THREE]


def test_a_correction_asks_again_only_what_no_longer_fits_and_changes_nothing_before_yes() -> None:
    live = live_session()
    first_round(live)
    bob = next(number for number, act in enumerate(live.list_acts()) if act.request == ask.NoFavour("Bob"))
    acts, told = live.list_acts(), Told(live)
    told.look()
    told.type("correct")
    told.type(str(bob + 1))
    told.type("6")  # Bob had spent the favour 6
    assert any("raises" in line or "limit" in line for line in told.lines), told.lines
    assert live.list_acts() == acts
    told.type("+")
    assert any(line.startswith("Ann: ") and " before, " in line for line in told.lines)
    assert live.list_acts() == acts
    told.type("yes")
    assert len(live.list_acts()) == len(acts) + 1
    assert live.list_acts()[bob].request == ask.Favour("Bob", 6)


def test_before_the_first_entry_nothing_can_be_corrected() -> None:
    told = Told(live_session())
    told.look()
    assert told.type("correct")
    assert told.lines == ["There is nothing to correct yet."]
    told.type("giant")
    assert "doesn't fit here" not in "".join(told.lines)


def test_an_empty_line_leaves_a_correction_and_everything_stays() -> None:
    live = live_session()
    first_round(live)
    acts, told = live.list_acts(), Told(live)
    told.look()
    for words in ("correct", "1", "-", ""):
        told.type(words)
    assert live.list_acts() == acts
    assert told.type("why")
    assert told.lines


def test_a_question_is_told_with_its_answers_and_a_key_answers_it() -> None:
    host = StorageFault(live_session())
    told = Told(host)  # type: ignore[arg-type]
    told.look()
    question = ShownQuestion(
        7, Text("doubt.foreign_card", {"card": "x"}), None, (Choice(Text("answer.no"), ask.PeeksDone()),)
    )
    host.change(questions=(question,))
    lines = told.look()
    assert lines[0].startswith("? ")
    assert lines[1].startswith("1: ")
    answered: list[tuple[int, int | None]] = []
    host.answer_question = lambda number, choice: answered.append((number, choice))  # type: ignore[attr-defined]
    told.type("1")
    host.change(notice=None)
    assert told.look() == lines, "it is still asked"
    told.type("")
    assert answered == [(7, 0), (7, None)], "an empty line leaves it"


def test_what_is_news_is_spoken_too_until_somebody_types_mute() -> None:
    live, spoken = live_session(), Heard()
    plain = PlainView(live, Translator("en", live.game), lambda line: None, speaker=Speaker(spoken))
    plain.poll_table(0.0)
    enter(live, ask.Donkey("giant"))
    plain.poll_table(0.0)
    assert "giant" in spoken[-1]
    plain.enter_line("mute")
    enter(live, ask.Load("Ann"))
    plain.poll_table(0.0)
    assert spoken[-1] == "(silence)"


def test_points_are_told_when_they_change_and_at_any_time_with_who_must_act_and_the_last_result():
    live, heard = live_session(), list[str]()
    plain = PlainView(live, Translator("en", live.game), heard.append)
    plain.poll_table(0.0)
    heard.clear()
    enter(live, ask.Donkey("giant"), ask.Load("Ann"))
    plain.poll_table(0.0)
    assert not [line for line in heard if line.startswith("Ann 0, Bob 0, Chloé 0.")]
    plain.enter_line("now")
    assert heard[-1].startswith("Ann 0, Bob 0, Chloé 0. ")
    assert "Bob" in heard[-1]
    live.undo()
    live.undo()
    first_round(live)
    plain.poll_table(0.0)
    assert [line for line in heard if line.startswith("Ann 7, Bob 5, Chloé 0.")]
    heard.clear()
    plain.enter_line("last")
    assert any("Round 1" in line for line in heard)
    heard.clear()
    plain.enter_line("?")
    assert "quit" in heard[-1]


def test_a_deck_that_cannot_be_counted_is_said_to_be_so() -> None:
    live = live_session()
    told = Told(live)
    enter(live, ask.Donkey("giant"))
    told.look()
    told.type("count")
    assert told.lines == ["The deck can only be counted before the first entry, and by a camera or a reader."]


def test_a_reader_that_was_lost_is_said_to_be_back() -> None:
    live = live_session()
    told = Told(live)
    there = Text("reader.rfid.ok", {"reader": "rfid"}, 7)
    live.post_report(Health("rfid", "ok", there, 0.0))
    told.look()
    live.post_report(Health("rfid", "lost", Text("reader.rfid.unplugged", {"port": "/dev/ttyUSB0"}), 1.0))
    assert "was unplugged" in told.look()[-1]
    live.post_report(Health("rfid", "ok", there, 2.0))
    assert told.look() == ["Counts again: rfid: 7 pads."]
    live.post_report(Health("rfid", "ok", there, 3.0))
    assert told.look() == []
    live.post_report(Health("rfid", "lost", Text("reader.rfid.unplugged", {"port": "/dev/ttyUSB0"}), 4.0))
    live.post_report(Health("rfid", "look", Text("reader.rfid.look", {"reader": "rfid"}), 5.0))
    assert "was disconnected for a moment" in told.look()[-1]
    live.post_report(Health("rfid", "ok", there, 6.0))
    assert told.look() == ["Counts again: rfid: 7 pads."]


def test_the_end_of_a_game_tells_the_points_and_what_decided_although_the_last_act_changed_none() -> None:
    live = played_out(THREE)
    told = Told(live)
    live.undo()
    told.look()
    live.redo()
    lines = told.look()
    points = {row["name"]: row["points"] for row in live.snapshot().view["players"]}
    assert any(all(f"{name} {worth}" in line for name, worth in points.items()) for line in lines)
    victory = describe_victory(live.snapshot().view, live.snapshot().rounds, Translator("en", live.game))
    assert victory.remarks
    assert lines[-1] == f"{victory.headline} {'. '.join(victory.remarks)}."


def test_one_card_is_asked_for_as_one() -> None:
    live = live_session(THREE, "dtc")
    enter(live, dtc.Offer("Ann", 1, 4), dtc.Challenge("Bob"))
    told = Told(live)
    told.look()
    told.type("r")
    assert "Type one of these cards: 1, 2," in told.lines[-1]
    assert "card by card" not in told.lines[-1]


def test_each_entry_that_may_be_corrected_is_listed_with_its_number() -> None:
    live = played_out(("Ann", "Bob", "Cy", "Dan"), "partners")
    told = Told(live)
    told.look()
    told.type("correct")
    numbers = [line.partition(":")[0] for line in told.lines[:-1]]
    assert numbers == [str(number) for number in range(1, len(live.list_acts()) + 1)]


LOST, FINE = (
    Text("reader.camera.cannot_open", {"device": "0"}),
    Text("reader.camera.starting", {"device": "0"}),
)
NEWS: dict[str, dict[str, Any]] = {
    **{
        state: {"health": (Health("camera 0", state, LOST, 0.0, sense="camera"),)}
        for state in ("lost", "look", "off")
    },
    "follower": {"followers": (FollowerStatus(LOST, LOST, "fault"),)},
    "notice": {"notice": Text("live.held")},
    "keeping": {"keeping": Text("page.no_journal")},
    "awaited": {"awaited": Text("choose.over")},
    "odds": {"odds": Chance("odds.overloaded", 1, 4)},
    "moves": {"moves": MOVES},
    "refused": {"refusal": refuse("not_a_favour", "DV-12", value=3, favours=(2, 4))},
}


@pytest.mark.parametrize("name", NEWS)
def test_whatever_changes_is_told_once_and_nothing_else(name: str) -> None:
    live = live_session()
    first_round(live)
    before, say = live.snapshot(), Translator("en", live.game)
    after = msgspec.structs.replace(before, **NEWS[name])
    told, anew = (list(describe_news(one, after, say)) for one in (before, None))
    assert len(told) == (4 if name == "moves" else 1)
    assert " ".join(told) in " ".join(anew)
    assert list(describe_news(after, after, say)) == []
    well = msgspec.structs.replace(before, health=(Health("camera 0", "ok", FINE, 0.0, sense="camera"),))
    back = say("plain.back", what=FINE)
    assert (back in describe_news(after, well, say)) is (name in ("lost", "look"))
