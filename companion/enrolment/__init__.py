"""Enrolling a deck: showing the camera each design of the cards that people own."""
