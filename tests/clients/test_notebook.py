"""Ctrl-C in a notebook: the kernel interrupts an evaluation in accuracy, and goes on."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

jupyter = pytest.importorskip("jupyter_client")
pytest.importorskip("ipykernel")
pytestmark = pytest.mark.clients

DATA = """
import duckdb
import ltr_sql
from ltr_sql.evaluation import accuracy
from ltr_sql.stages import listening

con = duckdb.connect()
rows = "select i // 100 as query_id, i % 100 as doc_id, hash(i)::double as score from range(3000000) as t(i)"
con.execute(f"create table run as {rows} order by hash(i) asc")
con.execute("create table qrels as select query_id, doc_id, doc_id % 3 as relevance from run where doc_id < 20")
con.execute("create table few as from run where query_id < 10")
accuracy._ROWS = 30_000
shares = []
"""
EVALUATE = """
print("evaluating", flush=True)
with listening(lambda _, share: shares.append(share)):
    ltr_sql.evaluate("run", ["AP"], qrels="qrels", con=con)
"""


@pytest.fixture
def kernel(tmp_path: Path) -> Iterator[tuple[Any, Any]]:
    """A kernel, and the client that sends it cells. Its folder is a temporary folder."""
    manager = jupyter.KernelManager(kernel_name="python3")
    manager.start_kernel(cwd=str(tmp_path))
    client = manager.client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=60)
        yield manager, client
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def test_an_interruption_ends_an_evaluation_and_leaves_no_file(kernel: tuple[Any, Any], tmp_path: Path) -> None:
    manager, client = kernel
    assert client.execute_interactive(DATA, timeout=60)["content"]["status"] == "ok"
    client.execute(EVALUATE)
    while client.get_iopub_msg(timeout=60)["content"].get("text") != "evaluating\n":
        pass
    # The run is copied, and then evaluated in 100 accuracy.
    copies = tmp_path / ".tmp"
    while not copies.exists():
        time.sleep(0.01)
    manager.interrupt_kernel()
    assert client.get_shell_msg(timeout=60)["content"]["ename"] == "KeyboardInterrupt"
    assert client.execute_interactive("assert max(shares) < 0.5", timeout=60)["content"]["status"] == "ok"
    assert list(tmp_path.iterdir()) == []
    assert client.execute_interactive(EVALUATE.replace("run", "few"), timeout=60)["content"]["status"] == "ok"
