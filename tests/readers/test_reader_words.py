from __future__ import annotations

import re
from pathlib import Path

import pytest

import companion
from companion import texts
from companion.language import LANGUAGES
from companion.rules.contract import Text
from companion.texts import Translator

HERE = Path(companion.__file__).parent
SOURCES = [*(HERE / "table").glob("*.py"), *(HERE / "readers").rglob("*.py")]
CODE = re.compile(r'Text\(f?"([a-z_.]+)"')
ERROR = re.compile(r'(SourceError|RecordingError)\("([a-z_]+)"')
PREFIX = {"SourceError": "reader.camera.", "RecordingError": "reader.recorded."}


def codes():
    for source in SOURCES:
        if "rfid" in source.parts:
            continue
        text = source.read_text()
        yield from (
            code for code in CODE.findall(text) if not code.endswith(".") and not code.startswith("card")
        )
        yield from (PREFIX[cls] + code for cls, code in ERROR.findall(text))
    yield from ("zone.seat", "zone.middle", "zone.pile")
    yield from ("table.hint.unsure", "table.hint.foreign", "table.hint.turned")


@pytest.mark.parametrize("language", LANGUAGES)
def test_everything_that_readers_and_table_say_has_words(language, monkeypatch):
    monkeypatch.setattr(texts, "show_unfilled", lambda text, template, error: template)
    translator = Translator(language)
    found = sorted(set(codes()))
    assert len(found) > 20
    # A code of one word, `none`, is an English word too.
    assert [code for code in found if "." in code and translator.translate(Text(code, n=1)) == code] == []
