"""The errors that ltr_sql raises: each says what is wrong, where, and what to do."""


class LtrSqlError(ValueError):
    """What all errors of ltr_sql have in common."""


class MeasureError(LtrSqlError):
    """A measure string that names no measure, or gives it a parameter that it does not take, or an engine that lacks it."""


class InputError(LtrSqlError):
    """Rankings, runs or judgments that cannot be read or scored."""
