"""The companion for real card tables: it sees the cards, knows the rules, keeps the scores and says why."""

__version__ = "0.1.0"
