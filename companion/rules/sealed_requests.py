"""Requests with cards that lie face down: a game and a journal get their seals, never the cards."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from companion.rules.acts import Act, Moment
from companion.rules.commitments import Vault, is_seal
from companion.rules.contract import Game, Refusal, Request


def judged(game: Game[Any], vault: Vault, moment: Moment, wanted: Request) -> Act | Refusal:
    """Let the game decide with the cards sealed, and what is known under seals turned up."""
    kept = sealed(wanted, vault)
    fresh = [str(seal) for seal in _cards(kept)] if kept is not wanted else []
    known = vault.openings(game.seals(moment.state, getattr(wanted, "player", "")))
    decided = game.decide(moment.state, kept.knowing(known))
    if not isinstance(decided, Refusal):
        # After the game's own refusals: a turn that is not yours is told before a reading that
        # cannot be.
        read = [card for card in _cards(wanted) if not is_seal(card)]
        decided = game.sealable(moment.state, getattr(wanted, "player", ""), read) or decided
    if isinstance(decided, Refusal):
        # Nothing was laid, so nothing stays committed to: the same card may be sealed again.
        vault.forget(fresh)
        return decided
    return Act(kept, tuple(decided))


def _cards(request: Request) -> tuple[int | str, ...]:
    value = getattr(request, "sealed", None)
    return () if value is None else tuple(value) if isinstance(value, tuple) else (value,)


def sealed(request: Request, vault: Vault) -> Request:
    """Return `request` as it may be kept: the cards in its field `sealed` are replaced by their
    seals; what is a seal stays one."""
    cards = _cards(request)
    if all(map(is_seal, cards)):
        return request
    player = getattr(request, "player", "")
    seals = tuple(card if is_seal(card) else vault.seal(player, card) for card in cards)
    whole = isinstance(getattr(request, "sealed", None), tuple)
    return replace(request, sealed=seals if whole else seals[0])
