"""Every wait of a card, in seconds, from put down to played: how long, from when, and why so long.

The line of time of one card that a camera sees (a row begins where its first column says):

    put down     a track begins; the watcher reads it (`vision.film.attention.WAITS`)
    first read   + NO_FACE   a card without a known face counts as one
                 + HOLD      a reading counts: a placement, and a claim if nothing is in its way
    placement    + GRACE     it contradicts another: the table is asked (BUSY_GRACE: in two places)
                 + BEYOND_DISPUTE   after it was used: nothing contradicts it any more
    first doubt  + HINT      the table is told what to do about a card that nobody can name
                 + ASK       the table is asked which card it is, once its reader has been calm
                             for CALM (BUSY_ASK: though it never is)
    claim        the game proposes; most proposals are played in the same look
                 + CALM      where a button ends it, once nothing has moved for so long
                 + STILL     where more may join it, or the game doubts: the same
                 + AT_MOST   at the latest, although something moves all the time

and of one that a pad reads, whose reading counts at once:

    shown        + CONFIRM   a camera that sees the table names it too, or nobody contradicts
    taken away   + BOUNCE    shown again: the same showing

What has gone, and what comes back:

    gone         + RETURN    in the very same place: the same card
    reader back  + ADOPT     what it has not named again by then is gone
    put right    + PUT_RIGHT what lay there before is taken for what has been played
"""

from __future__ import annotations

from typing import Final

NO_FACE: Final = 0.7
"""For which a card must show the camera no known face before it is reported as one: a face is
sometimes known only at the second look."""
HOLD: Final = 0.25
"""For which a camera's reading must hold. A tag is read with a checksum, and a key is meant: those
count at once."""
CONFIRM: Final = 1.5
"""For which a card that only a pad has read waits for the camera, where there is one, to name it
too or to contradict.

A tag is read before the hand has let go of its card, so the camera is always later. A card that is
taken off the pad waits no longer.
"""
GRACE: Final = 0.8
"""For which a contradiction must last before the table is asked. What it is about is held back from
the first moment."""
BUSY_GRACE: Final = 4.0
"""The same where one card is at two places, while its reader still has something to make out: on a
slow machine a card is named at its new place seconds before its old one is found empty."""
BEYOND_DISPUTE: Final = 3.0
"""After which a card that a game has used is beyond dispute: a later reading beside it is another
card."""
HINT: Final = 2.5
"""For which a card may stay unrecognised before the table is told what to do about it."""
ASK: Final = 2.5
"""For which a reader must have been unsure of a card before the table is asked, if nothing has
moved before it for `CALM`: a hand may be about to cover the card.

By then people have the hint to lay the card flat and free, and the camera has looked twice
(`vision.film.attention.WAITS`); what it finds at its last look, 3.1 s after something happened,
ends the question.
"""
BUSY_ASK: Final = 8.0
"""The same while the reader still has something to make out: a slow machine, hands over the
table."""
CALM: Final = 0.3
"""For which nothing may have moved on the table before a button says that the cards before it are
complete, or a card that could not be named is asked about.

A thumb is quicker than a camera: the last card may not have been made out yet.
"""
STILL: Final = 1.5
"""For which the table must be still before what may yet change is taken as it is."""
AT_MOST: Final = 6.0
"""After which cards are taken as they are although something moves all the time."""

BOUNCE: Final = 1.0
"""Within which a card that is shown to a pad again is the same showing."""
RETURN: Final = 3.0
"""Within which a card that a reader lost may come back to the very same place as the same card.

The watcher of the camera keeps what is covered; this is for the moments in which it starts afresh
(the light jumped, the camera shook).
"""
ADOPT: Final = 3.0
"""That a reader has, once back, to name its cards again before they count as taken away: a PC/SC
reader says "empty" for up to half a second first."""
PUT_RIGHT: Final = 1.5
"""In which every reader has seen what lay before the table said that it lies right."""
