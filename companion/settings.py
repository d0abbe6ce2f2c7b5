"""Settings kept from one evening to the next, in one small file: language, colours, voice, camera,
and the groups that played.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from itertools import chain, count
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, get_args, get_origin

import msgspec

from companion.folders import make_private_folder, user_settings_file
from companion.language import resolve_language
from companion.plan import Plan, parse_option
from companion.rules.messages import Problem, Text
from companion.texts import describe_os_error, make_encoding_problem
from companion.user_files import hold_file_lock, refuse_read_only, write_file_atomically

T = TypeVar("T")

GROUPS = 8
"""Number of groups that are remembered, the latest first. In a longer list nobody finds their
group.
"""


BOARDS = 8
"""Number of reader boards that are remembered: no table has more."""


class Person(msgspec.Struct, frozen=True):
    """A person whose name the set-up form completes. `uuid`: their id in BG Stats, so that exported
    games are assigned to them there.
    """

    name: str
    uuid: str = ""


class Settings(msgspec.Struct, frozen=True):
    """The settings of one user.

    `language` and `theme`: empty for the computer's locale and the usual colours. `still`: no
    animations. `groups`: plans of the groups that played, the latest first. `pronunciations`:
    pronunciation of names for the voice, by the name as written. `pictures`: save pictures of the
    reveals with each evening. `thrown_away`: start times of the evenings that are no longer offered
    or counted (seconds since 1970, as in the journal, which keeps them). `called`: new names of
    people, by the name in earlier evenings. `share`: who may join each table: "" nobody, `here`
    browsers on this computer, `network` those in the local network. `boards`: identities of the
    serial ports at which a card reader has answered, the latest first
    (`companion.readers.rfid.ports`). `plug_ins`: what plug-ins have saved, each under its name.
    `others`: the rest of the file, unchanged: fields of newer versions, and what plug-ins saved
    before 2026-12, which has no place of its own.
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
    boards: tuple[str, ...] = ()
    plug_ins: Mapping[str, Any] = {}
    others: Mapping[str, Any] = {}

    def resolve_language(self) -> str:
        """Return the language: the one chosen, else the computer's if we have it, else English."""
        return resolve_language(self.language)

    def fill_plan(self, plan: Plan) -> Plan:
        """Return `plan` with these settings where it does not choose anything itself."""
        return plan.with_changes(
            theme=plan.theme or self.theme,
            voice=plan.voice or self.voice,
            sounds=plan.sounds or self.sounds,
            pictures=plan.pictures or self.pictures,
        )

    def list_plug_ins(self) -> list[str]:
        """List the names under which something is saved for a plug-in; before 2026-12 also whatever
        else the file has."""
        saved = {**self.others, **self.plug_ins}
        return [name for name, value in saved.items() if value is not None]

    def read_plug_in(self, name: str, kind: type[T]) -> T | None:
        """Return what a plug-in has saved; None if that is nothing. Raises
        `msgspec.ValidationError`."""
        value = self.plug_ins.get(name, self.others.get(name))
        return None if value is None else msgspec.convert(value, kind)

    def with_plug_in(self, name: str, value: object) -> Settings:
        """Return settings in which a plug-in has saved `value`; None removes it."""
        others, plug_ins = dict(self.others), dict(self.plug_ins)
        others.pop(name, None)
        plug_ins.pop(name, None)
        if value is not None:
            plug_ins[name] = msgspec.to_builtins(value)
        return msgspec.structs.replace(self, others=others, plug_ins=plug_ins)

    def with_board(self, identity: str) -> Settings:
        """Return settings that list this reader board first."""
        others = tuple(one for one in self.boards if one != identity)
        return msgspec.structs.replace(self, boards=(identity, *others)[:BOARDS])

    def with_group(self, group: Plan) -> Settings:
        """Return settings that list this group first."""
        others = self.without_group(group.game, group.players).groups
        return msgspec.structs.replace(self, groups=(group, *others)[:GROUPS])

    def without_group(self, game: str, players: Sequence[str]) -> Settings:
        """Return settings without the group that played this game under these names."""
        others = tuple(one for one in self.groups if (one.game, one.players) != (game, tuple(players)))
        return msgspec.structs.replace(self, groups=others)

    def with_discarded_session(self, begun: float, *, discarded: bool) -> Settings:
        """Return settings that list the evening which began then as discarded (`discarded`), or
        not."""
        others = tuple(one for one in self.thrown_away if one != begun)
        return msgspec.structs.replace(self, thrown_away=(*others, begun) if discarded else others)

    def with_renamed_person(self, old: str, new: str) -> Settings:
        """Return settings in which the person `old` is called `new` in all lists and statistics,
        earlier evenings included.

        If `new` exists already, the two become one person. Renaming back to `old` reverses a
        renaming, but does not separate two people who became one.
        """
        since = {name: new if now == old else now for name, now in self.called.items()}
        # `new` first: of two people who become one, the id of the name that stays is preferred.
        known = {one.name: one for one in self.people}
        ids = [known[name].uuid for name in (new, old) if name in known]
        people = [one for one in self.people if one.name not in (old, new)]
        if ids:
            people.append(Person(new, next(filter(None, ids), "")))
        pronunciations = {new if name == old else name: how for name, how in self.said.items()}
        groups = [
            one.with_changes(players=tuple(new if name == old else name for name in one.players))
            for one in self.groups
            if old not in one.players or new not in one.players
        ]
        return msgspec.structs.replace(
            self,
            called={name: now for name, now in {**since, old: new}.items() if name != now},
            people=tuple(sorted(people, key=lambda one: one.name.casefold())),
            said=pronunciations,
            groups=tuple({(one.game, one.players): one for one in reversed(groups)}.values())[::-1],
        )

    def with_people(self, people: Sequence[Person]) -> Settings:
        """Return settings that know these people. Their ids in BG Stats tell people apart: those
        known by an id keep the name here, and of two people with one name the second is numbered.
        """
        known = {one.name: one for one in self.people}
        names = {one.uuid: one.name for one in self.people if one.uuid}
        for one in people:
            name = names.get(one.uuid, one.name) if one.uuid else one.name
            base, number = name, 1
            # Without an id a name is all that is known, and means the same person.
            while one.uuid and name in known and known[name].uuid not in ("", one.uuid):
                number += 1
                name = f"{base} ({number})"
            known[name] = Person(name, one.uuid or (known[name].uuid if name in known else ""))
        listed = sorted(known.values(), key=lambda one: one.name.casefold())
        return msgspec.structs.replace(self, people=tuple(listed))

    def list_last_options(self) -> dict[str, Mapping[str, Any]]:
        """Return, by game, the options of the group that played it last."""
        return {group.game: group.options for group in reversed(self.groups)}

    def list_known_names(self) -> tuple[str, ...]:
        """Return the known names: those of the groups, the latest first, then the others."""
        played = [name for group in self.groups for name in group.players]
        return tuple(dict.fromkeys([*played, *(one.name for one in self.people)]))


