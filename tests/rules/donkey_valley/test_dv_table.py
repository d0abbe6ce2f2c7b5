"""What the readers' claims mean in Donkey Valley, and what else the table sees of a game: layout,
menus, the clock's default."""

import pytest
from msgspec.structs import replace

from companion.games.donkey_valley import GAME
from companion.games.donkey_valley import moves as rq
from companion.games.donkey_valley.cards import DONKEYS, Card
from companion.rules.contract import Claim, Doubt, Proposal, Refusal
from companion.rules.session import Session
from companion.texts import Translator
from tests.rules.talk import setup_of

ANN, BEN, CID = "Ann", "Ben", "Cid"
COLOURS = {"red": 1, "blue": 2, "green": 3}


class Table:
    """A session, and claims in short: `up("load:red:7", 1)`, `down(2)`, `press("accept", 3)`."""

    def __init__(self, **options):
        self.session = Session(GAME, setup_of(GAME, [ANN, BEN, CID], **options))
        self.number = 0

    def do(self, *requests):
        for request in requests:
            assert not isinstance(self.session.act(request), Refusal), request

    def claim(self, what, zone, face="up", owner=None):
        self.number += 1
        return Claim(self.number, what, zone, face, owner)

    def up(self, card, seat=None):
        colour = card.split(":")[1] if ":" in card else ""
        zone = f"seat:{seat}" if seat else "middle"
        return self.claim(card, zone, owner=seat if colour == "any" else COLOURS.get(colour))

    def down(self, seat):
        return self.claim(None, f"seat:{seat}", "down", seat)

    def press(self, button, seat):
        return self.claim(f"button:{button}", f"seat:{seat}", owner=seat)

    def read(self, *claims):
        return GAME.interpret_claims(self.session.state, claims)

    def meant(self, *claims):
        """The requests that are proposed, all else being absent."""
        readings = self.read(*claims)
        assert all(isinstance(reading, Proposal) for reading in readings), readings
        return [reading.request for reading in readings]

    def doubts(self, *claims):
        readings = self.read(*claims)
        assert all(isinstance(reading, Doubt) for reading in readings), readings
        return [(doubt.text.code, doubt.about) for doubt in readings]

    def loaded(self, kind="normal", count=1):
        self.do(rq.Donkey(kind), *(rq.Load(name, count) for name in (ANN, BEN, CID)))

    def to_reveal(self, kind="normal", accept=(True, True, True), count=1, **favours):
        self.loaded(kind, count)
        for name in (ANN, BEN, CID):
            card = favours.get(name)
            self.do(rq.Favour(name, card) if card else rq.NoFavour(name))
        self.do(*(rq.Decide(name, yes) for name, yes in zip((ANN, BEN, CID), accept, strict=True)))


@pytest.fixture
def table():
    return Table()


def test_a_donkey_in_the_middle_is_revealed_and_one_elsewhere_is_not(table):
    assert table.meant(table.up("donkey:giant")) == [rq.Donkey("giant")]
    assert table.meant(table.up("donkey:giant", 2), table.down(1), table.up("load:red:3", 1)) == []


def test_two_new_donkeys_at_once_are_asked_about(table):
    assert table.doubts(table.up("donkey:giant"), table.up("donkey:puny")) == [
        ("doubt.several_donkeys", (1, 2))
    ]


@pytest.mark.parametrize(
    "card", ["dtc:4", "oe:joker", "load:red:11", "donkey:zebra", "7S", "contract:red:maybe"]
)
def test_cards_of_other_games_are_asked_about(table, card):
    assert table.doubts(table.up(card, 1)) == [("doubt.foreign_card", (1,))]


def test_a_foreign_card_among_ours_is_asked_about_and_counts_as_no_load(table):
    table.to_reveal("double", count=2)
    three, foreign = table.up("load:red:3", 1), table.up("load:red:11", 1)
    assert table.doubts(three, foreign) == [("doubt.foreign_card", (2,))]
    [doubt, proposal] = table.read(three, foreign, table.up("load:red:4", 1))
    assert doubt.about == (2,)
    assert proposal == Proposal(rq.Reveal(ANN, (3, 4)), (1, 3))


