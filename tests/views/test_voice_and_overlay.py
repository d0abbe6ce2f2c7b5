"""The voice through a program that writes what it is told, and the page for streams."""

import json
import sys
import threading
from pathlib import Path

import pytest

from companion.games.donkey_valley.moves import Donkey
from companion.language import LANGUAGES
from companion.live.clocks import ClockOptions
from companion.texts import Translator
from companion.views import voice
from companion.views.page_state import Overlay
from companion.views.voice import NoVoice, Voice
from tests.views.table import first_round, live_session

WRITES = "import sys; open(sys.argv[1], 'a').write(sys.stdin.read() + '\\n')"


def test_a_sentence_is_said_whole_and_closing_waits_for_it(tmp_path: Path) -> None:
    heard = tmp_path / "heard"
    speaker = Voice(program=(sys.executable, "-c", WRITES, str(heard)))
    speaker.queue_sentence("Chloé wins Ann's 9.")
    while not heard.exists():
        pass
    speaker.close()
    assert heard.read_text() == "Chloé wins Ann's 9.\n"


def test_while_one_is_said_only_the_newest_waits(tmp_path: Path) -> None:
    heard, go = tmp_path / "heard", tmp_path / "go"
    waits = f"import os, time\nwhile not os.path.exists({str(go)!r}): time.sleep(.01)\n{WRITES}"
    begun = tmp_path / "begun"
    program = f"open({str(begun)!r}, 'w').close()\n{waits}"
    speaker = Voice(program=(sys.executable, "-c", program, str(heard)))
    speaker.queue_sentence("one")
    while not begun.exists():
        pass
    for words in ("two", "three", "four"):
        speaker.queue_sentence(words)
    go.touch()
    while not heard.exists() or "four" not in heard.read_text():
        pass
    speaker.close()
    assert heard.read_text().split() == ["one", "four"]


def test_what_is_urgent_breaks_off_what_is_being_said(tmp_path: Path) -> None:
    heard, begun = tmp_path / "heard", tmp_path / "begun"
    program = (
        "import sys, time; words = sys.stdin.read(); open(sys.argv[2], 'w').close()\n"
        "if words == 'long': time.sleep(60)\n"
        "open(sys.argv[1], 'a').write(words + '\\n')"
    )
    speaker = Voice(program=(sys.executable, "-c", program, str(heard), str(begun)))
    speaker.queue_sentence("long", 0)
    while not begun.exists():
        pass
    speaker.queue_sentence("your turn", 0)
    speaker.queue_sentence("a question", 3)
    speaker.queue_sentence("late news", 1)
    while not heard.exists() or not heard.read_text():
        pass
    speaker.close()
    assert heard.read_text().split("\n")[0] == "a question"


@pytest.mark.parametrize(("urgency", "is_broken_off"), [(0, False), (1, False), (2, True), (None, True)])
def test_what_comes_while_the_program_starts_breaks_it_off_if_it_is_more_urgent(
    urgency: int | None, is_broken_off: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And so does who silences it."""
    done: list[str] = []

    class Program:
        def __init__(self, *_: object, **__: object) -> None:
            if not done and urgency is not None:
                speaker.queue_sentence("the next", urgency)

        def terminate(self) -> None:
            done.append("broken off")

        def communicate(self, words: bytes, timeout: float) -> None:
            if urgency is None:
                speaker.silence_voice()
            done.append(words.decode())
            said.set()

    monkeypatch.setattr(voice.subprocess, "Popen", Program)
    said, speaker = threading.Event(), Voice(program=("speak",))
    speaker.queue_sentence("one", 1)
    assert said.wait(30)
    speaker.close()
    assert done[:2] == ["broken off", "one"] if is_broken_off else done[0] == "one"


def test_a_speech_program_that_is_gone_harms_nothing() -> None:
    speaker = Voice(program=("/no/such/program",))
    speaker.queue_sentence("nobody hears this")
    speaker.queue_sentence("nor this: the voice goes on")
    [thread] = [one for one in threading.enumerate() if one.name == "voice"]
    assert thread.daemon, "the program's end need not wait for it"
    speaker.close()
    assert "voice" not in {thread.name for thread in threading.enumerate()}


def test_a_machine_without_speech_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(voice.shutil, "which", lambda name: None)
    with pytest.raises(NoVoice) as caught:
        Voice("fr")
    for language in LANGUAGES:
        assert "espeak-ng" in Translator(language).translate(caught.value.text)


def test_names_on_the_page_are_text_and_never_markup(tmp_path: Path) -> None:
    live = live_session(("<b>Ann</b>", "Bob & Co", '"><script>'))
    first_round(live)
    file = tmp_path / "page.html"
    Overlay(file).write_snapshot(live.snapshot(), Translator("en", live.game))
    page = file.read_text()
    assert "<script>" not in page
    assert "<b>Ann" not in page
    assert "&lt;b&gt;Ann&lt;/b&gt;" in page
    assert "Bob &amp; Co" in page


def test_the_page_and_the_view_stand_side_by_side_and_nothing_half_written(tmp_path: Path) -> None:
    live = live_session()
    file = tmp_path / "page.html"
    overlay = Overlay(file)
    translator = Translator("fr", live.game)
    live.subscribe(lambda snapshot: overlay.write_snapshot(snapshot, translator))
    first_round(live)
    assert 'lang="fr"' in file.read_text()
    assert json.loads(file.with_suffix(".json").read_text())["result"] is None
    assert sorted(path.name for path in tmp_path.iterdir()) == ["page.html", "page.json"]


def test_the_folder_that_one_stands_in_is_no_page() -> None:
    live = live_session()
    with pytest.raises(IsADirectoryError):
        Overlay(Path()).write_snapshot(live.snapshot(), Translator("en", live.game))


def test_the_page_shows_round_limit_total_and_clock_as_browsers_do(tmp_path: Path) -> None:
    live = live_session(clock=ClockOptions("turn", 90.0, 0.0))
    file, say = tmp_path / "page.html", Translator("en", live.game)
    live.submit_request(Donkey("giant"))
    Overlay(file).write_snapshot(live.snapshot(), say)
    page = file.read_text()
    assert "Donkey Valley · Round 1 of 8 · 1:30" in page
    assert "Capacity: 18" in page
    live.undo()
    live.confirm_moves()
    first_round(live)
    Overlay(file).write_snapshot(live.snapshot(), say)
    assert "7 + 5 + 3 = 15 (limit 18)" in file.read_text()
