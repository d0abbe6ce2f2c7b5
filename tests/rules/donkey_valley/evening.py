"""Table talk for Donkey Valley: a round in a few words. Players are called by letters; loads and
decisions go in the order of the start."""

from tests.rules.talk import Talk


class Evening(Talk):
    """`names`: a string of letters."""

    def __init__(self, names="ABC", **options):
        super().__init__("donkey_valley", list(names), **options)
        self.names = list(names)
        self.hidden = {}

    def donkey(self, kind):
        """Turn up a donkey."""
        return self.ok("donkey", type=kind)

    def load(self, *values):
        """Everybody loads, face down: one value each, or a tuple of two on a double."""
        for name, value in zip(self.names, values, strict=True):
            both = value if isinstance(value, tuple) else (value,)
            self.hidden[name] = list(both)
            self.ok("load", player=name, count=len(both))
        return self.view

    def favours(self, **cards):
        """Ask for favours: `B=8` for Ben's eight; the others want none."""
        while self.view["phase"] == "favours":
            name = self.view["waiting_for"][0]["player"]
            if name in cards:
                self.ok("favour", player=name, card=cards[name])
            else:
                self.ok("no_favour", player=name)
        return self.view

    def decide(self, answers):
        """Decide in the order that is asked for: `ARA` for the players of the start, A accepts and
        R refuses."""
        wanted = dict(zip(self.names, answers, strict=True))
        while self.view["phase"] == "decisions":
            name = self.view["waiting_for"][0]["player"]
            self.ok("decide", player=name, accept=wanted[name] == "A")
        return self.view

    def reveal(self, **instead):
        """Everybody shows what was laid, or what is said here instead."""
        while self.view["phase"] == "reveal":
            name = self.view["waiting_for"][0]["player"]
            self.ok("reveal", player=name, values=instead.get(name, self.hidden[name]))
        return self.view

    def round(self, kind, values, answers, **cards):
        """A whole round up to the reveal; peeks are skipped."""
        self.donkey(kind)
        self.load(*values)
        self.favours(**cards)
        if self.view["phase"] == "peeks":
            self.ok("peeks_done")
        self.decide(answers)
        if self.view["phase"] == "reveal":
            self.reveal()
        return self.view

    def event(self, kind):
        """The one event of this type that the last request caused."""
        (found,) = [event for event in self.events if event["type"] == kind]
        return found

    def won(self, name):
        """`A7 B3`: the loads that a player has won."""
        cards = self.view["players"][self.names.index(name)]["loads_won"]
        return " ".join(f"{card['owner']}{card['value']}" for card in cards)

    @property
    def points(self):
        return self.column("points")