def test_a_colour_that_nobody_plays_is_asked_about(table):
    for card in ("load:yellow:3", "contract:black:accept"):
        assert [code for code, _ in table.doubts(table.up(card, 1))] == ["doubt.unknown_owner"]


def test_the_first_player_card_and_summaries_mean_nothing(table):
    assert table.read(table.up("first_player", 1), table.up("summary:en", 2)) == []


def test_a_card_laid_face_down_is_that_seats_load(table):
    table.do(rq.Donkey("normal"))
    assert table.meant(table.down(2), table.down(3)) == [rq.Load(BEN), rq.Load(CID)]
    table.do(rq.Load(BEN))
    assert table.meant(table.down(2), table.up("load:red:7", 1)) == []


def test_on_a_double_two_loads_count_at_once_and_one_grows_when_all_have_laid(table):
    table.do(rq.Donkey("double"))
    one, two, three, more = table.down(1), table.down(2), table.down(3), table.down(1)
    assert table.read(one, two) == []
    assert table.meant(one, two, more) == [rq.Load(ANN, 2)]
    readings = table.read(one, two, three)
    assert [reading.growing for reading in readings] == [True] * 3
    assert [reading.request.count for reading in readings] == [1] * 3
    [pressed] = table.read(one, table.press("accept", 1))
    assert (pressed.request, pressed.growing, pressed.used) == (rq.Load(ANN, 1), False, (1, 5))


def test_with_double_loads_must_two_cards_are_waited_for():
    table = Table(double_loads="must")
    table.do(rq.Donkey("double"))
    one, two, three = table.down(1), table.down(2), table.down(3)
    assert table.read(one, two, three) == []
    assert table.meant(one, two, three, table.down(2)) == [rq.Load(BEN, 2)]


def test_a_difficult_donkey_wants_the_first_load_face_up_and_the_next_down(table):
    table.do(rq.Donkey("difficult"))
    assert table.meant(table.down(1), table.down(2)) == []
    assert table.meant(table.up("load:red:4", 1)) == [rq.Load(ANN, 1, (4,))]
    table.do(rq.Load(ANN, 1, (4,)))
    assert table.meant(table.up("load:red:4", 1), table.down(2), table.up("load:green:2", 3)) == [
        rq.Load(BEN)
    ]


def test_a_spent_load_shown_again_is_asked_about(table):
    table.to_reveal()
    table.do(rq.Reveal(ANN, (4,)), rq.Reveal(BEN, (4,)), rq.Reveal(CID, (4,)))
    table.loaded()
    assert table.doubts(table.up("load:blue:4", 2)) == [("doubt.card_spent", (1,))]
    assert table.read(table.up("load:red:4", 1)) == []


def test_an_even_load_turned_up_in_turn_is_a_favour_and_the_refuse_button_is_none(table):
    table.loaded()
    assert table.meant(table.up("load:red:8", 1), table.up("load:blue:6", 2)) == [rq.Favour(ANN, 8)]
    assert table.meant(table.up("load:any:8", 1)) == [rq.Favour(ANN, 8)]
    assert table.meant(table.up("load:red:7", 1), table.up("contract:red:refuse", 1)) == []
    assert table.meant(table.press("refuse", 1), table.press("refuse", 2)) == [rq.NoFavour(ANN)]


def test_contract_cards_and_buttons_decide_in_turn(table):
    table.loaded("hurried")
    assert table.meant(table.up("contract:blue:accept", 2)) == []
    assert table.meant(table.up("contract:red:refuse", 1), table.up("contract:blue:accept", 2)) == [
        rq.Decide(ANN, False)
    ]
    assert table.meant(table.up("contract:any:accept", 1)) == [rq.Decide(ANN, True)]
    assert table.meant(table.press("accept", 1)) == [rq.Decide(ANN, True)]
    both = [table.up("contract:red:refuse", 1), table.press("accept", 1)]
    assert [code for code, _ in table.doubts(*both)] == ["doubt.both_answers"]


def test_free_decisions_are_read_from_all_seats():
    table = Table(decision_order="free")
    table.loaded("hurried")
    claims = [table.up("contract:green:refuse", 3), table.up("contract:blue:accept", 2)]
    assert table.meant(*claims) == [rq.Decide(BEN, True), rq.Decide(CID, False)]


