"""Build hook for hatchling: write the catalogue of macros when the package is built."""

import os
import sys
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CatalogueHook(BuildHookInterface[Any]):
    """Add the DuckDB file with the macros to the package."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the file. Hatchling calls this before it builds a wheel or an editable install."""
        sys.path.insert(0, self.root)
        from ltr_sql.sqltext.bundle_file import CATALOGUES, write_package_catalogue  # noqa: PLC0415  (not installed yet)

        if os.access(CATALOGUES, os.W_OK):
            write_package_catalogue()
        else:
            # Build from a read-only checkout. An editable install of it reads the script instead.
            written = write_package_catalogue(Path(mkdtemp(prefix="ltr_sql-")))
            build_data["force_include"][str(written)] = f"ltr_sql/{written.name}"
