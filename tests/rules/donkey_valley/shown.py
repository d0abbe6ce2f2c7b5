"""What the plain model says that the view must show, and what it checks of itself."""


class Shown:
    def points(self, name):
        return sum(value for _, value in self.won[name])

    def waiting(self):
        if not self.asked:
            return []
        group = self.asked[0] if isinstance(self.asked[0], list) else [self.asked[0]]
        found = []
        for do, name in group:
            found.append({"do": do, "player": name})
            if do == "favour":
                found.append({"do": "no_favour", "player": name})
            if do == "decide" and self.entitled(name) > 0 and self.unseen_by(name):
                found.append({"do": "peek", "player": name})
        return found

    def view(self):
        result = None
        if self.phase == "game_over":
            key = {name: (self.points(name), len(self.won[name])) for name in self.names}
            rank = {name: 1 + sum(key[other] > key[name] for other in self.names) for name in self.names}
            order = sorted(self.names, key=lambda name: rank[name])
            result = {
                "winners": [name for name in order if rank[name] == 1],
                "ranking": [
                    {"player": name, "points": self.points(name), "rank": rank[name]} for name in order
                ],
            }
        return {
            "game": "donkey_valley",
            "phase": self.phase,
            "waiting_for": self.waiting(),
            "result": result,
            "round": self.number,
            "rounds": 8,
            "donkey": self.type,
            "capacity": self.capacity,
            "spread_limit": self.limit,
            "first_player": self.names[self.first],
            "donkeys_left": self.left,
            "set_aside": len(self.waiting_donkeys),
            "total": self.total,
            "overloaded": self.over,
            "players": [
                {
                    "name": name,
                    "points": self.points(name),
                    "loads_won": [{"owner": owner, "value": value} for owner, value in self.won[name]],
                    "favours_left": 2 - self.spent[name],
                    "favour": self.favour_of[name],
                    "decision": self.said[name],
                    "loads_down": len(self.down[name]),
                    "loads_up": self.up[name],
                    "hand": len(self.cards[name]),
                }
                for name in self.names
            ],
        }

    def check(self):
        """Every player's ten cards are somewhere, once."""
        for name in self.names:
            lying = self.down[name] + [value for value in self.up[name] if value not in self.known[name]]
            aside = [value for _, down in self.waiting_donkeys for value in down[name]]
            places = [*self.cards[name], *self.known[name], *self.lost_sight[name], *lying, *aside]
            assert sorted(places) == list(range(1, 11)), (name, places)
        everywhere = [card for cards in self.won.values() for card in cards]
        coloured = [card for card in everywhere if card[0]]  # entered at the end, a load has no colour
        assert len(coloured) == len(set(coloured))
        worth = [value for _, value in everywhere]
        assert all(worth.count(value) <= len(self.names) for value in worth)
