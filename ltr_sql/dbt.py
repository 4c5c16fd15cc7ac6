"""Plugin of dbt-duckdb: `plugins: [{module: ltr_sql.dbt}]` in profiles.yml registers the macros.

With `config: {persist: true}` the macros are written into the database, so that views which call them work in any
session.
"""

from typing import Any

import duckdb
from dbt.adapters.duckdb.plugins import BasePlugin

from ltr_sql.register import register


class Plugin(BasePlugin):  # type: ignore[misc]  # dbt has no types here.
    """Register the macros with each connection of dbt."""

    def initialize(self, plugin_config: dict[str, Any]) -> None:
        """Read the option `persist` of the profile, by default false."""
        self.persist = bool(plugin_config.get("persist", False))

    def configure_connection(self, conn: duckdb.DuckDBPyConnection) -> None:
        """Register the macros. dbt-duckdb calls this when it connects."""
        register(conn, persist=self.persist)
