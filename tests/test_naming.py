"""Names and comments read as they do in the field: each figure has a limit, measured over the
program (`python -m pytest tests/test_naming.py` prints what is over it)."""

import ast
import collections
import io
import re
import tokenize
from pathlib import Path

import pytest

HOME = Path(__file__).resolve().parents[1]
FILES = [file for package in ("companion", "vision") for file in sorted((HOME / package).rglob("*.py"))]
TREES = {file: ast.parse(file.read_text(encoding="utf-8")) for file in FILES}

NOT_A_FUNCTION_NAME = re.findall(
    r"\w+",
    """
    again alike apart asked awaited away back barred begun beside besides broken called changed
    chosen cleared closed counted dealt decided drawn due exchanged filled followed found
    further given going gone heard held joined judged kept known laid left listed lost lying
    made moved named nobody now offered once opened others over parted picked plain played put
    said seen settled shown signed small spent spoken standing taken tallied then together told
    undone unseen waiting wanted what when where which whole wished within without
    """,
)
"""Participles, adverbs and pronouns: as the name of a function they leave open what it does."""

PRIVATE_PHRASES = [
    *(
        r"\bwho is\b",
        r"\bwhoever\b",
        r"\banew\b",
        r"(?<!there )\bis no (?!longer\b)",
        r"\bcalled so\b",
        r"\bmend",
    ),
    *(r"\blets happen\b", r"\bwhat lies\b", r"\bof itself\b", r"\bwhat is told\b", r"\btells nobody\b"),
    *(r"\bis nobody's\b", r"\bbut what\b", r"\bfor ever\b"),
]
"""Turns of phrase that no other code base uses: say it plainly."""


FUNCTIONS = [
    (file, node.name.strip("_"))
    for file, tree in TREES.items()
    for node in ast.walk(tree)
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("__")
]
DOCSTRINGS = [
    (file, ast.get_docstring(node) or "")
    for file, tree in TREES.items()
    for node in ast.walk(tree)
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module)
]


def share(part, whole):
    return 100 * len(part) / len(whole)


def test_most_names_of_functions_have_a_verb_and_an_object():
    names = [name for _, name in FUNCTIONS]
    assert len(names) > 3000
    assert share([name for name in names if "_" not in name], names) <= 20


def test_a_function_is_not_called_by_a_participle_or_an_adverb():
    vague = [
        (file.relative_to(HOME).as_posix(), name) for file, name in FUNCTIONS if name in NOT_A_FUNCTION_NAME
    ]
    assert share(vague, FUNCTIONS) <= 0.5, vague


def test_names_in_many_files_are_interfaces():
    files = collections.defaultdict(set)
    for file, name in FUNCTIONS:
        files[name].add(file)
    spread = [name for _, name in FUNCTIONS if len(files[name]) >= 4]
    assert share(spread, FUNCTIONS) <= 15, collections.Counter(spread).most_common(30)


def test_comments_say_why():
    lines = comments = 0
    for file in FILES:
        text = file.read_text(encoding="utf-8")
        lines += text.count("\n")
        comments += sum(
            token.type == tokenize.COMMENT for token in tokenize.generate_tokens(io.StringIO(text).readline)
        )
    assert 100 * comments / lines >= 3


@pytest.mark.parametrize("phrase", PRIVATE_PHRASES)
def test_docstrings_use_no_private_phrase(phrase):
    found = [
        (file.relative_to(HOME).as_posix(), text)
        for file, text in DOCSTRINGS
        if re.search(phrase, text, re.IGNORECASE)
    ]
    assert found == []
