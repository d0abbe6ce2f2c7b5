"""Screens that open over the table. Each is imported when it is first opened; all together would
delay the table by 30 ms."""

from typing import TYPE_CHECKING

from companion import make_lazy_getattr

if TYPE_CHECKING:
    from companion.views.dashboard.screens import conversation as conversation
    from companion.views.dashboard.screens import pads as pads
    from companion.views.dashboard.screens import share as share
    from companion.views.dashboard.screens import text_dialogs as text_dialogs

__getattr__ = make_lazy_getattr(__name__)
