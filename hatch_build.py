"""Build hook for hatchling: write the script of all macros, their catalogue and compiled templates into the package.

The source archive holds these files. So installing from it needs DuckDB as a dependency, but not for the build.
"""

import os
import sys
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CatalogueHook(BuildHookInterface[Any]):
    """Add the script of all macros, the DuckDB file with them, and compiled templates to the package."""

    def dependencies(self) -> list[str]:
        """Return the packages needed to write the files: none in an unpacked source archive."""
        return [] if self._in_source_archive() else ["duckdb>=1.5", "jinja2>=3.1"]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the files. Hatchling calls this before it builds a source archive, a wheel or an editable install."""
        if self._in_source_archive():
            return
        sys.path.insert(0, self.root)
        # Import here, because the package is not installed yet.
        from ltr_sql.macros.functions import bundle  # noqa: PLC0415
        from ltr_sql.macros.registration import BUNDLE, CATALOGUES, write_package_catalogue  # noqa: PLC0415
        from ltr_sql.rendering.templates import write_compiled  # noqa: PLC0415

        text = bundle()
        if version != "editable":
            # A checkout changes: its templates are compiled when they are used.
            compiled = mkdtemp(prefix="ltr_sql-")
            write_compiled(Path(compiled))
            sql = "sql" if self.target_name == "sdist" else "ltr_sql/sql"
            build_data["force_include"][compiled] = f"{sql}/compiled"
        if all(os.access(folder, os.W_OK) for folder in (CATALOGUES, BUNDLE.parent)):
            BUNDLE.write_text(text, encoding="utf-8", newline="\n")
            write_package_catalogue(CATALOGUES, text)
        else:
            # Build from a read-only checkout, which an editable install cannot use without these files.
            folder = Path(mkdtemp(prefix="ltr_sql-"))
            script = folder / BUNDLE.name
            script.write_text(text, encoding="utf-8", newline="\n")
            written = write_package_catalogue(folder, text)
            build_data["force_include"] |= {
                str(script): f"ltr_sql/sql/{script.name}",
                str(written): f"ltr_sql/{written.name}",
            }

    def _in_source_archive(self) -> bool:
        return (Path(self.root) / "PKG-INFO").is_file()
