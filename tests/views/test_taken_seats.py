"""Taking over a seat at the demo table, by keys."""

from collections.abc import Sequence

from companion.games.donkey_valley import moves as ask
from companion.rules.contract import Choice, Request, Text
from companion.views.table_session import Backstage, Command
from tests.views.table import (
    dashboard,
    enter,
    live_session,
    on_screen,
    wait_until,
)


class Demo(Backstage):
    """What stands behind a demo table: one key that takes over Ann's seat, and what she may do
    there."""

    def __init__(self) -> None:
        self.people: set[str] = set()
        self.done: list[Request] = []
        self.commands = (Command("o", Text("demo.take_over"), self._take, "o"),)

    def _take(self) -> Text:
        self.people ^= {"Ann"}
        return Text("demo.taken" if self.people else "demo.given_back", {"player": "Ann"})

    def list_playable_choices(self, player: str) -> Sequence[Choice]:
        values = (2, 9)
        return [
            Choice(Text("demo.lay", {"values": (value,)}, 1), ask.Load(player, 1, (value,)), str(value))
            for value in values
        ]

    def perform_request(self, wish: Request) -> Text | None:
        self.done.append(wish)
        return Text("demo.peeked", {"player": "Bob", "value": 7})


async def test_o_takes_the_seat_enter_offers_its_real_cards_and_o_gives_it_back() -> None:
    live = live_session()
    enter(live, ask.Donkey("normal"))
    demo = Demo()
    async with dashboard(live, backstage=demo).run_test(size=(120, 40)) as pilot:
        await pilot.press("o")
        await pilot.pause()
        assert "☛" in on_screen(pilot.app)
        await pilot.press("enter")
        await pilot.pause()
        assert "Lay 9 face down" in on_screen(pilot.app)
        await pilot.press("9")
        await wait_until(pilot, lambda: any("load is 7" in said.message for said in pilot.app._notifications))
        assert demo.done == [ask.Load("Ann", 1, (9,))]
        assert live.snapshot().view["players"][0]["loads_down"] == 0  # hands lay it; the camera tells
        await pilot.press("escape", "o")
        await pilot.pause()
        assert "☛" not in on_screen(pilot.app)
