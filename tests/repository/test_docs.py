"""README, CONTRIBUTING and docs/: code blocks run and print the documented output, and links are valid."""

import inspect
import re
import shlex
import shutil
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import click
import duckdb
import pytest
import yaml
from click.testing import CliRunner
from support.pages import (
    CONTRIBUTING,
    OF_SQL,
    PAGES,
    README,
    ROOT,
    RUN,
    SHOWN,
    WIDTH_OF_README,
    Block,
    blocks,
    clear,
    commands_in_copy,
    connection,
    copy_with_files_of,
    renewed,
    run_in_copy,
)

import ltr_sql
from ltr_sql.catalogue.files import header_and_body
from ltr_sql.catalogue.functions import row_sources
from ltr_sql.catalogue.measures import all_definitions, measure_paths
from ltr_sql.command_line.main import main
from ltr_sql.macros.registration import BUNDLE
from tools.contents import contents
from tools.documentation import pages as generated_pages
from tools.documentation import template_macros
from tools.functions import functions, meaning_of
from tools.parts import pages_with_generated_parts

ALL_PAGES = sorted({*PAGES, *generated_pages()})
REPOSITORY = re.compile("https://github.com/ltr-sql/ltr_sql/(?:blob|tree)/main/")

# Number of marked blocks of each page: blocks that cannot run, or that run elsewhere.
MARKED = {
    "CONTRIBUTING.md": {"skip": 1, "copy": 3},
    "README.md": {"skip": 1},
    "benchmarks/README.md": {"skip": 1},
    "docs/dbt.md": {"skip": 1},
    "docs/first_evaluation.md": {"skip": 2},
    "docs/gates.md": {"skip": 1},
    "docs/guides/analyst.md": {"skip": 1},
    "docs/guides/arms.md": {"skip": 2},
    "docs/guides/boards.md": {"skip": 2},
    "docs/guides/judges.md": {"skip": 2},
    "docs/install.md": {"skip": 2},
    "docs/nightly.md": {"skip": 1},
    "docs/other_tools.md": {"skip": 8},
    "docs/postgres.md": {"skip": 2},
    "docs/report.md": {"skip": 1},
    "docs/spark.md": {"skip": 1, "spark": 4},
    "docs/speed.md": {"skip": 2},
    "docs/trend.md": {"skip": 1},
}


@pytest.fixture(scope="module")
def opened() -> Iterator[duckdb.DuckDBPyConnection]:
    with connection() as con:
        yield con


