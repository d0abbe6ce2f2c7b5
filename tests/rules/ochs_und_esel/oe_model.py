"""A plain model of Ochs & Esel that plays with real cards."""

import itertools

from tests.rules.machine import GameMachine, drawn, refused_first
from tests.rules.ochs_und_esel.oe_cards import ANIMALS, DECK, numbers
from tests.rules.ochs_und_esel.oe_shown import Shown
from tests.rules.ochs_und_esel.oe_whims import Whims


class Model(Whims, Shown):
    """Real cards in real hands, one dict each; a trick is a list of what was done. Written from
    OE-1 to OE-22.

    Hands are lists in which only the animals and the number of other cards matter: what the other
    cards are is made up when they are played, from what is left of the deck. `home` says where an
    animal is.
    """

    def __init__(self, names, deal, rounds, ox, hands_only):
        self.names, self.rounds, self.ox, self.unheard = names, rounds, ox, hands_only
        self.deal = deal or {9: 12, 10: 10, 11: 9, 12: 9}.get(len(names), 13)  # OE-2
        self.points = dict.fromkeys(names, 0)
        self.number = 0
        self.holder = None if ox else names[0]
        self.begin(names[0])

    def begin(self, leader):
        self.number += 1
        self.count = dict.fromkeys(self.names, self.deal)
        self.home = {"donkey": "middle", "ox": "middle"} if self.ox else {"donkey": self.holder, "ox": None}
        self.took = {"donkey": -9, "ox": -9}
        self.front = {name: [] for name in self.names}
        self.left = {}
        self.shed = []
        self.trick_number = 1
        self.new_trick(leader)
        if self.unheard:
            self.phase, self.trick_number = "hands", 0

    def new_trick(self, leader):
        self.leader, self.done, self.kind = leader, [], None
        start = self.names.index(leader)
        self.order = self.names[start:] + self.names[:start]
        self.phase = "lead"

    def size(self, name):
        return self.count[name] + list(self.home.values()).count(name)

    @property
    def turn(self):
        return self.order[len(self.done)] if self.phase in ("lead", "follow") else None

    def barred(self, animal):
        return self.trick_number < self.took[animal] + 2

    def stuck(self, name):
        """OE-11: nothing but animals that may not be led yet."""
        mine = [animal for animal in ANIMALS if self.home[animal] == name]
        return self.count[name] == 0 and all(map(self.barred, mine))

    def last_played(self):
        return [cards for _, cards in self.done if cards][-1]

    def worth(self, cards):
        plain = [int(card) for card in cards if card != "joker"]
        return max(plain, default=14)

    def out(self):
        return [
            *self.shed,
            *itertools.chain(*(cards for _, cards in self.done)),
            *itertools.chain(*self.front.values()),
            *itertools.chain(*self.left.values()),
        ]

    def too_many(self, cards):
        gone = self.out() + cards
        return any(gone.count(card) > DECK[card] for card in set(cards))

    def answer(self, request):
        code = refused_first(self.names, self.view(), request)
        if code:
            return code
        hand = self.tell if self.unheard else self.lay_out
        do = {"play": self.play, "pass": self.passes, "hand": hand, "pile": self.tell_pile}[request["do"]]
        return do(*[request[key] for key in ("player", "cards") if key in request])

    def untimely(self, player):
        if self.phase not in ("lead", "follow"):
            return "wrong_phase"
        return None if player == self.turn else "not_your_turn"

    def play(self, player, cards):
        code = self.untimely(player) or self.fault(player, cards)
        if code:
            return code
        if self.phase == "lead":
            self.kind = cards[0] if cards[0] in ANIMALS else "normal"
            self.phase = "follow"
        if cards[0] in ANIMALS:
            self.home[cards[0]] = None
        else:
            self.count[player] -= len(cards)
        self.done.append((player, cards))
        self.maybe_end()
        return None

    def fault(self, player, cards):
        animals = [card for card in cards if card in ANIMALS]
        if any(card not in DECK for card in cards):
            return "unknown_card"
        if any(self.home[animal] != player for animal in animals):
            return "not_holding"
        if animals:
            fine = self.phase == "lead" and len(cards) == 1 and not self.barred(cards[0])
            return None if fine else "animal_barred"
        if not cards or len({card for card in cards if card != "joker"}) > 1:
            return "not_a_set"
        if self.phase == "follow":
            wanted = len(self.last_played()) if self.kind == "normal" else 1
            if len(cards) != wanted:
                return "wrong_count"
            if self.kind == "normal" and self.worth(cards) <= self.worth(self.last_played()):
                return "too_low"
        if len(cards) > self.count[player]:
            return "not_enough_cards"
        return "impossible_cards" if self.too_many(cards) else None

    def passes(self, player):
        code = self.untimely(player)
        if code:
            return code
        if self.phase == "lead":
            if not self.stuck(player):
                return "must_play"
            self.leader = self.names[(self.names.index(player) + 1) % len(self.names)]
        elif self.kind != "normal" and self.count[player]:
            return "must_play"
        self.done.append((player, []))
        self.maybe_end()
        return None

    def maybe_end(self):
        if len(self.done) < len(self.names):
            return
        played = [(player, cards) for player, cards in self.done if cards]
        cards = [card for _, one in played for card in one]
        if self.kind == "normal":
            winner = played[-1][0]
            self.shed += cards
        else:
            low = {"donkey": 0, "ox": 0, "joker": 1}
            best = max(low.get(one[0]) if one[0] in low else int(one[0]) for _, one in played)
            equals = [
                player for player, one in played if (low[one[0]] if one[0] in low else int(one[0])) == best
            ]
            winner = equals[-1]
            if self.kind == "donkey":
                self.count[winner] += len(numbers(cards))
                self.home["donkey"], self.took["donkey"] = winner, self.trick_number
            else:
                self.front[winner] = cards
        if self.ox and self.trick_number in (1, 2):
            animal = ["ox", "donkey"][self.trick_number - 1]
            self.home[animal], self.took[animal] = winner, self.trick_number
        if all(self.size(name) for name in self.names):
            self.trick_number += 1
            self.new_trick(winner)
            return
        self.holder = self.home["donkey"] if self.home["donkey"] in self.names else None
        self.leader = self.holder or winner
        self.phase, self.done, self.kind = "hands", [], None

    def lay_out(self, player, cards):
        if self.phase != "hands":
            return "wrong_phase"
        if not self.size(player):
            return "not_your_turn"
        if player in self.left:
            return "already_done"
        if any(card not in DECK for card in cards):
            return "unknown_card"
        if len(cards) != self.size(player):
            return "bad_count"
        if any(cards.count(animal) != (self.home[animal] == player) for animal in ANIMALS):
            return "not_holding"
        if self.too_many(cards):
            return "impossible_cards"
        self.left[player] = cards
        if set(self.left) == {name for name in self.names if self.size(name)}:
            self.score()
        return None

    def score(self):
        for name in self.names:
            costs = {"joker": 14, "donkey": 20, "ox": 15}
            self.points[name] += sum(costs[c] if c in costs else int(c) for c in self.left.get(name, []))
            costs = {"joker": 1, "donkey": 0, "ox": 0}
            self.points[name] += sum(costs[c] if c in costs else int(c) for c in self.front[name])
        if self.number == self.rounds:
            self.phase = "game_over"
        else:
            self.begin(self.leader)

    # OE-12: only what is left is told.

    def where(self, animal):
        """Who has told this animal."""
        return next((name for name, cards in self.left.items() if animal in cards), None)

    def still_to_tell(self):
        return [name for name in self.names if name not in self.left]

    def pile_due(self):
        done = self.phase == "hands" and self.unheard and self.ox and not self.still_to_tell()
        return done and self.where("ox") is None and not any(self.front.values())

    def undealt(self):
        return self.deal * len(self.names) - len(numbers(self.out()))

    def tell(self, player, cards):
        if self.phase != "hands":
            return "wrong_phase"
        if player in self.left:
            return "already_done"
        if any(card not in DECK for card in cards):
            return "unknown_card"
        if self.too_many(cards):
            return "impossible_cards"
        if "ox" in cards and not self.ox:
            return "not_holding"
        others = len(self.still_to_tell()) - 1
        trick = len(self.names) - 2 if self.ox and not others and not self.where("ox") else 0
        if "ox" in cards:
            trick = 0
        if len(numbers(cards)) + trick > self.undealt():
            return "bad_count"
        one_trick = self.ox and self.deal <= 12  # eight of a value and four jokers, all at once
        told = (
            "donkey" in cards or self.where("donkey") or (one_trick and ("ox" in cards or self.where("ox")))
        )
        out = not cards or [] in self.left.values()
        if others < (not told) + (not out):
            return "bad_count" if told else "not_holding"
        self.left[player] = cards
        for animal in ANIMALS:
            if animal in cards:
                self.home[animal] = player
            elif self.home[animal] == player:
                self.home[animal] = None
        self.count[player] = len(numbers(cards))
        self.maybe_score()
        return None

    def tell_pile(self, player, cards):
        if not self.pile_due():
            return "wrong_phase"
        if any(card not in DECK for card in cards):
            return "unknown_card"
        if "ox" not in cards:
            return "not_holding"
        if len(self.names) - len(cards) not in (0, 1) or len(cards) - 1 > self.undealt():
            return "bad_count"
        if self.too_many(cards):
            return "impossible_cards"
        self.front[player], self.home["ox"] = cards, None
        self.maybe_score()
        return None

    def maybe_score(self):
        if self.still_to_tell() or self.pile_due():
            return
        self.holder = self.where("donkey")
        self.leader = self.holder or self.where("ox")
        self.score()


class OchsUndEsel(GameMachine):
    game = "ochs_und_esel"

    def begin(self, rng):
        names = list("ABCDEFGHIJKL"[: rng.choice([3, 3, 3, 4, 4, 5, 12])])
        options = drawn(self.game, rng, deal=[1, 2, 3, 4, 9, None], rounds=[1, 2, 3])
        if options["hands_only"] and len(names) < 9:
            options["deal"] = rng.choice([1, 2, 8, 13, None])
        return Model(names, **options), options
