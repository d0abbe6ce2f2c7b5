"""The front door: evenings to resume, games to start, pages and settings, before a table opens."""

from typing import TYPE_CHECKING

from companion import lazily

if TYPE_CHECKING:
    from companion.views.door import reading as reading

__getattr__ = lazily(__name__)
