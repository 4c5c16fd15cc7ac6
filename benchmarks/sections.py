"""The sections of the benchmarks. Each is a function from settings to tables of results."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.contenders import (
    Source,
    evaluation,
    evaluation_of_rankings,
    evaluation_of_systems,
    join_alone,
    read_csv_alone,
    row_number_alone,
    scan_alone,
    unchecked,
)
from benchmarks.data import Data
from benchmarks.earlier import calls_beside, macros_beside, runs_beside
from benchmarks.processes import ROOT, Contender, Results, SectionError, measure, seconds_of_commands
from benchmarks.tables import Bar, Row, Table
from ltr_sql.command_line.trec_eval_outputs import measures_of

CUTOFF_MEASURES = ("AP@100", "RR@10", "nDCG@10", "P@10", "R@100")
FORMS = ("ranks", "scores")
STORED = (Source.TABLES, Source.PARQUET)
PEERS = ("pytrec_eval", "ir_measures", "ranx")
SYSTEMS = 50
CORRELATIONS = (
    "KendallTau",
    "Spearman",
    "Pearson",
    "Gamma",
    "SomersD",
    "TauAP",
    "WeightedTau",
    "FaginK",
    "Footrule",
    "AverageOverlap",
    "RBO",
)
LONG = 100_000
# Jobs of the section `doubling`, with a size and its unit.
DOUBLED = {
    "explain": (50_000, "documents of one query"),
    "one query": (500_000, "documents"),
    "pairs of systems": (105, "pairs of 10 queries x 100 documents"),
    "systems": (300_000, "rows"),
    "conventions": (30_000, "rows"),
}
ALL_TREC_SIZE = (1000, 1000)
# Queries and documents per query; for some of these sizes, the largest allowed ratio to pytrec_eval from dicts.
SMALL_SIZES = ((50, 10), (50, 1000), (300, 100), (3000, 100), (1000, 1000))
DICT_BARS = {(300, 100): 1.5, (1000, 1000): 1.0}
EVALUATOR_BARS = {(300, 100): 1.5, (1000, 1000): 0.5}
ROBUST03 = Path(__file__).parents[2] / "shared" / "data" / "robust03"
_FULL_ROWS = 7_000_000
# Bytes of disk per row of a run: in the database, in the files, and spilled by a sort under a memory limit.
_DATABASE_BYTES, _FILE_BYTES, _SPILL_BYTES = 60, 120, 120


@dataclass(frozen=True)
class Settings:
    """The size of the data, and their folder."""

    root: Path
    queries: int
    depth: int
    seed: int
    shuffled: bool

    @property
    def full(self) -> bool:
        """True if a run has at least 7,000,000 rows, the size at which most bars start to apply."""
        return self.queries * self.depth >= _FULL_ROWS

    def data(self, queries: int, depth: int, files: bool = False, systems: int = 0) -> Data:
        """Return the data of a size. Another process creates the files that do not exist.

        - `files`: true for Parquet files and TREC text in addition to the database.
        - `systems`: number of systems in a further database; 0 for none.
        """
        data = Data(self.root, queries, depth, self.seed, self.shuffled)
        if not data.folder.exists():
            per_row = _DATABASE_BYTES * (1 + systems) + (_FILE_BYTES if files else 0)
            self.need_disk(data.rows * per_row)
        arguments = {"data": self.root, "queries": queries, "depth": depth, "seed": self.seed, "systems": systems}
        flags = {"--shuffled": self.shuffled, "--database-only": not files}
        command = [
            *(sys.executable, "-m", "benchmarks.data"),
            *(f"--{name}={value}" for name, value in arguments.items()),
            *(flag for flag, given in flags.items() if given),
        ]
        subprocess.run(command, check=True)
        return data

    def need_disk(self, needed: float) -> None:
        """Raise SectionError unless this number of bytes is free."""
        self.root.mkdir(parents=True, exist_ok=True)
        free = shutil.disk_usage(self.root).free
        if free < needed:
            raise SectionError(f"it needs {needed / 1e9:.1f} GB of disk, and {free / 1e9:.1f} GB are free")


def ranks(settings: Settings) -> list[Table]:
    """Compare a run that has ranks with the join alone."""
    data = settings.data(settings.queries, settings.depth, files=True)
    table = Table("A run with ranks: ratio to the join alone.")
    for source in STORED:
        own = evaluation(data, source, "ranks")
        _against_limits(table, own, [join_alone(data, source, "ranks")], Bar(1.4, settings.full))
    return [table]


def scores(settings: Settings) -> list[Table]:
    """Compare a run that has scores with the join and row_number()."""
    data = settings.data(settings.queries, settings.depth, files=True)
    table = Table("A run with scores: ratio to the sum of join and row_number.")
    for source in STORED:
        own = evaluation(data, source, "scores")
        limits = [join_alone(data, source, "scores"), row_number_alone(data, source)]
        _against_limits(table, own, limits, Bar(1.3, settings.full))
    return [table]


def cutoffs(settings: Settings) -> list[Table]:
    """Evaluate a run with scores by measures with a cutoff, and compare with the join alone."""
    data = settings.data(settings.queries, settings.depth, files=True)
    table = Table(f"A run with scores, {', '.join(CUTOFF_MEASURES)}: ratio to the join alone.")
    for source in STORED:
        own = evaluation(data, source, "scores", CUTOFF_MEASURES)
        _against_limits(table, own, [join_alone(data, source, "scores")], Bar(2.0, settings.full))
    return [table]


def rankings(settings: Settings) -> list[Table]:
    """Compare stored rankings with a scan of their columns."""
    data = settings.data(settings.queries, settings.depth, files=True)
    table = Table("Stored rankings: ratio to a scan of the rows with relevance > 0.")
    for source in STORED:
        own = evaluation_of_rankings(data, source)
        _against_limits(table, own, [scan_alone(data, source)], Bar(8.0, settings.full))
    return [table]


def checks(settings: Settings) -> list[Table]:
    """Measure the cost of input validation."""
    data = settings.data(settings.queries, settings.depth, files=True)
    table = Table("Input validation: ratio to the evaluation without it.")
    for own in (
        *(evaluation(data, Source.TABLES, form) for form in FORMS),
        evaluation_of_rankings(data, Source.TABLES),
    ):
        _against_limits(table, own, [unchecked(own)], Bar(1.15, settings.full))
    return [table]


def peers(settings: Settings) -> list[Table]:
    """Compare with other tools, from Parquet files to means."""
    data = settings.data(settings.queries, settings.depth, files=True)
    return [
        _peers(data, "scores", Bar(25, settings.full, at_least=True), Bar(1.5, settings.full, at_least=True)),
        _peers(data, "ranks", Bar(80, settings.full, at_least=True), Bar(5, settings.full, at_least=True)),
    ]


def trec(settings: Settings) -> list[Table]:
    """Compare TREC text with reading the run alone."""
    data = settings.data(settings.queries, settings.depth, files=True)
    table = Table("A run with scores as TREC text: ratio to read_csv of the run.")
    _against_limits(table, evaluation(data, Source.TREC, "scores"), [read_csv_alone(data)], Bar(5.0, settings.full))
    return [table]


def growth(settings: Settings) -> list[Table]:
    """Measure the time per row at a tenth of the chosen size, at that size, and at ten times that size."""
    sizes = (settings.queries // 10, settings.queries, settings.queries * 10)
    data = [settings.data(queries, settings.depth) for queries in sizes]
    return [_growth(data, form, Bar(1.2, settings.full)) for form in FORMS]


def memory(settings: Settings) -> list[Table]:
    """Evaluate 20 times the rows, in lists seven times as long, under a memory limit."""
    queries, depth = settings.queries * 20 // 7, settings.depth * 7
    settings.need_disk(queries * depth * _SPILL_BYTES)
    data = settings.data(queries, depth)
    spill = data.folder / "spill"
    table = Table(f"{data.rows:,} rows ({queries:,} queries x {depth:,}) from DuckDB tables, memory_limit = '2GB'.")
    limits = {"memory_limit": "2GB", "temp_directory": str(spill)}
    for form in FORMS:
        own = evaluation(data, Source.TABLES, form, settings=limits, repetitions=1, fresh=True)
        _that_finishes(table, own)
    shutil.rmtree(spill, ignore_errors=True)
    return [table]


def small(settings: Settings) -> list[Table]:
    """Measure imports, registration and small inputs, each in a fresh process."""
    table = Table("Small jobs: bars in seconds.")
    imports = {name: [sys.executable, "-c", f"import {name}"] for name in ("duckdb", "ltr_sql")}
    seconds = seconds_of_commands(imports, repetitions=15)
    _in_seconds(table, "import ltr_sql minus import duckdb", seconds["ltr_sql"] - seconds["duckdb"], 0.08)

    registered = Contender("register, first call in a process", "register", {}, fresh=True)
    evaluated = evaluation(settings.data(100, 1000, files=True), Source.PANDAS, "scores", fresh=True)
    results = measure([registered, evaluated])
    _in_seconds(table, registered.name, results.compute_seconds(registered), 0.06)
    _in_seconds(table, "evaluate of 100,000 rows in pandas", results.compute_seconds(evaluated), 0.15)
    table.notes += results.notes()

    run = next(iter(sorted(ROBUST03.glob("run.*.gz"))), None)
    if run is None:
        table.notes.append("ltr-sql evaluate is skipped: ../shared/data/robust03 does not exist.")
    else:
        command = [str(Path(sys.executable).with_name("ltr-sql")), "evaluate", str(ROBUST03 / "qrels.txt.gz"), str(run)]
        seconds = seconds_of_commands({"evaluate": command}, repetitions=5)
        _in_seconds(table, "ltr-sql evaluate of robust03, whole process", seconds["evaluate"], 1.0)
    return [table]


def small_jobs(settings: Settings) -> list[Table]:
    """Compare small evaluations with pytrec_eval, from data frames and from dicts."""
    tables = []
    for queries, depth in SMALL_SIZES:
        command = [sys.executable, "-m", "benchmarks.small_jobs", str(queries), str(depth)]
        seconds = _printed(command)
        frames, dicts = seconds["pytrec_eval, data frames"], seconds["pytrec_eval, dicts"]
        table = Table(f"{queries:,} queries x {depth:,} documents: ratio to pytrec_eval with the same input.")
        for name, found in seconds.items():
            ratio = found / (dicts if name.endswith("dicts") else frames)
            if name == "ltr_sql, Evaluator" and (queries, depth) in EVALUATOR_BARS:
                alone = found / seconds["pytrec_eval, computation alone"]
                bar = Bar(EVALUATOR_BARS[queries, depth], counts=True)
                table.rows.append(_judged(f"{name}: ratio to the computation alone", found, None, alone, bar))
            elif name == "ltr_sql, Evaluator" and queries * depth < 5000:
                _in_seconds(table, name, found, 0.012)
            elif name == "ltr_sql, data frames" and queries * depth >= 5000:
                table.rows.append(_judged(name, found, None, ratio, Bar(1, counts=True)))
            elif name == "ltr_sql, data frames":
                _in_seconds(table, name, found, 0.025)
            elif name == "ltr_sql, dicts" and (queries, depth) in DICT_BARS:
                table.rows.append(_judged(name, found, None, ratio, Bar(DICT_BARS[queries, depth], counts=True)))
            else:
                table.rows.append(Row(name, found, ratio=ratio))
        tables.append(table)
    table = Table("nDCG@10 of 10,000 queries x 100 documents, from labels and scores: ratio to LightGBM.")
    command = [sys.executable, "-m", "benchmarks.small_jobs", "10000", "100", "labels"]
    (peer, limit), (name, found) = _printed(command).items()
    table.rows += [Row(peer, limit), _judged(name, found, None, found / limit, Bar(3, counts=True))]
    _in_seconds(table, name, found, 0.15)
    return [*tables, table]


def macros(settings: Settings) -> list[Table]:
    """Compare macros with those of an earlier commit."""
    return [macros_beside()]


def calls(settings: Settings) -> list[Table]:
    """Compare small calls of Python with those of an earlier commit."""
    return [calls_beside()]


def earlier(settings: Settings) -> list[Table]:
    """Compare a run with joins, and with an evaluation by an earlier commit."""
    return runs_beside(settings.data(settings.queries, settings.depth, files=True), settings.full)


def systems(settings: Settings) -> list[Table]:
    """Compare many systems in one table with as many evaluations of one system."""
    data = settings.data(max(settings.queries // SYSTEMS, 1), settings.depth, systems=SYSTEMS)
    table = Table(f"{SYSTEMS} systems of {data.rows:,} rows in one table: ratio to {SYSTEMS} evaluations of one.")
    for form in FORMS:
        all_systems, one = (evaluation_of_systems(data, form, one) for one in (False, True))
        _against_limits(table, all_systems, [one], Bar(1.3, settings.full), times=SYSTEMS)
    return [table]


def agreement(settings: Settings) -> list[Table]:
    """Compare agreement of two runs with two sorts and with a loop that calls scipy; measure a pair of long lists."""
    data = settings.data(settings.queries, settings.depth, files=True)
    two = Table("Two runs with scores: ratio to row_number of both.")
    own = Contender("ltr_sql, KendallTau", "agreement", {"measures": ["KendallTau"], "database": data.database})
    loop = Contender("loop of scipy.stats.kendalltau", "kendalltau", {"database": data.database})
    _against_limits(two, own, [row_number_alone(data, Source.TABLES)], Bar(3.0, settings.full), times=2)
    results = measure([own, loop])
    ratio = _ratio(results.seconds(loop), results.seconds(own))
    faster = Table("Two runs with scores, from tables to the mean: ratio to ltr_sql.")
    faster.rows.append(Row(own.name, results.seconds(own), results.peak(own)))
    bar = Bar(1.0, settings.full, at_least=True)
    faster.rows.append(_judged(loop.name, results.seconds(loop), results.peak(loop), ratio, bar))
    faster.notes += results.notes()
    long = Table(f"Two lists of {LONG:,} documents with ties, memory_limit = '2GB': bars in seconds.")
    lists = [Contender(f"ltr_sql, {m}", "long_list", {"measure": m, "length": LONG}) for m in CORRELATIONS]
    results = measure(lists)
    for contender in lists:
        _in_seconds(long, contender.name, results.compute_seconds(contender), 5.0)
    long.notes += results.notes()
    return [two, faster, long]


# Logs of the section `builders`: clicks on documents that were shown once at each of 10 ranks, and rounds of a bandit.
LOG_ROWS = 1_000_000
CLICKS = f"""
    select i as session_id, i // 1000 as query_id, i % 1000 // 10 as doc_id, 1 + i % 10 as rank,
        cast(hash(i) % 100 < 60 // (1 + i % 10) as integer) as click
    from range({LOG_ROWS}) as t(i)
"""
ROUNDS = f"""
    select
        i as query_id, hash(i) % 3 as reward, (1 + hash(i + 1) % 9) / 10 as propensity, hash(i + 2) % 10 / 10 as target
    from range({LOG_ROWS}) as t(i)
"""


def builders(settings: Settings) -> list[Table]:
    """Fuse two runs, and compare with row_number() and ranx; count clicks and estimate rewards of long logs."""
    data = settings.data(settings.queries, settings.depth, files=True)
    run = data.parquet("run_scores")
    own = Contender("ltr_sql, reciprocal rank fusion", "fuse", {"run": run, "database": data.database})
    sorts = Table("Two runs with scores in a table: ratio to row_number of both.")
    both = Contender("row_number of both", "rank_both", {"database": data.database})
    _against_limits(sorts, own, [both], Bar(2.5, settings.full))
    with TemporaryDirectory(dir=settings.root) as spill:
        limits = {"memory_limit": "2GB", "temp_directory": spill}
        name, arguments = f"{own.name}, memory_limit = '2GB'", {**own.arguments, "settings": limits}
        _that_finishes(sorts, replace(own, name=name, arguments=arguments, repetitions=1))
    frames = Contender("ltr_sql, reciprocal rank fusion, pandas", "fuse", {"run": run})
    how: dict[str, Any] = {"repetitions": 1} if settings.full else {}
    peer = Contender("ranx", "ranx_fuse", {"run": run}, **how)
    results = measure([own, frames, peer])
    peers = Table("Two runs with scores: ratio to ltr_sql.")
    for contender in (own, frames):
        peers.rows.append(Row(contender.name, results.compute_seconds(contender), results.peak(contender)))
    seconds, alone = results.seconds(peer), results.compute_seconds(peer)
    ratio = _ratio(alone, results.compute_seconds(own))
    peers.rows.append(
        _judged("ranx, fuse alone, to the table", alone, None, ratio, Bar(2, settings.full, at_least=True))
    )
    ratio = _ratio(seconds, results.compute_seconds(frames))
    bar = Bar(10, settings.full, at_least=True)
    peers.rows.append(_judged("ranx, from pandas, to pandas", seconds, results.peak(peer), ratio, bar))
    peers.notes += [*results.notes(), *_differences(results, [own, frames, peer])]
    logs = Table(f"Logs of {LOG_ROWS:,} rows, memory_limit = '2GB': bars in seconds.")
    calls = {
        "position-based model, 50 iterations": ("count(relevance) from ltr.click_judgments('given', 'pbm')", CLICKS),
        "COEC": ("count(relevance) from ltr.click_judgments('given', 'coec')", CLICKS),
        "SNIPS": ("sum(estimate) from ltr.off_policy('given', ['snips'])", ROUNDS),
    }
    for name, (call, rows) in calls.items():
        job = {"sql": f"select {call}", "tables": {"given": rows}}
        contender = Contender(f"ltr_sql, {name}", "macro", job, repetitions=3)
        results = measure([contender])
        _in_seconds(logs, contender.name, results.compute_seconds(contender), 40.0)
        logs.notes += results.notes()
    return [sorts, peers, logs]


# Ten measures beyond accuracy, and the lists, documents and histories that they read.
SHOWN_MEASURES = (
    *("Coverage", "Gini", "Entropy", "Herfindahl", "Personalization@50"),
    *("Novelty", "Surprisal@50", "UnseenShare", "AvgPopularity", "TailShare"),
)
DOCUMENTS = 50_000
LIST_LENGTH = 50
DIMENSIONS = 64


def _shown(users: int) -> dict[str, str]:
    """Return the queries of lists of distinct documents, of the catalogue and of the histories of users."""
    # The step and the number of documents have no common factor, so a list has no document twice.
    run = f"""
        select
            i // {LIST_LENGTH} as query_id,
            cast((hash(i // {LIST_LENGTH}) % {DOCUMENTS} + i % {LIST_LENGTH} * 7919) % {DOCUMENTS} as bigint) as doc_id,
            cast(hash(i) % 1000000 as double) as score
        from range({users * LIST_LENGTH}) as t(i)
    """
    documents = f"""
        select
            i as doc_id,
            list_transform(range({DIMENSIONS}), lambda d: cast(hash(i, d) % 1000 as double) - 499.5e0) as vector
        from range({DOCUMENTS}) as t(i)
    """
    history = f"""
        select i // 10 as query_id, cast(hash(i, 1) % {DOCUMENTS} as bigint) as doc_id
        from range({users * 10}) as t(i)
    """
    return {"run": run, "documents": documents, "history": history}


def beyond(settings: Settings) -> list[Table]:
    """Compare measures beyond accuracy with one aggregation by document, and off-policy estimates with a scan."""
    how: dict[str, Any] = {"repetitions": 3}
    users, rounds = (100_000, 10_000_000) if settings.full else (1_000, 100_000)
    tables = _shown(users)
    ten = Table(
        f"Ten measures of {users:,} lists of {LIST_LENGTH}: ratio to the ranks and one aggregation by document."
    )
    named = "documents := 'documents', history := 'history'"
    own = Contender(
        "ltr_sql, ten measures",
        "macro",
        {"sql": f"from ltr.beyond_accuracy('run', {[*SHOWN_MEASURES]}, {named})", "tables": tables},
        **how,
    )
    ranked = "row_number() over (partition by r.query_id order by r.score desc, r.doc_id desc)"
    limit = f"""
        select max(d.shown)
        from (
            select r.doc_id, count(r.rank) as shown
            from (select r.doc_id, {ranked} as rank from run as r) as r
            group by r.doc_id
        ) as d
    """
    alone = Contender("row_number, and group by doc_id", "macro", {"sql": limit, "tables": tables}, **how)
    _against_compute(ten, own, alone, Bar(3, settings.full))
    peers = Table(f"Three measures of {users:,} lists of {LIST_LENGTH}, from pandas: ratio to ltr_sql.")
    frames = {name: rows for name, rows in tables.items() if name != "documents"}
    for tool in ("replay", "recommenders"):
        ours, other = (
            Contender(name, "shown", {"tool": by, "conventions": tool, "tables": frames}, repetitions=1)
            for name, by in ((f"ltr_sql, convention {tool}", "ltr_sql"), (tool, tool))
        )
        results = measure([ours, other])
        peers.rows.append(Row(ours.name, results.compute_seconds(ours), results.peak(ours)))
        seconds = results.compute_seconds(other)
        ratio = _ratio(seconds, results.compute_seconds(ours))
        peers.rows.append(_judged(tool, seconds, results.peak(other), ratio, Bar(20, settings.full, at_least=True)))
        peers.notes += [*results.notes(), *_differences(results, [ours, other])]
    sql = "from ltr.ild('run', documents := 'documents', features := 'vector', k := 20)"
    ild = Contender("ltr_sql, ILD@20", "macro", {"sql": sql, "tables": tables}, **how)
    results = measure([ild])
    seconds = results.compute_seconds(ild)
    vectors = Table(f"ILD of {users:,} lists with vectors of {DIMENSIONS} dimensions, memory_limit = '2GB'.")
    verdict = "FAIL" if seconds is None else "pass"
    vectors.rows.append(Row(ild.name, seconds, results.peak(ild), bar="runs", verdict=verdict))
    vectors.notes += results.notes()
    policies = Table(f"Off-policy estimates of {rounds:,} rounds: ratio to a scan with the sums of the estimate.")
    weight = "t.target / t.propensity"
    sums = ", ".join(
        [
            "count(*)",
            *(f"{f}({weight} * t.reward)" for f in ("avg", "stddev_samp")),
            *(f"{f}({weight})" for f in ("sum", "max", "avg", "stddev_samp")),
            f"sum({weight} * {weight})",
        ]
    )
    logged = {"given": ROUNDS.replace(f"range({LOG_ROWS})", f"range({rounds})")}
    scan = Contender("scan", "macro", {"sql": f"select {sums} from given as t", "tables": logged}, **how)
    for estimator in ("ips", "snips"):
        call = {"sql": f"from ltr.off_policy('given', ['{estimator}'])", "tables": logged}
        _against_compute(
            policies, Contender(f"ltr_sql, {estimator}", "macro", call, **how), scan, Bar(2, settings.full)
        )
    return [ten, peers, vectors, policies]


def _against_compute(table: Table, own: Contender, limit: Contender, bar: Bar) -> None:
    """Add rows for two jobs that read equal tables, with the ratio of the seconds without loading."""
    results = measure([own, limit])
    table.rows.append(Row(limit.name, results.compute_seconds(limit), results.peak(limit)))
    seconds = results.compute_seconds(own)
    table.rows.append(
        _judged(own.name, seconds, results.peak(own), _ratio(seconds, results.compute_seconds(limit)), bar)
    )
    table.notes += results.notes()


def doubling(settings: Settings) -> list[Table]:
    """Compare the time of jobs at twice a size with the time at that size."""
    table = Table("Jobs at twice the size: ratio to the time at the size.")
    for job, (size, unit) in DOUBLED.items():
        once, twice = (
            Contender(f"{job}, {n:,} {unit}", "doubling", {"job": job, "size": n}, repetitions=3)
            for n in (size, 2 * size)
        )
        results = measure([once, twice])
        seconds = [results.compute_seconds(contender) for contender in (once, twice)]
        table.rows.append(Row(once.name, seconds[0], results.peak(once)))
        ratio = _ratio(seconds[1], seconds[0])
        table.rows.append(_judged(twice.name, seconds[1], results.peak(twice), ratio, Bar(2.5, counts=True)))
        table.notes += results.notes()
    return [table]


def comparison(settings: Settings) -> list[Table]:
    """Time statistical comparisons of systems, and equivalent computations by scipy, numpy and ranx."""
    # Repeat less often, because some peers need a minute.
    how: dict[str, Any] = {"repetitions": 3}
    many = {"queries": 7000, "systems": SYSTEMS}
    tests = Table(
        f"t and sign test of {SYSTEMS * (SYSTEMS - 1) // 2:,} pairs of systems, 7,000 queries: ratio to ltr_sql."
    )
    for name, sign in (("t", False), ("sign", True)):
        own = Contender(f"ltr_sql, {name}", "compare", {**many, "test": name}, **how)
        joined, aligned = (
            Contender(f"loop of scipy, {name}, {what}", "ttest_rel", {**many, "joined": j, "sign": sign}, **how)
            for what, j in (("joined by query_id", True), ("aligned arrays", False))
        )
        joined = replace(joined, repetitions=1, fresh=True)
        results = measure([own, joined, aligned])
        seconds = results.compute_seconds(own)
        bar = Bar(4, counts=True, unit=" s")
        tests.rows.append(Row(own.name, seconds, results.peak(own), bar=str(bar), verdict=bar.verdict(seconds)))
        for peer in (joined, aligned):
            found = results.compute_seconds(peer)
            bar = Bar(5, counts=peer is joined, at_least=True)
            tests.rows.append(_judged(peer.name, found, results.peak(peer), _ratio(found, seconds), bar))
        tests.notes += results.notes()
    alone = Contender("self-join alone", "self_join", many, **how)
    results = measure([alone])
    tests.rows.append(Row(alone.name, results.compute_seconds(alone), results.peak(alone)))
    tests.notes += results.notes()
    return [
        tests,
        _randomization(50, SYSTEMS, 3.0, ("random_signs",)),
        _randomization(7000, 2, 1.5, ("random_signs", "fisher")),
        _above_evaluate(),
        _leaderboard(),
    ]


def calibration(settings: Settings) -> list[Table]:
    """Count the errors of tests and intervals in simulated experiments."""
    table = Table(
        "ratio: share of experiments with any false difference, and share of 95 % intervals that contain the true "
        "difference."
    )
    for name, share in _printed([sys.executable, "-m", "benchmarks.calibration"]).items():
        if name.startswith("interval"):
            # Percentile and BCa are known to cover less with few queries.
            bar, counts = "0.93 to 0.97", name.endswith((" t", " abc"))
            passed = 0.93 <= share <= 0.97
        else:
            bar, counts = "<= 0.06", not name.endswith("none")
            passed = share <= 0.06
        verdict = "pass" if passed else "FAIL"
        table.rows.append(Row(name, ratio=share, bar=bar if counts else "", verdict=verdict if counts else ""))
    return [table]


def _randomization(queries: int, systems: int, limit: float, peers: Sequence[str]) -> Table:
    size: dict[str, Any] = {"queries": queries, "systems": systems}
    pairs = systems * (systems - 1) // 2
    table = Table(
        f"Randomization test of {pairs:,} pair{'s' * (pairs > 1)} of systems, {queries:,} queries, "
        "10,000 replicates: ratio to ltr_sql."
    )
    own = Contender("ltr_sql", "compare", {**size, "test": "randomization"}, repetitions=3)
    names = {"random_signs": "numpy, aligned arrays", "fisher": "ranx, aligned arrays"}
    others = [Contender(names[task], task, {**size, "replicates": 10_000}, repetitions=3) for task in peers]
    results = measure([own, *others])
    bar = Bar(limit, counts=True, unit=" s")
    seconds = results.compute_seconds(own)
    table.rows.append(Row(own.name, seconds, results.peak(own), bar=str(bar), verdict=bar.verdict(seconds)))
    for other in others:
        found = results.compute_seconds(other)
        table.rows.append(Row(other.name, found, results.peak(other), _ratio(found, seconds)))
    table.notes += results.notes()
    return table


def _above_evaluate() -> Table:
    table = Table("compare of 3 systems, 100 queries and one measure: bars in seconds.")
    both = Contender("both", "above_evaluate", {"queries": 100, "systems": 3}, repetitions=15)
    results = measure([both])
    evaluated, compared = results.load_seconds(both), results.compute_seconds(both)
    table.rows += [Row("evaluate", evaluated), Row("compare", compared)]
    above = None if evaluated is None or compared is None else compared - evaluated
    _in_seconds(table, "compare minus evaluate", above, 0.15)
    table.notes += results.notes()
    return table


def _leaderboard() -> Table:
    table = Table(f"Leaderboard of {SYSTEMS} systems, 7,000 queries, 1,000 bootstrap samples, memory_limit = '1GB'.")
    limits = {"memory_limit": "1GB"}
    own = Contender("ltr_sql", "leaderboard", {"queries": 7000, "systems": SYSTEMS, "settings": limits}, 1, fresh=True)
    results = measure([own])
    verdict = "FAIL" if results.failures else "pass"
    table.rows.append(Row(own.name, results.compute_seconds(own), results.peak(own), bar="finishes", verdict=verdict))
    table.notes += results.notes()
    return table


def all_trec(settings: Settings) -> list[Table]:
    """Compare all measures of trec_eval's all_trec in one call with AP alone."""
    data = settings.data(*ALL_TREC_SIZE)
    measures = measures_of("all_trec")
    table = Table(f"{len(measures)} measures of a run of {data.rows:,} rows in one call: ratio to AP alone.")
    for form in FORMS:
        alone, every = (
            replace(evaluation(data, Source.TABLES, form, asked), name=f"ltr_sql, {form}, {name}")
            for name, asked in (("AP", ["AP"]), ("all_trec", measures))
        )
        _against_limits(table, every, [alone], Bar(4.0, counts=True))
    return [table]


def inputs(settings: Settings) -> list[Table]:
    """Evaluate a run from each kind of source."""
    data = settings.data(settings.queries, settings.depth, files=True)
    table = Table("A run with scores from different inputs: ratio to DuckDB tables.")
    contenders = [evaluation(data, source, "scores") for source in Source]
    results = measure(contenders)
    for contender in contenders:
        ratio = _ratio(results.seconds(contender), results.seconds(contenders[0]))
        table.rows.append(Row(contender.name, results.seconds(contender), results.peak(contender), ratio))
    table.notes += [*results.notes(), *_differences(results, contenders)]
    return [table]


SECTIONS: Mapping[str, Callable[[Settings], list[Table]]] = {
    section.__name__: section
    for section in (
        ranks,
        scores,
        cutoffs,
        rankings,
        checks,
        peers,
        trec,
        growth,
        memory,
        small,
        small_jobs,
        macros,
        calls,
        earlier,
        systems,
        agreement,
        builders,
        beyond,
        doubling,
        comparison,
        calibration,
        all_trec,
        inputs,
    )
}


def _against_limits(table: Table, own: Contender, limits: Sequence[Contender], bar: Bar, times: int = 1) -> None:
    """Add a row for each of the `limits`, and for the contender `own`.

    The ratio of `own` is its time divided by (`times` x the sum of the times of the limits).
    """
    results = measure([own, *limits])
    for limit in limits:
        table.rows.append(Row(limit.name, results.seconds(limit), results.peak(limit)))
    seconds = [results.seconds(limit) for limit in limits]
    total = sum(found for found in seconds if found is not None) * times
    ratio = None if None in seconds else _ratio(results.seconds(own), total)
    table.rows.append(_judged(own.name, results.seconds(own), results.peak(own), ratio, bar))
    table.notes += results.notes()


def _peers(data: Data, form: str, end_to_end: Bar, alone: Bar) -> Table:
    own = evaluation(data, Source.PARQUET, form)
    files = {"run": data.parquet(f"run_{form}"), "qrels": data.parquet("qrels")}
    # Run the peers once at full size, because they need minutes and gigabytes.
    how: dict[str, Any] = {"repetitions": 1, "fresh": True} if data.rows >= _FULL_ROWS else {}
    contenders = [own, *(Contender(peer, peer, files, **how) for peer in PEERS)]
    results = measure(contenders)
    memory_bar = Bar(2, end_to_end.counts, at_least=True)
    table = Table(f"A run with {form}, from Parquet to means: ratio to ltr_sql.")
    table.rows.append(Row(own.name, results.seconds(own), results.peak(own)))
    for peer in contenders[1:]:
        if peer.name in results.failures:
            continue
        seconds, compute, peak = results.seconds(peer), results.compute_seconds(peer), results.peak(peer)
        ratio = _ratio(seconds, results.seconds(own))
        table.rows.append(_judged(peer.name, seconds, peak, ratio, end_to_end))
        if peer.name != "ir_measures":  # it converts while it computes
            ratio = _ratio(compute, results.seconds(own))
            table.rows.append(_judged(f"{peer.name}, compute alone", compute, None, ratio, alone))
        ratio = _ratio(peak, results.peak(own))
        table.rows.append(_judged(f"{peer.name}, peak memory", None, peak, ratio, memory_bar))
    table.notes += [*results.notes(), *_differences(results, contenders)]
    return table


def _growth(data: Sequence[Data], form: str, bar: Bar) -> Table:
    own = [replace(evaluation(size, Source.TABLES, form), name=f"ltr_sql, {size.rows:,} rows") for size in data]
    joins = [replace(join_alone(size, Source.TABLES, form), name=f"join alone, {size.rows:,} rows") for size in data]
    results = measure([*own, *joins])
    table = Table(f"A run with {form}, from DuckDB tables: ratio of the time per row to the smallest of the three.")
    for contenders in (own, joins):
        seconds = [results.seconds(contender) for contender in contenders]
        per_row = [None if s is None else s / size.rows for s, size in zip(seconds, data, strict=True)]
        least = min((value for value in per_row if value is not None), default=None)
        for contender, value in zip(contenders, per_row, strict=True):
            row = Row(contender.name, results.seconds(contender), results.peak(contender), _ratio(value, least))
            judged = replace(row, bar=str(bar), verdict=bar.verdict(row.ratio))
            table.rows.append(judged if contenders is own else row)
    table.notes += results.notes()
    return table


def _printed(command: Sequence[str]) -> dict[str, float]:
    """Return the numbers by name that a command prints as JSON. It runs in the root of this checkout."""
    printed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    numbers: dict[str, float] = json.loads(printed.stdout)
    return numbers


def _judged(name: str, seconds: float | None, peak: float | None, ratio: float | None, bar: Bar) -> Row:
    return Row(name, seconds, peak, ratio, str(bar), bar.verdict(ratio))


def _that_finishes(table: Table, contender: Contender) -> None:
    results = measure([contender])
    verdict = "FAIL" if results.failures else "pass"
    seconds, peak = results.seconds(contender), results.peak(contender)
    table.rows.append(Row(contender.name, seconds, peak, bar="finishes", verdict=verdict))
    table.notes += results.notes()


def _in_seconds(table: Table, name: str, seconds: float | None, limit: float) -> None:
    bar = Bar(limit, counts=True, unit=" s")
    table.rows.append(Row(name, seconds, bar=str(bar), verdict=bar.verdict(seconds)))


def _ratio(value: float | None, to: float | None) -> float | None:
    return None if value is None or to is None else value / to


def _differences(results: Results, contenders: Sequence[Contender]) -> list[str]:
    """Return the largest difference of each contender's means from the means of the first contender."""
    means = [(c.name, results.measured[c.name].means) for c in contenders if c.name in results.measured]
    texts = []
    for name, others in means[1:]:
        largest, measure = max((abs(value - means[0][1][measure]), measure) for measure, value in others.items())
        texts.append(f"{largest:.0e} ({measure}) for {name}")
    return [f"Largest difference from the means of the first row: {'; '.join(texts)}."]
