"""What a reader said last of itself, for screens that show one reader and nothing of a game."""

from __future__ import annotations

from companion.table.sightings import Health, Report


class HealthWatch:
    """Hears the reports of one reader, and keeps the last of its `health`; None while it has not
    said. Safe from any thread."""

    def __init__(self) -> None:
        self.health: Health | None = None

    def __call__(self, report: Report) -> None:
        """Take a report."""
        if isinstance(report, Health):
            self.health = report
