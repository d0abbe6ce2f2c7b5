"""The screens that open over the table. Each is imported when it is first opened: all together they
take 30 ms before the table is seen."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from companion.views.dashboard.screens.conversation import ConversationScreen
    from companion.views.dashboard.screens.pads import PadsScreen
    from companion.views.dashboard.screens.reading import ExplanationScreen, Help, MovesScreen
    from companion.views.dashboard.screens.share import ShareSheet
    from companion.views.dashboard.screens.sheet import ChoiceScreen

__all__ = [
    "ChoiceScreen",
    "ConversationScreen",
    "ExplanationScreen",
    "Help",
    "MovesScreen",
    "PadsScreen",
    "ShareSheet",
]
_MODULES = {
    "ChoiceScreen": "sheet",
    "ConversationScreen": "conversation",
    "ExplanationScreen": "reading",
    "Help": "reading",
    "MovesScreen": "reading",
    "PadsScreen": "pads",
    "ShareSheet": "share",
}


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(name)
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
