"""What the check of the equipment finds: one value for each thing that was looked at, with the
likely cause in its words."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from companion.rules.contract import Text

Verdict: TypeAlias = Literal["ok", "warn", "fault", "absent", "skipped"]
"""`absent`: it is not there, which need not be wrong (no camera, no reader). `skipped`: the person
did not want to test it."""


class Finding(msgspec.Struct, frozen=True):
    """`part`: what was looked at, in words. `text`: how it is, the likely cause, and what to do."""

    part: Text
    verdict: Verdict
    text: Text


def finding(part: str, verdict: Verdict, code: str, where: str = "", /, **args: object) -> Finding:
    """Make a finding about part `check.part.<part>` in the words of message `check.<code>`."""
    return Finding(Text(f"check.part.{part}", {"where": where}), verdict, Text(f"check.{code}", args))
