"""The companion for real card tables: it sees the cards, knows the rules, keeps the scores and says
why."""

import os as _os

__version__ = "0.1.0"

# Before OpenCV is loaded, whichever module comes first: see `vision.MAX_PIXELS`.
_os.environ.setdefault("OPENCV_IO_MAX_IMAGE_PIXELS", str(2**27))
