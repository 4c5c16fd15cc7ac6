"""Mutation test: each mutant changes one expression in a template or in Python, and a test must fail.

`python tests/support/mutants.py` applies two mutants at a time, each in a copy of the checkout, and runs a few tests
there.
Each mutant has a process of its own, forked from one that has imported what all tests import.
`python tests/support/mutants.py windows ties` applies only the mutants of files whose paths contain one of these texts.

A mutant is killed if one of its tests fails. The script fails in five cases: a mutant survives, its text does not occur
exactly once in its file, the macros cannot be generated, its tests cannot run, or a test that killed a mutant also
fails without the mutant.
"""

import io
import multiprocessing
import os
import runpy
import shutil
import signal
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

import pytest

ROOT = Path(__file__).resolve().parents[2]
SIDE_BY_SIDE = 2
SECONDS_FOR_EACH = 120
IMPORTED_ONCE = ["pytest", "hypothesis.internal.observability", "numpy", "pandas", "duckdb", "jinja2", "click"]
NOT_COPIED = (".git", ".*_cache", ".hypothesis", ".venv", "benchmarks", "build", "dist", "*.duckdb*", "*.pyc.*")


@dataclass(frozen=True)
class Mutant:
    """Replace `text`, which occurs once in `file`. One of `tests` (files or node ids, and -k) must fail."""

    file: str
    text: str
    replacement: str
    tests: str
    k: str = ""

    def __str__(self) -> str:
        return f"{self.file}: {shortened(self.text)} -> {shortened(self.replacement)}"


@dataclass(frozen=True)
class Outcome:
    """Result of a mutant: the test that killed it, or an error."""

    mutant: Mutant
    seconds: float
    killed_by: str = ""
    wrong: str = ""


CASES, LIMITS = "evaluation/test_cases.py", "evaluation/test_limits.py"
PLAIN = "macros/test_plain_query.py"
JOINING = "evaluation/test_joining.py"
RULES = "evaluation/test_rules_of_measures.py"
EXPRESSIONS, GAINS, WINDOWS = (
    "sql/templates/shared/expressions.sql",
    "sql/templates/shared/gains.sql",
    "sql/templates/shared/windows.sql",
)
RUNS, TIES, VALIDATION = (
    "sql/templates/shared/runs.sql",
    "sql/templates/shared/ties.sql",
    "sql/templates/shared/validation.sql",
)
ROWS, CONVENTIONS = "sql/row_sources/", "sql/conventions.toml"
TREC, DIALECTS = "ltr_sql/inputs/trec.py", "ltr_sql/rendering/dialects.py"
CALLBACKS, STOPPING = "ltr_sql/integrations/callbacks.py", "ltr_sql/integrations/early_stopping.py"
TRAINING = "integrations/test_training.py"

