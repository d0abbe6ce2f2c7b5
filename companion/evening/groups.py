"""What is remembered of who played what and how, and the command that opens that table again."""

from __future__ import annotations

import msgspec

from companion.evening.plan import Plan
from companion.readers.camera.addresses import without_password
from companion.rules import registry
from companion.rules.contract import Setup
from companion.settings import Group


def group_of(plan: Plan, setup: Setup) -> Group:
    """Return what is remembered of an evening: who plays what, and how; no camera's password."""
    clock = None if plan.clock is None else plan.clock.seconds
    cameras = tuple(map(without_password, plan.cameras))
    return Group(setup.game, setup.players, options_of(setup), plan.deck, cameras, plan.readers, clock)


def options_of(setup: Setup) -> tuple[str, ...]:
    """Return the options as `--option` takes them; those that are as usual are left out."""
    usual = registry.load(setup.game).defaults({})
    chosen = {name: value for name, value in setup.options.items() if usual.get(name) != value}
    return tuple(f"{name}={msgspec.json.encode(value).decode()}" for name, value in chosen.items())


def words_of(group: Group) -> tuple[str, ...]:
    """Return the arguments of `companion play` that open this group's table."""
    words = ["play", "--new", "--game", group.game, "--players", ",".join(group.players)]
    if group.deck:
        words += ["--deck", group.deck]
    for name, values in (
        ("--option", group.options),
        ("--camera", group.cameras),
        ("--reader", group.readers),
    ):
        for value in values:
            words += [name, value]
    if group.clock is not None:
        words += ["--clock", str(group.clock)]
    # Without it `play` with no device opens the demo.
    return (*words, *(() if group.cameras or group.readers else ("--by-hand",)))
