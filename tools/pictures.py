"""Draw the pictures of README and docs: `python -m tools.pictures`. The pictures of pages need Chromium.

- `docs/speed.svg`: the first table of benchmarks with ranks, from `benchmarks/README.md`.
- `docs/conventions.svg`: one run under every convention.
- `docs/gate.svg`: `ltr-sql compare` at a terminal, with a gate that fails.
- `docs/plot_forest.svg` and other `plot_*.svg`: what `ltr_sql.plot` draws of the example data.
- `docs/report.png` and its variants in dark mode and for phones: the report of the example data.
- `docs/query.png`, `query-dark.png`: the query of this report that lost most, with its documents.

`docs/report.sha256` tells which files the pictures of the report show, so that a test can say when they are stale.
"""

import contextlib
import hashlib
import io
import os
import re
import shlex
import shutil
import subprocess
import tempfile
from html import escape
from pathlib import Path
from typing import Any
from unittest import mock

import ltr_sql
from ltr_sql.command_line.main import main
from ltr_sql.reports import page

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
DEMO = ROOT / "demo"
_STYLE = (
    "<style>text{fill:#1c2024;font:13px system-ui,sans-serif}.q{fill:#586069}.t{font-weight:700}.b{fill:#8a939d}"
    ".o{fill:#0b5cad}line{stroke:#d9dee4}@media(prefers-color-scheme:dark){text{fill:#e6e9ec}.q{fill:#a3adb8}"
    ".o{fill:#79b8ff}line{stroke:#39414a}}</style>"
)
_ROW = re.compile(r"\| (ltr_sql|pytrec_eval|ir_measures|ranx)(?:, ranks, Parquet)? +\| +([\d.]+) \| +([\d,]+) \|")
# Width, height and theme of each picture of the report, and the query that it shows.
_REPORT = {
    "report": (1200, 900, "light", ""),
    "report-dark": (1200, 900, "dark", ""),
    "report-phone": (500, 900, "light", ""),
    "report-phone-dark": (500, 900, "dark", ""),
    "query": (1200, 780, "light", "q084"),
    "query-dark": (1200, 780, "dark", "q084"),
}
# What hides the rest of the page around the documents of a query.
_ONLY_LISTS = (
    "<style>header,nav,footer,section:not(#queries),#queries>:not(.split),.split>:not(#lists){display:none!important}"
    ".split{display:block!important}</style>"
)
# A command as it is typed, in two lines: one of its gates fails.
_GATES = (
    "ltr-sql compare qrels.csv new.csv --baseline old.csv -m nDCG@10,RR",
    "  --fail-if 'nDCG@10 significantly worse' --fail-if 'RR possibly worse by > 2%'",
)
_TERMINAL = (
    "<style>rect{fill:#f6f8fa;stroke:#d9dee4}text{fill:#1c2024;font:13px ui-monospace,Menlo,Consolas,monospace;"
    "white-space:pre}.c1{font-weight:700}.c31{fill:#b3261e}.c32{fill:#1a7f37}.c33{fill:#9a6700}"
    "@media(prefers-color-scheme:dark){rect{fill:#14181d;stroke:#39414a}text{fill:#e6e9ec}.c31{fill:#ff8a80}"
    ".c32{fill:#7ee787}.c33{fill:#e3b341}}</style>"
)
_COLUMNS = 80
# The time that the report names, so that equal reports give equal pictures: 2026-11-26 12:00 UTC.
_EPOCH = "1795694400"


