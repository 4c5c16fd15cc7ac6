"""Random lists with tied scores."""

import random

import pandas as pd

# A document: id, score (None = not retrieved), grade (None = not judged).
Document = tuple[str, float | None, float | None]


def drawn(seed: int, lists: int, *, judged_only: bool) -> dict[str, list[Document]]:
    """Draw lists of up to 6 retrieved documents with few scores and grades, and up to 2 missed documents."""
    rng = random.Random(seed)
    grades = [-1, 0, 0, 1, 1, 2, 0.5, 3] if judged_only else [-1, 0, 0, 1, 1, 2, 0.5, 3, None, None]
    queries: dict[str, list[Document]] = {}
    for query in range(lists):
        levels = rng.choice([1, 2, 3, 6])
        retrieved: list[Document] = [
            (f"d{i}", float(rng.randrange(levels)), rng.choice(grades)) for i in range(rng.randint(1, 6))
        ]
        missed: list[Document] = [(f"m{i}", None, rng.choice([0, 1, 2])) for i in range(rng.randint(0, 2))]
        # Add a judgment, because queries without judgments are left out.
        queries[f"q{query}"] = [*retrieved, *missed, ("judged", None, 0)] if not judged_only else retrieved
    return queries


def table(queries: dict[str, list[Document]]) -> pd.DataFrame:
    rows = [(query, *document) for query, documents in queries.items() for document in documents]
    return pd.DataFrame(rows, columns=["query_id", "doc_id", "score", "relevance"])


def run_and_judgments(queries: dict[str, list[Document]]) -> tuple[pd.DataFrame, pd.DataFrame]:
    every = table(queries)
    run = every.dropna(subset="score")[["query_id", "doc_id", "score"]].sample(frac=1, random_state=1)
    return run, every.dropna(subset="relevance")[["query_id", "doc_id", "relevance"]]
