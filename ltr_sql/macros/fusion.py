"""The macro `ltr.fuse`."""

from ltr_sql.macros.query_texts import key_check
from ltr_sql.macros.statements import statements
from ltr_sql.rendering.fusion import fusion_texts


def fusion_macros() -> str:
    """Return the statements that create `ltr.fuse` and its helper macros."""
    return statements(
        "fuse",
        **fusion_texts("{weights}"),
        **key_check(),
        comment="Fuse the runs of each query into one. Reads query_id, doc_id, rank or score (rank decides the order "
        "if both exist), the column that names the run of each row (compared), and keys. Returns the keys without "
        "this column, query_id, doc_id, score, rank, and runs (how many hold the document). weights: a table with "
        "the column of the runs and weight, or a map from run to weight.",
    )
