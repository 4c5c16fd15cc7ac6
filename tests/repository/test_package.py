"""Distribution: the wheel, and the script of all macros for DuckDB without Python."""

import csv
import io
import math
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Sequence
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

import duckdb
import jinja2
import pytest
import yaml
from support.places import ROOT

import ltr_sql
from ltr_sql.catalogue.measures import definitions
from ltr_sql.macros.registration import BUNDLE, catalogue_file
from ltr_sql.rendering import templates

# Tests write database files of the newest version.
pytestmark = pytest.mark.filterwarnings("ignore:DuckDB 1.5 cannot open:ltr_sql.InputWarning")

DUCKDB = shutil.which("duckdb", path=str(Path(sys.executable).parent))

MEASURES = ["nDCG@10", "AP", "RR", "P@5", "R@100"]
JUDGED = """create table judged as from (values
    ('q1', 1, 0), ('q1', 2, 1), ('q1', 3, 2), ('q1', 4, null), ('q1', null, 1),
    ('q2', 1, 0), ('q2', 2, 2),
    ('q3', null, 1)
) as t(query_id, rank, relevance)"""
LOG3 = math.log2(3)
MEANS = [
    ((1 / LOG3 + 2 / 2) / (2 + 1 / LOG3 + 1 / 2) + 1 / LOG3) / 3,
    ((1 / 2 + 2 / 3) / 3 + 1 / 2) / 3,
    1 / 3,
    (2 / 5 + 1 / 5) / 3,
    (2 / 3 + 1) / 3,
]
EVALUATE = f"from ltr.evaluate('judged', {MEASURES})"


def command(*words: str | Path, folder: Path, script: str = "") -> str:
    """Run a program and return its output. On stderr, the client may only report that it loads a file."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "LTR", "DUCKDB"))}
    # Use another home, so that no ~/.duckdbrc is read.
    env = {**kept, "HOME": str(folder), "USERPROFILE": str(folder), "PYTHONPATH": str(folder)}
    done = subprocess.run(words, cwd=folder, env=env, input=script, capture_output=True, encoding="utf-8", check=False)
    errors = [line for line in done.stderr.splitlines() if "-- Loading resources from" not in line]
    assert (done.returncode, "".join(errors).replace("\x1b[00m", "")) == (0, ""), done.stderr
    return done.stdout


def assert_means(printed: str) -> None:
    header, *rows = csv.reader(io.StringIO(printed))
    assert header == ["queries", *MEASURES]
    ((queries, *values),) = rows
    assert queries == "3"
    assert [float(value) for value in values] == pytest.approx(MEANS, rel=0, abs=1e-12)


# The wheel


def build(target: str, source: Path, folder: Path, modules: Path = ROOT) -> Path:
    """Build the package; `modules` is the first folder that Python imports from."""
    pytest.importorskip("hatchling", reason="the wheel is built with hatchling")
    words = [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(folder)]
    env = {**os.environ, "PYTHONPATH": str(modules)}
    subprocess.run(words, cwd=source, env=env, check=True, capture_output=True)
    (built,) = folder.iterdir()
    return built


def build_requirements(source: Path) -> str:
    script = "import hatchling.build as h; print(*h.get_requires_for_build_wheel())"
    return subprocess.run(
        [sys.executable, "-c", script], cwd=source, check=True, capture_output=True, text=True
    ).stdout.strip()


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("wheel", ROOT, tmp_path_factory.mktemp("wheel"))


def names_in(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


@pytest.fixture
def installed(wheel: Path, tmp_path: Path) -> Path:
    """Folder with the contents of the wheel only."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    return tmp_path


@pytest.mark.slow
def test_the_wheel_holds_the_package_and_its_sql(wheel: Path) -> None:
    suffixes = (".py", ".html", ".css", ".js", ".json", ".typed")
    files = [path for path in (ROOT / "ltr_sql").rglob("*.*") if path.suffix in suffixes]
    expected = {path.relative_to(ROOT).as_posix() for path in files} | {"ltr_sql/py.typed"}
    expected |= {f"ltr_sql/{path.relative_to(ROOT).as_posix()}" for path in (ROOT / "sql").rglob("*.*")}
    expected.add(f"ltr_sql/{catalogue_file().name}")
    found = names_in(wheel)
    kept = {name for name in found if ".dist-info/" not in name and not name.startswith("ltr_sql/sql/compiled/")}
    assert kept == expected
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in found)
    assert "ltr_sql/sql/ltr.sql" in found


