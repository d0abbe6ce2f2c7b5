"""Enrolment: show the camera each design of a deck that people own."""
