"""The markers that are printed, without OpenCV: who prints cards or a board needs no camera.

`vision.markers` finds them. The numbers are those of OpenCV's predefined dictionaries
DICT_4X4_100 and DICT_5X5_250; `vision.markers.draw_marker` draws the same.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vision.errors import VisionError


class _Dictionary(NamedTuple):
    """`side`: bits in a row; `codes`: the bits of every marker in hexadecimal, row by row, white is
    1, all markers one after the other."""

    side: int
    codes: str

    @property
    def digits(self) -> int:
        """Hexadecimal digits of one marker."""
        return -(-(self.side**2) // 4)


_DICTIONARIES = {
    "aruco4x4": _Dictionary(
        4,
        "b5320f9a332d9946549e79cd9e2ec4f2fedacf56f99111a70eb72a0f24b1263e466566006c5e76af"
        "868bb02bccd5dd82fe479471ace4a5542123346f441557b29ecff0cb08ae0929187504ff0df61c5a"
        "17182a28328c38b224e82eeb2d3f4b64502e5013519455685d415f9768016867612461e96b126fe5"
        "67df7e1b80a083448ba2937a846c852a859c9c899fa1bb7cbc04b65bbfc8b7abca1fc962d958d3d5"
        "cc98c7a0c537e95df925fbbbee2af74d35758aad76170acf064b2dc149d843f44f364fd369e470c7",
    ),
    "aruco5x5": _Dictionary(
        5,
        "145b2bc01c06e61af0edd10395f71aeb5241d4082d0d3d7ec0e2146b10d61321313fa513cee03"
        "1a2dac01e62b1105e71661fcfca8051e37f097a7580bea26f0f64dc41061de812dda75150e440"
        "16b0ca10ba12de19cd0231a599721c3ce8b022424603b9672024223b027376e0368873040d0ce"
        "04aaac804643ba07a6fea0998aac082d10109aad1d0863c720ad28250a52f9e0d849f70c309d9"
        "0da7e310e9627a0e9b9970f948060f591250f6b7d711b58e411ad27911e380b116944512ffb4a"
        "158cb8d15987f01422fdf14e1227156df22173dbf1164c93c17cbb861880a8719147dd184eb8a"
        "18d85ad1b2cda91babd731e9d4321e765280f5740a1b11a53018ce6502ab219098e9810a8061c"
        "141a158185314c196d12c1fad3a200922b5019bce000b547c002c76f0132289012d2a700c4b43"
        "0067bc500faa0d01f1f54038e8790323b2302c364702da51b02e9d8d027c56203efdf50521ee0"
        "0448efd0542f81055f6c9047e00804f9bf8046d55805ef65e069218806013ad068bc21072a5d0"
        "06400e206dce3a0891409089d9fd08a3ee508a952a08c277d09d061208ee53309f04fb0b86f1b"
        "0b1faee0a36ff00b275f60b533320a603e10a798cf0a6dc020b64b5f0bfab990cacc850cb8f5e"
        "0cc6ea20ce198b0e12cbb0f8c7010f357520e47a8c0e7cb651084d18113e20210d5dd311447f3"
        "1286ae31388a3612a3f4912d1b2012e4d6e1366ece1378dc114134dd148a50d151610b15b3684"
        "15fe0b11605cc71601e30179d56517d889916705f4166b07917e8bdc17eac6718875e0199d306"
        "18a660119a44c718c111518d287e195dd0919f4e25196c3c51a005d21b96e8c1b317091b39d64"
        "1a532811a5a22e1bcb4dd1b48e851b678201b71f921d031c71ca38de1c35c711db72f71d3c064"
        "1d6ba181dff33a1f022021f00fa61ec04411ec36bf1fd6bda1f466711f495831ee5ee11efd5f9"
        "1fe31291f746bc0d1705e1321e17133b04d1c8be1d03a20dd055826106882c706f80e907e6b97"
        "0ad40980ae70730cd31700e74a2e0fe59fb1168fd214b872e15353d616a336e165b53318983e8"
        "195723c1b0df471bf1b1c1cacd1f1da8e351e0cf0d00853dd000468f00145f6009919c001a5c3"
        "018141e011178c0190cb600b03fa002e23c003842b003cee2012537e01a203701a0a3001bda5f"
        "01acdbc013e4ec005a105004c59200de75200dde4601c7c2401535bb",
    ),
}


def marker_cells(number: int, family: str) -> NDArray[np.bool_]:
    """Return which cells of a marker are black, its border of one cell included: rows from the top,
    (side + 2) x (side + 2).

    Raises `VisionError` for a family or a number that there is not.

    >>> for row in marker_cells(0, "aruco4x4"):
    ...     print("".join("#" if black else "." for black in row))
    ######
    #.#..#
    ##.#.#
    ###..#
    ###.##
    ######
    """
    dictionary = _DICTIONARIES.get(family)
    if dictionary is None:
        raise VisionError(f"No printed marker family {family}; choose one of {', '.join(_DICTIONARIES)}.")
    side, codes, digits = dictionary.side, dictionary.codes, dictionary.digits
    count = len(codes) // digits
    if not 0 <= number < count:
        raise VisionError(f"{family} has markers 0 to {count - 1}, not {number}.")
    bits = int(codes[digits * number : digits * (number + 1)], 16)
    white = [bits >> place & 1 for place in reversed(range(side**2))]
    cells = np.ones((side + 2, side + 2), dtype=np.bool_)
    cells[1:-1, 1:-1] = np.array(white).reshape(side, side) == 0
    return cells
