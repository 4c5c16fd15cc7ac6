"""Results as flat metrics, for experiment trackers."""

import math
import re
from typing import Any

from ltr_sql.errors import InputError
from ltr_sql.inputs.frames import column_names

# Characters of measure strings that MLflow refuses in names of metrics.
_LEFT_OUT = re.compile(r"""['")\s]""")
_REFUSED = re.compile(r"[^\w.-]")


def flat(frame: Any, prefix: str = "") -> dict[str, float]:
    """Return the means of a result as a dict of metric -> value, such as {'bm25.nDCG_at_10': 0.577}.

    - `frame`: a result of `evaluate` or `Evaluator.evaluate`, with means.
    - `prefix`: text before each name, such as 'test/'.

    Names begin with the values of the keys, such as the system. In measure strings, @ becomes _at_, and (rel=2)
    becomes _rel_2: MLflow accepts such names. W&B accepts any name. A value that is NULL is left out.

    Raises InputError for a frame with one row per query, and for two values with the same name.
    """
    names = column_names(frame)
    if "queries" not in names:
        raise InputError(f"flat reads means of evaluate, which have a column queries, got {', '.join(names)}")
    keys = names[: names.index("queries")]
    measures = [name for name in names[len(keys) + 1 :] if name != "weight"]
    metrics: dict[str, float] = {}
    for row in _rows(frame):
        groups = "".join(f"{_REFUSED.sub('_', str(row[key]))}." for key in keys)
        for measure in measures:
            name, value = f"{prefix}{groups}{_metric(measure)}", row[measure]
            if name in metrics:
                raise InputError(f"two values have the name {name}: rename a system, or leave out a measure")
            # NaN is NULL in pandas.
            if value is not None and not math.isnan(value):
                metrics[name] = float(value)
    return metrics


def _rows(frame: Any) -> list[dict[str, Any]]:
    """Return the rows of a pandas, polars or pyarrow table."""
    if hasattr(frame, "to_pylist"):
        return list(frame.to_pylist())
    return list(frame.to_dicts() if hasattr(frame, "to_dicts") else frame.to_dict("records"))


def _metric(measure: str) -> str:
    """Return a measure string with the characters that trackers accept."""
    return _REFUSED.sub("_", _LEFT_OUT.sub("", measure).replace("@", "_at_"))
