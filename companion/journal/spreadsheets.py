"""Write tables as CSV so that spreadsheets read them as they are meant: decimals instead of
fractions (`10/3` would become a date), names that are not formulas, and the separators that
spreadsheets in French and German expect."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from fractions import Fraction

import msgspec

from companion.texts import clean_text, escape_formula

SEPARATORS: Mapping[str, str] = {"comma": ",", "semicolon": ";", "tab": "\t"}
"""What may stand between the cells of a row, by the words of the command line."""
_DECIMALS = 6


class SheetStyle(msgspec.Struct, frozen=True):
    """The form of a CSV file. `separator`: one of `SEPARATORS`; with the semicolon, numbers have a
    decimal comma. `has_mark`: begin with a byte order mark, by which Excel recognizes UTF-8."""

    separator: str = "comma"
    has_mark: bool = False

    def format_points(self, points: Fraction) -> tuple[str, str]:
        """Return points as a decimal number, rounded to six places, and exactly, as a mixed
        fraction.

        >>> SheetStyle().format_points(Fraction(10, 3)), SheetStyle().format_points(Fraction(7))
        (('3.333333', '3 1/3'), ('7', '7'))
        >>> SheetStyle("semicolon").format_points(Fraction(-5, 2))
        ('-2,5', '-2 1/2')
        """
        decimal = f"{float(points):.{_DECIMALS}f}".rstrip("0").rstrip(".")
        # The sign apart: `divmod` of a negative number would round away from zero.
        whole, rest = divmod(abs(points), 1)
        sign = "-" if points < 0 else ""
        # `0 1/3`: a spreadsheet reads `1/3` as a day, but a mixed fraction as a number.
        exact = f"{sign}{whole} {rest}" if rest else str(points)
        return decimal.replace(".", ",") if self.separator == "semicolon" else decimal, exact

    def write_rows(self, rows: Iterable[Iterable[object]], *, is_first: bool = False) -> str:
        """Return rows of cells as text; `is_first`: they begin the file."""
        out = io.StringIO()
        csv.writer(out, delimiter=SEPARATORS[self.separator]).writerows(rows)
        return ("\ufeff" if is_first and self.has_mark else "") + out.getvalue()


USUAL_STYLE = SheetStyle()


def format_name_cell(name: str) -> str:
    """Return a name for a spreadsheet, where text that begins like a formula must be marked as text
    (https://owasp.org/www-community/attacks/CSV_Injection)."""
    return escape_formula(clean_text(name))
