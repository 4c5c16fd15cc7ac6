/*
summary = "Number of standard errors from the mean to the ends of a sequential interval with the coverage 1 - alpha. ends is 2 if each end is a one-sided test at alpha / 2, and 1 if both are one test."
arguments = ["alpha", "information", "ends"]
reference = "Waudby-Smith, Arbour, Sinha, Kennedy & Ramdas 2024, Annals of Statistics 52"
*/
sqrt(2 * (1 + {{ information }}) / {{ information }} * ln({{ ends }} - 1 + sqrt(1 + {{ information }}) / {{ alpha }}))
