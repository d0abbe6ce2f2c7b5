"""`companion` with the toy game installed: `python -m tests.toy_referee referee --journal FILE`."""

import sys

from companion.__main__ import main
from companion.rules import registry
from tests.toy import TOY


def install() -> None:
    real = registry.load_game
    registry.load_game = lambda game_id: TOY if game_id == "toy" else real(game_id)


if __name__ == "__main__":
    install()
    sys.exit(main())
