"""The referee of Partners against a plain model: a board of names, moves by the walker, and cards
counted on paper."""

from functools import lru_cache

from tests.rules.machine import GameMachine, drawn, refused_first
from tests.rules.partners import oracle

KINDS = ["heart", "8", "13", "-4", "1/14", "7", "swap", "2", "3", "5", "6", "9", "10", "12"]


class Model:
    """PA-4 to PA-19, in the open."""

    def __init__(
        self, names, copies, *, own_pawn, own_wall, back_from_goal, seven_bounce, swap_start, hands_only
    ):
        self.names, self.told = names, {}
        self.table = {
            "own_pawn": own_pawn,
            "own_wall": own_wall,
            "back_from_goal": back_from_goal,
            "seven_bounce": seven_bounce,
            "swap_start": swap_start,
        }
        self.copies = {card: copies if isinstance(copies, int) else copies.get(card, 4) for card in KINDS}
        self.board = dict.fromkeys(oracle.PAWNS, "base")
        self.gone = []
        self.dealer, self.deal_number, self.who = 4, 1, 1
        self.left = {1: 4, 2: 4, 3: 4, 4: 4}
        self.phase = "told" if hands_only else "exchange"

    def name(self, player):
        return self.names[player - 1]

    def answer(self, request):
        owners = [move["owner"] for move in request.get("moves", [])]
        code = refused_first(self.names, self.view(), request)
        if code is None and any(owner not in self.names for owner in owners):
            code = "unknown_player"
        return code or getattr(self, request["do"])(**{key: request[key] for key in request if key != "do"})

    def exchanged(self):
        if self.phase != "exchange":
            return "wrong_phase"
        self.phase = "play"
        return None

    def home(self, player, pawns):
        if self.phase != "told":
            return "wrong_phase"
        if player in self.told:
            return "already_done"
        told = {**self.told, player: pawns}
        one, other = ([told.get(name) for name in self.names[start::2]] for start in (0, 1))
        if not 0 <= pawns <= 4 or one == other == [4, 4]:
            return "bad_count"
        if any(home not in (None, 4) for home in one) and any(home not in (None, 4) for home in other):
            return "bad_count"
        self.told, seat = told, self.names.index(player) + 1
        self.board |= {(seat, pawn): f"goal:{pawn}" for pawn in range(1, pawns + 1)}
        self.phase = "game_over" if len(told) == 4 else "told"
        return None

    def out_of_turn(self, player):
        if self.phase != "play":
            return "wrong_phase"
        return None if self.names.index(player) + 1 == self.who else "not_your_turn"

    def bad_cards(self, cards):
        if any(card not in KINDS for card in cards):
            return "unknown_card"
        if any((self.gone + list(cards)).count(card) > self.copies[card] for card in cards):
            return "no_such_card"
        return None

    def legal_plays(self, card):
        return walked(tuple(self.board.items()), self.who, card, tuple(self.table.items()))

    def play(self, player, card, moves):
        code = self.out_of_turn(player) or self.bad_cards([card])
        if code:
            return code
        play = [((self.names.index(move["owner"]) + 1, move["pawn"]), move["to"]) for move in moves]
        if not self.is_legal(card, play):
            return "illegal_move"
        if card == "swap":
            self.board |= dict(play)
        else:
            for who, place in play:
                self.board = oracle.settle(self.board, who, place, self.table)
        self.gone.append(card)
        self.left[self.who] -= 1
        self.go_on()
        return None

    def is_legal(self, card, play):
        if any(who not in self.board for who, _ in play):
            return False
        if card == "swap":
            return sorted(play) in [sorted(one) for one in self.legal_plays(card)]
        return self.as_places(play) in [self.as_places(one) for one in self.legal_plays(card)]

    def as_places(self, play):
        board, steps = self.board, []
        for who, place in play:
            steps.append((who[0], board[who], place))
            board = oracle.settle(board, who, place, self.table)
        return steps

    def fold(self, player, cards=None):
        code = self.out_of_turn(player)
        if code:
            return code
        if cards is not None:
            if any(card not in KINDS for card in cards):
                return "unknown_card"
            if len(cards) != self.left[self.who]:
                return "bad_count"
            code = self.bad_cards(cards)
            if code:
                return code
            if any(self.legal_plays(card) for card in cards):
                return "could_play"
            self.gone += cards
        self.left[self.who] = 0
        self.go_on()
        return None

    def locked(self, player):
        return sum(oracle.is_locked(self.board, (player, pawn)) for pawn in (1, 2, 3, 4))

    def winners(self):
        return [
            player
            for player in (1, 2, 3, 4)
            if self.locked(player) + self.locked(oracle.left_of(player, 2)) == 8
        ]

    def go_on(self):
        if self.winners():
            self.phase = "game_over"
        elif not any(self.left.values()):
            self.next_deal()
        else:
            self.who = oracle.left_of(self.who)
            while not self.left[self.who]:
                self.who = oracle.left_of(self.who)

    def next_deal(self):
        self.deal_number += 1
        if self.deal_number == 4:
            self.deal_number, self.dealer, self.gone = 1, oracle.left_of(self.dealer), []
        self.left = {1: 4, 2: 4, 3: 4, 4: 4}
        self.phase, self.who = "exchange", oracle.left_of(self.dealer)

    def waiting(self):
        if self.phase == "exchange":
            return [{"do": "exchanged", "player": None}]
        if self.phase == "play":
            return [{"do": do, "player": self.name(self.who)} for do in ("play", "fold")]
        if self.phase == "told":
            return [{"do": "home", "player": name} for name in self.names if name not in self.told]
        return []

    def view(self):
        result = None
        if self.phase == "game_over":
            rows = [(1 if player in self.winners() else 3, player) for player in (1, 2, 3, 4)]
            result = {
                "winners": [self.name(player) for rank, player in rows if rank == 1],
                "ranking": [
                    {"player": self.name(player), "points": self.locked(player), "rank": rank}
                    for rank, player in sorted(rows)
                ],
            }
        return {
            "game": "partners",
            "phase": self.phase,
            "deal": self.deal_number,
            "dealer": self.name(self.dealer),
            "waiting_for": self.waiting(),
            "result": result,
            "players": [
                {
                    "name": self.name(player),
                    "points": self.locked(player),
                    "cards_left": self.left[player],
                    "pawns": [self.board[player, pawn] for pawn in (1, 2, 3, 4)],
                    "locked": self.locked(player),
                }
                for player in (1, 2, 3, 4)
            ],
        }

    def check(self):
        assert all(self.gone.count(card) <= self.copies[card] for card in KINDS)

    def legal(self, rng):
        if self.phase == "game_over":
            return None
        if self.phase == "exchange":
            return {"do": "exchanged"}
        if self.phase == "told":
            first = self.names.index(next(iter(self.told), self.names[0])) % 2
            name = rng.choice([row["player"] for row in self.waiting()])
            ours = self.names.index(name) % 2 == first
            return {"do": "home", "player": name, "pawns": 4 if ours else rng.randint(0, 3)}
        name = self.name(self.who)
        left = [card for card in KINDS for _ in range(self.copies[card] - self.gone.count(card))]
        rng.shuffle(left)
        for card in left[:4]:
            plays = self.legal_plays(card)
            if plays:
                best = max(rng.sample(plays, min(3, len(plays))), key=self.progress)
                return {"do": "play", "player": name, "card": card, "moves": self.entries(best)}
        return {"do": "fold", "player": name}

    def progress(self, play):
        """Prefer goals, so that the machine sees games end."""
        return sum(place.startswith("goal") for _, place in play)

    def entries(self, play):
        return [{"owner": self.name(who[0]), "pawn": who[1], "to": place} for who, place in play]

    def wild(self, rng):
        player = rng.choice([*self.names, self.name(self.who), self.name(self.who), "Zoe"])
        card = rng.choice([*KINDS, *KINDS, "7", "7", "swap", "11", ""])
        match rng.choice(["exchanged", "fold", "play", "play", "play", "home"]):
            case "home":
                return {"do": "home", "player": player, "pawns": rng.randint(-1, 5)}
            case "exchanged":
                return {"do": "exchanged"}
            case "fold":
                count = rng.choice([self.left[self.who], self.left[self.who], rng.randint(0, 5)])
                return {
                    "do": "fold",
                    "player": player,
                    "cards": rng.choices(["2", "3", "5", "swap", card], k=count),
                }
        return {"do": "play", "player": player, "card": card, "moves": self.wild_moves(rng, card)}

    def wild_moves(self, rng, card):
        plays = self.legal_plays(card) if card in KINDS and self.phase == "play" else []
        if plays and rng.random() < 0.7:
            entries = self.entries(rng.choice(plays))
        else:
            entries = [
                {"owner": self.name(self.who), "pawn": 1, "to": "start"} for _ in range(rng.randint(0, 3))
            ]
        for entry in entries:
            if rng.random() < 0.3:
                entry["pawn"] = rng.randint(0, 5)
            if rng.random() < 0.1:
                entry["owner"] = rng.choice([*self.names, "Zoe"])
            if rng.random() < 0.15:
                entry["to"] = rng.choice(
                    ["base", "start", "goal:4", "goal:0", "5:1", "1:15", "", "2:7", "1:0", "3:0"]
                )
        rng.shuffle(entries)
        return entries


@lru_cache(maxsize=64)
def walked(board, player, card, table):
    """The walker's plays, walked once for who asks what is legal and whether a play is."""
    return oracle.plays(dict(board), player, card, dict(table))


class Partners(GameMachine):
    game = "partners"

    def begin(self, rng):
        copies = [4, 4, {"heart": 8, "8": 6, "13": 0}, {"7": 12, "swap": 8}, {"heart": 6, "swap": 16}]
        options = drawn(self.game, rng, copies=copies, hands_only=[False, False, False, True])
        return Model(["Ann", "Bob", "Cid", "Dot"], **options), options
