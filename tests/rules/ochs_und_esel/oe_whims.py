"""What the model's players may do next: something that will be accepted, or anything of the right
shape."""

from tests.rules.ochs_und_esel.oe_cards import ANIMALS, DECK, numbers


class Whims:
    def unseen(self):
        out = self.out()
        return [card for card in numbers(DECK) for _ in range(DECK[card] - out.count(card))]

    def legal(self, rng):
        if self.phase == "game_over":
            return None
        waiting = rng.choice(self.waiting())
        player = waiting["player"]
        if waiting["do"] == "pass":
            return waiting
        if self.unheard:
            return self.told(rng, waiting)
        if waiting["do"] == "hand":
            cards = rng.sample(self.unseen(), self.count[player])
            return {**waiting, "cards": cards + [animal for animal in ANIMALS if self.home[animal] == player]}
        plays = self.plays(player)
        return {**waiting, "cards": rng.choice(plays)} if plays else {"do": "pass", "player": player}

    def told(self, rng, waiting):
        """OE-12: anything that may be left, guessed until it fits."""
        unseen, free = self.unseen(), self.undealt()
        if waiting["do"] == "pile":
            size = min(len(self.names) - rng.choice([1, 2]), free)
            return {**waiting, "cards": ["ox", *rng.sample(unseen, size)]}
        animals = [one for one in ANIMALS if not self.where(one) and (self.ox or one == "donkey")]
        others = len(self.still_to_tell()) - 1
        out = [] in self.left.values()
        held = [one for one in animals if others == 0 or rng.random() < 0.3]
        size = 0 if not out and others <= 1 else rng.randint(0, min(free, 5))
        if not out and (others == 0 or rng.random() < 0.3):
            held, size = [], 0
        if not out and others == 1 and animals:
            held, size = [], 0
        return {**waiting, "cards": [*rng.sample(unseen, size), *held]}

    def plays(self, player):
        cards = self.unseen()
        sets = [[card] * count for card in set(cards) for count in range(1, cards.count(card) + 1)]
        sets += [[*one, "joker"] for one in sets if "joker" in cards and one[0] != "joker"]
        found = [one for one in sets if self.fault(player, one) is None]
        if self.phase == "lead":
            found += [[animal] for animal in ANIMALS if self.fault(player, [animal]) is None] * 20
            found = [one for one in found if len(one) <= 3] or found
        return sorted(found)

    def wild(self, rng):
        if self.unheard:
            return self.wildly_told(rng)
        player = rng.choice([*self.names, *[self.turn or self.names[0]] * 12, "Zoe"])
        do = rng.choice(["play", "play", "play", "pass", "hand"])
        if do == "pass":
            return {"do": do, "player": player}
        if do == "hand" or self.phase == "hands":
            player = rng.choice([*self.names, "Zoe"])
            size = self.size(player) if player in self.names and rng.random() < 0.8 else rng.randint(0, 4)
            mine = [animal for animal in ANIMALS if self.home[animal] == player]
            cards = (mine if rng.random() < 0.7 else rng.choices(ANIMALS, k=2)) + rng.choices(
                list(DECK), k=40
            )
            if rng.random() < 0.3:
                cards = mine + [rng.choice(list(DECK))] * 40
            return {"do": "hand", "player": player, "cards": cards[:size]}
        value = rng.choice(list(DECK))
        cards = rng.choice(
            [
                [value] * rng.randint(0, 3),
                [value] * (len(self.last_played()) if self.phase == "follow" else 9),
                [value, "joker"],
                [rng.choice(ANIMALS)],
                rng.choices([*DECK, "14", "Ochs"], k=rng.randint(0, 5)),
                ["joker"] * rng.randint(1, 5),
            ]
        )
        return {"do": "play", "player": player, "cards": cards}

    def wildly_told(self, rng):
        do = rng.choice(["hand"] * 8 + ["pile"] * 4 + ["play", "pass"])
        player = rng.choice([*self.names, "Zoe"])
        if do == "pass":
            return {"do": do, "player": player}
        size = rng.choice([0, 0, 1, 2, len(self.names) - 1, len(self.names), 9, 14])
        cards = rng.choices([*DECK, *ANIMALS, *ANIMALS, "Ochs"] if rng.random() < 0.3 else list(DECK), k=size)
        if rng.random() < 0.3:
            cards = [*dict.fromkeys(ANIMALS[: rng.randint(1, 2)]), *numbers(cards)]
        return {"do": do, "player": player, "cards": cards}
