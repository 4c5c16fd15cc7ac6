"""Render the pages of the site: one per measure of the catalogue, and one per page of `docs/`."""

import json
import posixpath
import re
from collections.abc import Iterable, Mapping
from html import escape
from pathlib import Path
from typing import Any

import duckdb
import jinja2
from latex2mathml.converter import convert
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

from ltr_sql.catalogue.conventions import conventions, settings_of
from ltr_sql.catalogue.files import SQL_FOLDER
from ltr_sql.catalogue.measures import Definition, all_definitions
from ltr_sql.catalogue.parameters import sql_default
from ltr_sql.errors import LtrSqlError, MeasureError
from ltr_sql.evaluation.evaluate import evaluate
from ltr_sql.macros.registration import register
from ltr_sql.rendering.dialects import string
from ltr_sql.rendering.render import render
from tools.documentation import average_of, path_of

HERE = Path(__file__).parent
DOCS = SQL_FOLDER.parent / "docs"
REPOSITORY = "https://github.com/ltr-sql/ltr_sql/blob/main"
LINKS = {"measures.html": "Measures", "guides.html": "Guides", "conventions.html": "Conventions", "sql.html": "SQL"}
# Pages of docs/ whose names differ on the site.
RENAMED = {"site.md": "index.html", "README.md": "guides.html"}

# Tables that the examples of measures read. EXAMPLE_TABLES maps inputs of row sources to them.
RANKINGS = """\
create or replace table judged as
from (values
    ('q1', 1, 3), ('q1', 2, 2), ('q1', 3, 3), ('q1', 4, 0), ('q1', 5, 1),
    ('q2', 1, 0), ('q2', 2, 1), ('q2', null, 1)
) as t(query_id, rank, relevance);
"""
COVERS = """\
create or replace table judged as
from (values
    ('q1', 'a', 1, 1, 's1'), ('q1', 'a', 1, 1, 's2'), ('q1', 'b', 2, 1, 's1'), ('q1', 'c', 3, 1, 's3'),
    ('q2', 'd', 1, 0, 's1'), ('q2', 'e', 2, 1, 's2')
) as t(query_id, doc_id, rank, relevance, subtopic);
"""
PAIRS = """\
create or replace table pairs as
from (values
    ('q1', 'a', 1, 2, 3.2, 2.5), ('q1', 'b', 2, 1, 2.9, 2.9), ('q1', 'c', 3, 4, 1.4, 0.3), ('q1', 'd', 4, 3, 0.2, 0.4),
    ('q2', 'a', 1, 1, 0.9, 0.8), ('q2', 'b', 2, 3, 0.4, 0.1), ('q2', 'c', 3, 2, 0.3, 0.7)
) as t(query_id, doc_id, rank_a, rank_b, score_a, score_b);
"""
EXAMPLE_TABLES = {"rankings": RANKINGS, "covers": COVERS, "pairs": PAIRS, "scored_pairs": PAIRS}
RUN = """\
create or replace table run as
from (values
    ('u1', 'a', 1), ('u1', 'b', 2), ('u1', 'c', 3),
    ('u2', 'a', 1), ('u2', 'd', 2), ('u2', 'b', 3)
) as t(query_id, doc_id, rank);
"""
# Tables that measures beyond accuracy may read in addition to the run.
OTHER_TABLES = {
    "documents": """\
create or replace table documents as
from (values
    ('a', 'rock', 9, 'large', 1.0, [1.0, 0.0]), ('b', 'jazz', 4, 'small', 1.0, [0.0, 1.0]),
    ('c', 'rock', 2, 'large', 1.0, [0.8, 0.6]), ('d', 'folk', 1, 'small', 1.0, [0.6, 0.8]),
    ('e', 'folk', 1, 'small', 1.0, [0.0, 1.0])
) as t(doc_id, category, popularity, "group", weight, vector);
""",
    "history": """\
create or replace table history as
from (values ('u1', 'c'), ('u1', 'a'), ('u2', 'e'), ('u2', 'a'), ('u3', 'a')) as t(query_id, doc_id);
""",
    "targets": """\
create or replace table targets as
from (values ('large', 0.5), ('small', 0.5)) as t("group", share);
""",
    "qrels": """\
create or replace table qrels as
from (values ('u1', 'b', 1), ('u1', 'd', 1), ('u2', 'a', 1), ('u2', 'e', 1)) as t(query_id, doc_id, relevance);
""",
    "baseline": """\
create or replace table baseline as
from (values
    ('u1', 'a', 1), ('u1', 'e', 2), ('u1', 'c', 3),
    ('u2', 'b', 1), ('u2', 'd', 2), ('u2', 'a', 3)
) as t(query_id, doc_id, rank);
""",
}
# Values of parameters in the examples. LARGEST_GRADE stands for any other required parameter.
EXAMPLE_VALUES = {"k": "3", "recall": "0.5", "multiple": "2"}
LARGEST_GRADE = "3"

