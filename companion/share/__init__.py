"""Small web server that shows the table on televisions, streams, tablets and phones. Off unless
asked for."""

from typing import TYPE_CHECKING

from companion import make_lazy_getattr

if TYPE_CHECKING:
    from companion.share import share_server as share_server

__getattr__ = make_lazy_getattr(__name__)
