"""Values of systems under two judges: an LLM that judges all queries, and people who judge some of them."""

import numpy as np
import pandas as pd


def sample(judged: int = 60, others: int = 60, seed: int = 3) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return values of two systems under an LLM that favours b, and under people for the first queries."""
    random = np.random.default_rng(seed)
    n = judged + others
    truth = random.random((n, 2))
    llm = np.clip(truth + random.normal([0.0, 0.1], 0.2, (n, 2)), 0, 1)
    rows = [(f"q{i:03}", system, llm[i, s], truth[i, s]) for i in range(n) for s, system in enumerate("ab")]
    values = pd.DataFrame(rows, columns=["query_id", "system", "nDCG", "people"])
    people = values[: 2 * judged][["query_id", "system"]].assign(nDCG=values["people"][: 2 * judged])
    return values[["query_id", "system", "nDCG"]], people


def runs_and_judgments(queries: int = 60) -> tuple[dict[str, pd.DataFrame], pd.DataFrame, pd.DataFrame]:
    """Return two runs, an LLM's judgments of their documents, and people's judgments of half of the queries."""
    random = np.random.default_rng(5)
    rows = [(f"q{q:02}", f"d{d}", int(random.integers(0, 4))) for q in range(queries) for d in range(6)]
    people = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance"])
    llm = people.assign(relevance=(people["relevance"] + random.integers(0, 2, len(people))).clip(upper=3))
    runs = {
        name: people[["query_id", "doc_id"]].assign(score=people["relevance"] + random.normal(0, noise, len(people)))
        for name, noise in (("a", 1.0), ("b", 2.0))
    }
    return runs, llm, people[people["query_id"] < f"q{queries // 2:02}"]
