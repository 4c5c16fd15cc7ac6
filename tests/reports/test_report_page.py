"""The page of a report in Chromium: no request, no message, size, speed, keyboard, and axe-core."""

import base64
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pytest
from support.browser import CHROMIUM, Browser, axe_source, browser
from support.reference_values import DATA, needs
from support.report_inputs import HOSTILE, made_runs

import ltr_sql

ROBUST = DATA / "robust03"
DEMO = Path(__file__).parents[2] / "demo"
# The most elements that the first draw of a small and of a large report makes, which bound its time.
SMALL, LARGE = 2_000, 5_000

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed: apt-get install chromium"),
]


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browser(tmp_path_factory.mktemp("profile")) as page:
        yield page


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return the paths of reports: several systems with segments, a single system, and hostile ids."""
    folder = tmp_path_factory.mktemp("pages")
    runs, qrels = made_runs(0.0, 0.3, 0.1)
    texts = {f"q{q}": f"words of query {q}" for q in range(40)}
    keys = [HOSTILE[0]]
    hostile = {name: {q: {d: float(i) for i, d in enumerate(HOSTILE)} for q in HOSTILE} for name in HOSTILE[:3]}
    grades = [(q, d, i % 3, q) for q in HOSTILE for i, d in enumerate(HOSTILE)]
    judged = pd.DataFrame(grades, columns=["query_id", "doc_id", "relevance", *keys])
    made: dict[str, Any] = {
        "several": ltr_sql.report(runs, ["nDCG@5", "AP", "RR"], qrels=qrels, keys=["segment"], queries=texts),
        "single": ltr_sql.report(runs["s1"], ["nDCG@5"], qrels=qrels),
        "hostile": ltr_sql.report(hostile, ["nDCG@5", "AP"], qrels=judged, keys=keys, title=HOSTILE[0]),
    }
    return {name: report.save(folder / f"{name}.html") for name, report in made.items()}


def messages(page: Browser) -> list[str]:
    """Return the console messages of the page, and all requests except the one for the page itself."""
    kinds = ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded")
    said = [json.dumps(event) for event in page.events if event.get("method") in kinds]
    sent = [
        event["params"]["request"]["url"] for event in page.events if event["method"] == "Network.requestWillBeSent"
    ]
    return said + sent[1:]


@pytest.mark.parametrize("name", ["several", "single", "hostile"])
def test_the_page_is_quiet_and_fits(name: str, opened: Browser, pages: dict[str, Path]) -> None:
    for width in (1280, 400):
        opened.resize(width, 900)
        opened.open(pages[name])
        assert messages(opened) == []
        assert opened.evaluate("document.documentElement.scrollWidth") <= width
    assert name == "hostile" or pages[name].stat().st_size <= 200_000


def elements(opened: Browser, page: Path) -> int:
    """Open a report, and return the number of elements that it then has."""
    opened.open(page)
    return int(opened.evaluate("document.querySelectorAll('*').length"))


def test_the_first_draw_is_small(opened: Browser, pages: dict[str, Path]) -> None:
    assert elements(opened, pages["several"]) <= SMALL


def test_the_page_of_many_systems_and_queries_is_small(opened: Browser, tmp_path: Path) -> None:
    con = duckdb.connect()
    con.execute("create table documents as select q, i from range(7000) as t(q), range(9) as u(i)")
    con.execute("""
        create table judged as
        select 'q' || d.q as query_id, 'd' || d.i as doc_id, 1 + (d.q + d.i) % 2 as relevance
        from documents as d
    """)
    con.execute("""
        create table runs as
        select 's' || s as system, 'q' || d.q as query_id, 'd' || d.i as doc_id, hash(s * d.q, d.i) % 1000 as score
        from documents as d, range(50) as t(s)
        where d.i < 2
    """)
    report = ltr_sql.report("runs", ["nDCG@10", "AP", "RR"], qrels="judged", con=con, check=False)
    page = report.save(tmp_path / "large.html")
    assert page.stat().st_size <= 1_500_000
    for width in (1280, 400):
        opened.resize(width, 900)
        assert elements(opened, page) <= LARGE
        assert messages(opened) == []
        assert opened.evaluate("document.documentElement.scrollWidth") <= width


def test_axes_have_labels_at_both_ends(opened: Browser, pages: dict[str, Path]) -> None:
    labels = "(id) => [...document.querySelectorAll(`#${id} text`)].map((e) => e.textContent)"
    ends = {"differences": {"0", "40"}, "curve-0": {"1", "20"}, "scatter": {"0", "1"}, "histogram": {"0", "1"}}
    for width in (1280, 400):
        opened.resize(width, 900)
        opened.open(pages["several"])
        for chart, expected in ends.items():
            assert expected <= set(opened.evaluate(f"({labels})('{chart}')"))
        # Every bar is between the first and the last line of the grid.
        inside = """(() => {
            const lines = [...document.querySelectorAll("#differences .axis")].map((e) => +e.getAttribute("y1"));
            const bars = [...document.querySelectorAll("#differences .mark:not([d=''])")].map((e) => e.getBBox());
            const [low, high] = [bars.map((b) => b.y), bars.map((b) => b.y + b.height)];
            return [Math.min(...low) - Math.min(...lines), Math.max(...lines) - Math.max(...high)];
        })()"""
        # Coordinates have one decimal.
        assert min(opened.evaluate(inside)) > -0.1


def test_tables_that_scroll_say_so(opened: Browser, pages: dict[str, Path]) -> None:
    hints = """[...document.querySelectorAll(".hint")].filter((e) => e.checkVisibility()).map((e) =>
        [e.textContent, e.nextElementSibling.scrollWidth > e.nextElementSibling.clientWidth])"""
    for width, expected in ((1280, []), (400, [["3 measures: scroll the table sideways →", True]])):
        opened.resize(width, 900)
        opened.open(pages["several"])
        assert opened.evaluate(hints) == expected


def test_controls_are_reached_by_tab_and_have_names(opened: Browser, pages: dict[str, Path]) -> None:
    opened.resize(1280, 900)
    opened.open(pages["several"])
    count = opened.evaluate("""(() => {
        const controls = document.querySelectorAll("a[href], button, select, input, summary, [tabindex='0']");
        return [...controls].filter((e) => e.checkVisibility()).map((e, i) => (e.dataset.at = i)).length;
    })()""")
    assert count > 50
    reached = set()
    for _ in range(count + 5):
        opened.press("Tab")
        found = opened.evaluate("""(() => {
            const e = document.activeElement;
            const label = e.labels?.[0]?.textContent || e.getAttribute("aria-label") || e.textContent;
            return e === document.body ? null : [+e.dataset.at, label.trim(), e.matches(":focus-visible")];
        })()""")
        if found is not None:
            number, label, visible = found
            assert label
            assert visible
            reached.add(number)
    assert reached == set(range(count))


def test_the_keyboard_opens_a_query_and_sorts(opened: Browser, pages: dict[str, Path]) -> None:
    opened.open(pages["several"])
    second = "document.querySelectorAll('#found tbody button')[1]"
    opened.evaluate(f"{second}.focus()")
    opened.press("Enter")
    shown = opened.evaluate("document.querySelector('#lists h3').textContent")
    assert shown.startswith(f"Query {opened.evaluate(second + '.textContent')}")
    header = "document.querySelectorAll('.board th')"
    opened.evaluate(f"{header}[0].firstElementChild.focus()")
    opened.press("Enter")
    rows = "[...document.querySelector('.board').tBodies[0].rows]"
    names = opened.evaluate(f"{rows}.map((row) => row.cells[0].firstElementChild.title)")
    assert names == sorted(names)
    assert opened.evaluate(f"{header}[0].getAttribute('aria-sort')") == "ascending"


def test_the_page_shows_values_of_evaluate(opened: Browser, pages: dict[str, Path]) -> None:
    opened.open(pages["several"])
    runs, qrels = made_runs(0.0, 0.3, 0.1)
    values = ltr_sql.evaluate(runs, ["nDCG@5", "AP"], qrels=qrels, by_query=True)
    choose = (
        "(id, value) => { const e = document.getElementById(id); e.value = value; return e.onchange({ target: e }); }"
    )
    for number, measure in enumerate(["nDCG@5", "AP"]):
        by_system = values.pivot_table(index="query_id", columns="system", values=measure)
        opened.evaluate(f"({choose})('measure', {number})")
        opened.evaluate(f"[['a', 1], ['b', 2]].forEach(([id, value]) => ({choose})(id, value))")
        rows = opened.evaluate(
            """[...document.querySelectorAll("#found tbody tr")].map((r) =>
                [r.querySelector("button").textContent, ...[...r.cells].slice(1).map((c) => c.textContent)])"""
        )
        assert len(rows) == 40
        for name, a, b, _ in rows:
            assert abs(float(a) - by_system.loc[name, "s1"]) < 1e-4
            assert abs(float(b) - by_system.loc[name, "s2"]) < 1e-4
        summary = opened.evaluate("document.getElementById('summary').textContent").replace("\N{MINUS SIGN}", "-")
        difference = by_system["s2"] - by_system["s1"]
        most = opened.evaluate("[...document.querySelectorAll('#differences button')].map((b) => b.textContent)")
        assert most == [difference.idxmin(), difference.idxmax()]
        assert f"{difference.mean():+.4f}" in summary
        assert ("tested among all pairs" if number == 0 else "not tested") in summary


def test_a_segment_can_be_chosen(opened: Browser, pages: dict[str, Path]) -> None:
    opened.open(pages["several"])
    opened.evaluate("(() => { const e = document.getElementById('segment'); e.value = 2; e.onchange(); })()")
    assert opened.evaluate("document.getElementById('count').textContent") == "14 queries."
    visible = "[...document.querySelectorAll('.segment')].filter((e) => !e.hidden)"
    assert opened.evaluate(f"{visible}.map((e) => e.querySelector('h3').textContent)") == ["segment head: 14 queries"]


def queries_of(opened: Browser) -> list[str]:
    """Return the ids of the listed queries."""
    return list(opened.evaluate("[...document.querySelectorAll('#found tbody button')].map((b) => b.textContent)"))


def test_queries_are_filtered_by_the_columns_of_segments(opened: Browser, tmp_path: Path) -> None:
    runs, qrels = made_runs(0.0, 0.3)
    number = qrels["query_id"].str[1:].astype(int)
    judged = qrels.assign(parity=number.mod(2).map({0: "even", 1: "odd"}))
    report = ltr_sql.report(runs, ["nDCG@5"], qrels=judged, keys=["segment", "parity"], check=False)
    opened.open(report.save(tmp_path / "page.html"))
    assert len(queries_of(opened)) == 40
    choose = "(i, text) => { const e = document.querySelectorAll('[data-key]')[i]; " + (
        "e.value = [...e.options].find((o) => o.text === text).value; e.onchange(); }"
    )
    opened.evaluate(f"({choose})(1, 'odd')")
    assert sorted(queries_of(opened)) == sorted(f"q{q}" for q in range(1, 40, 2))
    opened.evaluate(f"({choose})(0, 'head')")
    assert sorted(queries_of(opened)) == sorted(f"q{q}" for q in range(3, 40, 6))
    # A segment above the table narrows it, too.
    segments = "[...document.getElementById('segment').options].map((o) => o.text)"
    assert "segment head, parity odd" in opened.evaluate(segments)
    opened.evaluate("(() => { const e = document.getElementById('segment'); e.selectedIndex = 1; e.onchange(); })()")
    assert opened.evaluate("document.getElementById('segment').selectedOptions[0].text") == "segment tail, parity even"
    assert queries_of(opened) == []


def test_a_cut_list_is_shown_whole(opened: Browser, tmp_path: Path) -> None:
    qrels = {f"q{q}": {"d1": 1} for q in range(120)}
    runs = {name: {f"q{q}": {f"d{q % i}": 1.0} for q in range(120)} for name, i in (("a", 2), ("b", 3))}
    opened.open(ltr_sql.report(runs, ["RR"], qrels=qrels, check=False).save(tmp_path / "page.html"))
    assert len(queries_of(opened)) == 50
    assert opened.evaluate("document.getElementById('count').textContent") == "The first 50 of 120 queries."
    assert opened.evaluate("document.getElementById('all').textContent") == "Show all 120"
    opened.evaluate("document.getElementById('all').click()")
    assert len(queries_of(opened)) == 120
    assert opened.evaluate("document.getElementById('all').hidden")


def test_the_measure_of_the_curve_can_be_chosen(opened: Browser, pages: dict[str, Path]) -> None:
    opened.open(pages["several"])
    runs, qrels = made_runs(0.0, 0.3, 0.1)
    bands = "[...document.querySelectorAll('#curve-0 .band')].map((e) => e.classList[1])"
    assert sorted(opened.evaluate(bands)) == ["a", "b"]
    rows = "[...document.querySelectorAll('#means-0 tbody tr')].map((r) => [...r.cells].map((c) => c.textContent))"
    for number, measure in enumerate(("nDCG", "P", "R", "Success")):
        opened.evaluate(
            f"(() => {{ const e = document.getElementById('choose-0'); e.value = {number}; e.onchange(); }})()"
        )
        title = opened.evaluate("document.querySelector('figcaption .name-0').textContent")
        assert title == measure
        means = ltr_sql.evaluate(runs, [f"{measure}@{k}" for k in (1, 2, 3, 5, 10, 20)], qrels=qrels)
        for system, *found in opened.evaluate(rows):
            expected = means[means["system"] == system].iloc[0, -6:]
            assert [float(text) for text in found] == pytest.approx([*expected], abs=1e-4)


def test_titles_of_axes_are_beside_labels(opened: Browser, pages: dict[str, Path]) -> None:
    runs, qrels = made_runs(0.0, 0.3)
    page = pages["several"].with_name("counts.html")
    ltr_sql.report(runs, ["nDCG@5", "NumRelRet@5"], qrels=qrels, check=False, lists=0).save(page)
    overlap = """[...document.querySelectorAll("figure svg")].flatMap((svg) => {
        const boxes = [...svg.querySelectorAll("text")].map((t) => [t, t.getBoundingClientRect()]);
        const meet = (p, q) => p.left < q.right && q.left < p.right && p.top < q.bottom && q.top < p.bottom;
        const said = (t) => t.textContent;
        return boxes.flatMap(([t, p], i) =>
            boxes.slice(i + 1).filter(([, q]) => meet(p, q)).map(([u]) => [said(t), said(u)]));
    })"""
    for scripts in (True, False):
        opened.call("Emulation.setScriptExecutionDisabled", value=not scripts)
        for width in (1280, 400) if scripts else (1280,):
            opened.resize(width, 900)
            for path in (page, pages["several"]):
                if scripts:
                    opened.open(path)
                else:
                    opened.call("Page.navigate", url=path.as_uri())
                assert opened.evaluate(overlap) == []
    opened.call("Emulation.setScriptExecutionDisabled", value=False)


def test_print_shows_what_the_screen_hides(opened: Browser, pages: dict[str, Path]) -> None:
    opened.open(pages["several"])
    hidden = """[...document.querySelectorAll("main :not(title, .hint)")]
        .filter((e) => !e.checkVisibility() && getComputedStyle(e).display !== "contents")
        .filter((e) => !e.closest("#found tbody tr:nth-child(n + 21)"))
        .map((e) => e.closest(".segment, details, .controls, .needs-script, #what")?.className || e.outerHTML)"""
    assert any("segment" in of for of in opened.evaluate(hidden))
    opened_before = opened.evaluate("document.querySelectorAll('details[open]').length")
    opened.call("Emulation.setEmulatedMedia", media="print")
    opened.evaluate("dispatchEvent(new Event('beforeprint'))")
    # Only controls are left out, queries after the first 20, BibTeX and SQL.
    assert set(opened.evaluate(hidden)) == {"controls needs-script", "needs-script", "code"}
    opened.evaluate("dispatchEvent(new Event('afterprint'))")
    assert opened.evaluate("document.querySelectorAll('details[open]').length") == opened_before
    opened.call("Emulation.setEmulatedMedia", media="")


def test_the_measure_of_a_single_system_can_be_chosen(opened: Browser, tmp_path: Path) -> None:
    runs, qrels = made_runs(0.3)
    opened.open(ltr_sql.report(runs["s0"], ["nDCG@5", "AP"], qrels=qrels, check=False).save(tmp_path / "one.html"))
    heads = "[...document.querySelectorAll('#found th[scope=col]')].map((e) => e.textContent)"
    assert opened.evaluate(heads) == ["query", "nDCG@5"]
    choose = "m.value = 1; m.dispatchEvent(new Event('change')); return new Promise(setTimeout);"
    opened.evaluate(f"(m => {{ {choose} }})(document.getElementById('measure'))")
    assert opened.evaluate(heads) == ["query", "AP"]


@needs(ROBUST)
def test_a_report_of_real_runs_is_small(opened: Browser, tmp_path: Path) -> None:
    runs = {name: ROBUST / f"run.{name}.txt.gz" for name in ("InexpC2", "aplrob03a", "NLPR03vb10")}
    measures = ["nDCG@10", "AP", "P@10", "R@1000", "RR"]
    report = ltr_sql.report(runs, measures, qrels=ROBUST / "qrels.txt.gz", check=False)
    page = report.save(tmp_path / "robust03.html")
    assert page.stat().st_size <= 200_000
    assert elements(opened, page) <= SMALL
    assert messages(opened) == []
    assert pages_of_print(opened, page) <= 4


def pages_of_print(opened: Browser, page: Path) -> int:
    """Return the number of A4 pages of a printed report."""
    opened.open(page)
    paper = {"paperWidth": 8.27, "paperHeight": 11.69, "printBackground": True}
    return len(re.findall(rb"/Type\s*/Page[^s]", base64.b64decode(opened.call("Page.printToPDF", **paper)["data"])))


def test_a_report_with_segments_is_printed_on_five_pages(opened: Browser, tmp_path: Path) -> None:
    runs: dict[str, Any] = {name: DEMO / f"{name}.csv" for name in ("old", "new")}
    runs["fused"] = ltr_sql.fuse(dict(runs))
    texts: dict[str, Any] = {name: DEMO / f"{name}.csv" for name in ("queries", "documents")}
    report = ltr_sql.report(runs, ["nDCG@10", "RR", "R@10"], qrels=DEMO / "qrels.csv", keys=["segment"], **texts)
    assert pages_of_print(opened, report.save(tmp_path / "page.html")) <= 5


@pytest.fixture(scope="module")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    return axe_source(tmp_path_factory.mktemp("axe"))


@pytest.mark.parametrize("name", ["several", "single", "hostile"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_violation(name: str, scheme: str, axe: str, opened: Browser, pages: dict[str, Path]) -> None:
    opened.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
    opened.resize(1280, 900)
    opened.open(pages[name])
    opened.call("Runtime.evaluate", expression=axe)
    tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]
    found = opened.evaluate(f"axe.run({{ runOnly: {tags} }})")
    assert len(found["passes"]) > 10
    assert [(v["id"], [node["html"][:200] for node in v["nodes"][:3]]) for v in found["violations"]] == []
