"""The five games, a folder each: rules, panel, simulated players and drawn cards. Each is found by
its entry point and is shaped like a plug-in (`docs/sixth_game`)."""