@pytest.mark.slow
def test_a_wheel_from_the_source_archive_is_the_same(wheel: Path, tmp_path: Path) -> None:
    archive = build("sdist", ROOT, tmp_path / "sdist")
    with tarfile.open(archive) as file:
        # Python before 3.11.4 has no filters.
        file.extraction_filter = getattr(tarfile, "data_filter", None)
        file.extractall(tmp_path / "source")
    (source,) = (tmp_path / "source").iterdir()
    # The archive holds the catalogue, so building a wheel from it does not need DuckDB.
    assert build_requirements(ROOT) == "duckdb>=1.5 jinja2>=3.1"
    assert build_requirements(source) == ""
    modules = tmp_path / "modules"
    modules.mkdir()
    (modules / "duckdb.py").write_text("raise ImportError('DuckDB is not needed')", encoding="utf-8")
    assert names_in(build("wheel", source, tmp_path / "wheel", modules)) == names_in(wheel)


@pytest.mark.slow
def test_a_read_only_checkout_is_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("hatchling", reason="the wheel is built with hatchling")
    import hatch_build as build_hook  # noqa: PLC0415

    monkeypatch.setattr(os, "access", lambda *_: False)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    data: dict[str, Any] = {"force_include": {}}
    config: Any = None
    build_hook.CatalogueHook(str(ROOT), {}, config, config, "", "").initialize("standard", data)
    names = {"ltr_sql/sql/ltr.sql", "ltr_sql/sql/compiled", f"ltr_sql/{catalogue_file().name}"}
    assert {*data["force_include"].values()} == names
    for written in map(Path, data["force_include"]):
        assert written.is_file() or [*written.glob("*.py")]
        assert tmp_path in written.parents


def test_an_import_from_a_zip_archive_says_why_it_fails(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "ltr_sql.zip", "w") as archive:
        for path in (ROOT / "ltr_sql").rglob("*.py"):
            archive.write(path, path.relative_to(ROOT))
    tried = "try: from ltr_sql import evaluate\nexcept ImportError as e: print(e)"
    script = f"import sys; sys.path.insert(0, 'ltr_sql.zip')\n{tried}"
    printed = command(sys.executable, "-", folder=tmp_path, script=script)
    assert "install the package, because it cannot be imported from a zip archive" in printed


@pytest.mark.skipif(os.name != "posix", reason="needs the rights of POSIX")
def test_compiled_templates_are_not_writable_for_others(tmp_path: Path) -> None:
    cache = templates._CompiledTemplates()
    cache.directory = str(tmp_path)
    environment = jinja2.Environment(loader=jinja2.DictLoader({"a": "{{ 1 }}"}), bytecode_cache=cache)
    before = os.umask(0), sys.dont_write_bytecode
    try:
        sys.dont_write_bytecode = False
        environment.get_template("a")
    finally:
        _, sys.dont_write_bytecode = os.umask(before[0]), before[1]
    (path,) = tmp_path.iterdir()
    assert not path.stat().st_mode & 0o022
    # A file that others can write is not executed.
    assert cache.get_bucket(environment, "a", None, "{{ 1 }}").code is not None
    path.chmod(0o666)
    assert cache.get_bucket(environment, "a", None, "{{ 1 }}").code is None


