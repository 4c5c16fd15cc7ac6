"""The example data in `demo/`, which README, home and pictures show, are those of `tools/demo.py`, and small."""

import csv
from collections import Counter

import ltr_sql
from tools.demo import DEMO, files

RUNS = {"old": DEMO / "old.csv", "new": DEMO / "new.csv"}


def test_the_files_are_those_of_the_script() -> None:
    made = files()
    assert {path.name for path in DEMO.iterdir()} == made.keys()
    for name, text in made.items():
        assert (DEMO / name).read_text(encoding="utf-8") == text, "python -m tools.demo"
    assert sum(map(len, made.values())) < 300_000


def test_every_query_has_a_text_and_a_segment() -> None:
    rows = [*csv.DictReader((DEMO / "queries.csv").read_text(encoding="utf-8").splitlines())]
    assert len({row["text"] for row in rows}) == len(rows) >= 150
    assert Counter(row["segment"] for row in rows) == {"product": 64, "need": 64, "model": 52}


def test_one_measure_is_decided_and_another_is_not_and_one_segment_got_worse() -> None:
    qrels = DEMO / "qrels.csv"
    compared = ltr_sql.compare(RUNS, ["nDCG@10", "RR"], qrels=qrels, baseline="old")
    better, undecided = compared.itertuples()
    assert better.verdict == "better"
    assert undecided.low < 0 < undecided.high
    by_segment = ltr_sql.compare(RUNS, ["nDCG@10"], qrels=qrels, baseline="old", keys=["segment"])
    verdicts = dict(zip(by_segment.segment, by_segment.verdict, strict=True))
    assert verdicts["model"] == "worse"
    assert verdicts["need"] == "better"
    assert [segment for segment, verdict in verdicts.items() if verdict == "worse"] == ["model"]
