"""Second Best on the dashboard: the cards of the trick, and which of them would win it."""

from __future__ import annotations

from msgspec.structs import replace

from companion.rules.contract import View
from companion.texts import Translator
from companion.views.panel import Face, plain_face


def face(view: View, say: Translator) -> Face:
    """Draw the view of `second_best`."""
    plain = plain_face(view, say)
    cards = sorted(one["card"] for one in view["trick"])
    # With one card there is no second best.
    if len(cards) < 2:
        return plain
    return replace(plain, headline="  ".join(map(str, cards)), meaning=say("panel.best", card=cards[-2]))
