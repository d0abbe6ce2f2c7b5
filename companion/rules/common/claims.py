"""Reading claims: which cards belong to this game, where they lie, which button was pressed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from companion.rules.contract import Claim, Doubt, Text


def upturned(claims: Iterable[Claim], prefix: str, zones: Iterable[str] | None = None) -> list[Claim]:
    """List the claims of cards of this game (`prefix`, as `dtc:`) that lie face up, in `zones` or
    anywhere."""
    wanted = None if zones is None else set(zones)
    return [
        claim
        for claim in claims
        if claim.what is not None
        and claim.what.startswith(prefix)
        and claim.face == "up"
        and (wanted is None or claim.zone in wanted)
    ]


def short(claim: Claim) -> str:
    """Return the name that the claimed card has on the wire: `dtc:joker` is `joker`."""
    return (claim.what or "").partition(":")[2]


def pressed(claims: Iterable[Claim], seat: int, button: str) -> Claim | None:
    """Return the claim that `button` (`accept`, `refuse`) was pressed at `seat` (1..N), or None."""
    what, zone = f"button:{button}", f"seat:{seat}"
    return next((claim for claim in claims if claim.what == what and claim.zone == zone), None)


def strangers(claims: Iterable[Claim], prefix: str, deck: Mapping[str, int]) -> Sequence[Doubt]:
    """Ask about every face-up card of another game, or of no design of this one."""
    return [
        Doubt(Text("doubt.foreign_card", {"card": claim.what}), (claim.id,))
        for claim in claims
        if claim.what is not None
        and claim.face == "up"
        and not claim.what.startswith("button:")
        and not (claim.what.startswith(prefix) and short(claim) in deck)
    ]
