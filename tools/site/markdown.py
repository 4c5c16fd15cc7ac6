"""Render Markdown and code as HTML."""

import posixpath
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from html import escape
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

from ltr_sql.catalogue.measures import all_definitions
from tools.contents import DOCS
from tools.site.layout import REPOSITORY, site_path
from tools.site.search import plain


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"highlight": _fence}).enable("table")


def title_of(text: str) -> str:
    """Return the heading of a page."""
    return text.partition("\n")[0].removeprefix("# ").strip()


def parsed(text: str, page: str) -> list[Token]:
    """Return the tokens of a page of `docs/`. Links to files outside the site lead to the repository.

    The first mention of a measure as code leads to its page.
    """
    tokens = _parser().parse(text)
    for token, following in pairwise(tokens):
        if token.type == "heading_open":
            token.attrSet("id", anchor(following.content))
        for child in token.children or []:
            if child.type == "link_open":
                child.attrSet("href", _link(str(child.attrGet("href")), page))
            if child.type == "image":
                child.attrSet("loading", "lazy")
    linked: set[str] = set()
    for token, following in pairwise(tokens):
        if token.type != "heading_open" and following.children:
            following.children = [*_with_measures(following.children, page, linked)]
    return tokens


# A measure as it is written in code: its name, perhaps with parameters and a cutoff.
_MEASURE = re.compile(r"(\w+)(?:\([^()]*\))?(?:@(?:k|\d+))?")


def _with_measures(tokens: list[Token], page: str, linked: set[str]) -> Iterator[Token]:
    """Yield the tokens of a text with a link around each measure that is not in `linked` yet, and add it."""
    names = {definition.name: definition.macro for definition in all_definitions().values()}
    within = 0
    for token in tokens:
        within += token.nesting if token.type.startswith("link_") else 0
        found = _MEASURE.fullmatch(token.content) if token.type == "code_inline" and not within else None
        macro = names.get(found[1]) if found else None
        if macro is None or macro in linked:
            yield token
            continue
        linked.add(macro)
        target = posixpath.relpath(f"measures/{macro}.html", posixpath.dirname(page) or ".")
        yield Token("link_open", "a", 1, attrs={"href": target})
        yield token
        yield Token("link_close", "a", -1)


def headings_of(tokens: list[Token]) -> list[tuple[str, str]]:
    """Return anchor and text of each heading of the second level."""
    return [(str(a.attrGet("id")), plain(b)) for a, b in pairwise(tokens) if a.type == "heading_open" and a.tag == "h2"]


def rendered(tokens: list[Token], live: bool = False) -> Markup:
    """Return a parsed page as HTML. A table is named after the heading above it.

    With `live`, readers can edit and run the SQL. Between the comments `<!-- tabs -->` and `<!-- end -->`, each
    paragraph in bold opens a tab.
    """
    html = _rendered(tokens, live, [""], Counter())
    # Output of one line wraps.
    html = re.sub(r'<pre>(?=<code class="language-text">[^\n]*\n</code>)', '<pre class="line">', html)
    return Markup(_with_marks(_with_pictures(html.replace("<pre", '<pre tabindex="0"'))))


def _rendered(tokens: list[Token], live: bool, headings: list[str], counted: Counter[str]) -> str:
    """Return tokens as HTML. `headings` are those so far, and `counted` the tables and tabs below each."""
    html = ""
    for part in _parts(tokens):
        first = part[0]
        headings += [plain(b) for a, b in pairwise(part) if a.type == "heading_open"]
        if _comment(first) == _TABS:
            counted[_TABS] += 1
            html += _tabs(_rendered(part[1:-1], live, headings, counted), counted[_TABS])
        elif first.type == "table_open":
            html += _table(part, headings, counted)
        elif _is_sql(first):
            code = _html(part[:1])
            result = _table(part[1:], headings, counted, ' class="result"') if part[1:] else ""
            runs = live and first.info == "sql" and not any(word in first.content for word in _NOT_IN_BROWSERS)
            html += _example(code, result) if runs else code + result
        else:
            html += _html([token for token in part if token.type != "html_block"])
    return html


def _html(tokens: list[Token]) -> str:
    return str(_parser().renderer.render(tokens, _parser().options, {}))


def _comment(token: Token) -> str:
    return token.content.strip() if token.type == "html_block" else ""


def _is_sql(token: Token) -> bool:
    return token.type == "fence" and token.info.partition(" ")[0] == "sql"


