"""The end of the model's round: loads are revealed, exchanged, chosen and drawn."""


class Claims:
    def do_reveal(self, player, values):
        code = self.turn("reveal", "reveal", player)
        if code:
            return code
        if len(values) != len(self.down[player]) or any(not 1 <= value <= 10 for value in values):
            return "bad_value"
        if len(set(values)) < len(values) or set(values) & self.known[player]:
            return "card_spent"
        self.cards[player] |= set(self.down[player])
        self.down[player] = []
        for value in values:
            self.take(player, value)
        self.up[player] += values
        self.done(player)
        return None

    def do_exchange(self, player, give=None, take=None, **rest):
        code = self.turn("claims", "exchange", player)
        if code:
            return code
        other = rest["with"]
        if other is not None:
            if other == player or not self.holds[other] or not self.holds[player]:
                return "not_available"
            picks = []
            for holder, value in ((player, give), (other, take)):
                if (value is None and len(self.holds[holder]) > 1) or (
                    value is not None and not 1 <= value <= 10
                ):
                    return "bad_value"
                found = [card for card in self.holds[holder] if value in (None, card[1])]
                if not found:
                    return "not_available"
                picks.append(found[0])
            mine, theirs = self.holds[player], self.holds[other]
            mine[mine.index(picks[0])], theirs[theirs.index(picks[1])] = picks[1], picks[0]
        self.done(player)
        return None

    def do_choose(self, player, card):
        return self.pick("choose", player, card)

    def do_draw(self, player, card):
        if self.draws == "app":
            return "wrong_phase"
        return self.pick("draw", player, card)

    def pick(self, do, player, card):
        code = self.turn("claims", do, player)
        if code:
            return code
        if card is not None:
            if not 1 <= card["value"] <= 10:
                return "bad_value"
            if (card["owner"], card["value"]) not in self.pool:
                return "not_available"
            self.take_from_pool(player, (card["owner"], card["value"]))
        if do == "draw":  # one at a time: the same player may draw again
            self.asked.pop(0)
            if not self.asked:
                self.go_on()
        else:
            self.done(player)
        return None

    def after_reveal(self):
        values = [value for name in self.names for value in self.up[name]]
        if self.type == "attacked":
            self.out = {name for name in self.names if max(values) in self.up[name]}
        if self.type == "hand_picked":
            self.out = {name for name in self.names if values.count(self.up[name][0]) > 1}
        for name in self.names:
            self.known[name] |= set(self.up[name])
            self.holds[name] = [] if name in self.out else [(name, value) for value in self.up[name]]
            self.got[name] = []
        if self.type == "hand_picked" and self.barred == "loads":
            self.out = set()
        weights = [value for held in self.holds.values() for _, value in held]
        self.total = sum(weights)
        if self.limit is None:
            self.over = self.total > self.capacity
        else:
            self.over = max(weights) - min(weights) > self.limit
        self.pool = [card for held in self.holds.values() for card in held]
        self.phase, self.drawing = "claims", False
        do = "choose" if self.over else "exchange"
        self.asked = [(do, name) for name in self.order() if self.favour_of[name] == 8 and self.right(name)]

    def draws_of(self, name):
        return 1 if self.double_draws == "one" else self.loads(name)

    def right(self, name):
        return name not in self.out and self.said[name] != self.over

    def after_claims(self):
        if self.over and not self.drawing:
            self.drawing = True
            draws = [
                ("draw", name)
                for name in self.order()
                if self.right(name)
                for _ in range(self.draws_of(name) - len(self.got[name]))
            ][: len(self.pool)]
            if self.draws == "table":
                self.asked = draws
            elif draws:
                self.due = [name for _, name in draws]
            if draws:
                return
        for name in self.names:
            if self.right(name):
                self.won[name] += [] if self.over else self.holds[name]
        self.end()

    def take_from_pool(self, name, card):
        self.pool.remove(card)
        self.got[name].append(card)
        self.won[name].append(card)

    def learn(self, events):
        """Take over the draws that the program made; they must be draws that were due, from the
        pool."""
        if self.due is None:
            return
        draws = [draw for event in events if event["type"] == "loads_drawn" for draw in event["draws"]]
        assert [draw["player"] for draw in draws] == self.due
        for draw in draws:
            card = (draw["card"]["owner"], draw["card"]["value"])
            self.take_from_pool(draw["player"], card)
        self.due = None
        self.go_on()
