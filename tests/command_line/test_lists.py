"""Options that hold lists: each use of one adds to the list, or the second is refused."""

from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner

from ltr_sql.command_line.main import main

# Two entries of each kind of list, by the metavar of the option.
ENTRIES = {
    "MEASURE,...": ("AP", "nDCG@10"),
    "NAME,...": ("country", "week"),
    "[TABLE:]THEIRS=OURS,...": ("user=query_id", "item=doc_id"),
    "THEIRS=OURS,...": ("score=relevance", "item=doc_id"),
    "TEXT=GRADE,...": ("Exact=3", "None=0"),
    "GRADE=GAIN,...": ("1=5", "2=7"),
    "METHOD,...": ("rrf", "comb_sum"),
    "NORM,...": ("min_max", "zmuv"),
    "NUMBER,...": ("10", "60"),
}
# Options that may be repeated, whose values hold no lists.
SINGLE = {"GATE", "RUN=WEIGHT", "NAME=VALUE", "MEASURE", "COLUMN", None}


def options() -> Iterator[tuple[str, click.Option]]:
    """Yield the options of all commands, with the name of the command."""
    context = click.Context(main)
    for name in main.list_commands(context):
        command = main.get_command(context, name)
        assert command is not None
        yield from ((name, option) for option in command.params if isinstance(option, click.Option))


def test_each_use_of_a_list_option_adds_to_the_list() -> None:
    """The declarations name the lists: a metavar that ends with `,...`. A new kind of list needs a row in `ENTRIES`."""
    found = 0
    for command, option in options():
        context = click.Context(main, info_name=command)
        if option.multiple and not str(option.metavar).endswith(",..."):
            assert option.metavar in SINGLE, (command, option.opts)
        if not str(option.metavar).endswith(",..."):
            continue
        first, second = ENTRIES[str(option.metavar)]
        assert option.multiple, (command, option.opts)
        apart, together = (option.process_value(context, given) for given in ([first, second], [f"{first},{second}"]))
        assert apart == together != option.process_value(context, [second]), (command, option.opts)
        found += 1
    assert found > 40


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("evaluate - - --grades Exact=3 --grades Exact=2", "Exact is given twice, as 3.0 and 2.0: keep one"),
        ("evaluate - - --columns user=query_id --columns user=doc_id", "user is given twice, as query_id and doc_id"),
        ("evaluate - - --columns user=query_id,user=doc_id", "user is given twice, as query_id and doc_id: keep one"),
        ("evaluate - - --qrels-columns a=doc_id --qrels-columns a=relevance", "a is given twice, as doc_id and rel"),
        ("evaluate - - --gains 1=5 --gains 1=7", "a grade has more than one gain"),
        ("fuse - --run-weight a=1 --run-weight a=2", "a is given twice, as 1.0 and 2.0: keep one"),
        ("sql judge --set run=a --set run=b", "run is given twice, as a and b: keep one"),
        ("worst - - -m AP -m RR", "worst takes one, got AP and RR"),
        ("explain - - -m AP -q q1 -q q2", "explain takes one, got q1 and q2"),
    ],
)
def test_a_second_value_is_refused(words: str, message: str) -> None:
    assert message in CliRunner().invoke(main, words.split(), input="").stderr


def test_the_name_of_a_table_stands_before_a_list_of_columns() -> None:
    context = click.Context(main)
    (columns,) = {str(option.opts): option for name, option in options() if "--columns" in option.opts}.values()
    given = ["user=query_id", "history:user=query_id,item=doc_id"]
    found = columns.process_value(context, given)
    assert found == {"user": "query_id", "history": {"user": "query_id", "item": "doc_id"}}
