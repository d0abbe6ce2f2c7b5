"""The message codes that sources name: `Text("...")`, `refuse("...", message="...")`."""

import ast
import fnmatch


def without_words(sources, known):
    """The codes that these files name and no message of `known` has; `*` stands for a part that is
    filled in when it is said."""
    named = {code for path in sources for code in _codes(path)}
    assert named
    return {code for code in named if not fnmatch.filter(known, code)}


def _codes(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args:
            yield from _named_by(node)


def _named_by(call):
    says = [keyword.value for keyword in call.keywords if keyword.arg == "message"]
    if call.func.id == "Text":
        yield from _literals(call.args[0], "")
    elif call.func.id == "refuse":
        yield from _literals(says[0] if says else call.args[0], "refusal.")


def _literals(node, prefix):
    match node:
        case ast.Constant(value=str(code)):
            yield prefix + code
        case ast.IfExp():
            yield from _literals(node.body, prefix)
            yield from _literals(node.orelse, prefix)
        case ast.JoinedStr():
            yield prefix + "".join(
                part.value if isinstance(part, ast.Constant) else "*" for part in node.values
            )
