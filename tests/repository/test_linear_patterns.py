"""Regular expressions that read input take time linear in its length: a backtracking matcher counts its steps.

DuckDB's regular expressions are linear by construction, so only those of Python are tested.
"""

import ast
import importlib
import itertools
import re
import re._constants as sre  # type: ignore[import-not-found]
import re._parser as sre_parser  # type: ignore[import-not-found]
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

import ltr_sql

FOLDER = Path(ltr_sql.__file__).parent
# These modules read our templates, never input.
OF_TEMPLATES = ("rendering", "macros", "catalogue/files", "catalogue/measures", "evaluation/kept_documents")
AT_START = ("compile", "match", "fullmatch")
ANYWHERE = ("search", "sub", "split", "findall", "finditer")
# Quadratic time has a ratio of 4, linear time of 2.
SMALL, LARGE, MOST = 24, 48, 3


def patterns() -> dict[str, tuple[str, bool]]:
    """Return the regular expressions, and whether a match may start anywhere.

    The keys are their files with their names, or with the number of a nameless one in its file.
    """
    found: dict[str, tuple[str, bool]] = {}
    for path in sorted(FOLDER.glob("**/*.py")):
        name = path.relative_to(FOLDER).as_posix()
        if not name.startswith(OF_TEMPLATES):
            source = path.read_text(encoding="utf-8")
            for call in ast.walk(ast.parse(source)):
                if isinstance(call, ast.Call) and ast.unparse(call.func) in [f"re.{f}" for f in AT_START + ANYWHERE]:
                    module = importlib.import_module(f"ltr_sql.{name[:-3].replace('/', '.')}")
                    # A compiled expression is used by its name.
                    compiled = source.splitlines()[call.lineno - 1].partition(" = re.compile")[0].strip()
                    function = ast.unparse(call.func).removeprefix("re.")
                    anywhere = function in ANYWHERE or any(f"{compiled}.{f}(" in source for f in ANYWHERE)
                    pattern = eval(ast.unparse(call.args[0]), vars(module))
                    text = pattern.decode("latin-1") if isinstance(pattern, bytes) else pattern
                    place = compiled if compiled.isidentifier() else str(sum(key.startswith(name) for key in found))
                    found[f"{name}:{place}"] = text, anywhere
    return found


PATTERNS = patterns()


class Matcher:
    """A backtracking matcher that counts its steps. It reads the tree of Python's parser."""

    def __init__(self, pattern: str) -> None:
        self.tree = sre_parser.parse(pattern)
        self.steps = 0

    def search(self, text: str, anywhere: bool) -> None:
        """Try to match at the start, or `anywhere`."""
        for start in range(len(text) + 1 if anywhere else 1):
            if next(self.ends(list(self.tree), text, start), None) is not None:
                return

    def ends(self, items: list[Any], text: str, at: int) -> Iterator[int]:
        """Return the positions at which a match of the items from a position can end, in the order of the search."""
        self.steps += 1
        if not items:
            yield at
            return
        (kind, value), rest = items[0], items[1:]
        if kind in (sre.MAX_REPEAT, sre.MIN_REPEAT):
            least, most, body = value
            middles: Iterable[int] = self.repeated(list(body), least, most, kind is sre.MAX_REPEAT, text, at)
        else:
            middles = self.one(kind, value, text, at)
        for middle in middles:
            yield from self.ends(rest, text, middle)

    def repeated(self, body: list[Any], least: int, most: int, greedy: bool, text: str, at: int) -> Iterator[int]:
        self.steps += 1
        if least <= 0 and not greedy:
            yield at
        if most > 0:
            for middle in self.ends(body, text, at):
                if middle > at:
                    yield from self.repeated(body, least - 1, most - 1, greedy, text, middle)
        if least <= 0 and greedy:
            yield at

    def one(self, kind: Any, value: Any, text: str, at: int) -> Iterable[int]:
        if kind is sre.SUBPATTERN:
            return self.ends(list(value[-1]), text, at)
        if kind is sre.BRANCH:
            return (end for branch in value[1] for end in self.ends(list(branch), text, at))
        if kind is sre.AT and value is sre.AT_BOUNDARY:
            before, after = (bool(re.match(r"\w", text[i : i + 1])) for i in (at - 1, at))
            return [at] if (at > 0 and before) != after else []
        if kind is sre.AT:
            ends = {sre.AT_BEGINNING: 0, sre.AT_END: len(text)}
            return [at] if ends[value] == at else []
        if kind in (sre.ASSERT, sre.ASSERT_NOT):
            direction, body = value
            start = at if direction > 0 else at - body.getwidth()[0]
            found = start >= 0 and next(self.ends(list(body), text, start), None) is not None
            return [at] if found == (kind is sre.ASSERT) else []
        return [at + 1] if at < len(text) and accepts(kind, value, text[at]) else []


