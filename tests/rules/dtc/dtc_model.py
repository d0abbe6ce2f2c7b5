"""The referee of DTC against a plain model that deals real cards."""

from tests.rules.machine import GameMachine, drawn, refused_first

CARDS = ["1", "2", "3", "4", "5", "6", "joker"]


class Model:
    """Everything in the open: who holds how many, what lies where. Written from DTC-1 to DTC-11."""

    def __init__(self, names, variant, hands_only):
        self.names, self.variant = names, variant
        self.told = {} if hands_only else None
        self.hand = dict.fromkeys(names, 6)
        self.pile = dict.fromkeys(names, 0)
        self.draw = 66 - 6 * len(names)
        self.shown = []
        self.phase, self.who = "told" if hands_only else "offer", names[0]
        self.lying = None
        self.beat = None

    def next_to(self, name):
        return (self.names * 2)[self.names.index(name) + 1]

    def answer(self, request):
        code = refused_first(self.names, self.view(), request)
        return code or getattr(self, request["do"])(**{key: request[key] for key in request if key != "do"})

    def offer(self, player, count, value):
        if self.phase != "offer":
            return "wrong_phase"
        if player != self.who:
            return "not_your_turn"
        if not (count >= 1 and 1 <= value <= 6):
            return "bad_value"
        if self.hand[player] < count:
            return "too_many_cards"
        if self.beat and not (
            count > self.beat["count"] or (count == self.beat["count"] and value > self.beat["value"])
        ):
            return "offer_too_low"
        self.hand[player] -= count
        while self.hand[player] < 6 and self.draw:
            self.hand[player] += 1
            self.draw -= 1
        self.lying = {"giver": player, "challenger": self.next_to(player), "count": count, "value": value}
        self.beat, self.phase, self.who = None, "answer", self.next_to(player)
        return None

    def accept(self, player):
        if self.phase != "answer":
            return "wrong_phase"
        if player != self.who:
            return "not_your_turn"
        if self.hand[player] == 0 and self.lying["value"] == 6:
            return "cannot_accept"
        self.hand[player] += self.lying["count"]
        self.beat = {"count": self.lying["count"], "value": self.lying["value"]}
        self.lying, self.phase = None, "offer"
        return None

    def challenge(self, player):
        if self.phase != "answer":
            return "wrong_phase"
        if player != self.who:
            return "not_your_turn"
        self.phase = "reveal"
        return None

    def reveal(self, cards):
        if self.phase != "reveal":
            return "wrong_phase"
        if set(cards) - set(CARDS):
            return "unknown_card"
        if len(cards) != self.lying["count"]:
            return "bad_count"
        if any((self.shown + cards).count(card) > (12 if card == "joker" else 9) for card in CARDS):
            return "impossible_cards"
        self.shown += cards
        named = self.lying["value"]
        values = {int(card) for card in cards if card != "joker"}
        true = values <= {named}
        if self.variant == "all_higher" and values and min(values) > named:
            true = True
        if self.variant == "at_least" and values and min(values) >= named:
            true = True
        loser = self.lying["challenger"] if true else self.lying["giver"]
        self.pile[loser] += len(cards)
        self.lying, self.phase, self.who = None, "offer", loser
        if self.draw == 0:
            self.phase = "game_over"
            for name in self.names:
                self.pile[name] += self.hand[name]
                self.hand[name] = 0
        return None

    def count(self, player, cards):
        if self.phase != "told":
            return "wrong_phase"
        if player in self.told:
            return "already_done"
        total = sum(self.told.values()) + cards
        if cards < 0 or total > 66 or (total < 66 and len(self.told) + 1 == len(self.names)):
            return "bad_count"
        self.told[player] = self.hand[player] = cards
        if len(self.told) == len(self.names):
            self.phase, self.pile, self.hand = "game_over", self.told, dict.fromkeys(self.names, 0)
        return None

    def waiting(self):
        match self.phase:
            case "told":
                return [{"do": "count", "player": name} for name in self.names if name not in self.told]
            case "offer":
                return [{"do": "offer", "player": self.who}]
            case "answer" if self.hand[self.who] == 0 and self.lying["value"] == 6:
                return [{"do": "challenge", "player": self.who}]
            case "answer":
                return [{"do": do, "player": self.who} for do in ("accept", "challenge")]
            case "reveal":
                return [{"do": "reveal", "player": None}]
        return []

    def view(self):
        result = None
        if self.phase == "game_over":
            order = sorted(self.names, key=lambda name: self.pile[name])
            rank = {
                name: 1 + sum(self.pile[other] < self.pile[name] for other in self.names) for name in order
            }
            result = {
                "winners": [name for name in order if rank[name] == 1],
                "ranking": [
                    {"player": name, "points": self.pile[name], "rank": rank[name]} for name in order
                ],
            }
        return {
            "game": "dtc",
            "phase": self.phase,
            "draw_pile": self.draw,
            "offer": self.lying,
            "to_beat": self.beat,
            "waiting_for": self.waiting(),
            "result": result,
            "players": [
                {"name": name, "points": self.pile[name], "hand": self.hand[name]} for name in self.names
            ],
        }

    def check(self):
        if self.told is not None:
            assert self.phase == "told" or sum(self.told.values()) == 66
            return
        lying = self.lying["count"] if self.lying else 0
        assert sum(self.hand.values()) + sum(self.pile.values()) + self.draw + lying == 66

    def legal(self, rng):
        if self.phase == "game_over":
            return None
        if self.phase == "told":
            left, due = 66 - sum(self.told.values()), [row["player"] for row in self.waiting()]
            cards = left if len(due) == 1 else rng.randint(0, left)
            return {"do": "count", "player": rng.choice(due), "cards": cards}
        if self.phase == "reveal":
            return {"do": "reveal", "cards": self.deal(self.lying["count"], rng)}
        if self.phase == "offer":
            offers = [
                {"do": "offer", "player": self.who, "count": count, "value": value}
                for count in range(1, self.hand[self.who] + 1)
                for value in range(1, 7)
                if not self.beat or (count, value) > (self.beat["count"], self.beat["value"])
            ]
            return rng.choice(offers[: 1 + len(offers) // 2])
        return rng.choice(self.waiting())

    def deal(self, count, rng):
        left = [
            card for card in CARDS for _ in range((12 if card == "joker" else 9) - self.shown.count(card))
        ]
        rng.shuffle(left)
        named = str(self.lying["value"])
        fits = rng.choice(  # true, true by one of the variants, or as it comes
            [
                lambda card: card in (named, "joker"),
                lambda card: card >= named,
                lambda card: card > named,
                lambda _: True,
            ]
        )
        left.sort(key=fits, reverse=True)
        return left[:count]

    def wild(self, rng):
        player = rng.choice([*self.names, self.who, self.who, self.who, "Zoe"])
        match rng.choice(["offer", "accept", "challenge", "reveal", "count"]):
            case "count":
                return {"do": "count", "player": player, "cards": rng.randint(-2, 70)}
            case "offer":
                return {
                    "do": "offer",
                    "player": player,
                    "count": rng.randint(-1, 9),
                    "value": rng.randint(0, 7),
                }
            case "reveal":
                size = self.lying["count"] if self.lying and rng.random() < 0.8 else rng.randint(0, 12)
                names = rng.choice([CARDS, CARDS, ["2"], ["3", "joker"], [*CARDS, "7", "Joker", ""]])
                return {"do": "reveal", "cards": rng.choices(names, k=size)}
            case do:
                return {"do": do, "player": player}


class Dtc(GameMachine):
    game = "dtc"

    def begin(self, rng):
        options = drawn(self.game, rng, hands_only=[False, False, False, True])
        return Model(list("ABCDEF"[: rng.randint(2, 6)]), **options), options
