"""Decks that people own: which designs stand for which card ids.

A *design* is what a reader can distinguish (the camera's name of a picture); a *card id* is the
name in the rules (`load:red:7`). Several designs may stand for one card id, and several physical
cards (copies, tags) for one design.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Literal, cast

from companion.rules.claims import CardId
from companion.table import deck_file
from companion.table.deck_file import DeckError, Fault, make_fault, normalize_tag_id

__all__ = ["FILE", "MARKERS", "Deck", "DeckError", "Design", "Fault", "list_deck_files"]

FILE = "deck.toml"
"""Name of the deck file in a deck's folder."""

MARKERS = "aruco5x5"
"""Family (of `vision.markers`) of the markers on cards; different from the table mat's,
so that a card is never mistaken for a corner of the mat."""

_ANY = "any"


@dataclass(frozen=True)
class Design:
    """One design of a deck.

    `name`: the camera's name. `card`: the card id, None for a card without meaning in the game
    (a summary, a court card). `copies`: how many physical cards. `tags`: ids of their RFID
    tags, lower-case hexadecimal. `marker`: ArUco id printed on them.
    """

    name: str
    card: str | None
    copies: int = 1
    tags: tuple[str, ...] = ()
    marker: int | None = None


@dataclass(frozen=True)
class Deck:
    """The designs of one deck and the card ids they stand for. Immutable: changes return a new
    deck; `save` writes it.

    `owner_by`: what determines the owner of a card: the `colour` in its id, the `seat`
    where it lies, or `none`. `path`: the deck file it came from, None for a deck made by the
    program. `at_once`: cards of an ordinary pack that the camera was never shown are named at first
    sight, and learnt while they are played. `references`: folder of the camera's reference views,
    relative to the deck file.
    """

    name: str
    game: str
    designs: tuple[Design, ...]
    owner_by: Literal["colour", "seat", "none"] = "none"
    references: str = "references"
    path: Path | None = None
    at_once: bool = False

    @classmethod
    def load(cls, path: Path | str) -> Deck:
        """Read a deck file, or the `deck.toml` of a folder; raise `DeckError` that lists every
        mistake with line and key."""
        path = Path(path)
        path = path / FILE if path.is_dir() else path
        text, values = deck_file.read_deck_file(path)
        faults = deck_file.find_faults(text, values)
        if faults:
            raise DeckError(str(path), faults)
        # Only now, as keys and types are right, can the values be read and compared.
        head = values["deck"]
        designs = tuple(_parse_design(row) for row in values["design"])
        faults = _find_clashes(text, designs)
        if faults:
            raise DeckError(str(path), faults)
        return cls(
            head["name"],
            head["game"],
            designs,
            cast(Literal["colour", "seat", "none"], head.get("owner_by", "none")),
            head.get("references", "references"),
            path,
            head.get("at_once", False),
        )

    @classmethod
    def load_builtin(cls, name: str) -> Deck:
        """Return one of the program's own decks by name (a game's id, or `donkey_valley_52`); see
        `list_deck_files`."""
        return cls.load_by_name(name)

    @classmethod
    def load_by_name(cls, name: str, home: Path | None = None) -> Deck:
        """Return the deck `name`, from the folder `home` of people's decks or else the program's
        own; raise `DeckError` if there is none."""
        known = list_deck_files(home)
        if name not in known:
            raise DeckError(name, [make_fault("no_such_deck", known=", ".join(sorted(known)))])
        return cls.load(known[name])

    @cached_property
    def _designs_by_name(self) -> Mapping[str, Design]:
        return {design.name: design for design in self.designs}

    @cached_property
    def _design_names_by_tag(self) -> Mapping[str, str]:
        return {tag: design.name for design in self.designs for tag in design.tags}

    @cached_property
    def designs_by_marker(self) -> Mapping[int, str]:
        """Names of the designs, by the ArUco marker they carry."""
        return {design.marker: design.name for design in self.designs if design.marker is not None}

    @cached_property
    def card_counts(self) -> Mapping[str, int]:
        """Number of physical cards of each card id, over all designs, in the file's order."""
        counted: dict[str, int] = {}
        for design in self.designs:
            if design.card is not None:
                counted[design.card] = counted.get(design.card, 0) + design.copies
        return counted

    @cached_property
    def owner_colours(self) -> tuple[str, ...]:
        """Owners' colours in the card ids, in the file's order (`red`, `blue`, ...); empty unless
        `owner_by` is `colour`."""
        return tuple(dict.fromkeys(c for c in map(self.find_owner_colour, self.card_counts) if c is not None))

    @property
    def folder(self) -> Path | None:
        """Folder of the deck; None if it has none yet, as the program's own decks until they are
        saved."""
        # The program's own decks are read-only: nothing is stored beside them.
        return None if self.path is None or self.path.parent.parent == _games_folder() else self.path.parent

    @property
    def views_folder(self) -> Path | None:
        """Folder to pass to `vision.library.Library.load` and `save`; None for a deck that has no
        folder yet."""
        return None if self.folder is None else (self.folder / self.references).parent

    def find_design(self, name: str) -> Design | None:
        """Return the design with that name; None if the deck has none."""
        return self._designs_by_name.get(name)

    def find_card(self, design: str) -> str | None:
        """Return the card id that a design stands for; None if the deck has no such design or it
        means nothing in the game."""
        found = self._designs_by_name.get(design)
        return None if found is None else found.card

    def find_owner_colour(self, card: str) -> str | None:
        """Return the colour in a card id (`load:red:7`: `red`); None if it has none or the colour
        does not determine the owner."""
        colour = CardId.from_text(card).colour
        return colour if self.owner_by == "colour" and colour not in ("", _ANY) else None

    def count_copies(self, card: str) -> int:
        """Return the number of physical cards with this card id; 0 if the deck has none."""
        return self.card_counts.get(card, 0)

    def find_design_by_tag(self, tag: str) -> str | None:
        """Return the name of the design whose card carries the RFID tag (hexadecimal, any
        spelling); None if unknown."""
        return self._design_names_by_tag.get(normalize_tag_id(tag))

    def with_tag(self, design: str, tag: str) -> Deck:
        """Return the deck in which `tag` stands for `design` and for no other; raise
        `DeckError` for an invalid tag id or an unknown design."""
        tag = normalize_tag_id(tag)
        if not deck_file.TAG.fullmatch(tag):
            raise self._make_error(
                make_fault("bad_value", key="tags", value=tag, rule=deck_file.DESIGN_KEYS["tags"].describe())
            )
        self._require_design(design)
        return replace(self, designs=tuple(_set_tag(one, tag, one.name == design) for one in self.designs))

    def without_tag(self, tag: str) -> Deck:
        """Return the deck without that tag."""
        return replace(
            self, designs=tuple(_set_tag(one, normalize_tag_id(tag), False) for one in self.designs)
        )

    def with_markers(self, markers: Mapping[str, int]) -> Deck:
        """Return the deck in which exactly the designs named have ArUco markers, as given."""
        for design in markers:
            self._require_design(design)
        return replace(
            self, designs=tuple(replace(one, marker=markers.get(one.name)) for one in self.designs)
        )

    def with_copies(self, design: str, copies: int) -> Deck:
        """Return the deck with `copies` physical cards of `design`; raise `DeckError`
        for an unknown design or a number out of range."""
        if not deck_file.DESIGN_KEYS["copies"].fits(copies):
            raise self._make_error(
                make_fault(
                    "bad_value", key="copies", value=copies, rule=deck_file.DESIGN_KEYS["copies"].describe()
                )
            )
        self._require_design(design)
        changed = (replace(one, copies=copies) if one.name == design else one for one in self.designs)
        return replace(self, designs=tuple(changed))

    def save(self, path: Path | str | None = None) -> Deck:
        """Write the deck file (default: where it came from), keeping the comments of an existing
        one. Return the deck as saved.

        `path`: a `.toml` file, or a folder, which is created. Raises `DeckError` if it cannot be
        written (an existing file is then intact), and for one of the program's own decks without a
        path, because these are never changed.
        """
        target = Path(path) if path is not None else self.path
        if target is None or (path is None and self.folder is None):
            raise self._make_error(make_fault("nowhere"))
        if target.suffix != ".toml":
            target = target / FILE
        head = {
            "name": self.name,
            "game": self.game,
            "owner_by": self.owner_by,
            "references": self.references,
            **({"at_once": True} if self.at_once else {}),
        }
        deck_file.write_deck_file(
            target, head, [_design_to_row(design) for design in self.designs], self.path
        )
        return replace(self, path=target)

    def _require_design(self, design: str) -> None:
        if design not in self._designs_by_name:
            raise self._make_error(make_fault("no_such_design", key="name", name=design))

    def _make_error(self, fault: Fault) -> DeckError:
        return DeckError(str(self.path or self.name), [fault])


