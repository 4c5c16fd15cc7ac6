/*
summary = "P(|Z| >= |z|) of the standard normal distribution: the two-sided p of a z test."
arguments = ["z"]
public = true
reference = "Cody 1969, Mathematics of Computation 23"
*/
2 * {{ normal_upper("abs(" ~ z ~ ")") }}
