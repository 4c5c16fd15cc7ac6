"""The errors that ltr_sql raises: each says what is wrong, where, and what to do."""


class LtrSqlError(ValueError):
    """What all errors of ltr_sql have in common."""


class MeasureError(LtrSqlError):
    """A measure string that names no measure, gives it a parameter that it does not take, or is beyond an engine."""


class InputWarning(UserWarning):
    """Runs or judgments that can be scored, but perhaps not as the caller thinks."""


class InputError(LtrSqlError):
    """Rankings, runs or judgments that cannot be read or scored."""
