"""Each conversation once, at its generator: what is told, what can be answered, and that nothing
happens before the last answer."""

from types import SimpleNamespace
from typing import Any

from companion.games.donkey_valley import moves as ask
from companion.live.live_session import LiveSession
from companion.live.snapshot import ShownQuestion
from companion.plan import Plan
from companion.rules.contract import Choice, Pick, Text
from companion.texts import Translator
from companion.views.conversations import (
    AGREE_KEY,
    LEAVE_KEY,
    Conversation,
    Menu,
    PointsBeforeAfter,
    Reply,
    Sentence,
    find_own_act,
    prompt_for_answer,
    prompt_for_correction,
    prompt_for_plan,
)
from companion.views.entry_options import Way, enter_way, list_awaited_players, list_card_keys
from companion.views.plain_conversation import PlainConversation
from companion.views.table_session import NO_BACKSTAGE
from tests.views.table import enter, first_round, live_session

SAY = Translator.for_game("en", "donkey_valley")


def putting_right(live: LiveSession) -> Conversation:
    return Conversation(lambda: prompt_for_correction(live, SAY), lambda: live.snapshot().log)


def after_a_round() -> tuple[LiveSession, int]:
    """A round was played; the number of the act in which Bob asks for no favour."""
    live = live_session()
    first_round(live)
    return live, [act.request for act in live.list_acts()].index(ask.NoFavour("Bob"))


def give(talk: Conversation, *keys: str) -> None:
    for key in keys:
        assert talk.give_answer(_reply(talk, key)), key


def _replies(talk: Conversation) -> list[Reply]:
    assert talk.menu is not None
    return talk.menu.replies


def _reply(talk: Conversation, key: str) -> Reply:
    return next(reply for reply in _replies(talk) if reply.key == key)


def _told(talk: Conversation) -> list[object]:
    assert talk.menu is not None
    return list(talk.menu.texts)


def _words(talk: Conversation) -> str:
    return " ".join(one.words for one in _told(talk) if isinstance(one, Sentence))


def test_an_evening_is_planned_by_its_game_its_players_and_its_options() -> None:
    chosen: list[Plan] = []
    talk = Conversation(lambda: prompt_for_plan(Plan(clock=30), SAY, chosen.append))
    give(talk, "b")
    assert "players" in _words(talk), "it cannot begin by nobody, and says so"
    give(talk, "g")
    give(talk, next(one.key for one in _replies(talk) if one.words == "Ochs & Esel"))
    assert talk.give_answer(_reply(talk, "p"), ("Ann,  Bob , Chloé,",))
    assert "Ann, Bob, Chloé" in _reply(talk, "p").words
    ox = next(one for one in _replies(talk) if getattr(one.value, "name", "") == "ox")
    give(talk, ox.key, "2")
    deal, rounds = (one.key for one in _replies(talk) if one.key != "p" and one.pick is not None)
    assert talk.give_answer(_reply(talk, deal), ("11",))
    assert talk.give_answer(_reply(talk, rounds), ("two",))
    give(talk, "b")
    assert "two" in _words(talk)
    assert chosen == []
    assert talk.give_answer(_reply(talk, rounds), ("2",))
    give(talk, "b")
    assert talk.menu is None
    options = {"ox": True, "deal": 11, "rounds": 2}
    assert chosen == [Plan("ochs_und_esel", ("Ann", "Bob", "Chloé"), options=options, clock=30)]


def test_acts_stand_under_their_rounds_and_what_was_taken_back_is_only_read() -> None:
    live, _ = after_a_round()
    live.undo()
    talk = putting_right(live)
    assert talk.menu is not None
    assert talk.menu.long
    assert next(row.words for row in talk.menu.rows if isinstance(row, Sentence)).startswith("Round 1")
    assert [row.tone for row in talk.menu.rows if isinstance(row, Sentence)][-1] == "past"
    assert [reply.key for reply in _replies(talk)] == [str(at + 1) for at in range(len(live.list_acts()))]


def test_only_what_no_longer_fits_is_asked_again_and_nothing_happens_before_the_last_answer() -> None:
    live, bob = after_a_round()
    acts, talk = live.list_acts(), putting_right(live)
    give(talk, str(bob + 1), "6")
    assert any("limit" in reply.words for reply in _replies(talk))
    give(talk, "-")
    assert isinstance(_told(talk)[-1], PointsBeforeAfter)
    assert live.list_acts() == acts
    give(talk, AGREE_KEY)
    assert talk.menu is None
    assert talk.outcome is None
    assert live.list_acts()[bob].request == ask.Favour("Bob", 6)


def test_one_answer_is_taken_back_or_all_since_the_list_of_acts() -> None:
    live, bob = after_a_round()
    talk = putting_right(live)
    give(talk, str(bob + 1), "6", "-")
    assert talk.take_back_answer()
    assert len(talk.answers) == 2
    assert talk.return_to_list()
    assert talk.menu is not None
    assert talk.menu.long
    assert not talk.return_to_list()
    assert not talk.take_back_answer()


