"""Words: the catalogues of all languages fill the same placeholders, every code in the sources has
English words, and names cannot break a sentence."""

import gettext
import re
import string
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

import companion
from companion import texts
from companion.language import LANGUAGES
from companion.rules import registry
from companion.rules.contract import Text, refuse
from companion.rules.session import Session
from companion.texts import COMMON, Translator, clean_text, show_unfilled, show_unknown
from tests.rules.codes import list_unfilled, without_words
from tests.rules.evenings import evenings_of
from tools.build_catalogues import compile_catalogues, list_missing_messages

HOME = Path(companion.__file__).parent
DOMAINS = sorted(path.stem for path in HOME.rglob("en/LC_MESSAGES/*.po"))
MESSAGES = [domain for domain in DOMAINS if not domain.endswith("help")]
FRENCH = sorted(path.stem for path in HOME.rglob("fr/LC_MESSAGES/*.po"))


def catalogue(domain, language):
    (file,) = HOME.rglob(f"{language}/LC_MESSAGES/{domain}.po")
    with file.open("rb") as source:
        return {
            message.id if isinstance(message.id, str) else message.id[0]: message
            for message in read_po(source)
            if message.id
        }


def forms(message):
    return message.string if isinstance(message.string, tuple) else (message.string,)


def fields(words):
    return {name for _, name, _, _ in string.Formatter().parse(words) if name}


def sources_of(domain):
    """The modules beside a catalogue, without those that have a catalogue of their own."""
    folders = {name: next(HOME.rglob(f"en/LC_MESSAGES/{name}.po")).parents[3] for name in MESSAGES}
    others = {folder for folder in folders.values() if folders[domain] in folder.parents}
    return [path for path in folders[domain].rglob("*.py") if not others & {*path.parents}]


@pytest.mark.parametrize("language", sorted({*LANGUAGES} - {"en"}))
@pytest.mark.parametrize("domain", DOMAINS)
def test_all_languages_fill_the_same_placeholders(domain, language):
    """What a language lacks is read in English; what English lacks would be read as a code."""
    english, translated = catalogue(domain, "en"), catalogue(domain, language)
    assert translated.keys() <= english.keys()
    for code, message in english.items():
        assert all(forms(message)), code
        assert "{}" not in "".join(forms(message)), code
    for code, other in translated.items():
        if not all(forms(other)):
            continue
        message = english[code]
        assert len(forms(message)) == len(forms(other)), code
        wanted = set().union(*map(fields, forms(message)))
        assert set().union(*map(fields, forms(other))) == wanted, code
        assert "{}" not in "".join(forms(other)), code


@pytest.mark.parametrize("domain", DOMAINS)
def test_french_is_french_and_well_set(domain):
    for code, message in catalogue(domain, "fr").items():
        for words in forms(message):
            assert not re.search(r"\w[!?;]", words), f"{code}: a space before the mark"
            assert words == words.strip(), code
            if domain in registry.list_game_ids():
                assert "'" not in words, f"{code}: ’ is French for '"
                assert not re.search(r"\b(de|que) {(player|owner|partner|name|to_beat|offer)\b", words), (
                    f"{code}: {{player:de}} elides"
                )


@pytest.mark.parametrize("domain", FRENCH)
def test_no_line_breaks_before_a_french_mark_or_inside_its_quotes(domain):
    """The space before : ; ! ? » and after « is U+00A0, except before a key named after a mark."""
    for code, message in catalogue(domain, "fr").items():
        for words in forms(message):
            assert not re.search(r"(?<![:;!?]) [:;!?»]|« ", words), code


@pytest.mark.parametrize("game_id", registry.list_game_ids())
def test_every_code_in_a_game_s_sources_has_words(game_id):
    known = {**catalogue(COMMON, "en"), **catalogue(game_id, "en")}
    sources = [HOME / "rules" / "claims.py", *(HOME / "games" / game_id).rglob("*.py")]
    assert not without_words(sources, known)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game_id", registry.list_game_ids())
