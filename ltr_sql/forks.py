"""Close databases before a fork: a forked process can neither use nor close them, because their threads are gone."""

import os
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager

_closers: list[Callable[[], object]] = []
# Held during a fork. A lock that another thread holds during a fork would never be released in the forked process.
_lock = threading.RLock()


def close_before_fork(close: Callable[[], object]) -> None:
    """Call `close` before each fork of this process. No block of `not_while_forking` runs until the fork has ended."""
    _closers.append(close)


def not_while_forking() -> AbstractContextManager[object]:
    """Return a context in which no thread forks this process. Open databases in it, and change what a fork closes."""
    return _lock


def _before() -> None:
    _lock.acquire()
    for close in _closers:
        close()


def _after_in_parent() -> None:
    _lock.release()


def _after_in_child() -> None:
    # Other threads may have waited for the lock, and do not exist here.
    global _lock  # noqa: PLW0603
    _lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_parent=_after_in_parent, after_in_child=_after_in_child)
