"""Text files before DuckDB reads them: unpacked and checked, and their form by their first lines.

DuckDB's readers do not check the checksum of a gzip file or the end of a Zstandard file. They drop a last line that
exceeds their buffer.
"""

import csv
import os
import re
import stat
import tempfile
import zlib
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO

from ltr_sql.errors import InputError
from ltr_sql.inputs.tables import is_known_column, listed_names

# Refuse a file that unpacks to more than `_LARGE` bytes and to more than `_MOST_TIMES` times its size. Runs compress to
# about a fifth of their size. The rows of a run can take 30 times the memory of its text.
_LARGE, _MOST_TIMES = 1 << 25, 200
_CHUNK = 1 << 20
_GZIP = b"\x1f\x8b"

# Magic numbers of Zstandard frames, types of blocks and the largest block: RFC 8878, section 3.1.
_FRAME, _SKIPPABLE = 0xFD2FB528, 0x184D2A50
_REPEATED, _COMPRESSED = 1, 2
_LARGEST_BLOCK = 1 << 17


@dataclass
class PlainFile:
    """A text file that DuckDB can read.

    - `path`: the caller's file, or a temporary file with its text.
    - `given`: the caller's path, for messages.
    - `blanks`: the different blanks in the text, except line ends. None for a file that DuckDB unpacks.
    - `first_line`: the first line. Empty for a file that DuckDB unpacks.
    - `longest_line`: number of bytes of the longest line, if it exceeds `_CHUNK`.
    """

    path: str
    given: str
    blanks: bytes | None = None
    first_line: str = ""
    longest_line: int = 0

    def is_empty(self, texts: Collection[str]) -> bool:
        """Return whether the file has no bytes, or only one of the `texts`."""
        size, text = Path(self.path).stat().st_size, self.first_line.strip()
        return size == 0 or (text in texts and size <= len(self.first_line) + 2)

    def refuse_long_lines(self) -> None:
        """Raise InputError if a line has more than `_CHUNK` bytes, which is below the limit of DuckDB's CSV reader."""
        if self.longest_line > _CHUNK:
            raise InputError(
                f"{self.given}: a line has {self.longest_line:,} bytes, but at most {_CHUNK:,} are read: "
                "the file is damaged, or lacks line breaks"
            )

    def lines(self) -> Iterator[tuple[int, str]]:
        """Yield the number and the text of each line, but nothing of a file that DuckDB unpacks.

        Raises InputError for text that is not UTF-8.
        """
        if self.blanks is None:
            return
        with Path(self.path).open("rb") as lines:
            for number, line in enumerate(lines, start=1):
                try:
                    yield number, line.removesuffix(b"\n").decode("utf-8-sig" if number == 1 else "utf-8")
                except UnicodeDecodeError as error:
                    raise InputError(not_utf8(f"{self.given}, line {number}", error.reason)) from None


def not_utf8(where: str, reason: str = "") -> str:
    """Return the message about text with another encoding."""
    because = f": {reason}" if reason else ""
    return f"{where} is not UTF-8{because}. Save the file as UTF-8, such as by iconv -f latin1 -t utf-8"


@contextmanager
def plain_file(path: str) -> Iterator[PlainFile]:
    """Check a file and yield it as a plain file.

    Gzip files, pipes and devices such as /dev/stdin are copied to a temporary file. Raises InputError for a file
    that is truncated or damaged, or unpacks to hundreds of times its size. Except for Zstandard files, also raises it
    for NUL bytes.
    """
    if path.endswith(".zst"):
        _check_zstandard(path)
        yield PlainFile(path, path)
        return
    try:
        with Path(path).open("rb") as file:
            start = file.read(2)
            packed = start == _GZIP
            if path.endswith(".gz") and not packed:
                raise InputError(f"{path} is not a gzip file: remove the suffix .gz, or compress it")
            chunks = _chunks(file, start)
            found = PlainFile(path, path)
            if not packed and stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                _look(found, chunks)
                yield found
                return
            with tempfile.TemporaryDirectory(prefix="ltr_sql-", ignore_cleanup_errors=True) as folder:
                found.path = str(Path(folder) / "text")
                with Path(found.path).open("wb") as copy:
                    _look(found, _unpacked(path, chunks) if packed else chunks, copy)
                yield found
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}") from None


