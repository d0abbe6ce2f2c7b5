"""The table: all cards that readers see, merged into stable placements with their zones."""
