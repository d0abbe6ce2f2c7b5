"""The table: what lies where now, merged from all readers, stable, with its zone."""
