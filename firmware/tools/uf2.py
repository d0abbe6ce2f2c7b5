"""Make a UF2 file, which a Pico in its boot-select mode takes as a drive takes any file, from the
bytes of its flash.

`python firmware/tools/uf2.py IMAGE.bin OUT.uf2`. Refuses an image whose boot stage, the first 256
bytes, has not the checksum that the boot ROM wants (RP2040 data sheet, 2.8.1.3.1).
"""

from __future__ import annotations

import struct
import sys
import zlib
from pathlib import Path

FLASH = 0x1000_0000
PAGE, BOOT = 256, 252
"""Bytes of flash in a block, as the boot ROM wants them, and of the boot stage without its
checksum."""
BLOCK = struct.Struct("<8I476sI")
FAMILY = 0xE48B_FF56
"""The RP2040's number in the list of the format's authors (github.com/microsoft/uf2)."""
MAGIC = (0x0A32_4655, 0x9E5D_5157, 0x0AB1_6F30)
HAS_FAMILY = 0x2000


def boot_checksum(boot: bytes) -> int:
    """Return the CRC-32 of a boot stage, nothing reflected and nothing inverted at the end: zlib's
    is that, mirrored."""
    mirrored = bytes(int(f"{byte:08b}"[::-1], 2) for byte in boot)
    return int(f"{zlib.crc32(mirrored) ^ 0xFFFF_FFFF:032b}"[::-1], 2)


def uf2(image: bytes) -> bytes:
    """Return the file. Raises ValueError for an image that the boot ROM would not start."""
    (said,) = struct.unpack_from("<I", image, BOOT)
    wanted = boot_checksum(image[:BOOT])
    if said != wanted:
        raise ValueError(f"the boot stage's checksum is {said:08x}, and must be {wanted:08x} (pico/start.S)")
    pages = [image[at : at + PAGE].ljust(PAGE, b"\xff") for at in range(0, len(image), PAGE)]
    return b"".join(
        BLOCK.pack(
            *MAGIC[:2], HAS_FAMILY, FLASH + number * PAGE, PAGE, number, len(pages), FAMILY, page, MAGIC[2]
        )
        for number, page in enumerate(pages)
    )


def main() -> int:
    """Write the file."""
    image, out = map(Path, sys.argv[1:])
    try:
        out.write_bytes(uf2(image.read_bytes()))
    except ValueError as fault:
        print(fault, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
