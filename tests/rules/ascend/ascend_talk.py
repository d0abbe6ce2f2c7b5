"""Table talk of Ascend: a table, a play, passes, and what the trick takes."""

from tests.rules.talk import Talk

THREE = ["Ann", "Ben", "Cy"]

FOUR = [*THREE, "Dee"]


def table(players=THREE, **options):
    talk = Talk("ascend", players, **options)
    talk.ok("exchanged")
    return talk


def play(talk, player, cards):
    return talk.ok("play", player=player, cards=cards.split())


def passes(talk, *players):
    for player in players:
        talk.ok("pass", player=player)


def trick(talk):
    found = talk.view["trick"]
    return found and f"{found['player']}: {found['kind']} of {found['count']}, {found['rank']}"


def refusal(talk, player, cards):
    """`CODE: the sentence`."""
    reply = talk.reply("play", player=player, cards=cards.split())
    assert not reply["ok"], cards
    return f"{reply['error']['code']}: {reply['error']['message']}"
