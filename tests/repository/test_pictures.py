"""The pictures of README and docs show what the project prints today: see `tools/pictures.py`."""

import pytest

from tools.pictures import DOCS, digest_of_report, drawings


@pytest.mark.slow
def test_drawings_show_the_values_of_today() -> None:
    stale = [name for name, text in drawings().items() if (DOCS / name).read_text(encoding="utf-8") != text]
    assert stale == [], "python -m tools.pictures"


def test_the_pictures_of_the_report_are_of_this_page() -> None:
    assert (DOCS / "report.sha256").read_text(encoding="utf-8").strip() == digest_of_report(), (
        "python -m tools.pictures"
    )


def test_no_picture_is_blank() -> None:
    """A picture that was taken before the page was drawn has one colour, and so 4 KB."""
    pictures = {path.name: path.stat().st_size for path in DOCS.glob("*.png")}
    assert pictures and min(pictures.values()) > 20_000, pictures
