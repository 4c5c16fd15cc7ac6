"""Qualify built-in functions of DuckDB, because a macro of the caller with the name of one would replace it.

`avg(x)` becomes `system.main.avg(x)`. Templates and modules write plain names: `qualified` reads the rendered SQL.

Names that DuckDB 1.5 cannot qualify stay as they are: window functions such as row_number. So do operators and
brackets, which DuckDB looks up as functions, too: `+`, `||`, `[a, b]` (list_value), `s['a']` (array_extract).
"""

import re

from ltr_sql.rendering.dialects import DUCKDB
from ltr_sql.rendering.sql_text import replaced

SCHEMA = "system.main."
# The functions that the package calls. A test names those that are missing.
_NAMES = """
    abs alias any_value array_agg array_contains array_position array_to_string avg bit_count bit_or bit_xor
    bool_and bool_or ceil chr concat concat_ws contains cos count covar_samp current_database current_setting
    damerau_levenshtein decode duckdb_databases duckdb_functions duckdb_schemas duckdb_tables duckdb_views epoch
    error exp flatten floor greatest hash histogram isfinite isinf isnan jaro_winkler_similarity least left len length
    lgamma list list_aggregate list_append list_avg list_concat list_contains list_distinct list_extract list_filter
    list_has_all list_has_any list_position list_reduce list_slice list_sort list_transform list_unique list_value
    list_zip
    ln log10 log2 lower ltrim make_date map_entries map_from_entries map_keys map_values max md5 md5_number_lower median
    min nextafter nfc_normalize nullif parquet_kv_metadata parquet_schema power printf quantile_cont query query_table
    range read_csv read_json read_json_auto read_parquet regexp_extract regexp_full_match regexp_matches regexp_replace
    replace right round rtrim sha256 sign sqrt starts_with stddev_pop stddev_samp string_agg string_split
    string_split_regex strlen struct_concat struct_keys struct_pack substr substring sum trim trunc try_strptime
    txid_current typeof var_samp xor
"""
FUNCTIONS = frozenset(_NAMES.split())
_CALL = r"(?<![\w.])[a-z]\w*(?=\()"
# In the prose of a message, a function has no arguments, or is an example.
_CALL_IN_TEXT = re.compile(r"(?<![\w.])(?<!as in )(?<!such as )[a-z]\w*(?=\((?!\)))")
# A string of a macro that is not its description.
_TEXT = re.compile(
    r"""comment on macro [^']*'(?:[^']|'')*'|"[^"]*"|/\*.*?\*/|--[^\n]*|(?P<text>'(?:[^']|'')*')""", re.DOTALL
)


def qualified(query: str) -> str:
    """Return a query of DuckDB with qualified calls of built-in functions. Strings, names and comments stay."""
    return replaced(query, _CALL, _with_schema, DUCKDB)


def qualified_with_texts(macro: str) -> str:
    """Return the statements of a macro with qualified calls, also in strings, from which the macro writes queries."""
    return _TEXT.sub(_with_schema_in_text, qualified(macro))


def _with_schema(found: re.Match[str]) -> str:
    return SCHEMA + found[0] if found[0] in FUNCTIONS else found[0]


def _with_schema_in_text(found: re.Match[str]) -> str:
    return _CALL_IN_TEXT.sub(_with_schema, found[0]) if found["text"] else found[0]
