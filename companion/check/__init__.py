"""The self-test: `judge` says what measurements mean, `measure` takes them, `course` puts them in order, a view shows it."""