_environment = jinja2.Environment(
    loader=jinja2.FileSystemLoader(HERE), autoescape=True, trim_blocks=False, undefined=jinja2.StrictUndefined
)


def pages(live: bool) -> dict[str, str]:
    """Return the text of each file of the site by path. `live` adds buttons that run the SQL.

    Raises LtrSqlError outside a checkout, because the guides are not part of the installed package.
    """
    guides = _guides()
    with duckdb.connect() as con:
        register(con)
        found = {f"measures/{d.macro}.html": _measure_page(d, con, live) for d in all_definitions().values()}
    found |= {path: _layout(path, title, body) for path, (title, body) in guides.items()}
    found["measures.html"] = _layout("measures.html", "Measures", _measures_list())
    found["search.js"] = f"window.SEARCH = {json.dumps(list(_search(guides)))};\n"
    for name in ("style.css", "script.js"):
        found[name] = (HERE / name).read_text(encoding="utf-8")
    return found


# Measures


def _measure_page(definition: Definition, con: duckdb.DuckDBPyConnection, live: bool) -> str:
    sql = example_of(definition)
    con.execute(sql)
    names, rows = [column[0] for column in con.description or []], con.fetchall()
    body = _environment.get_template("measure.html").render(
        measure=definition,
        formula=Markup(convert(definition.tex, display="block")) if definition.tex else definition.formula,
        empty=_empty(definition),
        average=average_of(definition),
        names=", ".join([*definition.aliases, *definition.named, *(f"{n} without a cutoff" for n in definition.uncut)]),
        sql=sql,
        live=live,
        result_names=names,
        result_rows=rows,
        parameters=[
            [p.name, "required" if p in definition.required else sql_default(p), p.allowed, p.summary]
            for p in definition.parameters
        ],
        conventions=list(_values_by_convention(definition, con)),
        source=path_of(definition.macro),
        source_link=f"{REPOSITORY}/{path_of(definition.macro)}",
        definition=highlighted(definition.body, "sql+jinja"),
        query=_query(definition),
        root="../",
        shown=_shown,
    )
    path = f"measures/{definition.macro}.html"
    return _layout(path, definition.name, Markup(body), definition.summary, {"Measures": _measure_links()})


def _query(definition: Definition) -> str:
    measures = [definition.example]
    if definition.beyond_accuracy:
        return render(measures)
    return render(measures, pairs="pairs") if definition.paired else render(measures, rankings="judged")


def example_of(definition: Definition) -> str:
    """Return the SQL of the example of a measure: its tables and a call of the macro."""
    options = {p.name: EXAMPLE_VALUES.get(p.name, LARGEST_GRADE) for p in definition.required}
    if definition.parameter("k"):
        options = {"k": EXAMPLE_VALUES["k"], **options}
    if definition.beyond_accuracy:
        defaults = {p.name: p.default for p in definition.parameters}
        needed = list(dict.fromkeys(need.table for need in definition.needed(defaults)))
        table, tables = "run", RUN + "".join(OTHER_TABLES[name] for name in needed)
        options = {**{name: string(name) for name in needed}, **options}
    else:
        table, tables = "pairs" if definition.paired else "judged", EXAMPLE_TABLES[definition.row_source.input]
    arguments = ", ".join([string(table), *(f"{name} := {value}" for name, value in options.items())])
    order = "\norder by query_id" if definition.over == "query" else ""
    return f"{tables}\nfrom ltr.{definition.macro}({arguments}){order};\n"


def _values_by_convention(definition: Definition, con: duckdb.DuckDBPyConnection) -> Iterable[list[Any]]:
    """Yield name, value and settings of the default convention, then of each with settings for the measure."""
    if definition.paired or definition.beyond_accuracy:
        return
    settings = {
        c.name: ", ".join(f"{k}={v}" for name, of in settings_of(c) if name == definition.name for k, v in of.items())
        for c in conventions().values()
    }
    default, *others = settings
    for name in (default, *(n for n in others if settings[n])):
        try:
            frame = evaluate("judged", [definition.example], convention=name, con=con, check=False)
        except (LtrSqlError, MeasureError):
            continue
        yield [name, frame[definition.example][0], settings[name]]


def _empty(definition: Definition) -> str:
    if definition.parameter("empty"):
        return "set by the parameter empty"
    if definition.empty is not None:
        return f"{definition.empty:g}"
    return "NULL" if definition.over == "run" else "NULL; the query does not count"


def _shown(value: Any) -> str:
    return "" if value is None else f"{value:.4f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def _measure_links() -> list[tuple[str, str]]:
    return [(f"measures/{d.macro}.html", d.name) for d in all_definitions().values()]


