"""Write what a page loads when a reader first runs its SQL: DuckDB-Wasm, the built catalogue and the example data."""

import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from ltr_sql.catalogue.files import SQL_FOLDER
from ltr_sql.errors import LtrSqlError
from ltr_sql.macros.registration import write_catalogue

HERE = Path(__file__).parent
# Files of the npm package of DuckDB-Wasm that a page loads.
PARTS = ("duckdb-eh.wasm", "duckdb-browser-eh.worker.js")


def write_live_assets(folder: Path) -> None:
    """Write live.js and what it loads into a folder. Raises LtrSqlError if npm is not installed."""
    npm = shutil.which("npm")
    if npm is None:
        raise LtrSqlError("npm is not installed: install Node, or pass --no-live")
    folder = folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix="ltr_sql-") as name:
        modules = Path(name)
        for file in ("package.json", "live.js"):
            shutil.copy(HERE / file, modules)
        install = [npm, "install", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"]
        subprocess.run(install, check=True, cwd=modules)
        esbuild = shutil.which("esbuild", path=str(modules / "node_modules" / ".bin"))
        if esbuild is None:
            raise LtrSqlError("npm did not install esbuild: run npm install in tools/site to see why")
        options = ["--bundle", "--minify", "--format=esm", "--log-level=error", f"--outfile={folder / 'live.js'}"]
        subprocess.run([esbuild, "live.js", *options], check=True, cwd=modules)
        for part in PARTS:
            shutil.copy(modules / "node_modules" / "@duckdb" / "duckdb-wasm" / "dist" / part, folder)
    write_catalogue(folder / "ltr.duckdb")
    for name in ("demo", "examples/data"):
        shutil.copytree(SQL_FOLDER.parent / name, folder / name, dirs_exist_ok=True)
