"""Build the documentation site: `python -m tools.site FOLDER`.

Requires a checkout and the extra `site`; without `--no-live`, also npm.
"""

import shutil
import sys
from pathlib import Path

import click

from ltr_sql.errors import LtrSqlError
from tools.site.assets import write_live_assets

try:
    from tools.contents import DOCS
    from tools.site.pages import pages
except ModuleNotFoundError as error:
    sys.exit(f"Error: {error.name} is not installed: run pip install 'ltr-sql[site]'")


@click.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option("--live/--no-live", default=True, show_default=True, help="Add DuckDB, so that readers can run the SQL.")
@click.option("--address", default="", help="Where the site will be published: adds a sitemap and previews of links.")
def build(folder: Path, live: bool, address: str) -> None:
    """Write the site into FOLDER. Any web server can serve it: all links are relative."""
    if not DOCS.is_dir():
        sys.exit(f"Error: there is no folder {DOCS}: build the site in a checkout of the repository")
    try:
        for path, text in pages(live, address.rstrip("/")).items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
        for picture in [*DOCS.rglob("*.png"), *DOCS.rglob("*.svg")]:
            shutil.copy(picture, folder / picture.relative_to(DOCS))
        if live:
            write_live_assets(folder / "live")
    except LtrSqlError as error:
        sys.exit(f"Error: {error}")


if __name__ == "__main__":
    build()
