"""Runs and hostile texts for reports."""

import pandas as pd

QUERIES = 40


def made_runs(*shifts: float) -> tuple[dict[str, pd.DataFrame], pd.DataFrame]:
    """Return runs, and judgments with segments. A larger shift makes the scores of a run follow the grades more."""
    rows = [(f"q{q}", f"d{d}", (q * 7 + d * 5) % 4 if d % 5 else None) for q in range(QUERIES) for d in range(12)]
    table = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance"])
    runs = {}
    for number, shift in enumerate(shifts):
        noise = pd.Series(range(len(table))).mul(37 + 10 * number).mod(101).div(100)
        runs[f"s{number}"] = table[["query_id", "doc_id"]].assign(score=noise + shift * table["relevance"].fillna(0))
    judged = table.dropna()
    segment = judged["query_id"].str.slice(1).astype(int).mod(3).eq(0).map({True: "head", False: "tail"})
    return runs, judged.assign(segment=segment)


HOSTILE = ["</script><script>alert(1)</script>", "a\u202eb'\"&<!--", "x" * 10_000, "emoji \U0001f600", "${7*7}{{7*7}}"]
