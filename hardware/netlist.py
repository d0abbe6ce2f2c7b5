"""Write the netlist of a reader and check its electrical rules, with SKiDL.

    python -m hardware.netlist FOLDER     write <board>.net for every board; exit 1: broken rules

No KiCad is needed: the parts are made here from `parts.toml`.
"""

from __future__ import annotations

import contextlib
import io
import logging
import os
import sys
from functools import cache
from pathlib import Path
from typing import Any

from hardware.circuit import Circuit, Part, boards, circuit, kinds, signals

TYPES = {
    "input": "INPUT", "output": "OUTPUT", "tristate": "TRISTATE", "passive": "PASSIVE",
    "power-in": "PWRIN", "power-out": "PWROUT", "unused": "NOCONNECT",
}  # fmt: skip
"""SKiDL's names of the pin types in `parts.toml`."""


def pins(made: Circuit, part: Part) -> list[tuple[int | str, str, str]]:
    """List a part's pins: number, name and type."""
    if part.kind.startswith("board-"):
        return [(name, name, kind) for name, _, kind in signals(made.board)]
    rows = [row.split() for row in kinds()[part.kind]["pins"]]
    return [(int(number), name, kind) for number, name, kind in rows]


class Listener(logging.Handler):
    """Stores the warnings and errors sent to a logger."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.said: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Store one message."""
        self.said.append(record.getMessage().strip())


@cache
def library() -> Any:
    """Import SKiDL. It writes files into the current folder and warns of a missing KiCad, so it is
    imported only when needed, and its warnings are suppressed."""
    with contextlib.redirect_stderr(io.StringIO()):
        import skidl  # type: ignore[import-untyped, unused-ignore]  # noqa: PLC0415
    return skidl


def build(made: Circuit) -> Any:
    """Return the SKiDL circuit."""
    skidl = library()
    target = skidl.Circuit()
    parts = {}
    for part in made.parts.values():
        value = kinds()[part.kind]["value"]
        template = skidl.Part(
            name=part.kind, tool=skidl.SKIDL, dest=skidl.TEMPLATE, ref_prefix=part.ref.rstrip("0123456789"),
            pins=[
                skidl.Pin(num=str(number), name=name, func=getattr(skidl.Pin.types, TYPES[kind]))
                for number, name, kind in pins(made, part)
            ],
        )  # fmt: skip
        parts[part.ref] = template(
            circuit=target, ref=part.ref, value=value, footprint=f"reader:{part.kind}", tag=part.ref
        )
    for name, joins in made.nets.items():
        net = skidl.Net(name, circuit=target)
        for ref, pin in joins:
            net += parts[ref].p[str(pin)]
        if name in ("GND", "5V LIGHT"):  # the light's power comes through a diode, which is passive
            net.drive = skidl.POWER
    for ref, pin in made.open:
        target.NC += parts[ref].p[str(pin)]
    return target


def check(made: Circuit) -> list[str]:
    """Run SKiDL's electrical rules check and return its messages, errors and warnings alike."""
    heard = Listener()
    logger = library().logger.erc_logger
    logger.addHandler(heard)
    try:
        build(made).ERC()
    finally:
        logger.removeHandler(heard)
    return heard.said


def main() -> int:
    """Write and check the netlists of all boards."""
    folder = Path(sys.argv[1]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    # SKiDL writes its logs into the current folder
    os.chdir(folder)
    broken = 0
    for name in boards():
        made = circuit(name)
        said = check(made)
        print("\n".join(said) or f"{name}: {len(made.parts)} parts, {len(made.nets)} nets, no rule broken")
        broken += bool(said)
        build(made).generate_netlist(file_=str(folder / f"{name}.net"), do_backup=False)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
