"""Requests a second of the referee in DTC."""

from __future__ import annotations

from bench.game_lines import Row, requests_a_second, show


def run() -> list[Row]:
    """Measure a full table."""
    return [requests_a_second("dtc", 6)]


if __name__ == "__main__":
    show(run())
