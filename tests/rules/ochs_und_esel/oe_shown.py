"""What the plain model says that the view must show, and what it checks of itself."""

import itertools

from tests.rules.ochs_und_esel.oe_cards import numbers


class Shown:
    def waiting(self):
        if self.phase == "hands" and self.unheard:
            if self.pile_due():
                return [{"do": "pile", "player": one} for one in self.names]
            return [{"do": "hand", "player": one} for one in self.still_to_tell()]
        name = self.turn
        match self.phase:
            case "lead":
                return [{"do": "pass" if self.stuck(name) else "play", "player": name}]
            case "follow" if not self.count[name]:
                return [{"do": "pass", "player": name}]
            case "follow" if self.kind == "normal":
                return [{"do": "play", "player": name}, {"do": "pass", "player": name}]
            case "follow":
                return [{"do": "play", "player": name}]
            case "hands":
                return [
                    {"do": "hand", "player": one}
                    for one in self.names
                    if self.size(one) and one not in self.left
                ]
        return []

    def view(self):
        result = None
        if self.phase == "game_over":
            order = sorted(self.names, key=self.points.get)
            rank = {one: 1 + sum(self.points[other] < self.points[one] for other in order) for one in order}
            result = {
                "winners": [one for one in order if rank[one] == 1],
                "ranking": [{"player": one, "points": self.points[one], "rank": rank[one]} for one in order],
            }
        beat = None
        if self.phase == "follow" and self.kind == "normal":
            beat = {"count": len(self.last_played()), "value": self.worth(self.last_played())}
        return {
            "game": "ochs_und_esel",
            "phase": self.phase,
            "hand_number": self.number,
            "hands": self.rounds,
            "trick": self.trick_number,
            "trick_kind": self.kind,
            "leader": self.leader,
            "to_beat": beat,
            "donkey": self.home["donkey"],
            "ox": self.home["ox"],
            "waiting_for": self.waiting(),
            "result": result,
            "players": [
                {
                    "name": one,
                    "points": self.points[one],
                    "hand": self.size(one),
                    "pile": len(self.front[one]),
                }
                for one in self.names
            ],
        }

    def check(self):
        if self.unheard:
            return
        in_hands = sum(self.count.values())
        out = numbers(
            [
                *self.shed,
                *itertools.chain(*(cards for _, cards in self.done)),
                *itertools.chain(*self.front.values()),
            ]
        )
        assert in_hands + len(out) == self.deal * len(self.names)
