from __future__ import annotations

import copy
import io
import pickle
import traceback

import msgspec
import pytest
from evening import DECK, PADS, WITH_BACK, Evening

from companion.table.seals import Seals, Secret
from companion.table.sightings import Sighting

CARD = "load:red:7"


def everything_said(thing: object) -> str:
    """Every text that a log, a debugger or a crash report may make of `thing`."""
    texts = [repr(thing), str(thing), f"{thing}"]
    try:
        raise ValueError(thing)
    except ValueError as error:
        shown = io.StringIO()
        lines = traceback.TracebackException.from_exception(error, capture_locals=True)
        shown.write("".join(lines.format()))
        texts.append(shown.getvalue())
    rich = getattr(thing, "__rich_repr__", None)
    if rich is not None:
        texts.append(repr(list(rich())))
    return "\n".join(texts)


@pytest.fixture
def evening():
    """A load lies face down on the pad of seat 1, and the camera sees its back."""
    evening = Evening()
    evening.sees(CARD, "under 1", 1, "rfid a", face="down").sees(None, "seat:1").later()
    return evening


def test_a_face_down_card_is_claimed_as_one_card_without_a_name(evening):
    (claim,) = evening.claims()
    assert (claim.what, claim.face, claim.zone, claim.owner) == (None, "down", "seat:1", 1)


def test_the_seal_of_the_seat_holds_the_card(evening):
    evening.claims()
    assert [secret.reveal_card() for secret in evening.table.seals.list_for_seat(1)] == [CARD]
    assert evening.table.seals.list_for_seat(2) == ()


def test_a_pad_under_the_table_seals_even_what_its_reader_calls_face_up():
    evening = Evening().sees(CARD, "under 1", 1, "rfid a").later()
    assert [c.what for c in evening.claims()] == [None]
    assert len(evening.table.seals) == 1


def test_a_card_taken_off_the_reader_is_unsealed(evening):
    evening.claims()
    evening.gone(1, "rfid a", "under 1").later().claims()
    assert len(evening.table.seals) == 0


def test_another_card_in_its_place_is_another_seal(evening):
    evening.claims()
    evening.gone(1, "rfid a", "under 1").sees(
        "load:red:2", "under 1", 2, "rfid a", face="down"
    ).later().claims()
    assert [secret.reveal_card() for secret in evening.table.seals.list_for_seat(1)] == ["load:red:2"]


def test_a_card_turned_up_is_the_same_card_to_both_readers(evening):
    evening.use_all().sees(CARD, "seat:1").later()
    assert evening.lying() == [(CARD, "seat:1")]
    assert len(evening.table.seals) == 0


@pytest.mark.parametrize("turned", [{"face": "up"}, {"design": "back"}, {"sure": False}])
def test_what_its_own_reader_no_longer_calls_a_hidden_card_is_unsealed_but_for_a_doubt(turned):
    evening = Evening(WITH_BACK).sees(CARD, "pad 1", 1, "rfid a", face="down").later()
    evening.claims()
    assert len(evening.table.seals) == 1
    evening.sees(**{"design": CARD, "where": "pad 1", "reader": "rfid a", **turned}).later().claims()
    assert len(evening.table.seals) == (1 if "sure" in turned else 0)


def test_another_card_turned_up_leaves_the_seal_alone(evening):
    evening.use_all().sees("load:red:2", "seat:1").later()
    assert evening.lying() == [("load:red:2", "seat:1")]
    assert [secret.reveal_card() for secret in evening.table.seals.list_for_seat(1)] == [CARD]


@pytest.mark.parametrize(
    "thing",
    [
        Secret(CARD),
        [Secret(CARD)],
        Sighting("rfid a", 1, CARD, "under 1", 1.0, "down", candidates=(CARD,)),
    ],
    ids=["secret", "list", "sighting"],
)
def test_no_text_of_a_face_down_card_names_it(thing):
    said = everything_said(thing)
    assert "load" not in said
    assert "face" in said or "None" in said


def test_no_text_of_a_table_with_face_down_cards_names_one(evening):
    evening.claims()
    table = evening.table
    fusion = table._fusion
    things = [table, table.seals, fusion, table.list_claims(evening.now), table.seals.list_for_seat(1)]
    things += [*fusion.tracks.values(), *fusion.placements.values()]
    things += [vars(track) for track in fusion.tracks.values()]
    things += [vars(placement) for placement in fusion.placements.values()]
    for thing in things:
        assert "load" not in everything_said(thing)


@pytest.mark.parametrize(
    "write",
    [pickle.dumps, copy.copy, copy.deepcopy, msgspec.json.encode, msgspec.msgpack.encode],
    ids=lambda write: f"{write.__module__}.{write.__name__}",
)
@pytest.mark.parametrize("kind", ["secret", "seals"])
def test_a_seal_is_written_nowhere(write, kind):
    seals = Seals()
    seals.add_secret(("rfid a", 1), "seat:1", Secret(CARD))
    with pytest.raises(TypeError) as caught:
        write(Secret(CARD) if kind == "secret" else seals)
    assert "load" not in str(caught.value)


def test_the_face_up_sighting_keeps_its_name():
    assert CARD in repr(Sighting("camera", 1, CARD, "seat:1", 1.0))
    assert DECK.find_card(CARD) == CARD
    assert PADS["under 1"].face_down
