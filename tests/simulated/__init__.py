"""What stands in for the world where there is none."""
