"""What every dialogue says and offers, menu by menu, and what its ends lead to.
`pytest tests/views --snapshot-update` renews it; read the difference."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from companion.games.donkey_valley import moves as ask
from companion.live.live_session import LiveSession
from companion.live.snapshot import ShownQuestion
from companion.plan import Plan
from companion.rules.contract import Pick, Refusal, Text
from companion.table.decks import Deck
from companion.table.zones import describe_design
from companion.texts import Translator
from companion.views.conversations import (
    Conversation,
    Dialogue,
    Menu,
    Reply,
    TextPrompt,
    prompt_for_answer,
    prompt_for_correction,
    prompt_for_entry,
    prompt_for_own_entry,
    prompt_for_people_change,
    prompt_for_plan,
    prompt_for_revision,
    prompt_for_sharing,
    prompt_for_withdrawal,
)
from companion.views.enrolment_views import (
    prompt_for_card_names,
    prompt_for_photos,
    prompt_for_sitting_outcome,
)
from companion.views.entry_options import list_awaited_players
from companion.views.table_session import NO_BACKSTAGE, Invitation, Invite, ShareSwitch
from tests.views.screens import FOUR, hands_only, middle
from tests.views.table import Characters, enter, live_session

MENUS = 26
"""Menus that are looked at in one dialogue."""


def describe_menu(menu: Menu) -> list[str]:
    lines = [f"  {tuple(one)}" for one in menu.texts]
    for row in menu.rows:
        if isinstance(row, Reply):
            marks = [one for one in (row.tone, row.whose, row.typed, row.seat or "", *row.aliases) if one]
            pick = f" {{{describe_pick(row.pick)}}}" if row.pick else ""
            lines.append(f"  {row.key}: {row.words}{pick}{f' {marks}' if marks else ''}")
        else:
            lines.append(f"  -- {tuple(row)}")
    tried = [f"{one.key}: {one.words}" for one in menu.attempts()]
    lines += [f"  tried {len(tried)}: {' | '.join(tried[:4])}"] * bool(tried)
    besides = (
        menu.ask,
        "long" if menu.long else "",
        menu.entry_turn and tuple(menu.entry_turn),
        menu.awaited,
    )
    return [*lines, *(f"  = {one}" for one in besides if one)]


def describe_pick(pick: Pick | TextPrompt) -> str:
    return (
        str(tuple(pick)) if isinstance(pick, TextPrompt) else f"{pick.least}-{pick.most} of {len(pick.cards)}"
    )


def cards_for(reply: Reply) -> tuple[str, ...] | None:
    """What is typed for a reply that needs it: the first cards, or a name."""
    if isinstance(reply.pick, Pick):
        return tuple(name for name, copies in reply.pick.cards for _ in range(copies))[: reply.pick.least]
    return ("Zoé",) if reply.pick is not None else None


def walk(begin: Callable[[], tuple[Any, ...]]) -> str:
    """Answer each menu by each of its replies, the shortest ways first; every way begins with a new
    table, since its end may change something."""
    told, ways = [], deque[tuple[int, ...]]([()])
    while ways and len(told) < MENUS:
        way = ways.popleft()
        translator, start, *table = begin()
        talk = Conversation(start)
        names = []
        for number in way:
            reply = talk.menu.replies[number]
            names.append(reply.key)
            assert talk.give_answer(reply, cards_for(reply))
        title = f"[{' '.join(names)}]"
        if talk.menu is not None:
            told.append("\n".join([title, *describe_menu(talk.menu)]))
            # of a long list the first and the last are enough
            count = len(talk.menu.replies)
            ways.extend((*way, at) for at in range(count) if at < 8 or at == count - 1)
        else:
            end = talk.outcome.text if isinstance(talk.outcome, Refusal) else talk.outcome
            told.append(f"{title} ends: {end if end is None else translator.translate(end)}")
            told += [
                f"  {translator.translate(line.text)}" for live in table for line in live.snapshot().log[-2:]
            ]
    return "\n\n".join(told) + "\n"


def at_table(
    make: Callable[[], LiveSession], dialogue: Callable[[LiveSession, Translator], Dialogue], language: str
):
    def begin():
        live = make()
        translator = Translator(language, live.game)
        return translator, lambda: dialogue(live, translator), live

    return begin


def entry_of(player: str | None):
    return lambda live, translator: prompt_for_entry(live, NO_BACKSTAGE, player, translator)


def own_entry(live: LiveSession, translator: Translator) -> Dialogue:
    return prompt_for_own_entry(live, list_awaited_players(live.snapshot())[0], translator)


def revealed() -> LiveSession:
    """A round at its decisions, which are sealed on phones."""
    live = middle("donkey_valley")
    enter(live, ask.Favour("Bob", 2), *(ask.NoFavour(name) for name in ("Chloé", "Dora", "Ann")))
    return live


def people() -> LiveSession:
    return live_session(FOUR, "partners")


def apart() -> LiveSession:
    """A round at its decisions, each of which is sealed until all have decided."""
    live = live_session(FOUR, decision_order="free")
    enter(
        live, ask.Donkey("giant"), *(ask.Load(name) for name in FOUR), *(ask.NoFavour(name) for name in FOUR)
    )
    return live


def sealed() -> LiveSession:
    live = apart()
    talk = Conversation(lambda: prompt_for_own_entry(live, "Bob", Translator("en", live.game)))
    assert talk.menu is not None
    talk.give_answer(talk.menu.replies[0])
    return live


QUESTION = ShownQuestion(1, Text("of_whom", {"who": "Ann", "what": "7?"}), "DV-1")


def share(*, shared: bool):
    def begin():
        root = "https://192.168.1.20:8640"
        invites = (
            Invite("Fernseher", f"{root}/#Kg49", "KDQX", 1),
            Invite("Ann", f"{root}/seat#1", "", 0, 1),
            Invite("Bob", f"{root}/seat#2", "BCD2", 0, 2, is_owned=True),
        )
        now = Invitation(invites, ("192.168.1.20",), address=root, waiting_codes=("FGHJ",))
        switch = ShareSwitch(lambda _network: nullcontext(lambda: now))
        if shared:
            switch.start_sharing(network=True)
        translator = Translator("de")
        return translator, lambda: prompt_for_sharing(switch, translator)

    return begin


def plan(game: str, language: str, players: Sequence[str] = ("Ann", "Bob", "Cid", "Dot")):
    def begin():
        translator = Translator(language)
        return translator, lambda: prompt_for_plan(Plan(game, tuple(players)), translator, lambda _: None)

    return begin


DECK = Deck.load_builtin("donkey_valley")
CARDS = [design.name for design in DECK.designs[:5]]


class Spread:
    """Cards that were laid out: two look alike, one is in doubt, one has no name."""

    def __init__(self) -> None:
        self.shots = CARDS

    def assign_names(self):
        return (CARDS[0], CARDS[1], None, CARDS[3], CARDS[4])

    def find_similar_pairs(self, names):
        return [(0, 1), (1, 2)]

    def find_doubtful(self, names):
        return {2: CARDS[2], 3: CARDS[3], 4: CARDS[0]}

    def list_likely_names(self, at):
        return CARDS[:3]

    def rename_card(self, names, at, name):
        return (*names[:at], name, *names[at + 1 :])

    def find_name(self, typed):
        return None if typed == "Zoé" else typed


def enrolling(dialogue: Callable[[Any, Translator], Dialogue], language: str, **album: Any):
    def begin():
        translator = Translator.for_game(language, "donkey_valley")
        enroller = SimpleNamespace(
            album=SimpleNamespace(
                deck=DECK, describe_design=lambda name: describe_design(DECK, name), **album
            ),
            store_card_views=lambda _spread, names: Text("enrol.sitting.kept"),
            undo_session=lambda: Text("enrol.sitting.kept"),
            replace_older_views=lambda: Text("enrol.sitting.kept"),
        )
        return translator, lambda: dialogue(enroller, translator)

    return begin


class Photo:
    """A photo with some cards on it; `fault`: why it is asked about."""

    picture = Text("enrol.sitting.kept")

    def __init__(self, shots: int, fault: Text | None) -> None:
        self.shots, self.fault = range(shots), fault

    def take_all(self):
        return SimpleNamespace(taken=tuple(self.shots), skipped=0)


BATCH: Any = SimpleNamespace(
    photos=[Photo(1, None), Photo(3, Text("enrol.none_known")), Photo(0, Text("enrol.none_known"))],
    order=CARDS[:3],
    usual=1,
    count_places=lambda one: len(one.shots) + 1,
    spread_cards=lambda decisions: SimpleNamespace(shots=()),
)


def photos(enroller: Any, translator: Translator) -> Dialogue:
    return prompt_for_photos(enroller, BATCH, translator, lambda *_: iter(()))


def show(_names: Any, which: Any):
    return iter([Text("enrol.pack.left_out")] * len(which))


DIALOGUES = {
    **{f"entry {game}": at_table(lambda game=game: middle(game), entry_of(None), language) for game, language in (
        ("donkey_valley", "de"), ("dtc", "fr"), ("ochs_und_esel", "de"), ("partners", "en"), ("ascend", "fr"))},
    "entry of one player": at_table(lambda: middle("donkey_valley"), entry_of("Chloé"), "en"),
    "entry of hands": at_table(hands_only, entry_of(None), "en"),
    "own entry": at_table(lambda: middle("donkey_valley"), lambda live, say: prompt_for_own_entry(live, "Bob", say), "en"),
    "own decision": at_table(revealed, own_entry, "de"),
    "decision apart": at_table(apart, lambda live, say: prompt_for_own_entry(live, "Bob", say), "en"),
    "sealed decision": at_table(sealed, lambda live, say: prompt_for_own_entry(live, "Bob", say), "de"),
    "withdrawal": at_table(lambda: middle("donkey_valley"), lambda live, say: prompt_for_withdrawal(live, "Dora", say), "en"),
    "revision": at_table(lambda: middle("donkey_valley"), lambda live, say: prompt_for_revision(live, say, "Bob"), "de"),
    "correction": at_table(lambda: middle("donkey_valley"), prompt_for_correction, "en"),
    "correction of cards": at_table(lambda: middle("ascend"), prompt_for_correction, "de"),
    "people": at_table(people, lambda live, say: prompt_for_people_change(live, say, lambda *_: None), "de"),
    "people without a voice": at_table(lambda: live_session(FOUR), prompt_for_people_change, "en"),
    "answer": at_table(lambda: middle("donkey_valley"), lambda live, say: prompt_for_answer(live, QUESTION, say), "fr"),
    "share first": share(shared=False),
    "share": share(shared=True),
    "plan": plan("ochs_und_esel", "de"),
    "plan of another game": plan("dtc", "en"),
    "plan of nobody": plan("ascend", "fr", ()),
    "names of cards": enrolling(lambda enroller, say: prompt_for_card_names(enroller, Spread(), say, show), "en"),
    "photos": enrolling(photos, "de"),
    "sitting": enrolling(prompt_for_sitting_outcome, "en", older_views=[1, 2], session_views=[1, 2, 3]),
    "first sitting": enrolling(prompt_for_sitting_outcome, "de", older_views=[], session_views=[1]),
}  # fmt: skip


@pytest.mark.parametrize("name", DIALOGUES)
def test_what_a_dialogue_says(name: str, snapshot: SnapshotAssertion) -> None:
    assert walk(DIALOGUES[name]) == snapshot(extension_class=Characters)
