"""Output for a person at a terminal: the stage of long work, and the best values."""

import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TextIO

import click

from ltr_sql.stages import listening

# Seconds before a stage is shown, and between two updates.
_PATIENCE, _INTERVAL = 1.0, 0.2
_ERASE = "\r\x1b[K"


class StageLine:
    """A line on a terminal with the current stage and its seconds.

    It appears after one second of work, is rewritten in place, and is erased by `end`.
    """

    def __init__(self, terminal: TextIO) -> None:
        self._terminal = terminal
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._stage = ""
        self._since = 0.0
        self._done = self._whole = 0.0
        self._visible = False
        self._thread: threading.Thread | None = None

    def show(self, name: str, done: float = 0) -> None:
        """Show a stage from now on. If a share of it is done, also show that share and the time left."""
        with self._lock:
            if name != self._stage:
                self._stage, self._since = name, time.monotonic()
            self._done = done
            if done:
                self._whole = (time.monotonic() - self._since) / done
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, daemon=True)
                self._thread.start()

    def print(self, text: str) -> None:
        """Print a line above the stage."""
        with self._lock:
            self._erase()
            click.echo(text, err=True)

    def end(self) -> None:
        """Erase the line, and show no further stage."""
        with self._lock:
            self._ended.set()
            self._erase()

    def _run(self) -> None:
        wait = _PATIENCE
        while not self._ended.wait(wait):
            wait = _INTERVAL
            with self._lock:
                if not self._ended.is_set():
                    self._update()

    def _update(self) -> None:
        passed = time.monotonic() - self._since
        text = f"{self._stage}: {passed:.0f} s"
        if self._done:
            text += f", {self._done:.0%} done, about {max(0, self._whole - passed):.0f} s left"
        # A line that wraps cannot be rewritten.
        text = text[-max(8, _columns(self._terminal) - 1) :]
        self._write(_ERASE + "".join(c if c.isprintable() else "?" for c in text))
        self._visible = True

    def _erase(self) -> None:
        if self._visible:
            self._write(_ERASE)
            self._visible = False

    def _write(self, text: str) -> None:
        encoding = self._terminal.encoding
        try:
            self._terminal.write(text.encode(encoding, "replace").decode(encoding))
            self._terminal.flush()
        except (OSError, ValueError):
            # The terminal is gone.
            self._ended.set()


_QUIET = "ltr_sql.quiet"
_LINE = "ltr_sql.line"


@contextmanager
def stages_shown() -> Iterator[None]:
    """Show the stages of the current command if stderr is a terminal, unless the command is quiet."""
    meta = click.get_current_context().meta
    if sys.stderr is None or not sys.stderr.isatty():
        yield
        return
    line = meta[_LINE] = StageLine(sys.stderr)

    def show(name: str, done: float) -> None:
        if not meta.get(_QUIET):
            line.show(name, done)

    try:
        with listening(show):
            yield
    finally:
        line.end()


def _line() -> StageLine | None:
    context = click.get_current_context(silent=True)
    line: StageLine | None = None if context is None else context.meta.get(_LINE)
    return line


def be_quiet(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    """Set --quiet."""
    ctx.meta[_QUIET] = value


def say(text: str) -> None:
    """Print a line on stderr, in place of the stage."""
    line = _line()
    # If stderr is closed or full, nobody can be told.
    with suppress(OSError):
        if line is None:
            click.echo(text, err=True)
        else:
            line.print(text)


def remark(text: str) -> None:
    """Print a line on stderr that is neither a warning nor an error, unless the command is quiet."""
    if not click.get_current_context().meta.get(_QUIET):
        say(text)


def end_stages() -> None:
    """Erase the stage, because the result follows."""
    line = _line()
    if line is not None:
        line.end()


def is_terminal() -> bool:
    """Return whether a person sees the output."""
    return sys.stdout is not None and sys.stdout.isatty()


def bold(text: str) -> str:
    """Return a text in bold type if the terminal allows it: NO_COLOR and TERM=dumb turn it off."""
    allowed = is_terminal() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return f"\x1b[1m{text}\x1b[0m" if allowed else text


def _columns(terminal: TextIO) -> int:
    try:
        return os.get_terminal_size(terminal.fileno()).columns or 80
    except (OSError, ValueError):
        return 80
