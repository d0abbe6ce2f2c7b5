"""A plain model of Donkey Valley, written from the clauses: real cards in the open, one long story,
nothing clever."""

import random

from tests.rules.donkey_valley.claims import Claims
from tests.rules.donkey_valley.shown import Shown
from tests.rules.donkey_valley.whims import TYPES, Whims
from tests.rules.machine import GameMachine, drawn


class Model(Claims, Whims, Shown):
    def __init__(
        self,
        names,
        seed,
        *,
        decision_order,
        double_loads,
        draws,
        donkey_copies,
        barred,
        double_draws,
        first_player_card,
        hands_only,
    ):
        self.names, self.rng = names, random.Random(seed)
        self.decides_freely, self.must_double = decision_order == "free", double_loads == "must"
        self.draws, self.barred, self.copies = draws, barred, donkey_copies
        self.double_draws, self.moves_each_end = double_draws, first_player_card == "each_end"
        self.cards = {name: set(range(1, 11)) for name in names}  # in the hand, really
        self.known = {name: set() for name in names}  # gone, and everybody knows
        self.lost_sight = {name: set() for name in names}  # left the game unseen
        self.won = {name: [] for name in names}
        self.spent = dict.fromkeys(names, 0)
        self.left, self.shown, self.waiting_donkeys, self.first = 8, [], [], 0
        self.phase, self.asked = "donkey", [("donkey", None)]
        if hands_only:
            self.phase, self.asked = "told", [[("score", name) for name in names]]
        self.number, self.type = 1, None
        self.fresh_table()

    def fresh_table(self):
        self.down = {name: [] for name in self.names}
        self.up = {name: [] for name in self.names}
        self.favour_of = dict.fromkeys(self.names)
        self.said = dict.fromkeys(self.names)
        self.looked = {name: [] for name in self.names}
        self.capacity = self.limit = self.total = self.over = None
        self.out, self.holds, self.pool, self.got = set(), {}, [], {}
        self.due = None  # draws that the program makes: the model cannot know them

    def order(self):
        return self.names[self.first :] + self.names[: self.first]

    # ---- requests
    # -------------------------------------------------------------------------------------------

    def answer(self, request):
        fields = {key: value for key, value in request.items() if key != "do"}
        if self.phase == "game_over":
            return "game_over"
        named = [fields.get("player"), fields.get("with"), *fields.get("at", [])]
        named += [fields["card"]["owner"]] if isinstance(fields.get("card"), dict) else []
        if any(name is not None and name not in self.names for name in named):
            return "unknown_player"
        return getattr(self, "do_" + request["do"])(**fields)

    def turn(self, phase, do, player):
        if self.phase != phase:
            return "wrong_phase"
        group = self.asked[0] if isinstance(self.asked[0], list) else [self.asked[0]]
        if (do, player) in group:
            return None
        if any(player == who for _, who in group):
            return "not_entitled"
        still = [who for entry in self.asked for _, who in (entry if isinstance(entry, list) else [entry])]
        free = phase in ("loads", "reveal", "told") or (phase == "decisions" and self.decides_freely)
        return "already_done" if free and player not in still else "not_your_turn"

    def done(self, player):
        if isinstance(self.asked[0], list):
            self.asked[0] = [entry for entry in self.asked[0] if entry[1] != player]
            if self.asked[0]:
                return
        self.asked.pop(0)
        if not self.asked:
            self.go_on()

    def do_donkey(self, **rest):
        kind = rest["type"]
        if self.phase != "donkey":
            return "wrong_phase"
        if kind not in TYPES:
            return "unknown_card"
        copies = self.copies
        if copies and self.shown.count(kind) >= copies.get(kind, 0):
            return "no_such_donkey"
        self.fresh_table()
        self.number, self.type = 9 - self.left, kind
        self.left -= 1
        self.shown.append(kind)
        self.two = kind == "double" and self.left > 0
        if self.two:
            self.left -= 1
        each = {"giant": 6, "puny": 4, "double": 10 if self.two else 5}.get(kind, 5)
        if kind == "precision":
            self.limit = 5
        else:
            self.capacity = each * len(self.names)
        self.phase = "loads"
        entries = [("load", name) for name in self.order()]
        self.asked = entries if kind == "difficult" else [entries]
        return None

    def face_up(self, player):
        return self.type == "difficult" and player in (self.order()[0], self.order()[-1])

    def do_load(self, player, count=1, values=None):
        code = self.turn("loads", "load", player)
        if code:
            return code
        allowed = [1]
        if self.two:
            allowed = [2] if self.must_double else [1, 2]
        if count not in allowed:
            return "bad_value"
        if not self.face_up(player):
            if values is not None:
                return "bad_value"
            laid = self.rng.sample(sorted(self.cards[player]), count)
            self.cards[player] -= set(laid)
            self.down[player] = laid
        else:
            if values is None or len(values) != 1 or not 1 <= values[0] <= 10:
                return "bad_value"
            if values[0] in self.known[player]:
                return "card_spent"
            self.take(player, values[0])
            self.up[player] = list(values)
        self.done(player)
        return None

    def take(self, player, value):
        """The table says that `value` comes from the hand; if it lay elsewhere unseen, another card
        lay there."""
        if value in self.cards[player]:
            self.cards[player].remove(value)
            return
        spare = self.cards[player].pop()
        places = [self.down[player], *[aside[1][player] for aside in self.waiting_donkeys]]
        for place in places:
            if value in place:
                place[place.index(value)] = spare
                return
        self.lost_sight[player].remove(value)
        self.lost_sight[player].add(spare)

    def do_favour(self, player, card):
        if self.type == "hurried" and self.phase != "donkey":
            return "favours_forbidden"
        if self.phase != "favours":
            return "wrong_phase"
        if self.spent[player] == 2:
            return "no_favours_left"
        code = self.turn("favours", "favour", player)
        if code:
            return code
        if not 1 <= card <= 10:
            return "bad_value"
        if card % 2:
            return "not_a_favour"
        if card in self.known[player] or card in self.up[player]:
            return "card_spent"
        self.take(player, card)
        self.known[player].add(card)
        self.spent[player] += 1
        self.favour_of[player] = card
        self.done(player)
        return None

    def do_no_favour(self, player):
        code = self.turn("favours", "favour", player)
        if not code:
            self.done(player)
        return code

    def loads(self, name):
        return len(self.down[name]) + len(self.up[name])

    def entitled(self, name):
        count = 1 if self.type == "holed" else 0
        if self.favour_of[name] == 10:
            count += sum(self.loads(other) for other in self.names) // 2
        return count - len(self.looked[name])

    def unseen_by(self, name):
        looked = self.looked[name]
        return [other for other in self.names if other != name and looked.count(other) < self.loads(other)]

    def do_peek(self, player, at):
        if self.phase not in ("peeks", "decisions"):
            return "wrong_phase"
        if self.phase == "decisions":
            group = self.asked[0] if isinstance(self.asked[0], list) else [self.asked[0]]
            if ("decide", player) not in group:
                return "not_your_turn"
        looks = self.looked[player] + at
        if len(at) > self.entitled(player) or player in at:
            return "not_entitled"
        if any(looks.count(other) > self.loads(other) for other in at):
            return "not_entitled"
        self.looked[player] = looks
        if not self.entitled(player) and self.phase == "peeks":
            self.asked[0].remove(("peek", player))
        return None

    def do_peeks_done(self):
        if self.phase != "peeks":
            return "wrong_phase"
        self.asked = []
        self.go_on()
        return None

    def do_decide(self, player, accept):
        code = self.turn("decisions", "decide", player)
        if not code:
            self.said[player] = accept
            self.done(player)
        return code

    def do_adjust(self, player, delta):
        code = self.turn("adjustments", "adjust", player)
        if code:
            return code
        if delta not in (-2, 0, 2):
            return "bad_value"
        if self.limit is None:
            self.capacity += delta
        else:
            self.limit = max(1, min(9, self.limit + delta))
        self.done(player)
        return None

    def do_swap_load(self, player, swap, value=None):
        code = self.turn("adjustments", "swap_load", player)
        if code:
            return code
        if value is not None and not (swap and self.up[player]):
            return "bad_value"
        if swap:
            if not self.cards[player]:
                return "not_available"
            if self.up[player]:
                if value is None or not 1 <= value <= 10:
                    return "bad_value"
                if value in self.known[player] or value in self.up[player]:
                    return "card_spent"
                self.take(player, value)
                self.cards[player].add(self.up[player][0])
                self.up[player] = [value]
            else:
                new = self.rng.choice(sorted(self.cards[player]))
                self.cards[player].remove(new)
                self.cards[player].add(self.down[player].pop())
                self.down[player].append(new)
        self.done(player)
        return None

    def do_score(self, player, loads):
        code = self.turn("told", "score", player)
        if code:
            return code
        if len(loads) > 8 or any(not 1 <= value <= 10 for value in loads):
            return "bad_value"
        told = [value for name in self.names for _, value in self.won[name]] + loads
        if any(told.count(value) > len(self.names) for value in loads):
            return "impossible_cards"
        self.won[player] = [("", value) for value in sorted(loads)]
        self.done(player)
        return None

    def after_told(self):
        self.phase = "game_over"

    # ---- the course of a round
    # ------------------------------------------------------------------------------

    def go_on(self):
        """Find out who is asked next; the phases in their order."""
        while not self.asked and self.phase not in ("donkey", "game_over") and self.due is None:
            getattr(self, "after_" + self.phase)()

    def after_loads(self):
        if self.type == "lost" and (self.left or self.waiting_donkeys):
            self.waiting_donkeys.append((self.number, self.down))
            number, capacity = self.number, self.capacity
            self.fresh_table()
            self.number, self.capacity = number, capacity
            self.end(moves=self.moves_each_end)
            return
        self.favours()

    def favours(self):
        self.phase = "favours"
        if self.type != "hurried":
            self.asked = [("favour", name) for name in self.order() if self.spent[name] < 2]

    def after_favours(self):
        self.phase = "peeks"
        lookers = [("peek", name) for name in self.order() if self.entitled(name) > 0]
        if lookers:
            self.asked = [[*lookers, ("peeks_done", None)]]

    def after_peeks(self):
        self.phase = "decisions"
        early = [("decide", name) for name in self.order() if self.favour_of[name] != 2]
        late = [("decide", name) for name in self.order() if self.favour_of[name] == 2]
        if self.decides_freely and early:
            early = [early]
        self.asked = early + late

    def after_decisions(self):
        if self.type == "stubborn" and list(self.said.values()).count(False) * 2 > len(self.names):
            for name in self.names:
                self.lost_sight[name] |= set(self.down[name])
                self.down[name] = []
            self.end()
            return
        self.phase = "adjustments"
        does = {4: "swap_load", 6: "adjust"}
        self.asked = [
            (does[self.favour_of[name]], name) for name in self.order() if self.favour_of[name] in does
        ]

    def after_adjustments(self):
        self.phase = "reveal"
        hidden = [("reveal", name) for name in self.order() if self.down[name]]
        self.asked = [hidden] if hidden else []

    def end(self, moves=True):
        self.first = (self.first + moves) % len(self.names)
        self.asked = []
        if self.left:
            self.phase, self.asked = "donkey", [("donkey", None)]
        elif self.waiting_donkeys:
            self.fresh_table()
            self.number, self.down = self.waiting_donkeys.pop(0)
            self.type, self.capacity = "lost", 5 * len(self.names)
            self.favours()
        else:
            self.phase = "game_over"


class DonkeyValley(GameMachine):
    game = "donkey_valley"

    def begin(self, rng):
        copies = dict.fromkeys(TYPES, 1) | {rng.choice(TYPES): 5, "normal": 5}
        copies["giant"] = copies["giant"] + 20 - sum(copies.values())
        only = [False, False, False, True]
        options = drawn(self.game, rng, donkey_copies=[None, None, copies], hands_only=only)
        return Model(list("ABCDEFG"[: rng.randint(3, 7)]), rng.random(), **options), options

    def send(self, request):
        self.last = super().send(request)
        return self.last

    def compare(self, view):
        self.model.learn(self.last.get("events", []))
        super().compare(view)