def test_what_is_printed_or_dealt_takes_its_numbers_from_the_rules(game_id, language):
    """An option that changes a number must not leave the old one in a sentence about the set-up, on
    a printed summary, or about a donkey's effect."""
    many = Translator(language)("number.words").split()[3:]
    number = re.compile(rf"\d|\b({'|'.join(many)})\b", re.IGNORECASE)
    places = re.compile(r"(?m)^\d  |\{[^}]*\}")  # the numbers of the steps, and the placeholders
    written = {
        code: message.string
        for code, message in catalogue(game_id, language).items()
        if re.match(r"step\.(?!summaries)|print\.summary\.|effect\.|event\.(dealt|shuffled)", code)
        if number.search(places.sub("", str(message.string)))
    }
    assert written == {}


def placeholders(*domains):
    """Those of each message, in any language; a message of a later domain replaces the same one of
    an earlier."""
    found = {}
    for domain in domains:
        own = {}
        for language in LANGUAGES:
            for code, message in catalogue(domain, language).items():
                own.setdefault(code, set()).update(*map(fields, forms(message)))
        found |= own
    return found


@pytest.mark.parametrize("domain", MESSAGES)
def test_every_message_that_is_made_has_its_placeholders_filled(domain):
    """At a table, the sentence would be shown with its braces."""
    wanted = placeholders(*dict.fromkeys((COMMON, domain)))
    unfilled = {path.name: found for path in sources_of(domain) if (found := list_unfilled(path, wanted))}
    assert unfilled == {}


def test_an_unfilled_placeholder_is_found(tmp_path):
    source = tmp_path / "moves.py"
    source.write_text(
        'Text("event.accepted", {"owner": 1})\n'
        'refuse("could_play", "PA-6", count=2)\n'
        'Text("event.accepted", words)\n'
        'refuse("bad_request", message="could_play", **words)\n'
        'translator("event.accepted", player="Ann")\n'
    )
    known = {"event.accepted": {"player"}, "refusal.could_play": {"card"}}
    assert list_unfilled(source, known) == ["1 event.accepted player", "2 refusal.could_play card"]


def test_every_code_of_the_engine_has_words():
    sources = [*(HOME / "rules").glob("*.py"), HOME / "referee.py", HOME / "texts.py"]
    assert not without_words(sources, catalogue(COMMON, "en"))


def test_every_code_of_the_league_has_words():
    known = {**catalogue(COMMON, "en"), **catalogue("league", "en"), **catalogue("league_help", "en")}
    assert not {code for code in without_words(sources_of("league"), known) if code.startswith("league.")}


@pytest.fixture
def donkeys():
    return Translator("en", registry.load_game("donkey_valley"))


def test_a_sentence_takes_words_inside_words(donkeys):
    cards = tuple(Text("card", {"owner": name, "value": 3}) for name in ("Ann", "Ben", "Cid"))
    assert (
        donkeys("report.removed.attacked", 3, cards=cards)
        == "The highest loads were removed: Ann's 3, Ben's 3 and Cid's 3."
    )


def test_plural_forms_follow_the_language(donkeys):
    french = Translator("fr", donkeys.game)
    assert donkeys("event.load_played", 1, player="Ann", count=1) == "Ann has played."
    assert donkeys("event.load_played", 2, player="Ann", count=2) == "Ann has played two loads."
    assert french("choice.load", 0, count=0) == "Jouer une charge"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("domain", MESSAGES)
def test_a_message_with_plural_forms_has_words_without_a_number_by_every_python(
    domain, language, monkeypatch
):
    """Python 3.11.2's `gettext` does not look among plural forms, that of 3.12 does."""
    monkeypatch.setattr(
        gettext.GNUTranslations, "gettext", lambda self, message: self._catalog.get(message, message)
    )
    monkeypatch.setattr(texts, "show_unfilled", lambda text, template, error: template)
    monkeypatch.setattr(texts, "show_unknown", show_unknown)
    say = Translator.for_game(language, domain)
    counted = [code for code, message in catalogue(domain, language).items() if len(forms(message)) > 1]
    assert [code for code in counted if say(code) == code] == []


