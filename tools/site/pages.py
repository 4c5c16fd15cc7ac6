"""Render the pages of the site: one per measure of the catalogue, and one per page of `docs/`."""

import inspect
import json
import re
from collections import Counter
from collections.abc import Iterator

import duckdb
from markupsafe import Markup, escape

from ltr_sql.catalogue.measures import all_definitions
from ltr_sql.catalogue.options import Reading, options_of
from ltr_sql.errors import LtrSqlError
from ltr_sql.macros.registration import register
from tools.contents import DOCS, contents, groups
from tools.functions import flags_of, functions, returns_of
from tools.site.layout import DESCRIPTION, HERE, MOVED, Content, environment, layout, measure_groups, site_path
from tools.site.markdown import headings_of, parsed, rendered, title_of
from tools.site.measures import chips_of, measure_page
from tools.site.search import Entry, measure_entries, section_entries, sections

# Pages of docs/ that are many pages of the site.
_SPLIT = ("measures.md", "functions.md")
# Files that pages load as they are.
ASSETS = ("style.css", "find.js", "script.js", "icon.svg")


def pages(live: bool, address: str = "") -> dict[str, str]:
    """Return the text of each file of the site by path.

    - `live`: add buttons that run the SQL.
    - `address`: where the site will be published. Search engines and previews of links need it.

    Raises LtrSqlError outside a checkout, because the guides are not part of the installed package.
    """
    if not DOCS.is_dir():
        raise LtrSqlError(f"the site needs a checkout of ltr_sql: {DOCS} does not exist")
    with duckdb.connect() as con:
        register(con)
        made = [measure_page(d, con, live) for d in all_definitions().values()]
    made += [*_guides(live), *_functions(), _measures_list()]
    found = {page.path: layout(page, address) for page in made}
    found["search.js"] = f"window.SEARCH = {json.dumps(list(_entries()), ensure_ascii=False, separators=(',', ':'))};\n"
    found |= {name: (HERE / name).read_text(encoding="utf-8") for name in ASSETS}
    found["llms.txt"] = _llms_text(address)
    found["404.html"] = environment.get_template("404.html").render(address=address)
    moved = environment.get_template("moved.html")
    found |= {path: moved.render(now=now) for path, now in MOVED.items()}
    if address:
        lines = "".join(f"<url><loc>{address}/{path}</loc></url>\n" for path in sorted(p.path for p in made))
        sitemap = (
            '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
        )
        found |= {
            "sitemap.xml": f"{sitemap}{lines}</urlset>\n",
            "robots.txt": f"User-agent: *\nAllow: /\nSitemap: {address}/sitemap.xml\n",
        }
    return found


def _llms_text(address: str) -> str:
    """Return the list of pages for language models, as llmstxt.org describes it."""
    start = f"{address}/" if address else ""
    lines = ["# ltr_sql", "", f"> {DESCRIPTION}"]
    for group, listed in groups().items():
        lines += ["", f"## {group}", ""]
        lines += [f"- [{page.title}]({start}{site_path(page.path)}): {page.contents}" for page in listed]
    return "\n".join([*lines, ""])


def _guides(live: bool) -> Iterator[Content]:
    for path in sorted(DOCS.rglob("*.md")):
        name = path.relative_to(DOCS).as_posix()
        if name in _SPLIT:
            continue
        text = path.read_text(encoding="utf-8")
        about = contents()[name].contents if name in contents() else DESCRIPTION
        tokens = parsed(text, name)
        yield Content(
            site_path(name), title_of(text), rendered(tokens, live), about, headings_of(tokens), f"docs/{name}"
        )


def _functions() -> Iterator[Content]:
    """Yield the list of functions, and a page for each section of the page of functions."""
    opening, *parts = (DOCS / "functions.md").read_text(encoding="utf-8").split("\n## ")
    rows = []
    for part in parts:
        title, _, text = part.partition("\n")
        path = f"functions/{title.lower().replace(' ', '_')}"
        summary = text.strip().partition("\n")[0]
        rows.append(f"| [{title}]({path}.md) | {summary} |")
        text = re.sub(r"\]\((?!https?:|#)", "](../", text).replace("](#", "](../functions.md#")
        tokens = parsed(f"# {title}\n{text}", f"{path}.md")
        yield Content(f"{path}.html", title, rendered(tokens), summary, source="docs/functions.md")
    table = "\n".join(["| function | result |", "|---|---|", *rows])
    tokens = parsed(f"{opening}\n\n{table}\n", "functions.md")
    about = contents()["functions.md"].contents
    yield Content("functions.html", "Functions and options", rendered(tokens), about, source="docs/functions.md")


def _measures_list() -> Content:
    definitions = {d.macro: d for d in all_definitions().values()}
    groups = [(question, [definitions[macro] for macro in macros]) for question, macros in measure_groups().items()]
    of = {macro: chips_of(definition) for macro, definition in definitions.items()}
    counted = Counter(chip for chips in of.values() for chip in chips)
    chips = [chip for chip, _ in counted.most_common()]
    body = Markup(environment.get_template("measures.html").render(groups=groups, of=of, chips=chips))
    headings = [(str(escape(q.lower().replace(" ", "-").rstrip("?"))), q) for q, _ in groups]
    about = contents()["measures.md"].contents
    return Content("measures.html", "Measures", body, about, headings)


def _entries() -> Iterator[Entry]:
    yield from measure_entries()
    # What an option means is asked of the main functions first: those that the page of Python names first.
    order = (DOCS / "python.md").read_text(encoding="utf-8").partition("\n| function |")[2]
    for name in sorted(functions(), key=lambda name: order.find(f"`{name}(") % len(order)):
        # The meanings of options are long, and many functions share them: their names are enough.
        options = [
            option for option in inspect.signature(functions()[name]).parameters if option not in options_of(Reading)
        ]
        summary = str(inspect.getdoc(functions()[name])).partition("\n\n")[0].replace("`", "")
        names = [name, name.replace("_", " "), f"ltr.{name}", f"ltr-sql {name.replace('_', '-')}"]
        flags = flags_of(name) or {}
        names += [flags[option] for option in options if flags.get(option, "").startswith("--")]
        yield from section_entries(
            f"functions/{name}.html",
            name,
            "Function",
            names,
            [("", name, f"{summary}\n\n{returns_of(name)} {' '.join(options)}")],
        )
    title, reading = "Options of reading", options_of(Reading)
    names = [f"--{name.replace('_', '-')}" for name in reading]
    text = f"How the tables of a call are read.\n\n{' '.join(reading)}"
    yield from section_entries("functions/options_of_reading.html", title, "Function", names, [("", title, text)])
    for page in contents().values():
        if page.path in _SPLIT:
            found = iter([("", page.title, page.contents)])
        else:
            found = sections(parsed((DOCS / page.path).read_text(encoding="utf-8"), page.path))
        yield from section_entries(site_path(page.path), page.title, page.group, page.words, found)
