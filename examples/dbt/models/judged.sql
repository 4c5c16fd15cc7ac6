-- Runs joined with judgments: the rankings that every measure reads.
from ltr.judge('{{ ref("runs") }}', '{{ ref("qrels") }}', keys := ['day', 'system'])
