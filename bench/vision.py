"""Measure the camera's reading of single pictures: other people's photographs and packs, drawn
tables, and difficult conditions. Each bench is a stream of trials (`counting`).

Other people's photographs are in `../shared` (`--shared`) and are not part of the project: a table
is what one person took in one light. Each deck is enrolled from its `reference` photographs.
"""

import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from bench import harness
from bench.counting import (
    LEFT_OUT,
    PEERS,
    Picture,
    Trial,
    VideoReader,
    count_trials,
    leave_out_designs,
    make_lacking_readers,
    make_reader,
    measure_enrolment,
    measure_outlines,
)
from bench.harness import WAYS, Options, Row
from tests.simulated import any_pack as any_pack_evenings
from tests.simulated import scenes, shots
from tests.simulated.changes import CHANGES
from tests.simulated.changes import changed as as_changed
from tests.simulated.packs import (
    CAMERAS,
    GROUNDS,
    LAYOUTS,
    PACKAGES,
    PACKS,
    Camera,
    drawings,
    drawn,
    enrolled,
    labels_of,
    photographs,
)
from tests.simulated.packs import (
    packs as sheets,
)
from tests.simulated.scenes import CLOTHS, Faults, Placed, on_white_cloth, render, without_frame
from tools.packs import photographs as taught
from vision import photo
from vision.decks import enrol, labels
from vision.decks.labels import Label, LabelledPhoto
from vision.fitting.patch import WIDTH
from vision.geometry import (
    Quad,
    contains_point,
    find_homography,
    make_box,
    make_rectangle,
    quad_area,
    transform_points,
)
from vision.library import Library
from vision.naming import pack52
from vision.reader import Reader

Rows = Iterator[Row]
AIM = {"right, sure": "95 %", "wrong, sure": "1 in 1,000", "strangers named": "1 in 200"}
"""Aims of reading."""
PLAYING = {**AIM, "right, sure": "98 %"}
"""Aims for playing cards as a webcam shows them."""


# strangers' tables


class Table(NamedTuple):
    """The photographs that one person took in one light, and the library of their deck."""

    name: str
    photos: list[LabelledPhoto]
    library: Library


def load_all_photos(options: Options) -> list[LabelledPhoto]:
    """Return all labelled photographs; ends the program if there are none."""
    files = [options.shared / kind / "labels.json" for kind in ("photos", "tables")]
    found = [one for file in files if file.exists() for one in labels.load_labels(file)]
    if not found:
        raise SystemExit(f"No photographs in {options.shared}: name their folder with --shared.")
    return found


def load_tables(options: Options) -> Iterator[Table]:
    """Yield every table, deck by deck."""
    every = load_all_photos(options)
    for deck in dict.fromkeys(one.deck for one in every):
        of_deck = [one for one in every if one.deck == deck]
        found: dict[str, list[LabelledPhoto]] = {}
        for one in of_deck:
            if one.use == "test":
                found.setdefault(table_name(one), []).append(one)
        library = enrol_photos([one for one in of_deck if one.use == "reference"])
        # a pack that was never shown
        if not library.references:
            library = Library(pack=dict.fromkeys(pack52.NAMES, 1))
        yield from (Table(name, photos, library) for name, photos in found.items())


def enrol_photos(references: Sequence[LabelledPhoto]) -> Library:
    """Build a library from these photographs."""
    library = Library()
    enrol.enrol_photos(library, references)
    return library


def table_name(one: LabelledPhoto) -> str:
    """Return the deck, and the photographer as far as the file's name tells."""
    stem = Path(one.name).stem
    if one.deck == "set-table":
        return f"{one.deck}, {stem.split('-')[1]}"
    if one.deck == "set81":
        return f"{one.deck}, {'enrolled table' if re.match('red|green|purple', stem) else stem}"
    if one.deck == "uno":
        return f"{one.deck}, {'on a chequered cloth' if stem.startswith('uno-check') else 'on white paper'}"
    return one.deck


def bench_tables(options: Options) -> Rows:
    """Read other people's tables, a row for each, as videos of a still table and as photographs,
    beside two usual methods; each quarter of the designs is left out in turn, to count how often
    their cards are identified as another (photographs). Compared with
    `bench/verdicts/tables.txt`."""
    # tables come deck by deck: only one deck's readers are needed at a time
    readers = lru_cache(maxsize=1)(lambda library: (make_reader(library), make_lacking_readers(library)))

    def make_trials() -> Iterator[Trial]:
        for one in load_tables(options):
            if options.wants_row(one.name):
                reader, ignorant = readers(one.library)
                for labelled in one.photos[: options.scale_count(len(one.photos))]:
                    yield Trial(
                        one.name,
                        reader,
                        photo.load_photo(labelled.path),
                        labelled.cards,
                        ignorant,
                        labelled.name,
                    )

    return count_trials(make_trials(), options, AIM, PEERS, WAYS, record="tables")


