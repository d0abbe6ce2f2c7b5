"""Both web servers under the same attacks."""

from __future__ import annotations

import pytest

from tests.league.conftest import database, postgres  # noqa: F401 - fixtures
from tests.web.attacks import ATTACKS, attacked_league, attacked_table, short_timeouts

every_attack = pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.__name__)


@every_attack
def test_no_attack_on_a_table_shuts_a_guest_out_or_gets_anything(attack) -> None:
    with short_timeouts(), attacked_table() as target:
        assert attack(target)


@every_attack
def test_no_attack_on_the_league_shuts_a_table_out_or_gets_anything(attack, database) -> None:  # noqa: F811
    with short_timeouts(), attacked_league(database) as target:
        assert attack(target)
