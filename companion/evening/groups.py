"""What is remembered of who played what and how, and the command that opens that table again."""

from __future__ import annotations

import msgspec

from companion import settings as kept_settings
from companion.evening.plan import Plan
from companion.live.live import Live
from companion.live.snapshot import Snapshot
from companion.readers.camera.addresses import without_password
from companion.rules import registry
from companion.rules.contract import Setup
from companion.rules.people import People
from companion.settings import Group


def remember(plan: Plan, live: Live) -> None:
    """Remember who plays this evening, and whenever a name is put right remember them by that
    name instead."""
    by: list[tuple[str, ...]] = [live.snapshot().people.seats]

    def follow(snapshot: Snapshot) -> None:
        group = group_of(plan, live.setup, snapshot.people)
        if len(by) == 1 or by[-1] != group.players:
            settings = kept_settings.load()
            for players in by:
                settings = settings.without_group(group.game, players)
            kept_settings.save(settings.with_group(group))
            by.append(group.players)

    follow(live.snapshot())
    live.subscribe(follow)


def group_of(plan: Plan, setup: Setup, people: People) -> Group:
    """Return what is remembered of an evening: who plays what, by their right names, and how; no
    camera's password."""
    clock = None if plan.clock is None else plan.clock.seconds
    cameras = tuple(map(without_password, plan.cameras))
    names = tuple(people.right.values())
    return Group(setup.game, names, options_of(setup), plan.deck, cameras, plan.readers, clock)


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
