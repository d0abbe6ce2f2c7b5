"""The rules: pure functions from state and request to events or refusal, one package a game."""
