"""Rendered SQL in the words of another engine, which needs no server."""

import pytest

import ltr_sql
from ltr_sql.rendering.dialects import POSTGRES
from ltr_sql.rendering.sql_text import translated


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("cast(x as double)", "cast(x as double precision)"),
        ("select 'x as double', \"as double\" -- as double", "select 'x as double', \"as double\" -- as double"),
        ("x + 1e0 - 0.5e-3", "x + 1e0::double precision - 0.5e-3::double precision"),
        ("a1e5 + d.x1e0", "a1e5 + d.x1e0"),
        (
            "log2(x) / log2(f(y, 2))",
            "(ln(x) / 0.6931471805599453::double precision) / (ln(f(y, 2)) / 0.6931471805599453::double precision)",
        ),
        ("round(a, 12)", "cast(round(cast(a as numeric), 12) as double precision)"),
        (
            "round(median(f(a, b)), 2)",
            "cast(round(cast(percentile_cont(0.5) within group (order by f(a, b)) as numeric), 2) as double precision)",
        ),
        ("background(x)", "background(x)"),
    ],
)
def test_names_of_postgres(written: str, expected: str) -> None:
    assert translated(written, POSTGRES) == expected


def test_a_cast_has_a_value_and_a_type() -> None:
    text = translated("try_cast(coalesce(cast(a as text), b) as double)", POSTGRES)
    assert text.endswith("then cast(cast(coalesce(cast(a as text), b) as text) as double precision) end")


def test_ids_sort_by_bytes_whatever_the_locale() -> None:
    assert 'collate "C"' in ltr_sql.render("judge", "postgres")
    assert "collate" not in ltr_sql.render("judge", "spark")
