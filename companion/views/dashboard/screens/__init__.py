"""The screens: the table, the menu of choices, the log with its corrections, the explanations, the help."""
