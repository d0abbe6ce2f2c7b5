"""Points as people type them, as the database stores them, and exactly: games share points, so that
somebody may have 10/3."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction

from companion.rules.contract import Problem
from companion.texts import clean_text

_STORED = Decimal("0.000001")
_TYPED = re.compile(r"[-+]?[0-9]{1,6}([.,][0-9]{1,6}|/[1-9][0-9]{0,2})?")
_LARGEST_SHARE = 500
"""Largest denominator that is restored from six decimals; those of games divide 420, because at
most seven players share points."""


def parse_points(typed: str) -> Fraction:
    """Return points as people type them: `7`, `-2`, `3.5`, `3,5`, `10/3`. Raises `Problem` for
    anything else.

    >>> parse_points(" 3,5 "), parse_points("10/3")
    (Fraction(7, 2), Fraction(10, 3))
    """
    # `Fraction` alone would also read `1e99`, and `float` even `nan`.
    if not _TYPED.fullmatch(typed.strip()):
        raise Problem("league.no_points", typed=clean_text(typed))
    return Fraction(typed.strip().replace(",", "."))


def store_points(points: Fraction) -> Decimal:
    """Round points to the six decimals that the database stores."""
    return (Decimal(points.numerator) / Decimal(points.denominator)).quantize(_STORED)


def restore_points(stored: Decimal | float) -> Fraction:
    """Return the exact points of which six decimals were stored.

    >>> restore_points(Decimal("3.333333")), restore_points(2.5)
    (Fraction(10, 3), Fraction(5, 2))
    """
    exact = Fraction(stored).limit_denominator(_LARGEST_SHARE)
    # What was typed with many decimals is no share of anything.
    return exact if store_points(exact) == store_points(Fraction(stored)) else Fraction(str(stored))