MUTANTS = [
    # Limits
    Mutant(GAINS, "{{ relevance }} > 300", "{{ relevance }} >= 300", LIMITS, "largest_rank_and_grade"),
    Mutant(
        EXPRESSIONS, "{{ documents }} > 1000000000", "{{ documents }} > 100000000", LIMITS, "largest_rank_and_grade"
    ),
    Mutant(EXPRESSIONS, "{{ rank }} < 1 or", "{{ rank }} < 0 or", "validation/test_check.py", "from_0"),
    Mutant(
        EXPRESSIONS,
        "max(d.relevance) > {{ max_grade }}",
        "max(d.relevance) >= {{ max_grade }}",
        CASES,
        "[err/ or [err]",
    ),
    Mutant(
        VALIDATION, "max({{ relevance }}) > 1e100", "max({{ relevance }}) > 1e200", LIMITS, "largest_rank_and_grade"
    ),
    Mutant(VALIDATION, "{{ score_a }})) > 1e100", "{{ score_a }})) > 1e200", LIMITS, "largest_score"),
    Mutant(EXPRESSIONS, "{{ most }} < {{ last_rank }}", "{{ most }} <= {{ last_rank }}", LIMITS, "num_ret_is_at_least"),
    Mutant(EXPRESSIONS, " and {{ rank }} = floor({{ rank }}) then", " then", "validation/test_check.py", "halves"),
    Mutant(
        "sql/templates/shared/clicks.sql",
        "when count(*) = count(distinct r.doc_id) then true",
        "when true then true",
        "building/test_builder_inputs.py",
        "errors_in_sql",
    ),
    Mutant(
        "sql/templates/shared/off_policy.sql",
        "when n.num_rows = 1 then false",
        "when true then false",
        "building/test_builder_inputs.py",
        "errors_in_sql",
    ),
    Mutant(
        "sql/templates/shared/off_policy.sql",
        "when r.ratio = 0 then 0e0",
        "when r.ratio = 0 then null",
        "building/test_builders.py",
        "weight_0",
    ),
    Mutant(
        "sql/builders/pool.sql",
        ' and {{ without_nan("cast(q.relevance as double)") }} is not null',
        "",
        "building/test_builders.py",
        "without_grade",
    ),
    Mutant(
        "ltr_sql/rendering/renderer.py",
        '"judged": "is not null"',
        '"judged": "> 0"',
        "macros/test_duplicate_documents.py",
        "not_relevant",
    ),
    Mutant(
        "ltr_sql/rendering/columns/rankings.py",
        'as varchar) collate "C"',
        "as varchar)",
        "macros/test_duplicate_documents.py",
        "by_bytes",
    ),
    Mutant(TIES, "> 3.4028234663852886e38", "> 3.4e37", LIMITS, "single_precision"),
    Mutant(
        TIES, "{{ score }} <= cast('inf' as double)", "{{ score }} < cast('inf' as double)", LIMITS, "infinite_score"
    ),
    # Cutoffs, relevance, gains, discounts
    Mutant(EXPRESSIONS, "-%} {{ rank }} <= {{ k }}", "-%} {{ rank }} < {{ k }}", LIMITS, "at_the_cutoff"),
    Mutant(EXPRESSIONS, "<= coalesce({{ k }}, {{ rank }})", "< coalesce({{ k }}, {{ rank }} + 1)", CASES, "[success"),
    Mutant(EXPRESSIONS, "d.relevance >= {{ rel }}", "d.relevance > {{ rel }}", CASES, "[num_rel_ret"),
    Mutant(EXPRESSIONS, "d.relevance >= 0\n", "d.relevance > 0\n", CASES, "[num_nonrel"),
    Mutant(EXPRESSIONS, ">= {{ least }}", "> {{ least }}", CASES, "[iprec/ or [iprec]"),
    Mutant(EXPRESSIONS, "when 'te9' then 0.9e0", "when 'te9' then 0.5e0", CASES, "[iprec/ or [iprec]"),
    Mutant(EXPRESSIONS, "else 0e0 end) + 2 then", "else 0e0 end) + 1 then", CASES, "[rndcg"),
    Mutant(EXPRESSIONS, "7 / (960 *", "7 / (906 *", "evaluation/test_agreement.py", "far_below_the_documents"),
    Mutant(EXPRESSIONS, "((d.depth - d.start_{{ list }} + 1) /", "((d.depth - d.start_{{ list }}) /", CASES, "[rbo"),
    # Windows: order, frame, NULL
    Mutant(
        WINDOWS,
        'row_number() over (partition by {{ key("r") }} order by r.relevance desc nulls last',
        'row_number() over (partition by {{ key("r") }} order by r.relevance desc nulls first',
        CASES,
        "[expected_ndcg",
    ),
    Mutant(
        WINDOWS,
        '\nrank() over (partition by {{ key("r") }} order by r.relevance desc',
        '\ndense_rank() over (partition by {{ key("r") }} order by r.relevance desc',
        CASES,
        "[pair_with_ideal",
    ),
    Mutant(
        WINDOWS,
        "{% macro relevant_through_rank(rel) -%}\nsum(case when r.relevance >= {{ rel }} then 1e0 else 0e0 end) "
        'over (partition by {{ key("r") }} order by r.rank asc nulls last range',
        "{% macro relevant_through_rank(rel) -%}\nsum(case when r.relevance >= {{ rel }} then 1e0 else 0e0 end) "
        'over (partition by {{ key("r") }} order by r.rank asc nulls last rows',
        CASES,
        "[lrap",
    ),
    Mutant(WINDOWS, "relevance desc nulls last range", "relevance desc nulls last rows", CASES, "[rndcg"),
    Mutant(WINDOWS, "else 1e-300 end", "else 1e-3 end", CASES, "[pfound"),
    Mutant(
        WINDOWS,
        "{% macro nonrelevant_so_far(rel) -%}\nsum(case when r.relevance >= 0 and",
        "{% macro nonrelevant_so_far(rel) -%}\nsum(case when",
        CASES,
        "[bpref",
    ),
    Mutant(WINDOWS, "max(coalesce(r.num_ret, r.rank)) over", "max(r.rank) over", LIMITS, "as_long_as_the_retrieved"),
    Mutant(WINDOWS, "r.rank_a > coalesce(r.rank_b, 0)", "r.rank_a > r.rank_b", CASES, "[footrule"),
    # Ties and ranks by score
    Mutant(
        TIES,
        "-%} coalesce({{ row }}.relevance, 0) asc",
        "-%} coalesce({{ row }}.relevance, 0) desc",
        "inputs/test_inputs.py",
        "test_tie_breaking_rules",
    ),
    Mutant(
        TIES,
        "-%} {{ row }}.row_order asc",
        "-%} {{ row }}.row_order desc",
        "inputs/test_inputs.py",
        "test_tie_breaking_rules",
    ),
    Mutant(
        TIES,
        '{{ "asc" if ties == "docid_asc" else "desc" }}',
        '{{ "desc" if ties == "docid_asc" else "asc" }}',
        LIMITS,
        "single_precision",
    ),
    Mutant(TIES, "when 'best' then -coalesce(", "when 'best' then coalesce(", CASES, "[rank_by_score"),
    Mutant(RUNS, "t.score >= f.score", "t.score > f.score", LIMITS, "at_the_cutoff"),
    Mutant(RUNS, "max(cast(q.relevance as double))", "min(cast(q.relevance as double))", CASES, "[judge/ or [judge]"),
    Mutant(RUNS, "- s.position + 1 + t.above", "- s.position + t.above", "inputs/test_inputs.py", "test_trec_text"),
    # Row sources
    Mutant(ROWS + "depth_overlap.sql", "ceil(r.rank_a)", "floor(r.rank_a)", CASES, "[average_overlap"),
    Mutant(ROWS + "depths.sql", "r.rank asc nulls last) as", "r.rank desc nulls last) as", CASES, "[compat"),
    Mutant(ROWS + "documents.sql", '"r.relevance > 0"', '"r.relevance >= 1"', CASES, "[ap/ or [ap]"),
    Mutant(ROWS + "either_documents.sql", "coalesce(r.rank_b, 0)", "r.rank_b", CASES, "[overlap"),
    Mutant(ROWS + "gain_positions.sql", " or p.relevance is null", "", CASES, "[rndcg"),
    Mutant("sql/measures/full_recall.sql", "min(case", "max(case", CASES, "[full_recall"),
    Mutant("sql/measures/false_alarm.sql", "> 0 then 1e0", ">= 0 then 1e0", CASES, "[false_alarm"),
    Mutant("sql/templates/shared/sampling.sql", "p.rank <= 1000", "p.rank < 3", CASES, "[infndcg"),
    Mutant("sql/templates/shared/sampling.sql", "{{ drawn }} + 3e-5", "{{ drawn }} + 2e-5", CASES, "[infp"),
    Mutant(
        "sql/templates/rendering/comparisons/system_agreement.sql",
        "(s.rank_b - t.rank_b) < 0",
        "(s.rank_b - t.rank_b) <= 0",
        "comparison/test_system_agreement.py",
    ),
    Mutant(
        "sql/templates/rendering/comparisons/unpaired.sql",
        "(u.queries_a - 1) + u.error_b",
        "u.queries_a + u.error_b",
        "comparison/test_trend.py",
        "random or welch",
    ),
    Mutant(
        "sql/templates/rendering/comparisons/trend.sql", "> 1.5e0 *", "> 2e0 *", "comparison/test_trend.py", "forms"
    ),
    Mutant(
        "ltr_sql/rendering/comparisons.py", '"follows": "= 1 +"', '"follows": ">"', "comparison/test_trend.py", "random"
    ),
    Mutant("ltr_sql/rendering/totals.py", "range(len(quoted))", "[0]", "evaluation/test_totals.py"),
    Mutant("sql/templates/reports/missed.sql", "r is null or r >", "r >", "reports/test_report.py", "missed"),
    Mutant("ltr_sql/catalogue/hints.py", "4 * least <= 4 +", "4 * least <= 40 +", "evaluation/test_names_of_tools.py"),
    Mutant(ROWS + "prefixes.sql", "larger(enters, first_end)", "larger(enters, last_end)", CASES, "[rbo"),
    Mutant(
        ROWS + "scores.sql",
        '{{ deviation_from_mean("r.share_a") }}',
        "r.share_a",
        "evaluation/test_peers.py",
        "correlation_of_scores",
    ),
    Mutant(ROWS + "subtopics.sql", ", 12) as novelty", ", 17) as novelty", CASES, "[alpha_ndcg"),
    Mutant(ROWS + "subtopics.sql", '"n.doc_id", "desc"', '"n.doc_id", "asc"', CASES, "[alpha_ndcg"),
    Mutant(
        ROWS + "tied_positions.sql",
        "t.relevant_through_rank - t.relevant_tied as",
        "t.relevant_through_rank as",
        CASES,
        "[expected_ap",
    ),
    Mutant(
        "sql/templates/shared/inversions.sql",
        "x.above_b > y.above_b",
        "x.above_b >= y.above_b",
        CASES,
        "[kendall_distance",
    ),
    Mutant(
        RUNS,
        'lists_of_length(name, "<=")',
        'lists_of_length(name, "<")',
        "evaluation/test_beyond_accuracy.py",
        "no_order",
    ),
    Mutant(ROWS + "lists/list_groups.sql", "reads_ranks = true", "", "evaluation/test_beyond_accuracy.py", "no_order"),
    Mutant("sql/templates/shared/inversions.sql", '("long", ">")', '("long", ">=")', LIMITS, "short_lists"),
    # Measures and their headers
    Mutant("sql/measures/ap.sql", "smaller(k, num_rel(rel))", "num_rel(rel)", CASES, "[ap/ or [ap]"),
    Mutant("sql/measures/arelpos.sql", " and d.relevance > 0 then", " then", LIMITS, "negative_grades"),
    Mutant("sql/measures/auc.sql", 'empty = "null"', "empty = 0", CASES, "[auc"),
    Mutant(
        "sql/measures/bpref.sql",
        "smaller(nonrelevant_so_far(rel), relevant_of_query(rel))",
        "nonrelevant_so_far(rel)",
        CASES,
        "[bpref",
    ),
    Mutant(
        "sql/measures/coverage_error.sql",
        "d.rank is null and {{ graded() }}",
        "d.rank is null",
        CASES,
        "[coverage_error",
    ),
    Mutant(
        "sql/measures/gmap.sql",
        'average = "geometric"\n',
        "",
        "command_line/test_trec_eval_command.py",
        "that_the_run_lacks",
    ),
    Mutant("sql/measures/lrap.sql", "empty = 1", "empty = 0", CASES, "[lrap"),
    Mutant(
        "sql/templates/shared/expressions.sql", '"whole": idcg(none,', '"whole": idcg(k,', CASES, "[ndcg/ or [ndcg]"
    ),
    Mutant(
        "sql/measures/num_ret.sql",
        'coalesce({{ smaller(k, "max(d.num_ret)") }}, 0)',
        '{{ smaller(k, "max(d.num_ret)") }}',
        CASES,
        "[utility",
    ),
    Mutant(
        "sql/measures/rbp.sql",
        "'{{ reach_probability(p) }}'",
        "'1e0'",
        "evaluation/test_explain.py",
        "discounted_gains and RBP",
    ),
    Mutant("sql/measures/rbp_resid.sql", "< {{ num_ret(none) }}", "<= {{ num_ret(none) }}", CASES, "[rbp_resid"),
    Mutant("sql/agreement/overlap.sql", "ceil(max(d.lower_rank))", "max(d.lower_rank)", CASES, "[overlap"),
    Mutant("sql/agreement/rbo.sql", "when d.depth = d.length_s", "when d.depth >= d.length_s", CASES, "[rbo"),
    # Relations and keys
    Mutant(
        "sql/relations/judge.sql",
        "coalesce(n.num_ret, 0) as num_ret\n    {%- endif %}\nfrom {{ judgments }}",
        "n.num_ret as num_ret\n    {%- endif %}\nfrom {{ judgments }}",
        CASES,
        "[judge/ or [judge]",
    ),
    Mutant("sql/templates/shared/runs.sql", "- r.repeated_above", "", JOINING, "oracle or python"),
    Mutant("sql/templates/shared/runs.sql", "then 1 + r.counted_above else", "then r.rank else", JOINING, "oracle"),
    Mutant("sql/templates/shared/runs.sql", "cast(q.relevance as double) >= 0", "true", CASES, "unjudged_removed"),
    Mutant("sql/templates/macros/read_judgments.sql", "j.__ltr_number = 1", "true", CASES, "judge/highest"),
    Mutant("ltr_sql/rendering/columns/runs.py", "if key not in self.asked", "", JOINING, "python"),
    Mutant("ltr_sql/inputs/joining.py", 'self.unjudged == "remove"', "False", JOINING, "removed_documents_alone"),
    Mutant("sql/relations/judge.sql", "= 'keep' or {{ ties }} = 'expected')", "= 'keep')", CASES, "[judge/ or [judge]"),
    Mutant("sql/relations/pair.sql", "full join", "left join", CASES, "[pair/ or [pair]"),
    Mutant(
        "sql/relations/pair_with_ideal.sql",
        "where r.relevance is not null",
        "where r.rank is not null",
        CASES,
        "[pair_with_ideal",
    ),
    Mutant(
        "ltr_sql/rendering/dialects.py",
        'same: str = "{0} is not distinct from {1}"',
        'same: str = "{0} = {1}"',
        "inputs/test_inputs.py",
        "test_types_of_keys and integer-NULL-run",
    ),
    # Dialects
    Mutant(
        "ltr_sql/rendering/translated.py",
        'mark[0] in (",", "as") and not depth',
        'mark[0] in (",", "as")',
        "rendering/test_translated.py",
    ),
    # Findings
    Mutant(
        "sql/findings/grades_negative.sql",
        "q.relevance < 0",
        "q.relevance <= 0",
        "validation/test_check.py",
        "valid_input_passes",
    ),
    Mutant(
        "sql/findings/ids_of_different_types.sql",
        "(r.kind in ('VARCHAR', 'ENUM')) <> (q.kind in ('VARCHAR', 'ENUM'))",
        "r.kind <> q.kind",
        LIMITS,
        "two_widths",
    ),
    Mutant("sql/findings/mixed_systems.sql", "min(f.rows_apart)", "max(f.rows_apart)", LIMITS, "systems_are_mixed"),
    Mutant("sql/findings/nothing_relevant.sql", "<= 0", "< 0", "validation/test_check.py", "check_finds and nothing"),
    Mutant(
        "sql/findings/queries_not_run.sql",
        "is not distinct from",
        "=",
        "validation/test_check.py",
        "check_finds and judged",
    ),
    Mutant(
        "sql/findings/ranks_with_gaps.sql",
        "max(r.rank) > count",
        "max(r.rank) >= count",
        "validation/test_check.py",
        "valid_input_passes",
    ),
    Mutant(
        "sql/findings/tied_scores.sql",
        "count(*) > 1",
        "count(*) > 2",
        "validation/test_check.py",
        "check_finds and tied",
    ),
    Mutant(
        "sql/findings/unjudged_at_10.sql",
        "r.position <= 10",
        "r.position < 10",
        LIMITS,
        "unjudged_documents_are_counted",
    ),
    Mutant("sql/templates/shared/findings.sql", "min({{ text }}, 3)", "min({{ text }}, 2)", LIMITS, "three_rows"),
    # Conventions and parameters
    Mutant(CONVENTIONS, "ndcg = { k = 20,", "ndcg = { k = 10,", LIMITS, "cutoffs_of_tools"),
    Mutant(CONVENTIONS, "ap = { k = 32,", "ap = { k = 31,", LIMITS, "cutoffs_of_tools"),
    Mutant(CONVENTIONS, 'ties = "worst"', 'ties = "best"', "evaluation/test_conventions.py", "table_of_conventions"),
    Mutant(CONVENTIONS, 'rr = { ties = "row_order", ', "rr = { ", RULES, "by_hand and dicts"),
    Mutant(CONVENTIONS, 'empty = "skip", missing = "zero" }', 'empty = "skip" }', RULES, "by_hand and dicts"),
    Mutant(CONVENTIONS, 'scope = "collection", ', "", RULES, "by_hand and dicts"),
    Mutant("ltr_sql/inputs/binding.py", "ties=rule.ties or ties", "ties=ties", RULES, "by_hand and dicts"),
    Mutant("ltr_sql/inputs/binding.py", 'self.missing) != "zero")', 'self.missing) == "zero")', RULES, "by_query"),
    Mutant("ltr_sql/catalogue/measure_strings.py", "given is None and ", "", RULES, "explicit_arguments"),
    Mutant("ltr_sql/evaluation/kept_documents.py", " or options.has_rules", "", RULES, "equal_documents"),
    Mutant("ltr_sql/reports/curves.py", "if like else {}", "if False else {}", RULES, "curves"),
    Mutant(
        "ltr_sql/macros/query_texts.py", "for macro, own in c.rules.items()", "for macro, own in ()", RULES, "macros"
    ),
    Mutant(
        "sql/builders/group_documents.sql",
        "order by g.score desc nulls last, g.document desc",
        "order by g.score desc nulls last, g.document asc",
        "building/test_builders.py",
        "case and group",
    ),
    Mutant(
        "sql/builders/group_documents.sql", "when r.copies > 1 and", "when r.copies > 2 and", "building/test_chunks.py"
    ),
    Mutant(
        "ltr_sql/rendering/measure_columns.py",
        "case when {num_ret} > 0 then 0e0",
        "case when {num_ret} >= 0 then 0e0",
        "evaluation/test_none_retrieved.py",
    ),
    Mutant(
        "sql/templates/shared/expressions.sql",
        "smaller(k, larger(retrieved, 1))",
        "smaller(k, retrieved)",
        "evaluation/test_cases.py",
        "test_per_query",
    ),
    Mutant(
        "sql/measures/ndcg.sql",
        'reads_with = { ideal = { returned = "counted" } }',
        "",
        "evaluation/test_returned_ideal.py",
    ),
    Mutant(
        "sql/templates/rendering/by_rank.sql",
        "coalesce(max(d.num_ret) over",
        "coalesce(min(d.num_ret) over",
        "evaluation/test_returned_ideal.py",
    ),
    Mutant(
        "sql/templates/shared/expressions.sql",
        '"max(d.relevance) >= " ~ rel',
        '"max(d.relevance) > " ~ rel',
        "evaluation/test_none_retrieved.py",
    ),
    Mutant(
        "ltr_sql/catalogue/measures.py",
        'if header.get("better") == "lower":',
        'if header.get("better") == "higher":',
        "evaluation/test_none_retrieved.py",
    ),
    Mutant(
        "ltr_sql/validation/checks.py",
        'if dict(m.values).get("empty", "0") != "0"',
        'if dict(m.values).get("empty", "0") == "1"',
        "evaluation/test_none_retrieved.py",
    ),
    Mutant(
        "sql/templates/rendering/by_rank.sql",
        "r.ideal_rank <= r.num_ret or",
        "r.ideal_rank < r.num_ret or",
        "evaluation/test_returned_ideal.py",
    ),
    Mutant(
        "sql/templates/rendering/losses.sql",
        "order by d.gain desc nulls last, d.rank asc",
        "order by d.relevance desc nulls last, d.rank asc",
        "evaluation/test_worst.py",
        "equal_grades",
    ),
    Mutant(
        "sql/templates/rendering/losses.sql",
        "unbounded preceding and 1 preceding",
        "unbounded preceding and current row",
        "evaluation/test_worst.py",
        "on_paper",
    ),
    Mutant(
        "sql/templates/rendering/worst.sql",
        "-d.contribution as loss",
        "d.contribution as loss",
        "evaluation/test_worst.py",
        "against_a_baseline",
    ),
    Mutant(
        "sql/templates/rendering/comparisons/decided.sql",
        "count(case when s.failed then 1 end) > 0",
        "count(case when s.failed then 1 end) > 1",
        "comparison/test_gates.py",
        "client",
    ),
    Mutant(
        "sql/templates/macros/gate.sql",
        "= '%' then 100 else 1 end",
        "= '%' then 1 else 1 end",
        "comparison/test_gates.py",
        "client",
    ),
    Mutant(
        "sql/templates/rendering/worst.sql",
        "and l.weight > 0",
        "",
        "evaluation/test_worst.py",
        "weights_and_texts",
    ),
    Mutant(
        "sql/templates/rendering/retrieved.sql",
        "coalesce(r.num_ret, r.rank)",
        "r.rank",
        "evaluation/test_none_retrieved.py",
    ),
    Mutant(
        "ltr_sql/rendering/measure_columns.py",
        '"geometric": "exp(avg(ln(case when {0} > 1e-5 then {0} when {0} is not null then',
        '"geometric": "exp(avg(ln(case when {0} > 1e-5 then {0} when true then',
        RULES,
        "by_hand and frames",
    ),
    Mutant(
        "sql/templates/inputs/judged_in_collection.sql",
        "where j.relevance is not null and ",
        "where ",
        RULES,
        "of_the_collection",
    ),
    Mutant("sql/measures/ap.sql", '"k": given_cutoff(k, "divisor', '"k": given_cutoff(1, "divisor', CASES, "[ap"),
    Mutant("sql/templates/shared/expressions.sql", "+ 1 else 2 end), lambda i", "else 2 end), lambda i", CASES, "[ap"),
    Mutant(
        "sql/templates/shared/gains.sql", '> 0 then 1e0 else 0e0 end"})', '> 0 then 2e0 else 0e0 end"})', CASES, "[ap"
    ),
    Mutant("sql/templates/shared/expressions.sql", "relevance >= {{ rel }}", "relevance > {{ rel }}", CASES, "[ap"),
    Mutant(CONVENTIONS, "{ unit = 1 }", "{ unit = 2 }", "evaluation/test_peers.py", "test_ranx"),
    Mutant("sql/parameters.toml", "default = 0.85", "default = 0.8", CASES, "[pfound"),
    # Dialects
    Mutant(DIALECTS, "rank(order by {0} desc", "rank(order by {0} asc", LIMITS, "short_lists"),
    Mutant(DIALECTS, "max({value}, {k}), 'min')", "max({value}, {k}), 'max')", LIMITS, "at_the_cutoff"),
    Mutant(DIALECTS, "nullif({value}, cast('nan' as double))", "{value}", LIMITS, "nan_is_neither"),
    # Measure strings
    Mutant("ltr_sql/catalogue/measure_strings.py", "float(number) < 1", "float(number) <= 1", LIMITS, "number_from_1"),
    Mutant("sql/templates/macros/query_texts/parsed.sql", "as double) < 1", "as double) <= 1", LIMITS, "number_from_1"),
    Mutant("sql/templates/macros/plain_query.sql", "'@[1-9][0-9]", "'@[0-9]", PLAIN, "which_measures"),
    Mutant("sql/templates/macros/plain_query.sql", "['rows']), 'min')", "['rows']), 'max')", PLAIN, "values_equal"),
    Mutant("ltr_sql/macros/plain_measures.py", "if definition.preset(name) or", "if", PLAIN, "values_equal"),
    # Files, data frames and dicts
    Mutant(TREC, 'and role == "qrels"', 'and role == "run"', "validation/test_errors.py", "broken_lines_of_judgments"),
    Mutant(
        "ltr_sql/inputs/tables.py",
        "columns[name] != qrels",
        "columns[name] == qrels",
        "validation/test_check.py",
        "evaluate_refuses and never",
    ),
    Mutant("ltr_sql/inputs/plain_files.py", "+ 3 >", "+ 3 >=", LIMITS, "zstandard"),
    Mutant("ltr_sql/inputs/plain_files.py", "4 * (descriptor", "3 * (descriptor", LIMITS, "zstandard"),
    Mutant("ltr_sql/inputs/plain_files.py", "magic & ~0xF ==", "magic ==", LIMITS, "zstandard"),
    Mutant(
        "sql/templates/inputs/grades_without_gain.sql",
        "g.grade <> floor(g.grade)",
        "g.grade < floor(g.grade)",
        "inputs/test_gains.py",
        "with_a_fraction_need",
    ),
    Mutant(
        "ltr_sql/inputs/gains.py", "0 <= float(value)", "0 < float(value)", "inputs/test_gains.py", "lists_and_mappings"
    ),
    Mutant(
        "sql/merging/dawid_skene.sql",
        "when n.true_grade = g.relevance then 1e0",
        "when n.true_grade >= g.relevance then 1e0",
        "building/test_builders.py",
        "people_confirm",
    ),
    Mutant(
        "sql/merging/dawid_skene.sql",
        "p.last_change > 1e-6",
        "p.last_change > 1e6",
        "building/test_builders.py",
        "findings_of_dawid",
    ),
    Mutant(
        "sql/merging/dawid_skene.sql", "r.raters = 2", "r.raters = 1", "building/test_builders.py", "findings_of_dawid"
    ),
    Mutant(
        "ltr_sql/inputs/weights.py",
        "between 1e-100",
        "between 1e-200",
        "evaluation/test_distribution.py",
        "test_errors",
    ),
    # Comparisons, gates, evaluators
    Mutant(
        "sql/templates/rendering/comparisons/gates.sql",
        "g.loss > 1e-9 * g.scale",
        "g.loss > 1e-9",
        "comparison/test_gates.py",
        "large_values_pass",
    ),
    Mutant(
        "sql/templates/shared/functions.sql",
        "round({{ value }} / {{ scale }}, 12)",
        "round({{ value }}, 12)",
        "comparison/test_compare.py",
        "large_values_in",
    ),
    Mutant(
        "sql/templates/rendering/comparisons/comparison.sql",
        "d.d >= 5e-13 * d.scale",
        "d.d >= 5e-13",
        "comparison/test_compare.py",
        "large_values_in",
    ),
    Mutant(
        "sql/templates/rendering/comparisons/linearised.sql",
        "case when u.llm_weight > 0 then 2 else 1 end as fitted",
        "1 as fitted",
        "comparison/test_judges.py",
        "equals_the_oracle",
    ),
    Mutant(
        "ltr_sql/evaluation/judges.py",
        "where y.{share} < v.{share} - 1e-9",
        "where y.{share} > v.{share}",
        "comparison/test_judges.py",
        "runs_with_judgments",
    ),
    Mutant("ltr_sql/rendering/comparisons.py", '"1e50"', '"1e80"', "comparison/test_compare.py", "up_to_the_limit"),
    Mutant(
        "ltr_sql/comparison/doubts.py", "if most != 1:", "if most != 0:", "comparison/test_compare.py", "repeats_that"
    ),
    Mutant(
        "sql/templates/shared/functions.sql",
        "1e-12 * greatest(1e0, max(abs(d.d)))",
        "1e-12",
        "comparison/test_compare.py",
        "bca_of_large",
    ),
    Mutant(
        "sql/adjustments/holm.sql",
        "r.tests - r.place + 1",
        "r.tests - r.place",
        "comparison/test_compare.py",
        "comparisons_agree",
    ),
    Mutant(
        "sql/tests/sign.sql",
        "m.above as double",
        "m.below as double",
        "comparison/test_compare.py",
        "comparisons_agree",
    ),
    Mutant(
        "sql/templates/rendering/comparisons/comparison.sql",
        "case when s.constant then 0e0 else s.sd end",
        "s.sd",
        "comparison/test_compare.py",
        "degenerate_values",
    ),
    Mutant(
        "sql/templates/rendering/comparisons/comparison.sql",
        "d.d <= -5e-13",
        "d.d < 0",
        "comparison/test_compare.py",
        "degenerate_values",
    ),
    Mutant(
        "sql/templates/rendering/comparisons/gates.sql",
        "2 * least(g.p_worse, g.p_better)",
        "least(g.p_worse, g.p_better)",
        "comparison/test_gates.py",
        "agree_with_the_oracle",
    ),
    Mutant(
        "sql/templates/rendering/comparisons/comparison.sql",
        "{{ level }} * coalesce(t.p / nullif(j.p_adjusted, 0), 1e0 / r.tests)",
        "{{ level }}",
        "comparison/test_compare.py",
        "interval_and_the_verdict",
    ),
    Mutant(
        "sql/templates/rendering/comparisons/comparison.sql",
        "when {{ has_margin }} or t.p is not null or ",
        "when ",
        "comparison/test_compare.py",
        "degenerate",
    ),
    Mutant(
        "sql/templates/rendering/comparisons/gates.sql",
        "case when d.direction = 'different' then 1 else 2 end",
        "2",
        "comparison/test_gates.py",
        "interval_in_the_message",
    ),
    Mutant(
        "sql/templates/rendering/comparisons/compared_values.sql",
        "{{ margin }} >= {{ most }}",
        "{{ margin }} > {{ most }}",
        "comparison/test_compare.py",
        "beyond_the_range",
    ),
    Mutant(
        "sql/templates/rendering/comparisons/standings.sql",
        "c.queries as common_queries",
        "r.queries as common_queries",
        "reports/test_report.py",
        "names_its_own_queries",
    ),
    Mutant(
        "sql/adjustments/tukey.sql",
        "d.q * r.error / nullif",
        "d.q / nullif",
        "comparison/test_compare.py",
        "two_systems_in_tukey",
    ),
    Mutant(
        "ltr_sql/command_line/compare.py",
        "if outcome.decision != PASSED",
        "if outcome.decision == FAILED",
        "comparison/test_gates.py",
        "only_a_gate",
    ),
    Mutant(
        "ltr_sql/comparison/gates.py",
        "gate.margin >= most",
        "gate.margin > most",
        "comparison/test_gates.py",
        "beyond_the_range",
    ),
    Mutant(
        "ltr_sql/command_line/compared_text.py",
        "for end in (min, max)",
        "for end in (min,)",
        "comparison/test_gates.py",
        "names_the_range",
    ),
    Mutant("ltr_sql/inputs/labels.py", "groups.min() >= 0 and ", "", "evaluation/test_evaluator.py", "invalid_labels"),
    Mutant(
        "ltr_sql/inputs/labels.py",
        "groups = np.array(as_array(group))",
        "groups = np.asarray(as_array(group))",
        "evaluation/test_evaluator_ownership.py",
        "labels_and_groups_may_change",
    ),
    Mutant(
        "ltr_sql/forks.py",
        "    _lock = threading.RLock()\n\n\nif",
        "    pass\n\n\nif",
        "evaluation/test_evaluator_ownership.py",
        "a_fork_waits",
    ),
    Mutant(
        "ltr_sql/errors.py",
        "        raise KeyboardInterrupt from None",
        "        raise",
        "inputs/test_interruptions.py",
        "keyboard_interrupt",
    ),
    Mutant(
        "ltr_sql/macros/registration.py",
        "        if undo is not None:",
        "        if False:",
        "macros/test_partial.py",
        "leaves_no_part",
    ),
    Mutant("ltr_sql/macros/registration.py", "@interruptible()\n", "", "inputs/test_interruptions.py", "a_signal"),
    Mutant(
        "ltr_sql/command_line/__main__.py",
        "        signal.signal(signal.SIGINT, _end)",
        "        pass",
        "command_line/test_interrupted_start.py",
        "while_loading",
    ),
    Mutant(
        "ltr_sql/inputs/connection.py", "if _BUSY in message", "if False", "inputs/test_interruptions.py", "another"
    ),
    Mutant(
        "sql/templates/validation/quick_check.sql",
        "hash(r.query_id) % {{ searched_part }} = 0",
        "false",
        "validation/test_duplicates.py",
        "a_part_of_a_large_run",
    ),
    # Computed in Python
    Mutant(
        "ltr_sql/validation/checks.py",
        'if missing == "skip"',
        'if missing == "zero"',
        "validation/test_check.py",
        "test_warnings",
    ),
    Mutant("ltr_sql/evaluation/conventions.py", "> 1e-12", "> 1e-3", LIMITS, "small_difference"),
    Mutant(
        "ltr_sql/evaluation/explanation.py",
        "max(t.relevance)",
        "min(t.relevance)",
        "evaluation/test_explain.py",
        "judgments_by_subtopic",
    ),
    Mutant("ltr_sql/verification.py", "TOLERANCE = 1e-12", "TOLERANCE = 1e-3", LIMITS, "12_digits"),
    Mutant("ltr_sql/verification.py", "max(1.0, abs(value)", "max(1e-9, abs(value)", LIMITS, "12_digits"),
    Mutant(
        "ltr_sql/verification.py",
        'missing == "skip"',
        'missing == "zero"',
        "command_line/test_cli.py",
        "verify_with_options",
    ),
    Mutant(
        "ltr_sql/command_line/trec_eval_lines.py",
        'else "skip"',
        'else "zero"',
        "command_line/test_trec_eval_command.py",
        "that_the_run_lacks",
    ),
    # Settings and macros of the caller
    Mutant(
        "ltr_sql/rendering/built_in.py",
        "return SCHEMA + found[0] if found[0] in FUNCTIONS else found[0]",
        "return found[0]",
        "macros/test_surroundings.py",
        "test_measures or compare",
    ),
    Mutant("sql/tests/randomization.sql", "n.n / 2e0", "n.n / 2", "macros/test_surroundings.py", "test_macros"),
    Mutant(
        DIALECTS, 'if "\\n" in text else quoted', "if False else quoted", "rendering/test_user_texts.py", "systems_stay"
    ),
    # Large runs
    Mutant(
        "sql/templates/shared/runs.sql",
        "p.documents > 1 as tied",
        "false as tied",
        "evaluation/test_properties.py",
        "ranked_by_counting",
    ),
    Mutant(
        "sql/templates/shared/runs.sql",
        "rows between unbounded preceding and 1 preceding",
        "rows between unbounded preceding and current row",
        "evaluation/test_properties.py",
        "ranked_by_counting",
    ),
    Mutant(
        "ltr_sql/evaluation/batches.py", "t.query_id < {", "t.query_id <= {", "evaluation/test_batches.py", "equal_one"
    ),
    Mutant(
        "ltr_sql/evaluation/accuracy.py",
        "part = part.guarded(options.measures, bound.source.guard.distinct_ranks)",
        "pass",
        "evaluation/test_batches.py",
        "later_batch",
    ),
    Mutant("ltr_sql/evaluation/accuracy.py", "depth <= _SHALLOW", "depth > 0", "evaluation/test_batches.py", "deep"),
    Mutant("ltr_sql/inputs/storage.py", "<= _JUDGED * rows", ">= 0", "evaluation/test_batches.py", "few_judged"),
    Mutant("ltr_sql/inputs/storage.py", "found / all_groups if", "1 if", "evaluation/test_batches.py", "a_view_of"),
    Mutant("ltr_sql/evaluation/batches.py", 'text or "true"', "text", "evaluation/test_batches.py", "without_judg"),
    # Outputs and failures of the command
    Mutant(
        "ltr_sql/command_line/overwriting.py",
        "if os.path.samefile(path, output):",
        "if path == output:",
        "command_line/test_outputs.py",
        "never_overwrites",
    ),
    Mutant(
        "ltr_sql/command_line/overwriting.py",
        'not (option == "--save-values" and _holds_saved_values(path))',
        'option != "--save-values"',
        "command_line/test_outputs.py",
        "may_be_replaced",
    ),
    Mutant(
        "ltr_sql/outputs.py",
        "os.open(path, os.O_WRONLY) if number is None else os.dup(number)",
        "os.open(path, os.O_WRONLY)",
        "command_line/test_outputs.py",
        "dev_stdout",
    ),
    Mutant(
        "ltr_sql/command_line/main.py",
        "isinstance(sys.stdout.buffer, RawIOBase)",
        "False",
        "command_line/test_outputs.py",
        "closes_the_pipe",
    ),
    Mutant(
        "ltr_sql/inputs/readers.py",
        "or file.path != file.given",
        "",
        "inputs/test_missing_files.py",
        "not_utf8",
    ),
    # Callbacks of training
    Mutant(CALLBACKS, "if kept.equal(labels):", "if True:", TRAINING, "test_changed or arrays_of_lightgbm"),
    Mutant(CALLBACKS, "(labels.copy(), made)]", "(labels, made)]", TRAINING, "arrays_of_lightgbm"),
    Mutant(CALLBACKS, "weights=labels.query_weights(),", "weights=None,", TRAINING, "weights_of_the_libraries"),
    Mutant(CALLBACKS, '"".join(text.split())', "text", TRAINING, "early_stopping_of_xgboost"),
    Mutant(CALLBACKS, "if math.isnan(value):", "if False:", TRAINING, "undefined"),
    Mutant(STOPPING, "maximize=higher_is_better,", "maximize=True,", TRAINING, "early_stopping_of_xgboost or pickled"),
    Mutant(STOPPING, "stopping.maximize = maximize", "continue", TRAINING, "direction_of_each_measure"),
    Mutant(STOPPING, "if stopping.maximize != maximize:", "if False:", TRAINING, "wrong_directions"),
    Mutant(STOPPING, "training.metric is metric", "training.metric", TRAINING, "wrong_directions"),
    Mutant(
        "ltr_sql/evaluation/evaluator.py",
        '"zero" if labelled.has_empty_queries else None',
        "None",
        TRAINING,
        "values_of_the_libraries",
    ),
]


