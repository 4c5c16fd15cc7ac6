create or replace macro ltr.version() as {{ version }};
comment on macro ltr.version is 'Returns the version of ltr_sql that created these macros.';
