"""Build hook for hatchling: write the catalogue of macros when the package is built from a checkout.

The source archive holds the catalogue. So installing from it needs DuckDB as a dependency, but not for the build.
"""

import os
import sys
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CatalogueHook(BuildHookInterface[Any]):
    """Add the DuckDB file with the macros to the package."""

    def dependencies(self) -> list[str]:
        """Return the packages needed to write the file: none in an unpacked source archive."""
        return [] if self._in_source_archive() else ["duckdb>=1.5", "jinja2>=3.1"]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the file. Hatchling calls this before it builds a source archive, a wheel or an editable install."""
        if self._in_source_archive():
            return
        sys.path.insert(0, self.root)
        from ltr_sql.macros.files import CATALOGUES, write_package_catalogue  # noqa: PLC0415  (not installed yet)

        if os.access(CATALOGUES, os.W_OK):
            write_package_catalogue()
        else:
            # Build from a read-only checkout. An editable install of it reads the script instead.
            written = write_package_catalogue(Path(mkdtemp(prefix="ltr_sql-")))
            build_data["force_include"][str(written)] = f"ltr_sql/{written.name}"

    def _in_source_archive(self) -> bool:
        return (Path(self.root) / "PKG-INFO").is_file()