def list_deck_files(home: Path | None = None) -> dict[str, Path]:
    """Return the deck files that can be used by name: people's own in `home`, then the program's,
    each game's default deck first."""
    ours = sorted(_games_folder().glob("*/*.toml"), key=lambda file: (file.parent, file.name != FILE, file))
    found = {file.parent.name if file.name == FILE else file.stem: file for file in ours}
    if home is not None and home.is_dir():
        found |= {file.parent.name: file for file in sorted(home.glob(f"*/{FILE}"))}
    return found


@cache
def _games_folder() -> Path:
    """Return the folder of the program's own games, with their deck files."""
    return Path(__file__).resolve().parents[1] / "games"


def _parse_design(row: Mapping[str, Any]) -> Design:
    # Without `card` the name is the card id; an empty one means that the game has no such
    # card.
    card = row.get("card", row["name"])
    tags = tuple(dict.fromkeys(map(normalize_tag_id, row.get("tags", ()))))
    return Design(row["name"], card or None, row.get("copies", 1), tags, row.get("marker"))


def _design_to_row(design: Design) -> dict[str, Any]:
    """Return the file's keys of a design; None for values that are left out because they are the
    default."""
    return {
        "name": design.name,
        "card": None if design.card == design.name else design.card or "",
        "copies": None if design.copies == 1 else design.copies,
        "tags": list(design.tags) or None,
        "marker": design.marker,
    }


def _set_tag(design: Design, tag: str, present: bool) -> Design:
    if (tag in design.tags) == present:
        return design
    others = tuple(one for one in design.tags if one != tag)
    return replace(design, tags=(*others, tag) if present else others)


def _find_clashes(text: str, designs: tuple[Design, ...]) -> list[Fault]:
    """List names, tags and markers that designs share, and names that are not valid card ids."""
    faults: list[Fault] = []
    first_uses: dict[tuple[str, object], int] = {}
    for index, design in enumerate(designs):
        uses: list[tuple[str, object]] = [("name", design.name)]
        uses += [("tags", tag) for tag in design.tags]
        uses += [] if design.marker is None else [("marker", design.marker)]
        for key, value in uses:
            first = first_uses.setdefault((key, value), index)
            if first != index:
                there = deck_file.find_line(text, "design", first, key)
                here = deck_file.find_line(text, "design", index, key)
                faults.append(make_fault("shared", here, key, value=str(value), other=there))
        if design.card is not None and not deck_file.DESIGN_KEYS["card"].fits(design.card):
            line = deck_file.find_line(text, "design", index, "name")
            faults.append(make_fault("name_no_card", line, "card", name=design.name))
    return faults