_FIELDS = [field for field in msgspec.structs.fields(Settings) if field.name != "others"]
"""The fields of the file that this version knows."""
_damage_notices: list[Text] = []


def take_damage_notice() -> Text | None:
    """Return, once, the message about settings that could not be read."""
    return _damage_notices.pop() if _damage_notices else None


def load_settings() -> Settings:
    """Read the settings; a missing file gives the defaults, and so does each field that cannot be
    read. A damaged file is kept under a name of its own (`.bad`), and the rest is saved again."""
    file = user_settings_file()
    try:
        read = _decode_settings(file.read_bytes())
        if read.is_damaged:
            with hold_file_lock(_lock_path(file)):
                read = _set_damaged_aside(file)
    except FileNotFoundError:
        return Settings()
    except (OSError, Problem):
        with contextlib.suppress(OSError):
            return _decode_settings(file.read_bytes()).settings
        return Settings()
    return read.settings


class _ReadSettings(NamedTuple):
    """What a settings file holds, and whether anything could not be read."""

    settings: Settings
    is_damaged: bool


def _decode_settings(data: bytes) -> _ReadSettings:
    """Parse a settings file field by field. Before 2026-12 the options of a group were words
    (`name=value`)."""
    try:
        decoded = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        decoded = None
    if not isinstance(decoded, dict):
        return _ReadSettings(Settings(), is_damaged=True)
    groups = decoded.get("groups")
    for group in groups if isinstance(groups, list) else ():
        options = group.get("options") if isinstance(group, dict) else None
        if isinstance(options, list):
            group["options"] = dict(
                parse_option(one) for one in options if isinstance(one, str) and "=" in one
            )
    found: dict[str, Any] = {}
    is_damaged = False
    for field in _FIELDS:
        if field.name in decoded:
            value = decoded.pop(field.name)
            try:
                found[field.name] = msgspec.convert(value, field.type)
            except msgspec.ValidationError:
                is_damaged = True
                found |= _convert_elements(field, value)
    return _ReadSettings(Settings(**found, others=decoded), is_damaged)