def speed() -> str:
    """Return bars of seconds and peak memory."""
    text = (ROOT / "benchmarks" / "README.md").read_text(encoding="utf-8")
    rows = _ROW.findall(text[text.index("A run with ranks, from Parquet to means") :])[:4]
    tools = [(name, float(seconds), int(megabytes.replace(",", "")) / 1000) for name, seconds, megabytes in rows]
    parts = ['<text x="110" y="16" class="q">seconds</text><text x="480" y="16" class="q">peak memory, GB</text>']
    for i, (name, *values) in enumerate(tools):
        y = 32 + i * 36
        parts.append(f'<text x="100" y="{y + 15}" text-anchor="end"{_bold(i)}>{name}</text>')
        for column, (start, width) in enumerate([(110, 290), (480, 220)]):
            length = max(2, values[column] / max(row[column + 1] for row in tools) * width)
            parts.append(
                f'<rect class="{"b" if i else "o"}" x="{start}" y="{y}" width="{length:.1f}" height="20" rx="2"/>'
                f'<text x="{start + length + 6:.1f}" y="{y + 15}">{values[column]:.2g}</text>'
            )
    return _svg(760, 178, "Seconds and peak memory of four tools", parts)


def conventions() -> str:
    """Return the values of one run under every convention as dots on lines."""
    values: dict[float, list[str]] = {}
    for name in ltr_sql.conventions()["convention"].unique():
        try:
            found = ltr_sql.evaluate(
                DEMO / "old.csv", ["nDCG@10"], qrels=DEMO / "qrels.csv", convention=name, check=False
            )
        except ltr_sql.MeasureError:  # The convention of a tool without this measure.
            continue
        values.setdefault(round(float(found["nDCG@10"][0]), 4), []).append(name)
    low, high = min(values), max(values)
    count = {5: "five", 6: "six", 7: "seven", 8: "eight"}.get(len(values), str(len(values)))
    parts = [f'<text x="20" y="20" class="t">One run, one set of judgments: {count} values of nDCG@10</text>']
    for row, value in enumerate(sorted(values)):
        y, tools = 50 + row * 30, values[value]
        shown = ", ".join(tools[:6]) + (f" and {len(tools) - 6} more" if len(tools) > 6 else "")
        x = 20 + (value - low) / (high - low) * 240
        parts.append(
            f'<line x1="20" x2="260" y1="{y}" y2="{y}"/><circle class="o" cx="{x:.1f}" cy="{y}" r="6"/>'
            f'<text x="280" y="{y + 5}" class="t">{value:.4f}</text><text class="q" x="345" y="{y + 5}">{shown}</text>'
        )
    return _svg(900, 60 + 30 * len(values), f"One run has {count} values of nDCG@10, by tool", parts)


