"""Whole evenings in the plain view: who plays reads lines and types keys, and nothing else."""

import re

import pytest

from companion.games.partners.moves import Fold
from companion.live.live_session import LiveSession
from companion.rules.contract import GAME_OVER, Choice, Request
from companion.table.decks import Deck
from companion.table.table import Table
from companion.texts import Translator
from companion.views.plain_view import PlainView
from tests.rules.evenings import EVENINGS, ONE_OF_EACH_GAME, titled

CODE = re.compile(r"\b[a-z]+(?:[._][a-z_?0-9]+)+\b")
"""What a message id looks like."""
DRAWN = re.compile(r"[\u2190-\u2bff\U0001f000-\U0001faff]")
"""Arrows, boxes, signs and pictures: read out, they are noise."""
RANGE = re.compile(r"(\d\d) \w+ (\d\d)\b")
"""A line that stands for many numbers."""
SENTENCE = re.compile(r"[^a-zà-ÿ].*[.!?]")
"""Begins with no small letter, and ends."""
OPTION = re.compile(r"[a-z_]+ ?= ?[a-z_]+")
"""A reason may name the option that decided, as the rules pages write it."""


class Player:
    """Somebody who hears lines and types words."""

    def __init__(self, live: LiveSession, language: str) -> None:
        self.heard: list[str] = []
        self.plain = PlainView(live, Translator(language, live.game), self.heard.append)
        self.said: set[str] = set()

    def listen(self) -> list[str]:
        self.plain.poll_table(0.0)
        lines, self.heard[:] = list(self.heard), []
        self.said.update(lines)
        return lines

    def type(self, words: str) -> list[str]:
        assert self.plain.enter_line(words)
        return self.listen()


def same_act(one: Choice, wanted: Request) -> bool:
    if one.pick is None:
        return one.request == wanted
    return type(one.request) is type(wanted) and one.with_cards(getattr(wanted, one.pick.field)) == wanted


def enter(player: Player, live: LiveSession, wanted: Request) -> Request:
    """Find the line that says what is wanted, and type its key; cards are typed by the keys that
    are told."""
    translator = Translator(player.plain._translator.language, live.game)
    who = getattr(wanted, "player", None)
    wanted = Fold(who) if isinstance(wanted, Fold) else wanted  # by hand the cards are not named
    choice = min(
        (one for one in live.list_choices(who) if same_act(one, wanted)), key=lambda one: one.pick is not None
    )
    words = translator.translate(choice.label)
    one_by_one = translator("entry.one_by_one", what="")
    lines = [line.removesuffix(one_by_one) for line in player.type("")]
    if choice.parts is not None and any(
        line.endswith(translator.translate(choice.parts.label)) for line in lines
    ):
        return by_parts(player, live, translator, choice)
    if not any(line.endswith(words) for line in lines):
        seat = str(live.setup.players.index(who) + 1) if who else "0"
        lines = [line.removesuffix(one_by_one) for line in player.type(seat)]
    found = [line for line in lines if line.endswith(words) and (who is None or who in line)]
    ranges = [one for line in lines if (one := RANGE.match(line)) and one[1] <= choice.key <= one[2]]
    if ranges and not found:
        player.type(choice.key)
        return wanted
    assert found, (words, who, lines)
    if len(found) > 1:  # everybody's and the player's own
        found = [line for line in found if translator("entry.for_all", what="").strip() not in line]
    key = found[0].partition(":")[0]
    if who is not None and choice.label.args.get("player") != who:
        assert found[0].endswith(
            (translator("of_whom", who=who, what=words), translator("entry.for_all", what=words))
        )
    told = player.type(key)
    if choice.pick is not None:
        player.type(
            " ".join(
                key_in(told[-1], translator(f"card.{card}")) for card in getattr(wanted, choice.pick.field)
            )
        )
    return wanted


def by_parts(player: Player, live: LiveSession, translator: Translator, choice: Choice) -> Request:
    """Name a seven a line a pawn, by the keys that are told; then the order, if it is asked for."""
    assert choice.parts is not None
    count, lines = len(live.list_acts()), player.type(choice.parts.key)
    for words in (
        *(translator.translate(part.label) for part in choice.parts.parts),
        translator.translate(choice.label),
    ):
        if len(live.list_acts()) == count:
            [found] = [line for line in lines if line.endswith(f": {words}")]
            lines = player.type(found.partition(":")[0])
    return choice.request


def key_in(line: str, card: str) -> str:
    """The key that a line tells for a card: `3j the journey`; a number is its own."""
    found = re.search(
        rf"[:,] {card}([,.]|$)" if card.isdecimal() else rf"[:,] (\S+) {re.escape(card)}[,.]", line
    )
    assert found, (card, line)
    return card if card.isdecimal() else found[1]


ONE_EACH = [
    *ONE_OF_EACH_GAME.values(),
    *(
        pytest.param(evening, marks=pytest.mark.slow)
        for evening in EVENINGS
        if evening.setup.options.get("hands_only")
    ),
]


@pytest.mark.parametrize("evening", ONE_EACH, ids=titled)
@pytest.mark.parametrize("language", ["en", pytest.param("fr", marks=pytest.mark.slow)])
def test_an_evening_is_played_by_reading_lines_and_typing_keys(evening, language: str) -> None:
    deck = Deck.load_builtin(evening.game.id)
    live = LiveSession(evening.game, evening.setup, table=Table(deck, {}), cards=tuple(deck.card_counts))
    player, hands = Player(live, language), evening.players
    player.listen()
    while (deed := hands.next_action(live.list_acts(), live.snapshot().view)) is not None:
        count = len(live.list_acts())
        wanted = enter(player, live, deed.request)
        # Where nobody may look any more, the table goes on by itself.
        assert len(live.list_acts()) in (count + 1, count + 2), (deed.request, player.heard)
        assert live.list_acts()[count].request == wanted
    assert live.snapshot().view["phase"] == GAME_OVER
    assert not [line for line in player.said if CODE.search(OPTION.sub("", line))]
    assert not [line for line in player.said if DRAWN.search(line)]
    told = [player.plain._translator.translate(line.text) for line in live.snapshot().log]
    assert not [line for line in told if not SENTENCE.fullmatch(line)]
    player.type("")
    for words in ("?", "now", "last"):
        player.plain.enter_line(words)
        assert player.heard, words
        player.heard.clear()
