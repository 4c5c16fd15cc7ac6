"""The grammar of gates, conditions that make a build fail: shared by `--fail-if` and `ltr.gate`."""

GRAMMAR = (
    r"(?P<measure>\S|\S.*?\S)(?:\s+(?P<word>plainly|significantly|possibly))?\s+(?P<direction>worse|different)"
    r"(?:\s+by\s*>\s*(?P<number>(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)\s*(?P<percent>%)?)?"
)
FORM = (
    "write MEASURE [plainly | significantly | possibly] (worse | different) [by > NUMBER[%]], "
    "as in 'nDCG@10 significantly worse by > 1%'"
)
# What is said of a gate that is refused, after "the gate 'TEXT' ".
WHOLE_SHARE = "has a margin of 100% or more: write a smaller share, or a number without %"
NEEDS_MARGIN = "needs a margin, as in 'by > 1%': no test shows a difference of exactly 0"
