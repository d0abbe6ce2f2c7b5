"""Views: dashboard, plain lines, voice, overlay. They read snapshots and never decide."""

from typing import TYPE_CHECKING

from companion import make_lazy_getattr

if TYPE_CHECKING:
    from companion.views import home_screen as home_screen
    from companion.views import page_state as page_state
    from companion.views import plain_view as plain_view
    from companion.views import voice as voice

__getattr__ = make_lazy_getattr(__name__)
