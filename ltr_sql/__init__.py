"""ltr_sql: ranking evaluation in SQL."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ltr_sql.version import __version__ as __version__

if TYPE_CHECKING:
    from ltr_sql import oracle as oracle
    from ltr_sql.building.clicks import click_judgments as click_judgments
    from ltr_sql.building.clicks import interleaving as interleaving
    from ltr_sql.building.clicks import off_policy as off_policy
    from ltr_sql.building.clicks import position_bias as position_bias
    from ltr_sql.building.fusion import fuse as fuse
    from ltr_sql.building.judging import group_documents as group_documents
    from ltr_sql.building.judging import merge_judgments as merge_judgments
    from ltr_sql.building.judging import pool as pool
    from ltr_sql.building.judging import rater_agreement as rater_agreement
    from ltr_sql.building.judging import rater_confusion as rater_confusion
    from ltr_sql.building.judging import unique_documents as unique_documents
    from ltr_sql.catalogue.listings import conventions as conventions
    from ltr_sql.catalogue.listings import measures as measures
    from ltr_sql.comparison.compare import compare as compare
    from ltr_sql.comparison.compare import leaderboard as leaderboard
    from ltr_sql.comparison.compare import queries_needed as queries_needed
    from ltr_sql.comparison.compare import system_agreement as system_agreement
    from ltr_sql.comparison.compare import trend as trend
    from ltr_sql.comparison.compare import variance as variance
    from ltr_sql.comparison.compare import wins as wins
    from ltr_sql.comparison.raters import rater_bias as rater_bias
    from ltr_sql.comparison.tuning import tune_fusion as tune_fusion
    from ltr_sql.errors import InputError as InputError
    from ltr_sql.errors import InputWarning as InputWarning
    from ltr_sql.errors import LtrSqlError as LtrSqlError
    from ltr_sql.errors import MeasureError as MeasureError
    from ltr_sql.evaluation.agreement import agreement as agreement
    from ltr_sql.evaluation.evaluate import distribution as distribution
    from ltr_sql.evaluation.evaluate import evaluate as evaluate
    from ltr_sql.evaluation.evaluator import Evaluator as Evaluator
    from ltr_sql.evaluation.explanation import explain as explain
    from ltr_sql.evaluation.explanation import worst as worst
    from ltr_sql.inputs.containers import from_lists as from_lists
    from ltr_sql.inputs.run_files import run_files as run_files
    from ltr_sql.integrations.callbacks import flat as flat
    from ltr_sql.integrations.callbacks import lightgbm_feval as lightgbm_feval
    from ltr_sql.integrations.callbacks import scorer as scorer
    from ltr_sql.integrations.callbacks import xgboost_early_stopping as xgboost_early_stopping
    from ltr_sql.integrations.callbacks import xgboost_metric as xgboost_metric
    from ltr_sql.macros.registration import register as register
    from ltr_sql.rendering.render import render as render
    from ltr_sql.reports import plot as plot
    from ltr_sql.reports.report import Report as Report
    from ltr_sql.reports.report import report as report
    from ltr_sql.validation.checks import check as check
    from ltr_sql.verification import verify as verify
    from ltr_sql.verification import verify_comparison as verify_comparison

# The module of each public name. Modules are loaded on first use, because loading all of them takes longer than most
# evaluations.
_MODULES = {
    "Evaluator": "evaluation.evaluator",
    "InputError": "errors",
    "InputWarning": "errors",
    "LtrSqlError": "errors",
    "MeasureError": "errors",
    "Report": "reports.report",
    "agreement": "evaluation.agreement",
    "check": "validation.checks",
    "click_judgments": "building.clicks",
    "compare": "comparison.compare",
    "conventions": "catalogue.listings",
    "distribution": "evaluation.evaluate",
    "evaluate": "evaluation.evaluate",
    "explain": "evaluation.explanation",
    "flat": "integrations.callbacks",
    "from_lists": "inputs.containers",
    "fuse": "building.fusion",
    "group_documents": "building.judging",
    "interleaving": "building.clicks",
    "leaderboard": "comparison.compare",
    "lightgbm_feval": "integrations.callbacks",
    "measures": "catalogue.listings",
    "merge_judgments": "building.judging",
    "off_policy": "building.clicks",
    "oracle": "oracle",
    "plot": "reports.plot",
    "pool": "building.judging",
    "position_bias": "building.clicks",
    "queries_needed": "comparison.compare",
    "rater_agreement": "building.judging",
    "rater_bias": "comparison.raters",
    "rater_confusion": "building.judging",
    "register": "macros.registration",
    "render": "rendering.render",
    "report": "reports.report",
    "run_files": "inputs.run_files",
    "scorer": "integrations.callbacks",
    "system_agreement": "comparison.compare",
    "trend": "comparison.compare",
    "tune_fusion": "comparison.tuning",
    "unique_documents": "building.judging",
    "variance": "comparison.compare",
    "verify": "verification",
    "verify_comparison": "verification",
    "wins": "comparison.compare",
    "worst": "evaluation.explanation",
    "xgboost_early_stopping": "integrations.callbacks",
    "xgboost_metric": "integrations.callbacks",
}

__all__ = list(_MODULES)


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'ltr_sql' has no attribute {name!r}")
    module = import_module(f"ltr_sql.{_MODULES[name]}")
    found = module if name in ("oracle", "plot") else getattr(module, name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
