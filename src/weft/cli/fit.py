"""`weft fit`: latency and bandwidth from a record or a plain table of sizes and times."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from weft.errors import WeftError

if TYPE_CHECKING:
    from weft.analysis.models import Models
    from weft.analysis.sweeps import Series

_EXAMPLES = """Examples:

weft fit run.jsonl.zst

weft fit times.csv -o trend.pdf

weft fit other.csv --columns "Size [KiB],t_us" --json"""


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("fit", epilog=_EXAMPLES)(fit)


def fit(
    source: Annotated[Path, typer.Argument(help="A record, or a CSV of sizes and times.")],
    test: Annotated[str, typer.Option(help="Tests, with commas. Default: ping_pong.")] = "",
    transport: Annotated[str, typer.Option(help="Transports, with commas. Default: all.")] = "",
    columns: Annotated[str, typer.Option(help="SIZE,TIME columns of a CSV.")] = "",
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Picture: .svg, .pdf or .html.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")] = False,
) -> None:
    """Fit lines: latency and bandwidth with 95 % intervals.

    One line by least squares as lines are published, one by the median, which is right for times
    whose errors grow with the message and have a tail; and from six sizes on the piecewise model, a
    line a protocol with the switches between them.
    """
    import msgspec  # noqa: PLC0415 - start-up

    from weft.analysis.models import fit_models  # noqa: PLC0415
    from weft.report.fits import render_models  # noqa: PLC0415
    from weft.report.terminal import console  # noqa: PLC0415

    every = _series(source, test, transport, columns)
    if output is not None and len(every) > 1:
        raise WeftError("a picture holds one series", "choose it with --test and --transport")
    fits = [fit_models(series, stream) for series, stream in every]
    if json:
        typer.echo(msgspec.json.format(msgspec.json.encode(fits), indent=2).decode())
    else:
        for one in fits:
            console().print(render_models(one))
    if output is not None:
        _draw(output, every[0][0], fits[0])
        typer.echo(f"picture: {output}", err=True)


def _series(
    source: Path, test: str, transport: str, columns: str
) -> "list[tuple[Series, Series | None]]":
    """The series that are asked for, each with the stream of its transport if it is a latency."""
    from weft.analysis.sweeps import series_of_run, series_of_times  # noqa: PLC0415 - start-up
    from weft.plan import choose  # noqa: PLC0415
    from weft.record.plain import is_plain, read_plain  # noqa: PLC0415
    from weft.record.run import load  # noqa: PLC0415

    if is_plain(source):
        pair = tuple(name.strip() for name in columns.split(",")) if columns else ()
        if columns and len(pair) != 2:
            raise WeftError(f"'{columns}' is no pair of columns", "say --columns SIZE,TIME")
        table = read_plain(source, (pair[0], pair[1]) if pair else None)
        series = series_of_times(source.name, table.sizes_bytes, table.times_ns, table.notes)
        return [(series, None)]
    run = load(source)
    measured = dict.fromkeys((run.cases[b.case].test, run.cases[b.case].transport)
                             for b in run.measured)  # fmt: skip
    if not measured:
        raise WeftError(f"{source} has nothing that was measured", "see weft show")
    known = tuple(dict.fromkeys(name for name, _ in measured))
    usual = ("ping_pong",) if "ping_pong" in known else known[:1]
    tests = choose("test", [name for name in test.split(",") if name], known) or usual
    every = tuple(dict.fromkeys(name for _, name in measured))
    transports = choose("transport", [n for n in transport.split(",") if n], every) or every
    chosen = [pair for pair in measured if pair[0] in tests and pair[1] in transports]
    return [
        (
            series_of_run(run, name, over),
            series_of_run(run, "stream", over)
            if name == "ping_pong" and ("stream", over) in measured
            else None,
        )
        for name, over in chosen
    ]


def _draw(output: Path, series: "Series", models: "Models") -> None:
    from weft.report import fits  # noqa: PLC0415 - start-up
    from weft.report.leaf import Leaf, write_leaf  # noqa: PLC0415

    rows: list[tuple[str, ...]] = list(fits.line_rows(models.line))
    notes = models.line.notes
    if models.piecewise is not None:
        rows += fits.segment_rows(models.piecewise)
        notes += tuple(f"{name}: {words}" for name, words in fits.whole_rows(models.piecewise))
        notes += models.piecewise.notes
    leaf = Leaf(
        title=f"weft fit: {series.name}",
        head=("", "least squares, as published", "median line"),
        rows=tuple(rows),
        notes=notes,
    )
    write_leaf(output, [fits.line_chart(series, models.line, models.piecewise)], leaf)
