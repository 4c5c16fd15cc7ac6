"""The memory of this process."""

import os
from pathlib import Path

import pytest

# Memory that an allocator may keep.
SLACK = 128 * 2**20


def memory() -> int:
    """Return the resident memory of this process in bytes."""
    statm = Path("/proc/self/statm")
    if not statm.exists():
        pytest.skip("memory is read from /proc")
    return int(statm.read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")