# What DuckDB-Wasm does not know without downloading an extension.
_NOT_IN_BROWSERS = ("read_json",)
_TABS, _END = "<!-- tabs -->", "<!-- end -->"
_NUMBER = re.compile(r"[-+\u2212]?[\d.,]+ ?%?|")


def _table(tokens: list[Token], headings: list[str], counted: Counter[str], attributes: str = "") -> str:
    """Return a table. Columns of numbers are aligned to the right."""
    html = _html(tokens)
    rows = [re.findall(r"<t[hd]>(.*?)</t[hd]>", row) for row in html.split("</tr>")[:-1]]
    columns = [[*column] for column in zip(*rows[1:], strict=False)]
    place = iter([any(column) and all(map(_NUMBER.fullmatch, column)) for column in columns] * len(rows))
    cells = re.sub(r"<(t[hd])>", lambda tag: f'<{tag[1]} class="number">' if next(place, False) else tag[0], html)
    counted[headings[-1]] += 1
    name = headings[-1] + (f", table {counted[headings[-1]]}" if counted[headings[-1]] > 1 else "")
    table = cells.replace("<table>", f"<table{attributes}>")
    return f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(name)}">{table}</div>\n'


def _tabs(html: str, number: int) -> str:
    """Return HTML in which each paragraph in bold opens a section."""
    _, *pieces = re.split(r"<p><strong>([^<]*)</strong></p>", html)
    sections = [
        f'<section id="tab-{number}-{n}" data-tab="{name}"><p class="tab"><strong>{name}</strong></p>{text}</section>'
        for n, (name, text) in enumerate(zip(pieces[::2], pieces[1::2], strict=True))
    ]
    return f'<div class="tabs">{"".join(sections)}</div>\n'


def _example(code: str, result: str) -> str:
    """Return SQL and its result as an example that a reader can edit and run."""
    return f'<div class="example">{code}<div class="output">{result}</div></div>\n'


def _parts(tokens: list[Token]) -> Iterator[list[Token]]:
    """Split tokens into tables, SQL with its result, tabs, and what stands between them."""
    part: list[Token] = []
    place = 0
    while place < len(tokens):
        end = _end(tokens, place)
        if end == place:
            part.append(tokens[place])
            place += 1
            continue
        if part:
            yield part
        yield tokens[place:end]
        part, place = [], end
    if part:
        yield part


def _end(tokens: list[Token], place: int) -> int:
    """Return the place after the table, SQL or tabs that begin at a place, or the place itself for other tokens."""
    first = tokens[place]
    if first.type == "table_open":
        return next(n for n in range(place, len(tokens)) if tokens[n].type == "table_close") + 1
    if _is_sql(first):
        follows = place + 1 < len(tokens) and tokens[place + 1].type == "table_open"
        return _end(tokens, place + 1) if follows else place + 1
    if _comment(first) == _TABS:
        return next(n for n in range(place, len(tokens)) if _comment(tokens[n]) == _END) + 1
    return place


def _with_pictures(html: str) -> str:
    """Return HTML in which a picture has its variants: NAME-dark.png in dark mode, and NAME-phone.png on phones."""
    return re.sub(r'<img src="([^"]*?)([^"/]+)\.png"[^>]*>', _picture, html)


def _picture(image: re.Match[str]) -> str:
    phone, dark = "(max-width: 37.5rem)", "(prefers-color-scheme: dark)"
    kinds = {"phone-dark": f"{phone} and {dark}", "phone": phone, "dark": dark}
    sources = [
        f'<source media="{media}" srcset="{image[1]}{image[2]}-{kind}.png">'
        for kind, media in kinds.items()
        if (DOCS / f"{image[2]}-{kind}.png").is_file()
    ]
    return f"<picture>{''.join(sources)}{image[0]}</picture>"


def _with_marks(html: str) -> str:
    """Return HTML with a link to each heading of the second and third level."""
    mark = r'<h\1 id="\2">\3 <a class="mark" href="#\2" aria-label="Link to this heading">#</a></h\1>'
    return re.sub(r'<h([23]) id="([^"]*)">(.*?)</h\1>', mark, html, flags=re.DOTALL)


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
    elif resolved == "docs/functions.md" and part:
        site, part = f"functions/{part.replace('-', '_')}.html", ""
    elif resolved.startswith("docs/") and resolved.endswith(".md"):
        site = site_path(resolved.removeprefix("docs/"))
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
