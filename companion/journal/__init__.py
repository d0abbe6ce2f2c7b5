"""The journal: SQLite, append only, durable before anything is shown."""
