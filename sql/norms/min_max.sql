/*
summary = "(score - min) / (max - min) of the run and query. Equal scores become `constant`."
reference = "Lee 1997, SIGIR"
*/
case when {{ highest }} = {{ lowest }} then {{ constant }} else ({{ score }} - {{ lowest }}) / ({{ highest }} - {{ lowest }}) end
