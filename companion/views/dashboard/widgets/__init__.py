"""The parts of the screen, one widget a file; each draws one value and decides nothing."""
