"""The front door: what one can go on with, play, look at, and set, before a table opens."""

from typing import TYPE_CHECKING

from companion import lazily

if TYPE_CHECKING:
    from companion.views.door import reading as reading

__getattr__ = lazily(__name__)
