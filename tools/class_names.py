"""List class names that stand for more than one thing: a test allows none, `python -m bench house`
counts them now and at an older commit."""

import ast
from collections.abc import Mapping


def find_ambiguous_names(trees: Mapping[str, ast.Module]) -> list[str]:
    """List the class names of these modules (by name) that stand for more than one thing.

    Requests and events have their names on the wire, and `OWN` is each game's own: those may occur
    once in every game. Names that begin with an underscore belong to their module alone.
    """
    found: dict[str, list[bool]] = {}
    for module, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                own = is_moves_module(module) and (node.name in OWN or _is_move_class(node))
                found.setdefault(node.name, []).append(own)
    return sorted(name for name, own in found.items() if len(own) > 1 and not all(own))


OWN = {
    "State": "what `Game.start` gives and events change",
    "Players": "what the module `player` in a game's folder gives",
    "RealCards": "the cards that the simulated players of a game lay on the real table",
}
"""Classes that the contract requires of every game, and why."""


def is_moves_module(module: str) -> bool:
    """Check whether a module holds a game's moves or simulated players."""
    return module.startswith(("companion.rules.", "companion.games.", "companion.demo.actions"))


def _is_move_class(node: ast.ClassDef) -> bool:
    return any(
        last_part_of_name(base) in ("Request", "Event", "Question", "_Reported") for base in node.bases
    )


def last_part_of_name(node: ast.AST) -> str:
    """Return the name, or the part after its last dot; "" for any other node."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
