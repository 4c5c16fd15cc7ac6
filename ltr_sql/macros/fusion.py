"""The macro `ltr.fuse`."""

from dataclasses import dataclass, replace
from typing import Any

from ltr_sql.catalogue.procedures import procedures
from ltr_sql.macros.helpers import IF_GROUPED, filled
from ltr_sql.macros.query_texts import key_check
from ltr_sql.macros.statements import statements
from ltr_sql.rendering.columns.keys import same
from ltr_sql.rendering.dialects import DUCKDB, string
from ltr_sql.rendering.fusion import TIES, FusedColumns, FusionOptions, FusionParts, RunTables, reads_ranks
from ltr_sql.rendering.templates import CallTime

# SQL of the grouping columns of a call: its keys without the column that names the runs.
_GROUPS = "list_filter(ltr.__ltr_key_list(keys), lambda c: lower(c) <> lower(compared))"


def fusion_macros() -> str:
    """Return the statements that create `ltr.fuse` and its helper macros."""
    return statements(
        "fuse",
        **_texts("{weights}"),
        **key_check(),
        comment="Fuse the runs of each query into one. Reads query_id, doc_id, rank or score (rank decides the order "
        "if both exist), the column that names the run of each row (compared), and keys. Returns the keys without "
        "this column, query_id, doc_id, score, rank, and runs (how many hold the document). weights: a table with "
        "the column of the runs and weight, or a map from run to weight.",
    )


@dataclass(frozen=True)
class MacroRuns(FusedColumns):
    """The columns of the runs that the macro reads. One struct holds the grouping columns, and is the second key.

    References to it are comments if the call has no grouping columns. The relation has a column __ltr_none. It is NULL
    and stands for columns that the caller's table lacks.
    """

    def _number(self, row: str, name: str) -> str:
        return f"cast({self._optional(name)} as double) as {name}"

    def _optional(self, name: str) -> str:
        return f"coalesce(*columns(lambda c: lower(c) in ({string(name)}, '__ltr_none')))"

    def _exact_fields(self, row: str, ties: object) -> list[str]:
        return [f"{self._optional(name)} as __ltr_exact_{name}" for name in self._exact_names(ties)]

    def run_fields(self, row: str, has_rank: object, ties: object, with_score: bool) -> str:
        """Return the select list of rank, score, row_order and __ltr_present, which lists 'score' if there is one."""
        numbers = [self._number(row, name) for name in ("rank", "score", *self._read_by(ties, "row_order"))]
        # DuckDB evaluates the type once, when it binds the query.
        lacking = f"typeof({self._optional('score')}) = '\"NULL\"'"
        listed = f"case when {lacking} then []::varchar[] else ['score'] end as __ltr_present"
        return ",\n".join([*numbers, *self._exact_fields(row, ties), listed])

    def key_definition(self, row: str, *read: str) -> str:
        """Define the name of the run, the struct and query_id."""
        run, group = self._defined(row)
        return f"{run}, {self.if_grouped(f'{group},')} {row}.query_id"

    def key(self, row: str) -> str:
        """Reference the name of the run and the key of its fused ranking."""
        return f"{row}.__ltr_key_1, {self.fused_key(row)}"

    def same_key(self, row: str, other: str) -> str:
        """Compare the keys of two rows. NULL equals NULL."""
        return f"{same(row, other, ['__ltr_key_1'])} and {self.same_fused_key(row, other)}"

    def fused_key(self, row: str) -> str:
        """Return SQL that lists the key of a fused ranking: the struct and query_id."""
        return f"{self.if_grouped(f'{row}.__ltr_key_2,')} {row}.query_id"

    def same_fused_key(self, row: str, other: str) -> str:
        """Return SQL that compares the keys of two fused rankings."""
        groups = self.if_grouped(f"{same(row, other, ['__ltr_key_2'])} and")
        return f"{groups} {same(row, other, ['query_id'])}"

    def fused_key_output(self, row: str) -> str:
        """Return the select list of the grouping columns, unnested from their struct, and query_id."""
        return f"{self.if_grouped(f'unnest({row}.__ltr_key_2),')} {row}.query_id"

    def if_grouped(self, text: str) -> str:
        """Return SQL that is a comment in a query without grouping columns."""
        before, after = IF_GROUPED
        return f"{before}{text}{after}"


def _texts(weights: str) -> dict[str, Any]:
    """Return the query of a fusion with placeholders for its parts and options, and the parts of each choice.

    `weights` is the placeholder for the query of weights.
    """
    columns = MacroRuns(("{by}", "__ltr_group"), DUCKDB)
    tables = RunTables("{relation}", columns, has_rank=CallTime(""))
    k, p, gamma, constant, depth, top = (
        CallTime(f"{{{name}}}") for name in ("k", "p", "gamma", "constant", "depth", "top")
    )
    options = FusionOptions(k=k, p=p, gamma=gamma, constant=constant, depth=depth, top=top)
    parts = FusionParts(tables, options)
    methods = procedures("fusion")
    names = ("ranked", "scores", "order", "systems", "values", "runs", "fused")
    pointed = FusionParts(replace(tables, points=f"({weights})"), options)
    return {
        "pointed_query": pointed.query(**{name: f"{{{name}}}" for name in names}),
        "pointed_methods": {name: pointed.text(method.body) for name, method in methods.items()},
        "query": parts.query(**{name: f"{{{name}}}" for name in names}),
        "methods": {name: parts.text(method.body) for name, method in methods.items()},
        "methods_of_ranks": [name for name, method in methods.items() if reads_ranks(method)],
        "weighted_methods": [name for name, method in methods.items() if method.fields["weighted"]],
        "norms": list(procedures("norm")),
        "sources": {
            "score ": parts.values(None),
            **{f"score {name}": parts.values(norm) for name, norm in procedures("norm").items()},
            **{f"rank {name}": parts.values(method) for name, method in methods.items() if reads_ranks(method)},
        },
        "ties": {
            f"{ties} {reads}": FusionParts(tables, replace(options, ties=ties)).by_ties(reads == "scores")
            for ties in TIES
            for reads in ("ranks", "scores")
        },
        "rules": TIES,
        "systems": parts.systems(),
        "weighted_systems": FusionParts(replace(tables, weights=weights), options).systems(),
        "groups": _GROUPS,
        "group_texts": filled(IF_GROUPED, _GROUPS),
    }
