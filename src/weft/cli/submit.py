"""A run or a map as a job of Slurm: the options for it, and what becomes of its own."""

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from weft.cli.options import with_options
from weft.cli.printed import say
from weft.cli.typed import refuse_typed
from weft.errors import WeftError
from weft.launch.salloc import become, is_needed
from weft.launch.sbatch import SiteJob, script_of
from weft.names import as_typed
from weft.wording import counted

if TYPE_CHECKING:
    from weft.plan.request import Request
    from weft.record.model import Footer, KeptTopology

_Submit = Annotated[
    bool,
    typer.Option(
        "--submit", help="Submit it as a Slurm job and leave it.", rich_help_panel="Slurm"
    ),
]
_Partition = Annotated[str, typer.Option(help="Submit to this partition.", rich_help_panel="Slurm")]
_Account = Annotated[str, typer.Option(help="Charge this account.", rich_help_panel="Slurm")]
_Constraint = Annotated[
    str, typer.Option(help="Ask for nodes with these features.", rich_help_panel="Slurm")
]
_Nodelist = Annotated[
    str,
    typer.Option(help="Ask for these nodes: n3,n4 or n[3-4].", rich_help_panel="Slurm"),
]
_Exclude = Annotated[
    str, typer.Option(help="Ask for nodes other than these.", rich_help_panel="Slurm")
]
_Time = Annotated[
    str,
    typer.Option(
        help="Ask for so much time: 30min. Default: the budget and 2 min, 10 % of it, or what"
        " many ranks may take to start.",
        rich_help_panel="Slurm",
    ),
]
# How many nodes a job gets where nobody says: a pair.
USUAL_NODES = 2


# Where a context says that the run is only looked at, and which words a script is made of.
_CHECKED_ONLY = "weft.checked_only"
_SCRIPT = "weft.script"


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """What a site is asked for; `time` as it was typed."""

    submit: bool
    partition: str
    account: str
    constraint: str
    time: str
    nodelist: str
    exclude: str


def may_be_submitted(
    command: Callable[..., None], budget_s_of: Callable[[typer.Context], float]
) -> Callable[..., None]:
    """Give a command these options. In a job of its own it is not called here, but there.

    That is with --submit, for a script, or where nodes are asked for that only Slurm can give. What
    the run would refuse is refused before there is a job.
    """

    def here_or_there(asked: Asked, given: dict[str, Any]) -> None:
        context = given["context"]
        script = context.meta.get(_SCRIPT)
        if script is None and not asked.submit and not _needs_a_job(context.params):
            _refuse_without_submit(context)
            command(**{**given, **_hosts_in_job(asked, given)})
            return
        if context.params["platform"]:
            raise WeftError(
                f"a job is for nodes that exist, and --platform {context.params['platform']} is"
                " simulated",
                f"run weft {_command_of(context)} without --submit",
            )
        context.meta[_CHECKED_ONLY] = True
        command(**given)
        words = sys.argv[2:] if script is None else script
        words = words_of_run(words) if script is not None or asked.submit else words
        job = site_job(_command_of(context), context.params, words, budget_s_of(context))
        if script is not None:
            say(script_of(job), nl=False)
        elif asked.submit:
            submit_run(job, context.params)
        else:
            become(job)

    return with_options(command, _asked, here_or_there)


def _needs_a_job(params: Mapping[str, Any]) -> bool:
    if (record := earlier(params)) is not None:
        return is_needed(USUAL_NODES) and _was_a_job(record)
    if params["hosts"] or params["hostfile"] or params["platform"] or params["launcher_command"]:
        return False
    nodes = nodes_of(params) if params["nodelist"] else params["nodes"]
    return is_needed(nodes, params["launcher"])


def _hosts_in_job(asked: Asked, given: Mapping[str, Any]) -> dict[str, str]:
    """Inside a job, the hosts of it that --nodelist and --exclude leave, as --hosts."""
    from weft.launch.nodes import hosts_of_list, hosts_of_slurm

    if not (asked.nodelist or asked.exclude):
        return {}
    if given["hosts"] or given["hostfile"]:
        raise WeftError("--nodelist and --exclude are for nodes of Slurm", "use --hosts only")
    excluded = hosts_of_list(asked.exclude).hosts
    found = hosts_of_list(asked.nodelist).hosts or hosts_of_slurm()
    return {"hosts": ",".join(host for host in found if host not in excluded)}


def earlier(params: Mapping[str, Any]) -> Path | None:
    """The record whose plan the run takes: it goes on with it, or measures it once more."""
    found: Path | None = params.get("resume")
    return found if found is not None else params.get("again")


def _was_a_job(record: Path) -> bool:
    """Whether several nodes of Slurm's measured it."""
    from weft.record.run import load

    try:
        header = load(record).header
    except WeftError:
        return False  # what is wrong with the options comes first
    return is_needed(len(header.hosts), header.plan.launcher)


