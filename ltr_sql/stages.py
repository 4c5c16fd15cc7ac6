"""Stages of a call, reported to a listener such as the command line."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeAlias

MEASURES, COMPARISON, FINDINGS = "measures", "comparison", "findings"
# A large run: a copy of it by query, and the measures of batches of queries.
COPY, OF_QUERIES = "copy of the run by query", "measures by query"
# A listener gets the name of a stage, and the share of its work that is done.
Listener: TypeAlias = Callable[[str, float], None]
_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


def stage(name: str, done: float = 0) -> None:
    """Report the stage of the call, such as 'measures', and the share of it that is done, to the listener."""
    listener = _listener.get()
    if listener is not None:
        listener(name, done)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Call `listener` with each stage."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)
