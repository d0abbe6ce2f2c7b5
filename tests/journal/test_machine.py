"""Whatever is done, undone and corrected, the file gives back the very same session; the model
keeps plain lists of requests."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from companion.journal.store import Store
from companion.rules import registry
from companion.rules.contract import Refusal, Setup
from companion.rules.session import Session

PLAYERS = ("Ann", "Ben", "Cleo", "Dan")


def setup_of(game_id):
    game = registry.load_game(game_id)
    return Setup(game_id, PLAYERS, {option.name: option.default for option in game.options}, 7)


def possible(session):
    """Every request that a menu offers now, with cards picked for those that want some."""
    choices = [one for who in (None, *PLAYERS) for one in session.game.list_choices(session.state, who)]
    requests = []
    for choice in choices:
        picked = (
            [] if choice.pick is None else [name for name, copies in choice.pick.cards for _ in range(copies)]
        )
        requests.append(choice.with_cards(picked[: max(choice.pick.least, 1)] if choice.pick else ()))
    return requests


class Evening(RuleBasedStateMachine):
    game_id = "toy"
    restarted = False

    @initialize()
    def begin(self):
        self.folder = Path(tempfile.mkdtemp())
        self.file = self.folder / "evening.sqlite3"
        self.setup = setup_of(self.game_id)
        self.store = Store.open(self.file)
        self.store.start_session(self.setup)
        self.session = Session(registry.load_game(self.game_id), self.setup, self.store.append)
        self.stand: list = []
        self.past: list = []
        self.future: list = []

    def teardown(self):
        if hasattr(self, "store"):
            self.store.close()
            shutil.rmtree(self.folder)

    def step(self, stand):
        self.past.append(self.stand)
        self.stand, self.future = stand, []

    @rule(picks=st.lists(st.integers(0, 999), min_size=1, max_size=12), sealed_value=st.integers(0, 10))
    def act(self, picks, sealed_value):
        for pick in picks:
            offered = possible(self.session)
            if offered:
                self.try_to(offered[pick % len(offered)], sealed_value)

    def try_to(self, request, sealed_value):
        if sealed_value and getattr(request, "sealed", 0) is None:
            several = "count" in request.__struct_fields__ or self.game_id == "toy"
            request = msgspec.structs.replace(request, sealed=(sealed_value,) if several else sealed_value)
        if not isinstance(self.session.act(request), Refusal):
            self.step([*self.stand, self.session.current_moment.act.request])

    @rule()
    def undo(self):
        if isinstance(self.session.undo(), Refusal):
            assert not self.past
        else:
            self.future.append(self.stand)
            self.stand = self.past.pop()

    @rule()
    def redo(self):
        if isinstance(self.session.redo(), Refusal):
            assert not self.future
        else:
            self.past.append(self.stand)
            self.stand = self.future.pop()

    @precondition(lambda self: self.stand)
    @rule(data=st.data(), take_out=st.booleans())
    def correct(self, data, take_out):
        at = data.draw(st.integers(0, len(self.stand) - 1))
        plain = self.plain(self.stand[:at])
        offered = possible(plain)
        instead = None if take_out or not offered else data.draw(st.sampled_from(offered))
        if instead is not None and isinstance(
            self.session.decide_request(plain.current_moment, instead), Refusal
        ):
            assert isinstance(self.session.replace_acts(at, [instead]), Refusal)
            return
        wanted = [*([] if instead is None else [instead]), *self.stand[at + 1 :]]
        fitting = [one for one in wanted if not isinstance(plain.act(one), Refusal)]
        assert self.session.replace_acts(at, fitting) is None
        self.step([*self.stand[:at], *fitting])

    @rule()
    def the_laptop_dies(self):
        self.store._release_file()  # as after a kill
        self.store = Store.open(self.file)
        self.session = self.store.resume_session(1).restore_session(self.store.append)
        self.restarted = True

    def plain(self, requests):
        """Play these requests in a session of their own, without a journal."""
        session = Session(registry.load_game(self.game_id), self.setup)
        session._vault = self.session._vault  # what is known under the seals decides what may be turned up
        for request in requests:
            session.act(request)
        return session

    @invariant()
    def the_file_gives_back_the_session(self):
        if not hasattr(self, "store"):
            return
        with Store.open_read_only(self.file) as look:
            kept = look.read_session(1).restore_session()
        assert [act.request for act in self.session.list_acts()] == self.stand
        assert kept.list_acts() == self.session.list_acts()
        assert kept.state == self.session.state
        assert (kept.can_undo, kept.can_redo) == (bool(self.past), bool(self.future))

    @invariant()
    def undo_is_the_prefix(self):
        """Until a restart: what opens the seals is lost with it, so what was overruled cannot be
        told a second time."""
        if hasattr(self, "store") and not self.restarted:
            assert self.plain(self.stand).state == self.session.state


@pytest.mark.slow
@pytest.mark.parametrize("game_id", ["toy", "donkey_valley"])
def test_the_file_gives_back_whatever_was_played(game_id):
    machine = type(game_id, (Evening,), {"game_id": game_id})
    run_state_machine_as_test(
        machine,
        settings=settings(max_examples=25, stateful_step_count=25, suppress_health_check=list(HealthCheck)),
    )
