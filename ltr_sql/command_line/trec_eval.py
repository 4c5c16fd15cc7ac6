"""trec_eval's command: its names of measures and groups of them, its options, and the lines that it prints."""

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ltr_sql.checks import quick_check_alone, refuse_judgments_twice
from ltr_sql.errors import InputError, MeasureError
from ltr_sql.inputs.binding import Bound, bind_tables
from ltr_sql.inputs.gains import Gains, parse_gain
from ltr_sql.inputs.readers import run_id
from ltr_sql.inputs.session import Session, with_session
from ltr_sql.inputs.tables import Table, comparable
from ltr_sql.language.catalogue import definitions_by_name, relations
from ltr_sql.language.measure_strings import Measure, parse_measure
from ltr_sql.sqltext.columns import NamedColumns
from ltr_sql.sqltext.render import Renderer
from ltr_sql.sqltext.templates import render_template

_CUTOFFS = ("5", "10", "15", "20", "30", "100", "200", "500", "1000")
_LEVELS = tuple(str(tenth / 10) for tenth in range(11))
_MULTIPLES = tuple(str(fifth / 5) for fifth in range(1, 11))

# What is printed in this order, whatever the order of -m; with the values at the @ that a measure has by default.
_DEFAULTS: dict[str, tuple[str, ...]] = {
    "runid": (),
    "num_q": (),
    "num_ret": (),
    "num_rel": (),
    "num_rel_ret": (),
    "map": (),
    "gm_map": (),
    "Rprec": (),
    "bpref": (),
    "recip_rank": (),
    "iprec_at_recall": _LEVELS,
    "P": _CUTOFFS,
    "relstring": (),
    "recall": _CUTOFFS,
    "infAP": (),
    "gm_bpref": (),
    "Rprec_mult": _MULTIPLES,
    "utility": (),
    "11pt_avg": (),
    "binG": (),
    "G": (),
    "dcg": (),
    "ideal_dcg": (),
    "ndcg": (),
    "ndcg_rel": (),
    "Rndcg": (),
    "ndcg_cut": _CUTOFFS,
    "map_cut": _CUTOFFS,
    "relative_P": _CUTOFFS,
    "success": ("1", "5", "10"),
    "set_P": (),
    "set_relative_P": (),
    "set_recall": (),
    "set_map": (),
    "set_F": (),
    "num_nonrel_judged_ret": (),
    "yaap": (),
    "rbp": (),
    "rbp_resid": (),
    "unj": ("5", "10", "20"),
}
_NAMES = list(_DEFAULTS)
_GROUPS = {
    "official": _NAMES[: _NAMES.index("P") + 1],
    "set": ["runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "utility"]
    + [name for name in _NAMES if name.startswith("set_")],
    "all_trec": [name for name in _NAMES if name not in ("dcg", "ideal_dcg", "yaap")],
}
# Where the name of a measure is followed by the gains of grades, as in ndcg.1=3,2=9, this one has another definition.
_BINARY_WITHOUT_GAINS = "rbp"
# Texts, not measures: the name of the run, and the grades of the first documents.
_RUN_ID, _GRADES = "runid", "relstring"
# With levels of its own, the mean of interpolated precision at these.
_MEAN_OVER_LEVELS = "11pt_avg"
_TOP = "10"
_TIES = "docid_desc"


@dataclass(frozen=True)
class Options:
    """trec_eval's options; the names are those of its help."""

    by_query: bool = False  # -q
    complete: bool = False  # -c
    summary: bool = True  # not -n
    level: int = 1  # -l
    depth: int | None = None  # -M
    judged_only: bool = False  # -J

    @property
    def changes_ranks(self) -> bool:
        """Whether documents of the run are left out."""
        return self.depth is not None or self.judged_only


@dataclass(frozen=True)
class _Asked:
    """What lines are printed for: a measure of ours, the mean of several, or a text, by the name that is printed.

    `gains` are those of grades that do not gain themselves.
    """

    printed: str
    name: str
    measures: tuple[Measure, ...] = ()
    gains: Gains | None = None
    argument: str = ""

    @property
    def for_queries(self) -> bool:
        """Whether it is printed for each query."""
        return self.name not in (_RUN_ID, "num_q") and self._average != "geometric"

    @property
    def for_all(self) -> bool:
        """Whether it is printed for all queries together."""
        return self.name != _GRADES

    @property
    def _average(self) -> str:
        return self.measures[0].definition.average if self.measures else ""

    def value(self, values: Mapping[Any, Any]) -> str:
        """Its value as it is printed, from those of the measures: a number of documents, or four decimals."""
        if not self.measures:
            return str(values[self.printed])
        value = sum(values[self.gains, measure.text] for measure in self.measures) / len(self.measures)
        return str(int(value)) if self._average == "sum" else decimals(value)


def line(name: str, query: str, value: str) -> str:
    """A line as trec_eval prints it."""
    return f"{name:<22}\t{query}\t{value}"


def decimals(value: float) -> str:
    """A number as trec_eval prints it."""
    return f"{value:6.4f}"


def measures_of(group: str) -> list[str]:
    """The measure strings of a group of trec_eval's measures, such as all_trec."""
    return list(dict.fromkeys(measure.text for each in _asked([group], 1) for measure in each.measures))


def trec_eval(qrels: Any, run: Any, names: Sequence[str], options: Options) -> list[str]:
    """The lines that trec_eval 10 prints for a run, for measures by its own names; the official ones by default.

    The few lines that differ are named in the help of the command.
    Raises MeasureError for a name or parameter that it does not know or that is not held here, and InputError.
    """
    asked = _asked(names or ["official"], options.level)
    measures = _by_gains(asked) or {None: [_measure("num_q")]}

    def printed(state: Session) -> list[str]:
        tables = comparable(state.bind(run, "run"), state.bind(qrels, "qrels"))
        quick_check_alone(state.con, "the run", tables[0], ())
        refuse_judgments_twice(state.con, *tables)
        grades = [each for each in asked if each.name == _GRADES and options.by_query]
        ranked = _ranked(state, tables, options) if grades or options.changes_ranks else tables[0]
        of_queries: dict[Any, dict[Any, Any]] = {}
        of_all: dict[Any, Any] = {_RUN_ID: run_id(run)} if options.summary else {}
        for gains, group in measures.items():
            judged = (tables[0], tables[1] if gains is None else gains.in_place_of_grades(tables[1]))
            for query, values in _evaluated(state, _bound(judged, ranked, group, options), group, of_all, gains):
                of_queries.setdefault(query, {}).update(values)
        if not of_queries:
            raise InputError("no query of the run is judged: the query ids of run and judgments differ")
        lines = []
        if options.by_query:
            texts = {each.printed: _grades(state, ranked, tables[1], each) for each in grades}
            for query, values in of_queries.items():
                values |= {name: by_query.get(query, "''") for name, by_query in texts.items()}
                lines += [line(each.printed, str(query), each.value(values)) for each in asked if each.for_queries]
        if options.summary:
            lines += [line(each.printed, "all", each.value(of_all)) for each in asked if each.for_all]
        return lines

    lines: list[str] = with_session(None, printed)
    return lines


def _by_gains(asked: Sequence[_Asked]) -> dict[Gains | None, list[Measure]]:
    """The measures, each once, by the gains of grades that they are computed with."""
    found: dict[Gains | None, dict[str, Measure]] = {}
    for each in asked:
        if each.measures:
            found.setdefault(each.gains, {}).update({measure.text: measure for measure in each.measures})
    return {gains: list(measures.values()) for gains, measures in found.items()}


def _evaluated(
    state: Session, bound: Bound, measures: Sequence[Measure], of_all: dict[Any, Any], gains: Gains | None
) -> Iterator[tuple[Any, dict[Any, Any]]]:
    """Each query with the values of measures, by gains and text; those of all queries go to `of_all`."""
    # In the order of ids as text, in which trec_eval sums as well: so that sums agree in the last bit, too.
    query = f"from (\n{bound.query(measures, averaged=False)}\n)\norder by cast(query_id as varchar)"
    state.con.execute(f"create or replace temp table __ltr_values as\n{query}")
    (averages,) = _rows(state, bound.averages(measures, "from __ltr_values"))
    of_all.update({(gains, name): value for name, value in averages.items()})
    for row in _rows(state, "from __ltr_values"):
        yield row.pop("query_id"), {(gains, name): value for name, value in row.items()}


def _rows(state: Session, sql: str) -> list[dict[str, Any]]:
    cursor = state.con.execute(sql)
    names = [column[0] for column in cursor.description or []]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def _ranked(state: Session, tables: tuple[Table, Table], options: Options) -> Table:
    """The run with the ranks that -M and -J leave."""
    run, qrels = tables
    renderer = Renderer(NamedColumns((), run.dialect, kept=("doc_id",)), run.dialect)
    by_score = renderer.relation(
        relations()["rank_by_score"],
        inputs={"scored": run.sql},
        has_rank={"scored": False},
        values={"ties": _TIES},
    )
    query = renderer.template(
        "entry_points/shortened_run.sql",
        run=run.sql if "rank" in run.columns else f"(\n{by_score}\n)",
        qrels=qrels.sql,
        depth=options.depth,
        judged_only=options.judged_only,
    )
    state.con.execute(f"create temp table __ltr_shortened as\n{query}")
    return state.table("__ltr_shortened")


def _bound(tables: tuple[Table, Table], ranked: Table, measures: Sequence[Measure], options: Options) -> Bound:
    """The ranked run and judgments for measures; the queries are those of the whole run."""
    run, qrels = tables
    missing = "zero" if options.complete else "skip"
    bound = bind_tables(ranked, qrels, measures, (), _TIES, missing)
    queries = Renderer(NamedColumns((), run.dialect), run.dialect).template(
        "entry_points/judged_queries.sql", relations={"run": run.sql, "qrels": qrels.sql}, missing=missing
    )
    return replace(bound, source=replace(bound.source, queries=queries))


def _grades(state: Session, ranked: Table, qrels: Table, asked: _Asked) -> dict[Any, str]:
    """The grades of the first documents of each query as one text."""
    query = render_template(
        "entry_points/relstring.sql", run=ranked.sql, qrels=qrels.sql, depth=int(asked.argument or _TOP)
    )
    return {row["query_id"]: f"'{row['grades']}'" for row in _rows(state, query)}


def _asked(texts: Sequence[str], level: int) -> list[_Asked]:
    """What the arguments of -m name, in the order in which it is printed."""
    arguments: dict[str, list[str]] = {}
    for text in texts:
        name, _, given = text.partition(".")
        for each in _GROUPS.get(name, [name]):
            if each not in _DEFAULTS or (name in _GROUPS and given):
                raise MeasureError(f"unknown measure {text!r}{_nearest(text)}")
            arguments.setdefault(each, []).extend(filter(None, [given]))
    return [each for name in _DEFAULTS if name in arguments for each in _with_arguments(name, arguments[name], level)]


def _nearest(text: str) -> str:
    known = {name.lower(): name for name in (*_DEFAULTS, *_GROUPS)}
    near = [known[name] for name in difflib.get_close_matches(re.split(r"[.@_]?[0-9]", text.lower())[0], known, n=3)]
    found = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join([*_GROUPS, *_DEFAULTS])}"
    return f"; {found} What follows a point are its parameters, as in P.5,10"


