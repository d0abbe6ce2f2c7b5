"""Frames in, identified cards out. Knows no game."""

import os as _os

MAX_PIXELS = 2**27
"""Of a picture: 134 million. The largest of a phone's camera is 108 million; 30,000 x 30,000 pixels would take 5 GB to read."""
_os.environ.setdefault(
    "OPENCV_IO_MAX_IMAGE_PIXELS", str(MAX_PIXELS)
)  # OpenCV reads it once, when it is loaded
