"""Timeouts in the life of a card, from put down to played, in seconds: how long, from when, and
why.

Timeline of a card that a camera sees (each row starts at the moment in its first column):

    put down     a track begins; the watcher reads it
                 (`vision.video.region_schedule.LOOK_DELAYS`)
    first read   + NO_FACE_DEBOUNCE   a card without a known face counts as one
                 + READING_DEBOUNCE   a reading counts: a placement, and a claim if nothing is in
                                      its way
    placement    + CONTRADICTION_DELAY   it contradicts another: people are asked
                                      (BUSY_CONTRADICTION_DELAY: in two places)
                 + DISPUTE_TIMEOUT    after it was used: nothing contradicts it any more
    first doubt  + HINT_DELAY         people get advice about a card that cannot be named
                 + QUESTION_DELAY     people are asked which card it is, once its reader has been
                                      calm for IDLE_DEBOUNCE (BUSY_QUESTION_DELAY: although it
                                      never is)
    claim        the game proposes; most proposals are played in the same look
                 + IDLE_DEBOUNCE      if a button ends it, once nothing has moved for so long
                 + IDLE_TIMEOUT       if more may join it, or the game doubts: the same
                 + LONGEST_IDLE_WAIT  at the latest, although something moves all the time

A card that a pad reads counts at once:

    shown        + CAMERA_CONFIRM_TIMEOUT   a camera that sees the table names it too, or nobody
                                      contradicts
    taken away   + TAP_DEBOUNCE       shown again: the same showing

Cards that disappear and come back:

    gone         + RETURN_TIMEOUT     in the very same place: the same card
    reader back  + REIDENTIFY_TIMEOUT cards it has not reported again by then have gone
    put right    + CORRECTION_DELAY   cards there before are taken for what has been played
"""

from __future__ import annotations

from typing import Final

NO_FACE_DEBOUNCE: Final = 0.7
"""How long a card must show the camera no known face before it is reported as one: a face is
sometimes recognised only at the second look."""
READING_DEBOUNCE: Final = 0.25
"""How long a camera's reading must hold. Tags are read with a checksum and keys are pressed on
purpose, so these count at once."""
CAMERA_CONFIRM_TIMEOUT: Final = 1.5
"""How long a card that only a pad has read waits for a camera to name it too or to contradict.

A tag is read before the hand has let go of its card, so the camera is always later. A card that is
taken off the pad does not wait any longer.
"""
CONTRADICTION_DELAY: Final = 0.8
"""How long a contradiction must last before people are asked. The cards are held back from the
first moment."""
BUSY_CONTRADICTION_DELAY: Final = 4.0
"""The same for one card at two places, while its reader is still busy: on a slow machine a card is
named at its new place seconds before its old one is found empty."""
DISPUTE_TIMEOUT: Final = 3.0
"""How long after its use by a game a card can be disputed; a later reading beside it is another
card."""
HINT_DELAY: Final = 2.5
"""How long a card may stay unrecognised before people get advice."""
QUESTION_DELAY: Final = 2.5
"""How long a reader must have been unsure of a card before people are asked, if nothing has moved
for `IDLE_DEBOUNCE` before: a hand may be about to cover the card.

By then people have the hint to lay the card flat and uncovered, and the camera has looked twice
(`vision.video.region_schedule.LOOK_DELAYS`); if its last look, 3.1 s after something happened,
names the card, that ends the question.
"""
BUSY_QUESTION_DELAY: Final = 8.0
"""The same while the reader is still busy: a slow machine, hands over the table."""
IDLE_DEBOUNCE: Final = 0.3
"""How long nothing may have moved on the table before a button says that the cards are complete, or
people are asked about a card that could not be named.

A thumb is quicker than a camera: the last card may not have been recognised yet.
"""
IDLE_TIMEOUT: Final = 1.5
"""How long the table must be still before a proposal that may yet change is accepted."""
LONGEST_IDLE_WAIT: Final = 6.0
"""Time after which cards are accepted as they are although something moves all the time."""

TAP_DEBOUNCE: Final = 1.0
"""Time within which a card shown to a pad again counts as the same showing."""
RETURN_TIMEOUT: Final = 3.0
"""Time within which a card that a reader lost may come back to the very same place as the same
card.

The camera's watcher itself keeps cards that are covered; this is for moments in which it starts
again (the light jumped, the camera shook).
"""
REIDENTIFY_TIMEOUT: Final = 3.0
"""Time for a reader that is back to report its cards before they count as taken away: a PC/SC
reader says "empty" for up to half a second first."""
CORRECTION_DELAY: Final = 1.5
"""Time within which every reader has seen the cards that lay there when people said that the table
is right."""
