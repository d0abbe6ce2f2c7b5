"""The cards of Ochs & Esel for the plain model."""

DECK = {**{str(value): 8 for value in range(1, 14)}, "joker": 4, "donkey": 1, "ox": 1}
ANIMALS = ("donkey", "ox")


def numbers(cards):
    return [card for card in cards if card not in ANIMALS]