def accepts(kind: Any, value: Any, character: str) -> bool:
    """Return whether an item of the tree that stands for one character accepts it."""
    if kind is sre.IN:
        negated = value[0][0] is sre.NEGATE
        return negated != any(accepts(of, what, character) for of, what in value[negated:])
    if kind is sre.RANGE:
        return bool(value[0] <= ord(character) <= value[1])
    if kind is sre.CATEGORY:
        letter = str(value).removeprefix("CATEGORY_")
        escape = {"DIGIT": r"\d", "SPACE": r"\s", "WORD": r"\w", "NOT_SPACE": r"\S", "NOT_WORD": r"\W"}[letter]
        return re.match(escape, character) is not None
    return kind is sre.ANY or (chr(value) == character) == (kind is sre.LITERAL)


def example(items: Iterable[Any], characters: str) -> str:
    """Return a short text that the items match."""
    text = ""
    for kind, value in items:
        if kind in (sre.MAX_REPEAT, sre.MIN_REPEAT):
            text += example(value[2], characters) * value[0]
        elif kind is sre.SUBPATTERN:
            text += example(value[-1], characters)
        elif kind is sre.BRANCH:
            text += example(value[1][0], characters)
        elif kind not in (sre.AT, sre.ASSERT, sre.ASSERT_NOT):
            text += next(c for c in characters if accepts(kind, value, c))
    return text


def prefixes(items: list[Any], characters: str, before: str = "") -> Iterator[str]:
    """Return texts that lead to each item of the tree."""
    for number, (kind, value) in enumerate(items):
        here = before + example(items[:number], characters)
        yield here
        if kind in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.SUBPATTERN):
            yield from prefixes(list(value[-1]), characters, here)
        elif kind is sre.BRANCH:
            for branch in value[1]:
                yield from prefixes(list(branch), characters, here)


def largest_ratio(pattern: str, anywhere: bool) -> float:
    """Return how the steps grow if hostile input doubles in length."""
    literals = "".join(dict.fromkeys(re.sub(r"\\.|[A-Za-z0-9\s]", "", pattern)))
    characters = "".join(dict.fromkeys("a1 " + literals + "".join(map(chr, range(32, 256))) + "\t\n"))
    pumps = ["".join(p) for n in (1, 2) for p in itertools.product(characters[:7], repeat=n)]
    largest = 0.0
    for before in dict.fromkeys(prefixes(list(sre_parser.parse(pattern)), characters)):
        for pump in pumps:
            steps = []
            for times in (SMALL, LARGE):
                matcher = Matcher(pattern)
                matcher.search(before + pump * times + "\0", anywhere)
                steps.append(matcher.steps)
            largest = max(largest, steps[1] / steps[0])
    return largest


@pytest.mark.default("catalogue/ranges.py:2")
@pytest.mark.parametrize("place", PATTERNS)
def test_regular_expressions_are_linear(place: str) -> None:
    assert largest_ratio(*PATTERNS[place]) <= MOST


@pytest.mark.parametrize("pattern", [r"\s*\s*x", r"(a|a1)*a*$", r"[a ]*,?[a1]*="])
def test_other_regular_expressions_are_found(pattern: str) -> None:
    assert largest_ratio(pattern, anywhere=False) > MOST
