"""Views: dashboard, plain lines, voice, overlay. They read snapshots and never decide."""

from typing import TYPE_CHECKING

from companion import lazily

if TYPE_CHECKING:
    from companion.views import door as door
    from companion.views import plain as plain
    from companion.views import state as state
    from companion.views import voice as voice

__getattr__ = lazily(__name__)
