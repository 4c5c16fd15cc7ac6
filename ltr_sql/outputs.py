"""Write files: each is complete, or the old one stays."""

import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

from ltr_sql.errors import OutputError

# Paths of open files of this process.
_DESCRIPTOR = re.compile(r"/dev/fd/(\d+)|/proc/self/fd/(\d+)")
_STANDARD = {"/dev/stdout": 1, "/dev/stderr": 2}
# Characters that XML 1.0 does not allow.
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@contextmanager
def output_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield the path of a temporary file to write. Afterwards it replaces the file `path`.

    If the body raises an error, or the disk is full, the old file stays. A link keeps naming its file, which is
    replaced. A pipe or device, such as /dev/stdout, gets the bytes of the temporary file.

    Raises OutputError if the file cannot be written.
    """
    given = os.fspath(path)
    try:
        with _copied(given) if _is_stream(given) else _renamed(given) as temporary:
            yield temporary
    except OSError as error:
        raise cannot_be_written(given, error) from None


def xml_text(text: str) -> str:
    """Return a text for a file of XML, with a mark instead of each character that XML does not allow."""
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text as UTF-8 to a file, as `output_file` does. Raises OutputError if it cannot be written."""
    with output_file(path) as temporary:
        # Names may contain lone surrogates, which UTF-8 cannot encode.
        temporary.write_text(text, encoding="utf-8", errors="replace")


def cannot_be_written(what: str, error: OSError) -> OutputError:
    """Return the error for an output that an error of the system prevents."""
    return OutputError(f"{what} cannot be written: {error.strerror or error}")


@contextmanager
def _renamed(given: str) -> Iterator[Path]:
    """Yield a new file in the folder of a file, which replaces the file."""
    # Keep a relative path: the name of the working folder may not be UTF-8, which DuckDB needs.
    path = Path(os.path.realpath(given)) if Path(given).is_symlink() else Path(given)
    if path.is_dir():
        raise OutputError(f"{given} cannot be written: it is a folder")
    if not path.parent.is_dir():
        raise OutputError(f"{given} cannot be written: there is no folder {path.parent.absolute()}")
    if path.exists() and not os.access(path, os.W_OK):
        raise OutputError(f"{given} cannot be written: it is read-only")
    temporary = path.with_name(f".{uuid4().hex}.tmp")
    try:
        yield temporary
        if path.exists():
            shutil.copymode(path, temporary)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def _copied(path: str) -> Iterator[Path]:
    """Yield a temporary file, and copy its bytes to the pipe or device `path`."""
    with tempfile.TemporaryDirectory(prefix="ltr_sql-", ignore_cleanup_errors=True) as folder:
        temporary = Path(folder) / "output"
        yield temporary
        number = _descriptor(path)
        # A file that this process has open is continued: opening it again would start from its beginning.
        opened = os.open(path, os.O_WRONLY) if number is None else os.dup(number)
        with temporary.open("rb") as source, os.fdopen(opened, "wb") as target:
            shutil.copyfileobj(source, target)


def _descriptor(path: str) -> int | None:
    """Return the number of the open file that a path such as /dev/stdout names, or None for other paths."""
    found = _DESCRIPTOR.fullmatch(path)
    return int(found[1] or found[2]) if found else _STANDARD.get(path)


def _is_stream(path: str) -> bool:
    """Return whether a path is an open file of this process, a pipe or a device."""
    if _descriptor(path) is not None:
        return True
    try:
        mode = Path(path).stat().st_mode
    except (OSError, ValueError):
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))
