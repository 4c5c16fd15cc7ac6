"""Plugin for dbt-duckdb: `plugins: [{module: ltr_sql.dbt}]` in profiles.yml registers the macros.

`config: {persist: true}` writes the macros into the database. Views that call them then work in any session.
"""

from typing import Any

import duckdb

from ltr_sql.macros.registration import register

try:
    from dbt.adapters.duckdb.plugins import BasePlugin
except ImportError as error:
    raise ImportError("ltr_sql.dbt needs dbt-duckdb: run pip install 'ltr-sql[dbt]'") from error


class Plugin(BasePlugin):  # type: ignore[misc]  # dbt has no types here.
    """Register the macros with each connection of dbt."""

    def initialize(self, plugin_config: dict[str, Any]) -> None:
        """Read the option `persist` of the plugin; false by default."""
        self.persist = bool(plugin_config.get("persist", False))

    def configure_connection(self, conn: duckdb.DuckDBPyConnection) -> None:
        """Register the macros with a new connection of dbt-duckdb."""
        register(conn, persist=self.persist)
