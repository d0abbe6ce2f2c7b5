"""The names that are printed on cards, in capitals, by language."""

from __future__ import annotations

DONKEYS: dict[str, dict[str, str]] = {
    "en": {
        "normal": "NORMAL",
        "giant": "GIANT",
        "puny": "PUNY",
        "precision": "PRECISION",
        "hurried": "HURRIED",
        "holed": "HOLED",
        "attacked": "ATTACKED",
        "lost": "LOST",
        "double": "DOUBLE",
        "stubborn": "STUBBORN",
        "difficult": "DIFFICULT",
        "hand_picked": "HAND-PICKED",
    },
    "fr": {
        "normal": "NORMAL",
        "giant": "GÉANT",
        "puny": "CHÉTIF",
        "precision": "DE PRÉCISION",
        "hurried": "PRESSÉ",
        "holed": "TROUÉ",
        "attacked": "ATTAQUÉ",
        "lost": "PERDU",
        "double": "DOUBLE",
        "stubborn": "TÊTU",
        "difficult": "DIFFICILE",
        "hand_picked": "TRIÉ SUR LE VOLET",
    },
}
"""The donkeys' names by language, as written on the cards."""

DECKTET_FRENCH: dict[str, str] = {
    "excuse": "EXCUSE", "author": "AUTEUR", "desert": "DÉSERT", "origin": "ORIGINE", "journey": "VOYAGE", "painter": "PEINTRE",
    "savage": "SAUVAGE", "mountain": "MONTAGNE", "sailor": "MARIN", "battle": "BATAILLE", "forest": "FORÊT", "discovery": "DÉCOUVERTE",
    "soldier": "SOLDAT", "lunatic": "LUNATIQUE", "penitent": "PÉNITENT", "market": "MARCHÉ", "chance_meeting": "RENCONTRE",
    "castle": "CHÂTEAU", "cave": "CAVERNE", "diplomat": "DIPLOMATE", "mill": "MOULIN", "betrayal": "TRAHISON", "pact": "PACTE",
    "darkness": "TÉNÈBRES", "merchant": "MARCHAND", "watchman": "VEILLEUR", "light_keeper": "GARDIEN DU PHARE", "borderland": "FRONTIÈRE",
    "harvest": "MOISSON", "consul": "CONSUL", "window": "FENÊTRE", "island": "ÎLE", "rite": "RITE", "huntress": "CHASSERESSE",
    "bard": "BARDE", "sea": "MER", "end": "FIN", "calamity": "CALAMITÉ", "windfall": "AUBAINE", "ace_of_moons": "AS DES LUNES",
    "ace_of_suns": "AS DES SOLEILS", "ace_of_waves": "AS DES VAGUES", "ace_of_leaves": "AS DES FEUILLES", "ace_of_wyrms": "AS DES GUIVRES",
    "ace_of_knots": "AS DES NŒUDS",
}  # fmt: skip
"""The Decktet's cards in French; in English a card's name is its id."""