def bench_changed(options: Options) -> Rows:
    """Read the same photographs turned, in other light, by other cameras, to find how much depends
    on the very picture. One of six of each deck, other ones for each change (`--times 6`: all)."""
    every = max(1, round(6 / options.times))
    decks: dict[Library, list[LabelledPhoto]] = {}
    for one in load_tables(options):
        decks.setdefault(one.library, []).extend(one.photos)
    readers = {library: make_reader(library) for library in decks}

    def make_trials() -> Iterator[Trial]:
        for number, name in enumerate(CHANGES):
            for library, photos in decks.items() if options.wants_row(name) else ():
                # other photographs for each change
                for labelled in photos[number % every :: every]:
                    picture, moved = as_changed(labelled, name)
                    yield Trial(name, readers[library], picture, moved.cards, (), labelled.name)

    return count_trials(make_trials(), options, AIM, ways=WAYS)


WORDS = {
    "single": "1",
    "double": "2",
    "triple": "3",
    "outline": "empty",
    "stripes": "striped",
    "capsule": "oval",
}
"""Words of one deck for those of the other."""

OF_ONE = "set81, references", "set81, enrolled table"
"""Two photographs each of the same cards, by the same camera: neither is read with the other."""


def bench_editions(options: Options) -> Rows:
    """Read other editions of SET, under other cameras and lamps, with one edition enrolled: each
    table in turn. Designs that it does not show are unknown cards on the others."""
    found: dict[str, list[LabelledPhoto]] = {}
    for one in load_all_photos(options):
        if one.deck in ("set81", "set-table"):
            name = f"{one.deck}, references" if one.use == "reference" else table_name(one)
            cards = tuple(replace(card, card=_parse_set_design(card.card)) for card in one.cards)
            found.setdefault(name, []).append(replace(one, cards=cards))

    def make_trials() -> Iterator[Trial]:
        for name, own in found.items():
            if options.wants_row(name):
                reader = make_reader(enrol_photos(own))
                for other, photos in found.items():
                    # neither itself nor the same cards under the same camera
                    if other != name and not {name, other} <= set(OF_ONE):
                        for one in photos:
                            yield Trial(name, reader, photo.load_photo(one.path), one.cards, (), one.name)

    return count_trials(make_trials(), options, AIM, ways=WAYS)


def _parse_set_design(name: str) -> str:
    """Return a design as number, colour, filling and shape, whichever deck's words name it."""
    words = [WORDS.get(word, word) for word in name.split("-")]
    number = next(word for word in words if word.isdigit())
    return "-".join([number, *(word for word in words if word != number)])


# strangers' packs, drawn tables


def _list_pack_sheets(share: float = 1.0) -> list[Path]:
    """List this part of the installed packs; ends the program if there are none."""
    # packs are SVG files, drawn by rsvg-convert
    every = sheets() if shutil.which("rsvg-convert") else []
    if not every:
        raise SystemExit(f"No packs in {PACKS}: apt-get install {' '.join(PACKAGES)}")
    return every[:: max(1, round(1 / share))]


def bench_packs(options: Options) -> Rows:
    """Read some thirty packs of playing cards drawn by other people, enrolled from one photograph
    for each design and read on other tables, under two cameras."""
    found = _list_pack_sheets(min(options.times, 1.0))

    def make_trials() -> Iterator[Trial]:
        known = []
        for number, sheet in enumerate(found):
            rng = np.random.default_rng([options.seed, number])
            cards = drawings(sheet)
            library = enrolled(cards, rng)
            # a quarter of the designs left out, another one for each pack
            lesser = leave_out_designs(library, number % LEFT_OUT)
            shots_of = {name: list(photographs(cards, camera, 3, rng)) for name, camera in CAMERAS.items()}
            known.append((sheet.stem, make_reader(library), [make_reader(lesser)], shots_of))
        # row by row: `count_trials` expects the pictures of a row one after another
        for name in CAMERAS:
            for stem, reader, lesser_readers, shots_of in known:
                for picture, labelled in shots_of[name]:
                    yield Trial(name, reader, picture, labelled, lesser_readers, stem)

    return count_trials(make_trials(), options, PLAYING, ways=WAYS)


class UnenrolledCards(NamedTuple):
    """Cards of a pack that was not enrolled: the row for which they count, the network's result for
    each in three views (`pack52.patch_log_likelihoods`), and the name of each, None if it is of no
    pack of 52."""

    row: str
    says: NDArray[np.float64]
    names: Sequence[str | None]


