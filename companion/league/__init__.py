"""The league: many tables, one page, on PostgreSQL.

Each table keeps its own journal and goes on alone; what it has committed is sent to a league server
afterwards, which keeps it, judges it anew by the rules and shows it.
"""
