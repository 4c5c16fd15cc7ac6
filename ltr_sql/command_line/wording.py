"""Messages in the words of the current command: its flags and arguments, and the names of other commands."""

import click

from ltr_sql.catalogue.wording import on_command_line


def in_words_of_command(text: str) -> str:
    """Return a message that is written in the words of Python or SQL in those of the current command."""
    context = click.get_current_context(silent=True)
    if context is None:
        return text
    root = context.find_root()
    group = root.command if isinstance(root.command, click.Group) else None
    if context is root and group is not None and root.invoked_subcommand is not None:
        # The command has ended.
        command = group.get_command(root, root.invoked_subcommand) or context.command
    else:
        command = context.command
    flags = {"qrels": "QRELS"}
    for parameter in command.params:
        if isinstance(parameter, click.Argument):
            flags[str(parameter.name)] = parameter.human_readable_name.upper()
        else:
            flags[str(parameter.name)] = max(parameter.opts, key=len)
            flags |= {f"no {parameter.name}": opposite for opposite in parameter.secondary_opts}
    return on_command_line(text, flags, {} if group is None else dict.fromkeys(group.list_commands(root)))
