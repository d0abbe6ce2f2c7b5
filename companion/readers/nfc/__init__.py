"""Tag readers that need no soldering: each device is one pad.

What lies on which device (`pads`), PC/SC readers (`pcsc`, over the operating system's service
`scard`). A further kind of device is one more module that says to a `TagPads` what lies where
(`lying`) or what was held up to it (`shown`), as a phone's page would.

A tag that is seen may lie under a face-down card, so no tag id is ever part of a log line, a `repr`
or an exception here.
"""
