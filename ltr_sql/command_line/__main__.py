"""The start of the command `ltr-sql`: loads it so that Ctrl-C prints one line from the beginning."""

import os
import signal
from contextlib import suppress
from typing import Any


def start() -> None:
    """Load the command, which takes about 0.2 s, and run it."""
    # Nothing is open or written yet. An exception would print a traceback, and modules that are loading could hide it.
    by_default = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if by_default:
        signal.signal(signal.SIGINT, _end)
    from ltr_sql.command_line.main import main  # noqa: PLC0415  (slow to load)

    if by_default:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    main()


def _end(*_: Any) -> None:
    with suppress(OSError):
        os.write(2, b"Interrupted\n")
    os._exit(128 + signal.SIGINT)


if __name__ == "__main__":
    start()
