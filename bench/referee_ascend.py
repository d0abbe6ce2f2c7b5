"""Requests a second of the referee in Ascend."""

from __future__ import annotations

from bench.game_lines import Row, requests_a_second, show


def run() -> list[Row]:
    """Measure a full table, with bidding."""
    return [requests_a_second("ascend", 4, bidding=True)]


if __name__ == "__main__":
    show(run())
