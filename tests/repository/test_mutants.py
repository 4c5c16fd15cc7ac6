"""The mutants of `tests/support/mutants.py` change what is there."""

from support.mutants import MUTANTS, ROOT


def test_the_text_of_each_mutant_occurs_once() -> None:
    texts = {mutant.file: (ROOT / mutant.file).read_text(encoding="utf-8") for mutant in MUTANTS}
    assert [(m.file, m.text) for m in MUTANTS if texts[m.file].count(m.text) != 1] == []
