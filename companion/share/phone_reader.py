"""Cards that are held to a phone: the page sends the sticker's id, and nothing is answered but
whether it is a card of this deck."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from companion.readers.nfc.phone import PhonePads, Where
from companion.readers.rfid.events import TagId
from companion.share.access import PAD, Purpose, given_with
from companion.texts import Translator

PurposeOf = Callable[..., "Purpose | None"]


class _Tap(msgspec.Struct, frozen=True):
    """`tag`: the id in hexadecimal digits; "" says only that the phone reads now."""

    tag: str
    where: Where = "up"


def route(purpose_of: PurposeOf, pads: PhonePads, seats: Mapping[str, int], say: Translator) -> Route:
    """Return the route `/tap`. `purpose_of` is given the pass and the kinds it may be of; `seats`:
    each player's, from 1."""

    async def tap(request: Request) -> Response:
        purpose = purpose_of(given_with(request.headers), "seat", PAD.kind)
        if purpose is None:
            return Response(status_code=403)
        seat = 0 if purpose == PAD else seats[purpose.player]
        try:
            tapped = msgspec.json.decode(await request.body(), type=_Tap)
            tag = TagId.from_hex(tapped.tag) if tapped.tag else None
        except (ValueError, RecursionError):  # msgspec's errors are ValueErrors
            return Response(status_code=400)
        if tag is None:
            pads.join(seat)
            return JSONResponse({"words": say("share.pad_ready")})
        known = pads.shown(seat, tag, tapped.where)
        return JSONResponse({"words": say("share.pad_read" if known or not seat else "share.pad_unknown")})

    return Route("/tap", tap, methods=["POST"])