def main(words: list[str]) -> int:
    """Apply the mutants and print one line for each. Return 0 if all were killed, else 1."""
    started = monotonic()
    chosen = [mutant for mutant in MUTANTS if not words or any(word in mutant.file for word in words)]
    if not chosen:
        raise SystemExit(f"no mutant is of a file with {' or '.join(words)} in its name")
    processes = multiprocessing.get_context("forkserver")
    processes.set_forkserver_preload(IMPORTED_ONCE)
    outcomes = []
    with ProcessPoolExecutor(SIDE_BY_SIDE, processes, max_tasks_per_child=1) as pool:
        for future in as_completed([pool.submit(apply, mutant) for mutant in chosen]):
            outcomes.append(future.result())
            print(line(outcomes[-1]), flush=True)
        killed = [outcome for outcome in outcomes if not outcome.wrong]
        tests = sorted({outcome.killed_by for outcome in killed})
        unchanged = pool.map(failing_without_mutants, [tests[part::SIDE_BY_SIDE] for part in range(SIDE_BY_SIDE)])
        failing = [text for part in unchanged for text in part]
    wrong = [f"{outcome.mutant}\n    {outcome.wrong}" for outcome in outcomes if outcome.wrong] + failing
    print("\n".join(["", *wrong, f"{monotonic() - started:.0f} s"]))
    print(f"{len(killed)} passed, {len(wrong)} failed")
    return 1 if wrong else 0


