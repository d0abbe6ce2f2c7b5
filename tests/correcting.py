"""Corrections as the corrections screen makes them: what is asked again is left out."""

from __future__ import annotations

from companion.live.corrections import Correction
from companion.rules.contract import Refusal


def correct(session, at, request) -> Correction:
    """Correct act number `at` of a session, if the new act itself is possible."""
    draft = left_out(Correction(session, at, request))
    if draft.refusal is None:
        assert session.replace_acts(draft.at, draft.requests) is None
    return draft


def correct_live(live, at, request) -> Refusal | None:
    """Correct act number `at` of an evening."""
    return live.apply_correction(left_out(live.draft_correction(at, request)))


def left_out(draft: Correction) -> Correction:
    """Leave out each act that is asked again."""
    while draft.pending_act is not None:
        draft.answer_pending_act(None)
    return draft