def _with_arguments(name: str, given: Sequence[str], level: int) -> Iterator[_Asked]:
    if name == _RUN_ID:
        yield _Asked(name, name)
    elif name == _GRADES:
        argument = given[0] if given else ""
        if argument and not argument.isdecimal():
            raise MeasureError(f"{name} takes a number of documents, as in {name}.{_TOP}, got {argument!r}")
        yield _Asked("_".join(filter(None, [name, argument])), name, argument=argument)
    elif _DEFAULTS[name]:
        definition = definitions_by_name()[name.lower()]
        at = definition.parameter(definition.at)
        for value in _numbers(name, ",".join(given).split(",") if given else _DEFAULTS[name]):
            shown = f"{value:.0f}" if at and at.type == "integer" else f"{value:3.2f}"
            yield _Asked(f"{name}_{shown}", name, (_measure(name, [], level, f"@{value:g}"),))
    else:
        # Of several lists of parameters, the first counts.
        argument = given[0] if given else ""
        printed = "_".join(filter(None, [name, argument]))
        if name == _MEAN_OVER_LEVELS and argument:
            yield _Asked(printed, name, tuple(_at_levels(argument, level)))
        else:
            gains, others = _gains(name, argument)
            yield _Asked(printed, name, (_with_parameters(name, others, gains, level),), gains)


