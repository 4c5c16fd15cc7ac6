"""`ltr_sql.plot`: marks, colours, names and files of each picture, and tables of each library."""

import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree as ET

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa  # type: ignore[import-untyped]
import pytest
from support.report_inputs import HOSTILE

import ltr_sql
from ltr_sql import plot
from ltr_sql.catalogue.measures import definitions_by_name

DEMO = Path(__file__).parents[2] / "demo"
RUNS = {name: DEMO / f"{name}.csv" for name in ("old", "new")}
QRELS = DEMO / "qrels.csv"
MINUS = "\N{MINUS SIGN}"
COLOURS = {"better": "b", "worse": "a"}


@pytest.fixture(scope="module")
def compared() -> pd.DataFrame:
    """Return comparisons by segment, with totals, of measures with and without a bound of 1."""
    found: pd.DataFrame = ltr_sql.compare(
        RUNS, ["nDCG@10", "RR", "DCG@10"], qrels=QRELS, keys=["segment"], totals=True, details=True, check=False
    )
    return found


@pytest.fixture(scope="module")
def whole(compared: pd.DataFrame) -> pd.DataFrame:
    return compared[compared["total"] == 1].drop(columns=["segment", "total"]).reset_index(drop=True)


@pytest.fixture(scope="module")
def wins() -> pd.DataFrame:
    found: pd.DataFrame = ltr_sql.wins(RUNS, "old", "new", "nDCG@10", qrels=QRELS, check=False)
    return found


@pytest.fixture(scope="module")
def means() -> pd.DataFrame:
    found: pd.DataFrame = ltr_sql.evaluate(RUNS, ["nDCG@1", "RR", "nDCG@10", "nDCG@5"], qrels=QRELS, check=False)
    return found


@pytest.fixture(scope="module")
def weeks() -> pd.DataFrame:
    """Return the trend of two shops, of which one loses in the fourth week."""
    week, query = (grid.ravel() for grid in np.meshgrid(np.arange(1, 6), np.arange(40)))
    noise = (query * 5 + week * 3) % 11 / 100
    loss = {"north": np.zeros(len(week)), "south": np.where(week >= 4, 0.2, 0.0)}
    shops = [
        pd.DataFrame({"shop": s, "week": week, "query_id": query, "RR": 0.5 + noise - lost}) for s, lost in loss.items()
    ]
    found: pd.DataFrame = ltr_sql.trend(pd.concat(shops), ["RR"], by="week", values=True, keys=["shop"])
    return found


def marks(picture: plot.Plot, tag: str, kind: str | None = None) -> list[ET.Element]:
    """Return the elements of a picture with a tag and perhaps a class."""
    found = ET.fromstring(picture.svg).iter(f"{{http://www.w3.org/2000/svg}}{tag}")
    return [e for e in found if kind is None or kind in e.get("class", "").split()]


def texts(picture: plot.Plot) -> list[str]:
    return [e.text or "" for e in marks(picture, "text")]


def test_a_forest_has_a_mark_for_each_row_in_the_colour_of_its_verdict(whole: pd.DataFrame) -> None:
    picture = plot.forest(whole)
    points = [e.get("class") for e in marks(picture, "circle")]
    whiskers = [e.get("class", "").removeprefix("whisker ") for e in marks(picture, "path", "whisker")]
    assert points == whiskers == [COLOURS.get(verdict, "even") for verdict in order(whole)["verdict"]]
    assert {"better", "undecided"} <= {*whole["verdict"]} & {*texts(picture)}
    assert {*whole["measure"]} <= {*texts(picture)}
    # DCG has an axis of its own, so its difference is not to the right of those of other measures by its size.
    assert sum(f"difference, new {MINUS} old, with 95% intervals" in text for text in texts(picture)) == 2


