"""The generated page of messages: findings about inputs, errors of the command line, words that are not measures."""

import csv
import re
import tomllib
from collections.abc import Iterator

from ltr_sql.catalogue.files import SQL_FOLDER
from ltr_sql.rendering.findings import OF_A_KEY, SEVERITIES, findings

_OPENING = """\
# Troubleshooting by message

<!-- Generated from sql/findings/, sql/words.toml and tests/mistakes.csv by python -m tools.generate: do not edit. -->

Search this page for the message that you see. A number and the first rows follow its text. `ltr_sql.check`,
`ltr-sql check` and `ltr.check_run` list all findings of an input. An option such as `missing` is `missing="skip"` in
Python, `--missing skip` on the command line and `missing := 'skip'` in SQL: [Functions and options](functions.md) has
them all. [Input validation](validation.md) says which call searches for what.
"""
_HEADINGS = {
    "error": "Errors: nothing is computed",
    "warning": "Warnings: the values may be wrong",
    "info": "Infos: worth knowing",
}
# What stands for the lists of measures that a message names, and for what only macros say.
_LISTS = {
    "accept_shared_ranks": "measures with their own rule for ties",
    "negative_matters": "measures that read negative grades",
    "threshold_matters": "measures with the parameter rel",
    "of_a_key": OF_A_KEY,
}
_COMMANDS = """\
## Errors of the command line

Each message says what to do. The calls are short examples; `ltr-sql COMMAND --help` lists the options of a command.

| message | call |
|---|---|"""
# The longest message that is shown whole.
_LONGEST = 240
_WORDS = """\
## Not a measure here

The error for an unknown measure suggests the nearest names. For these words, it says what to use:

| word | instead |
|---|---|"""


def troubleshooting_page() -> str:
    """Return the page of messages as Markdown."""
    parts = [_OPENING]
    for severity in SEVERITIES:
        parts.append(f"## {_HEADINGS[severity]}\n")
        for finding in findings().values():
            if finding.severity == severity:
                advice = _named(finding.what_to_do)
                parts.append(f"### {_named(finding.what)}\n\n{advice[0].upper()}{advice[1:]}.\n")
    parts += [_COMMANDS, *_commands(), ""]
    entries = tomllib.loads((SQL_FOLDER / "words.toml").read_text(encoding="utf-8"))["words"]
    rows = [f"| {', '.join(f'`{name}`' for name in entry['names'])} | {entry['hint']} |" for entry in entries]
    return "\n".join([*parts, _WORDS, *rows, ""])


def _commands() -> Iterator[str]:
    """Yield a row for each error of the command line that the tests record and that is not a finding."""
    with (SQL_FOLDER.parent / "tests" / "mistakes.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            message, call = row["command_line_message"], row["command_line"]
            if call and not any(finding.what in message for finding in findings().values()):
                cut = message if len(message) <= _LONGEST else message[:_LONGEST].rsplit(" ", 1)[0] + " …"
                yield f"| {_cell(cut)} | `ltr-sql {_cell(call)}` |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _named(text: str) -> str:
    return re.sub(r"\{\{ (\w+) \}\}", lambda match: _LISTS[match[1]], text)
