"""`weft doctor`: what disturbs a measurement on a machine or a cluster, and how to fix it."""

import sys
from typing import Annotated

import typer

from weft.cli.command import print_json
from weft.cli.printed import say
from weft.cli.where import Where, takes_hosts
from weft.wording import counted

_EXAMPLES = """Examples:

weft doctor

weft doctor --measure

weft doctor --hosts n1,n2

weft doctor --nodes 4"""
# Slurm is asked for so much time.
_MINUTE_S = 60.0


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("doctor", epilog=_EXAMPLES)(takes_hosts(doctor))


def doctor(
    json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
    measure: Annotated[
        bool,
        typer.Option(
            "--measure",
            help="Measure too what huge pages give on this machine: two ranks, 3 to 15 s.",
        ),
    ] = False,
    where: Where = Where(),  # noqa: B008 - frozen
) -> None:
    """Say what disturbs a measurement on this machine or on named hosts, and how to fix it."""

    from weft.errors import WeftError
    from weft.host.checks import diagnose
    from weft.host.every import of_hosts
    from weft.host.load import Watch
    from weft.host.unlike import check_versions, unlike_hosts
    from weft.launch.all import choose_launcher
    from weft.launch.programs import findings_of_omitted
    from weft.launch.salloc import become, is_needed
    from weft.launch.sbatch import SiteJob
    from weft.plan.case import USUAL_RANKS
    from weft.report.table import console
    from weft.report.terminal import findings_table

    if measure and (where.allocation.hosts or where.allocation.nodes > 1):
        raise WeftError(
            "--measure is of this machine alone", "run weft doctor --measure on the other host"
        )
    if not where.allocation.hosts and is_needed(where.allocation.nodes, where.launcher):
        words, nodes = tuple(sys.argv[2:]), where.allocation.nodes
        become(SiteJob(command="doctor", words=words, nodes=nodes, budget_s=_MINUTE_S))
    watch = Watch()
    hosts = choose_launcher(where.launcher, where.allocation).manifests(where.allocation)
    check_versions(hosts)
    load = watch.load()
    # As many as a run has without --ranks: two on this machine, one on each of several hosts.
    each = where.allocation.ranks_per_node or -(-USUAL_RANKS // len(hosts))
    findings = of_hosts({name: diagnose(manifest, load, each) for name, manifest in hosts.items()})
    if measure:
        from weft.studies.huge_pages import huge_pages_here

        findings = (*findings, huge_pages_here())
    findings = (*findings, *findings_of_omitted())
    differences = unlike_hosts(hosts)
    if json:
        found = {"hosts": list(hosts), "differences": differences, "findings": findings}
        print_json("doctor", found)
        return
    if len(hosts) > 1:
        say(f"{counted(len(hosts), 'host')}: {', '.join(hosts)}")
        for line in differences or ("they do not differ in anything that is known",):
            say(f"  {line}")
    console().print(findings_table(findings))
