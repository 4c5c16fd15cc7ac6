"""The start of the command `ltr-sql`: loads it so that Ctrl-C prints one line from the beginning."""

import os
import signal
from contextlib import suppress
from importlib import import_module
from typing import Any


def start() -> None:
    """Load the command, which takes about 0.2 s, and run it."""
    # Nothing is open or written yet. An exception would print a traceback, and modules that are loading could hide it.
    by_default = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if by_default:
        signal.signal(signal.SIGINT, _end)
    main = import_module("ltr_sql.command_line.main").main
    if by_default:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    main()


def _end(*_: Any) -> None:
    with suppress(OSError):
        os.write(2, b"Interrupted\n")
    os._exit(128 + signal.SIGINT)


if __name__ == "__main__":
    start()