def site_job(
    command: str, params: Mapping[str, Any], words: Sequence[str], budget_s: float
) -> SiteJob:
    """The job of a command with these options. Raises WeftError."""
    from weft.launch.nodes import hosts_of_list
    from weft.units import parse_seconds

    hosts = _hosts(params)
    record = earlier(params)
    if record is not None:
        hosts = _hosts_of(record)
    return SiteJob(
        command=command,
        words=tuple(words),
        nodes=nodes_of(params),
        hosts=hosts,
        partition=params["partition"],
        account=params["account"],
        constraint=params["constraint"],
        excluded=hosts_of_list(params["exclude"]).hosts,
        time_limit_s=parse_seconds(params["time"]) if params["time"] else 0.0,
        budget_s=budget_s,
        ranks=nodes_of(params) * max(1, _each(params)),
        folder=Path.cwd(),
    )


def nodes_of(params: Mapping[str, Any]) -> int:
    """How many nodes a run with these options asks a site for."""
    record = earlier(params)
    if record is not None:
        return len(_hosts_of(record)) or USUAL_NODES
    return params["nodes"] or len(_hosts(params)) or USUAL_NODES


def _hosts_of(record: Path) -> tuple[str, ...]:
    """The hosts that measured it."""
    from weft.record.run import load

    return tuple(load(record).header.hosts)


def _hosts(params: Mapping[str, Any]) -> tuple[str, ...]:
    from weft.launch.nodes import hosts_of_file, hosts_of_list, without_user

    if params["hostfile"] is not None:
        return hosts_of_file(params["hostfile"])
    listed = hosts_of_list(params["hosts"] or params["nodelist"])
    return tuple(map(without_user, listed.hosts))


def _each(params: Mapping[str, Any]) -> int:
    """How many ranks a node gets, as either option says."""
    from weft.launch.nodes import hosts_of_list

    return hosts_of_list(params["hosts"]).each or int(params["ranks_per_node"])


def is_for_a_job(context: typer.Context) -> bool:
    """Whether a job is to measure, and here is only looked whether it can."""
    return _CHECKED_ONLY in context.meta


def started(
    context: typer.Context,
    request: "Request",
    topology: "Callable[[tuple[str, ...]], KeptTopology] | None" = None,
) -> "tuple[Path, Footer] | None":
    """Measure, or where a job is to do it only look whether it can: None. Raises WeftError."""
    from weft import session

    def tell(line: str) -> None:
        if not request.is_quiet:
            say(line, err=True)

    if not is_for_a_job(context):
        return session.start(request, tell, topology=topology)
    session.check_job(request, nodes_of(context.params), tell)
    return None


def _command_of(context: typer.Context) -> str:
    """The word behind `weft`."""
    return (context.info_name or "").rpartition(" ")[2]


def print_script(run: typer.Context, words: Sequence[str]) -> None:
    """Print the sbatch file of a run with these words, of which the context was made."""
    run.meta[_SCRIPT] = tuple(words)
    run.command.invoke(run)


def submit_run(job: SiteJob, params: Mapping[str, Any]) -> None:
    """Submit a job and say how to follow it. Raises WeftError."""
    from weft.launch.sbatch import submit

    number = submit(job)
    record = params.get("resume") or params["output"] or f"weft-{number}.jsonl.zst"
    say(f"job {number} is submitted: {counted(job.nodes, 'node')} for at most {job.minutes} min")
    say(f"follow it: tail -F {as_typed(job.folder.absolute() / f'weft-{number}.log')}")
    say(f"its state: squeue --jobs={number}; end it: scancel {number}")
    say(f"record: {job.folder.absolute() / record}")


def words_of_run(words: Sequence[str]) -> list[str]:
    """What follows the command in the job, which is not submitted once more."""
    return [word for word in words if word != "--submit"]


def _asked(
    submit: _Submit = False,
    partition: _Partition = "",
    account: _Account = "",
    constraint: _Constraint = "",
    time: _Time = "",
    nodelist: _Nodelist = "",
    exclude: _Exclude = "",
) -> Asked:
    return Asked(
        submit=submit, partition=partition, account=account, constraint=constraint, time=time,
        nodelist=nodelist, exclude=exclude,
    )  # fmt: skip


def _refuse_without_submit(context: typer.Context) -> None:
    """In a job they have done their work; elsewhere they would do nothing."""
    if "SLURM_JOB_ID" not in os.environ:
        refuse_typed(
            context, "partition", "account", "constraint", "time", "nodelist", "exclude",
            why="this is no job of Slurm", fix="omit {}, or add --nodes 2 or --submit",
        )  # fmt: skip
