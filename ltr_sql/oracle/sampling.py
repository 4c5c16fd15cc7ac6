"""Measures of sampled judgments: a pool of documents is divided into strata, and a sample of each stratum is judged.

Each row with a subtopic is a document of the pool, and its subtopic is its stratum. A document without a grade, or with
a negative one, was not drawn. Rows without a subtopic are outside the pool. Terms of the formulas:

- N_s and n_s are the documents and the judged documents of stratum s. A document of the stratum weighs w = N_s / n_s.
- Down to a rank there are n documents of stratum s, of which m were judged and f are relevant. The inferred number of
  relevant documents is n (f + e) / (m + 3 e) with e = 0.00001, summed over strata.
- Ranks beyond 1,000 do not count.

Source: Yilmaz, Kanoulas and Aslam, SIGIR 2008; NIST's sample_eval.pl.
"""

import math
from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction

from ltr_sql.oracle._rows import Column, Ids, in_top, is_relevant, rows_of, with_empty

_EPSILON = 1e-5
_LONGEST = 1000


@dataclass(frozen=True)
class _Drawn:
    """A document of the pool. Its weight w is 0 if it was not judged."""

    rank: float
    grade: float
    stratum: Hashable
    weight: Fraction

    @property
    def judged(self) -> bool:
        return self.grade >= 0


def _pool(rank: Column, relevance: Column, subtopic: Ids) -> list[_Drawn]:
    """Return the documents of the pool."""
    rows = [(i, g, s) for (i, g), s in zip(rows_of(rank, relevance), subtopic, strict=True) if s is not None]
    drawn = Counter(s for _, _, s in rows)
    judged = Counter(s for _, g, s in rows if g >= 0)
    return [_Drawn(i, g, s, Fraction(drawn[s], judged[s]) if g >= 0 else Fraction(0)) for i, g, s in rows]


def _inferred(documents: list[_Drawn], rel: float) -> float:
    """Return the inferred number of relevant documents."""
    total = 0.0
    for s in {d.stratum for d in documents}:
        of_s = [d for d in documents if d.stratum == s]
        found = sum(is_relevant(d.grade, rel) for d in of_s)
        total += len(of_s) * (found + _EPSILON) / (sum(d.judged for d in of_s) + 3 * _EPSILON)
    return total


@with_empty()
def xinfap(
    rank: Column, relevance: Column, *, doc_id: Ids, subtopic: Ids, rel: float = 1.0, version: str = "2012"
) -> float:
    """Extended inferred average precision.

    Formula: (1 / R) (sum over relevant documents of rank i of w (1 + inferred number above rank i) / i), where R is the
    sum of w of all relevant documents. With version 2012, 1 / min(R, 1000) instead of 1 / R.
    Empty query: 0, or as set by `empty`.
    Source: sample_eval.pl `infAP`.
    """
    pool = _pool(rank, relevance, subtopic)
    num_rel = float(sum(d.weight for d in pool if is_relevant(d.grade, rel)))
    retrieved = [d for d in pool if in_top(d.rank, _LONGEST)]
    total = math.fsum(
        float(d.weight) * (1 + _inferred([o for o in retrieved if o.rank < d.rank], rel)) / d.rank
        for d in retrieved
        if is_relevant(d.grade, rel)
    )
    return total / (min(num_rel, _LONGEST) if version == "2012" else num_rel)


@with_empty()
def infndcg(rank: Column, relevance: Column, *, doc_id: Ids, subtopic: Ids, version: str = "2012") -> float:
    """Inferred nDCG.

    Formula: (sum over strata of n / m * (sum over documents of grade / log2(rank + 1))) / ideal. In the ideal ranking,
    each grade takes as many positions as its inferred number of documents, the highest grade first. Version 2011
    rounds these numbers. Each grade has a first position, and no further ones from 1,000 on.
    Empty query: 0, or as set by `empty`.
    Source: sample_eval.pl `infNDCG`.
    """
    pool = _pool(rank, relevance, subtopic)
    above, ideal = Fraction(0), 0.0
    for grade in sorted({d.grade for d in pool if d.grade > 0}, reverse=True):
        number = Fraction(sum(d.weight for d in pool if d.grade == grade))
        if version == "2011":
            number = Fraction(math.floor(number + Fraction(1, 2)))
        position = above + 1
        while position <= above + number:
            ideal += grade / math.log2(position + 1)
            if position >= _LONGEST:
                break
            position += 1
        above += number
    retrieved = [d for d in pool if in_top(d.rank, _LONGEST)]
    total = 0.0
    for d in retrieved:
        if d.grade > 0:
            of_s = [o for o in retrieved if o.stratum == d.stratum]
            total += len(of_s) / sum(o.judged for o in of_s) * d.grade / math.log2(d.rank + 1)
    return total / ideal if ideal else 0.0


def infp(rank: Column, relevance: Column, *, doc_id: Ids, subtopic: Ids, k: int, rel: float = 1.0) -> float:
    """Inferred precision.

    Formula: (inferred number of relevant documents in the top k) / k.
    Empty query: 0.
    Source: sample_eval.pl `iP`.
    """
    pool = _pool(rank, relevance, subtopic)
    return _inferred([d for d in pool if in_top(d.rank, min(k, _LONGEST))], rel) / k


def inf_num_rel(rank: Column, relevance: Column, *, doc_id: Ids, subtopic: Ids, rel: float = 1.0) -> float:
    """Inferred number of relevant documents.

    Formula: the sum of w over the relevant documents.
    Empty query: 0.
    Source: sample_eval.pl `inum_rel`.
    """
    pool = _pool(rank, relevance, subtopic)
    return float(sum(d.weight for d in pool if is_relevant(d.grade, rel)))


def inf_num_rel_ret(rank: Column, relevance: Column, *, doc_id: Ids, subtopic: Ids, rel: float = 1.0) -> float:
    """Inferred number of relevant documents retrieved.

    Formula: the inferred number of relevant documents in the first 1,000 ranks.
    Empty query: 0.
    Source: sample_eval.pl `inum_rel_ret`.
    """
    return _inferred([d for d in _pool(rank, relevance, subtopic) if in_top(d.rank, _LONGEST)], rel)
