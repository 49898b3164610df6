"""Options of series of times, refused where no source of the command takes them."""

from collections.abc import Sequence

import typer

from weft.cli.typed import refuse_typed


def check_series_options(context: typer.Context, sources: Sequence[str]) -> None:
    """Raises WeftError for a typed --columns without a CSV, and for --test and such with no other.

    A source is a record, a CSV or a platform.
    """
    from weft.sources.series import is_table

    are_tables = [is_table(source) for source in sources]
    if not any(are_tables):
        refuse_typed(context, "columns", why=f"{sources[0]} is no CSV, and only a CSV has columns")
    if all(are_tables):
        refuse_typed(
            context, "test", "transport",
            why=f"{sources[0]} is a CSV, which has one series and names no test or transport",
        )  # fmt: skip
