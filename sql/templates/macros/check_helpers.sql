{#- Create the helper macros that ltr.check_rankings and ltr.check_run share. -#}
create or replace macro ltr.__ltr_check_rows(rankings, keys) as table
{{ rows }};

create or replace macro ltr.__ltr_check_run_rows(rankings, qrels, keys) as table
{{ run_rows }};

create or replace macro ltr.__ltr_default_means(rankings) as table
{{ means }};
