"""The queue of commands: what waits when the board restarts or the line breaks is not lost."""

import random

from companion.readers.rfid.frames import WHOLE_BOARD, Light, Op, Tune, encode_command
from companion.readers.rfid.wire import CommandQueue


def written(commands):
    """All that is sent from here on, each command answered at once, without its number."""
    sent = []
    while line := commands.next_command(0.0):
        number = commands._number
        sent += [
            (op, a, b)
            for op in Op
            for a in (*range(8), WHOLE_BOARD)
            for b in range(8)
            if encode_command(number, op, a, b) == line
        ]
        commands.confirm_command(number)
    return sent


def test_what_waits_at_a_restart_is_asked_after_all_levels_the_whole_boards_first():
    commands = CommandQueue(random.Random(1))
    tune, light = next(iter(Tune)), next(one for one in Light if one)
    commands.set_level(Op.LIGHT, 2, light)
    commands.set_level(Op.LIGHT, WHOLE_BOARD, Light.ACCEPTED)
    commands.set_level(Op.LIGHT, 3, light)
    commands.queue_once(Op.BUZZ, tune)
    commands.queue_once(Op.SNAPSHOT)
    commands.queue_once(Op.SELF_TEST, 5)
    commands.resend_levels()
    assert written(commands) == [
        (Op.LIGHT, WHOLE_BOARD, Light.ACCEPTED),
        (Op.LIGHT, 3, light),
        (Op.BUZZ, tune, 0),
        (Op.SNAPSHOT, 0, 0),
        (Op.SELF_TEST, 5, 0),
    ]


def test_when_the_line_breaks_what_was_under_way_is_asked_again_but_no_tune():
    commands = CommandQueue(random.Random(1))
    commands.queue_once(Op.SELF_TEST, 5)
    assert commands.next_command(0.0)
    commands.requeue_unanswered()
    assert written(commands) == [(Op.SELF_TEST, 5, 0)]
    commands.queue_once(Op.BUZZ, next(iter(Tune)))
    assert commands.next_command(0.0)
    commands.requeue_unanswered()
    assert written(commands) == []
