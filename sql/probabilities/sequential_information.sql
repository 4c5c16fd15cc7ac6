/*
summary = "What the sequential test knows after a number of queries, so that its interval at the level alpha is narrowest after the planned number."
arguments = ["queries", "planned", "alpha"]
reference = "Waudby-Smith, Arbour, Sinha, Kennedy & Ramdas 2024, Annals of Statistics 52"
*/
{{ queries }} * (ln(1 - 2 * ln({{ alpha }})) - 2 * ln({{ alpha }})) / {{ planned }}