def order(found: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of a comparison in the order of the panels of a forest."""
    return found.sort_values("measure", key=lambda names: names == "DCG@10", kind="stable")


def test_intervals_are_where_the_axis_says(whole: pd.DataFrame) -> None:
    """The positions of ticks give the scale, and whiskers and points then the numbers of the frame."""
    row = whole[whole["measure"] == "nDCG@10"]
    picture = plot.forest(row)
    (circle,), (whisker,) = marks(picture, "circle"), marks(picture, "path", "whisker")
    ticks = [e for e in marks(picture, "text") if re.fullmatch(rf"{MINUS}?[\d.]+", e.text or "")]
    xs = [float(e.get("x", "")) for e in ticks]
    values = [float((e.text or "").replace(MINUS, "-")) for e in ticks]
    found = re.fullmatch(r"M([\d.]+) [\d.]+H([\d.]+)", whisker.get("d", ""))
    assert found is not None
    positions = [float(circle.get("cx", "")), float(found[1]), float(found[2])]
    step = (values[-1] - values[0]) / (xs[-1] - xs[0])
    expected = row[["difference", "low", "high"]].iloc[0].to_numpy(float)
    assert [values[0] + (x - xs[0]) * step for x in positions] == pytest.approx(expected, abs=0.06 * step)


def test_segments_have_a_panel_for_each_measure(compared: pd.DataFrame) -> None:
    picture = plot.segments(compared)
    assert len(marks(picture, "circle")) == len(compared)
    by_measure = compared.sort_values(
        "measure", key=lambda names: names.map({m: i for i, m in enumerate(names.unique())}), kind="stable"
    )
    found = [e.get("class") for e in marks(picture, "circle")]
    assert found == [COLOURS.get(verdict, "even") for verdict in by_measure["verdict"]]
    assert {"a", "b", "even"} == {*found}
    assert [text for text in texts(picture) if text in ("model", "need", "product", "all")] == [
        *(["model", "need", "product", "all"] * 3)
    ]
    assert len([e for e in marks(picture, "text", "ink") if e.text in {*compared["measure"]}]) == 3
    assert "country de, device x" in texts(plot.segments(with_keys(compared, country="de", device="x", total=0)))
    assert "device x" in texts(plot.segments(with_keys(compared, country=None, device="x", total=1)))
    assert "no country, device x" in texts(plot.segments(with_keys(compared, country=None, device="x", total=0)))


def with_keys(compared: pd.DataFrame, **keys: Any) -> pd.DataFrame:
    """Return the first comparison with other keys."""
    row = compared.head(1).drop(columns=["segment", "total"])
    for number, (key, value) in enumerate(keys.items()):
        row.insert(number, key, [value])
    return row


def test_differences_have_a_bar_for_each_query_and_the_counts_of_compare(
    wins: pd.DataFrame, whole: pd.DataFrame
) -> None:
    picture = plot.differences(wins, "old", "new")
    bars = {kind: marks(picture, "path", kind)[0].get("d", "").count("V") for kind in ("a", "b")}
    assert bars == {"a": (wins["difference"] < 0).sum(), "b": (wins["difference"] > 0).sum()}
    row = whole[whole["measure"] == "nDCG@10"].iloc[0]
    legend = [f"better on {row['wins']}", f"worse on {row['losses']}", f"equal on {row['ties']}"]
    assert [text for text in texts(picture) if " on " in text] == legend
    assert any(f"new {MINUS} old" in text for text in texts(picture))


def test_the_colours_of_differences_know_where_lower_is_better(wins: pd.DataFrame) -> None:
    def bars(name: str) -> list[str]:
        picture = plot.differences(wins.assign(measure=name))
        return [*(e.get("d", "") for kind in "ab" for e in marks(picture, "path", kind)), *texts(picture)]

    higher, lower, unknown = bars("nDCG@10"), bars("ERR@10"), bars("latency")
    name = next(d.name for d in definitions_by_name().values() if d.better == "lower")
    turned = bars(name)
    assert turned[:2] == higher[:2][::-1] and higher[:2] == lower[:2] == unknown[:2]
    assert any(text.startswith("worse on") for text in turned)
    assert any(text.startswith("higher on") for text in unknown)


def test_a_curve_has_a_line_for_each_system_and_a_point_for_each_cutoff(means: pd.DataFrame) -> None:
    picture = plot.curve(means)
    lines = [e.get("d", "") for e in marks(picture, "path", "line")]
    assert [len(re.findall("[ML]", line)) for line in lines] == [3, 3]
    assert {"old", "new", "nDCG", "cutoff k", "5", "10"} <= {*texts(picture)}
    assert "RR" not in texts(picture)
    # SVG counts from the top.
    last = [float(line.split()[-1]) for line in lines]
    assert (last[0] > last[1]) == (means["nDCG@10"][0] < means["nDCG@10"][1])
    single = plot.curve(means.drop(columns="system").head(1))
    assert len(marks(single, "path", "line")) == 1


def test_names_of_lines_do_not_overlap(means: pd.DataFrame) -> None:
    many = pd.concat([means.head(1).assign(system=f"system {i}") for i in range(20)])
    ys = sorted(float(e.get("y", "")) for e in marks(plot.curve(many), "text") if (e.text or "").startswith("system"))
    assert len(ys) == 20
    assert min(np.diff(ys)) >= 13


def test_a_trend_has_a_point_for_each_period_in_the_colour_of_its_verdict(weeks: pd.DataFrame) -> None:
    picture = plot.trend(weeks)
    found = [e.get("class") for e in marks(picture, "circle")]
    assert found == [COLOURS.get(verdict, "even") for verdict in weeks["verdict"]]
    assert "a" in found
    assert len(marks(picture, "path", "whisker")) == len(weeks)
    assert {"RR, north", "RR, south", "week", "1", "5"} <= {*texts(picture)}
    dated = weeks.assign(week=pd.to_datetime("2026-01-0" + weeks["week"].astype(str)))
    assert "2026-01-05" in texts(plot.trend(dated))


PICTURES: dict[str, Callable[..., plot.Plot]] = {
    "compared": plot.segments,
    "whole": plot.forest,
    "wins": plot.differences,
    "means": plot.curve,
    "weeks": plot.trend,
}


@pytest.mark.parametrize("name", PICTURES)
def test_tables_of_all_libraries_give_one_picture(name: str, request: pytest.FixtureRequest) -> None:
    frame = request.getfixturevalue(name)
    draw = PICTURES[name]
    expected = draw(frame, title="A & B").svg
    table = pa.Table.from_pandas(frame, preserve_index=False)
    given = [frame, pl.from_arrow(table), table, duckdb.connect().from_arrow(table)]
    assert [draw(one, title="A & B").svg for one in given] == [expected] * 4
    assert "A & B" in texts(draw(frame, title="A & B"))
    assert draw(frame)._repr_svg_() == draw(frame).svg


@pytest.mark.parametrize("name", [*HOSTILE, "bell \x07"])
def test_names_are_escaped(name: str, compared: pd.DataFrame, means: pd.DataFrame, wins: pd.DataFrame) -> None:
    systems = means.assign(system=[name, "b"])
    of_pairs = compared.assign(segment=name, system_b=name)
    for picture in (
        plot.curve(systems, title=name),
        plot.segments(of_pairs),
        plot.forest(of_pairs, title=name[:90]),
        plot.differences(wins.head(9).assign(measure=name), name, "b"),
    ):
        root = ET.fromstring(picture.svg)
        names = {element.tag.rpartition("}")[2] for element in root.iter()}
        assert names <= {"svg", "style", "rect", "g", "path", "text", "circle"}
    assert "\N{REPLACEMENT CHARACTER}" in plot.curve(means, title="\ud800").svg


def test_segments_whose_names_are_cut_to_one_stay_apart(wins: pd.DataFrame, weeks: pd.DataFrame) -> None:
    named = wins.copy()
    named.insert(0, "segment", [f"{'x' * 50}{number % 2}" for number in range(len(wins))])
    assert sum(text.startswith("nDCG@10, ") for text in texts(plot.differences(named))) == 2
    assert len(marks(plot.trend(weeks.assign(shop="y" * 50 + weeks["shop"])), "path", "line")) == 2


def test_gaps_have_no_mark(whole: pd.DataFrame, wins: pd.DataFrame, weeks: pd.DataFrame) -> None:
    empty = whole.assign(difference=float("nan"), low=None, high=float("nan"), verdict="no values")
    assert marks(plot.forest(empty), "circle") == marks(plot.forest(empty), "path", "whisker") == []
    assert texts(plot.forest(empty)).count("no values") == len(empty)
    some = wins.assign(difference=wins["difference"].where(wins["rank"] > 3))
    assert f"{len(wins) - 3}" in texts(plot.differences(some))
    first = weeks.assign(mean=weeks["mean"].where(weeks["week"] > 1))
    assert len(marks(plot.trend(first), "circle")) == len(weeks) - 2


def labelled() -> dict[str, Any]:
    """Return three runs and judgments, for which the second run is the best one."""
    qrels = {f"q{q}": {"d1": 1, "d2": 2} for q in range(12)}
    places = {"x": (3, 1, 2), "y": (1, 2, 3), "z": (2, 3, 1)}
    runs = {
        name: {
            f"q{q}": {f"d{(d + q * (name != 'y')) % 3}": 1.0 / place for d, place in enumerate(of, 1)}
            for q in range(12)
        }
        for name, of in places.items()
    }
    return {"runs": runs, "measure": "nDCG@2", "qrels": qrels}


def test_weights_of_a_fusion_have_the_means_of_the_grid() -> None:
    given = labelled()
    tuned = ltr_sql.tune_fusion(given["runs"], given["measure"], qrels=given["qrels"], step=0.25, folds=3)
    picture = plot.weights(tuned, title="Weights")
    # A panel for each of three runs, with the best mean at each of five weights.
    circles = marks(picture, "circle")
    assert len(circles) == 15
    assert len(marks(picture, "circle", "b")) == 3
    assert texts(picture).count("comb_sum, min_max") == 3
    assert {"weight of x", "weight of y", "weight of z", "nDCG@2"} <= set(texts(picture))
    # Higher means are higher in the picture, and the best ones are chosen from.
    table = tuned.table
    best = table.assign(weight=[of["x"] for of in table["weights"]]).groupby("weight")["mean"].max()
    order = [-float(circle.get("cy", "")) for circle in circles[:5]]
    assert list(np.argsort(order, kind="stable")) == list(np.argsort(best.round(12), kind="stable"))


def test_weights_of_two_runs_have_one_panel_for_each_method() -> None:
    given = labelled()
    runs = {name: given["runs"][name] for name in ("x", "y")}
    options: dict[str, Any] = {
        "qrels": given["qrels"],
        "step": 0.5,
        "folds": 3,
        "methods": ["comb_sum", "rrf", "comb_max"],
    }
    tuned = ltr_sql.tune_fusion(runs, given["measure"], **options)
    picture = plot.weights(tuned)
    assert [text for text in texts(picture) if text.startswith(("comb", "rrf"))] == ["comb_sum, min_max", "rrf, k = 60"]
    assert len(marks(picture, "circle")) == 6
    assert len(marks(picture, "path", "whisker")) == 6
    frame = tuned.table
    rows = [(name, q, d, score) for name, run in runs.items() for q, of in run.items() for d, score in of.items()]
    table = pl.DataFrame(rows, schema=["system", "query_id", "doc_id", "score"], orient="row")
    for one in (table, table.to_arrow()):
        other = ltr_sql.tune_fusion(one, given["measure"], **options)
        assert type(other.table) is not type(frame)
        assert plot.weights(other).svg == picture.svg
    only = ltr_sql.tune_fusion(runs, given["measure"], **{**options, "methods": "comb_max"})
    with pytest.raises(ltr_sql.InputError, match="here no method takes weights"):
        plot.weights(only)
    with pytest.raises(
        ltr_sql.InputError, match=re.escape("plot.weights draws what tune_fusion returns, got DataFrame")
    ):
        plot.weights(frame)


def test_errors_name_the_function_whose_result_is_drawn(
    whole: pd.DataFrame, wins: pd.DataFrame, means: pd.DataFrame, weeks: pd.DataFrame
) -> None:
    calls: list[tuple[Callable[[Any], plot.Plot], Any, str]] = [
        (
            plot.forest,
            wins,
            "plot.forest draws the data frame that compare returns, and this one has no column system_a",
        ),
        (plot.forest, whole.head(0), "plot.forest draws the data frame that compare returns, and this one has no rows"),
        (plot.forest, {"a": 1}, "plot.forest draws the data frame that compare returns, got dict"),
        (plot.segments, whole, "plot.segments draws what compare returns with keys, such as keys=['segment']: this"),
        (
            plot.differences,
            means,
            "plot.differences draws the data frame that wins returns, and this one has no column",
        ),
        (plot.differences, wins.assign(difference=None), "all differences are NULL"),
        (plot.curve, wins, "leave out by_query=True"),
        (plot.curve, means[["system", "queries", "RR", "nDCG@5"]], "at two or more cutoffs, such as nDCG@1"),
        (plot.trend, whole, "plot.trend draws the data frame that trend returns, and this one has no column mean"),
        (plot.trend, weeks.drop(columns=["shop", "week"]), "this one has no column of periods"),
    ]
    for draw, table, message in calls:
        with pytest.raises(ltr_sql.InputError, match=re.escape(message)):
            draw(table)


def test_save_writes_svg_and_with_a_converter_png(
    whole: pd.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    picture = plot.forest(whole)
    assert picture.save(tmp_path / "a.svg").read_text(encoding="utf-8") == picture.svg
    assert repr(picture) == "Plot: Differences in nDCG@10, RR, DCG@10, with 95% intervals"
    # Without details, a comparison does not say the coverage of its intervals.
    assert repr(plot.forest(whole.drop(columns="confidence"))).endswith("DCG@10, with intervals")
    monkeypatch.setitem(sys.modules, "cairosvg", None)
    with pytest.raises(ltr_sql.InputError, match="PNG needs the package cairosvg"):
        picture.save(tmp_path / "a.png")
    assert not (tmp_path / "a.png").exists()
    converter = SimpleNamespace(svg2png=lambda bytestring, scale: b"PNG" + bytestring * (scale == 2))
    monkeypatch.setitem(sys.modules, "cairosvg", converter)
    assert picture.save(str(tmp_path / "a.PNG")) == tmp_path / "a.PNG"
    assert (tmp_path / "a.PNG").read_bytes() == b"PNG" + picture.svg.encode()
    isolated = plot.Plot("<svg>\u2068é\u2069</svg>", "").save(tmp_path / "b.png").read_text(encoding="utf-8")
    assert isolated == "PNG<svg>é</svg>"
    with pytest.raises(ltr_sql.InputError, match=re.escape("a.pdf is not the name of a picture: end it with .svg")):
        picture.save(tmp_path / "a.pdf")
    with pytest.raises(ltr_sql.InputError, match="there is no folder"):
        picture.save(tmp_path / "absent" / "a.svg")


def test_labels_of_rows_are_within_the_picture(compared: pd.DataFrame) -> None:
    """Capitals are the widest of the letters of a name: 9 pixels on average are more than they need."""
    wide = plot.forest(compared.assign(system_a="BASE", system_b=["NEW", "NEWER"] * 6))
    ends = [e for e in marks(wide, "text") if e.get("text-anchor") == "end"]
    assert len(ends) == len(compared)
    assert all(float(e.get("x", "")) - 7 * len(e.text or "") >= 0 for e in ends)
