"""Tag readers that need no soldering; each device is one pad.

`tag_pads` keeps track of the cards on each device, phones included; `pcsc` talks to PC/SC readers
through the operating system's service; `pn532` talks to a PN532 module on a serial port. A further
kind of device is one more module that reports to a `TagPads`: `report_tags` for all tags that are
on a device now, `report_tap` for a tag that was only held up to it.

A tag may be on a face-down card, so tag ids never appear in log lines, `repr`s or exceptions here.
"""

from typing import TYPE_CHECKING

from companion import make_lazy_getattr

if TYPE_CHECKING:
    from companion.readers.nfc import tag_pads as tag_pads

__getattr__ = make_lazy_getattr(__name__)
