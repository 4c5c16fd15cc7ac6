/*
summary = "Fuse the runs of each query into one."
inputs = ["runs"]
option = "method"
procedures = "fusion"
default = "rrf"
keys = ["system"]
columns = ["query_id", "doc_id"]
reads = "query_id, doc_id, rank or score (rank decides the order if both exist), the column that names the run of each row (compared), and keys"
gives = "the keys without this column, query_id, doc_id, score, rank, and runs (how many hold the document)"
[options.norm]
summary = "normalise the scores of each run and query"
type = "choice"
choices = "norms"
[options.k]
summary = "constant of rrf"
type = "number"
minimum = 0
default = 60
[options.weights]
flag = "run-weight"
summary = "a table with the column of the runs and weight, or a map from run to weight"
type = "weights"
[options.compared]
summary = "column that names the systems"
type = "column"
default = "system"
[options.depth]
summary = "number of documents from the top of each ranking"
type = "integer"
minimum = 1
[options.p]
summary = "persistence of the reader for rbp and rbc, 0.8 by default"
type = "number"
minimum = 0
maximum = 1
default = 0.8
[options.gamma]
summary = "exponent of the number of runs in comb_mnz"
type = "number"
default = 1
[options.constant]
summary = "value of equal scores under norm min_max"
type = "number"
default = 0
[options.top]
summary = "number of documents of each query to write"
type = "integer"
minimum = 1
[options.ties]
summary = "tie-breaking rule for equal scores"
type = "choice"
choices = ["docid_desc", "docid_asc", "docid_desc_float32", "row_order"]
default = "docid_desc"
[options.points]
summary = "weights of several fusions: a query of the columns point, name and weight, which gives a fused run for each point"
type = "query"
sql = false
*/
{#- __ltr_listed holds the documents of each run, and __ltr_values the value of each document in each run. __ltr_fused has one row for
    each document of each query. -#}
{%- set by_rank = method.reads == "ranks" -%}
{%- if by_rank %}{{ refuse("norm", "method := '" ~ method.name
    ~ "' reads ranks, to which no norm applies: leave norm out, or choose a method of scores such as 'comb_sum'") }}{% endif -%}
{%- if not method.weighted %}{{ refuse("weights", "method := '" ~ method.name
    ~ "' takes no weights: leave them out, or choose a weighted method such as 'comb_sum'") }}{% endif -%}
{#- Rows need the numbers of their runs only with weights or with more than two runs. `system` is then the number of the run, else its name. -#}
{%- set numbered = has_weights != "false" or has_points != "false" or not few -%}
{%- set weight = "d.weight" if numbered else "1e0" -%}
{%- set weighted_value = "d.weight * d.value" if numbered else "d.value" -%}
{%- set most = depth -%}
{#- Only DuckDB can skip sorting the rows below the depth, and only if the depth is known. -#}
{%- set depth = depth if smallest_of_largest("", "") and depth | int(100000) < 100000 else none -%}
{%- set relations, scores_checked, finite_scores, unsorted = {"runs": runs}, false, false, 0 -%}
{#- Rows still tied after tie-breaking are duplicate documents, which __ltr_fused rejects. -#}
{%- set distinct_documents = true -%}
{%- from "shared/runs.sql" import ranked_run with context -%}
{%- from "shared/weights.sql" import checked_weights with context -%}
{%- from "shared/fusion.sql" import at_most, distinct_systems, finite_score, fused_order, fused_systems, fused_values, point, total
    with context -%}
{%- set order %}{% call(rule) by("ties") %}{{ fused_order(rule) }}{% endcall %}{% endset -%}
with {% call(rule) by("ties") %}{{ ranked_run("runs", has_rank, rule, has_score=none if by_rank else has_score) }}{% endcall %},
{%- if numbered %}
__ltr_systems as {{ materialized }}(
    {% call(given) by("weights") %}{{ fused_systems(given) | indent(4) }}{% endcall %}
),
{%- endif %}
__ltr_listed as (
    select
        {{ fused_key("r") }},
        r.doc_id,
        {%- if numbered %}
        s.number as system,
        s.weight,
        s.several,
        {%- if sorted_values %}
        s.bit,
        {%- endif %}
        {%- else %}
        r.__ltr_key_1 as system,
        {%- endif %}
        {%- if not by_rank %}
        {{ finite_score("r.score") | indent(8) }} as score,
        {%- endif %}
        r.rank
    from __ltr_runs_ranked as r
    {%- if numbered %}
    join __ltr_systems as s
        on s.name = r.__ltr_key_1
    {%- endif %}
    where {{ at_most("r.rank", most) }}
        and case
            when {% if not numbered %}r.__ltr_key_1 is not null and {% endif %}r.query_id is not null and r.doc_id is not null then true
            else {{ error("a row lacks the name of its run, query_id or doc_id: leave it out, or complete it") }}
        end
),
__ltr_values as (
    {% if by_rank %}{{ fused_values(method.value | rendered, method.absent | rendered) | indent(4) }}
    {%- else %}
    {%- call(name) by("norm") %}
    {%- set norm = procedures("norm")[name] if name else none %}
    {{- fused_values(norm.body | rendered if norm else "l.score", norm.fields.get("absent", "") | rendered if norm else "", true) | indent(4) }}
    {%- endcall %}
    {%- endif %}
),
__ltr_fused as (
    select
        {{ point("d") }}{{ fused_key("d") }},
        d.doc_id,
        {{ method.body | rendered | indent(8) }} as score,
        cast({% if by_rank %}{{ "sum(d.held)" if method.absent else "count(*)" }}
        {%- else %}{% call(name) by("norm") %}{{ "sum(d.held)" if name and procedures("norm")[name].fields.get("absent") else "count(*)" }}{% endcall %}
        {%- endif %} as bigint) as runs
    from {% call(given) by("points") %}{% if not given %}__ltr_values{% else %}(
        select
            d.* exclude (weight),
            w.point,
            w.weight
        from __ltr_values as d
        join __ltr_systems as s
            on s.number = d.system
        join {{ points }} as w
            on w.name = {{ text_of_id("s.name") }}
    ){% endif %}{% endcall %} as d
    group by {{ point("d") }}{{ fused_key("d") }}, d.doc_id
    having case when {{ distinct_systems() }} then true else {{ reject_duplicate_document() }} end
),
__ltr_placed as (
    select
        {{ point("f") }}{{ fused_key("f") }},
        f.doc_id,
        f.score,
        row_number() over (
            partition by {{ point("f") }}{{ fused_key("f") }}
            order by {{ order }}
        ) as rank,
        f.runs
    from __ltr_fused as f
    where case
        when abs(f.score) <= 1.7976931348623157e308 then true
        else {{ error_of("the fused score of a document is too large for a number, or undefined: choose a norm, or smaller weights or gamma; the doc_id is",
            "f.doc_id") }}
    end
)
select
    {{ point("f") }}{{ fused_key_output("f") }},
    f.doc_id,
    f.score,
    f.rank,
    f.runs
from __ltr_placed as f
where {{ at_most("f.rank", top) }}
