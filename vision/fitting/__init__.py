"""Fit one picture of a card to another: place, light, bend, shadow. Knows no deck."""
