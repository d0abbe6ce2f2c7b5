"""An evening, assembled from the players' choices: game, deck, readers, journal and background
services."""

from typing import TYPE_CHECKING

from companion import make_lazy_getattr

if TYPE_CHECKING:
    from companion.evening import (
        cameras as cameras,
    )
    from companion.evening import (
        card_readers as card_readers,
    )
    from companion.evening import (
        home_screen_entries as home_screen_entries,
    )
    from companion.evening import (
        setup_form as setup_form,
    )

__getattr__ = make_lazy_getattr(__name__)