class _Screen(io.StringIO):
    """A terminal that keeps what is written to it."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


def _printed(words: str) -> tuple[str, int]:
    """Return what a command prints at a terminal, on both streams, and its exit code."""
    screen, code = _Screen(), 0
    environment = {"COLUMNS": str(_COLUMNS), "TERM": "xterm", "NO_COLOR": ""}
    streams = contextlib.redirect_stdout(screen), contextlib.redirect_stderr(screen)
    with contextlib.chdir(DEMO), mock.patch.dict(os.environ, environment), streams[0], streams[1]:
        try:
            main(shlex.split(words)[1:], prog_name="ltr-sql", standalone_mode=False)
        except SystemExit as ended:
            code = int(ended.code or 0)
    # The stages of slow work were erased.
    return "\n".join(line.rpartition("\r\x1b[K")[2] for line in screen.getvalue().split("\n")), code


def gate() -> str:
    """Return a terminal in which a gate of `ltr-sql compare` fails."""
    text, code = _printed(" ".join(_GATES))
    shown = f"$ {_GATES[0]} \\\n{_GATES[1]}\n{text}$ echo $?\n{code}"
    parts, style = [], ""
    lines = shown.split("\n")
    for row, line in enumerate(lines):
        spans = []
        for number, piece in enumerate(re.split(r"\x1b\[(\d+)m", line)):
            if number % 2:
                style = "" if piece == "0" else f' class="c{piece}"'
            elif piece:
                spans.append(
                    f"<tspan{style}>{escape(piece, quote=False)}</tspan>" if style else escape(piece, quote=False)
                )
        parts.append(f'<text x="16" y="{28 + row * 19}" xml:space="preserve">{"".join(spans)}</text>')
    width, height = 32 + 8 * _COLUMNS, 36 + 19 * len(lines)
    frame = f'<rect x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="8"/>'
    return _svg(width, height, "A terminal: the gate of RR fails", [frame, *parts], _TERMINAL)


def plots() -> dict[str, str]:
    """Return the pictures of docs/plots.md."""
    runs = {"old": DEMO / "old.csv", "new": DEMO / "new.csv"}
    reading: dict[str, Any] = {"qrels": DEMO / "qrels.csv", "check": False}
    compared = ltr_sql.compare(runs, ["nDCG@10", "RR", "R@10"], details=True, **reading)
    by_segment = ltr_sql.compare(runs, ["nDCG@10"], keys=["segment"], totals=True, details=True, **reading)
    found = {
        "forest": ltr_sql.plot.forest(compared, title="The new ranking against the old one"),
        "segments": ltr_sql.plot.segments(by_segment),
        "differences": ltr_sql.plot.differences(ltr_sql.wins(runs, "old", "new", "nDCG@10", **reading), "old", "new"),
        "curve": ltr_sql.plot.curve(ltr_sql.evaluate(runs, ["nDCG@1", "nDCG@3", "nDCG@5", "nDCG@10"], **reading)),
    }
    return {f"plot_{name}.svg": f"{picture.svg}\n" for name, picture in found.items()}


def _bold(row: int) -> str:
    return "" if row else ' class="t"'


def _svg(width: int, height: int, title: str, parts: list[str], style: str = _STYLE) -> str:
    size = f'viewBox="0 0 {width} {height}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{escape(title)}">'
    return "\n".join([head, style, *parts, "</svg>", ""])


def drawings() -> dict[str, str]:
    """Return the texts of the pictures that need no browser, by the name of their file."""
    return {"speed.svg": speed(), "conventions.svg": conventions(), "gate.svg": gate(), **plots()}


def digest_of_report() -> str:
    """Return a hash of the files that a page of a report is made of, and of its texts."""
    folder = Path(page.__file__).parent
    texts = [(folder / name).read_bytes() for name in ("template.html", "style.css", "script.js")]
    texts += [path.read_bytes() for path in sorted(DEMO.iterdir())]
    return hashlib.sha256(b"".join(texts)).hexdigest()


def _only_lists(html: str) -> str:
    """Hide all of a report but the documents of a query. The policy of the page would refuse another style."""
    return re.sub(r"<meta http-equiv=\"Content-Security-Policy\"[^>]*>", "", html).replace(
        "</head>", f"{_ONLY_LISTS}</head>", 1
    )


def photograph(chromium: str) -> None:
    """Write the pictures of the report of the example data, and what they show."""
    runs = {"old": DEMO / "old.csv", "new": DEMO / "new.csv"}
    texts: dict[str, Any] = {"queries": DEMO / "queries.csv", "documents": DEMO / "documents.csv"}
    with mock.patch.dict(os.environ, {"SOURCE_DATE_EPOCH": _EPOCH}):
        plain, with_texts = (
            ltr_sql.report(runs, ["nDCG@10", "RR", "R@10"], qrels=DEMO / "qrels.csv", keys=["segment"], **more)
            for more in ({}, texts)
        )
    for name, (width, height, theme, query) in _REPORT.items():
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "report.html"
            html = (with_texts if query else plain).html.replace("<html", f'<html data-theme="{theme}"', 1)
            file.write_text(_only_lists(html) if query else html, encoding="utf-8")
            call = [
                *(chromium, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--hide-scrollbars"),
                *(
                    "--disable-background-networking",
                    "--disable-quic",
                    "--virtual-time-budget=10000",
                    f"--user-data-dir={folder}/profile",
                ),
                *(f"--window-size={width},{height}", f"--screenshot={DOCS / name}.png"),
                f"{file.as_uri()}{f'#q={query}' if query else ''}",
            ]
            subprocess.run(call, check=True, capture_output=True)
    (DOCS / "report.sha256").write_text(f"{digest_of_report()}\n", encoding="utf-8")


if __name__ == "__main__":
    for name, text in drawings().items():
        (DOCS / name).write_text(text, encoding="utf-8")
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        raise SystemExit("the pictures of the report need Chromium: install it, and run this program again")
    photograph(browser)
