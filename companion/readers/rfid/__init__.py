"""RFID readers.

The board's wire protocol (`frames`, `wire`), the thread that holds its port (`link`), which ports
there are (`ports`), keyboard-style readers (`keyboard`), whose tag is whose (`tags`), the simulated
board (`simulator`), and the adapter that turns all of that into sightings (`reader`).

A tag that is seen may lie under a face-down card, so no tag id is ever part of a log line, a `repr`
or an exception here.
"""