def line(outcome: Outcome) -> str:
    result = f"killed by {outcome.killed_by}" if not outcome.wrong else outcome.wrong.upper().splitlines()[0]
    return f"{outcome.seconds:5.1f} s  {outcome.mutant}  {result}"


def apply(mutant: Mutant) -> Outcome:
    """Apply a mutant to a copy of the checkout, and run its tests there."""
    started = monotonic()
    killed_by, wrong = "", ""
    try:
        with copied_checkout():
            killed_by = killer(mutant)
    except NotKilled as error:
        wrong = str(error)
    return Outcome(mutant, monotonic() - started, killed_by, wrong)


class NotKilled(Exception):
    """Reason why no test killed a mutant."""


def killer(mutant: Mutant) -> str:
    """Return the node id of a test that fails with a mutant in the working folder. Raises NotKilled without one."""
    file = Path(mutant.file)
    source = file.read_text(encoding="utf-8")
    found = source.count(mutant.text)
    if found != 1:
        raise NotKilled(f"its text is found {found} times, not once")
    file.write_text(source.replace(mutant.text, mutant.replacement), encoding="utf-8")
    try:
        runpy.run_module("tools.generate", run_name="__main__")
    except Exception as error:
        raise NotKilled(f"the macros cannot be generated\n{error}") from error
    tests = [f"tests/{name}" for name in mutant.tests.split()]
    code, failed, output = tested("-x", *tests, *(["-k", mutant.k] if mutant.k else []), seconds=SECONDS_FOR_EACH)
    if code == 0:
        raise NotKilled("survived")
    if not failed:
        raise NotKilled(f"its tests cannot run\n{output[-2000:]}")
    return failed[0]


