"""The words typed in the plain view: everybody's own language, and English everywhere."""

from fractions import Fraction

import pytest

from companion.games.donkey_valley import moves as ask
from companion.language import LANGUAGES
from companion.live.live_session import LiveSession
from companion.rules.contract import Reason, Text
from companion.rules.people import DEEDS
from companion.texts import VULGAR_FRACTIONS, Translator
from companion.views.conversations import AGREE_KEY
from companion.views.plain_view import PlainView, describe_reason
from companion.views.plain_words import COMMANDS, translate_command, translate_to_english_command
from tests.views.table import enter, first_round, live_session, played_out

HELP = {"en": "help", "fr": "aide", "de": "hilfe"}


def plain_of(live: LiveSession, language: str) -> tuple[PlainView, list[str]]:
    heard: list[str] = []
    plain = PlainView(live, Translator(language, live.game), heard.append)
    plain.poll_table(0.0)
    heard.clear()
    return plain, heard


@pytest.mark.parametrize("language", LANGUAGES)
def test_help_tells_every_word_in_the_players_language_and_each_means_one_thing(language: str) -> None:
    translator = Translator(language)
    plain, heard = plain_of(live_session(), language)
    plain.enter_line(HELP[language])
    own = [translate_command(english, translator) for english in COMMANDS]
    assert not [one for one in own if one not in heard[-1]]
    assert len({one.casefold() for one in own}) == len(own)
    for english in (*COMMANDS, AGREE_KEY):
        words = COMMANDS if english in COMMANDS else (AGREE_KEY,)
        assert translate_to_english_command(english, translator, words) == english
        assert (
            translate_to_english_command(translate_command(english, translator).upper(), translator, words)
            == english
        )


@pytest.mark.parametrize("language", LANGUAGES)
def test_when_the_game_is_over_another_begins_by_a_word_that_is_told(language: str) -> None:
    begun: list[str] = []
    for live, told_by in ((live_session(), "again"), (played_out(("Ann", "Bob", "Cy"), "dtc"), "")):
        say, heard = Translator(language, live.game), []
        plain = PlainView(live, say, heard.append, next_game=lambda: begun.append("another"))
        plain.poll_table(0.0)
        assert not begun
        assert plain.enter_line(translate_command(told_by, say) if told_by else "")
        assert translate_command("again", say) in heard[-1]
        plain.enter_line(translate_command("again", say))
    assert begun == ["another"]


def test_accents_that_a_keyboard_lacks_may_be_left_out_or_spelt_out() -> None:
    translator = Translator("de")
    assert {
        translate_to_english_command(typed, translator)
        for typed in ("zurück", "zuru\u0308ck", "zuruck", "ZURUECK")
    } == {"undo"}
    assert translate_to_english_command("Zürich", translator) == "Zürich"


@pytest.mark.parametrize(
    ("language", "undo", "redo", "correct", "yes"),
    [
        ("fr", "annuler", "rétablir", "corriger", "oui"),
        ("de", "zurück", "wieder", "korrigieren", "ja"),
        ("de", "undo", "redo", "correct", "yes"),
    ],
)
def test_an_evening_is_put_right_in_ones_own_words(language, undo, redo, correct, yes) -> None:
    live = live_session()
    enter(live, ask.Donkey("giant"), ask.Load("Ann"))
    plain, _ = plain_of(live, language)
    plain.enter_line(undo)
    assert len(live.list_acts()) == 1
    plain.enter_line(redo)
    assert len(live.list_acts()) == 2
    live.confirm_moves()
    for typed in (correct, "2", "-", yes):
        plain.enter_line(typed)
    assert len(live.list_acts()) == 1


@pytest.mark.parametrize(
    ("language", "now", "last", "why", "pause", "quit_"),
    [
        ("fr", "maintenant", "dernier", "pourquoi", "pause", "quitter"),
        ("de", "jetzt", "letztes", "warum", "pause", "ende"),
    ],
)
def test_what_is_asked_is_answered_and_a_pause_names_the_word_that_ends_it(
    language, now, last, why, pause, quit_
) -> None:
    live = live_session()
    first_round(live)
    plain, heard = plain_of(live, language)
    for typed, said in ((now, "Ann 7, Bob 5, Chloé 0. "), (last, "(DV-"), (why, "Ann")):
        heard.clear()
        plain.enter_line(typed)
        assert any(said in line for line in heard), (typed, heard)
    plain.enter_line(pause)
    go = translate_command("go", Translator(language))
    assert live.snapshot().paused
    assert go in heard[-1]
    plain.enter_line(go)
    assert not live.snapshot().paused
    assert not plain.enter_line(quit_)


