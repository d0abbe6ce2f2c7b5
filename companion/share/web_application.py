"""The web application of one evening: its pages, pictures and connections."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from companion.share.card_faces import draw_printed_sides
from companion.share.page_connections import PageConnections
from companion.share.pages import PARTS, render_page
from companion.texts import Translator

PAGES = {"/": "tv", "/join": "join", "/stream": "stream", "/camera": "camera", "/seat": "seat", "/pad": "pad"}
"""The name of the page at each path."""


def build_application(
    connections: PageConnections, say: Callable[[str], Translator], rules: str, board: str = ""
) -> Starlette:
    """Return the web application of one evening.

    `say`: returns the translator for a language ("": the table's) and the game that is
    played. `rules`: the rules page, as HTML; `board`: the game's board, as SVG ("": there is none).
    """
    named = PAGES | ({"/rules": "rules"} if rules else {})

    def make_page_handler(name: str) -> Callable[[Request], Response]:
        def serve_page(request: Request) -> Response:
            body = render_page(name, say(request.query_params.get("lang", "")), rules)
            return Response(body, media_type="text/html")

        return serve_page

    def serve_cards(request: Request) -> Response:
        words = say(request.query_params.get("lang", ""))
        drawn = {} if words.game is None else draw_printed_sides(words.game.id, words.language)
        return Response(msgspec.json.encode(drawn), media_type="application/json")

    routes = [
        *(Route(path, make_page_handler(name)) for path, name in named.items()),
        Route("/board.svg", lambda _request: Response(board, media_type="image/svg+xml")),
        Route("/cards", serve_cards),
        Mount("/parts", StaticFiles(directory=PARTS)),
        connections.make_route(),
    ]
    return Starlette(routes=routes)
