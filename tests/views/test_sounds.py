"""The sounds of our own: WAV files made note by note, played by a program of the system."""

import importlib.util
import io
import sys
import wave
from pathlib import Path

import pytest

from companion.language import LANGUAGES
from companion.rules.contract import Text
from companion.texts import Translator
from companion.views import voice
from companion.views.announcements import Speaker, Urgency, Utterance, list_utterances
from companion.views.voice import LOUDNESS, SAMPLE_RATE, SOUNDS, NoSounds, Sounds, encode_wav
from tests.views.table import THREE, Characters, Heard, live_session, played_out

COPIES = "import pathlib, sys; pathlib.Path(sys.argv[1]).write_bytes(pathlib.Path(sys.argv[2]).read_bytes())"


@pytest.mark.parametrize("name", SOUNDS)
def test_each_is_short_loud_enough_and_ends_in_silence(name: str) -> None:
    with wave.open(io.BytesIO(encode_wav(SOUNDS[name]))) as file:
        data = memoryview(file.readframes(file.getnframes())).cast("h")
        assert (file.getnchannels(), file.getframerate()) == (1, SAMPLE_RATE)
    assert len(data) == sum(int(note.seconds * SAMPLE_RATE) for note in SOUNDS[name])
    assert len(data) < 1.5 * SAMPLE_RATE
    assert 0.3 * LOUDNESS < max(map(abs, data)) / 32767 <= LOUDNESS
    assert abs(data[-1]) < 300


@pytest.mark.parametrize(
    ("sounds", "rung", "said"),
    [(("", "won", "turn"), ["won"], 2), (("turn",), ["turn"], 1), (("",), [], 1), ((), [], 0)],
)
def test_the_most_urgent_sound_is_played_and_two_sentences_are_said(
    sounds, rung, said, monkeypatch: pytest.MonkeyPatch
) -> None:
    new = [Utterance(Urgency.NEWS, Text("demo.label"), sound) for sound in sounds]
    monkeypatch.setattr("companion.views.announcements.list_utterances", lambda *_: new)
    heard, played = Heard(), list[str]()
    Speaker(heard, played.append).announce_changes(live_session().snapshot(), Translator("en"))
    assert played == rung
    assert heard == [" ".join([Translator("en")("demo.label")] * said)] * bool(sounds)


def test_the_end_of_a_game_has_its_sound() -> None:
    said = list_utterances(live_session().snapshot(), played_out(THREE).snapshot())
    assert [one.sound for one in said if one.urgency is Urgency.TURN] == ["won"]
    assert {one.sound for one in said} <= {"", *SOUNDS}


def test_the_program_gets_a_file_and_the_folder_goes_with_the_evening(tmp_path: Path) -> None:
    copy = tmp_path / "heard.wav"
    player = Sounds((sys.executable, "-c", COPIES, str(copy)))
    player.play("turn")
    player.play("nothing of this name")
    assert player._playing is not None
    assert player._playing.wait(30) == 0
    player.close()
    assert copy.read_bytes() == encode_wav(SOUNDS["turn"])


def test_a_machine_without_a_program_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(voice.shutil, "which", lambda name: None)
    monkeypatch.setattr(voice.sys, "platform", "linux")
    with pytest.raises(NoSounds) as caught:
        Sounds()
    for language in LANGUAGES:
        assert "alsa-utils" in Translator(language).translate(caught.value.text)


@pytest.fixture(scope="module")
def programs():
    """The module as it is installed: in all other tests this machine has no speech program."""
    source = importlib.util.spec_from_file_location("voice_as_installed", voice.__file__)
    module = importlib.util.module_from_spec(source)
    sys.modules[source.name] = module
    source.loader.exec_module(module)
    yield module
    del sys.modules[source.name]


def test_the_programs_that_speak_and_play_and_how_they_are_called(programs, snapshot) -> None:
    told = [
        f"{name}: {' '.join(command(language))}"
        for name, command in programs.PROGRAMS
        for language in LANGUAGES
    ]
    told += [f"{name}: {' '.join(command)}" for name, command in programs.PLAYERS]
    told += [f"{name}: {notes}" for name, notes in programs.SOUNDS.items()]
    assert "\n".join(told) == snapshot(extension_class=Characters)


@pytest.mark.parametrize("name", ["pw-play", "aplay", ""])
def test_the_first_program_that_is_there_is_taken(monkeypatch, name: str) -> None:
    monkeypatch.setattr(voice.shutil, "which", lambda program: program if program == name else None)
    monkeypatch.setattr(voice.sys, "platform", "win32")
    monkeypatch.setattr(
        voice,
        "PROGRAMS",
        (("say", lambda language: ("say", language)), ("aplay", lambda language: ("speak", language))),
    )
    found = voice._find_audio_player()
    assert found[0] == (name or sys.executable)
    if name == "aplay":
        assert voice._find_speech_program("fr") == ("speak", "fr")
    else:
        with pytest.raises(voice.NoVoice, match=r"check\.voice\.none"):
            voice._find_speech_program("fr")


def test_a_sound_swells_and_falls_and_has_two_overtones() -> None:
    """The samples of a tone, as its formula says."""
    with wave.open(io.BytesIO(encode_wav([voice.Note(441.0, 0.1), voice.Note(882.0, 0.05)]))) as file:
        assert file.getsampwidth() == 2
        data = memoryview(file.readframes(file.getnframes())).cast("h")
    assert len(data) == 2205 + 1102
    # to the last unit, which processors may round otherwise
    samples = [0, 22, 88, 189, 315, 453, 716, 5239, 3040, 1764, 1023, 594, 344, 200, 3362, 1132, 381]
    assert [data[at] for at in (*range(6), *range(7, 3307, 300))] == pytest.approx(samples, abs=1)
    assert (max(data), min(data), data[2204]) == pytest.approx((7542, -7764, 1), abs=1)


def test_a_sound_is_not_begun_while_another_plays(tmp_path: Path) -> None:
    player = Sounds((sys.executable, "-c", "import time; time.sleep(60)"))
    player.play("turn")
    first = player._playing
    player.play("won")
    assert player._playing is first
    assert [one.name for one in Path(player._folder.name).iterdir()] == ["turn.wav"]
    player.close()
    assert first.poll() is not None
    assert not Path(player._folder.name).exists()


def test_a_program_that_is_gone_is_silence() -> None:
    player = Sounds(("/no/such/program",))
    player.play("turn")
    player.close()
