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

from hardware.circuit import Circuit, Part, build_circuit, list_signals, load_boards, load_part_kinds

TYPES = {
    "input": "INPUT", "output": "OUTPUT", "tristate": "TRISTATE", "passive": "PASSIVE",
    "power-in": "PWRIN", "power-out": "PWROUT", "unused": "NOCONNECT",
}  # fmt: skip
"""SKiDL's names of the pin types in `parts.toml`."""


def list_pins(made: Circuit, part: Part) -> list[tuple[int | str, str, str]]:
    """List a part's pins: number, name and type."""
    if part.kind.startswith("board-"):
        return [(name, name, kind) for name, _, kind in list_signals(made.board)]
    rows = [row.split() for row in load_part_kinds()[part.kind]["pins"]]
    return [(int(number), name, kind) for number, name, kind in rows]


class LogCollector(logging.Handler):
    """Stores the warnings and errors sent to a logger."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.said: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Store one message."""
        self.said.append(record.getMessage().strip())


@cache
def import_skidl() -> Any:
    """Import SKiDL. It writes files into the current folder and warns of a missing KiCad, so it is
    imported only when needed, and its warnings are suppressed."""
    with contextlib.redirect_stderr(io.StringIO()):
        import skidl  # type: ignore[import-untyped, unused-ignore]  # noqa: PLC0415
    return skidl


def build_netlist(made: Circuit) -> Any:
    """Return the SKiDL circuit."""
    skidl = import_skidl()
    target = skidl.Circuit()
    parts = {}
    for part in made.parts.values():
        value = load_part_kinds()[part.kind]["value"]
        template = skidl.Part(
            name=part.kind, tool=skidl.SKIDL, dest=skidl.TEMPLATE, ref_prefix=part.ref.rstrip("0123456789"),
            pins=[
                skidl.Pin(num=str(number), name=name, func=getattr(skidl.Pin.types, TYPES[kind]))
                for number, name, kind in list_pins(made, part)
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


def check_netlist(made: Circuit) -> list[str]:
    """Run SKiDL's electrical rules check and return its messages, errors and warnings alike."""
    heard = LogCollector()
    logger = import_skidl().logger.erc_logger
    logger.addHandler(heard)
    try:
        build_netlist(made).ERC()
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
    for name in load_boards():
        made = build_circuit(name)
        messages = check_netlist(made)
        print(
            "\n".join(messages) or f"{name}: {len(made.parts)} parts, {len(made.nets)} nets, no rule broken"
        )
        broken += bool(messages)
        build_netlist(made).generate_netlist(file_=str(folder / f"{name}.net"), do_backup=False)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
