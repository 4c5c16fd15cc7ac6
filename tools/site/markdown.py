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
    """Return the tokens of a page of `docs/`. Links to files outside the site lead to the repository."""
    tokens = _parser().parse(text)
    for token, following in pairwise(tokens):
        if token.type == "heading_open":
            token.attrSet("id", anchor(following.content))
        for child in token.children or []:
            if child.type == "link_open":
                child.attrSet("href", _link(str(child.attrGet("href")), page))
            if child.type == "image":
                child.attrSet("loading", "lazy")
    return tokens


def headings_of(tokens: list[Token]) -> list[tuple[str, str]]:
    """Return anchor and text of each heading of the second level."""
    return [(str(a.attrGet("id")), plain(b)) for a, b in pairwise(tokens) if a.type == "heading_open" and a.tag == "h2"]


def rendered(tokens: list[Token], live: bool = False) -> Markup:
    """Return a parsed page as HTML. A table is named after the heading above it.

    Comments are marks: between `<!-- tabs -->` and `<!-- end -->`, each paragraph in bold opens a tab; after
    `<!-- live -->`, readers can edit the SQL, and with `live` run it.
    """
    html = _rendered(tokens, live, [""], Counter())
    return Markup(_with_marks(_with_dark(html).replace("<pre>", '<pre tabindex="0">')))


def _with_dark(html: str) -> str:
    """Add the dark picture NAME-dark.png to each picture that has one."""

    def both(image: re.Match[str]) -> str:
        dark = f"{image[2]}-dark.png"
        if not (DOCS / dark).is_file():
            return image[0]
        source = f'<source media="(prefers-color-scheme: dark)" srcset="{image[1]}{dark}">'
        return f"<picture>{source}{image[0]}</picture>"

    return re.sub(r'<img src="((?:\.\./)*)(\w+)\.png"[^>]*>', both, html)


def _rendered(tokens: list[Token], live: bool, headings: list[str], counted: Counter[str]) -> str:
    """Return tokens as HTML. `headings` are those so far, and `counted` the tables and tabs below each."""
    parser, html, before = _parser(), "", ""
    for part in _parts(tokens):
        mark = part[0].content.strip() if part[0].type == "html_block" else ""
        headings += [plain(b) for a, b in pairwise(part) if a.type == "heading_open"]
        if mark == "<!-- tabs -->":
            counted["<!-- tabs -->"] += 1
            html += _tabs(_rendered(part[1:-1], live, headings, counted), counted["<!-- tabs -->"])
            continue
        text = parser.renderer.render(_without_html(part), parser.options, {})
        if mark == "<!-- live -->":
            text = _live(text, part[1].content, live)
        if part[0].type == "table_open":
            text = _result(text) if before == "fence" else text
            counted[headings[-1]] += 1
            name = headings[-1] + (f", table {counted[headings[-1]]}" if counted[headings[-1]] > 1 else "")
            text = f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(name)}">{text}</div>\n'
        html += text
        before = part[-1].type
    return html


_NUMBER = re.compile(r"-?[\d.,]+|")


def _result(html: str) -> str:
    """Return the table below a code block. Its rows stay on one line, and numbers are aligned to the right."""
    rows = [re.findall(r"<t[hd]>(.*?)</t[hd]>", row) for row in html.split("</tr>")[:-1]]
    numbers = [all(_NUMBER.fullmatch(cell) for cell in column) for column in zip(*rows[1:], strict=False)]
    place = iter(numbers * len(rows))
    cells = re.sub(r"<(t[hd])>", lambda tag: f'<{tag[1]} class="number">' if next(place, False) else tag[0], html)
    return cells.replace("<table>", '<table class="result">')


def _tabs(html: str, number: int) -> str:
    """Return HTML in which each paragraph in bold opens a section."""
    _, *pieces = re.split(r"<p><strong>([^<]*)</strong></p>", html)
    sections = [
        f'<section id="tab-{number}-{n}" data-tab="{name}"><p class="tab"><strong>{name}</strong></p>{text}</section>'
        for n, (name, text) in enumerate(zip(pieces[::2], pieces[1::2], strict=True))
    ]
    return f'<div class="tabs">{"".join(sections)}</div>\n'


def _live(html: str, sql: str, live: bool) -> str:
    """Return SQL and its result as an example that a reader can edit and run."""
    button = '<button type="button" hidden>Run</button><span class="status" role="status"></span>' if live else ""
    text = f'<textarea spellcheck="false" rows="{sql.count(chr(10))}" aria-label="SQL">{escape(sql.strip())}</textarea>'
    return f'<div class="example">{text}{button}<div class="output">{html.partition("</pre>")[2]}</div></div>\n'


def _parts(tokens: list[Token]) -> Iterator[list[Token]]:
    """Split tokens into tables, what a mark begins, and what stands between them."""
    part: list[Token] = []
    ends = ""
    for token in tokens:
        mark = token.content.strip() if token.type == "html_block" else ""
        opens = "table_close" if token.type == "table_open" else _MARKS.get(mark, "")
        if opens and not ends:
            if part:
                yield part
            part, ends = [], opens
        part.append(token)
        if ends and ends in (token.type, mark):
            yield part
            part, ends = [], ""
    if part:
        yield part


# The mark or type of token that ends what a mark begins.
_MARKS = {"<!-- tabs -->": "<!-- end -->", "<!-- live -->": "table_close"}


def _with_marks(html: str) -> str:
    """Return HTML with a link to each heading of the second and third level."""
    mark = r'<h\1 id="\2">\3 <a class="mark" href="#\2" aria-label="Link to this heading">#</a></h\1>'
    return re.sub(r'<h([23]) id="([^"]*)">(.*?)</h\1>', mark, html, flags=re.DOTALL)


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
