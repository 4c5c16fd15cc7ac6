create or replace macro ltr.version() as {{ string(version) }};
comment on macro ltr.version is 'Return the version of ltr_sql that created these macros.';
