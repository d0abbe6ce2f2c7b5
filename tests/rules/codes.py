"""The message codes that sources name, `Text("...")`, `refuse("...", message="...")`, and the
placeholders that they fill."""

import ast
import fnmatch


def without_words(sources, known):
    """The codes that these files name and no message of `known` has; `*` stands for a part that is
    filled in when it is said."""
    named = {code for path in sources for code in _codes(path)}
    assert named
    return {code for code in named if not fnmatch.filter(known, code)}


PASSED_ON = frozenset(("Chance", "_relocate", "_mark_raised", "find_template", "get"))
"""Functions that take a code and not all of its placeholders, which are filled elsewhere."""


def list_unfilled(path, placeholders):
    """The calls in a file, as `line code placeholder`, that name one message and leave a
    placeholder of it unfilled. `placeholders`: those of each message. Calls whose arguments are
    put together elsewhere are not judged."""
    return [
        f"{call.lineno} {code} {missing}"
        for call in ast.walk(ast.parse(path.read_text()))
        if isinstance(call, ast.Call) and call.args and _function_name(call) not in PASSED_ON
        for code in _whole_codes(call)
        if (filled := _filled(call)) is not None
        for missing in sorted(placeholders.get(code, frozenset()) - filled)
    ]


def _function_name(call):
    return call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")


def _whole_codes(call):
    found = _named_by(call) if _function_name(call) == "refuse" else _literals(call.args[0], "")
    return [code for code in found if "*" not in code]


def _filled(call):
    """The names of the arguments; None where they cannot be told from the call."""
    names = {keyword.arg for keyword in call.keywords}
    for argument in call.args[1:]:
        if isinstance(argument, ast.Dict):
            names |= {getattr(key, "value", None) for key in argument.keys}
        elif _function_name(call) == "Text" and argument is call.args[1]:
            return None
        else:
            names.add("n")
    return None if None in names else names


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
