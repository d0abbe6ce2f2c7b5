from __future__ import annotations

import pytest
from filming import NAMES, one, rows, table, take_sheet, until

from companion.commands.enrol import EnrolmentCamera
from companion.enrolment.picture_analysis import Progress
from companion.readers.camera.sources import VideoFile
from companion.rules.contract import Text
from companion.texts import Translator
from companion.views.dashboard.enrol import AdviceDialog, EnrolmentApp
from vision.library import Library


@pytest.fixture
def screen(begin, tmp_path):
    """The screen of an enrolment; the camera gives what the test hands it."""

    def open_it(language="en"):
        enroller = begin()
        booth = EnrolmentCamera(VideoFile(tmp_path / "none.avi"), enroller)
        return enroller, EnrolmentApp(
            booth.controls, booth.draw_picture, booth.list_labels, booth.read_health, Translator(language)
        )

    return open_it


def text(app):
    """All that stands on the screen."""
    return "\n".join("".join(part.text for part in line) for line in app.screen._compositor.render_strips())


async def shown(pilot, wanted):
    for _ in range(600):
        if wanted in text(pilot.app):
            return
        await pilot.pause(0.05)
    raise AssertionError(f"{wanted!r} is not in:\n{text(pilot.app)}")


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (60, 15)])
@pytest.mark.parametrize(
    ("language", "wanted"), [("en", "Lay down: 7 of spades"), ("fr", "Posez\N{NO-BREAK SPACE}: 7 de pique")]
)
async def test_the_wanted_card_and_the_progress_are_always_in_sight(screen, size, language, wanted):
    _, app = screen(language)
    async with app.run_test(size=size) as pilot:
        await shown(pilot, wanted)
        assert {"en": "0 of 5", "fr": "0 sur 5"}[language] in text(app)


async def test_a_card_that_was_taken_rings_and_flashes(screen, monkeypatch):
    enroller, app = screen()
    rung = []
    monkeypatch.setattr(app, "bell", lambda: rung.append(True))
    async with app.run_test(size=(80, 24)) as pilot:
        await shown(pilot, "Lay down: 7 of spades")
        enroller.add_frame(table().render_frame(), 0.0)
        for number in range(4):
            enroller.add_frame(one("7S"), 1 + number * 0.2)
        await shown(pilot, "Taken: 7 of spades.")
        assert rung == [True]
        await shown(pilot, "Lay down: 9 of hearts")
        assert "1 of 5" in text(app)


async def test_keys_skip_go_back_choose_and_leave(screen):
    enroller, app = screen()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("n")
        await shown(pilot, "Lay down: 9 of hearts")
        await pilot.press("b")
        await shown(pilot, "Lay down: 7 of spades")
        await pilot.press("g")
        await shown(pilot, "Which card comes next?")
        await pilot.press("4")
        await shown(pilot, "Lay down: 2 of clubs")
        for key in ("space", "c", "x", "f5", "left"):
            await pilot.press(key)
        await shown(pilot, "There is no picture yet.")
        await pilot.press("q")
    assert not app.is_running
    assert enroller.progress.captures == 0


async def test_a_sheet_shows_its_numbers_and_names_before_it_is_taken(screen, pack):
    enroller, app = screen()
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("s")
        await shown(pilot, "Lay out in rows, from: 7 of spades")
        enroller.add_frame(rows(NAMES), 0.0)
        await shown(pilot, "4 cards can be seen")
        await shown(pilot, " 4  2 of clubs")
        for number in "1234":
            assert f" {number} " in text(app)
        assert not (pack / "references").exists()
        await pilot.press("enter")
        await shown(pilot, "4 cards taken, from 7 of spades to 2 of clubs.")
    assert [view.card for view in Library.load(pack).references] == NAMES


async def test_a_sheet_of_many_cards_is_named_to_the_last_even_on_a_small_screen(screen):
    enroller, app = screen()
    many = Progress(Text("enrol.back"), 0, 30, 0, (0, 1), "sheet", (Text("enrol.back"),) * 30)
    enroller._progress = many
    async with app.run_test(size=(80, 24)) as pilot:
        await shown(pilot, "30  the b")


async def test_at_the_end_the_deck_tests_itself_and_says_what_looks_alike(screen, pack):
    enroller, app = screen()
    take_sheet(enroller, rows(NAMES))
    enroller.jump_to("back")
    async with app.run_test(size=(80, 24)) as pilot:
        enroller.add_frame(table().render_frame(), 0.0)
        for number in range(4):
            enroller.add_frame(one("7S", "seat:1"), 1 + number * 0.2)  # a second seven, shown as the back
        await shown(pilot, "7 of spades: seen 2 of 2")
        assert enroller.capture_now()
        until(lambda: enroller.progress.wanted is None)
        for _ in range(1200):
            if isinstance(app.screen, AdviceDialog):
                break
            await pilot.pause(0.05)
        await shown(pilot, "7 of spades")
        assert "look alike" in text(app)
        await pilot.press("escape")
        await shown(pilot, "All cards are enrolled")


async def test_a_look_after_the_screen_was_taken_down_shows_nothing(screen):
    _, app = screen()
    async with app.run_test() as pilot:
        await shown(pilot, "0 of 5")
    assert app.is_taken_down
    app._poll_enrolment()
