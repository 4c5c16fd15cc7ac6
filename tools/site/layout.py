"""The frame of all pages: header, sidebar, contents of the page, previous and next."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import jinja2
from markupsafe import Markup

from ltr_sql.catalogue.measures import all_definitions
from tools.contents import contents, groups
from tools.functions import functions

HERE = Path(__file__).parent
HOME = "https://github.com/ltr-sql/ltr_sql"
REPOSITORY = f"{HOME}/blob/main"
# Pages of docs/ whose names differ on the site.
RENAMED = {"site.md": "index.html", "README.md": "guides.html"}
# Addresses of former pages, and where each page is now. The old address leads there.
MOVED = {"vocabulary.html": f"{REPOSITORY}/VOCABULARY.md"}
# The page of the options that many functions share.
READING = "options_of_reading"
DESCRIPTION = "Is the new ranking better? Evaluation of search, RAG and recommenders in Python, SQL and the terminal."

environment = jinja2.Environment(
    loader=jinja2.FileSystemLoader(HERE), autoescape=True, trim_blocks=False, undefined=jinja2.StrictUndefined
)


@dataclass(frozen=True)
class Content:
    """A page of the site: its path, title, HTML, one sentence about it, and anchor and text of its headings.

    `source` is its file in the repository.
    """

    path: str
    title: str
    body: Markup
    description: str = DESCRIPTION
    headings: Sequence[tuple[str, str]] = field(default_factory=list)
    source: str = ""


def site_path(name: str) -> str:
    """Return the path of a page of `docs/` on the site."""
    return RENAMED.get(name, name.removesuffix(".md") + ".html")


@cache
def measure_groups() -> Mapping[str, list[str]]:
    """Return the macro names of the measures by the question that they answer."""
    return tomllib.loads((HERE / "measure_groups.toml").read_text(encoding="utf-8"))


def layout(page: Content, address: str = "") -> str:
    """Return a page as HTML. `address` is where the site will be published, if known."""
    before, after = _neighbours(page.path)
    return environment.get_template("layout.html").render(
        page=page,
        root="../" * page.path.count("/"),
        links=[(f"guides.html#{name.lower().replace(' ', '-')}", name) for name in groups()],
        home=HOME,
        address=address,
        sides=_sides(page.path),
        before=before,
        after=after,
        source=f"{REPOSITORY}/{page.source}" if page.source else "",
        headings=page.headings if len(page.headings) > 2 and page.path != "index.html" else [],
    )


def _neighbours(path: str) -> tuple[tuple[str, str] | None, tuple[str, str] | None]:
    """Return path and title of the pages before and after a page of the documentation."""
    pages = [("index.html", "Home"), *((site_path(page.path), page.title) for page in contents().values())]
    place = next((n for n, (other, _) in enumerate(pages) if other == path), None)
    if place is None:
        return None, None
    return pages[place - 1] if place else None, pages[place + 1] if place + 1 < len(pages) else None


def _sides(path: str) -> dict[str, list[tuple[str, str]]]:
    """Return the entries of the sidebar: measures beside a measure, and else the pages of the documentation."""
    if path == "index.html":
        return {}
    if path.startswith("measures/"):
        names = {d.macro: d.name for d in all_definitions().values()}
        return {
            question: [(f"measures/{macro}.html", names[macro]) for macro in macros]
            for question, macros in measure_groups().items()
        }
    if path.startswith("functions/"):
        return {"Functions": [(f"functions/{name}.html", name) for name in (*functions(), READING)]}
    return {name: [(site_path(p.path), p.title) for p in pages] for name, pages in groups().items()}