def _measures_list() -> Markup:
    rows = "".join(
        f'<tr><td><a href="measures/{d.macro}.html">{escape(d.name)}</a></td><td>{escape(d.summary)}</td></tr>\n'
        for d in all_definitions().values()
    )
    return Markup(
        '<h1>Measures</h1>\n<p class="lead">Each page shows the formula, a worked example, the values of other tools, '
        f'and the SQL.</p>\n<table><tr><th scope="col">measure</th><th scope="col">summary</th></tr>\n{rows}</table>'
    )


# Guides


def _guides() -> dict[str, tuple[str, Markup]]:
    """Return title and body of each guide by path on the site."""
    if not DOCS.is_dir():
        raise LtrSqlError(f"the site needs a checkout of ltr_sql: {DOCS} does not exist")
    found = {}
    for path in sorted(DOCS.rglob("*.md")):
        name = path.relative_to(DOCS).as_posix()
        if name != "measures.md":
            text = path.read_text(encoding="utf-8")
            found[_site_path(name)] = (text.partition("\n")[0].removeprefix("# "), rendered(text, name))
    return found


def _site_path(name: str) -> str:
    """Return the path of a page of `docs/` on the site."""
    return RENAMED.get(name, name.removesuffix(".md") + ".html")


def rendered(text: str, page: str) -> Markup:
    """Return a page of `docs/` as HTML. Links to files outside the site lead to the repository."""
    parser = MarkdownIt("commonmark", {"highlight": _fence}).enable("table")
    tokens = parser.parse(text)
    for token, following in zip(tokens, [*tokens[1:], None], strict=True):
        if token.type == "heading_open" and following is not None:
            token.attrSet("id", anchor(following.content))
        for child in token.children or []:
            if child.type == "link_open":
                child.attrSet("href", _link(str(child.attrGet("href")), page))
    html = parser.renderer.render(_without_html(tokens), parser.options, {})
    html = html.replace("<pre>", '<pre tabindex="0">')
    scroll = '<div class="scroll" tabindex="0" role="region" aria-label="Table"><table>'
    return Markup(html.replace("<table>", scroll).replace("</table>", "</table></div>"))


def _without_html(tokens: list[Token]) -> list[Token]:
    return [token for token in tokens if token.type != "html_block"]


def anchor(heading: str) -> str:
    """Return the anchor that GitHub gives to a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def _link(target: str, page: str) -> str:
    """Return the target on the site of a link in a page of `docs/`."""
    if re.match(r"[a-z]+:|#", target):
        return target
    path, _, part = target.partition("#")
    resolved = posixpath.normpath(posixpath.join("docs", posixpath.dirname(page), path))
    if resolved == "docs/measures.md":
        macro = next((d.macro for d in all_definitions().values() if anchor(d.name) == part), None)
        site, part = (f"measures/{macro}.html", "") if macro else ("measures.html", "")
    elif resolved.startswith("docs/") and resolved.endswith(".md"):
        site = _site_path(resolved.removeprefix("docs/"))
    else:
        return f"{REPOSITORY}/{resolved}"
    relative = posixpath.relpath(site, posixpath.dirname(page) or ".")
    return f"{relative}#{part}" if part else relative


def _fence(code: str, language: str, attributes: str) -> str:
    # Return a plain string: the parser wraps it in a tag, which it would escape with Markup.
    return str(highlighted(code, {"jinja": "sql+jinja", "sh": "bash"}.get(language, language)))


def highlighted(code: str, language: str) -> Markup:
    """Return code as HTML, highlighted by Pygments; plain for an unknown language."""
    try:
        lexer = get_lexer_by_name(language)
    except ClassNotFound:
        return Markup(escape(code))
    return Markup(highlight(code, lexer, HtmlFormatter(nowrap=True)))


def _search(guides: Mapping[str, tuple[str, Markup]]) -> Iterable[dict[str, Any]]:
    for definition in all_definitions().values():
        names = [n.lower() for n in (definition.name, definition.macro, *definition.aliases, *definition.named)]
        yield {
            "path": f"measures/{definition.macro}.html",
            "title": definition.name,
            "summary": definition.summary.partition(". ")[0],
            "names": names,
        }
    for path, (title, _) in guides.items():
        yield {"path": path, "title": title, "summary": "guide", "names": [title.lower()]}


# All pages


def _layout(
    path: str,
    title: str,
    body: Markup,
    description: str = "Ranking evaluation in SQL",
    side: Mapping[str, list[tuple[str, str]]] | None = None,
) -> str:
    return _environment.get_template("layout.html").render(
        root="../" * path.count("/"),
        title=title,
        description=description,
        body=body,
        links=LINKS.items(),
        side=side or {},
        side_name="All measures",
        current=path,
    )
