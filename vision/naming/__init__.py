"""Identify the design of a card, and decide whether that is sure."""
