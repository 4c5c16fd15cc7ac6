"""An offline HTML report of an evaluation."""

from ltr_sql.report.report import Report, report

__all__ = ["Report", "report"]
