"""ltr_sql: ranking evaluation in SQL."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ltr_sql.agreement import agreement
from ltr_sql.callbacks import lightgbm_feval, xgboost_metric
from ltr_sql.checks import check
from ltr_sql.clicks import click_judgments, interleaving, position_bias
from ltr_sql.comparison import compare, leaderboard, queries_needed, wins
from ltr_sql.distribution import distribution
from ltr_sql.errors import InputError, InputWarning, LtrSqlError, MeasureError
from ltr_sql.evaluate import evaluate
from ltr_sql.evaluator import Evaluator
from ltr_sql.explain import explain
from ltr_sql.fusion import fuse
from ltr_sql.judging import merge_judgments, pool, rater_agreement, unique_documents
from ltr_sql.language.catalogue import conventions_frame as conventions
from ltr_sql.language.catalogue import measures
from ltr_sql.off_policy import off_policy
from ltr_sql.register import register
from ltr_sql.report import Report, report
from ltr_sql.sqltext.render import render
from ltr_sql.trackers import flat

if TYPE_CHECKING:
    from ltr_sql import oracle
    from ltr_sql.verification import verify, verify_comparison

__version__ = "0.1.0"

__all__ = [
    "Evaluator",
    "InputError",
    "InputWarning",
    "LtrSqlError",
    "MeasureError",
    "Report",
    "agreement",
    "check",
    "click_judgments",
    "compare",
    "conventions",
    "distribution",
    "evaluate",
    "explain",
    "flat",
    "fuse",
    "interleaving",
    "leaderboard",
    "lightgbm_feval",
    "measures",
    "merge_judgments",
    "off_policy",
    "oracle",
    "pool",
    "position_bias",
    "queries_needed",
    "rater_agreement",
    "register",
    "render",
    "report",
    "unique_documents",
    "verify",
    "verify_comparison",
    "wins",
    "xgboost_metric",
]


def __getattr__(name: str) -> Any:
    # Load these on first use: they import numpy and pandas, which takes longer than most evaluations.
    if name == "oracle":
        return import_module("ltr_sql.oracle")
    if name in ("verify", "verify_comparison"):
        return getattr(import_module("ltr_sql.verification"), name)
    raise AttributeError(f"module 'ltr_sql' has no attribute {name!r}")