@pytest.mark.parametrize("order", ["free", "in_turn"])
def test_who_decides_at_one_moment(order):
    """DV-15: nobody before the decisions; then all but the player of favour 2, who comes last."""
    table = Table(decision_order=order)
    told = []
    table.do(rq.Donkey("normal"))
    told.append(GAME.simultaneous_players(table.session.state))
    table.do(*(rq.Load(name) for name in (ANN, BEN, CID)), rq.NoFavour(ANN), rq.Favour(BEN, 2))
    told.append(GAME.simultaneous_players(table.session.state))
    table.do(rq.NoFavour(CID))
    told.append(GAME.simultaneous_players(table.session.state))
    table.do(rq.Decide(ANN, True))
    told.append(GAME.simultaneous_players(table.session.state))
    assert told == ([(), (), [ANN, CID], [CID]] if order == "free" else [(), (), (), ()])


def test_favour_four_is_a_new_card_at_the_seat_or_the_refuse_button(table):
    table.to_reveal(Ann=4)
    assert table.meant(table.down(2)) == []
    assert table.meant(table.down(1)) == [rq.SwapLoad(ANN, True)]
    assert table.meant(table.press("refuse", 1)) == [rq.SwapLoad(ANN, False)]


def test_favour_four_on_a_face_up_load_reads_the_new_value(table):
    table.do(rq.Donkey("difficult"), rq.Load(ANN, 1, (9,)), rq.Load(BEN), rq.Load(CID, 1, (1,)))
    table.do(rq.Favour(ANN, 4), rq.NoFavour(BEN), rq.NoFavour(CID))
    table.do(*(rq.Decide(name, True) for name in (ANN, BEN, CID)))
    assert table.meant(table.up("load:red:9", 1), table.up("load:red:4", 1)) == []
    assert table.meant(table.up("load:red:2", 1)) == [rq.SwapLoad(ANN, True, 2)]


def test_all_loads_of_a_player_turned_up_are_the_reveal(table):
    table.to_reveal("double", count=2)
    seven = table.up("load:red:7", 1)
    assert table.meant(seven) == []
    assert table.meant(seven, table.up("load:red:2", 1), table.up("load:blue:9")) == [rq.Reveal(ANN, (7, 2))]
    three = [table.up(f"load:red:{value}", 1) for value in (1, 2, 3)]
    assert [code for code, _ in table.doubts(*three)] == ["doubt.too_many_loads"]


def test_a_load_at_somebody_elses_seat_is_no_reveal(table):
    table.to_reveal()
    assert table.meant(table.up("load:red:7", 2)) == []
    assert table.meant(table.up("load:any:7", 2)) == [rq.Reveal(BEN, (7,))]


def test_an_exchanged_load_lies_before_its_new_holder(table):
    table.to_reveal(Ann=8)
    table.do(rq.Reveal(ANN, (2,)), rq.Reveal(BEN, (9,)), rq.Reveal(CID, (1,)))
    theirs, mine = table.up("load:blue:9", 1), table.up("load:red:2", 2)
    [waiting] = table.read(theirs)
    assert waiting.growing
    assert waiting.request == rq.Exchange(ANN, BEN, None, 9)
    assert table.meant(theirs, mine) == [rq.Exchange(ANN, BEN, 2, 9)]
    assert table.meant(table.press("refuse", 1)) == [rq.Exchange(ANN, None)]


def test_loads_that_are_drawn_are_shown_at_the_drawers_seat():
    table = Table(draws="table")
    table.to_reveal(accept=(False, False, True), Ann=8)
    table.do(rq.Reveal(ANN, (10,)), rq.Reveal(BEN, (9,)), rq.Reveal(CID, (9,)))
    assert table.meant(table.up("load:blue:9", 1)) == [rq.Choose(ANN, Card(BEN, 9))]
    assert table.meant(table.press("refuse", 1)) == [rq.Choose(ANN, None)]
    table.do(rq.Choose(ANN, None))
    assert table.meant(table.up("load:green:9", 1)) == [rq.Draw(ANN, Card(CID, 9))]
    assert table.meant(table.up("load:any:10", 1)) == [rq.Draw(ANN, Card(ANN, 10))]
    assert table.meant(table.up("load:any:9", 1)) == [], (
        "with cards that belong to seats, nobody sees whose nine it was"
    )
    assert table.meant(table.up("load:green:9", 2), table.up("load:green:3", 1)) == []


