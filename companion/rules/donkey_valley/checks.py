"""Checks that several requests share: is this a value, can this player still show it, does it agree with what a reader saw."""

from __future__ import annotations

from collections.abc import Sequence

from companion.rules.commitments import Opening
from companion.rules.contract import Refusal, refuse
from companion.rules.donkey_valley.cards import VALUES
from companion.rules.donkey_valley.state import Stake, State


def bad_range(values: Sequence[int]) -> Refusal | None:
    """Refuse what is no value of a load (DV-1)."""
    wrong = next((value for value in values if value not in VALUES), None)
    return None if wrong is None else refuse("bad_value", "DV-1", say="value_range", value=str(wrong)[:12])


def bad_count(given: int, due: int, clause: str) -> Refusal | None:
    """Refuse a wrong number of loads."""
    return (
        None
        if given == due
        else refuse("bad_value", clause, say="value_count", given=str(given)[:12], due=due)
    )


def spent(state: State, player: str, values: Sequence[int]) -> Refusal | None:
    """Refuse a value that this player cannot show any more, shows already, or shows twice (DV-50)."""
    known = state.players[state.seat(player)].gone | set(state.stake(player).up)
    for number, value in enumerate(values):
        if value in known or value in values[:number]:
            return refuse("card_spent", "DV-50", player=player, value=value)
    return None


def agrees(stake: Stake, opened: Sequence[Opening], values: Sequence[int]) -> bool:
    """Tell whether `values` can be what a reader saw laid face down, favour 4 considered (DV-51).

    After favour 4 the card that came must be there, if a reader saw it; one of the loads laid first may be missing. A seal whose
    opening is lost (the program was started again) tells nothing: the table sees for itself.
    """
    known = {one.seal: one.card for one in opened}
    shown = set(values)
    if stake.new_seal in known:
        if known[stake.new_seal] not in shown:
            return False
        shown = shown - {known[stake.new_seal]}
    missing = [seal for seal in stake.seals if seal in known and known[seal] not in shown]
    return len(missing) <= (1 if stake.swapped else 0)
