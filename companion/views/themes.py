"""The colour themes. Signs and words carry every meaning; colours only help."""

from __future__ import annotations

from textual.theme import Theme

from companion.views.marks import DEEP_INKS, INKS, SAFE_INKS, variables
from companion.views.panel import Tone

THEMES = (
    Theme(
        name="baize", dark=True, primary="#f2c14e", secondary="#7fb685", accent="#f78154", foreground="#f4f1e8",
        background="#10231c", surface="#173229", panel="#1f4236", success="#8fd694", warning="#f2c14e", error="#ff8a80",
        variables=variables(INKS),
    ),
    Theme(
        name="paper", dark=False, primary="#7a4b00", secondary="#2c6e49", accent="#b33c00", foreground="#1d1a14",
        background="#faf6ec", surface="#f0e9d8", panel="#e4dac3", success="#1b6b2f", warning="#8a5a00", error="#a4161a",
        variables=variables(DEEP_INKS),
    ),
    Theme(
        name="high-contrast", dark=True, primary="#ffff00", secondary="#00ffff", accent="#ffffff", foreground="#ffffff",
        background="#000000", surface="#000000", panel="#1c1c1c", success="#00ff66", warning="#ffff00", error="#ff9090",
        variables=variables(INKS),
    ),
    Theme(
        name="colour-safe", dark=True, primary="#f0e442", secondary="#56b4e9", accent="#e69f00", foreground="#ffffff",
        background="#0b1622", surface="#122233", panel="#1d344b", success="#56b4e9", warning="#f0e442", error="#e69f00",
        variables=variables(SAFE_INKS),
    ),
)  # fmt: skip

STYLES: dict[Tone, str] = {
    "plain": "",
    "good": "$success",
    "bad": "$error",
    "warn": "$warning",
    "quiet": "$foreground-muted",
    "accent": "bold $primary",
}
