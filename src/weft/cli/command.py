"""What holds for every command line: options count once and have a value, outputs hurt no input."""

import copy
import json
import re
import shlex
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperCommand, TyperOption

from weft.cli.completion import offer
from weft.errors import WeftError
from weft.names import as_typed
from weft.sources.named import split_source

# Where a context keeps the outputs of its command line, by their options.
_OUTPUTS = "weft.outputs"
_UNUSUAL = re.compile(r"[^\n\x20-\x7e]")
# Options that take several names or sizes.
_WITH_COMMAS = ("test", "transport", "sizes", "order", "hosts", "nodelist", "exclude")


# Options that --help-all shows, for most users never need them: by their command.
_FOR_FEW = {
    "run": frozenset(
        ("samples", "keep_all", "seed", "allow_env", "pages", "points", "single", "wait",
         "deadline", "rate", "launcher", "launcher_command", "interface", "device", "extents",
         "lattice", "depth", "compute", "overlap", "sums", "long_links", "threads", "gauge", "mass",
         "u0", "partition", "account", "constraint", "time", "nodelist", "exclude")
    )
}  # fmt: skip
_HELP_ALL = "--help-all"


class Command(TyperCommand):
    """A command whose options are refused where typing them would have no effect."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        # A terminal breaks lines at its own width, and would keep those of the source as well.
        self.help = "\n\n".join(" ".join(one.split()) for one in (self.help or "").split("\n\n"))
        offer(str(self.name), self.params)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """The help, without the options that few need."""
        few = _FOR_FEW.get(str(self.name), ())
        brief = copy.copy(self)
        brief.params = [one for one in self.params if one.name not in few]
        if few:
            brief.epilog = f"{self.epilog}\n\nAll options:  {ctx.command_path} {_HELP_ALL}"
        super(Command, brief).format_help(ctx, formatter)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the words. Raises WeftError, but not while a shell asks how a word goes on."""
        if ctx.resilient_parsing:
            return super().parse_args(ctx, args)
        if _HELP_ALL in args and str(self.name) in _FOR_FEW:
            super().format_help(ctx, ctx.make_formatter())
            ctx.exit()
        values, more, order = self.make_parser(ctx).parse_args(list(args))
        _check_few(ctx, values, more)
        _check_once(order)
        _check_filled(order, values)
        rest = super().parse_args(ctx, args)
        outputs = ctx.meta.get(_OUTPUTS, {})
        _check_apart(outputs, {one.name: ctx.params.get(one.name) for one in self.params})
        return rest


class Commands(typer.Typer):
    """A program or a group of commands, each of them a Command."""

    def command(self, name: str | None = None, **settings: Any) -> Any:
        """As typer's."""
        return super().command(name, **{"cls": Command, **settings})


class CommandGroup(typer.Typer):
    """The commands of a program that stand under one title in its help."""

    def __init__(self, app: typer.Typer, title: str) -> None:
        super().__init__()
        self._app = app
        self._title = title

    def command(self, name: str | None = None, **settings: Any) -> Any:
        """As typer's, of the program."""
        return self._app.command(name, rich_help_panel=self._title, **settings)

    def add_typer(self, typer_instance: typer.Typer, **settings: Any) -> None:
        """As typer's, of the program."""
        self._app.add_typer(typer_instance, rich_help_panel=self._title, **settings)


def output_option(context: typer.Context, param: typer.CallbackParam, value: Any) -> Any:
    """What an option that names an output calls with its value: fail before anything is done."""
    from weft.outputs import STANDARD_OUTPUT

    if value is not None and Path(value) == STANDARD_OUTPUT:
        raise WeftError(
            "standard output has the table that this command prints",
            f"use a file after {_name_of(param)}",
        )
    return only_output_option(context, param, value)


def picture_option(context: typer.Context, param: typer.CallbackParam, value: Any) -> Any:
    """The same for an option that names a picture, whose ending says its kind."""
    from weft.report.picture import check_kind

    found = output_option(context, param, value)
    if value is not None and not context.resilient_parsing:
        check_kind(Path(value))
    return found