def _numbers(name: str, texts: Sequence[str]) -> list[float]:
    try:
        return sorted({float(text) for text in texts if text})
    except ValueError:
        raise MeasureError(f"{name} takes numbers, as in {name}.{','.join(_DEFAULTS[name][:2])}") from None


def _at_levels(argument: str, level: int) -> Iterator[Measure]:
    """Interpolated precision at each of some levels of recall."""
    texts = argument.split(",")
    try:
        levels = [float(text) for text in texts]
    except ValueError:
        raise MeasureError(f"{_MEAN_OVER_LEVELS} takes levels of recall, as in {_MEAN_OVER_LEVELS}.0.2,0.5") from None
    if levels != sorted(levels):
        # trec_eval takes a level that follows a larger one for 0.
        raise MeasureError(f"{_MEAN_OVER_LEVELS}.{argument}: give the levels of recall in ascending order")
    for value in levels:
        yield _measure("iprec_at_recall", [], level, f"@{value:g}")


def _gains(name: str, argument: str) -> tuple[Gains | None, list[str]]:
    """The gains of grades among the parameters of a measure, and the other parameters."""
    texts = argument.split(",") if argument else []
    gains = [text for text in texts if re.match(r"-?\d+=", text)]
    if gains and not _takes_gains(name):
        taking = ", ".join(filter(_takes_gains, _DEFAULTS))
        raise MeasureError(f"{name}.{argument}: grades have gains for {taking} only")
    found: dict[int, float] = {}
    for text in gains:
        pair = parse_gain(text)
        if pair is None:
            raise MeasureError(f"{name}.{argument}: a gain is written as GRADE=GAIN, both from 0, got {text!r}")
        found.setdefault(*pair)
    return Gains(tuple(sorted(found.items()))) if found else None, [text for text in texts if text not in gains]


