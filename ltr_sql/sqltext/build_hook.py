"""Build hook for hatchling: write the catalogue of macros when the package is built."""

import sys
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CatalogueHook(BuildHookInterface[Any]):
    """Add the DuckDB file with the macros to the package."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the file. Hatchling calls this before it builds a wheel or an editable install."""
        sys.path.insert(0, self.root)
        from ltr_sql.sqltext.bundle_file import write_catalogue  # noqa: PLC0415  (the package is not installed yet)

        write_catalogue()
