"""The value of a measure down to each rank: its aggregates become windows."""

import pytest

from ltr_sql.catalogue.functions import row_sources
from ltr_sql.rendering.renderer import running_value

DOCUMENTS = row_sources()["documents"]
WHOLE = "over (partition by d.q)"
GROWING = "over (partition by d.q order by d.rank asc nulls last)"


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("1e0", "1e0"),
        ("sum(d.relevance)", f"sum(sum(d.relevance)) {WHOLE}"),
        ("2 * max((1 / d.rank)) + 1", f"2 * max(max((1 / d.rank))) {GROWING} + 1"),
        (
            "sum(1 / d.rank) / nullif(sum(d.relevance), 0)",
            f"sum(sum(1 / d.rank)) {GROWING} / nullif(sum(sum(d.relevance)) {WHOLE}, 0)",
        ),
        ("list_sum(d.values)", "list_sum(d.values)"),
        ("sum(d.ranked)", f"sum(sum(d.ranked)) {WHOLE}"),
        ("sum (d.relevance)", f"sum(sum (d.relevance)) {WHOLE}"),
        # A string, a quoted name or a comment may hold anything.
        ("sum(case when d.name = ')' then 1 end)", f"sum(sum(case when d.name = ')' then 1 end)) {WHOLE}"),
        ("sum(case when d.name = 'it''s (' then 1 end)", f"sum(sum(case when d.name = 'it''s (' then 1 end)) {WHOLE}"),
        ("sum(case when d.name = 'd.rank' then 1 end)", f"sum(sum(case when d.name = 'd.rank' then 1 end)) {WHOLE}"),
        ('sum(d."a)b")', f'sum(sum(d."a)b")) {WHOLE}'),
        ("sum(d.a /* ) of d.rank */)", f"sum(sum(d.a /* ) of d.rank */)) {WHOLE}"),
        ("sum(d.a -- (\n)", f"sum(sum(d.a -- (\n)) {WHOLE}"),
        ("'sum(x)' || sum(d.a)", f"'sum(x)' || sum(sum(d.a)) {WHOLE}"),
    ],
)
def test_an_aggregate_becomes_a_window(expression: str, value: str) -> None:
    assert running_value(expression, DOCUMENTS, "d.q") == value


def test_an_open_parenthesis_is_refused() -> None:
    with pytest.raises(ValueError, match="a parenthesis is not closed"):
        running_value("1 + sum((d.a)", DOCUMENTS, "d.q")
