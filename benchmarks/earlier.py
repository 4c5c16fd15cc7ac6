"""Calls beside those of an earlier commit. Processes of both checkouts alternate, and ratios are of CPU seconds."""

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.contenders import Source, evaluation, join_alone, join_and_rank, unchecked
from benchmarks.data import Data
from benchmarks.processes import ROOT, Contender, Results, SectionError, least, measure
from benchmarks.tables import Bar, Row, Table

EARLIER = "041c27ce"
# Pairs of processes for each small call. The pair with the least time counts.
_PAIRS = 3


def _tied(queries: int, depth: int) -> dict[str, str]:
    """Return the queries of two shuffled runs, numbered by s, whose scores are tied, and of their judgments."""
    return {
        "runs": f"""
            select s, 'q' || q as query_id, 'd' || d as doc_id, hash(s, q, d) % 100 / 100 as score
            from range(2) as a(s), range({queries}) as b(q), range({2 * depth}) as c(d)
            qualify row_number() over (partition by s, q order by hash(q, d, s)) <= {depth}
            order by hash(d, q)
        """,
        "qrels": "select distinct query_id, doc_id, hash(doc_id, query_id) % 3 as relevance from runs "
        "where hash(doc_id) % 2 = 0",
    }


_TABLES = {
    **_tied(300, 100),
    "run": "select query_id, doc_id, score from runs where s = 0",
    "judged": "select * from ltr.judge('run', 'qrels') where query_id in ('q1', 'q2', 'q3', 'q4', 'q5')",
    "of_systems": "select i % 3 as system, i // 3 as query_id, hash(i) % 10 / 10 as ap from range(300) as t(i)",
}
_SIX = ("nDCG@10", "AP", "P@10", "RR", "R@100", "nDCG")
# Calls of macros, with the largest allowed ratio to the earlier commit.
_MACROS: dict[str, float | None] = {
    f"ltr.evaluate('judged', {list(_SIX)})": 0.72,
    f"ltr.evaluate('judged', {['AP(rel=2)', *_SIX[:5]]})": None,
    f"ltr.evaluate('judged', {list(_SIX)}, ci := 't')": None,
    "ltr.ndcg('judged', k := 10)": 0.71,
    "ltr.judge('run', 'qrels')": 0.59,
    "ltr.compare_values('of_systems')": 0.46,
}
# Calls of Python over queries x documents, with the largest allowed ratio to the earlier commit.
_CALLS: dict[tuple[str, int, int], float | None] = {
    ("evaluate, frames", 50, 10): 0.56,
    ("evaluate, frames", 300, 100): None,
    ("evaluate, dicts", 50, 10): 0.83,
    ("evaluate, dicts", 300, 100): 0.61,
    ("compare", 300, 100): None,
    ("check", 300, 100): None,
    ("Evaluator", 300, 100): 1.05,
    ("Evaluator", 1000, 1000): 1.05,
    ("Evaluator.from_labels", 10_000, 100): 1.05,
}


@dataclass(frozen=True)
class Ratio:
    """A contender, the contender whose CPU seconds divide its own, and the largest allowed ratio."""

    own: Contender
    divisor: Contender | None = None
    bar: Bar | None = None


@contextmanager
def earlier_checkout() -> Iterator[Path]:
    """Check the earlier commit out into a folder for temporary files. Needs `git`."""
    with TemporaryDirectory() as folder:
        checkout = Path(folder) / EARLIER
        worktree = ["git", "-C", str(ROOT), "worktree"]
        if subprocess.run([*worktree, "add", "-q", "--detach", str(checkout), EARLIER], check=False).returncode:
            raise SectionError(f"commit {EARLIER} is not in this clone")
        try:
            yield checkout
        finally:
            subprocess.run([*worktree, "remove", "--force", str(checkout)], check=True)


