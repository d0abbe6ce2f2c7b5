"""Read user-supplied photographs and JSON files safely: ordinary files of limited size, never
blocking."""

import io
import json
import os
import stat
from importlib import import_module
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision import MAX_PIXELS
from vision.errors import PhotoError

Image = NDArray[np.uint8]
"""A picture: height x width x 3, blue-green-red, 0 to 255."""

MAX_BYTES = 200_000_000
"""Size from which a file is not a photograph of a table (a raw video by mistake, a device file)."""
_ISO_MEDIA = b"ftyp"
"""Mark of HEIC and AVIF files, as of any ISO base media file (ISO/IEC 14496-12), at byte 4."""
_TOO_MANY = "CV_IO_MAX_IMAGE_PIXELS"
"""Name in OpenCV's error for a picture with more pixels than `vision.MAX_PIXELS`."""


def load_photo(path: str | Path) -> Image:
    """Read a photo as BGR, turned upright by its EXIF orientation.

    Raises `PhotoError` when the file is missing, empty, damaged or not a picture.
    """
    file = Path(path)
    try:
        size = file.stat().st_size
        if not file.is_file():
            raise PhotoError(f"{file} is not a file; give the path of a photo.")
        if size > MAX_BYTES:
            raise PhotoError(f"{file} is too large for a photo ({size // 1_000_000} MB).")
        data = np.fromfile(file, dtype=np.uint8)
    except OSError as error:
        raise PhotoError(f"{file} cannot be opened: {error.strerror or error}.") from error
    if data.size == 0:
        raise PhotoError(f"{file} is empty; take the photo again.")
    return decode_photo(data, str(file))


def decode_photo(data: NDArray[np.uint8], name: str = "the picture") -> Image:
    """Decode an encoded picture (JPEG, PNG, HEIC, AVIF, ...) in memory; `name` is for the error
    text.

    Raises `PhotoError` when the bytes cannot be read as a picture.
    """
    if bytes(data[4:8]) == _ISO_MEDIA:
        image: Any = _decode_iso_media(data, name)
    else:
        image = _decode_with_opencv(data, name)
    if image is None or image.size == 0 or min(image.shape[:2]) < 16:
        raise PhotoError(f"{name} is damaged or not a picture; save it as JPEG or PNG.")
    return np.asarray(image, dtype=np.uint8)


def _decode_with_opencv(data: NDArray[np.uint8], name: str) -> NDArray[Any] | None:
    try:
        return cv2.imdecode(data, cv2.IMREAD_COLOR)
    except cv2.error as error:
        if _TOO_MANY in str(error):
            raise _too_many_pixels_error(name) from error
        raise PhotoError(f"{name} is damaged and cannot be read as a picture.") from error


def _too_many_pixels_error(name: str) -> PhotoError:
    return PhotoError(f"{name} has more than {MAX_PIXELS // 1_000_000} million pixels: save it smaller.")


def _decode_iso_media(data: NDArray[np.uint8], name: str) -> Image:
    """Decode a HEIC or AVIF photo as BGR, turned upright, which OpenCV does not do with either."""
    pil, ops = import_module("PIL.Image"), import_module("PIL.ImageOps")
    try:
        import_module("pi_heif").register_heif_opener()
        missing = ""
    except ImportError:
        # where a system has no build of it, everything else works
        missing = " (HEIC photos need the package pi-heif: pip install pi-heif)"
    try:
        with pil.open(io.BytesIO(data.tobytes())) as picture:
            if picture.width * picture.height > MAX_PIXELS:
                raise _too_many_pixels_error(name)
            upright = ops.exif_transpose(picture).convert("RGB")
        return np.ascontiguousarray(np.asarray(upright, dtype=np.uint8)[:, :, ::-1])
    except PhotoError:
        raise
    except Exception as error:
        # damaged files raise almost anything in Pillow and its plug-ins
        raise PhotoError(f"{name} cannot be read as a picture{missing}; save it as JPEG.") from error


MOST_BYTES = 10_000_000
"""Greatest size of a labels file or an index of views: a thousand labelled photos have 1 MB."""


def _open_without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def load_json(path: Path) -> Any:
    """Return the content of the JSON file `path`.

    Raises `OSError` when it cannot be opened, `ValueError` when it is not an ordinary file, is too
    large, is nested too deeply or is not valid JSON.
    """
    # a pipe without a writer would block when it is opened; by an opener, because `open`
    # does not close a descriptor that it was given if that belongs to a folder
    with open(path, "rb", opener=_open_without_waiting) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise ValueError("no ordinary file")
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise ValueError(f"more than {MOST_BYTES // 1_000_000} MB")
    try:
        return json.loads(data)
    except RecursionError as error:
        raise ValueError("brackets too deep") from error
