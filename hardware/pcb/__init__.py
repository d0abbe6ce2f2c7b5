"""Circuit boards made from the circuit: where each part lies (`layout`), the tracks between them
(`router`), KiCad's files (`board`).

`board` runs in the Python that KiCad's module `pcbnew` is installed for (Debian: the system's);
nothing here needs anything else.
"""
