"""Time the macros of one checkout: `python benchmarks/macros.py CHECKOUT` prints seconds as JSON.

The section `macros` runs it for this checkout, and for the commit that it is compared with.
"""

import json
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from time import perf_counter
from typing import Any

_CALLS = {
    "ltr.evaluate of three measures": "from ltr.evaluate('judged', ['nDCG@10', 'AP', 'P@5'])",
    "ltr.evaluate of seven measures": "from ltr.evaluate('judged', "
    "['nDCG@10', 'AP', 'P@5', 'RR', 'R@100', 'nDCG', 'RBP'])",
    "ltr.evaluate of six measures": "from ltr.evaluate('judged', ['nDCG@10', 'AP', 'P@5', 'RR', 'R@100', 'nDCG'])",
    "ltr.evaluate of six measures, one with a parameter": "from ltr.evaluate('judged', "
    "['nDCG@10', 'AP(rel=2)', 'P@5', 'RR', 'R@100', 'nDCG'])",
    "ltr.ndcg": "from ltr.ndcg('judged', k := 10)",
    "ltr.judge": "from ltr.judge('run', 'qrels')",
    "ltr.compare_values": "from ltr.compare_values('of_systems')",
}
_TABLES = """
    create table judged as
    select i // 20 as query_id, i % 20 + 1 as rank, (i * 7) % 4 as relevance from range(1000) as t(i);
    create table run as
    select i // 10 as query_id, 'd' || (i * 7) % 97 as doc_id, hash(i) % 1000 as score from range(500) as t(i);
    create table qrels as select query_id, doc_id, score % 4 as relevance from run where score % 2 = 0;
    create table of_systems as
    select i % 3 as system, i // 3 as query_id, hash(i) % 10 / 10 as ap, hash(i, 1) % 7 / 7 as rr
    from range(300) as t(i);
"""


# Modules that hold the files of the macros and the script, in this commit and in earlier ones.
_MODULES = (("registration", "functions"), ("files", "script"))


def write_catalogue(checkout: Path) -> None:
    """Write the script, and the catalogue that `register` copies, as an installation does."""
    sys.path.insert(0, str(checkout))
    for names in _MODULES:
        with suppress(ImportError):
            files, script = (import_module(f"ltr_sql.macros.{name}") for name in names)
            text = script.bundle()
            files.BUNDLE.write_text(text, encoding="utf-8")
            files.write_package_catalogue(files.CATALOGUES, text)
            return
    # The earliest commits hold the script.
    with suppress(ImportError):
        import_module("ltr_sql.bundle_file").write_catalogue()


def seconds_of(checkout: Path) -> dict[str, float]:
    """Return the seconds of each step.

    The steps are to load the script, to register the macros for the first time in the process, and to call macros over
    1,000 rows.
    """
    sys.path.insert(0, str(checkout))
    import duckdb  # noqa: PLC0415  (excluded from the time)

    import ltr_sql  # noqa: PLC0415

    assert Path(ltr_sql.__file__).is_relative_to(checkout)
    con = duckdb.connect()
    found = {"register": _seconds(lambda: ltr_sql.register(con))}
    script = (checkout / "sql" / "ltr.sql").read_text(encoding="utf-8")
    found["load the script"] = _seconds(lambda: duckdb.connect().execute(script))
    con.execute(_TABLES)
    for name, query in _CALLS.items():
        # Earlier commits lack some macros.
        with suppress(duckdb.Error):
            found[name] = min(_seconds(partial(_run, con, query)) for _ in range(8))
    return found


def _run(con: Any, query: str) -> None:
    con.execute(query).fetchall()


def _seconds(call: Callable[[], object]) -> float:
    start = perf_counter()
    call()
    return perf_counter() - start


if __name__ == "__main__":
    if sys.argv[2:] == ["build"]:
        write_catalogue(Path(sys.argv[1]))
    else:
        print(json.dumps(seconds_of(Path(sys.argv[1]))))
