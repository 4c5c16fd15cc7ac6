"""Build relations: judgments from clicks and raters, pools, fused runs, values of policies."""
