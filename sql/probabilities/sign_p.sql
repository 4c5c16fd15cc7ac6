/*
summary = "Two-sided p of the sign test: 2 P(X <= min(wins, losses)), where X is binomial with probability 1/2."
arguments = ["wins", "losses"]
reference = "Arbuthnot 1710, Philosophical Transactions 27"
*/
case
    when {{ wins }} = {{ losses }} then 1e0
    else least(1e0, 2 * {{ beta_cdf("0.5e0", "0.5e0", "greatest(" ~ wins ~ ", " ~ losses ~ ")", "(least(" ~ wins ~ ", " ~ losses ~ ") + 1)") }})
end
