/*
summary = "Count the documents by the grades of each pair of raters: their confusion table, in long form."
inputs = ["judgments"]
columns = ["query_id", "doc_id", "rater", "relevance"]
reads = "judgments: query_id, doc_id, rater, relevance (NULL = no rating), keys"
gives = "the keys, rater_a, rater_b, relevance_a, relevance_b, documents (to which a gave relevance_a and b gave relevance_b); pairs of grades without documents are left out"
reference = "Cohen 1960, Educational and Psychological Measurement 20"
*/
with {{ paired_ratings(judgments) }}
select
    {% if system("n") %}{{ system_output("n") }},
    {% endif -%}
    p.rater_a,
    p.rater_b,
    p.a as relevance_a,
    p.b as relevance_b,
    count(*) as documents
{#- The left join keeps the groups of a single rater, so that the error is raised. #}
from __ltr_raters as n
left join __ltr_paired as p
    on {{ same_group("p", "n") }}
{{ group_by_group("n", "p.rater_a", "p.rater_b", "p.a", "p.b") }}
having count(p.rater_a) > 0
