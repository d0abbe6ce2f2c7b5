"""Write the table of options into every rules page, from the options themselves and their texts:
`python tools/write_rule_options.py`."""

from __future__ import annotations

import re
from pathlib import Path

from companion.rules import registry
from companion.rules.options import OptionWords, describe_options
from companion.texts import Translator

PAGES = Path(__file__).parents[1] / "docs" / "rules"
BEGIN, END = "<!-- options: written by tools/write_rule_options.py -->", "<!-- end of options -->"
HEADINGS = {
    "en": ("## Options", "| option | the sheet says | readings | clause |"),
    "fr": ("## Options", "| option | ce que dit la règle | lectures | clause |"),
}


def build_section(game_id: str, language: str) -> str:
    """Return the section `Options` of one page, including its marks."""
    game = registry.load_game(game_id)
    translator = Translator(language, game)
    title, head = HEADINGS[language]
    rows = [_format_row(one, translator) for one in describe_options(game)]
    return "\n".join([BEGIN, title, "", head, "|---|---|---|---|", *rows, END])


def _format_row(option: OptionWords, translator: Translator) -> str:
    # The heading of the column says already that the sheet is quoted.
    _, _, ours = translator.translate(option.source).rpartition("»")
    sheet = f"« {option.sheet} »{ours}" if option.sheet else ours
    readings = "<br>".join(
        translator(
            "option.usual" if one.usual else "option.other",
            value=f"`{one.value}`",
            effect=translator.translate(one.effect),
        )
        for one in option.values
    )
    readings = readings or translator("option.number", value=f"`{option.usual}`")
    return (
        f"| `{option.name}`: {translator.translate(option.about)} | {sheet} | {readings} | {option.clause} |"
    )


def update_page(page: str, game_id: str, language: str) -> str:
    """Return the page with its section `Options` updated, added before the last section if it is
    missing."""
    wanted = build_section(game_id, language)
    if BEGIN in page:
        # a function, since a text would have its backslashes interpreted
        return re.sub(f"{re.escape(BEGIN)}.*?{re.escape(END)}", lambda _found: wanted, page, flags=re.DOTALL)
    at = page.rindex("\n## ") + 1
    return f"{page[:at]}{wanted}\n\n{page[at:]}"


def main() -> None:
    """Rewrite every page of every game that has one."""
    for path in sorted(PAGES.glob("*.*.md")):
        game_id, language, _ = path.name.split(".")
        path.write_text(update_page(path.read_text(encoding="utf-8"), game_id, language), encoding="utf-8")


if __name__ == "__main__":
    main()
