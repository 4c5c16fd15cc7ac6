"""Files that trec_eval wrote about runs of others, with their inputs and options."""

import gzip
from dataclasses import dataclass

from support.reference_values import DATA


def read_text(name: str) -> str:
    path = DATA / name
    if path.suffix == ".gz":
        with gzip.open(path, "rt", encoding="utf-8") as file:
            return file.read()
    return path.read_text(encoding="utf-8")


@dataclass(frozen=True)
class TrecEval:
    """Inputs and options with which trec_eval wrote a file."""

    run: str
    qrels: str
    version: int
    complete: bool = False  # -c: missing topics count as 0
    by_topic: bool = True  # -q
    rel: int = 1  # -l
    depth: int | None = None  # -M
    judged_only: bool = False  # -J
    printed_exactly: bool = True

    @property
    def convention(self) -> str:
        return "trec_eval9" if self.version == 9 else "trec_eval"

    @property
    def mean_over(self) -> str:
        return "zero" if self.complete else "skip"

    @property
    def topics_of(self) -> str:
        """Treatment of missing topics, which version 9 does not print."""
        return "zero" if self.complete and self.version == 10 else "skip"


def trec6(options: str) -> dict[str, TrecEval]:
    """Return the files of trec_eval's regression tests for both versions."""
    truncated = options in ("aqc", "aqcM")
    return {
        f"trec6/expected.trec_eval{version}.{options}.txt": TrecEval(
            "trec6/run.truncated.txt" if truncated else "trec6/run.txt",
            "trec6/qrels.rel_level.txt" if options == "aql" else "trec6/qrels.txt",
            version,
            complete=truncated,
            by_topic=options not in ("official", "a"),
            rel=2 if options == "aql" else 1,
            depth=100 if options == "aqcM" else None,
            printed_exactly=False,
        )
        for version in (9, 10)
    }


def robust03(run: str) -> dict[str, TrecEval]:
    inputs = (f"robust03/run.{run}.txt.gz", "robust03/qrels.txt.gz")
    name = f"robust03/expected.{run}.trec_eval"
    return {
        f"{name}9.txt.gz": TrecEval(*inputs, 9),
        f"{name}9-c.summary.txt": TrecEval(*inputs, 9, complete=True, by_topic=False),
        f"{name}10-c.txt.gz": TrecEval(*inputs, 10, complete=True),
    }


def core18() -> dict[str, TrecEval]:
    inputs = ("core18/run.title_rm3.txt.gz", "core18/qrels.txt.gz")
    name = "core18/expected.title_rm3.trec_eval"
    return {
        f"{name}9.txt.gz": TrecEval(*inputs, 9),
        f"{name}9-l2.txt.gz": TrecEval(*inputs, 9, rel=2),
        f"{name}9-J.txt.gz": TrecEval(*inputs, 9, judged_only=True),
        f"{name}9-M100.txt.gz": TrecEval(*inputs, 9, depth=100),
        f"{name}9-gains.1=1,2=3.txt.gz": TrecEval(*inputs, 9),
        f"{name}10-c.txt.gz": TrecEval(*inputs, 10, complete=True),
        f"{name}10-c.rbp_dcg_yaap.txt.gz": TrecEval(*inputs, 10, complete=True),
    }


TREC_EVAL: dict[str, TrecEval] = {
    **{
        name: made
        for options in ("official", "a", "aq", "aqc", "aqcM", "aql", "meas_params")
        for name, made in trec6(options).items()
    },
    **{name: made for run in ("aplrob03a", "InexpC2", "NLPR03vb10") for name, made in robust03(run).items()},
    **core18(),
    "web2014/expected.trec_eval9.txt.gz": TrecEval("web2014/run.txt.gz", "web2014/qrels.txt.gz", 9),
    "web2014/expected.trec_eval10-c.txt.gz": TrecEval("web2014/run.txt.gz", "web2014/qrels.txt.gz", 10, complete=True),
}
