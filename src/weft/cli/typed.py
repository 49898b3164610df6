"""What was typed of a command, and what of it would do nothing."""

from typing import Any

import typer

from weft.errors import without_effect


def is_typed(context: typer.Context, name: str) -> bool:
    """Whether this parameter stands on the command line, with whatever value."""
    return str(context.get_parameter_source(name)).endswith("COMMANDLINE")


def typed_of(context: typer.Context) -> frozenset[str]:
    """All that do."""
    return frozenset(name for name in context.params if is_typed(context, name))


def word_of(context: typer.Context, name: str) -> str:
    """How a parameter was typed: "--queue-depth", "--no-overlap", "TESTS" of an argument."""
    param: Any = next(one for one in context.command.params if one.name == name)
    is_option = param.param_type_name == "option"
    is_negated = param.secondary_opts and context.params[name] is False
    words = param.secondary_opts if is_negated else param.opts
    return str(max(words, key=len)) if is_option else name.upper()


def refuse_typed(context: typer.Context, *names: str, why: str, fix: str = "") -> None:
    """Raises WeftError for the first of these that was typed: `why` it has no effect, and a fix."""
    for name in names:
        if is_typed(context, name):
            word = word_of(context, name)
            raise without_effect(word, why, fix.format(word) or f"omit {word}")