def _convert_elements(field: msgspec.structs.FieldInfo, value: object) -> dict[str, Any]:
    """Return the elements of a list or mapping that can be read; {} if it is neither."""
    arguments = get_args(field.type)
    if get_origin(field.type) is tuple and isinstance(value, list):
        converted = [_try_convert(one, arguments[0]) for one in value]
        return {field.name: tuple(one for one in converted if one is not None)}
    if isinstance(value, dict) and len(arguments) == 2 and get_origin(field.type) is Mapping:
        return {field.name: {name: one for name, one in value.items() if isinstance(one, str)}}
    return {}


def _try_convert(value: object, kind: Any) -> Any:
    with contextlib.suppress(msgspec.ValidationError):
        return msgspec.convert(value, kind)
    return None


def _lock_path(file: Path) -> Path:
    return file.with_name(file.name + ".lock")


def _set_damaged_aside(file: Path) -> _ReadSettings:
    """Copy a damaged file to a name of its own, and save what can be read of it. Raises
    `OSError`."""
    # First, or each start would leave another copy.
    refuse_read_only(file)
    data = file.read_bytes()
    read = _decode_settings(data)
    if not read.is_damaged:
        # Another program was quicker.
        return read
    suffixes = chain([""], (f"-{number}" for number in count(2)))
    aside = next(
        name for suffix in suffixes if not (name := file.with_name(f"{file.name}.bad{suffix}")).exists()
    )
    write_file_atomically(aside, data, is_private=True)
    _write_settings(file, read.settings)
    _damage_notices.append(Text("settings.damaged", {"file": str(file), "copy": str(aside)}))
    return read


def change_settings(change: Callable[[Settings], Settings]) -> Settings:
    """Change the settings for a user who asked for it, and return the new ones. What other programs
    save at the same time is not lost, nor are fields of a newer version.

    Raises `Problem` if the file cannot be written, or if a value is not valid text.
    """
    file = user_settings_file()
    try:
        refuse_read_only(file)
        make_private_folder(file.parent)
        with hold_file_lock(_lock_path(file)):
            try:
                read = _decode_settings(file.read_bytes())
            except FileNotFoundError:
                read = _ReadSettings(Settings(), is_damaged=False)
            if read.is_damaged:
                read = _set_damaged_aside(file)
            changed = change(read.settings)
            _write_settings(file, changed)
            return changed
    except OSError as fault:
        raise Problem("settings.not_kept", file=str(file), reason=describe_os_error(fault)) from fault
    except UnicodeEncodeError as fault:  # JSON has no way to write it
        raise make_encoding_problem(fault) from fault


def _write_settings(file: Path, settings: Settings) -> None:
    fields = {**settings.others, **{field.name: getattr(settings, field.name) for field in _FIELDS}}
    # Plug-ins save keys of servers there.
    write_file_atomically(file, msgspec.json.format(msgspec.json.encode(fields)), is_private=True)


def try_change_settings(change: Callable[[Settings], Settings]) -> None:
    """Change the settings and ignore failures, for callers to whom they are secondary.

    If the folder cannot be written, or the name of a port or video is not valid text, the change is
    lost and the next evening asks for it again.
    """
    with contextlib.suppress(Problem):
        change_settings(change)
