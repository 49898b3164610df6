"""What `weft run` shows in the end: its table, its files, and its exit status."""

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import typer

from weft.cli.command import print_json
from weft.cli.printed import say
from weft.errors import WeftError
from weft.plan.command import alone
from weft.wording import counted, not_answering, verb_of

# How much is printed after a run: result and verdict, a screen full, or the files alone.
Detail = Literal["brief", "verbose", "quiet"]

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.analysis.summary import CaseSummary
    from weft.record.model import Footer
    from weft.record.run import Run


def show(
    path: Path,
    footer: "Footer | None",
    *,
    as_json: bool,
    report: bool,
    asked: Path | None,
    detail: Detail = "brief",
) -> None:
    """Result, verdict, the page, the paths of both. Raises typer.Exit where cases have no result.

    `asked` is the record's path as it was typed, if it was.
    """
    if footer is None:
        say(f"{path} is complete: nothing to resume")
        return
    from weft.report.ending import render_ending
    from weft.report.page import report_path
    from weft.report.plain import json_rows
    from weft.report.table import console
    from weft.report.terminal import render_brief
    from weft.studies.pages import write_page
    from weft.studies.shown import results_shown

    results = results_shown(path)
    if as_json:
        print_json("run", json_rows(results))
    elif detail == "brief":
        screen = console()
        screen.print(*render_ending(results, screen), sep="\n")
    elif detail == "verbose":
        screen = console()
        screen.print(render_brief(results, screen))
    if report:
        page = report_path(path)
        try:
            write_page([results], page)
            say(f"report: {page}", err=True)
        except WeftError as error:
            say(f"weft: no report: {error.what}; {error.fix}", err=True)
    say(f"record: {path}", err=True)
    is_said = detail != "quiet" and not as_json
    end(results.run, results.summaries, footer, asked=asked, is_said=is_said)


def end(
    run: "Run",
    summaries: "Sequence[CaseSummary]",
    footer: "Footer",
    *,
    asked: Path | None,
    is_said: bool = False,
) -> None:
    """A last line and an exit status where not everything was measured.

    Where `is_said`, the reason of cases that nobody tried stands above, and how to go on. Raises
    typer.Exit; `asked` as above.
    """
    from weft.host.manifest import both_names
    from weft.report.notes import how_to_go_on

    go_on = how_to_go_on(run)
    is_packed_later = asked is None or asked.suffix == ".zst"
    if footer.outcome == "interrupted":
        hint = ": the record is compressed when it is complete" if is_packed_later else ""
        say(f"weft: interrupted{hint}; continue with: {go_on}", err=True)
        raise typer.Exit(130)
    bad = [s for s in summaries if s.status in ("failed", "timeout", "not_tried")]
    if bad:
        lack = (
            f"{len(bad)} of {counted(len(summaries), 'case')}"
            f" {verb_of(len(bad), 'have', len(summaries))} no result"
        )
        if footer.silent_hosts:
            hosts = run.header.hosts
            # Why the first of them failed is what its peers saw of that.
            then = f"go on when all answer: {go_on}"
            names = [both_names(host, hosts.get(host, {})) for host in footer.silent_hosts]
            gone = not_answering(names)
            say(f"weft: {gone}: {lack}, {run.path} lists them; {then}", err=True)
            raise typer.Exit(1)
        # The reason of one that was tried says more than that nobody tried the others.
        first = min(bad, key=lambda s: s.status == "not_tried")
        if is_said and first.status == "not_tried":
            say(f"weft: {lack}", err=True)
            raise typer.Exit(1)
        # Of one that nobody tried the reason says how it is: with the others, and not alone.
        further = (
            ""
            if first.status == "not_tried"
            else f"; {run.path} lists all{_alone(run, first.case)}"
        )
        why = f"the first is {first.case}: {first.reason.rstrip('.')}"
        say(f"weft: {lack}, {why}{further}", err=True)
        raise typer.Exit(1)
    if not any(s.status == "ok" for s in summaries):
        first = summaries[0]
        say(f"weft: nothing was measured, the first case is {first.case}: {first.reason}", err=True)
        raise typer.Exit(1)


def _alone(run: "Run", key: str) -> str:
    """How to run a case alone, where it can be typed."""
    case = run.cases[key]
    hosts = len(run.header.hosts) or 1
    command = alone(case, run.patterns[case.test], run.header.plan, hosts)
    return f"; run it alone: {command}" if command else ""