def test_an_act_that_cannot_be_says_why_and_can_be_chosen_again() -> None:
    live, _ = after_a_round()
    at = [act.request for act in live.list_acts()].index(ask.Reveal("Ann", (7,)))
    live.draft_correction = lambda at, request, insert=False: LiveSession.draft_correction(  # type: ignore[method-assign]
        live, at, ask.Reveal("Ann", (7, 7, 7)) if request is not None else None, insert=insert
    )
    talk = putting_right(live)
    give(talk, str(at + 1))
    before = _words(talk)
    give(talk, next(reply.key for reply in _replies(talk) if reply.pick is None))
    assert any(isinstance(one, Sentence) and one.tone == "bad" for one in _told(talk))
    assert before in _words(talk)


def test_the_table_goes_on_meanwhile_and_what_is_offered_still_holds() -> None:
    live, bob = after_a_round()
    talk = putting_right(live)
    give(talk, str(bob + 1))
    live.submit_request(ask.Donkey("normal"))
    give(talk, "6", "-")  # nothing that was read has changed
    live.undo()
    live.undo()  # the last card turned up: who wins is another
    agreed = _reply(talk, AGREE_KEY)
    assert not talk.give_answer(agreed)
    assert len(talk.answers) < 4
    assert [act.request for act in live.list_acts()][bob] == ask.NoFavour("Bob")


def test_what_is_no_longer_offered_is_not_answered() -> None:
    live, _ = after_a_round()
    talk = putting_right(live)
    last = _reply(talk, str(len(live.list_acts())))
    live.undo()
    assert not talk.give_answer(last)
    assert talk.answers == []


def test_what_one_entered_can_be_taken_back_until_the_others_have_gone_on() -> None:
    live = live_session()
    enter(live, ask.Donkey("giant"), ask.Load("Ann"))
    opened = []
    for request in (ask.Load("Bob"), ask.Load("Chloé"), ask.NoFavour("Ann"), ask.Favour("Bob", 6)):
        enter(live, request)
        own = find_own_act(live, "Ann")
        assert own is not None
        opened.append(own.open)
    assert opened == [True, False, True, False]


def test_after_peeking_the_entry_before_it_stays() -> None:
    live = live_session()
    enter(
        live,
        ask.Donkey("double"),
        *(ask.Load(player, 2) for player in live.setup.players),
        *(ask.Favour(player, card) for player, card in (("Ann", 10), ("Bob", 2), ("Chloé", 2))),
        ask.Peek("Ann", ("Chloé",)),
        ask.PeeksDone(),
    )
    own = find_own_act(live, "Ann")
    assert own is not None
    assert not own.open


def test_letters_that_a_television_shows_are_typed_in_any_case() -> None:
    taken = []

    def converse():
        taken.append((yield Menu([], [Reply(key, key, key) for key in ("KDQX", "MPRT", "a", "A")])))

    for typed in ("kdqx", "Mprt", "a", "A"):
        PlainConversation(Conversation(converse), SAY, lambda _line: None).handle_line(typed)
    assert taken == ["KDQX", "MPRT", "a", "A"]


def test_what_everybody_does_is_done_once_by_each_though_all_stay_awaited() -> None:
    view = {"phase": "favours", "waiting_for": [{"player": name} for name in ("Ann", "Bob")]}
    made: list[Any] = []
    live: Any = SimpleNamespace(
        snapshot=lambda: SimpleNamespace(view=view),
        list_choices=lambda name: [Choice(Text("answer.no"), ask.NoFavour(name))],
        submit_request=made.append,
    )
    assert enter_way(live, NO_BACKSTAGE, Way("N", None, live.list_choices("Ann")[0], for_all=True)) is None
    assert made == [ask.NoFavour("Ann"), ask.NoFavour("Bob")]


def test_nobody_is_awaited_where_the_table_is() -> None:
    assert list_awaited_players(live_session().snapshot()) == []


def test_a_question_is_answered_by_its_choice_or_left() -> None:
    live = live_session()
    answered: list[tuple[int, int | None]] = []
    live.answer_question = lambda number, choice: answered.append((number, choice))  # type: ignore[method-assign]
    choices = (Choice(Text("answer.no"), ask.PeeksDone(), "n"), Choice(Text("answer.yes"), ask.PeeksDone()))
    question = ShownQuestion(7, Text("doubt.foreign_card", {"card": "x"}), None, choices)
    for key in ("n", "1", LEAVE_KEY):
        talk = Conversation(lambda: prompt_for_answer(live, question, SAY))
        give(talk, key)
        assert talk.menu is None
    assert answered == [(7, 0), (7, 1), (7, None)]


def test_what_is_said_after_a_line_that_was_typed_too_late_and_after_cards() -> None:
    """Another menu than the one that was read is not answered; nothing is left of a line of
    cards."""
    told, news = list[str](), ["Ann plays"]
    pick = Pick((("4", 1), ("10", 1), ("7", 1)), 1, 2)

    def converse():
        yield Menu([Sentence(news[0])], [Reply("c", "cards", lambda cards: cards, pick=pick)])
        yield Menu([Sentence("and then?")], [Reply("a", "all", None)])

    talk = Conversation(converse, lambda: news[0])
    plain = PlainConversation(talk, SAY, told.append)
    news[0] = "Bob plays"
    plain.handle_line("c 4 7")
    assert told == [SAY("share.moved_on"), "Bob plays", "c: cards"]
    told.clear()
    plain.handle_line("c 4 7")
    assert told == ["and then?", "a: all"]
    assert list_card_keys(pick) == ["4", "1", "7"]
