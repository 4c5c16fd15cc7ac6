/*
summary = "One-sided p of the sequential test for a positive z; it is 1 for other z."
arguments = ["z", "information"]
reference = "Waudby-Smith, Arbour, Sinha, Kennedy & Ramdas 2024, Annals of Statistics 52"
*/
{%- set evidence = "exp(-" ~ z ~ " * " ~ z ~ " / 2 * " ~ information ~ " / (1 + " ~ information ~ "))" -%}
case
    when {{ z }} > 0 and {{ evidence }} < 1
    then least(1e0, sqrt(1 + {{ information }}) / 2 * {{ evidence }} / (1 - {{ evidence }}))
    else 1e0
end
