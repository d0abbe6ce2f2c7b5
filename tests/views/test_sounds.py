"""The sounds of our own: WAV files made note by note, played by a program of the system."""

import io
import sys
import wave
from pathlib import Path

import pytest

from companion.language import LANGUAGES
from companion.texts import Translator
from companion.views import voice
from companion.views.voice import LOUDNESS, SAMPLE_RATE, SOUNDS, NoSounds, Sounds, encode_wav

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
