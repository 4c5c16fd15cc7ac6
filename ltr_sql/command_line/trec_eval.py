"""The command trec_eval."""

from collections.abc import Sequence
from typing import Any

import click

from ltr_sql.command_line.flags import Command
from ltr_sql.command_line.options import (
    FILE,
    output_option,
    reading_options,
    write_output,
)
from ltr_sql.command_line.trec_eval_lines import TrecEvalOptions, printed_lines
from ltr_sql.command_line.trec_eval_outputs import names_of_outputs


@click.command(cls=Command, name="trec_eval")
@click.argument("qrels", type=FILE)
@click.argument("run", type=FILE)
@click.option(
    "-m",
    "--measure",
    "names",
    multiple=True,
    metavar="MEASURE",
    shell_complete=lambda ctx, param, typed: [name for name in names_of_outputs() if name.startswith(typed)],
    help="A measure such as map or P.5,10, or a group such as official or all_trec; may be repeated.",
)
@click.option("-q", "--query_eval_wanted", "by_query", is_flag=True, help="Also print the values of each query.")
@click.option(
    "-c", "--complete_rel_info_wanted", "complete", is_flag=True, help="Judged queries that the run lacks count as 0."
)
@click.option("-n", "--nosummary", "no_summary", is_flag=True, help="Leave out the averages over all queries.")
@click.option("-l", "--level_for_rel", "level", type=click.IntRange(min=1), default=1, help="Smallest relevant grade.")
@click.option(
    "-M", "--Max_retrieved_docs_per_topic", "depth", type=click.IntRange(min=1), help="Cut each ranking at this depth."
)
@click.option(
    "-J", "--Judged_docs_only", "judged_only", is_flag=True, help="Remove unjudged documents from the ranking."
)
@click.option(
    "-N",
    "--Number_docs_in_coll",
    "collection_size",
    type=click.IntRange(min=0),
    default=0,
    help="Number of documents in the collection, which utility reads.",
)
@reading_options
@output_option
def trec_eval(
    qrels: str,
    run: str,
    names: Sequence[str],
    by_query: bool,
    complete: bool,
    no_summary: bool,
    level: int,
    depth: int | None,
    judged_only: bool,
    collection_size: int,
    output: str | None,
    **reading: Any,
) -> None:
    """Print the lines of trec_eval 10 for RUN, with trec_eval's options and measure names.

    As in trec_eval, lines that start with # are comments, and grades lose their fraction.

    This command differs where trec_eval 10 has defects. Without -c, trec_eval stops at a judged query that RUN lacks;
    here it is left out. With -c and -l, trec_eval counts num_rel at level 1; here at the given level. trec_eval
    rescales rbp by uninitialised memory; here rbp is binary unless it has gains (rbp.1=0.5,2=1). With -l, trec_eval
    sets Rndcg to 0 if no grade reaches the level; here Rndcg keeps its value. trec_eval treats gains that differ by
    less than 1 as equal; here they differ. Gains must be at least 0. If the levels of 11pt_avg are not
    ascending, trec_eval reads some of them as 0; here they must be ascending.
    """
    options = TrecEvalOptions(
        by_query=by_query,
        complete=complete,
        summary=not no_summary,
        level=level,
        depth=depth,
        judged_only=judged_only,
        collection_size=collection_size,
    )
    write_output("".join(f"{text}\n" for text in printed_lines(qrels, run, names, options, reading)), output)