def bench_any_pack(options: Options) -> Rows:
    """Identify cards of packs that were not enrolled, cut out where they lie: by the best guess,
    surely, and with every name given once in a pack; then cards that are of no pack of 52; and play
    games at once with other people's packs, two with each: what was asked, of 24 loads."""
    for row, packs_of in groupby(_iterate_unenrolled(options), lambda one: one.row):
        counts: Counter[str] = Counter()
        for one in packs_of:
            # each name is given once among all cards of the pack
            together = pack52.assign_names(one.says.mean(axis=1))
            for logs, name, by_pack in zip(one.says, one.names, together, strict=True):
                guess = pack52.guess_name(logs)
                counts["cards"] += 1
                counts["best"] += guess.name == name
                counts["right"] += guess.sure and guess.name == name
                counts["wrong"] += guess.sure and guess.name != name
                counts["pack"] += by_pack == name
        cards = counts["cards"]
        yield {
            "cards": row,
            "right by best guess": harness.format_share(counts["best"], cards),
            "right, sure": harness.format_share(counts["right"], cards),
            "wrong, sure": harness.format_share(counts["wrong"], cards),
            "right in whole packs": harness.format_share(counts["pack"], cards),
        }
    yield from _read_strangers_tables(options)
    yield from _play_games(options)


FANS = {
    "a fan": ((60, 0, 8.0), 5),
    "a row": ((55, 0, 0.0), 5),
    "a column": ((0, 65, 0.0), 4),
}
"""Ways to lay cards over one another so that their indices show: pixels to the right, pixels down
and degrees from one to the next, of cards 150 pixels wide, and how many there are."""

BELOW = 8, 4, 2
"""Grey levels by which a cloth is darker than the cards on it."""


class StrangersTable(NamedTuple):
    """Cards of one pack of which no print is known, on a table that was seen bare: the row for
    which they count, both pictures, the names of all that lie there, and of those that count."""

    row: str
    bare: Picture
    shot: Picture
    lying: Sequence[str]
    counted: Sequence[str]


def _read_strangers_tables(options: Options) -> Rows:
    """Read such tables as videos and as photographs."""
    for row, tables in groupby(_iterate_strangers_tables(options), lambda one: one.row):
        counts: dict[str, Counter[str]] = {way: Counter() for way in options.ways or WAYS}
        for table in tables:
            reader = make_reader(Library(pack=dict.fromkeys(pack52.NAMES, 1)))
            for way, counted in counts.items():
                found = (VideoReader(reader, table.bare) if way == "video" else reader).read(table.shot)
                sure = {one.card for one in found if one.sure}
                counted["cards"] += len(table.counted)
                counted["right"] += len(sure.intersection(table.counted))
                counted["wrong"] += len(sure.difference(table.lying))
        for way, counted in counts.items():
            yield {
                "no print known": f"{row}, as {way}",
                "right, sure": harness.format_share(counted["right"], counted["cards"]),
                "wrong, sure": counted["wrong"],
                "aim": f"{'60' if row in FANS else '85'} %, 0 wrong",
            }


def _iterate_strangers_tables(options: Options) -> Iterator[StrangersTable]:
    """Yield cards that lie under others, beside three whole ones, of each of which an index shows;
    then four whole ones on a cloth nearly as white as they are; row by row, pack by pack."""
    for row, (step, count) in FANS.items():
        for faces, rng in _draw_french_packs(options) if options.wants_row(row) else ():
            bare, shot, lying = _lay_fan(faces, step, count, rng)
            yield StrangersTable(row, bare, shot, lying, lying[3:-1])
    for below in BELOW:
        row, bare = f"a cloth {below} grey levels below the cards", on_white_cloth(below, [])
        for faces, rng in _draw_french_packs(options) if options.wants_row(row) else ():
            cards = rng.permutation(sorted(faces))[:4].tolist()
            shot = on_white_cloth(below, [without_frame(faces[card]) for card in cards])
            names = [_pack52_name(card) for card in cards]
            yield StrangersTable(row, bare, shot, names, names)


