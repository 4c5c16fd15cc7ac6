"""The documentation site: links resolve, pages are small and accessible, and every example runs in the browser."""

import csv
import gzip
import json
import re
import subprocess
import sys
import threading
import tomllib
from collections import Counter
from collections.abc import Iterator
from functools import partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from itertools import chain
from pathlib import Path
from urllib.parse import unquote, urldefrag

import pytest
from support.browser import Browser, axe_source, browser
from support.places import ROOT

from ltr_sql.catalogue.measures import all_definitions
from tools.contents import contents, groups
from tools.site.layout import MOVED, site_path

pytestmark = pytest.mark.clients

ADDRESS = "https://ltr.example/docs"
MEASURES = sorted(all_definitions())
QUESTIONS = ROOT / "tools" / "site" / "measure_groups.toml"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    subprocess.run([sys.executable, "-m", "tools.site", str(folder), "--address", f"{ADDRESS}/"], check=True)
    return folder


class _Page(HTMLParser):
    """The links and ids of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.links += [value for name in ("href", "src") if (value := given.get(name))]
        self.ids |= {value} if (value := given.get("id")) else set()


def test_there_is_a_page_for_each_measure(site: Path) -> None:
    found = {path.stem: path.stat().st_size for path in (site / "measures").glob("*.html")}
    assert sorted(found) == MEASURES
    assert max(found.values()) <= 50_000


def test_measures_of_a_run_are_not_averaged_over_queries(site: Path) -> None:
    for name, definition in all_definitions().items():
        text = (site / "measures" / f"{name}.html").read_text(encoding="utf-8")
        assert ("none: one value for the run" in text) == (definition.over == "run"), name


def test_links_lead_to_pages_and_headings(site: Path) -> None:
    pages = {path: _Page(path) for path in site.rglob("*.html")}
    assert not [path for path in pages if "&lt;pre" in path.read_text(encoding="utf-8")]
    assert len(pages) > 110
    broken = []
    for path, page in pages.items():
        for link in page.links:
            target, part = urldefrag(link)
            target = target.partition("?")[0]
            if target.startswith(("https:", "data:")):
                continue
            to = (path.parent / unquote(target)).resolve() if target else path
            if not to.is_file() or (part and part not in pages[to].ids):
                broken.append((path.relative_to(site).as_posix(), link))
    assert broken == []


def test_the_first_mention_of_a_measure_is_a_link(site: Path) -> None:
    links = _Page(site / "which_measure.html").links
    found = [link for link in links if link.startswith("measures/")]
    assert len({*found}) >= 20


def test_search_finds_all_names(site: Path) -> None:
    text = (site / "search.js").read_text(encoding="utf-8")
    entries = json.loads(text.removeprefix("window.SEARCH = ").rstrip(";\n"))
    paths = {name: path for path, *_, names in entries for name in names if path.startswith("measures/")}
    for macro, definition in all_definitions().items():
        for name in (definition.name, *definition.aliases):
            assert paths[name.lower()] == f"measures/{macro}.html"
    pages = {path: _Page(site / path) for path in {entry[0].partition("#")[0] for entry in entries}}
    for path, *_ in entries:
        page, _, part = path.partition("#")
        assert not part or part in pages[page].ids, path
    assert len(text) < 260_000
    assert len(gzip.compress(text.encode())) < 80_000


def test_machines_find_all_pages(site: Path) -> None:
    listed = {*re.findall(rf"<loc>{ADDRESS}/(.*)</loc>", (site / "sitemap.xml").read_text(encoding="utf-8"))}
    found = {path.relative_to(site).as_posix() for path in site.rglob("*.html")}
    assert found - listed == {"404.html", *MOVED}
    assert listed < found
    page = (site / "compare.html").read_text(encoding="utf-8")
    assert f'<meta property="og:url" content="{ADDRESS}/compare.html">' in page
    descriptions = [
        re.findall('name="description" content="(.*)"', (site / p).read_text(encoding="utf-8")) for p in listed
    ]
    assert len({*map(str, descriptions)}) > len(listed) - 10
    # A missing page may lie at any depth, so its links are absolute.
    assert not [link for link in _Page(site / "404.html").links if not link.startswith(ADDRESS)]


def test_language_models_find_the_pages_of_the_contents(site: Path) -> None:
    text = (site / "llms.txt").read_text(encoding="utf-8")
    listed = re.findall(rf"^- \[(.+)\]\({ADDRESS}/(.*)\): (.+)$", text, re.MULTILINE)
    assert [(title, contents) for title, _, contents in listed] == [(p.title, p.contents) for p in contents().values()]
    assert all((site / path).is_file() for _, path, _ in listed)
    assert re.findall("^## (.*)$", text, re.MULTILINE) == [*groups()]
    assert text.startswith("# ltr_sql\n\n> ")


def test_addresses_of_former_pages_lead_on(site: Path) -> None:
    for path, now in MOVED.items():
        assert f'content="0; url={now}"' in (site / path).read_text(encoding="utf-8")
    if not (ROOT / ".git").exists():
        pytest.skip("the history of the pages is not here")
    log = ["git", "log", "--format=", "--name-only", "--diff-filter=ADR", "--no-renames", "--", "docs"]
    names = subprocess.run(log, check=True, cwd=ROOT, capture_output=True, text=True).stdout.split()
    pages = {site_path(name.removeprefix("docs/")) for name in names if name.endswith(".md")}
    assert len(pages) > 40
    assert [page for page in pages if not (site / page).is_file()] == [], "name the new address in MOVED"


def test_guides_have_a_sidebar_and_neighbours(site: Path) -> None:
    order = [path for path in contents() if path not in ("measures.md", "functions.md")]
    for path in order:
        page = (site / path.replace(".md", ".html")).read_text(encoding="utf-8")
        assert page.count('aria-current="page"') == 1, path
        assert 'rel="prev"' in page, path
        assert ('rel="next"' in page) == (path != order[-1]), path


def test_each_measure_stands_below_one_question() -> None:
    listed = [macro for macros in tomllib.loads(QUESTIONS.read_text(encoding="utf-8")).values() for macro in macros]
    assert sorted(listed) == MEASURES


@pytest.mark.parametrize("macro", MEASURES)
def test_formulas_are_valid(macro: str) -> None:
    # The extra `site` is not installed for the other tests.
    convert = import_module("latex2mathml.converter").convert
    tex = all_definitions()[macro].tex
    if tex:
        assert "merror" not in convert(tex, display="block")
        assert tex.count("{") == tex.count("}")


# In the browser


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browser(tmp_path_factory.mktemp("profile"), "127.0.0.1") as page:
        yield page


def visit(page: Browser, address: str) -> None:
    page.events.clear()
    page.call("Page.navigate", url=address)
    page.evaluate("""new Promise((found) => {
        const look = () => (document.readyState === 'complete' ? found() : setTimeout(look, 20));
        setTimeout(look, 50);
    })""")


# The pages of the results for a text, as the reader sees them.
SEARCHED = """new Promise((found) => {
    const search = document.querySelector('#search');
    search.focus();
    search.value = TEXT;
    search.dispatchEvent(new Event('input'));
    const look = () => (window.SEARCH && !document.querySelector('#found').hidden
        ? found([...document.querySelectorAll('#results [role=option]')].map((one) => one.dataset.path.split('#')[0]))
        : setTimeout(look, 20));
    look();
})"""


def searched(page: Browser, text: str) -> list[str]:
    found: list[str] = page.evaluate(SEARCHED.replace("TEXT", json.dumps(text)))
    return found


def test_questions_lead_to_their_page_among_the_first_three(opened: Browser, address: str) -> None:
    with (Path(__file__).parent / "search_questions.csv").open(encoding="utf-8") as file:
        questions = list(csv.DictReader(file))
    visit(opened, f"{address}/guides/rag.html")
    missed = [row["question"] for row in questions if row["page"] not in searched(opened, row["question"])[:3]]
    assert len(questions) >= 53
    assert missed == []


def test_new_questions_lead_to_their_page_among_the_first_three(opened: Browser, address: str) -> None:
    """The search was tuned with the first thirty, of which 21 led there before, and not with the last ten."""
    with (Path(__file__).parent / "search_questions_new.csv").open(encoding="utf-8") as file:
        questions = list(csv.DictReader(file))
    visit(opened, f"{address}/guides/rag.html")
    found = Counter(row["set"] for row in questions if row["page"] in searched(opened, row["question"])[:3])
    assert found["tuned"] >= 28
    assert found["unseen"] >= 16


def test_unknown_words_flags_and_groups(opened: Browser, address: str) -> None:
    visit(opened, f"{address}/index.html")
    assert searched(opened, "interleaved xyzzy")[:1] == searched(opened, "interleaved")[:1]
    assert searched(opened, "--keys")[0] == searched(opened, "keys xyzzy --keys")[0] == "functions/evaluate.html"
    assert searched(opened, "by-query")[0] == "functions/evaluate.html"
    assert searched(opened, "recall at 100")[0] == "measures/r.html"
    searched(opened, "ndcg")
    found = opened.evaluate("[...document.querySelectorAll('#results .kind')].map((heading) => heading.textContent)")
    assert found[0] == "Best"
    assert {*found[1:]} <= {"Pages", "Functions", "Measures"}
    assert "Explained here" not in opened.evaluate("window.SEARCH.map((entry) => entry[4]).join(' ')")


def test_words_within_words_do_not_match(opened: Browser, address: str) -> None:
    visit(opened, f"{address}/index.html")
    assert not {"measures/coverage.html", "measures/average_gain.html"} & {*searched(opened, "rag")}
    assert "clicks.html" not in searched(opened, "cli")
    assert "measures/r.html" not in searched(opened, "all recalled")[:1]
    assert searched(opened, "xyzzy") == []
    assert opened.evaluate("document.querySelector('#found').innerText").startswith("No results for “xyzzy”")
    assert opened.evaluate("document.querySelector('#count').textContent") == "No results"


def test_the_search_is_used_with_the_keyboard(opened: Browser, address: str) -> None:
    visit(opened, f"{address}/index.html")
    opened.press("/")
    assert opened.evaluate("document.activeElement.id") == "search"
    searched(opened, "significance")
    opened.press("ArrowDown")
    state = "['aria-expanded', 'aria-activedescendant'].map((n) => document.querySelector('#search').getAttribute(n))"
    assert opened.evaluate(state) == ["true", "result-0"]
    opened.press("Escape")
    assert opened.evaluate(state) == ["false", None]
    searched(opened, "significance")
    opened.press("Enter")
    assert (
        opened.evaluate("""new Promise((found) => {
        const look = () => (location.pathname === '/index.html' ? setTimeout(look, 20) : found(location.pathname));
        look();
    })""")
        == "/is_b_better.html"
    )


RUN_CLICKED = """new Promise((found, failed) => {
    document.querySelector('.example .run button').click();
    const status = document.querySelector('.example .status');
    const look = () => /rows|Error/.test(status.textContent)
        ? found([status.textContent, document.querySelector('.example .output').innerText])
        : setTimeout(look, 50);
    look();
})"""


def test_a_click_runs_the_sql_that_the_reader_edits(opened: Browser, address: str) -> None:
    visit(opened, f"{address}/measures/ndcg.html")
    sql = "document.querySelector('.example pre').textContent"
    shown = "['pre', '.output'].map((part) => document.querySelector(`.example ${part}`).innerText)"
    original = opened.evaluate(shown)
    assert "9 MB" in opened.evaluate("document.querySelector('.example .status').textContent")
    opened.evaluate(f"{sql} = {sql}.replace('k := 3', `gain := 'exponential', k := 3`)")
    status, output = opened.evaluate(RUN_CLICKED)
    assert status == "2 rows"
    assert output.split() == ["query_id", "ndcg", "q1", "0.9595", "q2", "0.3869"]
    opened.evaluate(f"{sql} = 'from nowhere'")
    status, output = opened.evaluate(RUN_CLICKED.replace("rows|", ""))
    assert status == "Error"
    assert "nowhere" in output
    opened.evaluate("document.querySelector('.example .plain').click()")
    assert opened.evaluate(shown) == original
    opened.evaluate("""document.querySelector('.example pre').dispatchEvent(
        new KeyboardEvent('keydown', { key: 'Enter', ctrlKey: true }))""")
    assert opened.evaluate(WAITED) == "2 rows"


# The status of the first example, when it has run.
WAITED = """new Promise((found) => {
    const [button, status] = ['.run button', '.status'].map((name) => document.querySelector(`.example ${name}`));
    const look = () => (button.disabled ? setTimeout(look, 20) : found(status.textContent));
    look();
})"""

# Cells and errors of all results of a page, before and after a click on the last button.
ALL_RUN = """new Promise((found) => {
    const frames = [...document.querySelectorAll('.example')];
    const textOf = (row) => [...row.cells].map((cell) => cell.textContent);
    const results = () => frames.map((frame) => [...frame.querySelectorAll('.output tr')].map(textOf));
    const said = results();
    const buttons = frames.map((frame) => frame.querySelector('.run button'));
    const look = () => (buttons.at(-1).disabled ? setTimeout(look, 20) : found([
        said, results(), frames.map((frame) => frame.querySelector('.wrong')?.textContent ?? ''),
    ]));
    if (buttons.length) { buttons.at(-1).click(); look(); } else found([[], [], []]);
})"""


def test_a_click_runs_the_sql_above_it_first(opened: Browser, address: str) -> None:
    visit(opened, f"{address}/nightly.html")
    said, found, errors = opened.evaluate(ALL_RUN)
    assert len(said) >= 4
    assert found == said
    assert not any(errors)


# All SQL of a page, in order: what the page says, and what comes out.
EXAMPLES_RUN = """(async () => {
    const page = new DOMParser().parseFromString(await (await fetch('PATH')).text(), 'text/html');
    const said = (row) => [...row.cells].map((cell) => cell.textContent);
    const found = [];
    await window.LIVE.reset();
    for (const frame of page.querySelectorAll('.example')) {
        const rows = [...frame.querySelectorAll('.output tr')].map(said);
        found.push({ said: rows, ...await window.LIVE.run(frame.querySelector('pre').textContent) });
    }
    return found;
})()"""


def test_all_sql_gives_in_the_browser_what_the_page_says(opened: Browser, address: str) -> None:
    visit(opened, f"{address}/index.html")
    opened.evaluate("import(new URL('live/live.js', location.href).href).then((live) => { window.LIVE = live; })")
    guides = [site_path(page) for page in [*contents(), "site.md"]]
    counted = 0
    for path in [*(f"measures/{macro}.html" for macro in MEASURES), *guides]:
        examples = opened.evaluate(EXAMPLES_RUN.replace("PATH", path))
        counted += len(examples)
        assert examples or path in guides
        for example in filter(lambda example: example["said"], examples):
            header, *said = example["said"]
            assert header == example["names"], path
            assert len(said) == len(example["rows"]) > 0, path
            for text, value in zip(chain(*said), chain(*example["rows"]), strict=True):
                if isinstance(value, int | float) and not isinstance(value, bool) and text:
                    # The page has four decimals, and a sum may differ in its last bit.
                    assert float(text) == pytest.approx(value, abs=0.5e-4 + 1e-12), path
                else:
                    assert text == ("" if value is None else str(value)), path
    assert counted > len(MEASURES) + 60


def test_chips_narrow_the_list_of_measures(opened: Browser, address: str) -> None:
    left = """[...document.querySelectorAll('.measures dl > div')].filter((row) => row.offsetParent)
        .map((row) => row.querySelector('dt').textContent)"""
    visit(opened, f"{address}/measures/novelty.html")
    chips = opened.evaluate("[...document.querySelectorAll('main .chip')].map((chip) => [chip.textContent, chip.href])")
    assert [name for name, _ in chips] == ["doc_id", "history", "no judgments"]
    visit(opened, chips[1][1])
    expected = ("Novelty", "Surprisal", "UnseenShare", "Calibration", "AvgPopularity", "TailShare")
    assert sorted(opened.evaluate(left)) == sorted(expected)
    press = "[...document.querySelectorAll('#chips button')].find((chip) => chip.textContent === 'NAME').click()"
    opened.evaluate(press.replace("NAME", "category"))
    assert opened.evaluate(left) == ["Calibration"]
    for name in ("category", "history", "grades"):
        opened.evaluate(press.replace("NAME", name))
    graded = set(opened.evaluate(left))
    assert {"nDCG", "ERR", "Compat", "infNDCG"} <= graded
    assert not {"RR", "Judged", "RBO", "Gini"} & graded


# What a page shows after a click or a search.
STATES = {
    "index.html": ["", "search"],
    "measures/ndcg.html": ["", "wrong"],
    "measures.html": ["", "chip"],
    "guides/analyst.html": ["run"],
    "functions/compare.html": [""],
    "compare.html": [""],
    "is_b_better.html": [""],
    "guides.html": [""],
    "404.html": [""],
}
ENTERED = {
    "search": SEARCHED.replace("TEXT", "'recall'"),
    "chip": "document.querySelector('#chips button').click()",
    "wrong": "document.querySelector('.example pre').textContent = 'from nowhere'; " + RUN_CLICKED,
    "run": RUN_CLICKED,
}


@pytest.mark.parametrize(("path", "state"), [(path, state) for path, states in STATES.items() for state in states])
def test_axe_finds_no_violation(path: str, state: str, axe: str, opened: Browser, address: str) -> None:
    for scheme in ("light", "dark"):
        opened.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        for width in (1280, 400):
            opened.resize(width, 900)
            visit(opened, f"{address}/{path}")
            assert opened.evaluate("document.documentElement.scrollWidth") <= width
        if state:
            opened.evaluate(ENTERED[state])
        opened.call("Runtime.evaluate", expression=axe)
        found = opened.evaluate("axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] })")
        assert len(found["passes"]) > 5
        assert [(v["id"], [node["html"][:200] for node in v["nodes"][:3]]) for v in found["violations"]] == []


@pytest.fixture(scope="module")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    return axe_source(tmp_path_factory.mktemp("axe"))
