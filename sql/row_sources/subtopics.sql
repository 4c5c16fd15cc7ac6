/*
summary = """
One row per document and subtopic that the document covers, with `ideal_rank`, its position in the greedy ideal ranking.
At each position the ideal takes the document with the largest novelty gain, given the documents above. Ties are broken
by descending doc_id in byte order, as in ndeval. Gains are rounded to 12 decimals before they are compared, because
equal sums of powers may differ in their last bit."""
input = "covers"
recursive = true
*/
__ltr_covers{{ suffix }} as (
    select
        {{ key("r") }},
        cast(r.doc_id as {{ text_type }}) as doc_id,
        r.rank,
        r.subtopic
    from __ltr_rankings as r
    where r.relevance >= {{ rel }} and r.subtopic is not null
),
__ltr_greedy{{ suffix }} as (
    select
        {{ key("c") }},
        c.doc_id,
        c.subtopic,
        0 as covered,
        0 as position,
        false as chosen
    from __ltr_covers{{ suffix }} as c
    union all
    select
        {{ key("s") }},
        s.doc_id,
        s.subtopic,
        s.covered + max(case when s.doc_id = s.best_doc_id then 1 else 0 end) over (partition by {{ key("s") }}, s.subtopic) as covered,
        s.position + 1 as position,
        s.doc_id = s.best_doc_id as chosen
    from (
        select
            {{ key("n") }},
            n.doc_id,
            n.subtopic,
            n.covered,
            n.position,
            first_value(n.doc_id) over (partition by {{ key("n") }} order by n.novelty desc nulls last, {{ id_order("n.doc_id", "desc") }}) as best_doc_id
        from (
            select
                {{ key("g") }},
                g.doc_id,
                g.subtopic,
                g.covered,
                g.position,
                round(sum(power(1e0 - {{ alpha }}, g.covered)) over (partition by {{ key("g") }}, g.doc_id), 12) as novelty
            from __ltr_greedy{{ suffix }} as g
            where not g.chosen and {{ in_top(k, "(g.position + 1)") }}
        ) as n
    ) as s
),
__ltr_ideal{{ suffix }} as (
    select
        {{ key("g") }},
        g.doc_id,
        g.position
    from __ltr_greedy{{ suffix }} as g
    where g.chosen
    group by {{ key("g") }}, g.doc_id, g.position
),
__ltr_covers_with_ideal_rank{{ suffix }} as (
    select
        {{ key("c") }},
        c.doc_id,
        c.rank,
        c.subtopic,
        i.position as ideal_rank
    from __ltr_covers{{ suffix }} as c
    left join __ltr_ideal{{ suffix }} as i
        on {{ same_key("i", "c") }} and i.doc_id = c.doc_id
),
__ltr_subtopics{{ suffix }} as (
    select
        {{ key("r") }},
        r.doc_id,
        r.rank,
        r.subtopic,
        r.ideal_rank{{ windows | indent(8) }}
    from __ltr_covers_with_ideal_rank{{ suffix }} as r
),
{{ name }} as (
    select
        {{ key("d") }}{{ values | indent(8) }}
    from __ltr_subtopics{{ suffix }} as d
    group by {{ key("d") }}
    having {{ validate_covers("d.rank", "d.doc_id", "d.subtopic") | indent(4) }}
)
