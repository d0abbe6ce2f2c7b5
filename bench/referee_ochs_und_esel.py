"""Requests a second of the referee in Ochs & Esel."""

from __future__ import annotations

from bench.game_lines import Row, requests_a_second, show


def run() -> list[Row]:
    """Measure seven players with the ox, and the largest table."""
    return [requests_a_second("ochs_und_esel", 7, ox=True), requests_a_second("ochs_und_esel", 12)]


if __name__ == "__main__":
    show(run())