def earlier(contender: Contender, checkout: Path) -> Contender:
    """Return the contender in the checkout of the earlier commit."""
    return replace(contender, name=f"{contender.name}, {EARLIER}", checkout=checkout)


def rows_of(ratios: Sequence[Ratio], results: Results) -> list[Row]:
    """Return a row for each ratio, with the CPU seconds of its contender."""
    rows = []
    for ratio in ratios:
        name = ratio.own.name
        cpu, divided = (results.cpu(one) if one else None for one in (ratio.own, ratio.divisor))
        value = None if cpu is None or divided is None else cpu / divided
        bar, verdict = (str(ratio.bar), ratio.bar.verdict(value)) if ratio.bar else ("", "")
        seconds, peak = results.seconds(ratio.own), results.peak(ratio.own)
        rows.append(Row(name, seconds, peak, value, bar, verdict, cpu))
    return rows


def macros_beside() -> Table:
    """Compare macros with those of the earlier commit: registering them, loading their script, and calling them."""
    once = [("register, first call in a process", "register", 0.5), ("load the script", "load_macros", 0.67)]
    calls: list[tuple[Contender, float | None]]
    calls = [(Contender(name, task, {}, fresh=True), bar) for name, task, bar in once]
    for call, bar in _MACROS.items():
        calls.append((Contender(call, "macro", {"sql": f"from {call}", "tables": _TABLES}, 15), bar))
    build = Contender("build", "build_macros", {}, 1, fresh=True)
    with earlier_checkout() as checkout:
        before = earlier(build, checkout)
        built = measure([build, before]).measured
        table = _calls_beside("Macros", calls, checkout)
    now, then = (built[one.name].means["MB"] for one in (build, before))
    table.notes.append(f"The script has {now:.2f} MB; at the earlier commit it had {then:.2f} MB.")
    return table


def calls_beside() -> Table:
    """Compare small calls of Python with those of the earlier commit."""
    calls = []
    for (call, queries, depth), bar in _CALLS.items():
        arguments = {"call": call, "queries": queries, "depth": depth, "tables": _tied(queries, depth)}
        calls.append((Contender(f"{call}, {queries} queries x {depth}", "small_call", arguments, 15), bar))
    with earlier_checkout() as checkout:
        return _calls_beside("Small calls of Python", calls, checkout)


def runs_beside(data: Data, full: bool) -> list[Table]:
    """Compare runs in files and tables with joins, in this and the earlier commit. Bars count if `full` is true."""
    ranks, scores = evaluation(data, Source.PARQUET, "ranks"), evaluation(data, Source.TABLES, "scores")
    join, ranked = join_alone(data, Source.PARQUET, "ranks"), join_and_rank(data)
    limits = {
        1.6: (ranks, join),
        1.3: (unchecked(ranks), join),
        0.9: (scores, ranked),
        1.0: (unchecked(scores), scores),
    }
    with earlier_checkout() as checkout:
        ratios = [Ratio(join), Ratio(ranked)]
        for bar, (own, divisor) in limits.items():
            divisor_before = earlier(divisor, checkout) if divisor is scores else divisor
            ratios += [
                Ratio(earlier(own, checkout), divisor_before),
                Ratio(own, divisor, Bar(bar, full)),
            ]
        results = measure([ratio.own for ratio in ratios])
    title = f"{data.rows:,} rows: ratio to the join, the join with rank(), or the checked evaluation."
    return [Table(title, rows_of(ratios, results), results.notes())]


def _calls_beside(title: str, calls: Sequence[tuple[Contender, float | None]], checkout: Path) -> Table:
    table = Table(f"{title}: ratio to commit {EARLIER}.")
    for own, bar in calls:
        before = earlier(own, checkout)
        ratios = [Ratio(before), Ratio(own, before, None if bar is None else Bar(bar, counts=True))]
        results = least([measure([before, own]) for _ in range(_PAIRS)])
        table.rows += rows_of(ratios, results)
        table.notes += results.notes()
    return table
