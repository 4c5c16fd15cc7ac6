/*
summary = """
One row per document in the top k of both rankings, with its score in each. `deviation_a` and `deviation_b` are the
deviations of the scores from their means, scaled to at most about 1. Scores are centred, scaled and centred again.
Otherwise the rounding error of the mean of large, similar scores could exceed their differences, and the squares of
tiny deviations would underflow."""
input = "scored_pairs"
*/
__ltr_centered{{ suffix }} as (
    select
        {{ key("r") }},
        r.score_a,
        r.score_b,
        {{ deviation_from_mean("r.score_a") }} as distance_a,
        {{ deviation_from_mean("r.score_b") }} as distance_b
    from __ltr_paired as r
    where {{ in_both(k, "r") }}
),
__ltr_scaled{{ suffix }} as (
    select
        {{ key("r") }},
        r.score_a,
        r.score_b,
        {{ share_of_largest("r.distance_a") }} as share_a,
        {{ share_of_largest("r.distance_b") }} as share_b
    from __ltr_centered{{ suffix }} as r
),
__ltr_scores{{ suffix }} as (
    select
        {{ key("r") }},
        r.score_a,
        r.score_b,
        {{ deviation_from_mean("r.share_a") }} as deviation_a,
        {{ deviation_from_mean("r.share_b") }} as deviation_b{{ windows | indent(8) }}
    from __ltr_scaled{{ suffix }} as r
),
{{ name }} as (
    select
        {{ key("d") }}{{ values | indent(8) }}
    from __ltr_scores{{ suffix }} as d
    group by {{ key("d") }}
    having {{ validate_scores("d.score_a", "d.score_b") | indent(4) }}
)
