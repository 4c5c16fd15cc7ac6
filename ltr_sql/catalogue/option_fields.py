"""What is said of an option: the annotation of a field of a record of options."""

from dataclasses import dataclass
from typing import Any

from ltr_sql.catalogue.option_checks import check_choice, check_integer
from ltr_sql.errors import InputError


@dataclass(frozen=True)
class Option:
    """What is said of an option, besides its name and type.

    - `default`: its default. `summary`: its meaning in sentences, for all interfaces.
    - `choices`: the allowed texts. `minimum`, `maximum`: inclusive bounds; `above`, `below`: exclusive bounds.
    - `example`: an allowed value, for the error about others.
    - `sql`: true if macros take it. `sql_default`: its default there, if it differs.
    - `flag`: true if it is a flag of `ltr-sql compare` by its own name. `metavar`: how the help shows its value.
    - `name`, `type`: filled in from the field.
    """

    default: Any
    summary: str
    choices: tuple[str, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    above: float | None = None
    below: float | None = None
    example: str = ""
    sql: bool = True
    sql_default: str = ""
    flag: bool = True
    metavar: str = ""
    name: str = ""
    type: str = "text"

    @property
    def allowed(self) -> str:
        """Describe the allowed values of a number or choice."""
        if self.choices:
            return ", ".join(f"`{choice}`" for choice in self.choices)
        if self.above is not None and self.below is not None:
            return f"between {self.above:g} and {self.below:g}{f', such as {self.example}' if self.example else ''}"
        if self.minimum is not None and self.maximum is not None:
            return f"an integer from {self.minimum:.0f} to {self.maximum:,.0f}"
        return ""

    def check(self, value: Any) -> None:
        """Raise InputError for a value that is not allowed."""
        if self.choices:
            check_choice(self.name, value, self.choices)
        elif self.type == "integer" and self.minimum is not None and self.maximum is not None:
            check_integer(self.name, value, int(self.minimum), int(self.maximum))
        elif self.above is not None and self.below is not None and not self.above < value < self.below:
            raise InputError(f"{self.name} must be {self.allowed}, got {value}")

    @property
    def default_in_sql(self) -> str:
        """The default as SQL."""
        if self.sql_default:
            return self.sql_default
        if self.default is None:
            return "null"
        if self.type == "names":
            return "[]::varchar[]"
        return f"'{self.default}'" if isinstance(self.default, str) else str(self.default).lower()

    def condition(self, value: str) -> str:
        """Return SQL that is true for the allowed numbers. `value` is the SQL of a double."""
        bounds = ((">=", self.minimum), ("<=", self.maximum), (">", self.above), ("<", self.below))
        return " and ".join(
            [
                *(f"{value} {operator} {bound:.15g}" for operator, bound in bounds if bound is not None),
                *([f"{value} = floor({value})"] if self.type == "integer" else []),
                f"isfinite({value})",
            ]
        )
