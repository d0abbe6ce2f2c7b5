"""The dashboard: what stands beside the table, in the terminal."""
