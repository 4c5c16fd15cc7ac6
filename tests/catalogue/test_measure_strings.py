"""Measure strings: Python and SQL accept the same strings, with equal meanings."""

import csv
import os
import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from random import Random
from time import process_time
from typing import Any, NamedTuple

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.places import TESTS

import ltr_sql
from ltr_sql import MeasureError
from ltr_sql.catalogue.conventions import conventions
from ltr_sql.catalogue.measure_strings import (
    ARGUMENT,
    GRAMMAR,
    GROUPS,
    SEVERAL,
    find_convention,
    parse_measure,
    parse_measures,
)
from ltr_sql.catalogue.measures import definitions_by_name
from ltr_sql.catalogue.parameters import Parameter, parameters
from ltr_sql.command_line.trec_eval_outputs import outputs_named
from ltr_sql.macros.registration import BUNDLE, SCHEMA

# Factor of the number of examples.
MORE = int(os.environ.get("LTR_SQL_MORE_EXAMPLES", "1"))
BLANKS = " \t\r\n"
# A measure string, and the name of a convention.
Given = tuple[str, str | None]


class Line(NamedTuple):
    """A line of the table. `canonical` or `error` is empty. An error is the common part of the messages."""

    text: str
    canonical: str
    error: str
    note: str


def table() -> list[Line]:
    with TESTS.joinpath("measure_strings.csv").open(encoding="ascii", newline="") as lines:
        return [Line(**{**row, "text": unescaped(row["text"])}) for row in csv.DictReader(lines)]


def unescaped(text: str) -> str:
    """Replace Python's escapes, because the table is in ASCII."""
    return text.encode("ascii").decode("unicode_escape")


TABLE = table()
ACCEPTED = {line.text: line.canonical for line in TABLE if line.canonical}
REFUSED = {line.text: line.error for line in TABLE if not line.canonical}


# The two parsers


def in_python(text: str, convention: str | None = None) -> str | None:
    """Return the canonical measure string, or None if the string is refused.

    Macros also refuse measures for which a convention sets ties or missing.
    """
    try:
        measure = parse_measure(text, find_convention(convention))
    except MeasureError:
        return None
    return None if measure.ties or measure.missing else str(measure)


@pytest.fixture(scope="module")
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        yield ltr_sql.register(connection)


@pytest.fixture(scope="module")
def parser() -> Iterator[duckdb.DuckDBPyConnection]:
    """Connection with macros that return the query of a measure string, or NULL for an error.

    error() ends the statement, and TRY cannot catch it. These macros return NULL instead, so one statement can read
    many strings.
    """
    statements = re.split(r"(?m)^(?=create or replace macro )", BUNDLE.read_text(encoding="utf-8"))
    reading = [text for text in statements if re.match(r"create or replace macro ltr\.(__ltr_|measures_query\()", text)]
    with duckdb.connect() as connection:
        connection.execute("create macro no_error(message) as null")
        connection.execute(SCHEMA)
        connection.execute("\n".join(re.sub(r"\bsystem\.main\.error\(", "no_error(", text) for text in reading))
        yield connection


def in_sql(parser: duckdb.DuckDBPyConnection, strings: Iterable[Given]) -> dict[Given, str | None]:
    """Return the query of each string in SQL with its column renamed, or None if the string is refused."""
    given = list(strings)
    found = parser.execute(
        """
        select case kind
            when 'lists'
            then ltr.__ltr_beyond_accuracy(
                't', [text], 't', 't', 't', 't', 't', 'docid_desc', [], true, convention, null
            )
            else ltr.measures_query('t', kind = 'scored_pairs', [text], []::varchar[], false, convention)
        end
        from (select unnest(?::varchar[]) as text, unnest(?::varchar[]) as convention, unnest(?::varchar[]) as kind)
        """,
        [[text for text, _ in given], [convention for _, convention in given], [kind_of(text) for text, _ in given]],
    ).fetchall()
    return {each: query and unnamed(query, each[0]) for each, (query,) in zip(given, found, strict=True)}


