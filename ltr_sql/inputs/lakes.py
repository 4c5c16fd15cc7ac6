"""Folders of tables whose Parquet files alone are not the table: those of Delta, Iceberg and Hudi."""

from pathlib import Path

from ltr_sql.errors import InputError

# What such a folder has, the kind of the table, and what to pass instead.
_KINDS = (
    ("_delta_log", "Delta", "deltalake.DeltaTable(path).to_pyarrow_dataset()"),
    ("metadata/*.metadata.json", "Iceberg", "table.scan().to_arrow() of pyiceberg"),
    ("metadata/version-hint.text", "Iceberg", "table.scan().to_arrow() of pyiceberg"),
    (".hoodie", "Hudi", "a data frame of Spark"),
)


def refuse_lake(folder: str) -> None:
    """Raise InputError for a folder of such a table, or of its data."""
    place = Path(folder)
    while "=" in place.name:
        # A partition, such as day=2026-01-01.
        place = place.parent
    for table in (place, place.parent) if place.name == "data" else (place,):
        for pattern, kind, instead in _KINDS:
            if next(table.glob(pattern), None) is not None:
                raise InputError(
                    f"{table} is a table of {kind}, whose Parquet files also hold rows that were deleted or replaced: "
                    f"in Python, pass {instead}, or copy the table to Parquet with a tool that reads {kind}"
                )
