"""The output of `ltr-sql compare` for people: for each measure, the systems from the best to the worst."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from ltr_sql.command_line import compared_text
from ltr_sql.command_line.main import main

LINE = re.compile(r"  (\S+) +(\d\.\d{4})(?:  ([+-]\d\.\d{4}) \[([+-]\d\.\d{4}), ([+-]\d\.\d{4})\]†? +p (\S+) +(.+)|.*)")


@pytest.fixture(scope="module", autouse=True)
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Values of three systems: b is better than a, and c worse, in m; loss is lower for c."""
    made = tmp_path_factory.mktemp("compared")
    of_systems = {"a": 0.5, "b": 0.65, "c": 0.4}
    rows = [
        f"{name},{'xy'[i % 2]},q{i:02},{mean + (i * 7 % 11 - 5) / 60 + (i * ord(name) % 5) / 200},{mean}"
        for name, mean in of_systems.items()
        for i in range(30)
    ]
    (made / "values.csv").write_text("\n".join(["system,half,query_id,m,loss", *rows]), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(made)
        yield made


def printed(*options: str) -> str:
    result = CliRunner().invoke(main, ["compare", "--values", "values.csv", *options])
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result.stdout


def rows_of(text: str) -> dict[str, tuple[str | None, ...]]:
    found = [match.groups() for match in map(LINE.fullmatch, text.splitlines()) if match]
    return {str(name): tuple(others) for name, *others in found}


def test_the_best_system_is_first_and_the_others_are_compared_with_it() -> None:
    text = printed("-m", "m")
    rows = rows_of(text)
    assert [*rows] == ["b", "a", "c"]
    assert {*rows["b"][1:]} == {None}
    for name in "ac":
        _, difference, low, high, p, verdict = rows[name]
        assert float(low or 0) < float(difference or 0) < float(high or 0) < 0
        assert (p, verdict) == ("<0.0001", "worse")
    assert text.startswith("m  30 queries, 95% intervals\n")
    assert text.endswith("\n1 more pair in each measure: --wide\n")


def test_lower_values_are_better_if_the_caller_says_so() -> None:
    assert [*rows_of(printed("-m", "loss", "--lower-is-better", "loss"))] == ["c", "a", "b"]


def test_a_baseline_is_what_the_others_are_compared_with() -> None:
    text = printed("-m", "m", "--baseline", "a")
    rows = rows_of(text)
    assert [*rows] == ["b", "a", "c"]
    assert (rows["b"][-1], rows["c"][-1]) == ("better", "worse")
    assert re.search(r"^  a  \d\.\d{4}  baseline$", text, re.MULTILINE)
    assert "more pair" not in text


def test_a_segment_has_a_block_of_its_own() -> None:
    text = printed("-m", "m", "--keys", "half")
    assert [line.partition("  15")[0] for line in text.splitlines() if " queries" in line] == [
        "m  half=x",
        "m  half=y",
    ]


def test_margins_of_a_baseline_say_what_p_is_about() -> None:
    text = printed("-m", "m", "--baseline", "a", "--margin", "0.05")
    assert text.startswith("m  30 queries, 90% intervals, p of 'not worse'\n")
    # Within a margin, a pair has a direction, so the pairs of three systems have a row each.
    assert "p_not_worse" in printed("-m", "m", "--margin", "0.05")


def test_systems_with_other_queries_have_a_row_for_each_pair(folder: Path) -> None:
    text = (folder / "values.csv").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("c,x,q00")]
    (folder / "fewer.csv").write_text("\n".join(lines), encoding="utf-8")
    result = CliRunner().invoke(main, ["compare", "--values", "fewer.csv", "-m", "m", "--missing", "skip"])
    assert "difference [low, high]" in result.stdout


@pytest.mark.parametrize("name", ["b", "a_system_with_a_rather_long_name_of_its_own_2026"])
def test_three_systems_take_one_line_each_at_80_columns(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (folder / "values.csv").read_text(encoding="utf-8")
    (folder / "named.csv").write_text(re.sub("(?m)^b,", f"{name},", text), encoding="utf-8")
    monkeypatch.setattr(compared_text, "width", lambda: 80)
    found = CliRunner().invoke(main, ["compare", "--values", "named.csv", "-m", "m"]).stdout
    assert len(rows_of(found)) == 3
    assert max(map(len, found.splitlines())) <= 80
    assert ("…" in found) == (len(name) > 1)
