"""The generated page of messages: the findings about inputs, and what errors say about words that are no measures."""

import re
import tomllib

from ltr_sql.catalogue.files import SQL_FOLDER
from ltr_sql.rendering.findings import OF_A_KEY, SEVERITIES, findings

_OPENING = """\
# Troubleshooting by message

<!-- Generated from sql/findings/ and sql/words.toml by python -m tools.generate: do not edit. -->

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
    entries = tomllib.loads((SQL_FOLDER / "words.toml").read_text(encoding="utf-8"))["words"]
    rows = [f"| {', '.join(f'`{name}`' for name in entry['names'])} | {entry['hint']} |" for entry in entries]
    return "\n".join([*parts, _WORDS, *rows, ""])


def _named(text: str) -> str:
    return re.sub(r"\{\{ (\w+) \}\}", lambda match: _LISTS[match[1]], text)