def test_a_number_for_a_message_without_plural_harms_nothing(donkeys):
    assert donkeys("donkey.giant", 3) == "giant donkey"


def test_what_no_catalogue_knows_is_shown_as_its_code(donkeys, monkeypatch):
    monkeypatch.setattr(texts, "show_unknown", show_unknown)
    assert donkeys("no.such.code", player="Ann") == "no.such.code"
    assert donkeys("no.such.code", 2) == "no.such.code"


@pytest.fixture
def expected(message_faults):
    """Take the failures of a test's messages as what is wanted."""
    yield message_faults
    message_faults.clear()


def test_what_no_catalogue_knows_fails_in_every_other_test(donkeys, expected):
    with pytest.raises(AssertionError, match=r"no\.such\.code"):
        donkeys("no.such.code")
    assert len(expected) == 1


def test_a_missing_argument_shows_the_sentence_as_it_is(donkeys, monkeypatch):
    monkeypatch.setattr(texts, "show_unfilled", show_unfilled)
    assert donkeys("event.accepted") == "{player} accepts."


def test_a_missing_argument_fails_in_every_other_test(donkeys, expected):
    with pytest.raises(AssertionError, match=r"event\.accepted"):
        donkeys("event.accepted")


def test_a_message_that_the_program_makes_fails_though_nobody_shows_it(expected):
    with pytest.raises(AssertionError, match=r"no catalogue has 'refusal\.no_such_reason'"):
        refuse("no_such_reason")
    with pytest.raises(AssertionError, match=r"'refusal\.card_spent' .* lacks"):
        refuse("card_spent", "DV-50", value=7)


def test_an_unknown_language_falls_back_to_english():
    assert Translator("xx").language == "en"
    assert {*LANGUAGES} >= {"en", "fr", "de"}


@pytest.mark.parametrize("name", ["{player}", "{0}", "{player.__class__}", "{", "%s", "\\N{BULLET}"])
def test_braces_in_a_name_are_only_braces(donkeys, name):
    assert donkeys("event.accepted", player=name) == f"{name} accepts."


def test_control_characters_and_direction_marks_are_not_shown(donkeys):
    assert donkeys("event.accepted", player="A\u202enn\x1b[31m\n\u200f") == "Ann[31m accepts."
    assert clean_text("עדי\u200f") == "עדי"


def test_long_names_are_cut_with_an_ellipsis():
    assert clean_text("x" * 40, 10) == "x" * 9 + "…"
    assert clean_text("x" * 10, 10) == "x" * 10
    assert clean_text("abc", 1) == "…"
    assert clean_text("abc", 0) == ""


@pytest.fixture
def own_messages(monkeypatch, tmp_path):
    """Write messages of a test's own, by language, in the place of the common ones."""

    def write(**languages):
        for language, messages in languages.items():
            folder = tmp_path / language / "LC_MESSAGES"
            folder.mkdir(parents=True)
            (folder / f"{COMMON}.po").write_text(
                "\n\n".join(f'msgid "{code}"\nmsgstr "{words}"' for code, words in messages.items())
            )
        compile_catalogues(tmp_path)
        monkeypatch.setattr(texts, "LOCALE", tmp_path)
        return tmp_path

    return write


def test_a_message_that_is_not_translated_yet_is_read_in_english_and_listed(own_messages):
    folder = own_messages(en={"one": "One", "two": "Two"}, fr={"one": "Un", "two": ""})
    assert (Translator("fr")("one"), Translator("fr")("two")) == ("Un", "Two")
    (gap,) = list_missing_messages(folder)
    assert gap.endswith("fr/LC_MESSAGES/companion.po: two")


def test_what_english_lacks_is_listed_too(own_messages):
    (gap,) = list_missing_messages(own_messages(en={"one": "One"}, fr={"one": "Un", "two": "Deux"}))
    assert gap.endswith("en/LC_MESSAGES/companion.po: two")


