"""Output for a person at a terminal: the stage of long work, and the best values."""

import os
import shutil
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from textwrap import fill
from typing import Any, TextIO

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


def say(text: str, wrapped: bool = False) -> None:
    """Print a text on stderr, in place of the stage. Its first word may be a severity, or the decision of a gate.

    What to do is on a line of its own. With `wrapped`, it is wrapped between words at a terminal.
    """
    line = _line()
    text = text.replace(". What to do: ", ".\nWhat to do: ")
    if wrapped and line is not None:
        text = fill(text, _columns(sys.stderr), break_long_words=False, break_on_hyphens=False)
    first, colon, rest = text.partition(":")
    text = f"{coloured(first, err=True)}{colon}{rest}"
    # If stderr is closed or full, nobody can be told.
    with suppress(OSError):
        if line is None:
            click.echo(text, err=True)
        else:
            line.print(text)


def remark(text: str) -> None:
    """Print a line on stderr that is neither a warning nor an error, unless the command is quiet.

    At a terminal, it is wrapped between words.
    """
    if not click.get_current_context().meta.get(_QUIET):
        say(text, wrapped=True)


def end_stages() -> None:
    """Erase the stage, because the result follows."""
    line = _line()
    if line is not None:
        line.end()


def is_terminal() -> bool:
    """Return whether a person sees the output."""
    return sys.stdout is not None and sys.stdout.isatty()


def width() -> int | None:
    """Return the number of columns of the terminal to which the current command prints, or None for a file or pipe."""
    context = click.get_current_context(silent=True)
    if not is_terminal() or (context is not None and context.params.get("output") is not None):
        return None
    return shutil.get_terminal_size().columns


def styled(text: str, err: bool = False, **style: Any) -> str:
    """Return a text with a style of `click.style`, if standard output, or with `err` stderr, is a terminal.

    NO_COLOR and TERM=dumb turn styles off.
    """
    seen = sys.stderr is not None and sys.stderr.isatty() if err else width() is not None
    allowed = seen and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return click.style(text, **style) if allowed else text


def bold(text: str) -> str:
    """Return a text in bold type if the terminal allows it."""
    return styled(text, bold=True)


# Words that say no, that ask for care, and that say yes, as verdicts, severities and decisions of gates begin.
_COLOURS = {
    **dict.fromkeys(("worse", "✗", "error", "different"), "red"),
    **dict.fromkeys(("warning", "?"), "yellow"),
    **dict.fromkeys(("better", "✓", "equal", "equivalent", "not worse"), "green"),
}


def coloured(text: str, err: bool = False) -> str:
    """Return a verdict, severity or decision in its colour, as `styled` does."""
    colour = next((colour for word, colour in _COLOURS.items() if f"{text.lower()} ".startswith(f"{word} ")), None)
    return text if colour is None else styled(text, err, fg=colour)


def _columns(terminal: TextIO) -> int:
    # Its own size, not COLUMNS: a line that wraps cannot be erased.
    try:
        return os.get_terminal_size(terminal.fileno()).columns or 80
    except (OSError, ValueError):
        return 80
