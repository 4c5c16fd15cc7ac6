"""The index of the search: one entry for each measure, and one for each section of a page of `docs/`.

`find.js` searches it. An entry is a list: path, title of the page, heading of the section, kind, beginning of the text,
the other words of the text, and the names that lead to it.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

from markdown_it.token import Token

from ltr_sql.catalogue.measures import all_definitions

Entry = tuple[str, str, str, str, str, str, list[str]]
# The length of the text that a result shows.
_SHOWN = 130
# Names in full that no summary begins with.
_ALSO = {"rr": ("mean reciprocal rank",), "success": ("hit rate", "accuracy at k"), "ap": ("mean average precision",)}
# A word, a whole number, or a flag such as --by-query.
_WORD = re.compile(r"(?<!\S)--[a-z][a-z-]*[a-z]|[^\W_]\w*")


def measure_entries() -> Iterator[Entry]:
    """Yield the entry of each measure."""
    for d in all_definitions().values():
        # A summary such as "Average precision: the sum of ..." begins with the name in full.
        name, colon, _ = d.summary.partition(": ")
        spelled = (d.name, d.macro, *d.aliases, *d.named, *([name] if colon else []), *_ALSO.get(d.macro, ()))
        names = list(dict.fromkeys(n.lower() for n in spelled))
        yield (f"measures/{d.macro}.html", d.name, "", "Measure", d.summary, d.formula, names)


# Words of nearly all texts, which tell no text from another.
_FREQUENT = {"the", "of", "and", "or", "is", "are", "an", "as", "by", "to", "in", "it"}


def section_entries(
    path: str, title: str, kind: str, words: Iterable[str], sections: Iterable[tuple[str, str, str]]
) -> Iterator[Entry]:
    """Yield the entry of each section of a page: anchor, heading and text. The first one has the names of the page."""
    names = [title.lower(), *(word.lower() for word in words)]
    for anchor, heading, text in sections:
        first = heading == title
        shown, rest = _split(text)
        yield (
            path if first else f"{path}#{anchor}",
            title,
            "" if first else heading,
            kind,
            shown,
            rest,
            names if first else [],
        )


def _split(text: str) -> tuple[str, str]:
    """Return the beginning of a text, and each other word of two signs or more once."""
    # The first paragraph, if there are several.
    opening = " ".join(text.partition("\n\n")[0].split())
    shown = _cut(opening)
    known = {word.lower() for word in _WORD.findall(shown)} | _FREQUENT
    # The digits of 0.5851 are no words.
    words = (word for word in _WORD.findall(re.sub(r"\d+[.,]\d+", " ", text)) if len(word) > 1)
    others = dict.fromkeys(word for word in words if word.lower() not in known)
    return shown, " ".join(others)


def _cut(text: str, most: int = _SHOWN) -> str:
    return text if len(text) <= most else text[:most].rsplit(" ", 1)[0] + " …"


def sections(tokens: list[Token]) -> Iterator[tuple[str, str, str]]:
    """Yield anchor, heading and text of each section of a parsed page. Code blocks are left out.

    In a table of messages, each message is the heading of a section.
    """
    anchor = heading = ""
    text: list[str] = []
    of_messages = first = False
    for before, token in pairwise(tokens):
        of_messages = of_messages and before.type != "table_open"
        first = first or before.type == "tr_open"
        if token.type != "inline":
            continue
        if before.type == "heading_open":
            if heading:
                yield anchor, heading, " ".join(text)
            anchor, heading, text = str(before.attrGet("id")), plain(token), []
        elif of_messages and before.type == "td_open" and first:
            yield anchor, _cut(plain(token), 90), ""
        else:
            of_messages = of_messages or (before.type == "th_open" and plain(token) == "message")
            text.append(plain(token))
        first = False
    if heading:
        yield anchor, heading, " ".join(text)


def plain(token: Token) -> str:
    """Return the text of an inline token without marks and addresses of links."""
    return "".join(" " if c.type == "softbreak" else c.content for c in token.children or [])