def kind_of(text: str) -> str:
    """Return the input of the measure in a string: 'lists', 'scored_pairs' or 'rankings'."""
    named = {name: definition for name, definition in definitions_by_name().items() if name in text.lower()}
    longest = max(named, key=len, default=None)
    if longest and named[longest].beyond_accuracy:
        return "lists"
    return "scored_pairs" if any(definition.by_score for definition in named.values()) else "rankings"


def unnamed(query: str, text: str) -> str:
    name = '"' + text.strip(BLANKS).replace('"', '""') + '"'
    assert name in query
    return query.replace(name, '"measure"').replace(f'{name[:-1]} weight"', '"measure weight"')


def check_agreement(parser: duckdb.DuckDBPyConnection, strings: Iterable[Given]) -> dict[Given, str | None]:
    """Assert that both parsers refuse the same strings, and that SQL reads the others like their canonical strings.

    Returns the canonical strings, which need no convention, or None for a refused string.
    """
    # A list may hold one string for several measures.
    single = [given for given in strings if not re.fullmatch(SEVERAL, given[0].strip(BLANKS))]
    expected = {given: in_python(*given) for given in single}
    canonical = {(text, None) for text in expected.values() if text}
    queries = in_sql(parser, {*expected, *canonical})
    meanings = {text: queries[text, None] for text, _ in canonical}
    # If SQL ignored a parameter, two canonical strings would have one query.
    assert [text for text, meaning in meanings.items() if meaning is None] == []
    assert len(set(meanings.values())) == len(meanings)
    wrong = {
        given: f"{text or 'refused'} in Python, {'read otherwise' if queries[given] else 'refused'} in SQL"
        for given, text in expected.items()
        if queries[given] != (text and meanings[text])
    }
    assert not wrong
    return expected


# The table


def test_the_table_lists_each_string_once() -> None:
    assert len({line.text for line in TABLE}) == len(TABLE)
    assert all(bool(line.canonical) != bool(line.error) and line.note for line in TABLE)


@pytest.mark.slow
def test_python_reads_the_table() -> None:
    assert {text: in_python(text) for text in ACCEPTED} == ACCEPTED
    for text, error in REFUSED.items():
        with pytest.raises(MeasureError, match=re.escape(error)):
            parse_measure(text)


def test_canonical_strings_parse_to_equal_measures() -> None:
    for text, canonical in ACCEPTED.items():
        measure, again = parse_measure(text), parse_measure(canonical)
        assert (again.definition, again.values, str(again)) == (measure.definition, measure.values, canonical)


@pytest.mark.slow
def test_sql_reads_the_table(parser: duckdb.DuckDBPyConnection) -> None:
    expected = {(line.text, None): line.canonical or None for line in TABLE}
    assert check_agreement(parser, expected) == expected


# Calls are slow, so test one string per note and kind of error.
KINDS = {(line.note, line.error.partition(" got ")[0]): line for line in TABLE if line.error}


