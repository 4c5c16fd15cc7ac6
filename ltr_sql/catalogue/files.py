"""Find and read the files in `sql/`.

A file starts with a header in TOML between `/*` and `*/`; the rest is a Jinja template of SQL.
"""

import re
import tomllib
from pathlib import Path
from typing import Any

PACKAGE_FOLDER = Path(__file__).parents[1]


# A wheel contains sql/ in the package; in a checkout and an editable install it is next to the package.
_FOLDERS = [folder for folder in (PACKAGE_FOLDER / "sql", PACKAGE_FOLDER.parent / "sql") if folder.is_dir()]


if not _FOLDERS:
    raise ImportError(
        f"ltr_sql reads SQL from files, which {PACKAGE_FOLDER} does not hold: install the package, because it cannot "
        "be imported from a zip archive"
    )
SQL_FOLDER = _FOLDERS[0]
# Templates that the package opens by name. The other folders hold what users name, and are read by their headers.
TEMPLATES = SQL_FOLDER / "templates"
# Templates as Python modules, which only a built package has.
COMPILED = SQL_FOLDER / "compiled"


def read_template(path: str) -> str:
    """Return the text of a file in `sql/templates/`."""
    return (TEMPLATES / path).read_text(encoding="utf-8")


def header_and_body(path: Path) -> tuple[dict[str, Any], str]:
    """Split a file in `sql/` into its header, whose lists are tuples, and its template."""
    match = re.fullmatch(r"/\*\n(.*?)\*/\n(.*)", path.read_text(encoding="utf-8"), re.DOTALL)
    if match is None:
        raise ValueError(f"{path.name} must start with a header between /* and */")
    header = {name: tuple(v) if isinstance(v, list) else v for name, v in tomllib.loads(match[1]).items()}
    return header, match[2].strip()
