"""The macro `ltr.tune_fusion`."""

from ltr_sql.catalogue.options import Tuning, options_of
from ltr_sql.catalogue.procedures import procedures
from ltr_sql.macros.statements import statements
from ltr_sql.rendering.fusion import reads_ranks
from ltr_sql.rendering.probabilities import calls
from ltr_sql.rendering.tuning import (
    FOLDS,
    TUNED,
    TuningValues,
    chosen_parts,
    compared_part,
    grid_query,
    rows_query,
    tuned_part,
)

# The CTEs of the query that its parts read.
_GRID, _VALUES, _RUNS = (f"__ltr_tuning_{name}" for name in ("grid", "values", "runs"))


def tuning_macros() -> str:
    """Return the statements that create `ltr.tune_fusion` and its helper macros."""
    options = {name: option for name, option in options_of(Tuning).items() if option.sql}
    methods = procedures("fusion")
    names = ("measure", "folds", "holdout", "seed", "level")
    texts = {name: f"{{{name}}}" for name in names}
    tuning = TuningValues(grid=_GRID, values=_VALUES, run_values=_RUNS, value='"{value}"', **texts)
    return statements(
        "tune_fusion",
        grid=grid_query("{runs}", "system", "{choices}", "{steps}"),
        chosen=chosen_parts(tuning),
        compared=compared_part(tuning),
        tuned=tuned_part(tuning, calls()),
        methods=list(methods),
        methods_of_ranks=[name for name, method in methods.items() if reads_ranks(method)],
        weighted_methods=[name for name, method in methods.items() if method.fields["weighted"]],
        options=options,
        default_folds=FOLDS,
        rows=rows_query("__ltr_tuning_table", "__ltr_tuning_worth"),
        tuned_name=TUNED,
        signature=[f"{name} := {option.default_in_sql}" for name, option in options.items()],
        comment="Choose the weights of a fusion from labelled queries, and measure what they are worth on others. "
        "Reads the runs of ltr.fuse (system, query_id, doc_id, score or rank) and judgments. Returns the grid, one row "
        "for each method, norm, k and weights with its mean, and whether it is chosen; then one row for the tuned "
        "fusion against equal weights and each run, by cross-validation or on queries held out.",
    )
