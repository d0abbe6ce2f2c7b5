"""The pages on decks: what they show works as shown."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from companion.table.decks import Deck, DeckError
from companion.texts import Translator

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("lang", ["en", "fr"])
def test_the_example_deck_file_is_one(lang: str, tmp_path: Path) -> None:
    page = (DOCS / f"decks.{lang}.md").read_text(encoding="utf-8")
    example = re.search(r"```toml\n(.*?)```", page, re.DOTALL)
    assert example is not None
    (tmp_path / "deck.toml").write_text(example[1], encoding="utf-8")
    deck = Deck.load(tmp_path)
    assert (deck.find_card("7S"), deck.count_copies("load:any:7"), deck.find_card("KS")) == (
        "load:any:7",
        2,
        None,
    )
    assert deck.find_design_by_tag("04D1E2F3A4B5C6") == "7S"


@pytest.mark.parametrize("lang", ["en", "fr"])
def test_the_example_of_a_mistake_is_what_the_program_says(lang: str, tmp_path: Path) -> None:
    page = (DOCS / f"decks.{lang}.md").read_text(encoding="utf-8")
    file = tmp_path / "deck.toml"
    file.write_text('[deck]\nname = "x"\ngame = "dtc"\n\n[[design]]\nname = "dtc:1"\ncoppies = 2\n')
    with pytest.raises(DeckError) as caught:
        Deck.load(file)
    said = caught.value.describe(Translator(lang).translate).removeprefix(str(file)).replace("\u00a0", " ")
    assert f"deck.toml{said}\n" in page


@pytest.mark.parametrize("lang", ["en", "fr"])
def test_pictures_and_card_ids_of_the_page_exist(lang: str) -> None:
    page = (DOCS / f"decks.{lang}.md").read_text(encoding="utf-8")
    pictures = re.findall(r"\((pictures/[a-z0-9_]+\.png)\)", page)
    assert len(pictures) == 8
    for picture in pictures:
        assert (DOCS / picture).stat().st_size < 500_000
    ids = set(re.findall(r"`((?:load|contract|donkey|dtc|oe|pa|decktet):[a-z0-9:/-]+)`", page))
    known = {
        card
        for name in ("donkey_valley", "donkey_valley_52_seat", "dtc", "ochs_und_esel", "partners", "ascend")
        for card in Deck.load_builtin(name).card_counts
    }
    assert len(ids) > 12
    assert ids <= known