@pytest.fixture
def con(opened: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    clear(opened)
    return opened


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


every_page = pytest.mark.parametrize("path", ALL_PAGES, ids=name)


# Code


@pytest.mark.slow
@pytest.mark.parametrize(
    "path", [p if p == README else pytest.param(p, marks=pytest.mark.slow) for p in PAGES], ids=name
)
def test_code_prints_what_the_page_says(path: Path, con: duckdb.DuckDBPyConnection) -> None:
    text = path.read_text(encoding="utf-8")
    assert comparable(renewed(path, con)) == comparable(text), "if the page is wrong: python tests/support/pages.py"


def comparable(text: str) -> list[str]:
    # Mask differences, because the last bits of a sum depend on the order of its terms.
    return [line.rstrip() for line in re.sub(r"\d\.\de[+-]\d\d", "#######", text).splitlines()]


def test_every_block_runs_or_is_marked() -> None:
    found = {path: blocks(path) for path in ALL_PAGES}
    assert {b.language for page in found.values() for b in page} <= {*RUN, *SHOWN}
    marked = {name(path): Counter(b.mark for b in page if b.mark and not is_file(b)) for path, page in found.items()}
    assert {path: counted for path, counted in marked.items() if counted} == MARKED
    assert all(is_file(b) is False for path in PAGES if path != CONTRIBUTING for b in found[path])
    languages = Counter(b.language for page in found.values() for b in page if not b.mark)
    assert min(languages[language] for language in RUN) >= 1


def is_file(block: Block) -> bool:
    return "/" in block.mark


@pytest.mark.default("sql")
@pytest.mark.parametrize(
    "right",
    [
        "```sql\nselect 3 / 2 as a, null as b;\n```\n\n| a | b |\n|---|---|\n| 1.5 |  |\n",
        "```python\nprint(3 / 2)\n```\n\n```text\n1.5\n```\n",
        "```console\n$ ltr-sql evaluate examples/data/qrels.txt examples/data/bm25.txt -m P@1 --format csv\n"
        "queries,P@1\n6,0.5\n```\n",
    ],
    ids=RUN[:3],
)
def test_wrong_output_is_found(right: str, tmp_path: Path, con: duckdb.DuckDBPyConnection) -> None:
    page = tmp_path / "page.md"
    for text in (right, right.replace(".5", ".7"), right.replace("1.5 |  |\n", "1.5 |  |\n| 1.5 |  |\n")):
        page.write_text(text, encoding="utf-8")
        assert renewed(page, con) == right


def test_code_that_fails_is_found(tmp_path: Path, con: duckdb.DuckDBPyConnection) -> None:
    page = tmp_path / "page.md"
    for wrong in ("```sql\nfrom nowhere;\n```\n", "```python\nraise ValueError\n```\n", "```console\n$ rm -r .\n```\n"):
        page.write_text(wrong, encoding="utf-8")
        with pytest.raises((ValueError, duckdb.Error)):
            renewed(page, con)


@pytest.mark.slow
def test_contributing_adds_a_measure_a_convention_and_an_input_format(tmp_path: Path) -> None:
    copy_with_files_of(CONTRIBUTING, tmp_path)
    generate, tests, conventions, evaluate = commands_in_copy(CONTRIBUTING)
    run_in_copy(generate, tmp_path)
    passed = re.search(r"(\d+) passed", run_in_copy(tests, tmp_path))
    assert passed and int(passed[1]) >= 5
    assert re.search(r"^0\.4931 .*\bmy_tool\b.*gain=exponential", run_in_copy(conventions, tmp_path), re.MULTILINE)
    assert run_in_copy(evaluate, tmp_path).split()[-2:] == ["1", "1.0000"]


@pytest.mark.slow
def test_the_workflow_for_users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, copy in {"qrels": "qrels", "bm25": "main", "dense": "run"}.items():
        shutil.copy(ROOT / "examples" / "data" / f"{name}.txt", tmp_path / f"{copy}.txt")
    (block,) = (block for block in blocks(ROOT / "docs" / "gates.md") if block.language == "yaml")
    steps = yaml.safe_load(block.code)["jobs"]["evaluate"]["steps"]
    commands = [shlex.split(re.sub(".*&& | >> .*", "", step["run"]))[1:] for step in steps if "run" in step]
    monkeypatch.chdir(tmp_path)
    results = [CliRunner().invoke(main, command) for command in commands]
    assert [result.exit_code for result in results] == [0, 0, 0], [result.output for result in results]
    assert results[0].output.startswith("| system")
    (kept,) = (step["with"]["path"] for step in steps if "with" in step)
    assert Path(kept).stat().st_size > 10_000
    # A run whose first relevant document is at rank 9 fails the gate.
    judged = [line.split() for line in Path("qrels.txt").read_text(encoding="utf-8").splitlines()]
    found = {query: document for query, _, document, grade in judged if grade != "0"}
    ranked = [(q, doc, n) for q, last in found.items() for n, doc in enumerate([*map(str, range(8)), last])]
    Path("run.txt").write_text("".join(f"{q} Q0 {doc} {n} {-n} run\n" for q, doc, n in ranked), encoding="utf-8")
    failed = CliRunner().invoke(main, commands[-1])
    assert failed.exit_code == 1
    assert "failed: nDCG@10 significantly worse" in failed.output


# Links


@every_page
def test_links_lead_to_files(path: Path) -> None:
    links = [link for link in re.findall(r"\]\(([^)#]+)[^)]*\)", path.read_text(encoding="utf-8"))]
    ours = [ROOT / REPOSITORY.sub("", link) for link in links if REPOSITORY.match(link)]
    relative = [path.parent / link for link in links if "://" not in link]
    assert [str(target) for target in ours + relative if not target.exists()] == []


@pytest.mark.default(
    "docs/command_line.md", "docs/conventions.md", "docs/other_tools.md", "docs/python.md", "docs/functions.md"
)
@every_page
def test_links_within_pages_lead_to_headings(path: Path) -> None:
    for target, anchor in re.findall(r"\]\(([^)#:]*)#([^)]+)\)", path.read_text(encoding="utf-8")):
        page = path.parent / target if target else path
        assert anchor in anchors(page), f"{target}#{anchor}"


def anchors(page: Path) -> set[str]:
    """Return the anchors that GitHub makes of headings."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_page_is_in_the_contents() -> None:
    listed = {(ROOT / "docs" / path).resolve() for path in contents()}
    # The index does not list itself, and site.md is the front page of the site.
    unlisted = {ROOT / "docs" / "README.md", ROOT / "docs" / "site.md"}
    assert listed == {*(ROOT / "docs").rglob("*.md")} - unlisted


# Repeats


def test_no_page_repeats_another() -> None:
    """No twelve words in a row stand on two pages: what is defined on one is linked from the others."""
    first: dict[tuple[str, ...], Path] = {}
    repeated = set()
    for path in {*PAGES} - {README, ROOT / "CHANGELOG.md", ROOT / "docs" / "site.md"}:
        text = re.sub(r"```.*?```\n(\n(\|[^\n]*\n)+)?", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        words = re.findall(r"[\w'@.=]+", text)
        for run in zip(*(words[n:] for n in range(12)), strict=False):
            if first.setdefault(run, path) != path:
                repeated.add((name(first[run]), name(path), " ".join(run)))
    assert repeated == set()


# Completeness


def test_every_public_macro_is_documented() -> None:
    page = (ROOT / "docs" / "sql.md").read_text(encoding="utf-8")
    script = BUNDLE.read_text(encoding="utf-8")
    created = re.findall(r"^create or replace macro ltr\.((\w+)\(.*?\)) as", script, re.MULTILINE)
    # `measures_query` writes the query that `evaluate` and `per_query` run.
    private = {"measures_query", *all_definitions()}
    public = [call for call, macro in created if macro not in private and not macro.startswith("__")]
    assert len(public) >= 12
    assert [call for call in public if f"`ltr.{call.replace('::varchar[]', '')}`" not in page] == []


def test_every_folder_of_templates_is_documented() -> None:
    page = OF_SQL.read_text(encoding="utf-8")
    folders = [path.name for path in (ROOT / "sql").iterdir() if path.is_dir()]
    assert len(folders) > 10
    assert [name for name in folders if f"`sql/{name}/`" not in page] == []


def test_every_public_name_of_the_package_is_documented() -> None:
    page = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    assert [public for public in ltr_sql.__all__ if not re.search(rf"`{public}[(`]", page)] == []
    for function, given in re.findall(r"^\| `(\w+)\(([^`]+)\)` \|", page, re.MULTILINE):
        parameters = inspect.signature(getattr(ltr_sql, function)).parameters
        names = [name.removeprefix("*") for name in given.split(", ")]
        assert names == [*parameters][: len(names) - 1] + (["..."] if names[-1] == "..." else [*parameters][-1:]), (
            function
        )


def test_every_option_has_a_meaning() -> None:
    lacking = [
        f"{name}({parameter.name})"
        for name, function in functions().items()
        for parameter in inspect.signature(function).parameters.values()
        if parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
        and len(meaning_of(name, parameter.name)) < 8
    ]
    assert lacking == []
    page = (ROOT / "docs" / "functions.md").read_text(encoding="utf-8")
    # One option in its three spellings.
    assert "| `test=\"t\"` *str* | `--test` | `test := 't'` | Statistical test: t (paired t test)" in page
    assert re.findall("^## (.*)$", page, re.MULTILINE) == [*functions(), "Options of reading"]


def test_every_finding_is_among_the_messages() -> None:
    page = (ROOT / "docs" / "troubleshooting.md").read_text(encoding="utf-8")
    assert len(re.findall("^### ", page, re.MULTILINE)) == len([*(ROOT / "sql" / "findings").rglob("*.sql")])
    assert "{{" not in page


def test_every_command_is_documented() -> None:
    page = (ROOT / "docs" / "command_line.md").read_text(encoding="utf-8")
    assert [command for command in main.list_commands(click.Context(main)) if f"`ltr-sql {command}" not in page] == []


# README


def test_the_readme_fits_a_first_reading_and_a_package_index() -> None:
    text = README.read_text(encoding="utf-8")
    assert len(text.split()) <= 800
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert links
    assert [link for link in links if not link.startswith("https://")] == []


def test_no_line_of_code_of_the_readme_is_cut_off() -> None:
    """A page of the repository shows about 98 characters of a line."""
    shown = [
        line
        for block in re.findall(r"^```.*?^```", README.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
        for line in block.splitlines()
    ]
    assert [line for line in shown if len(line) > WIDTH_OF_README] == []


def test_the_package_is_described_by_the_first_sentence_of_the_readme() -> None:
    described = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["description"]
    assert " ".join(README.read_text(encoding="utf-8").replace("**", "").split()).startswith(f"# ltr_sql {described}")


def test_the_commands_of_the_readme_are_those_that_ci_runs() -> None:
    text = README.read_text(encoding="utf-8")
    assert re.search(r"^pip install .*pytest.*$", text, re.MULTILINE)
    assert re.search(r"^\$ pip install .* && ltr-sql .*$", text, re.MULTILINE)


# Generated pages


@pytest.mark.default("docs/troubleshooting.md")
@pytest.mark.parametrize("path", generated_pages(), ids=name)
def test_a_generated_page_is_fresh(path: Path) -> None:
    assert path.read_text(encoding="utf-8") == generated_pages()[path], "run python -m tools.generate"


def test_generated_parts_of_pages_are_fresh() -> None:
    for path, text in pages_with_generated_parts().items():
        assert path.read_text(encoding="utf-8") == text, "run python -m tools.generate"


def test_the_page_of_measures_is_complete() -> None:
    (page,) = (text for path, text in generated_pages().items() if path.name == "measures.md")
    assert re.findall(r"^## (.*)$", page, re.MULTILINE) == [
        *(d.name for d in all_definitions().values()),
        "Conventions",
    ]
    for definition in all_definitions().values():
        assert definition.reference in page
        assert f"```jinja\n{definition.body}\n```" in page


def test_the_vocabulary_is_complete() -> None:
    macros = template_macros()
    defined = [
        name
        for path in (ROOT / "sql" / "templates" / "shared").glob("*.sql")
        for name in re.findall(r"{%-? macro (\w+)", path.read_text(encoding="utf-8"))
    ]
    assert sorted(macro.signature.partition("(")[0] for macro in macros) == sorted(defined)
    assert [f"{m.path}: {m.signature}" for m in macros if not m.summary.endswith(".")] == [], "needs a comment above it"
    assert all(source.summary.endswith(".") for source in row_sources().values())


def test_every_field_of_a_header_is_explained() -> None:
    """The tables under "Headers of measures" and "Findings" list all fields."""
    text = OF_SQL.read_text(encoding="utf-8")
    findings = (ROOT / "sql" / "findings").rglob("*.sql")
    for heading, paths in {"Headers of measures": measure_paths(), "Findings": findings}.items():
        section = text.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
        fields = {field for path in paths for field in header_and_body(path)[0]}
        documented = {field for row in re.findall(r"^\| (`.*?) \|", section, re.MULTILINE) for field in row.split(", ")}
        assert documented == {f"`{field}`" for field in fields}