def _takes_gains(name: str) -> bool:
    """Whether a name can be followed by gains: not if the values at its @ are."""
    definition = definitions_by_name().get(name.lower())
    return definition is not None and not _DEFAULTS[name] and (definition.gains or name == _BINARY_WITHOUT_GAINS)


def _with_parameters(name: str, texts: Sequence[str], gains: Gains | None, level: int) -> Measure:
    """A measure of ours with parameters as trec_eval writes them."""
    if name == _BINARY_WITHOUT_GAINS and gains:
        return parse_measure(f"GradedRBP({', '.join([*_assignments(name, texts), 'unit=1'])})")
    return _measure(name, _assignments(name, texts), level)


def _assignments(name: str, texts: Sequence[str]) -> Sequence[str]:
    """The parameters of a measure as trec_eval writes them: by name, or numbers in their order."""
    if not texts or "=" in texts[0]:
        return texts
    names = [p.name for p in definitions_by_name()[name.lower()].parameters if p.type == "number" and p.name != "rel"]
    if len(texts) > len(names):
        takes = f"at most {', '.join(names)}" if names else "no parameters here"
        raise MeasureError(f"{name}.{','.join(texts)}: {name} takes {takes}")
    return [f"{parameter}={text}" for parameter, text in zip(names, texts, strict=False)]


def _measure(name: str, assignments: Sequence[str] = (), level: int = 1, at: str = "") -> Measure:
    """A measure of ours by trec_eval's name; the level counts where relevance is yes or no."""
    if definitions_by_name()[name.lower()].parameter("rel") and level != 1:
        assignments = [*assignments, f"rel={level}"]
    return parse_measure(f"{name}({', '.join(assignments)}){at}" if assignments else f"{name}{at}")
