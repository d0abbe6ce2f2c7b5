"""Names and comments read as they do in the field: each figure has a limit, measured over the
program (`python -m pytest tests/test_naming.py` prints what is over it)."""

import ast
import collections
import re
from pathlib import Path

import pytest

from tools.class_names import find_ambiguous_names

HOME = Path(__file__).resolve().parents[1]
FILES = [file for package in ("companion", "vision") for file in sorted((HOME / package).rglob("*.py"))]

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


@pytest.fixture(scope="module")
def texts():
    return {file: file.read_text(encoding="utf-8") for file in FILES}


@pytest.fixture(scope="module")
def functions(texts):
    definition = re.compile(r"^ *(?:async )?def (?!__)_?(\w+)", re.MULTILINE)
    return [(file, name) for file, text in texts.items() for name in definition.findall(text)]


@pytest.fixture(scope="module")
def trees(texts):
    return {file: ast.parse(text) for file, text in texts.items()}


@pytest.fixture(scope="module")
def docstrings(trees):
    return [
        (file, ast.get_docstring(node) or "")
        for file, tree in trees.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module)
    ]


def share(part, whole):
    return 100 * len(part) / len(whole)


def test_most_names_of_functions_have_a_verb_and_an_object(functions):
    names = [name for _, name in functions]
    assert len(names) > 3000
    assert share([name for name in names if "_" not in name], names) <= 20


def test_a_function_is_not_called_by_a_participle_or_an_adverb(functions):
    vague = [
        (file.relative_to(HOME).as_posix(), name) for file, name in functions if name in NOT_A_FUNCTION_NAME
    ]
    assert share(vague, functions) <= 0.5, vague


def test_names_in_many_files_are_interfaces(functions):
    files = collections.defaultdict(set)
    for file, name in functions:
        files[name].add(file)
    spread = [name for _, name in functions if len(files[name]) >= 4]
    assert share(spread, functions) <= 15, collections.Counter(spread).most_common(30)


def test_comments_say_why(texts):
    lines = sum(text.count("\n") for text in texts.values())
    comments = sum(len(re.findall(r"^ *#|  # ", text, re.MULTILINE)) for text in texts.values())
    assert 100 * comments / lines >= 3


def test_no_class_name_means_two_things(trees):
    names = {".".join(file.relative_to(HOME).with_suffix("").parts): tree for file, tree in trees.items()}
    assert len(names) > 200
    assert find_ambiguous_names(names) == []


@pytest.mark.parametrize("phrase", PRIVATE_PHRASES)
def test_docstrings_use_no_private_phrase(docstrings, phrase):
    found = [
        (file.relative_to(HOME).as_posix(), text)
        for file, text in docstrings
        if re.search(phrase, text, re.IGNORECASE)
    ]
    assert found == []
