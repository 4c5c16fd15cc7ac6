{#- Count the duplicate documents in a part of a large run, by hashes: if two of them collide, the finding looks at the documents. -#}
select count(*) - count(distinct hash({{ key("r") }}, r.doc_id)) as duplicate_documents
from (
    select
        {{ key_definition("j") }},
        j.doc_id
    from {{ sample }} as j
    where j.doc_id is not null
) as r