def test_where_the_real_cards_should_lie(table):
    table.to_reveal("normal", (True, True, False), Ann=8)
    table.do(rq.Reveal(ANN, (2,)))
    assert GAME.layout_cards(table.session.state) == {
        "pile": ("donkey:?",) * 7,
        "middle": ("donkey:normal",),
        "seat:1 up": ("contract:Ann:accept", "first_player", "load:Ann:2", "load:Ann:8"),
        "seat:2 up": ("contract:Ben:accept",),
        "seat:2 down": ("load:Ben:?",),
        "seat:3 up": ("contract:Cid:refuse",),
        "seat:3 down": ("load:Cid:?",),
    }
    table.do(rq.Reveal(BEN, (3,)), rq.Reveal(CID, (1,)), rq.Exchange(ANN, BEN))
    assert GAME.layout_cards(table.session.state) == {
        "pile": ("donkey:?",) * 7,
        "seat:1 won": ("load:Ben:3",),
        "seat:2 up": ("first_player",),
        "seat:2 won": ("load:Ann:2",),
    }
    table.loaded("lost")
    assert GAME.layout_cards(table.session.state)["aside"] == (
        "donkey:lost",
        "load:Ann:?",
        "load:Ben:?",
        "load:Cid:?",
    )


def test_when_time_is_up(table):
    harmless = lambda: GAME.default_request(table.session.state)  # noqa: E731
    assert harmless() is None
    table.do(rq.Donkey("holed"))
    assert harmless() is None
    table.do(*(rq.Load(name) for name in (ANN, BEN, CID)))
    assert harmless() == rq.NoFavour(ANN)
    table.do(rq.Favour(ANN, 4), rq.Favour(BEN, 6), rq.Favour(CID, 8))
    assert harmless() == rq.PeeksDone()
    table.do(rq.PeeksDone())
    assert harmless() == rq.Decide(ANN, False)
    table.do(*(rq.Decide(name, True) for name in (ANN, BEN, CID)))
    assert harmless() == rq.SwapLoad(ANN, False)
    table.do(rq.SwapLoad(ANN, False))
    assert harmless() == rq.Adjust(BEN, 0)
    table.do(rq.Adjust(BEN, 0))
    assert harmless() is None
    table.do(*(rq.Reveal(name, (1,)) for name in (ANN, BEN, CID)))
    assert harmless() == rq.Exchange(CID, None)


def test_everything_can_be_typed_in_two_keys(table):
    def keys(player):
        return {choice.key: choice.request for choice in GAME.list_choices(table.session.state, player)}

    assert len(keys(None)) == 13  # and one to let the companion draw
    assert keys(None)["k"] == rq.Donkey("hand_picked")
    table.do(rq.Donkey("double"), *(rq.Load(name, 2) for name in (ANN, BEN, CID)))
    assert keys(ANN)["0"] == rq.Favour(ANN, 10)
    table.do(rq.NoFavour(ANN), rq.NoFavour(BEN), rq.Favour(CID, 2))
    assert keys(BEN) == {}
    assert keys(ANN) == {"a": rq.Decide(ANN, True), "r": rq.Decide(ANN, False)}
    table.do(*(rq.Decide(name, True) for name in (ANN, BEN, CID)))
    assert keys(ANN)["30"] == rq.Reveal(ANN, (3, 10))
    assert len(keys(ANN)) == 45
    assert len(keys(CID)) == 36


