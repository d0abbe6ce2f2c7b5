"""The league as a follower of the table's sessions: its outbox is woken by every entry."""

from __future__ import annotations

import time
from contextlib import suppress

import msgspec

from companion import league
from companion.league.membership import Membership, load_membership, save_membership
from companion.live.followers import FollowedSession, Follower
from companion.rules.acts import Entry
from companion.rules.contract import Problem


class LeagueFollower(Follower):
    """Sends the sessions of a member table to its league."""

    # In a league no entry holds a name.
    needs_seat_labels = True

    def __init__(self, member: Membership, session: FollowedSession) -> None:
        self._outbox = league.outbox.Outbox(
            member,
            session.locate_journal,
            lambda status: session.show_status(league.outbox.describe_status(status)),
        )

    def start(self) -> None:
        """Begin to send what waits."""
        self._outbox.start()

    def receive_entry(self, entry: Entry) -> None:
        """Have the entry sent: the journal is the outbox."""
        self._outbox.wake()

    def close(self) -> None:
        """Stop, giving the last entries a moment."""
        self._outbox.close()


def open_follower(session: FollowedSession) -> LeagueFollower | None:
    """Return the follower of a table that has joined a league, None for others.

    Raises `Problem` if the membership cannot be used, or if the session began before joining: it is
    not the club's then, and is not sent.
    """
    member = load_membership()
    if member is None:
        return None
    now = time.time()
    if session.begun is None and now < member.since:
        # The clock was set back since joining. Otherwise the session would count as an older one,
        # and would never be sent.
        member = msgspec.structs.replace(member, since=now)
        with suppress(Problem):
            save_membership(member)
    elif session.begun is not None and session.begun < member.since:
        raise Problem("league.begun_before", club=member.club_name)
    return LeagueFollower(member, session)
