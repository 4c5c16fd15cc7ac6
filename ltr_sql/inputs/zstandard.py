"""Detect truncated Zstandard files, which DuckDB reads without an error."""

from pathlib import Path
from typing import BinaryIO

# Magic numbers of frames, and the type of a block that repeats one byte: RFC 8878, section 3.1.
_FRAME, _SKIPPABLE = 0xFD2FB528, 0x184D2A50
_REPEATED = 1


def is_whole(path: str) -> bool:
    """Return whether a file consists of complete frames, each with its last block and its checksum."""
    size = Path(path).stat().st_size
    with Path(path).open("rb") as file:
        while 0 <= file.tell() < size:
            magic = _number(file, 4)
            if magic & ~0xF == _SKIPPABLE:
                file.seek(_number(file, 4), 1)
            elif magic != _FRAME or not _read_frame(file, size):
                return False
        return file.tell() == size


def _read_frame(file: BinaryIO, size: int) -> bool:
    """Skip a frame, after its magic number. Return false if its last block is missing."""
    descriptor = _number(file, 1)
    one_segment = descriptor >> 5 & 1
    length_of_size = (one_segment, 2, 4, 8)[descriptor >> 6]
    file.seek((1 - one_segment) + (0, 1, 2, 4)[descriptor & 3] + length_of_size, 1)
    last = False
    while not last:
        if file.tell() + 3 > size:
            return False
        block = _number(file, 3)
        last = bool(block & 1)
        file.seek(1 if block >> 1 & 3 == _REPEATED else block >> 3, 1)
    file.seek(4 * (descriptor >> 2 & 1), 1)
    return True


def _number(file: BinaryIO, length: int) -> int:
    return int.from_bytes(file.read(length), "little")
