"""Many systems: adjusted p, analysis of variance, Tukey's test, letters and wins."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from ltr_sql.oracle.comparison.pairs import Scaled, differences, is_constant, mean_of, rounded, scale_of
from ltr_sql.oracle.comparison.probabilities import f_p, tukey_p, tukey_quantile
from ltr_sql.oracle.comparison.resampling import by_text

# Values by query_id.
Values = Mapping[Any, float]


# Adjusted p


def adjusted(p: Sequence[float | None], adjust: str) -> list[float | None]:
    """Return the adjusted p of a family of tests. None stays None and does not count as a test.

    `adjust` is 'holm', 'hochberg', 'bh', 'bonferroni' or 'none'.
    Source: Holm 1979; Hochberg 1988; Benjamini & Hochberg 1995; Bonferroni.
    """
    known = sorted((value, position) for position, value in enumerate(p) if value is not None)
    values, m = [value for value, _ in known], len(known)
    methods: dict[str, Callable[[int], float]] = {
        "none": lambda i: values[i],
        "bonferroni": lambda i: m * values[i],
        "holm": lambda i: max((m - j) * values[j] for j in range(i + 1)),
        "hochberg": lambda i: min((m - j) * values[j] for j in range(i, m)),
        "bh": lambda i: min(m / (j + 1) * values[j] for j in range(i, m)),
    }
    result: list[float | None] = [None] * len(p)
    for i, (_, position) in enumerate(known):
        result[position] = min(1.0, methods[adjust](i))
    return result


# Analysis of variance


@dataclass(frozen=True)
class Source:
    """A row of the analysis of variance.

    - `ms`: the mean square, ss / df; `f`, `p`: its F test.
    - `component`, `share`: the variance component, and its share of the sum of the components.
    """

    df: int
    ss: float
    ms: float
    f: float | None
    p: float | None
    component: float
    share: float | None


@dataclass(frozen=True)
class Variance:
    """The analysis of variance of systems and queries."""

    system: Source
    query: Source
    error: Source
    generalizability: float | None


def variance(values: Mapping[Any, Values]) -> Variance:
    """Return the two-way analysis of variance without replication: value = mean + system + query + error.

    `values` maps m systems to values by query_id, for n queries. Variance components: s2_s = max(0, (MS_s - MS_e) / n)
    of the systems; s2_q = max(0, (MS_q - MS_e) / m) of the queries; s2_e = MS_e of the error.
    `generalizability` is s2_s / (s2_s + s2_e / n). F, p, shares and generalizability are None if they divide by 0.

    Raises ValueError if there are fewer than 2 systems or queries, or if the systems have different queries.
    Source: Sakai, Laboratory Experiments in Information Retrieval, 2018; Urbano, Marrero & Martin, SIGIR 2013.
    """
    query_ids = by_text(list(next(iter(values.values()), {})))
    m, n = len(values), len(query_ids)
    if min(m, n) < 2:
        raise ValueError(f"the analysis of variance needs 2 systems and 2 queries, got {m} and {n}")
    for system, row in values.items():
        if row.keys() != set(query_ids):
            raise ValueError(f"system {system} has other queries: {by_text(list(row.keys() ^ set(query_ids)))[:3]}")
    table = [[row[query_id] for query_id in query_ids] for row in values.values()]
    of_system = [mean_of(row) for row in table]
    of_query = [mean_of(column) for column in zip(*table, strict=True)]
    mean = mean_of(of_system)
    ss_system = n * math.fsum((x - mean) ** 2 for x in of_system)
    ss_query = m * math.fsum((x - mean) ** 2 for x in of_query)
    ss_error = math.fsum(
        (x - of_system[i] - of_query[j] + mean) ** 2 for i, row in enumerate(table) for j, x in enumerate(row)
    )
    if all(is_constant(differences(a, b)) for a, b in combinations(table, 2)):
        ss_error = 0.0
    df_system, df_query = m - 1, n - 1
    df_error = df_system * df_query
    ms_system, ms_query, ms_error = ss_system / df_system, ss_query / df_query, ss_error / df_error
    components = max(0.0, (ms_system - ms_error) / n), max(0.0, (ms_query - ms_error) / m), ms_error
    total = sum(components)
    shares = [component / total if total else None for component in components]

    def tested(df: int, ss: float, ms: float, number: int) -> Source:
        f = ms / ms_error if ms_error else None
        p = None if f is None else f_p(f, df, df_error)
        return Source(df, ss, ms, f, p, components[number], shares[number])

    below = components[0] + components[2] / n
    return Variance(
        tested(df_system, ss_system, ms_system, 0),
        tested(df_query, ss_query, ms_query, 1),
        Source(df_error, ss_error, ms_error, None, None, components[2], shares[2]),
        components[0] / below if below else None,
    )


def paired_tukey_p(values: Mapping[Any, Values]) -> dict[tuple[Any, Any], float | None]:
    """Return p of Tukey's HSD for each pair of systems. All systems must have the same queries.

    Formula: P(Q >= |difference of means| / sqrt(MS_e / n)). Q is the studentised range of m means with (m - 1)(n - 1)
    degrees of freedom. None if MS_e is 0.
    Source: Tukey 1953; Sakai, Laboratory Experiments in Information Retrieval, 2018, chapter 4.
    """
    error = variance(values).error
    means = {system: mean_of(list(row.values())) for system, row in values.items()}
    n = len(next(iter(values.values())))
    return {
        (a, b): tukey_p(abs(means[b] - means[a]) / math.sqrt(error.ms / n), len(values), error.df) if error.ms else None
        for a, b in combinations(values, 2)
    }


def honest_difference(values: Mapping[Any, Values], alpha: float) -> float:
    """Return Tukey's honestly significant difference: q sqrt(MS_e / n), for the quantile q of `paired_tukey_p`."""
    error, n = variance(values).error, len(next(iter(values.values())))
    return tukey_quantile(alpha, len(values), error.df) * math.sqrt(error.ms / n)


