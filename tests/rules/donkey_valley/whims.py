"""What the model's players may do next: something that will be accepted, or anything of the right
shape."""

TYPES = ["normal", "giant", "puny", "precision", "hurried", "holed", "attacked", "lost", "double", "stubborn"]
TYPES += ["difficult", "hand_picked"]


class Whims:
    def legal(self, rng):
        """A request that will be accepted; None when the game is over."""
        if not self.asked:
            return None
        group = self.asked[0] if isinstance(self.asked[0], list) else [self.asked[0]]
        do, name = rng.choice(group)
        if do == "decide" and self.entitled(name) > 0 and self.unseen_by(name) and rng.random() < 0.5:
            do = "peek"
        request = {"do": do} | ({"player": name} if name else {})
        return request | getattr(self, f"legal_{do}")(name, rng)

    def legal_donkey(self, _name, rng):
        copies = self.copies
        free = [kind for kind in TYPES if not copies or self.shown.count(kind) < copies.get(kind, 0)]
        return {"type": rng.choice([*free, *(kind for kind in ("lost", "double") if kind in free)])}

    def legal_load(self, name, rng):
        if self.face_up(name):
            return {"values": [rng.choice(sorted(self.cards[name]))]}
        must = self.must_double
        return {"count": 2 if must else rng.choice([1, 2])} if self.two else {}

    def legal_favour(self, name, rng):
        cards = [value for value in self.cards[name] if value % 2 == 0]
        if not cards or rng.random() < 0.5:
            return {"do": "no_favour"}
        return {"card": rng.choice(cards)}

    def legal_peek(self, name, rng):
        others = [other for other in self.names if other != name for _ in range(self.loads(other))]
        for other in self.looked[name]:
            others.remove(other)
        return {"at": rng.sample(others, min(self.entitled(name), len(others)))}

    def legal_peeks_done(self, _name, _rng):
        return {}

    def legal_decide(self, _name, rng):
        return {"accept": rng.random() < 0.55}

    def legal_adjust(self, _name, rng):
        return {"delta": rng.choice([2, -2, 0])}

    def legal_swap_load(self, name, rng):
        swap = bool(self.cards[name]) and rng.random() < 0.8
        return {
            "swap": swap,
            "value": rng.choice(sorted(self.cards[name])) if swap and self.up[name] else None,
        }

    def legal_reveal(self, name, _rng):
        return {"values": self.down[name]}

    def legal_score(self, _name, rng):
        """Any loads that nobody has yet; often the same high ones, so that players tie."""
        left = [value for value in range(1, 11) for _ in self.names]
        for other in self.names:
            for _, value in self.won[other]:
                left.remove(value)
        return {"loads": rng.sample(left, min(rng.choice([0, 1, 2, 8, rng.randint(0, 8)]), len(left)))}

    def legal_exchange(self, name, rng):
        others = [other for other in self.names if other != name and self.holds[other]]
        if not others or not self.holds[name] or rng.random() < 0.2:
            return {"with": None}
        other = rng.choice(others)
        return {
            "with": other,
            "give": rng.choice(self.holds[name])[1],
            "take": rng.choice(self.holds[other])[1],
        }

    def legal_choose(self, name, rng):
        return {"card": None} if not self.pool or rng.random() < 0.2 else self.legal_draw(name, rng)

    def legal_draw(self, _name, rng):
        owner, value = rng.choice(self.pool)
        return {"card": {"owner": owner, "value": value}}

    def wild(self, rng):
        """Any request of the right shape."""
        names = [*self.names, "Zoe"]
        player, other = rng.choice(names), rng.choice(names)
        if rng.random() < 0.6 and self.asked:
            group = self.asked[0] if isinstance(self.asked[0], list) else [self.asked[0]]
            player = group[0][1] or player
        number = rng.randint(-1, 12)
        card = {"owner": other, "value": number}
        return rng.choice(
            [
                {"do": "donkey", "type": rng.choice([*TYPES, "zebra"])},
                {"do": "load", "player": player, "count": rng.choice([0, 1, 1, 2, 3])},
                {"do": "load", "player": player, "values": [number] * rng.choice([0, 1, 1, 2])},
                {"do": "favour", "player": player, "card": number},
                {"do": "favour", "player": player, "card": rng.choice([2, 4, 6, 8, 10])},
                {"do": "no_favour", "player": player},
                {"do": "peek", "player": player, "at": rng.choices(names, k=rng.randint(1, 4))},
                {"do": "peeks_done"},
                {"do": "decide", "player": player, "accept": rng.random() < 0.5},
                {"do": "adjust", "player": player, "delta": rng.choice([-4, -2, 0, 1, 2])},
                {"do": "swap_load", "player": player, "swap": rng.random() < 0.7},
                {"do": "swap_load", "player": player, "swap": rng.random() < 0.7, "value": number},
                {
                    "do": "reveal",
                    "player": player,
                    "values": rng.choices(range(13), k=rng.choice([0, 1, 1, 2, 3])),
                },
                {"do": "exchange", "player": player, "with": rng.choice([other, None])},
                {
                    "do": "exchange",
                    "player": player,
                    "with": other,
                    "give": number,
                    "take": rng.randint(0, 11),
                },
                {"do": "choose", "player": player, "card": rng.choice([card, None])},
                {"do": "draw", "player": player, "card": card},
                {
                    "do": "score",
                    "player": player,
                    "loads": rng.choices([number, *range(1, 11)], k=rng.randint(0, 9)),
                },
            ]
        )
