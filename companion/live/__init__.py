"""Live session: carries sightings from readers through table, game and journal to the views, in one
thread."""
