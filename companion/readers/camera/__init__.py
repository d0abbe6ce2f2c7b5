"""Camera reader: sources of frames, the thread that looks at them, and the reports it makes."""

from typing import TYPE_CHECKING

from companion import make_lazy_getattr

if TYPE_CHECKING:
    from companion.readers.camera import frames as frames
    from companion.readers.camera import reader as reader
    from companion.readers.camera import sources as sources

__getattr__ = make_lazy_getattr(__name__)