@pytest.mark.slow
def test_an_installed_package_finds_its_templates(installed: Path) -> None:
    script = """
import duckdb, ltr_sql
from ltr_sql.macros.registration import BUNDLE
from ltr_sql.catalogue.measures import SQL_FOLDER, all_definitions
print(ltr_sql.__file__)
print(SQL_FOLDER)
print(len(all_definitions()), len(ltr_sql.measures()))
print(ltr_sql.evaluate({"q": {"a": 2.0, "b": 1.0}}, ["RR", "AP"], qrels={"q": {"b": 1}})["RR"][0])
print(ltr_sql.verify({"q": {"a": 2.0, "b": 1.0}}, ["RR"], qrels={"q": {"b": 1}})["verdict"][0])
con = ltr_sql.register(duckdb.connect())
con.execute("create table judged as select 'q' as query_id, 2 as rank, 1 as relevance")
print(con.execute("from ltr.rr('judged')").fetchall())
print(BUNDLE)
"""
    printed = command(sys.executable, "-W", "error", "-", folder=installed, script=script).splitlines()
    count = len(ltr_sql.measures())
    assert [Path(line) for line in printed[:2]] == [
        installed / "ltr_sql" / "__init__.py",
        installed / "ltr_sql" / "sql",
    ]
    assert printed[2:-1] == [f"{count} {count}", "0.5", "equal", "[('q', 0.5)]"]
    assert Path(printed[-1]).read_bytes() == BUNDLE.read_bytes()


@pytest.mark.slow
def test_an_installed_package_compiles_no_template(installed: Path) -> None:
    """Python may not write bytecode there, as in an image of Docker."""
    script = """
import sys, jinja2
assert sys.dont_write_bytecode
def refused(self, source, *names, **options):
    raise AssertionError(f"{names} is compiled")
jinja2.Environment.compile = refused
import ltr_sql
run = {"q": {"a": 2.0, "b": 1.0}, "r": {"a": 2.0, "b": 1.0}}
other = {"q": {"a": 1.0, "b": 2.0}, "r": {"a": 2.0, "b": 1.0}}
qrels = {"q": {"b": 1}, "r": {"a": 1}}
print(ltr_sql.evaluate(run, ["RR", "nDCG@10"], qrels=qrels)["RR"][0])
print(ltr_sql.compare({"a": run, "b": other}, ["AP", "RR"], qrels=qrels)["measure"][0])
ltr_sql.check(run, qrels, measures=["AP"])
ltr_sql.fuse([run, other])
"""
    folders = [installed, *(path for path in installed.rglob("*") if path.is_dir())]
    for folder in folders:
        folder.chmod(0o555)
    printed = command(sys.executable, "-B", "-", folder=installed, script=script).split()
    for folder in folders:
        folder.chmod(0o755)
    assert printed == ["0.75", "AP"]
    assert not [*installed.rglob("__pycache__")]


@pytest.mark.slow
def test_compiled_templates_of_another_text_are_not_used(installed: Path) -> None:
    template = installed / "ltr_sql" / "sql" / "measures" / "rr.sql"
    text = template.read_text(encoding="utf-8")
    changed = text.replace("*/\n", "*/\n2 * ", 1)
    assert changed != text
    template.write_text(changed, encoding="utf-8")
    script = "import ltr_sql\nprint(ltr_sql.evaluate({'q': {'a': 1.0}}, ['RR'], qrels={'q': {'a': 1}})['RR'][0])"
    assert command(sys.executable, "-", folder=installed, script=script) == "2.0\n"


@pytest.mark.slow
def test_an_installed_command_line(installed: Path) -> None:
    (entry_points,) = installed.glob("*.dist-info/entry_points.txt")
    assert "ltr-sql = ltr_sql.command_line.__main__:start" in entry_points.read_text(encoding="utf-8")
    (installed / "run").write_text("q Q0 a 1 2.0 t\nq Q0 b 2 1.0 t\n", encoding="utf-8")
    (installed / "qrels").write_text("q 0 b 1\n", encoding="utf-8")
    words = [
        "-m",
        "ltr_sql.command_line",
        "evaluate",
        "qrels",
        "run",
        "-m",
        "map",
        "--format",
        "trec",
    ]
    assert command(sys.executable, *words, folder=installed) == "map                   \tall\t0.5000\n"
    bundle = command(sys.executable, *words[:2], "sql", folder=installed)
    assert bundle == BUNDLE.read_text(encoding="utf-8")