def failing_without_mutants(tests: list[str]) -> list[str]:
    """Return the tests that fail in an unchanged copy of the checkout."""
    if not tests:
        return []
    with copied_checkout():
        code, failed, output = tested(*tests, seconds=0)
    if code == 0:
        return []
    return [f"{test}\n    fails without a mutant too" for test in failed] or [output]


@dataclass
class Failed:
    """Plugin of pytest that collects the node ids of failed tests."""

    tests: list[str] = field(default_factory=list)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.tests.append(report.nodeid)


def tested(*arguments: str, seconds: int) -> tuple[int, list[str], str]:
    """Run pytest in the working folder. Return its exit code, the node ids of failed tests and what it prints.

    A test that is still running after `seconds` fails. 0 sets no limit.
    """
    failed, output = Failed(), io.StringIO()
    signal.signal(signal.SIGALRM, time_is_over)
    signal.alarm(seconds)
    with redirect_stdout(output), redirect_stderr(output):
        options = ["-n", "0", "--tb=short", "-p", "no:cacheprovider", "-m", "not spark"]
        options += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]
        code = pytest.main([*options, *arguments], [failed])
    signal.alarm(0)
    return int(code), failed.tests, output.getvalue()


def time_is_over(*_: object) -> None:
    raise TimeoutError(f"the tests of a mutant take more than {SECONDS_FOR_EACH} seconds")


@contextmanager
def copied_checkout() -> Iterator[None]:
    """Work in a temporary copy of the checkout, which also provides ltr_sql."""
    with TemporaryDirectory(prefix="ltr_sql-mutant-") as folder:
        copy = Path(folder) / ROOT.name
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(*NOT_COPIED))
        os.chdir(copy)
        sys.path.insert(0, str(copy))
        # Some tests start another Python.
        os.environ["PYTHONPATH"] = str(copy)
        sys.dont_write_bytecode = True
        try:
            yield
        finally:
            os.chdir(ROOT)


def shortened(text: str) -> str:
    """Return a text on one line, cut in the middle."""
    text = " ".join(text.split())
    return text if len(text) <= 60 else f"{text[:28]} ... {text[-27:]}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