@pytest.mark.parametrize(
    ("language", "people", "rename", "join"),
    [
        ("fr", "joueurs", "renommer", "arriver"),
        ("de", "leute", "umbenennen", "dazu"),
        ("de", "people", "rename", "join"),
    ],
)
def test_people_come_and_go_in_ones_own_words(language, people, rename, join) -> None:
    live = live_session()
    plain, heard = plain_of(live, language)
    plain.enter_line(people)
    if people != "people":
        assert not [line for line in heard if "stand_in" in line or "rename" in line]
    plain.enter_line(f"2 {rename} Bobby")
    assert live.snapshot().people.display_names == {"Bob": "Bobby"}
    plain.enter_line(people)
    plain.enter_line(f"{join} Zoé")
    assert live.snapshot().people.next_players[-1] == "Zoé"


@pytest.mark.parametrize("language", LANGUAGES)
def test_whatever_people_do_has_one_word_and_the_example_is_one_that_can_be_typed(language: str) -> None:
    say, live = Translator(language), live_session()
    plain, heard = plain_of(live, language)
    own = [translate_command(deed, say) for deed in DEEDS]
    assert not [one for one in own if one.startswith("plain.word")]
    assert len({one.casefold() for one in own}) == len(own)
    plain.enter_line("people")
    plain.enter_line("2")
    example = f"{translate_command('rename', say)} "
    assert f" {example}" in heard[-1]
    plain.enter_line(f"{example}Bobby")
    assert live.snapshot().people.display_names == {"Bob": "Bobby"}


def test_a_worth_that_the_sentence_says_is_not_said_again() -> None:
    live = live_session()
    first_round(live)
    plain, heard = plain_of(live, "en")
    plain.enter_line("why")
    [ann] = [line for line in heard if line.startswith("Ann: ")]
    assert "wins their own 7. (" in ann


@pytest.mark.parametrize(
    ("sentence", "points", "said"),
    [
        ("Round 7, double donkey: Ann wins their own 3 and their own 4.", 7, " Points: 7. (DV-18)"),
        ("Round 7, giant donkey: Ann wins their own 7.", 7, "own 7. (DV-18)"),
        ("Hand 1: 42 (option: 7).", 7, " Points: 7. (DV-18)"),
        ("☑ Deal the hands: 7", 7, "Done: Deal the hands: 7 (DV-18)"),
        ("☐ Deal the hands: 7", 7, "Deal the hands: 7 (DV-18)"),
        *((f"Ann: {sign}.", Fraction(*parts), f"Ann: {sign}. (DV-18)") for parts, sign in VULGAR_FRACTIONS.items()),
        ("Ann: -2½.", Fraction(-5, 2), "Ann: -2½. (DV-18)"),
        ("Ann: -2½.", Fraction(1, 2), " Points: ½. (DV-18)"),
        ("Ann: 7 1/5.", Fraction(36, 5), "Ann: 7 1/5. (DV-18)"),
        ("Ann: 7 1/5.", Fraction(7), " Points: 7. (DV-18)"),
    ],
)  # fmt: skip
def test_only_a_worth_that_no_sentence_says_is_said_with_its_word(
    sentence: str, points: int | Fraction, said: str
) -> None:
    """The box of a step is no word."""
    reason = Reason(Text("live.act", {"do": sentence}), ("DV-18",), points)
    assert describe_reason(reason, Translator("en"), with_points=True).endswith(said)


def test_corrections_are_listed_by_round_with_what_each_brought() -> None:
    live = live_session()
    first_round(live)
    enter(live, ask.Donkey("normal"), ask.Load("Bob"))
    plain, heard = plain_of(live, "en")
    plain.enter_line("correct")
    rounds = [line for line in heard if line.startswith("Round ")]
    assert rounds == ["Round 1: Ann 7, Bob 5.", "Round 2."]
    assert heard[heard.index("Round 2.") + 1].startswith(f"{len(live.list_acts()) - 1}: ")
    plain, heard = plain_of(live, "fr")
    plain.enter_line("corriger")
    assert "Manche 1 : Ann 7, Bob 5." in heard
