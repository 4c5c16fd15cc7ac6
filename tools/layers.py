"""The layers of `ltr_sql/`, from the ground up. Packages of one layer do not know each other."""

LAYERS = tuple(
    tuple(names.split())
    for names in (
        "errors forks stages version",
        "catalogue oracle outputs",
        "rendering",
        "inputs macros",
        "validation",
        "evaluation building",
        "comparison",
        "reports verification spark dbt integrations",
        "command_line",
    )
)
