"""RFID readers.

`frames` and `wire` implement the board's protocol, `ports` finds serial ports, `board` turns what a
board says into sightings, `keyboard` reads devices that type tag ids, `tag_enrolment` enrols
tags, `simulator` runs the firmware without hardware, and `boot_loader` installs it.

A tag may be on a face-down card, so tag ids never appear in log lines, `repr`s or exceptions here.
"""
