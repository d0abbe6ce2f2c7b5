"""An evening of the toy game, kept in a file, and what is wrong with a file in a word."""

from __future__ import annotations

import pytest

from companion.journal.database_file import StorageFault
from companion.journal.store import Store
from companion.rules.session import Session
from tests.toy import TOY, Lay, Show, toy_setup


def play_a_round(session, *values):
    players = session.setup.players
    for player in players:
        session.act(Lay(player))
    for player, value in zip(players, values, strict=True):
        session.act(Show(player, value))


def evening(file, *, setup=None):
    store = Store.open(file)
    setup = setup or toy_setup()
    store.start_session(setup)
    return store, Session(TOY, setup, store.append)


def trouble_of(call, *args):
    with pytest.raises(StorageFault) as caught:
        call(*args)
    return caught.value.text.code
