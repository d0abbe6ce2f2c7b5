"""Tag readers that need no soldering: each device is one pad.

What lies on which device, a phone among them (`pads`), PC/SC readers (`pcsc`, over the operating
system's service), a PN532 on a serial line (`pn532`). A further kind of device is one more
module that says to a `TagPads` what lies where (`lying`) or what was held up to it (`shown`).

A tag that is seen may lie under a face-down card, so no tag id is ever part of a log line, a `repr`
or an exception here.
"""

from typing import TYPE_CHECKING

from companion import lazily

if TYPE_CHECKING:
    from companion.readers.nfc import pads as pads

__getattr__ = lazily(__name__)