def test_the_keys_of_what_favours_bring(table):
    def keys(player):
        return {choice.key: choice.request for choice in GAME.list_choices(table.session.state, player)}

    table.loaded()
    table.do(rq.Favour(ANN, 10), rq.Favour(BEN, 6), rq.Favour(CID, 4))
    assert keys(ANN) == {"2": rq.Peek(ANN, (BEN,)), "3": rq.Peek(ANN, (CID,))}
    assert keys(None) == {"d": rq.PeeksDone()}
    table.do(rq.PeeksDone(), *(rq.Decide(name, True) for name in (ANN, BEN, CID)))
    assert keys(BEN) == {"+": rq.Adjust(BEN, 2), "-": rq.Adjust(BEN, -2), "n": rq.Adjust(BEN, 0)}
    table.do(rq.Adjust(BEN, 0))
    assert keys(CID) == {"s": rq.SwapLoad(CID, swap=True), "n": rq.SwapLoad(CID, swap=False)}


def test_what_the_referee_is_told_that_no_list_can_hold(table):
    """Turn by turn, of Ann: the fields that are open, of how many values, and how many at once."""

    def told():
        return [
            (one.request, {name: (of.of, of.least, of.most) for name, of in one.free.items()})
            for one in GAME.list_legal(table.session.state, ANN).open
        ]

    ten = tuple(range(1, 11))
    [(donkey, free)] = told()
    assert (donkey, set(free["type"][0])) == (rq.Donkey(""), set(DONKEYS))
    table.do(rq.Donkey("double"))
    assert told() == [(rq.Load(ANN, count), {"sealed": (ten, count, count)}) for count in (1, 2)]
    table.do(*(rq.Load(name, 2) for name in (ANN, BEN, CID)))
    table.do(rq.Favour(ANN, 10), rq.NoFavour(BEN), rq.NoFavour(CID))
    assert told() == [(rq.Peek(ANN, ()), {"at": ((BEN, BEN, CID, CID), 1, 3)})]
    table.do(rq.Peek(ANN, (BEN,)))
    assert told() == [(rq.Peek(ANN, ()), {"at": ((BEN, CID, CID), 1, 2)})]
    table.do(rq.PeeksDone(), *(rq.Decide(name, True) for name in (ANN, BEN, CID)))
    left = tuple(value for value in ten if value != 10)
    assert told() == [(rq.Reveal(ANN, ()), {"values": (left, 2, 2), "overrule": ((False, True), None, None)})]


def test_a_reader_that_was_wrong_can_be_overruled_from_the_menu(table):
    table.do(rq.Donkey("hurried"), rq.Load(ANN, 1, None, (3,)), rq.Load(BEN), rq.Load(CID))
    table.do(*(rq.Decide(name, True) for name in (ANN, BEN, CID)))
    overruling = [
        choice.request for choice in GAME.list_choices(table.session.state, ANN) if choice.request.overrule
    ]
    assert rq.Reveal(ANN, (7,), overrule=True) in overruling
    assert not any(choice.request.overrule for choice in GAME.list_choices(table.session.state, BEN))


@pytest.mark.parametrize(
    ("copies", "before", "after"),
    [(None, 12, 12), ({"giant": 1, "normal": 19}, 2, 1)],
    ids=["a box nobody counted", "one giant"],
)
def test_the_menu_offers_the_donkeys_that_may_still_come(copies, before, after):
    """DV-2; the last line lets the companion draw."""
    table = Table(donkey_copies=copies)
    start = GAME.start(table.session.setup)
    for seen, offered in (((), before), (("giant",), after)):
        *types, draw = GAME.list_choices(replace(start, revealed=seen), None)
        assert (len(types), draw.request) == (offered, rq.DrawDonkey())
        assert (rq.Donkey("giant") in [one.request for one in types]) is (copies is None or not seen)


def test_what_is_counted_before_the_first_round(table):
    """DV-1 to DV-3, DV-21, for three players."""
    translator = Translator("en", GAME).translate
    steps = GAME.list_setup_steps(table.session.state)
    assert [(translator(step.text), step.count) for step in steps] == [
        ("See that no load is missing: 30, one to ten in each colour.", (("load:", 30),)),
        ("Count the donkeys: 20.", (("donkey:", 20),)),
        ("Everybody takes one colour: contract card, ten loads, summary card.", ()),
        ("Draw 8 of the 20 donkeys unseen as the pile; box the other 12.", ()),
        ("Give the first-player card to Ann.", ()),
    ]
