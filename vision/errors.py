"""Errors of `vision`; every message is a plain sentence that can be shown to a player."""

import re

OPENCV_NEEDS = {
    "apt": ("libgl1", "libglib2.0-0"),
    "dnf": ("mesa-libGL", "glib2"),
}
"""Packages with the shared libraries that the wheel `opencv-python` loads and does not contain
(libGL.so.1, libgthread-2.0.so.0, libglib-2.0.so.0, and libxcb.so.1, which comes with the first), by
package tool: Debian and Ubuntu, Fedora. `opencv-python-headless` is the same OpenCV and needs none
of them."""


class VisionError(Exception):
    """Base of all errors that `vision` raises on purpose; its text says what to do."""


class PhotoError(VisionError):
    """A photo or video cannot be read: it is missing, empty, damaged or not a picture."""


class LabelsError(VisionError):
    """A labels file cannot be used: it is unreadable, not JSON, or a field is missing or wrong."""


class LibraryError(VisionError):
    """A deck folder holds no usable reference views.

    For programs that show other languages: `reason` is a code (`none`, `damaged`, `view`,
    `version`, `link`, `unwritable`, `aside`; empty where only the message explains), `place` the
    folder, file or card that the error is about.
    """

    def __init__(self, message: str, reason: str = "", place: str = "") -> None:
        super().__init__(message)
        self.reason = reason
        self.place = place


class PlaneError(VisionError):
    """The points given for the table plane do not describe a plane seen by the camera."""


def missing_library(fault: BaseException) -> str:
    """Return the shared library (`libGL.so.1`) without which OpenCV could not be loaded; "" for any
    other fault.

    >>> missing_library(ImportError("libGL.so.1: cannot open shared object file", name="cv2"))
    'libGL.so.1'
    >>> missing_library(ImportError("libxcb.so.1: cannot open shared object file"))
    'libxcb.so.1'
    >>> missing_library(ImportError("libm.so.6: cannot open shared object file", name="numpy"))
    ''
    >>> missing_library(ImportError("No module named 'cv2'", name="cv2"))
    ''
    """
    visited: list[BaseException] = []
    step: BaseException | None = fault
    # the fault may be wrapped in others, and a chain of causes may run in a circle
    while step is not None and step not in visited:
        # Unnamed: who wraps OpenCV's own loader raises the system's words without the module.
        if isinstance(step, ImportError) and (step.name or "cv2").partition(".")[0] == "cv2":
            found = re.match(r"lib\S+\.so[.\d]*", str(step))
            if found is not None:
                return found[0]
        visited.append(step)
        step = step.__cause__ or step.__context__
    return ""
