"""Parts of the screen, one widget in each file; each draws one value and decides nothing."""