# Groups and places


def letters(order: Sequence[Any], differ: Callable[[Any, Any], bool]) -> dict[Any, str]:
    """Return the compact letter display: two systems share a letter if and only if they do not differ.

    `order` lists the systems, best first. The group of the best system gets the letter `a`, and the 27th group `aa`.
    The algorithm is insert and absorb: split each group that holds two differing systems, then drop each group that
    lies within another.
    Source: Piepho, Journal of Computational and Graphical Statistics 13, 2004.
    """
    groups = [frozenset(range(len(order)))]
    for i, j in combinations(range(len(order)), 2):
        if differ(order[i], order[j]):
            split = [part for g in groups for part in ((g - {i}, g - {j}) if {i, j} <= g else (g,))]
            groups = [g for g in dict.fromkeys(split) if not any(g < other for other in split)]
    groups.sort(key=sorted)
    return {
        system: "".join(_letter(number) for number, group in enumerate(groups) if i in group)
        for i, system in enumerate(order)
    }


def _letter(number: int) -> str:
    """Return a, b, ..., z, aa, ab, ..."""
    return ("" if number < 26 else _letter(number // 26 - 1)) + chr(ord("a") + number % 26)


@dataclass(frozen=True)
class Change:
    """A row of `wins`: a query with its values and its contribution to the mean difference."""

    query_id: Any
    a: float
    b: float
    difference: float
    rank: int
    running_sum: float
    leverage: float | None
    flips: bool | None


def wins(a: Values, b: Values) -> list[Change]:
    """Return the common queries of two systems, by descending |difference|, then by the text of query_id.

    - `rank`: 1 for the largest |difference|; queries with equal |difference| share the smallest rank.
    - `running_sum`: sum of the differences down to this row.
    - `leverage`: change of the mean difference if this query is removed; None if it is the only query.
    - `flips`: true if removing this query changes the sign of the mean difference; None if it is the only query.
    """
    common = by_text([query_id for query_id in a if query_id in b])
    d = {query_id: b[query_id] - a[query_id] for query_id in common}
    scale = scale_of([*a.values(), *b.values()])
    size = dict(zip(d, map(abs, rounded(Scaled(d.values(), scale))), strict=True))
    ordered = sorted(common, key=lambda query_id: -size[query_id])
    rows = []
    for i, query_id in enumerate(ordered):
        leverage, flips = None, None
        if len(common) > 1:
            mean = mean_of(list(d.values()))
            without = mean_of([x for other, x in d.items() if other != query_id])
            leverage, flips = without - mean, _sign(without, scale) != _sign(mean, scale)
        rank = 1 + sum(other > size[query_id] for other in size.values())
        running = math.fsum(d[other] for other in ordered[: i + 1])
        rows.append(Change(query_id, a[query_id], b[query_id], d[query_id], rank, running, leverage, flips))
    return rows


def _sign(value: float, scale: float) -> int:
    """Return -1, 0 or 1, the sign of the rounded value."""
    (size,) = rounded(Scaled([value], scale))
    return (size > 0) - (size < 0)
