create or replace macro ltr.version() as {{ version }};
comment on macro ltr.version is 'The version of ltr_sql that these macros are from.';
