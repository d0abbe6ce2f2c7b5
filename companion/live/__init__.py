"""The live session: readers to table to game to journal to views, in one thread."""
