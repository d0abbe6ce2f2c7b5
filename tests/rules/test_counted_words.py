"""Of one card the program says one card: every message of every catalogue, said of ones."""

import re
from pathlib import Path

import pytest

import companion
from companion.language import LANGUAGES
from companion.rules import registry
from companion.rules.contract import Text
from companion.texts import Translator

SEVERAL = {
    "en": "cards loads players designs tags sheets entries donkeys tricks pawns peeks rounds seats steps",
    "fr": "cartes charges joueurs dessins modèles étiquettes planches saisies ânes plis pions étapes",
    "de": "Karten Lasten Motive Tags Bögen Einträge Stiche Figuren Schritte Punkten",
}
HOME = Path(companion.__file__).parent
NEVER_ONE = {
    "step.deck": "a whole deck",
    "step.complete": "a whole deck",
    "step.deal": "a whole deck",
    "refusal.too_many_told": "a whole deck",
    "refusal.too_few_told": "a whole deck",
    "refusal.too_many_won": "more loads than rounds",
    "refusal.too_many_of_value": "a load of each of three players",
    "deal.aside": "the cards of a deal",
    "step.pile": "eight donkeys",
    "step.donkeys": "twenty donkeys",
    "refusal.donkey_total": "twenty donkeys",
    "event.donkey_refused": "most of three players",
    "said.hand_began": "the cards of a deal",
    "cards.deck_line": "a whole deck",
    "cards.fine": "a whole deck",
    "check.deck.ok": "a whole deck",
    "calibrate.seats": "the limits of a table",
    "refusal.player_count": "the limits of a game",
    "refusal.people_full": "the limits of a game",
    "refusal.deal_too_large": "a deal too large for the deck",
    "refusal.too_few_cards": "a whole deck",
    "enrol.several": "it is said of several",
    "enrol.photo.many": "it is said of more cards than are left",
    "event.game_won": "as many points as the target",
    "explain.won": "as many points as the target",
}


def messages(language: str, domain: str) -> dict[str, set[str]]:
    """Every message of a catalogue with what it names."""
    (file,) = HOME.rglob(f"{language}/LC_MESSAGES/{domain}.po")
    blocks = file.read_text("utf-8").split("\n\n")
    found = {}
    for block in blocks:
        if code := re.search(r'^msgid "(.+)"', block, re.M):
            found[code[1]] = set(re.findall(r"{(\w+)[:}]", block))
    return found


@pytest.mark.parametrize("domain", ["companion", *registry.list_game_ids()])
@pytest.mark.parametrize("language", LANGUAGES)
def test_no_message_says_one_of_several(language, domain):
    translator = Translator(language, None if domain == "companion" else registry.load_game(domain))
    wrong = re.compile(rf"\b1 ({SEVERAL[language].replace(' ', '|')})\b")
    said = {
        code: translator.translate(Text(code, dict.fromkeys(names, 1), 1 if "n" in names else None))
        for code, names in messages(language, domain).items()
        if code not in NEVER_ONE
    }
    assert {code: words for code, words in said.items() if wrong.search(words)} == {}
