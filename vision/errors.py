"""What can go wrong in `vision`; every message is a plain sentence that can be shown to a
player."""


class VisionError(Exception):
    """Base of all errors that `vision` raises on purpose; its text says what to do."""


class PhotoError(VisionError):
    """A photo or video cannot be read: missing, empty, damaged or not a picture."""


class LabelsError(VisionError):
    """A labels file cannot be used: unreadable, not JSON, or a field is missing or wrong."""


class LibraryError(VisionError):
    """A deck folder holds no usable reference views.

    For programs that speak other languages: `reason` is a code (`none`, `damaged`, `view`,
    `version`, `link`, `unwritable`, `aside`; empty where only the message tells), `place` the
    folder, file or card that it is about.
    """

    def __init__(self, message: str, reason: str = "", place: str = "") -> None:
        super().__init__(message)
        self.reason = reason
        self.place = place


class PlaneError(VisionError):
    """The points given for the table plane do not describe a plane seen by the camera."""