def _lay_fan(
    faces: Mapping[str, Picture], step: tuple[int, int, float], count: int, rng: np.random.Generator
) -> tuple[Picture, Picture, list[str]]:
    """Photograph a table, bare and with three whole cards and so many laid over one another, the
    last on top; return both pictures and the names of all cards, in this order."""
    right, down, turn = step
    lying = [str(one) for one in rng.permutation(sorted(faces))[: 3 + count]]
    spots = [(220.0 + 230 * i, 240.0, float(rng.normal(0, 4))) for i in range(3)]
    for i in range(count):
        spots.append(
            (
                350.0 + right * i,
                (700.0 if not down else 560.0) + down * i,
                turn * (i - count // 2) + float(rng.normal(0, 1)),
            )
        )
    placed = [
        Placed(card, faces[card], x, y, 150, angle) for card, (x, y, angle) in zip(lying, spots, strict=True)
    ]
    bare = scenes.table(str(rng.choice(["dark", "wood", "mat"])), 1600, 1000, int(rng.integers(1000)))
    faults = Faults(tilt=0.1, blur=0.7, noise=3)
    shown = render(bare, placed, faults, rng)
    names = [_pack52_name(one) for one in lying]
    return render(bare, [], faults, rng).picture, shown.picture, names


def _play_games(options: Options) -> Rows:
    """Play whole games at once, the second with the views learned in the first."""
    for sheet in [one for one in _list_pack_sheets() if one.stem in AT_ONCE][
        : options.scale_count(len(AT_ONCE))
    ]:
        with tempfile.TemporaryDirectory() as folder:
            plan = None
            for game in ("first", "second"):
                row = f"{sheet.stem}, {game} game at once"
                if options.wants_row(row) or options.wants_row("at once"):
                    one = any_pack_evenings.PackEvening(
                        any_pack_evenings.Pack.of(sheet), Path(folder), plan, seed=options.seed
                    )
                    loads = any_pack_evenings.whole_game(one, options.seed)
                    plan = one.plan
                    # a card may be asked about more than once
                    asked = {question.card for question in one.asked}
                    yield {
                        "game": row,
                        "named without a question": harness.format_share(
                            loads - len(asked) - len(one.typed), loads
                        ),
                        "asked": len(asked),
                        "the right one offered first": sum(not question.offered for question in one.asked),
                        "typed": len(one.typed),
                        "wrong, nobody asked": len(one.wrong),
                    }


AT_ONCE = ("anglo_poker", "bellot", "dondorf", "neoclassical")
"""Packs with which games are played at once."""


def _iterate_unenrolled(options: Options) -> Iterator[UnenrolledCards]:
    """Yield all of them, row by row, pack by pack."""
    # seeds that training never uses
    first = taught.HELD + 1000 * options.seed
    seeds = range(first, first + options.scale_count(20))
    rows: dict[str, Callable[[], Iterable[tuple[NDArray[np.float64], Sequence[str | None]]]]] = {
        "drawn packs, never taught": lambda: (
            _name_patches(taught.make_photographs(seed, 52, 0, 1)) for seed in seeds
        ),
        **{
            f"strangers' drawings, {name}": partial(_name_installed_packs, camera, options)
            for name, camera in CAMERAS.items()
        },
        "strangers' photographs of a pack": lambda: _name_photographed(options, of_pack52=True),
        "other games: strangers' photographs": lambda: _name_photographed(options, of_pack52=False),
        "other games: drawn, never taught": lambda: (
            _name_patches(taught.make_photographs(seed, 0, 20, 1)) for seed in seeds
        ),
    }
    for row, found in rows.items():
        if options.wants_row(row):
            yield from (UnenrolledCards(row, says, names) for says, names in found())


def _name_patches(cards: Iterable[taught.Photograph]) -> tuple[NDArray[np.float64], Sequence[str | None]]:
    every = list(cards)
    says = [pack52.patch_log_likelihoods(np.asarray(one.card / 255, np.float32)) for one in every]
    return np.array(says), [None if one.rank < 0 else pack52.NAMES[13 * one.suit + one.rank] for one in every]


def _name_installed_packs(
    camera: Camera, options: Options
) -> Iterator[tuple[NDArray[np.float64], Sequence[str | None]]]:
    for faces, rng in _draw_french_packs(options):
        lying: dict[str, NDArray[np.float64]] = {}
        for picture, cards in photographs(faces, camera, 5, rng):
            names = [_pack52_name(card.card) for card in cards]
            lying |= dict(zip(names, _quad_log_likelihoods(picture, cards), strict=True))
        yield np.array(list(lying.values())), list(lying)


NOT_FRENCH = ("swiss-xvii",)
"""Packs whose suits are acorns, bells, flowers and shields."""


def _draw_french_packs(options: Options) -> Iterator[tuple[dict[str, Picture], np.random.Generator]]:
    """Yield the drawings of each installed pack with French suits, and what draws lots for it: the
    same for every row."""
    for number, sheet in enumerate(_list_pack_sheets(min(options.times, 1.0))):
        if sheet.stem not in NOT_FRENCH:
            yield drawings(sheet), np.random.default_rng([options.seed, number])


def _name_photographed(
    options: Options, *, of_pack52: bool
) -> Iterator[tuple[NDArray[np.float64], Sequence[str | None]]]:
    """Yield the photographs of a pack of 52, each pack together; or of all other decks."""
    found = [one for one in load_all_photos(options) if (one.deck == "epfl52") == of_pack52]
    for _, photos in groupby(found, lambda one: one.name.split("-")[0] if of_pack52 else one.name):
        says, names = [], []
        for one in photos:
            cards = [
                card for card in one.cards if card.quad is not None and card.is_whole and not card.ignore
            ]
            says.append(_quad_log_likelihoods(photo.load_photo(one.path), cards))
            names += [_pack52_name(card.card) if of_pack52 else None for card in cards]
        yield np.concatenate(says), names


def _quad_log_likelihoods(picture: Picture, cards: Iterable[Label]) -> NDArray[np.float64]:
    log_likelihoods = [
        pack52.quad_log_likelihoods(picture, card.quad) for card in cards if card.quad is not None
    ]
    return np.array(log_likelihoods).reshape(-1, len(pack52.VIEWS), pack52.NO_NAME + 1)


def _pack52_name(card: str) -> str:
    """Return the name that `pack52` gives a card labelled `ace-club`, say, or `0S`."""
    rank, dash, suit = card.partition("-")
    if not dash:
        return card.replace("0", "10", 1) if card[0] == "0" else card
    return (rank if rank.isdecimal() else rank[0].upper()) + suit[0].upper()


def bench_cloths(options: Options) -> Rows:
    """Read patterned cloths, and things on the table that are not cards: ten cards of the deck a
    picture, a back and a card of another deck, which are unknown. `--times 2`: photos of 12 million
    pixels."""
    deck = scenes.deck()
    reader = make_reader(Library.from_drawings(deck))
    size = (1920, 1080) if options.times < 2 else (4000, 3000)
    known = {**deck, "a back": scenes.back(), "another deck's": scenes.stranger(2)}

    def make_trials() -> Iterator[Trial]:
        for name, cloth in CLOTHS.items():
            # pictures are drawn only for the rows that are wanted
            bare = cloth(*size) if options.wants_row(name) else np.zeros((1, 1, 3), np.uint8)
            for seed, width in enumerate((80, 110, 150) if options.wants_row(name) else ()):
                rng = np.random.default_rng(seed)
                cards = [*map(str, rng.permutation(list(deck))[:10]), "a back", "another deck's"]
                # the same blur relative to the picture's size
                fault = Faults(tilt=0.3, blur=0.6 * size[0] / 1920, noise=2.5)
                yield Trial(name, reader, *lay_cards(bare, known, cards, width, fault, rng))

    return count_trials(make_trials(), options, {"wrong, sure": "0"})


def lay_cards(
    bare: Picture,
    deck: Mapping[str, Picture],
    cards: Sequence[str],
    width: float,
    fault: Faults,
    rng: np.random.Generator,
) -> tuple[Picture, list[Label]]:
    """Lay twelve cards in two rows, turned at random, `width` pixels wide in a frame of 1920."""
    unit = bare.shape[1] / 1920
    placed = [
        Placed(
            card,
            deck[card],
            unit * (240 + 285 * (i % 6) + rng.uniform(-12, 12)),
            bare.shape[0] / 1080 * (330 + 430 * (i // 6) + rng.uniform(-20, 20)),
            unit * width,
            rng.uniform(0, 360),
        )
        for i, card in enumerate(cards)
    ]
    shot = render(bare, placed, fault, rng)
    return shot.picture, labels_of(shot, cards)


# cards that are hard to find

PHOTOS = (
    "epfl52/game2-1.jpg",
    "epfl52/game2-5.jpg",
    "set81/green-1-20161231_114506.jpg",
    "set81/purple-1-20170101_164026.jpg",
    "set-table/set-rotem-1.jpg",
)
"""Whole cards on three tables; their decks are enrolled from other photographs."""

MAT = Path("tables") / "mtg-mat" / "mtg-mat-test25.jpg"
"""A painted mat with ten cards of Magic, seen from the side."""

LONGER_SIDE = 1440
"""Longer side in pixels of the photographs, that of other people's tables."""

CONDITIONS: dict[str, shots.Change] = {
    "as photographed": lambda shot: shot,
    **{f"slanted {ratio} : 1": partial(shots.slanted, ratio) for ratio in (1.5, 2.0, 2.5, 3.0)},
    **{f"cloth {by} grey levels below the cards": partial(shots.on_pale_cloth, by) for by in (16, 8, 4, 2)},
    **{f"cables of {width} px": partial(shots.under_cables, width) for width in (3, 6, 12)},
    "pairs touching along long sides": partial(shots.touching, 0),
    "pairs touching along short sides": partial(shots.touching, 1),
    "a touching pair, alone": shots.pair_alone,
    **{f"first card cut off by {part}": partial(shots.cut_off, part) for part in (0.1, 0.3)},
    **{f"glare of {size} card widths": partial(shots.under_glare, size) for size in (0.3, 0.6, 0.9)},
}
"""Changes of the photographs, by name."""


def bench_outlines(options: Options) -> Rows:
    """Find cards where it is hard: slanted, on pale cloths and a painted mat, under cables and
    glare, touching, cut off; beside the method of tutorials."""
    every = load_all_photos(options)
    photos = [one for one in every if one.name in PHOTOS]
    decks = {one.deck for one in photos}
    references = {deck: [p for p in every if p.deck == deck and p.use == "reference"] for deck in decks}
    readers = {deck: make_reader(enrol_photos(of_deck)) for deck, of_deck in references.items()}
    conditions = dict(CONDITIONS)
    if (options.shared / MAT).exists():
        mat = photo.load_photo(options.shared / MAT)
        conditions["on a painted mat, among others' cards"] = partial(shots.laid_on, mat)

    def make_trials() -> Iterator[Trial]:
        for name, change in conditions.items():
            for labelled in photos if options.wants_row(name) else ():
                shot = change(make_shot(labelled))
                if shot is not None:
                    # some changes leave only the first cards
                    corners = zip(labelled.cards, shot.quads, strict=False)
                    cards = [
                        replace(c, x=float(x), y=float(y), quad=q)
                        for c, q in corners
                        for x, y in [q.mean(axis=0)]
                    ]
                    yield Trial(name, readers[labelled.deck], shot.picture, cards, (), labelled.name)

    return count_trials(make_trials(), options, {"wrong, sure": "0"}, [measure_outlines])


def make_shot(labelled: LabelledPhoto) -> shots.Shot:
    """Return the photograph in the size of the bench, with its labelled corners."""
    image = photo.load_photo(labelled.path)
    scale = LONGER_SIDE / max(image.shape[:2])
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    quads = [c.quad for c in labelled.cards if c.quad is not None]
    # pixel centres have whole coordinates: the half pixel keeps them in place
    scaled = tuple((quad + 0.5) * np.float32(scale) - np.float32(0.5) for quad in quads)
    return shots.Shot(np.asarray(small, np.uint8), scaled)


PARTLY_LABELLED = (
    "reference-test8", "reference-test14", "reference-test12", "reference-test10",
    "mtg-mat-test23", "mtg-mat-test1", "mtg-mat-test11", "reference-20180611_105419",
)  # fmt: skip
"""Photographs with further cards that are not labelled."""


def bench_owning(options: Options) -> Rows:
    """Measure whether enrolment finds all cards of a photograph and nothing else before it knows
    one: of other people's photographs, and of packs by the surface below them; beside the reader
    that knows the deck."""
    every = load_all_photos(options)

    def make_trials() -> Iterator[Trial]:
        # with unlabelled cards in a picture, false findings cannot be counted
        fully_labelled = [one for one in every if Path(one.name).stem not in PARTLY_LABELLED]
        for deck in dict.fromkeys(one.deck for one in fully_labelled):
            reader = None
            for one in sorted((one for one in fully_labelled if one.deck == deck), key=table_name):
                name = f"strangers': {table_name(one)}"
                if options.wants_row(name):
                    of_deck = [p for p in every if p.deck == deck and p.use == "reference"]
                    reader = reader or make_reader(enrol_photos(of_deck))
                    yield Trial(name, reader, photo.load_photo(one.path), one.cards, (), one.name)
        wanted = [(g, lay) for g in GROUNDS for lay in LAYOUTS if options.wants_row(g)]
        decks = [drawings(sheet) for sheet in (_list_pack_sheets(options.times / 10) if wanted else ())]
        readers = [Reader(enrolled(cards, np.random.default_rng(7))) for cards in decks]
        for ground, layout in wanted:
            for number, (cards, reader) in enumerate(zip(decks, readers, strict=True)):
                rng = np.random.default_rng([options.seed, number, list(LAYOUTS).index(layout)])
                yield Trial(ground, reader, *drawn(cards, ground, layout, rng))

    return count_trials(
        make_trials(), options, {"enrolment: all and nothing else": "95 %"}, [measure_enrolment]
    )


# cards of which only a part is in sight

INDEX = ((0.04, 0.03, 0.27, 0.29), (0.73, 0.71, 0.96, 0.97))
"""The two indices of a playing card, in parts of its width and height: left, top, right, bottom."""
SHARES = {"a third": (0.3, 0.36), "half": (0.44, 0.5)}
"""Part of a card that is hidden, least and most."""
ASKEW = 0.1
"""Radians by which a card laid over a side usually is off a right angle."""
TRIES = 40
"""Most throws for each picture that is wanted."""
AROUND = 1.9
"""Pixels kept round the middle of a card, in parts of its height, because its neighbours show how
large cards are."""
FACE = 100
"""Points across a card at which its visible part and its round corners are sampled."""


class ReadablePhoto(NamedTuple):
    """A photograph, and the cards in it that are read rightly, whose corners are therefore
    known."""

    image: Picture
    cards: list[tuple[str, Quad]]
    labelled: LabelledPhoto
    height: float
    """Height of a card, in parts of its width."""


Hidden = tuple[Picture, list[Label]]
Occluder = Callable[[ReadablePhoto, str, np.random.Generator], Hidden | None]
"""Hides a part of one card, so that its identifying part still shows; returns None if it does
not."""


def bench_covered(options: Options) -> Rows:
    """Read cards cut out of other people's photographs and laid over others, and photographs that
    end within a card: a third or half hidden; by a reader that knows the design, and by one that
    does not."""

    def make_trials() -> Iterator[Trial]:
        for one in load_tables(options):
            names = {
                f"{one.name}, {share} {how}": (share, hide)
                for how, hide in OCCLUDERS.items()
                for share in SHARES
            }
            names = {name: way for name, way in names.items() if options.wants_row(name)}
            if names:
                reader, ignorant = make_reader(one.library), make_lacking_readers(one.library)
                find_cards = lru_cache(maxsize=None)(partial(_find_readable_cards, reader, one.photos))
            for name, (share, hide) in names.items():
                # for every condition the same throws, so that rows can be compared
                rng, left = np.random.default_rng(2025 + options.seed), options.scale_count(12)
                for number in range(TRIES * left):
                    hidden = hide(find_cards(number % len(one.photos)), share, rng) if left else None
                    if hidden is not None:
                        # a reader that lacks this very design, so that the card is unknown to it
                        lesser = [r for r in ignorant if hidden[1][0].card not in r.library.designs]
                        yield Trial(name, reader, *hidden, lesser[:1])
                        left -= 1

    return count_trials(make_trials(), options, {"right, sure": "50 %", "wrong, sure": "0"})


def _find_readable_cards(reader: Reader, photos: Sequence[LabelledPhoto], number: int) -> ReadablePhoto:
    labelled = photos[number]
    image = photo.load_photo(labelled.path)
    there = [c for c in labelled.cards if c.is_whole]
    sure = [r for r in reader.read(image) if r.sure]
    cards = [
        (c.card, r.quad)
        for r in sure
        for c in there
        if r.card == c.card and contains_point(r.quad, (c.x, c.y))
    ]
    return ReadablePhoto(image, cards, labelled, reader.library.patch_height / WIDTH)


def cover_with_card(photo: ReadablePhoto, share: str, rng: np.random.Generator) -> Hidden | None:
    """Lay a card over another at random, over a side or a corner, with a soft edge and a narrow
    shadow; return the part of the photograph round it."""
    if len(photo.cards) < 2:
        return None
    (card, quad), (above, cut) = (photo.cards[i] for i in rng.choice(len(photo.cards), 2, replace=False))
    cover = _random_cover(photo.height, rng)
    place = transform_points(find_homography(_unit_card(photo.height), quad), cover)
    # completely inside, so that no part of the card is cut off
    within = (place >= 2).all() and (place <= np.array(photo.image.shape[1::-1]) - 3).all()
    # a cover of the same design would count as this card
    if card == above or not within or not _hides_share(photo, share, cover):
        return None
    image = _paste_card(photo.image, cut, place, photo.height)
    reach = AROUND * 1.41 * float(np.sqrt(quad_area(quad) / 1.41))
    middle = quad.mean(axis=0)
    left, top = np.maximum(0, np.round(middle - reach)).astype(int)
    right, low = np.round(middle + reach).astype(int)
    x, y = place.mean(axis=0)
    others = [Label(above, float(x), float(y), None), *photo.labelled.cards]
    return _crop_photo(image, (left, top, right, low), card, quad, others)


def crop_through_card(photo: ReadablePhoto, share: str, rng: np.random.Generator) -> Hidden | None:
    """Cut off a photograph within a card, at the edge that is nearest to it."""
    if not photo.cards:
        return None
    card, quad = photo.cards[int(rng.integers(len(photo.cards)))]
    low, high = quad.min(axis=0), quad.max(axis=0)
    size = np.array(photo.image.shape[1::-1])
    edge = int(np.concatenate([low, size - high]).argmin())
    at = round(float((low + rng.uniform(0.2, 0.8) * (high - low))[edge % 2]))
    # a box that covers the card from the cut on
    beyond = [*(2 * low - high), *(2 * high - low)]
    beyond[(edge + 2) % 4] = at
    if not _hides_share(
        photo, share, transform_points(find_homography(quad, _unit_card(photo.height)), make_box(*beyond))
    ):
        return None
    kept = [0, 0, *size]
    kept[edge] = at
    return _crop_photo(photo.image, kept, card, quad, photo.labelled.cards)


OCCLUDERS: dict[str, Occluder] = {"under another": cover_with_card, "cut off": crop_through_card}


def _crop_photo(
    image: Picture, kept: Sequence[int], card: str, quad: Quad, others: Iterable[Label]
) -> Hidden:
    """Cut out a part of a picture; the card to be read comes first."""
    left, top, right, low = kept
    shift = np.array([left, top], dtype=np.float32)
    x, y = (quad - shift).mean(axis=0)
    rest = [
        replace(c, x=c.x - left, y=c.y - top, quad=None, ignore=True)
        for c in others
        if c.card != card or not contains_point(quad, (c.x, c.y))
    ]
    return np.ascontiguousarray(image[top:low, left:right]), [
        Label(card, float(x), float(y), quad - shift),
        *rest,
    ]


def _hides_share(photo: ReadablePhoto, share: str, cover: Quad) -> bool:
    """Check whether a cover, in units of the card, hides this share of it, and of a playing card
    not both indices; of any other deck half a card is enough."""
    hidden = np.zeros((round(FACE * photo.height), FACE), dtype=np.uint8)
    cv2.fillConvexPoly(hidden, np.round(cover * FACE).astype(np.int32), 1)
    least, most = SHARES[share]
    can_be_named = photo.labelled.deck != "epfl52" or _shows_index(hidden == 0)
    return bool(least < hidden.mean() < most and can_be_named)


def _shows_index(face: NDArray[np.bool_]) -> bool:
    high, wide = face.shape
    return any(
        bool(face[round(high * top) : round(high * low), round(wide * left) : round(wide * right)].all())
        for left, top, right, low in INDEX
    )


def _unit_card(height: float) -> Quad:
    """Return a card of width 1 with its corner at the origin."""
    return np.array([[0, 0], [1, 0], [1, height], [0, height]], dtype=np.float32)


def _random_cover(height: float, rng: np.random.Generator) -> Quad:
    """Lay a card over the unit one: over a side, nearly at right angles, or over a corner, turned
    at random."""
    middle = np.array([0.5, height / 2])
    over_side = rng.random() < 0.5
    side = rng.integers(4) * np.pi / 2 if over_side else rng.uniform(0, 2 * np.pi)
    turn = rng.integers(4) * np.pi / 2 + rng.normal(0, ASKEW) if over_side else rng.uniform(0, 2 * np.pi)
    away = rng.uniform(0.3, height) * np.array([np.cos(side), np.sin(side)])
    turned = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    return np.asarray((_unit_card(height) - middle) @ turned.T + middle + away, dtype=np.float32)


def _paste_card(image: Picture, cut: Quad, place: Quad, height: float) -> Picture:
    """Return the picture with a card of it laid elsewhere: its own pixels, softly cut at the
    corners, with a narrow shadow round it."""
    size = (image.shape[1], image.shape[0])
    card = cv2.warpPerspective(image, find_homography(cut, place), size)
    high = round(FACE * height)
    flat = np.zeros((high, FACE), dtype=np.uint8)
    # rounded corners: four discs, joined by two rectangles
    for x in (8, FACE - 9):
        for y in (8, high - 9):
            cv2.circle(flat, (x, y), 7, 255, -1)
    cv2.rectangle(flat, (8, 1), (FACE - 9, high - 2), 255, -1)
    cv2.rectangle(flat, (1, 8), (FACE - 2, high - 9), 255, -1)
    mask = cv2.warpPerspective(flat, find_homography(make_rectangle(FACE, high), place), size)
    sharp, wide = (
        np.asarray(cv2.GaussianBlur(mask, (0, 0), sigma), dtype=np.float32)[:, :, None] / 255
        for sigma in (0.7, 0.02 * float(np.sqrt(quad_area(place))))
    )
    return np.asarray(card * sharp + image * (1 - 0.35 * wide) * (1 - sharp), dtype=np.uint8)
