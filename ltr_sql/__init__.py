"""ltr_sql: ranking evaluation in SQL."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ltr_sql import oracle as oracle
    from ltr_sql.callbacks import lightgbm_feval as lightgbm_feval
    from ltr_sql.callbacks import xgboost_metric as xgboost_metric
    from ltr_sql.checks import check as check
    from ltr_sql.clicks import click_judgments as click_judgments
    from ltr_sql.clicks import interleaving as interleaving
    from ltr_sql.clicks import position_bias as position_bias
    from ltr_sql.comparison import compare as compare
    from ltr_sql.comparison import leaderboard as leaderboard
    from ltr_sql.comparison import queries_needed as queries_needed
    from ltr_sql.comparison import wins as wins
    from ltr_sql.distributions import distribution as distribution
    from ltr_sql.errors import InputError as InputError
    from ltr_sql.errors import InputWarning as InputWarning
    from ltr_sql.errors import LtrSqlError as LtrSqlError
    from ltr_sql.errors import MeasureError as MeasureError
    from ltr_sql.evaluation import evaluate as evaluate
    from ltr_sql.evaluation_report.report import Report as Report
    from ltr_sql.evaluation_report.report import report as report
    from ltr_sql.evaluator import Evaluator as Evaluator
    from ltr_sql.explanation import explain as explain
    from ltr_sql.fusion import fuse as fuse
    from ltr_sql.judging import merge_judgments as merge_judgments
    from ltr_sql.judging import pool as pool
    from ltr_sql.judging import rater_agreement as rater_agreement
    from ltr_sql.judging import rater_confusion as rater_confusion
    from ltr_sql.judging import unique_documents as unique_documents
    from ltr_sql.listings import conventions as conventions
    from ltr_sql.listings import measures as measures
    from ltr_sql.policy_values import off_policy as off_policy
    from ltr_sql.rank_agreement import agreement as agreement
    from ltr_sql.registration import register as register
    from ltr_sql.sqltext.render import render as render
    from ltr_sql.trackers import flat as flat
    from ltr_sql.verification import verify as verify
    from ltr_sql.verification import verify_comparison as verify_comparison

__version__ = "0.1.0"

# The module of each public name. Modules are loaded on first use, because loading all of them takes longer than most
# evaluations.
_MODULES = {
    "Evaluator": "evaluator",
    "InputError": "errors",
    "InputWarning": "errors",
    "LtrSqlError": "errors",
    "MeasureError": "errors",
    "Report": "evaluation_report.report",
    "agreement": "rank_agreement",
    "check": "checks",
    "click_judgments": "clicks",
    "compare": "comparison",
    "conventions": "listings",
    "distribution": "distributions",
    "evaluate": "evaluation",
    "explain": "explanation",
    "flat": "trackers",
    "fuse": "fusion",
    "interleaving": "clicks",
    "leaderboard": "comparison",
    "lightgbm_feval": "callbacks",
    "measures": "listings",
    "merge_judgments": "judging",
    "off_policy": "policy_values",
    "oracle": "oracle",
    "pool": "judging",
    "position_bias": "clicks",
    "queries_needed": "comparison",
    "rater_agreement": "judging",
    "rater_confusion": "judging",
    "register": "registration",
    "render": "sqltext.render",
    "report": "evaluation_report.report",
    "unique_documents": "judging",
    "verify": "verification",
    "verify_comparison": "verification",
    "wins": "comparison",
    "xgboost_metric": "callbacks",
}

__all__ = list(_MODULES)


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'ltr_sql' has no attribute {name!r}")
    module = import_module(f"ltr_sql.{_MODULES[name]}")
    found = module if name == "oracle" else getattr(module, name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
