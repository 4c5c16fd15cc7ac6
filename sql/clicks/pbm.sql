/*
summary = "Position-based model: users click if they examine the rank and the document attracts them. Both are estimated by expectation maximisation, 50 iterations by default."
formula = "attraction of the document, where P(click) = attraction * examination of the rank"
reads = ["rank"]
recursive = true
reference = "Richardson, Dominowska & Ragno 2007, WWW; Chuklin, Markov & de Rijke 2015, Click Models for Web Search; PyClick's PBM"
*/
{{ position_based_model("coalesce(" ~ iterations ~ ", 50)") }},
__ltr_modelled as (
    select
        {{ run_key("i") }},
        i.doc_id,
        m.attraction as relevance,
        m.views,
        m.clicks
    from __ltr_items as i
    join (
        select
            e.item,
            max(e.attraction) as attraction,
            sum(e.views) as views,
            sum(e.clicks) as clicks
        from __ltr_em as e
        where e.step = coalesce({{ iterations }}, 50)
        group by e.item
    ) as m
        on m.item = i.item
)
