"""An evening put together: game, deck, readers, journal and what runs behind the table, by what the
players chose."""

from typing import TYPE_CHECKING

from companion import lazily

if TYPE_CHECKING:
    from companion.evening import (
        cameras as cameras,
    )
    from companion.evening import (
        card_readers as card_readers,
    )
    from companion.evening import (
        setup_form as setup_form,
    )
    from companion.evening import (
        welcome as welcome,
    )

__getattr__ = lazily(__name__)
