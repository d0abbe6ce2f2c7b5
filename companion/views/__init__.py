"""The views: they read; they never decide."""
