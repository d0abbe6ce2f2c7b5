"""The referee of Ascend against a plain model that looks only at names, ranks and suits on a
list."""

from fractions import Fraction
from functools import lru_cache
from itertools import combinations

from companion.games.ascend.cards import CARDS as PRINTED
from companion.games.ascend.cards import RANKS
from tests.rules.ascend.test_ascend_combinations import plainly
from tests.rules.machine import GameMachine, drawn, refused_first

EXTENSION = {"excuse", "pawn", "court"}


class Model:
    """AS-1 to AS-30, in the open. `heap` holds the plays of the trick: (player, cards)."""

    def __init__(self, names, deck, target, bidding, shares, bombs, bomb_size, hands_only):
        self.names, self.target, self.bidding, self.shares = names, target, bidding, shares
        self.bombs, self.bomb_size, self.hands_only = bombs, bomb_size, hands_only
        self.deck = [
            name for name, card in PRINTED.items() if deck == "extended" or RANKS[card.rank] not in EXTENSION
        ]
        self.points = dict.fromkeys(names, Fraction(0))
        self.hand_number = 0
        self.new_hand()

    def new_hand(self):
        self.leader = self.who = self.names[self.hand_number % len(self.names)]
        self.hand_number += 1
        self.hand = dict.fromkeys(self.names, len(self.deck) // len(self.names))
        self.played, self.finished, self.heap = [], [], []
        self.promised, self.may_promise = None, False
        self.passed = 0
        self.phase = "hands" if self.hands_only else "exchange"

    def kind_of(self, cards):
        return combination(tuple(cards), self.bombs)

    def answer(self, request):
        code = refused_first(self.names, self.view(), request)
        do = {"pass": "pass_", "promised": "promised_"}.get(request["do"], request["do"])
        return code or getattr(self, do)(**{key: request[key] for key in request if key != "do"})

    def exchanged(self):
        if self.phase != "exchange":
            return "wrong_phase"
        self.phase = "play"
        return None

    def after(self, name):
        return (self.names * 2)[self.names.index(name) + 1]

    def next_with_cards(self, name):
        name = self.after(name)
        while not self.hand[name]:
            name = self.after(name)
        return name

    def play(self, player, cards):
        if self.phase != "play":
            return "wrong_phase"
        if player != self.who:
            return "not_your_turn"
        if any(card not in self.deck for card in cards):
            return "unknown_card"
        if not cards or len(set(cards)) < len(cards):
            return "not_a_combination"
        if set(cards) & set(self.played):
            return "card_spent"
        if len(cards) > self.hand[player]:
            return "not_enough_cards"
        if self.kind_of(cards) is None:
            return "not_a_combination"
        code = self.unbeaten(cards)
        if code:
            return code
        self.heap.append((player, cards))
        self.played += cards
        self.hand[player] -= len(cards)
        self.passed, self.may_promise = 0, True
        if not self.hand[player]:
            self.finished.append(player)
        if sum(count > 0 for count in self.hand.values()) == 1:
            self.score()
        else:
            self.who = self.next_with_cards(player)
        return None

    def unbeaten(self, cards):
        if not self.heap:
            return None
        last = self.heap[-1][1]
        (kind, rank), (last_kind, last_rank) = self.kind_of(cards), self.kind_of(last)
        if self.bomb_size == "larger" and kind == last_kind == "bomb" and len(cards) > len(last):
            return None
        if len(cards) != len(last):
            return "wrong_count"
        if kind == "single":
            return self.single_unbeaten(cards[0], rank, last_rank)
        if kind == "bomb":
            return "does_not_beat" if last_kind == "bomb" and rank < last_rank else None
        if any(self.kind_of(before)[0] not in ("bomb", kind) for _, before in self.heap):
            return "sets_and_runs"
        beats = rank > last_rank if last_kind == "bomb" else rank >= last_rank
        return None if beats else "does_not_beat"

    def single_unbeaten(self, card, rank, last_rank):
        singles = [cards[0] for _, cards in self.heap]
        if card == "excuse" or singles == ["excuse"]:
            return None
        first = next(one for one in singles if one != "excuse")
        follow = singles[-2] if singles[-1] == "excuse" else first
        if not PRINTED[card].suits & PRINTED[follow].suits:
            return "wrong_suit"
        return "does_not_beat" if rank < last_rank else None

    def pass_(self, player):
        if self.phase != "play":
            return "wrong_phase"
        if player != self.who:
            return "not_your_turn"
        if not self.heap:
            return "must_lead"
        self.may_promise = False
        self.passed += 1
        last = self.heap[-1][0]
        if self.passed == sum(count > 0 for name, count in self.hand.items() if name != last):
            self.leader = self.who = last if self.hand[last] else self.next_with_cards(last)
            self.heap, self.passed = [], 0
        else:
            self.who = self.next_with_cards(player)
        return None

    def promise(self, player):
        if self.phase != "play":
            return "wrong_phase"
        if not self.can_promise() or self.heap[-1][0] != player:
            return "no_promise"
        self.promised = (player, self.hand[player])
        return None

    def out(self, player):
        if self.phase != "hands":
            return "wrong_phase"
        if player in self.finished:
            return "already_done"
        self.finished.append(player)
        self.hand[player] = 0
        if len(self.finished) == len(self.names) - 1:
            self.score()
        return None

    def promised_(self, player, worth):
        if self.phase != "hands":
            return "wrong_phase"
        if not self.bidding or self.promised or self.finished:
            return "no_promise"
        if not 1 <= worth < len(self.deck) // len(self.names):
            return "bad_count"
        self.promised = (player, worth)
        return None

    def can_promise(self):
        return (
            self.bidding
            and bool(self.heap)
            and self.may_promise
            and not self.promised
            and "mountain" not in self.played
            and not self.finished
        )

    def score(self):
        order = self.finished + [name for name in self.names if name not in self.finished]
        places = {(3, 0): "940", (4, 0): "7420", (3, 1): "840", (4, 1): "6420"}
        for name, place in zip(order, places[len(order), int(self.promised is not None)], strict=True):
            self.points[name] += int(place)
        if self.promised:
            promiser, worth = self.promised
            if order[0] == promiser:
                self.points[promiser] += worth
            else:
                share = Fraction(worth, len(order) - 1)
                if self.shares == "floor":
                    share = worth // (len(order) - 1)
                for name in order:
                    self.points[name] += share if name != promiser else 0
        best = sorted(self.points.values(), reverse=True)
        self.may_promise = False
        if best[0] >= self.target and best[0] > best[1]:
            self.phase = "game_over"
        else:
            self.new_hand()

    def waiting(self):
        if self.phase == "exchange":
            return [{"do": "exchanged", "player": None}]
        if self.phase == "game_over":
            return []
        if self.phase == "hands":
            told = self.bidding and not self.promised and not self.finished
            still = [name for name in self.names if name not in self.finished]
            return [{"do": do, "player": name} for name in still for do in ["out", *["promised"] * told]]
        waiting = [{"do": "play", "player": self.who}]
        if self.heap:
            waiting.append({"do": "pass", "player": self.who})
        if self.can_promise():
            waiting.append({"do": "promise", "player": self.heap[-1][0]})
        return waiting

    def view(self):
        shown = {
            name: str(points) if "/" in str(points) else int(points) for name, points in self.points.items()
        }
        result = trick = None
        if self.phase == "game_over":
            order = sorted(self.names, key=lambda name: -self.points[name])
            rank = {
                name: 1 + sum(other > self.points[name] for other in self.points.values()) for name in order
            }
            result = {
                "winners": [name for name in order if rank[name] == 1],
                "ranking": [{"player": name, "points": shown[name], "rank": rank[name]} for name in order],
            }
        if self.heap:
            player, cards = self.heap[-1]
            kind, top = self.kind_of(cards)
            trick = {"kind": kind, "count": len(cards), "rank": RANKS[top], "player": player}
        return {
            "game": "ascend",
            "phase": self.phase,
            "hand_number": self.hand_number,
            "leader": self.leader,
            "trick": trick,
            "order_out": self.finished,
            "promise": self.promised and {"player": self.promised[0], "worth": self.promised[1]},
            "waiting_for": self.waiting(),
            "result": result,
            "players": [
                {"name": name, "points": shown[name], "hand": self.hand[name]} for name in self.names
            ],
        }

    def check(self):
        if self.hands_only:
            return
        dealt = len(self.deck) // len(self.names) * len(self.names)
        assert sum(self.hand.values()) + len(self.played) == dealt
        assert len(set(self.played)) == len(self.played)

    def legal(self, rng):
        if self.phase == "game_over":
            return None
        if self.phase == "exchange":
            return {"do": "exchanged"}
        if self.phase == "hands":
            player = rng.choice([name for name in self.names if name not in self.finished])
            if self.bidding and not self.promised and not self.finished and rng.random() < 0.4:
                return {"do": "promised", "player": player, "worth": rng.randint(1, self.hand[player] - 1)}
            return {"do": "out", "player": player}
        if self.can_promise() and rng.random() < 0.15:
            return {"do": "promise", "player": self.heap[-1][0]}
        found = self.some_play(rng) if rng.random() < 0.6 or not self.heap else None
        if found is None:
            return {"do": "pass", "player": self.who}
        return {"do": "play", "player": self.who, "cards": found}

    def some_play(self, rng):
        """Something that can be played: of the cards left, or a single that always leads."""
        left = [card for card in self.deck if card not in self.played]
        rng.shuffle(left)
        size = (
            len(self.heap[-1][1]) if self.heap else min(rng.choice([1, 2, 2, 3, 3, 4]), self.hand[self.who])
        )
        if self.heap and self.bomb_size == "larger" and self.kind_of(self.heap[-1][1])[0] == "bomb":
            size += rng.choice([0, 0, 1, 2])
        if size > self.hand[self.who]:
            return None
        for cards in combinations(left[: 10 if size > 2 else 30], size):
            if self.kind_of(cards) is not None and self.unbeaten(list(cards)) is None:
                return list(cards)
        return None if self.heap else left[:1]

    def wild(self, rng):
        last = self.heap[-1][0] if self.heap else self.names[0]
        player = rng.choice([*self.names, self.who, self.who, self.who, last, "Zoe"])
        match rng.choice(
            ["exchanged", "pass", "promise", "promise", "out", "promised", "play", "play", "play"]
        ):
            case "exchanged":
                return {"do": "exchanged"}
            case "play":
                return {"do": "play", "player": player, "cards": self.wild_cards(rng)}
            case "promised":
                return {"do": "promised", "player": player, "worth": rng.randint(-1, 17)}
            case do:
                return {"do": do, "player": player}

    def wild_cards(self, rng):
        match rng.randrange(4):
            case 0:
                return rng.choices([*self.deck, "castel", "excuse", ""], k=rng.randint(0, 4))
            case 1:
                suit = rng.choice(["moons", "suns", "waves", "leaves", "wyrms", "knots"])
                row = [card for card in self.deck if suit in PRINTED[card].suits]
                return rng.sample(row, rng.randint(1, 4))
            case 2:
                return rng.sample(
                    [card for card in self.deck if PRINTED[card].personality], rng.randint(2, 4)
                )
        return (self.some_play(rng) if self.phase == "play" else None) or self.played[-2:]


@lru_cache(maxsize=4096)
def combination(cards, bombs):
    """What these cards are by trying everything, tried once: the play on the table is asked about
    at every other."""
    return plainly([PRINTED[card] for card in cards], bombs)


class Ascend(GameMachine):
    game = "ascend"

    def begin(self, rng):
        options = drawn(
            self.game,
            rng,
            deck=["extended", "extended", "basic"],
            target=[5, 20, 50],
            bidding=[True, True, False],
            hands_only=[False, False, True],
        )
        return Model(["Ann", "Ben", "Cy", "Dee"][: rng.randint(3, 4)], **options), options
