"""Donkey Valley's summary cards, in English and French: the twelve donkeys on one face, the round and the favours on the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from companion.decks.ink import DARK, PAPER, WIDTH, box, circle, put
from companion.decks.letters import fitted
from companion.decks.loads import FAVOURS
from companion.decks.names import DONKEYS
from companion.decks.patterns import edge
from companion.decks.scenes import KINDS, scene, tinted


@dataclass(frozen=True)
class Words:
    """One line of small print: its left end and base line in millimetres, its height in points, and whether it is bold."""

    x: float
    y: float
    points: float
    text: str
    bold: bool = False
    colour: str = DARK


_DONKEYS: dict[str, dict[str, tuple[str, ...]]] = {
    "en": {
        "normal": ("Bears 5 × the number of players.",),
        "giant": ("Bears 6 × the number of players.",),
        "puny": ("Bears 4 × the number of players.",),
        "precision": ("No limit; overloaded when highest", "minus lowest load is more than 5."),
        "hurried": ("No favours this round.",),
        "holed": ("Before deciding, everyone may", "look at one load."),
        "attacked": ("The highest load is removed (all", "of them, if equal); it wins nothing."),
        "lost": ("Set aside with its loads; goes on", "after all other donkeys."),
        "double": ("Two rounds in one: bears 10 ×,", "one or two loads each."),
        "stubborn": ("More than half refuse: all loads", "leave the game unseen."),
        "difficult": ("Loads in turn; the first and the", "last one face up."),
        "hand_picked": ("Equal loads of different players", "are removed and win nothing."),
    },
    "fr": {
        "normal": ("Porte 5 × le nombre de joueurs.",),
        "giant": ("Porte 6 × le nombre de joueurs.",),
        "puny": ("Porte 4 × le nombre de joueurs.",),
        "precision": ("Pas de limite ; surchargé si l’écart", "entre les charges dépasse 5."),
        "hurried": ("Aucune faveur cette manche.",),
        "holed": ("Avant de décider, chacun peut", "regarder une charge."),
        "attacked": ("La plus forte charge est retirée", "(toutes à égalité) et ne gagne rien."),
        "lost": ("Mis de côté avec ses charges ;", "repris après tous les autres ânes."),
        "double": ("Deux manches en une : porte 10 ×,", "une ou deux charges chacun."),
        "stubborn": ("Plus de la moitié refuse : toutes", "les charges quittent le jeu."),
        "difficult": ("Charges à tour de rôle ; première", "et dernière face visible."),
        "hand_picked": ("Les charges égales de joueurs", "différents sont retirées."),
    },
}
_ROUND: dict[str, tuple[str, ...]] = {
    "en": (
        "1  Reveal the donkey.",
        "2  Each plays one load face down.",
        "3  Favours, clockwise: at most one a round,",
        "    two a game. Lay an even load face up.",
        "4  Accept or refuse, clockwise.",
        "5  Reveal. Within the limit: who accepted",
        "    wins the own load. Overloaded: who",
        "    refused draws a load at random.",
        "6  The first-player card moves on.",
    ),
    "fr": (
        "1  On révèle l’âne.",
        "2  Chacun joue une charge face cachée.",
        "3  Faveurs, sens horaire : une par manche, deux",
        "    par partie. Charge paire face visible.",
        "4  On accepte ou on refuse, sens horaire.",
        "5  On révèle. Pas surchargé : qui a accepté",
        "    gagne sa charge. Surchargé : qui a refusé",
        "    tire une charge au hasard.",
        "6  La carte premier joueur avance.",
    ),
}
_FAVOURS: dict[str, dict[int, tuple[str, ...]]] = {
    "en": {
        2: ("Decide after everybody else.",),
        4: ("After the decisions: exchange a load", "with one of your hand."),
        6: ("After the decisions: the limit goes up", "or down by 2."),
        8: ("If right: exchange with another player,", "or choose your load before the draw."),
        10: ("Look at half of the loads before", "decisions (rounded down)."),
    },
    "fr": {
        2: ("Décider après tous les autres.",),
        4: ("Après les décisions : échanger une", "charge avec une de sa main."),
        6: ("Après les décisions : la limite monte", "ou baisse de 2."),
        8: ("Si on a eu raison : échanger avec un", "joueur, ou choisir avant le tirage."),
        10: ("Regarder la moitié des charges avant", "de décider (arrondie en dessous)."),
    },
}
_TITLES = {"en": ("DONKEYS", "ROUND & FAVOURS"), "fr": ("LES ÂNES", "MANCHE ET FAVEURS")}


def summary(face: int, lang: str = "en") -> tuple[str, tuple[Words, ...]]:
    """Return art and small print of the summary card: face 1 the donkeys, face 2 the round and the favours."""
    return _donkeys(lang) if face == 1 else _round(lang)


def _sheet(title: str, ink: str, rows: str) -> str:
    """Draw a titled sheet about its rows, which the rounded frame cuts."""
    head = box(2, 2, WIDTH - 4, 10, 0, ink) + fitted(title, WIDTH / 2, 5.4, 4, 50, PAPER)
    return box(2, 2, 59, 84, 0, PAPER) + rows + head + edge() + box(3, 3, 57, 82, 3.5, "none", ink, 1)


def _donkeys(lang: str) -> tuple[str, tuple[Words, ...]]:
    art = ""
    words: list[Words] = []
    for row, kind in enumerate(KINDS):
        top = 13.0 + 5.95 * row
        art += box(3.6, top, 55.8, 5.8, 0, tinted(kind)) + put(scene(kind, lang), 4.4, top + 0.2, 0.061)
        words.append(Words(9.2, top + 3.7, 5.0, DONKEYS[lang][kind].capitalize(), True))
        words += _lines(25.6, top, _DONKEYS[lang][kind], 5.8)
    return _sheet(_TITLES[lang][0], "#2f6f8f", art), tuple(words)


def _lines(x: float, top: float, lines: Sequence[str], room: float, points: float = 5.0) -> list[Words]:
    """Set one or two lines in the height `room`, about its middle."""
    step = 2.25
    first = top + room / 2 + 0.75 - step * (len(lines) - 1) / 2
    return [Words(x, first + step * k, points, text) for k, text in enumerate(lines)]


def _round(lang: str) -> tuple[str, tuple[Words, ...]]:
    art = ""
    words = [Words(6, 16.6 + 3.0 * k, 6.0, text) for k, text in enumerate(_ROUND[lang])]
    for row, (value, lines) in enumerate(_FAVOURS[lang].items()):
        top = 43.6 + 8.1 * row
        art += box(3.6, top, 55.8, 7.8, 0, "#f6e7d8" if row % 2 else "#fbf3e8")
        art += fitted(str(value), 8.6, top + 1.9, 4, 6, DARK, 2.1) + circle(
            17, top + 3.9, 3.6, "#ffffff", DARK, 0.4
        )
        art += put(FAVOURS[value], 17, top + 3.9, 0.44)
        words += _lines(22.4, top, lines, 7.8, 5.8)
    return _sheet(_TITLES[lang][1], "#7a2f14", art), tuple(words)
