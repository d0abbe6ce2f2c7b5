"""The dashboard: a full-screen terminal application beside the table."""