def _chunks(file: BinaryIO, start: bytes) -> Iterator[bytes]:
    chunk = start + file.read(_CHUNK - len(start))
    while chunk:
        yield chunk
        chunk = file.read(_CHUNK)


def _look(found: PlainFile, chunks: Iterator[bytes], copy: BinaryIO | None = None) -> None:
    """Record the blanks and the lengths of lines of a text in `found`, and copy it. Raises InputError for NUL bytes."""
    blanks: set[bytes] = set()
    length = 0
    for chunk in chunks:
        if b"\0" in chunk:
            raise InputError(f"{found.given} has NUL bytes: the file is damaged, or is not text in UTF-8")
        blanks |= {blank for blank in (b" ", b"\t", b"\v", b"\f") if blank not in blanks and blank in chunk}
        first = chunk.find(b"\n")
        if not found.first_line:
            found.first_line = chunk[: max(first, 0) or None].decode("utf-8", "replace")
        found.longest_line = max(found.longest_line, length + (first if first >= 0 else len(chunk)))
        length = length + len(chunk) if first < 0 else len(chunk) - chunk.rfind(b"\n") - 1
        if copy is not None:
            copy.write(chunk)
    found.blanks = b"".join(sorted(blanks))


def _unpacked(path: str, chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the text of a gzip file in chunks. zlib verifies the checksum and the length of each member."""
    read = written = 0
    member = zlib.decompressobj(zlib.MAX_WBITS | 16)
    try:
        for chunk in chunks:
            read += len(chunk)
            packed = chunk
            while packed:
                if member.eof:
                    packed = packed.lstrip(b"\0")
                    if not packed:
                        break
                    member = zlib.decompressobj(zlib.MAX_WBITS | 16)
                text = member.decompress(packed, _CHUNK)
                packed = member.unused_data if member.eof else member.unconsumed_tail
                written += len(text)
                _refuse_bomb(path, read, written)
                if text:
                    yield text
    except zlib.error as error:
        raise InputError(f"{path} is damaged ({error}): copy the file again") from None
    if not member.eof:
        raise InputError(f"{path} is truncated: copy the file again")


def _refuse_bomb(path: str, packed: int, unpacked: int) -> None:
    if unpacked > max(_LARGE, _MOST_TIMES * packed):
        raise InputError(
            f"{path} unpacks to more than {_MOST_TIMES} times its size: unpack it first if it is what you expect"
        )


def _check_zstandard(path: str) -> None:
    """Raise InputError unless a file consists of complete Zstandard frames. DuckDB verifies their checksums."""
    size = Path(path).stat().st_size
    unpacked = 0
    with Path(path).open("rb") as file:
        while 0 <= file.tell() < size:
            magic = _number(file, 4)
            if magic & ~0xF == _SKIPPABLE:
                file.seek(_number(file, 4), 1)
                continue
            length = _read_frame(file, size) if magic == _FRAME else None
            if length is None:
                raise InputError(f"{path} is truncated, or is not a Zstandard file")
            unpacked += length
        if file.tell() != size:
            raise InputError(f"{path} is truncated, or is not a Zstandard file")
    _refuse_bomb(path, size, unpacked)


def _read_frame(file: BinaryIO, size: int) -> int | None:
    """Skip the rest of a frame, after its magic number.

    Return an upper bound of the length of its text. Return None if its last block is missing.
    """
    descriptor = _number(file, 1)
    one_segment = descriptor >> 5 & 1
    length_of_size = (one_segment, 2, 4, 8)[descriptor >> 6]
    file.seek((1 - one_segment) + (0, 1, 2, 4)[descriptor & 3], 1)
    given = _number(file, length_of_size) + (256 if length_of_size == 2 else 0)
    bound = 0
    last = False
    while not last:
        if file.tell() + 3 > size:
            return None
        block = _number(file, 3)
        last, kind, length = bool(block & 1), block >> 1 & 3, block >> 3
        bound += _LARGEST_BLOCK if kind == _COMPRESSED else length
        file.seek(1 if kind == _REPEATED else length, 1)
    file.seek(4 * (descriptor >> 2 & 1), 1)
    return given if length_of_size else bound


def _number(file: BinaryIO, length: int) -> int:
    return int.from_bytes(file.read(length), "little")


# Number of lines that are looked at.
SAMPLED = 100
DELIMITERS = ("\t", ",", ";", "|", "::")
# The roles of tables that may have a format without a header: see `session.ROLES`. What is read as values may be a run.
_JUDGED, _RANKED = ("qrels", "history"), ("run", "baseline", "values")
_LETTERS, _DIGITS = re.compile(r"[^\W\d_]+"), re.compile(r"\d+")
# Ids of one case with a digit: hashes, and keys such as B000F6TBUW.
_CODE = re.compile(r"(?=.*\d)(?:[0-9a-f-]{8,}|[0-9A-Z]{8,})")
# The columns of files in SVMlight format after the label: a query, and features.
_FEATURE = re.compile(r"qid:\S+|\d+:[-+.\deE]+")
# Unix time since 1973, in seconds. No grade is as large.
_TIMESTAMP = 1e8
_SHOWN = 100
_NAMES = {
    **dict.fromkeys(_JUDGED, "query_id, doc_id and relevance"),
    **dict.fromkeys(_RANKED, "query_id, doc_id and score, or rank"),
    "values": "system, query_id and the names of measures",
}
# In this number of lines, a third column of fewer different numbers holds ratings, and not documents.
_ENOUGH, _RATINGS = 20, 12

Rows = Sequence[Sequence[str]]


@dataclass(frozen=True)
class TextForm:
    """The form of a text file.

    - `format`: 'run', 'qrels', 'ranks' or 'scored_ranks' for a file without a header, which `readers.read_trec` reads.
      Empty for other files.
    - `delimiter`: the character that separates columns. Empty for blanks.
    - `first`: the fields of the first line.
    - `names`: the number of these fields that are known names of columns, or that the caller maps.
    - `values`: the number of these fields that look like values.
    - `unclear`: true if the caller maps fields that no other line tells from values.
    """

    format: str = ""
    delimiter: str = ""
    first: Sequence[str] = ()
    names: int = 0
    values: int = 0
    unclear: bool = False

    def refuse_without_header(self, role: str, given: str) -> None:
        """Raise InputError if the first line holds values, or may hold them. `given` is the name of the file."""
        first, names = listed_names(map(repr, self.first), 6), _NAMES.get(role, "query_id")
        if self.values and not self.names:
            raise InputError(
                f"{given} has no header, and its first line holds values, {first}: write the names of the columns into "
                f"a line above it, such as {names}"
            )
        if self.unclear:
            raise InputError(
                f"{given} may have no header: its first line, {first}, looks like the lines below it, and names read "
                f"from values would lose a row. Write the names of the columns, such as {names}, into a line above it, "
                "or in its place if it is a header"
            )


def form_of(lines: Sequence[str], role: str, given: str, mapped: Collection[str]) -> TextForm:
    """Return the form of a file.

    - `lines`: its first lines that are not blank.
    - `role`: see `session.ROLES`.
    - `given`: the name of the file, for messages.
    - `mapped`: the names of columns that the caller gives other names.

    Raises InputError for a file of SVMlight or MovieLens.
    """
    if not lines:
        return TextForm()
    _refuse_features(lines[0], given)
    table = _table_form(lines, mapped)
    # A single known name among values may be an id or the tag of a run, and a single number a name, such as 2023.
    few = table.values < 2
    of_table = table.names > (0 if few else 1) or (few and len(lines) > 1 and table.delimiter in lines[0])
    for delimiter in ("", *DELIMITERS) if role in (*_JUDGED, *_RANKED) and not of_table else ():
        if delimiter not in lines[0]:
            continue
        rows = [fields_of(line, delimiter) for line in lines]
        if delimiter.strip() and len({*map(len, rows)}) > 1:
            continue
        found = _format_without_header(rows, role)
        if found == "ratings":
            raise _ratings(lines[0], given)
        if found:
            return TextForm(found, delimiter.strip(), rows[0])
    return table


def _table_form(lines: Sequence[str], mapped: Collection[str]) -> TextForm:
    """Return the form of a table whose first line may be a header."""
    delimiter = max(DELIMITERS, key=lines[0].count)
    first, *below = [[field.strip('"') for field in fields_of(line, delimiter)] for line in lines]
    values = {
        name
        for number, name in enumerate(first)
        if first.count(name) > 1 or _is_value(name, {row[number] for row in below if len(row) > number})
    }
    named = [name for name in first if name in mapped]
    # The caller may have mapped values. A header has a name that differs from what is below it.
    differ = any(_differs(name, [row[n] for row in below if len(row) > n]) for n, name in enumerate(first))
    trusted = named if differ and values.isdisjoint(named) else []
    names = [name for name in first if is_known_column(name) or name in trusted]
    unclear = bool(named) and not names and not values
    return TextForm("", delimiter, first, len(names), len([name for name in first if name in values]), unclear=unclear)


def fields_of(line: str, delimiter: str) -> list[str]:
    """Return the fields of a line. Quotes enclose fields that commas, semicolons or bars separate."""
    if delimiter not in (",", ";", "|") or '"' not in line:
        return line.split(delimiter or None)
    try:
        return next(csv.reader([line], delimiter=delimiter))
    except csv.Error:
        return line.split(delimiter)


def _format_without_header(rows: Rows, role: str) -> str:
    """Return the format of rows, 'ratings' for those of MovieLens, or '' for others: see `TextForm`."""
    first = rows[0]
    if [*first] == [str(number) for number in range(len(first))]:
        # A header of numbers, as pandas writes it.
        return ""
    columns = [*zip(*(row for row in rows if len(row) == len(first)), strict=True)]
    if len(first) in (3, 4) and role in _RANKED and _are_ranks(columns[0], columns[2]):
        return "ranks" if len(first) == 3 else "scored_ranks"
    if len(first) == 6 and all(map(is_number_text, first[3:5])) and len({*columns[1]}) == 1:
        return "run"
    if len(first) == 4 and is_number_text(first[3]) and role != "values":
        return "ratings" if _are_ratings(*columns[1:]) else "qrels"
    return ""


def _are_ranks(queries: Sequence[str], numbers: Sequence[str]) -> bool:
    """Return whether numbers count from 1 in the rows of each query."""
    if numbers[0] != "1" or not all(number.isdecimal() for number in numbers):
        return False
    steps = pairwise(zip(queries, map(int, numbers), strict=True))
    return all(after == (before + 1 if query == other else 1) for (query, before), (other, after) in steps)


def _are_ratings(items: Sequence[str], ratings: Sequence[str], times: Sequence[str]) -> bool:
    """Return whether columns hold items, ratings and timestamps, and not subtopics, documents and grades."""
    if not all(map(is_number_text, (*ratings, *times))):
        return False
    different = len({*ratings})
    few = len(ratings) >= _ENOUGH and different < _RATINGS and different < len({*items})
    return few or all(float(time) > _TIMESTAMP for time in times)


def _ratings(line: str, given: str) -> InputError:
    """Return the error for a file of MovieLens."""
    return InputError(
        f"{given} holds user, item, rating and time, as MovieLens does, and not the columns of TREC judgments: its "
        f"first line is {line[:_SHOWN]!r}. Write the names query_id, doc_id, relevance and timestamp into a line above "
        "it, separated like its columns. A rating of 1 is then relevant, unless a measure sets another rel, as in "
        "HitRate(rel=4)@10"
    )


def _refuse_features(line: str, given: str) -> None:
    """Raise InputError for a line of a label and features, in the format of SVMlight."""
    label, *fields = line.partition("#")[0].split() or [""]
    if fields and is_number_text(label) and all(map(_FEATURE.fullmatch, fields)):
        raise InputError(
            f"{given} holds labels and features in SVMlight format, as LETOR does, and no ranking: its first line is "
            f"{line[:_SHOWN]!r}. Read labels and query ids, such as by sklearn.datasets.load_svmlight_file, and pass "
            "them with the scores of your model: ltr_sql.Evaluator.from_labels(measures, labels, "
            "group=query_ids).evaluate(scores)"
        )


def _is_value(text: str, below: Collection[str]) -> bool:
    """Return whether the first field of a column is a value, like those below it, and not a name."""
    if is_number_text(text) or text in below or _CODE.fullmatch(text):
        return True
    return _DIGITS.search(text) is not None and _shape(text) in map(_shape, below)


def _differs(name: str, below: Collection[str]) -> bool:
    """Return whether the first field of a column is a name unlike the fields below it, such as a word above numbers.

    A sentence is like a word.
    """
    return not is_number_text(name) and _shape("".join(name.split())) not in {_shape("".join(t.split())) for t in below}


def _shape(text: str) -> str:
    """Return a text with a for each sequence of letters, and 0 for each number."""
    return _DIGITS.sub("0", _LETTERS.sub("a", text))


def is_number_text(text: str) -> bool:
    """Return whether a text is a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True
