"""What the program keeps from one evening to the next: language, colours, voice, camera, and the
groups that played. One small file."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence

import msgspec

from companion.folders import user_settings
from companion.given_files import refuse_read_only
from companion.language import spoken
from companion.plan import Plan, option
from companion.rules.messages import Problem
from companion.texts import no_text, system_reason

GROUPS = 8
"""How many groups are remembered, the last first: more than that nobody finds a group by."""


class Person(msgspec.Struct, frozen=True):
    """Somebody whose name the set-up form completes; `uuid` as BG Stats knows them, so that what we
    export is theirs there."""

    name: str
    uuid: str = ""


class Membership(msgspec.Struct, frozen=True):
    """The league that this laptop's table has joined. `club`: its id, `key`: the table's own, both
    hexadecimal; `table`: what the table is called there. `since`: seconds since 1970; evenings that
    were begun before are nobody's business."""

    url: str
    club: str
    club_name: str
    table: str
    key: str
    since: float


class Settings(msgspec.Struct, frozen=True):
    """`language` and `theme`: "" as the computer's locale says, the usual colours. `still`: nothing
    moves on the screen by itself.

    `groups`: the plans of those who played, the last first.
    `said`: how the voice says names that it would say wrong, by the name as written.
    `pictures`: those of the reveals are kept with each evening.
    `thrown_away`: when the evenings began that are offered and counted no more (seconds since
    1970, as the journal has it; the journal keeps them).
    `called`: what people are called since, by the name that earlier evenings have.
    `share`: who may join each table, "" nobody, `here` browsers of this computer, `network` those
    of the local network.
    `league`: None while the table has joined none.
    """

    language: str = ""
    theme: str = ""
    voice: bool = False
    sounds: bool = False
    camera: str = ""
    still: bool = False
    pictures: bool = False
    share: str = ""
    groups: tuple[Plan, ...] = ()
    people: tuple[Person, ...] = ()
    said: Mapping[str, str] = {}
    thrown_away: tuple[float, ...] = ()
    called: Mapping[str, str] = {}
    league: Membership | None = None

    def spoken(self) -> str:
        """Return the language: the one chosen, else the computer's if we speak it, else English."""
        return spoken(self.language)

    def fill(self, plan: Plan) -> Plan:
        """Give a plan what is chosen here where it says nothing else."""
        return plan.but(
            theme=plan.theme or self.theme,
            voice=plan.voice or self.voice,
            sounds=plan.sounds or self.sounds,
            pictures=plan.pictures or self.pictures,
        )

    def with_group(self, group: Plan) -> Settings:
        """Remember a group; it comes first now."""
        others = self.without_group(group.game, group.players).groups
        return msgspec.structs.replace(self, groups=(group, *others)[:GROUPS])

    def without_group(self, game: str, players: Sequence[str]) -> Settings:
        """Forget who played this game under these names."""
        others = tuple(one for one in self.groups if (one.game, one.players) != (game, tuple(players)))
        return msgspec.structs.replace(self, groups=others)

    def throwing_away(self, begun: float, *, away: bool) -> Settings:
        """Throw away the evening that began then, or take it back."""
        others = tuple(one for one in self.thrown_away if one != begun)
        return msgspec.structs.replace(self, thrown_away=(*others, begun) if away else others)

    def calling(self, old: str, new: str) -> Settings:
        """Call somebody `new` in all that is listed and counted from now on, earlier evenings too;
        where somebody is called so already the two are one. To call them `old` again takes that
        back only where they were not made one."""
        since = {name: new if now == old else now for name, now in self.called.items()}
        known = {one.name: one for one in self.people}
        ids = [known[name].uuid for name in (new, old) if name in known]
        people = [one for one in self.people if one.name not in (old, new)]
        if ids:
            people.append(Person(new, next(filter(None, ids), "")))
        said = {new if name == old else name: how for name, how in self.said.items()}
        groups = [
            one.but(players=tuple(new if name == old else name for name in one.players))
            for one in self.groups
            if old not in one.players or new not in one.players
        ]
        return msgspec.structs.replace(
            self,
            called={name: now for name, now in {**since, old: new}.items() if name != now},
            people=tuple(sorted(people, key=lambda one: one.name.casefold())),
            said=said,
            groups=tuple({(one.game, one.players): one for one in reversed(groups)}.values())[::-1],
        )

    def with_people(self, people: Sequence[Person]) -> Settings:
        """Remember these people, by name; those known already are known as these say."""
        known = {one.name: one for one in (*self.people, *people)}
        listed = sorted(known.values(), key=lambda one: one.name.casefold())
        return msgspec.structs.replace(self, people=tuple(listed))

    def names(self) -> tuple[str, ...]:
        """Return the names that are known: those of the groups, the last first, then the others."""
        played = [name for group in self.groups for name in group.players]
        return tuple(dict.fromkeys([*played, *(one.name for one in self.people)]))


def load() -> Settings:
    """Read the settings; a file that is missing or damaged gives the usual ones (a damaged one is
    kept aside as `.bad`)."""
    file = user_settings()
    try:
        return _read(file.read_bytes())
    except OSError:
        return Settings()
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        with contextlib.suppress(OSError):
            file.replace(file.with_name(file.name + ".bad"))
        return Settings()


def _read(words: bytes) -> Settings:
    """Read a settings file; a group's options were words (`name=value`) in files before 2026-12."""
    kept = msgspec.json.decode(words)
    groups = kept.get("groups") if isinstance(kept, dict) else None
    for group in groups if isinstance(groups, list) else ():
        options = group.get("options") if isinstance(group, dict) else None
        if isinstance(options, list):
            group["options"] = dict(option(one) for one in options if isinstance(one, str) and "=" in one)
    return msgspec.convert(kept, Settings)


def keep(settings: Settings) -> None:
    """Write the settings, whole or not at all, for somebody who has asked for it; raise `Problem`
    where that cannot be, or something in them is no text."""
    file = user_settings()
    try:
        refuse_read_only(file)
        file.parent.mkdir(parents=True, exist_ok=True)
        draft = file.with_name(file.name + ".new")
        draft.write_bytes(msgspec.json.format(msgspec.json.encode(settings)))
        draft.replace(file)
    except OSError as fault:
        raise Problem("settings.not_kept", file=str(file), reason=system_reason(fault)) from fault
    except UnicodeEncodeError as fault:  # JSON has no way to write it
        raise no_text(fault) from fault


def save(settings: Settings) -> None:
    """Write the settings, whole or not at all, beside something else. A folder that cannot be
    written loses them and nothing else.

    So does a port or a film whose name is no text: the next evening is asked for it again.
    """
    with contextlib.suppress(Problem):
        keep(settings)
