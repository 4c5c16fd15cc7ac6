"""Write the generated files: the script of all macros, and the generated pages and parts of `docs/`.

`python -m tools.generate` writes them. The script is not in git: the package build and the tests write it, too.
"""

from collections.abc import Iterator
from pathlib import Path

from ltr_sql.catalogue.conventions import check_conventions
from ltr_sql.catalogue.files import PACKAGE_FOLDER, SQL_FOLDER
from ltr_sql.macros.functions import bundle
from ltr_sql.macros.registration import BUNDLE
from tools.documentation import pages
from tools.parts import pages_with_generated_parts

# What the script is rendered from.
_SOURCES = (SQL_FOLDER, *(PACKAGE_FOLDER / name for name in ("catalogue", "rendering", "macros", "version.py")))


def write_script_if_stale() -> None:
    """Write the script of all macros if it is missing, or older than a file that it is rendered from."""
    if not BUNDLE.is_file() or BUNDLE.stat().st_mtime < max(map(_changed, _sources())):
        BUNDLE.write_text(bundle(), encoding="utf-8", newline="\n")


def _sources() -> Iterator[Path]:
    """Yield the files that the script is rendered from, and their folders, which change if a file is removed."""
    for source in _SOURCES:
        found = [source] if source.is_file() else source.rglob("*")
        yield from (path for path in found if path != BUNDLE and "__pycache__" not in path.parts)


def _changed(path: Path) -> float:
    return path.stat().st_mtime


if __name__ == "__main__":
    check_conventions()
    BUNDLE.write_text(bundle(), encoding="utf-8", newline="\n")
    # Parts name the titles of pages, so these come first.
    for written in (pages, pages_with_generated_parts):
        for path, text in written().items():
            path.write_text(text, encoding="utf-8")