def only_output_option(context: typer.Context, param: typer.CallbackParam, value: Any) -> Any:
    """The same of a command that prints nothing else: - is standard output."""
    from weft.outputs import check_output

    if value is not None and not context.resilient_parsing:
        check_output(Path(value))
        context.meta.setdefault(_OUTPUTS, {})[param.name] = (_name_of(param), Path(value))
    return value


def whole_record_option(context: typer.Context, param: typer.CallbackParam, value: Any) -> Any:
    """What an option that takes a whole record calls with its value."""
    from weft.sources.records import whole_record

    if value is None or context.resilient_parsing:
        return value
    return whole_record(value, _name_of(param))


def _name_of(param: Any) -> str:
    return str(max(param.opts, key=len))


def _check_few(context: typer.Context, values: Mapping[str, Any], more: Sequence[str]) -> None:
    """Raises WeftError where several are typed of what the command takes one of."""
    taken = [one for one in context.command.params if one.param_type_name == "argument"]
    if more and len(taken) == 1:
        [only] = taken
        raise WeftError(
            f"{context.command_path} takes one {only.name.upper()}, and {len(more) + 1} are typed",
            f"use one of them: {context.command_path} {as_typed(values[only.name])}",
        )


def _check_once(order: Sequence[Any]) -> None:
    """Raises WeftError: of an option that is typed twice only the last would count."""
    counts = Counter(param.name for param in order if isinstance(param, TyperOption))
    for param in order:
        if counts[param.name] > 1 and not param.multiple:
            name = _name_of(param)
            once = f", with commas: {name} A,B" if param.name in _WITH_COMMAS else ""
            raise WeftError(f"{name} is given {counts[param.name]} times", f"give it once{once}")


def _check_filled(order: Sequence[Any], values: Mapping[str, Any]) -> None:
    """Raises WeftError: an empty value, as of an unset variable, would mean the default."""
    for param in order:
        typed = values.get(param.name)
        if isinstance(param, TyperOption) and "" in (typed if isinstance(typed, list) else [typed]):
            name = _name_of(param)
            raise WeftError(f"{name} is empty", f"give its value, or leave {name} out")


def this_command() -> str:
    """The command line of this process, as a page shows it for others to type."""
    return shlex.join(["weft", *sys.argv[1:]])


def print_json(command: str, value: object) -> None:
    """What --json prints: the version of the form, the command's name, and what it found."""
    import msgspec

    from weft.outputs import in_one_form, json_form

    plain = in_one_form(msgspec.to_builtins(value, str_keys=True))
    found = msgspec.json.encode(json_form(command, plain))
    typer.echo(  # noqa: TID251 - JSON has escapes of its own
        _escaped_json(msgspec.json.format(found, indent=2).decode())
    )


def _escaped_json(text: str) -> str:
    """The same JSON with every control character as its escape."""
    return _UNUSUAL.sub(
        lambda found: found[0] if found[0].isprintable() else json.dumps(found[0])[1:-1], text
    )


def _check_apart(outputs: Mapping[str, tuple[str, Path]], params: Mapping[str, Any]) -> None:
    """Raises WeftError where an output is a file that the command reads, or another output."""
    written: dict[Path, str] = {}
    for option, path in outputs.values():
        if path.resolve() in written:
            raise WeftError(
                f"{written[path.resolve()]} and {option} both name {path}", "use two files"
            )
        written[path.resolve()] = option
        others = (one for name, value in params.items() if name not in outputs
                  for one in _paths_in(value))  # fmt: skip
        if path.is_file() and any(other.is_file() and path.samefile(other) for other in others):
            raise WeftError(f"{path} is read by this command", f"use another file after {option}")


def _paths_in(value: Any) -> Iterator[Path]:
    """What a value may name as files: itself, and the parts of a list and of NAME@WHICH."""
    for one in value if isinstance(value, list | tuple) else [value]:
        text = str(one) if isinstance(one, str | Path) else ""
        if text and "\0" not in text:
            words = (text, *text.split(","))
            yield from (Path(word) for part in words for word in (part, split_source(part)[0]))
