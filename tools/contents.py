"""The table of contents of the documentation, from `docs/contents.toml`."""

import tomllib
from dataclasses import dataclass
from functools import cache

from ltr_sql.catalogue.files import SQL_FOLDER

DOCS = SQL_FOLDER.parent / "docs"


@dataclass(frozen=True)
class Page:
    """A page: its path from `docs/`, title, group, what it answers, and what else people type to find it."""

    path: str
    title: str
    group: str
    contents: str
    words: tuple[str, ...]


@cache
def contents() -> dict[str, Page]:
    """Return the pages by path, in the order of the sidebar."""
    groups = tomllib.loads((DOCS / "contents.toml").read_text(encoding="utf-8"))
    return {
        path: Page(path, title_of(path), group, page["contents"], tuple(page["words"]))
        for group, pages in groups.items()
        for path, page in pages.items()
    }


def title_of(path: str) -> str:
    """Return the heading of a page, by its path from `docs/`."""
    with (DOCS / path).open(encoding="utf-8") as file:
        return file.readline().removeprefix("# ").strip()


def groups() -> dict[str, list[Page]]:
    """Return the pages of each group."""
    found: dict[str, list[Page]] = {}
    for page in contents().values():
        found.setdefault(page.group, []).append(page)
    return found
