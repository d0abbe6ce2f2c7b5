"""An evening put together: game, deck, readers, journal and what runs behind the table, by what the
players chose."""
