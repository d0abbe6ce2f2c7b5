"""The program's own decks: deck files, card drawings, and sheets to print."""
