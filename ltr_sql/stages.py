"""Names of what a call is doing, for a listener such as the command line."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

MEASURES, COMPARISON, FINDINGS = "measures", "comparison", "findings"
_listener: ContextVar[Callable[[str], None] | None] = ContextVar("listener", default=None)


def stage(name: str) -> None:
    """Tell the listener what the call does from now on, such as 'measures'."""
    listener = _listener.get()
    if listener is not None:
        listener(name)


@contextmanager
def listening(listener: Callable[[str], None]) -> Iterator[None]:
    """Call `listener` with the name of each stage."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)
