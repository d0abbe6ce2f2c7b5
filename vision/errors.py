"""What can go wrong in `vision`; every message is a plain sentence that can be shown to a player."""


class VisionError(Exception):
    """Base of all errors that `vision` raises on purpose; its text says what to do."""


class PhotoError(VisionError):
    """A photo or video cannot be read: missing, empty, damaged or not a picture."""


class LabelsError(VisionError):
    """A labels file cannot be used: unreadable, not JSON, or a field is missing or wrong."""


class LibraryError(VisionError):
    """A deck folder holds no usable reference views."""


class PlaneError(VisionError):
    """The points given for the table plane do not describe a plane seen by the camera."""