@pytest.mark.parametrize(
    ("player", "words"),
    [
        ("Ann", "la main d’Ann"),
        ("Bob", "la main de Bob"),
        ("Élise", "la main d’Élise"),
        ("Hélène", "la main d’Hélène"),
        ("Hans", "la main de Hans"),
        ("Yves", "la main d’Yves"),
        ("Yann", "la main de Yann"),
        (("Ann", "Bob"), "la main d’Ann et de Bob"),
        (3, "la main de 3"),
        ("", "la main de "),
    ],
)
def test_french_elides_before_a_vowel(own_messages, player, words):
    own_messages(fr={"hand": "la main {player:de}", "list.and": "{first} et {last}"})
    assert Translator("fr").translate(Text("hand", {"player": player})) == words


def test_french_elides_before_what_a_player_is_called_by_now(own_messages):
    own_messages(fr={"than": "plus {player:que}"})
    french = Translator("fr").with_names({"Bob": "Ann"})
    assert french.translate(Text("than", {"player": "Bob"})) == "plus qu’Ann"
    assert french("than", player="Bob") == "plus que Bob"


def test_numbers_up_to_twelve_are_words_where_a_sentence_wants_them():
    numbers = [Translator(language).format_argument for language in ("en", "fr", "de")]
    assert [number(3, "word") for number in numbers] == ["three", "trois", "drei"]
    assert [number(12, "word") for number in numbers] == ["twelve", "douze", "zwölf"]
    assert {number(13, "word") for number in numbers} == {"13"}
    assert {number(-1, "word") for number in numbers} == {"-1"}


def test_a_form_that_does_not_exist_fails(own_messages, expected):
    own_messages(en={"hand": "the hand {player:of}"})
    with pytest.raises(AssertionError, match="hand"):
        Translator("en")("hand", player="Ann")


@pytest.mark.parametrize("language", sorted({*LANGUAGES} - {"en", "fr"}))
def test_a_further_language_is_its_folder_of_catalogues_and_nothing_else(language):
    """No source names it; what is left over is English, so that a gap is read and not guessed."""
    named = [
        path for path in HOME.rglob("*.py") if re.search(rf"['\"]{language}['\"]", path.read_text("utf-8"))
    ]
    assert named == []
    for domain in DOMAINS:
        own, english = catalogue(domain, language), catalogue(domain, "en")
        same = [code for code, message in own.items() if forms(message) == forms(english[code])]
        sentences = [
            code
            for code in same
            if len(re.findall(r"[a-zA-Z]{3,}", re.sub(r"\{\w+\}", "", forms(own[code])[0]))) > 2
        ]
        assert sentences == [], "English sentences that were not translated"


CLAUSES = {
    "ascend": "exchange AS-2, play AS-4, hands AS-22, game_over AS-21",
    "donkey_valley": "donkey DV-10, loads DV-11, favours DV-12, peeks DV-14, decisions DV-15, "
    "adjustments DV-16, reveal DV-17, claims DV-20, told DV-24, game_over DV-22",
    "dtc": "offer DTC-3, answer DTC-5, reveal DTC-7, told DTC-11, game_over DTC-10",
    "ochs_und_esel": "lead OE-4, follow OE-4, hands OE-9, game_over OE-9",
    "partners": "exchange PA-5, play PA-7, told PA-19, game_over PA-18",
}


@pytest.mark.parametrize("game_id", CLAUSES)
def test_the_clause_that_says_what_is_done_in_each_phase(game_id):
    """A seat's rules page opens there."""
    evening = evenings_of(game_id)[0]
    found, session = evening.game.clauses, Session(evening.game, evening.setup)
    assert ", ".join(f"{phase} {clause}" for phase, clause in found.items()) == CLAUSES[game_id]
    for _ in range(3):
        assert session.view()["phase"] in found
        session.act(evening.players.next_action(session.list_acts(), session.view()).request)
