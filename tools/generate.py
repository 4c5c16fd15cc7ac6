"""Write the generated files: the script of all macros, and the generated pages of `docs/`.

`python -m tools.generate` writes them. The tests fail if one of them is stale.
"""

from ltr_sql.catalogue.conventions import check_conventions
from ltr_sql.macros.files import BUNDLE
from ltr_sql.macros.script import bundle
from tools.documentation import pages

if __name__ == "__main__":
    check_conventions()
    BUNDLE.write_text(bundle(), encoding="utf-8")
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")