# Recipes


def test_recipes_have_the_version_and_the_dependencies_of_the_package() -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)["project"]
    recipe = yaml.safe_load((ROOT / "conda" / "recipe.yaml").read_text(encoding="utf-8"))
    extension = yaml.safe_load((ROOT / "extension" / "description.yml").read_text(encoding="utf-8"))
    assert recipe["context"]["version"] == extension["extension"]["version"] == ltr_sql.__version__
    assert project["requires-python"] == f">={recipe['context']['python_min']}"
    python, *run = recipe["requirements"]["run"]
    assert python == "python >=${{ python_min }}"
    # On conda-forge, the Python package of DuckDB is python-duckdb.
    assert [text.removeprefix("python-").replace(" ", "") for text in run] == project["dependencies"]
    (script,) = recipe["build"]["python"]["entry_points"]
    assert project["scripts"] == dict([script.split(" = ")])


def test_the_extra_bench_installs_what_benchmarks_import() -> None:
    """Imports inside functions are of optional peers. benchmarks/spark.py needs the extra spark."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    listed = [*project["dependencies"], *project["optional-dependencies"]["bench"]]
    installed = {re.split(r"[<>=;\[ ]", each)[0].replace("_", "-") for each in listed}
    distributions = packages_distributions()
    known = {*sys.stdlib_module_names, "benchmarks", "ltr_sql"}
    for path in {*(ROOT / "benchmarks").glob("*.py")} - {ROOT / "benchmarks" / "spark.py"}:
        imports = re.findall(r"^(?:import|from) (\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
        for name in {*imports} - known:
            found = {each.lower().replace("_", "-") for each in distributions[name]}
            assert installed & found, f"{path.name} imports {name}"


@pytest.mark.clients
def test_the_conda_recipe_is_rendered() -> None:
    import rattler_build  # noqa: PLC0415  (.ci/run installs it for these tests)

    (rendered,) = rattler_build.Stage0Recipe.from_file(ROOT / "conda" / "recipe.yaml").render()
    recipe = rendered.recipe.to_dict()
    assert recipe["source"][0]["url"].endswith(f"/ltr_sql-{ltr_sql.__version__}.tar.gz")
    assert recipe["requirements"]["host"] == ["python 3.11.*", "pip", "hatchling"]


@pytest.mark.slow
def test_a_site_without_its_extra_names_it() -> None:
    script = "import runpy, sys; sys.modules['latex2mathml'] = None; runpy.run_module('tools.site')"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, encoding="utf-8", check=False, cwd=ROOT)
    assert done.returncode == 1
    assert re.fullmatch(r"Error: [\w.]+ is not installed: run pip install 'ltr-sql\[site\]'\n", done.stderr)


# DuckDB's own command line, without Python


def client(*words: str | Path, folder: Path, script: str = "") -> str:
    assert DUCKDB is not None, "the duckdb command line client is missing: install the extra `test`"
    return command(DUCKDB, "-csv", *words, folder=folder, script=script)


def statements(*texts: str) -> Sequence[str]:
    return [word for text in texts for word in ("-c", text)]


@pytest.mark.slow
def test_the_client_reads_the_bundle(tmp_path: Path) -> None:
    assert_means(client(*statements(f".read '{BUNDLE}'", JUDGED, EVALUATE), folder=tmp_path))


@pytest.mark.slow
def test_the_client_reads_the_bundle_from_a_script(tmp_path: Path) -> None:
    shutil.copy(BUNDLE, tmp_path / "ltr.sql")
    assert_means(client(folder=tmp_path, script=f".read ltr.sql\n{JUDGED};\n{EVALUATE};\n"))


@pytest.mark.slow
def test_the_client_starts_with_the_bundle(tmp_path: Path) -> None:
    shutil.copy(BUNDLE, tmp_path / "ltr.sql")
    assert_means(client("-init", "ltr.sql", *statements(JUDGED, EVALUATE), folder=tmp_path))
    shutil.copy(BUNDLE, tmp_path / ".duckdbrc")
    assert_means(client(*statements(JUDGED, EVALUATE), folder=tmp_path))


@pytest.mark.slow
def test_the_client_keeps_the_bundle_in_a_file(tmp_path: Path) -> None:
    client("data.duckdb", *statements(f".read '{BUNDLE}'", JUDGED), folder=tmp_path)
    assert_means(client("-readonly", "data.duckdb", *statements(EVALUATE), folder=tmp_path))


@pytest.mark.slow
def test_the_client_shows_comments(tmp_path: Path) -> None:
    query = "select count(*) from duckdb_functions() where schema_name = 'ltr' and comment <> ''"
    printed = client(*statements(f".read '{BUNDLE}'", query), folder=tmp_path)
    assert int(printed.split()[-1]) > len(ltr_sql.measures())


@pytest.mark.slow
def test_the_client_and_python_agree_on_every_measure(tmp_path: Path) -> None:
    """The client and Python may use different versions of DuckDB."""
    data = JUDGED.replace(
        "create table judged as from",
        "create table judged as select *, 'd' || row_number() over () as doc_id, 's' as subtopic from",
    )
    # Leave out measures of scores, which rankings lack.
    measures = [definition.example for definition in definitions().values() if not definition.by_score]
    query = f"from ltr.per_query('judged', {measures}) order by query_id"
    header, *printed = csv.reader(io.StringIO(client(*statements(f".read '{BUNDLE}'", data, query), folder=tmp_path)))
    with duckdb.connect() as con:
        ltr_sql.register(con).execute(data)
        rows = con.execute(query).fetchall()
    assert header == ["query_id", *measures]
    assert [row[0] for row in printed] == ["q1", "q2", "q3"] == [row[0] for row in rows]
    for line, row in zip(printed, rows, strict=True):
        values = [None if text in ("", "NULL") else float(text) for text in line[1:]]
        assert values == [None if value is None else pytest.approx(value, rel=0, abs=1e-12) for value in row[1:]]


# Any client, in pure SQL


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """Folder for `import database`, with the bundle as schema and without data."""
    folder = tmp_path / "it's ltr"
    folder.mkdir()
    shutil.copy(BUNDLE, folder / "schema.sql")
    (folder / "load.sql").touch()
    return folder


@pytest.mark.slow
def test_import_database_in_the_client(database: Path, tmp_path: Path) -> None:
    quoted = str(database).replace("'", "''")
    assert_means(client(*statements(f"import database '{quoted}'", JUDGED, EVALUATE), folder=tmp_path))


@pytest.mark.slow
def test_import_database_in_python(database: Path) -> None:
    quoted = str(database).replace("'", "''")
    with duckdb.connect() as con:
        con.execute(JUDGED)
        for _ in range(2):
            con.execute(f"import database '{quoted}'")
            ((queries, *values),) = con.execute(EVALUATE).fetchall()
            assert queries == 3
            assert values == pytest.approx(MEANS, rel=0, abs=1e-12)


@pytest.mark.slow
def test_the_bundle_is_one_script() -> None:
    with duckdb.connect() as con:
        con.execute(BUNDLE.read_text(encoding="utf-8"))
        con.execute(JUDGED)
        ((_, *values),) = con.execute(EVALUATE).fetchall()
    assert values == pytest.approx(MEANS, rel=0, abs=1e-12)
    text = BUNDLE.read_text(encoding="utf-8")
    assert "\r" not in text
    assert text.endswith(";\n")


@pytest.mark.slow
def test_export_and_import_of_a_database_with_macros(tmp_path: Path) -> None:
    if duckdb.__version__.startswith("1."):
        pytest.skip("DuckDB 1 exports the default of keys without its type")
    with duckdb.connect() as con:
        ltr_sql.register(con, persist=True).execute(JUDGED)
        con.execute(f"export database '{tmp_path / 'exported'}'")
    with duckdb.connect() as con:
        con.execute(f"import database '{tmp_path / 'exported'}'")
        ((_, *values),) = con.execute(EVALUATE).fetchall()
    assert values == pytest.approx(MEANS, rel=0, abs=1e-12)
