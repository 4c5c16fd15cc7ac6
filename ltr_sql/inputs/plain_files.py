"""Unpack and check text files before DuckDB reads them.

DuckDB's readers do not check the checksum of a gzip file or the end of a Zstandard file. They drop a last line that
exceeds their buffer.
"""

import os
import stat
import tempfile
import zlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from ltr_sql.errors import InputError

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

    def is_empty(self, texts: Collection[str] = ()) -> bool:
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


@contextmanager
def utf8_name(path: str) -> Iterator[str]:
    """Yield a path of a file that DuckDB can open: a temporary link if the caller's path is not UTF-8."""
    try:
        path.encode()
    except UnicodeEncodeError:
        with tempfile.TemporaryDirectory(prefix="ltr_sql-", ignore_cleanup_errors=True) as folder:
            # The suffix tells DuckDB to unpack the file.
            link = Path(folder) / f"link{'.zst' if path.endswith('.zst') else ''}"
            link.symlink_to(Path(path).absolute())
            yield str(link)
    else:
        yield path


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
