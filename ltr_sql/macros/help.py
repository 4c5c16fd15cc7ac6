"""The macro `ltr.help`: what each macro does and takes, from the statements that create the macros."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from ltr_sql.catalogue.measures import all_definitions
from ltr_sql.catalogue.options import Compare, Tuning, options_of
from ltr_sql.macros.helpers import statements

# The macros that answer a question. Those of single measures answer the last one, and helpers none.
QUESTIONS: Mapping[str, tuple[str, ...]] = {
    "score": ("evaluate", "per_query", "beyond_accuracy", "distribution", "compare_rankings"),
    "judge": ("judge", "rank_by_score", "pair", "pair_with_ideal", "check_run", "check_rankings"),
    "compare": ("compare", "compare_values", "leaderboard", "trend", "gate", "wins", "variance", "system_agreement"),
    "explain": ("explain", "worst"),
    "fuse": ("fuse", "tune_fusion", "group_documents"),
    "collect judgments": (
        *("pool", "unique_documents", "merge_judgments", "rater_agreement", "rater_confusion", "rater_bias"),
        *("click_judgments", "position_bias", "interleaving", "off_policy"),
    ),
    "look up": ("measures", "conventions", "help", "queries_needed"),
}
_ONE_MEASURE = "one measure"
_CREATED = re.compile(r"create or replace macro ltr\.([a-z]\w*)\((.*?)\) as table$", re.MULTILINE)
_COMMENT = re.compile(r"^comment on macro table ltr\.(\w+) is '((?:[^']|'')*)';$", re.MULTILINE)
# Parameters that examples do not name after themselves.
_EXAMPLES = {"measures": "['nDCG@10']", "measure": "'nDCG@10'", "query": "'q1'", "conditions": "['nDCG@10 worse']"}
# What parameters mean whose macros do not say it.
_MEANINGS = {
    "keys": "grouping columns, such as ['system']",
    "measures": "measure strings, such as ['nDCG@10', 'RR']; for tables of values, names of columns",
    "measure": "a measure string, such as 'nDCG@10'",
    "rankings": "name of a table of rankings: query_id, rank, relevance",
    "values": "name of a table of values: query_id, a column for each measure",
    "rated_values": "name of a table of values of raters: query_id, rater, system, value",
    "run": "name of a table: query_id, doc_id, score or rank",
    **dict.fromkeys(("run_a", "run_b"), "name of a table: query_id, doc_id, score or rank"),
    "runs": "name of a table of several runs: system, query_id, doc_id, score or rank",
    "scored": "name of a table: query_id, score, relevance",
    "pairs": "name of a table of two rankings, as ltr.pair returns",
    "qrels": "name of a table of judgments: query_id, doc_id, relevance",
    "judgments": "name of a table of judgments of raters: rater, query_id, doc_id, relevance",
    "log": "name of a table of a log",
    "weights": "name of a table: query_id, weight and any of the keys",
    "query": "an id of a query",
    "n": "number of queries",
    **dict.fromkeys(("a", "b"), "name of a system"),
    "conditions": "gates, such as ['nDCG@10 significantly worse', 'RR worse by > 2%']",
    "by": "the column of the periods, such as week",
    "by_query": "true for one row for each query",
    "name": "name of a macro",
    **dict.fromkeys(
        ("method", "model", "strategy", "estimators"), "the method, one of those that the documentation lists"
    ),
    "difference": "mean difference to find",
    "power": "probability to find it",
    "alpha": "level of the test",
}


def help_macro(macros: Iterable[str]) -> str:
    """Return the statement that creates `ltr.help`, from those that create the other macros."""
    text = "\n".join(macros)
    comments = {name: comment.replace("''", "'") for name, comment in _COMMENT.findall(text)}
    comments["help"] = "List the macros by question. With the name of a macro: its parameters, defaults and an example."
    signatures = {name: _separated(signature) for name, signature in _CREATED.findall(text)} | {
        "help": ["name := null"]
    }
    places = {name: question for question, names in QUESTIONS.items() for name in names}
    of_measures = {definition.macro: _ONE_MEASURE for definition in all_definitions().values()}
    questions = {name: question for name, question in (places | of_measures).items() if name in signatures}
    rows = [row for name, question in questions.items() for row in _rows(name, question, signatures, comments)]
    numbered = [{"number": number, **row} for number, row in enumerate(rows)]
    return statements("help", rows=numbered, comment=comments["help"])


def _rows(
    name: str, question: str, signatures: Mapping[str, list[str]], comments: Mapping[str, str]
) -> list[dict[str, Any]]:
    """Return the row of a macro, and those of its parameters."""
    parameters = [parameter.partition(" := ")[::2] for parameter in signatures[name]]
    known = [parameter.strip('"') for parameter, _ in parameters]
    options = {parameter.strip('"') for parameter, default in parameters if default}
    parts = re.split(r"(?:^|(?<=[.;)] ))([A-Za-z_]+): ", comments[name])
    said: dict[str, str] = {}
    summary = parts[0]
    for part, text in zip(parts[1::2], parts[2::2], strict=True):
        if part in options:
            said[part] = text.strip()
        elif not said:
            summary += f"{part}: {text}"
    given = [_EXAMPLES.get(p, f"'{p}'") for p, (_, default) in zip(known, parameters, strict=True) if not default]
    example = f"from ltr.{name}({', '.join(given)})"
    rows: list[tuple[str | None, str | None, str]] = [(None, None, summary.strip())]
    rows += [
        (parameter, default or "required", said.get(parameter) or _meaning(parameter))
        for parameter, (_, default) in zip(known, parameters, strict=True)
    ]
    # Only the row of the macro has the question and the example.
    return [
        {
            "macro": name,
            "question": None if p else question,
            "example": None if p else example,
            "parameter": p,
            "default": default,
            "meaning": meaning,
        }
        for p, default, meaning in rows
    ]


def _meaning(parameter: str) -> str:
    option = options_of(Compare).get(parameter) or options_of(Tuning).get(parameter)
    return _MEANINGS.get(parameter) or (option.summary if option else "")


def _separated(signature: str) -> list[str]:
    """Return the parameters of a signature. Commas in texts and lists separate none."""
    parts, depth, quoted = [""], 0, False
    for character in signature:
        quoted ^= character == "'"
        depth += 0 if quoted else {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(character, 0)
        if character == "," and not depth and not quoted:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts if part.strip()]