@pytest.mark.default(
    "neither fraction nor cutoff",
    "a required value is missing1",
    "-l at the end only1",
    "not a measure string",
    "a spelling has no blanks inside",
    "Arabic-Indic digits0",
    "superscript, Roman, other digits0",
    "gains are not a parameter",
)
@pytest.mark.parametrize("line", KINDS.values(), ids=lambda line: line.note)
def test_sql_raises_the_listed_errors(line: Line, con: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(duckdb.InvalidInputException, match=re.escape(line.error)) as raised:
        con.execute("select ltr.measures_query('t', false, [?], []::varchar[], false, null)", [line.text])
    assert line.text.strip(BLANKS)[:50] in str(raised.value)


def test_values_that_differ_in_a_sign_are_kept_apart(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("create or replace temp table one as select 'q' as query_id, 1 as rank, 1 as relevance")
    measures = ["AP(rel=1e-22)", "AP(rel=1e+22)"]
    assert con.execute("from ltr.per_query('one', ?)", [measures]).fetchall() == [("q", 1.0, 0.0)]


def test_every_name_is_read(parser: duckdb.DuckDBPyConnection) -> None:
    names = [spelled for name in definitions_by_name() for spelled in (name, name.upper())]
    examples = {name: definitions_by_name()[name.lower()] for name in names}
    texts = [definition.example.replace(definition.name, name, 1) for name, definition in examples.items()]
    assert None not in check_agreement(parser, [(text, None) for text in texts]).values()


@pytest.mark.slow
def test_conventions_are_read_alike(parser: duckdb.DuckDBPyConnection) -> None:
    """Test each convention on the strings whose measure it changes."""
    strings: list[Given] = []
    for name, convention in conventions().items():
        macros = {*convention.values, *convention.substitutes}
        changed = {name for name, definition in definitions_by_name().items() if definition.macro in macros}
        strings += [(text, name) for text in (*ACCEPTED, *REFUSED) if name_of(text) in changed]
        strings += [(text, name) for text in ("P", "P(rel=2)", "Precision", "F1", "ERR", "PFound", "Precision-l2")]
    found = check_agreement(parser, strings)
    assert sum(canonical != in_python(text) for (text, _), canonical in found.items()) > 100
    assert {name for (text, name), canonical in found.items() if canonical != in_python(text)} == {
        name
        for name, convention in conventions().items()
        if convention.values or convention.substitutes or convention.only
    }


def name_of(text: str) -> str:
    """Return the name in a measure string of the usual form."""
    return re.split(r"[(@.]|-l|-$", text.lower().strip(BLANKS))[0]


# Several measures in one string


SEVERAL_STRINGS = {
    "nDCG@5,10,20": ["nDCG@5", "nDCG@10", "nDCG@20"],
    "P(rel=2)@1, 3 ,5": ["P(rel=2)@1", "P(rel=2)@3", "P(rel=2)@5"],
    "ndcg_cut_5,10": ["ndcg_cut_5", "ndcg_cut_10"],
    " RBP@0.8,.9\n": ["RBP@0.8", "RBP@.9"],
    "IPrec@0,0.1,1": ["IPrec@0", "IPrec@0.1", "IPrec@1"],
    "P@5,5": ["P@5"],
}
NOT_SEVERAL = [
    "nDCG@5,",
    "nDCG@,5",
    "nDCG@5,,6",
    "nDCG@5;6",
    "nDCG@5,x",
    "nDCG@5,10-l2",
    "nDCG 5,10",
    "@5,10",
    "P@1.5,2.5",
]


@pytest.mark.default("P@5,5")
@pytest.mark.parametrize("text", SEVERAL_STRINGS)
def test_several_numbers_after_the_at_are_several_measures(text: str, con: duckdb.DuckDBPyConnection) -> None:
    expected = SEVERAL_STRINGS[text]
    assert [measure.text for measure in parse_measures([text])] == expected
    rankings = "select * from (values ('q', 1, 1), ('q', 2, 0)) as t(query_id, rank, relevance)"
    con.execute(f"create or replace temp view several_rankings as {rankings}")
    for of_several, of_each in (([text], expected), ([*expected[:1], text, "AP"], [*expected, "AP"])):
        found = con.execute("select * from ltr.evaluate('several_rankings', ?)", [of_several])
        names, rows = [column[0] for column in found.description], found.fetchall()
        assert names == ["queries", *of_each]
        assert rows == con.execute("select * from ltr.evaluate('several_rankings', ?)", [of_each]).fetchall()


@pytest.mark.parametrize("text", NOT_SEVERAL)
def test_both_parsers_refuse_malformed_lists_of_cutoffs(text: str, con: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(MeasureError):
        parse_measures([text])
    with pytest.raises(duckdb.Error, match="measure "):
        con.execute("select ltr.measures_query('t', false, ?, []::varchar[], false, null)", [[text]])


def test_official_is_the_set_that_trec_eval_prints() -> None:
    printed = outputs_named(["official"], 1)
    of_trec_eval = [output.printed for output in printed if output.measures and output.printed != "num_q"]
    assert [*GROUPS["official"]] == of_trec_eval
    assert [measure.text for measure in parse_measures(["official", "P_5"])] == of_trec_eval
    both = zip(parse_measures(["official"]), [o for o in printed if o.printed in of_trec_eval], strict=True)
    assert all(str(measure) == str(output.measures[0]) for measure, output in both)


def test_objects_of_ir_measures_are_read_by_their_text() -> None:
    kind = type(
        "Measure", (), {"__module__": "ir_measures.measures.base", "__str__": lambda self: "nDCG(dcg='exp-log2')@10"}
    )
    (measure,) = parse_measures([kind()])
    assert str(measure) == "nDCG(gain='exponential')@10"
    with pytest.raises(MeasureError, match="a measure is a string such as 'nDCG@10', got 3"):
        parse_measures([3])  # type: ignore[list-item]


# Random strings

NAMES = [*definitions_by_name()]
NUMBERS = ["0", "1", "2", "3", "10", "05", "0.5", ".5", "2.", "1.0", "0.25", "+1", "1e1", "2E-1", "+.5e0", "1e22"]
NUMBERS += ["1e-22", "0.1", "0.30", "-1", "-.5", "1e999", "0x1", "1_0"]
WORDS = ["null", "NULL", "None", "true", "True", "nan", "inf", "linear", "exp-log2", "skip", "a", "x_y"]
BLANK = ["", "", "", " ", "\t", "\n "]
# Characters that one parser might misread: punctuation, and digits, letters, blanks and signs beyond ASCII.
INSERTED = [*"()@_.-+=,'\"l015eEkT", " ", "\t", "\r", "\n", "\0", "\x0b", "\x1c", "\x85", "\u00a0", "\u2003", "\u200b"]
INSERTED += ["\u0665", "\uff15", "\u00b2", "\u2167", "\u0130", "\u212a", "\u017f", "\u00e4", "\u2212", "\uff20"]


def drawn(random: Random) -> str:
    """Draw a measure string. Most are valid before `changed`."""
    name = random.choice(NAMES)
    definition = definitions_by_name()[name]
    known = [*definition.parameters] if random.random() < 0.8 else [*definition.parameters, *parameters().values()]
    others = [p for p in known if p.name != "k" and p not in definition.required]
    asked = [p for p in definition.required if p.name != definition.at and random.random() < 0.95]
    asked += random.sample(others, min(len(others), random.choice([0, 1, 1, 2])))
    inside = ",".join(argument(random, parameter) for parameter in asked)
    number = random.choice(NUMBERS) if random.random() < 0.3 else f"{random.randint(1, 30)}"
    at = definition.parameter(definition.at) is not None
    return changed(
        random,
        random.choice(["", "", " ", "\n"])
        + random.choice([name, name.upper(), definition.name])
        + (f"({inside})" if inside or random.random() < 0.1 else "")
        + (random.choice("@@@_.") + number if random.random() < (0.8 if at else 0.05) else "")
        + ("-l2" if random.random() < 0.1 else "")
        + ("-" if random.random() < 0.1 else ""),
    )


def argument(random: Random, parameter: Parameter) -> str:
    values = [text for text in NUMBERS if parameter.type != "choice" and parameter.allows(number_of(text))]
    # No word is a map.
    allowed = [*parameter.choices, *values] or WORDS
    value = random.choice(allowed if random.random() < 0.9 else [*NUMBERS, *WORDS])
    quote = random.choice(["", "", "'", '"'])
    before, after, inner, outer = (random.choice(BLANK) for _ in range(4))
    return f"{before}{parameter.name}{after}={inner}{quote}{value}{quote}{outer}"


def number_of(text: str) -> float | None:
    try:
        return float(text.replace("_", "x"))
    except ValueError:
        return None


def changed(random: Random, text: str) -> str:
    """Return the string, sometimes with characters inserted, doubled or removed."""
    while random.random() < 0.25:
        first, last = sorted(random.choices(range(len(text) + 1), k=2))
        middle = random.choice([text[first:last] + random.choice(INSERTED), text[first:last] * 2, ""])
        text = text[:first] + middle + text[last:]
    return text


@pytest.mark.slow
@settings(max_examples=6 * MORE, deadline=None, derandomize=True)
@given(random=st.randoms(use_true_random=True))
def test_drawn_strings_are_read_alike(random: Random, parser: duckdb.DuckDBPyConnection) -> None:
    strings = [
        (drawn(random), random.choice([None, *(name for name, c in conventions().items() if not c.only)]))
        for _ in range(200)
    ]
    found = check_agreement(parser, strings)
    assert 60 < sum(canonical is not None for canonical in found.values()) < 180


# Long strings

LONG = {
    "digits after a mark": "x_" + "1" * 100_000 + "!",
    "two runs of digits": "x_" + "1" * 50_000 + "-l" + "1" * 50_000 + "!",
    "a name": "a" * 100_000,
    "marks": "a" + "_1" * 50_000,
    "marks and a sign": "a" + "_1" * 50_000 + "!",
    "levels": "P" + "-l" * 50_000,
    "levels and a sign": "P" + "-l1" * 33_000 + "!",
    "a cutoff": "nDCG@" + "1" * 100_000,
    "a cutoff with points": "nDCG@" + "1." * 50_000,
    "arguments": "P(" + "rel=1," * 20_000 + ")@5",
    "commas": "P(" + "," * 100_000 + ")@5",
    "parentheses": "P" + "(" * 50_000 + ")" * 50_000,
    "no closing parenthesis": "P(" + " " * 100_000,
    "blanks": " " * 100_000,
    "blanks in the middle": "P" + " " * 100_000 + "@5",
    "a value": "P(rel=" + "1" * 100_000 + "!)@5",
    # DuckDB 1.5 takes 0.08 s for 100,000 quotes in an argument of this macro.
    "quotes": "P(rel=" + "'" * 50_000 + ")@5",
    "1,001 characters": "P(rel=" + "0" * 991 + "2)@5",
}
LONG_ARGUMENTS = [
    "a" * 100_000,
    "a" + " " * 100_000,
    "a=" + " " * 100_000,
    "a=" + "1" * 100_000 + "!",
    "a='" + "1" * 100_000,
]


@pytest.fixture(scope="module")
def seconds_of_a_call(con: duckdb.DuckDBPyConnection) -> float:
    return min(seconds(lambda: refuse(con, "x")) for _ in range(5))


@pytest.mark.default("marks", "levels and a sign", "arguments", "no closing parenthesis", "a value")
@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
def test_long_strings_are_refused_at_once(text: str, con: duckdb.DuckDBPyConnection, seconds_of_a_call: float) -> None:
    assert in_python(text) is None
    assert takes(0.1, lambda: in_python(text))
    # Most of the time of a call does not depend on the string.
    assert takes(0.1 + seconds_of_a_call, lambda: refuse(con, text))


def refuse(con: duckdb.DuckDBPyConnection, text: str) -> None:
    with pytest.raises(duckdb.InvalidInputException):
        con.execute("select ltr.measures_query('t', false, [?], []::varchar[], false, null)", [text])


def test_1000_characters_are_read(parser: duckdb.DuckDBPyConnection, con: duckdb.DuckDBPyConnection) -> None:
    texts = [f" P(rel={'0' * length}2)@5\n" for length in (990, 991)]
    assert [len(text.strip()) for text in texts] == [1000, 1001]
    assert [*check_agreement(parser, [(text, None) for text in texts]).values()] == ["P(rel=2)@5", None]
    message = "a measure string has at most 1,000 characters, got 1,?001: '?P\\(rel=0+'?\\.\\.\\."
    with pytest.raises(MeasureError, match=message):
        parse_measure(texts[1])
    with pytest.raises(duckdb.InvalidInputException, match=message):
        con.execute("from ltr.evaluate('t', [?])", [texts[1]])


@pytest.mark.parametrize(
    ("pattern", "text"),
    [*((GRAMMAR, text) for text in LONG.values()), *((ARGUMENT, text) for text in LONG_ARGUMENTS)],
    ids=range(len(LONG) + len(LONG_ARGUMENTS)),
)
def test_the_grammar_is_linear(pattern: str, text: str, con: duckdb.DuckDBPyConnection) -> None:
    """Test the patterns without the limit of length. Match a part first, because a failure would take hours."""
    for part in (text[:3000] + text[-3000:], text):
        assert takes(0.1, partial(re.fullmatch, pattern, part))
        assert takes(0.1, partial(con.execute, "select regexp_extract(?, ?, 1)", [part, pattern]))


def takes(limit: float, function: Callable[[], Any]) -> bool:
    """Return whether one of three calls takes at most `limit` seconds of processor time."""
    return any(seconds(function) <= limit for _ in range(3))


def seconds(function: Callable[[], Any]) -> float:
    start = process_time()
    function()
    return process_time() - start
