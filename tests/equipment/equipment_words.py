"""Findings in words, for the tests of the check of the equipment."""

from companion.language import LANGUAGES
from companion.texts import Translator


def say_all(findings, game_id=None):
    """Say every finding in every language, of the cards of this game; fails where a message has no
    words or a gap."""
    said = []
    for language in LANGUAGES:
        translator = Translator.for_game(language, game_id)
        for one in findings:
            for text in (one.part, one.text):
                words = translator.translate(text)
                assert "{" not in words, text
                said.append(words)
    return said
