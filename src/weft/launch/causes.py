"""Why a starter failed: the line of ssh, Slurm or MPI that names the cause. Pure.

Starters print the cause somewhere among its consequences, warnings and advice.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

# What ssh prints about a host that it cannot use.
_OF_SSH = tuple(
    re.compile(pattern)
    for pattern in (
        r"ssh: connect to host (?P<host>\S+) port \d+: .+",
        r"ssh: Could not resolve hostname (?P<host>\S+): .+",
        r"(?:\S+@)?(?P<host>[^\s@:]+): Permission denied \((?:publickey|password|keyb|gssapi).*",
        r"No \S+ host key is known for (?P<host>\S+) and you have requested strict checking\.",
        r"Host key for (?P<host>\S+) has changed and you have requested strict checking\.",
        r"Connection to (?P<host>\S+) closed by remote host\.",
        r"Connection (?:closed|reset) by (?:\S+ )?(?P<host>\S+) port \d+",
        r"ssh: .+",
        r"Host key verification failed\.",
    )
)
# What Slurm prints of a job after the line that says why, if there is one.
_OF_JOB = r"(?:Unable to allocate resources|Job submit/allocate failed): "
# Causes in single lines, of any program.
_CAUSES = tuple(
    re.compile(pattern)
    for pattern in (
        r"error while loading shared libraries",
        r"slurmstepd\S*: error: execve\(\)",
        r"execvp error on file",
        r"DUE TO (?:TIME LIMIT|NODE FAILURE)",
        rf"(?:srun|salloc|sbatch): error: (?!\S+: tasks? |Timed out waiting for job|{_OF_JOB})",
        rf"(?:srun|salloc|sbatch): error: {_OF_JOB}",
        r"No module named ",
        r": command not found$",
        r": [Ee]rror: unknown option",
        r"unrecognized argument ",
    )
)  # fmt: skip
_RULE = re.compile(r"-{20,}")
# Consequences, warnings and advice: Open MPI's messages that begin like this, and lines with these.
_LATER_MESSAGES = re.compile(
    r"ORTE was unable to reliably start|ORTE does not know how to route|Primary job +terminated"
    r"|(?:mpirun|prterun)\S* (?:detected that one or more|noticed that process|has exited due)"
    r"|It looks like MPI_INIT failed|MPI_ABORT was invoked|WARNING|By default, for Open MPI"
    r"|(?:mpirun|prterun)\S* has detected an attempt to run as root"
)
# The daemon is another program of MPI's: what ssh printed is the cause.
_DAEMON = re.compile(r"A daemon failed to report back")
_LATER_LINES = re.compile(
    r"ORTE_ERROR_LOG|PRTE_ERROR_LOG|usually an internal programming error|MPI_ERRORS_ARE_FATAL"
    r"|\*\*\* (?:An error occurred|reported by|on (?:a )?(?:communicator|NULL)|and potentially)"
    r"|help message|to see all help|Job step aborted"
    r"|HYDU_sock_write|unable to (?:write data|send signal)|returned error status"
    r"|error waiting for|[Ww]arning: "
)
# How Open MPI says that a rank ended.
_END = re.compile(r"detected that one or more|noticed that process")
_DETAIL = re.compile(r"\s*([A-Z#][^:]{0,40}):\s+(\S.{0,79})")
_MOST_SHOWN = 300
# MPICH's starter writes to a rank that is gone, and ends before it knows how the rank ended.
_LOST_IN = "HYDU_sock_write"
# MPICH's library ends its rank: the number of the rank, then what failed in which call.
_ABORT = re.compile(r"Abort\(-?\d+\) on node (\d+) ")
_EXIT_STRING = "YOUR APPLICATION TERMINATED WITH THE EXIT STRING:"


def cause_in(text: str) -> str:
    """The cause that a starter named in what it wrote; empty if no line is known for one."""
    lines = [line.strip() for line in text.splitlines()]
    if of_ssh := next(_of_ssh(lines), ""):
        return of_ssh
    messages = [_in_a_line(message) for message in _messages_in(text)]
    whole = [one for one in messages if one and not _LATER_MESSAGES.match(one)]
    first = next((one for one in whole if not _DAEMON.match(one)), "")
    marked = next((line for cause in _CAUSES for line in lines if cause.search(line)), "")
    return first or marked or next(iter(whole), "")


def reason_in(text: str, status: int | None = None) -> str:
    """Why a starter failed: its cause, else its first line about an error, else what it printed."""
    if cause := cause_in(text):
        return cause
    if ends := [one for one in map(_in_a_line, _messages_in(text)) if _END.search(one)]:
        return ends[-1]
    lines = [line.strip() for line in text.splitlines() if line.strip(" -=\t")]
    telling = [line for line in lines if not _LATER_LINES.search(line)]
    marked = [line for line in telling if "error" in line.lower()]
    return (marked or telling or [f"the starter ended with exit status {status}"])[0]


def unreachable_in(text: str, hosts: Iterable[str]) -> list[str]:
    """The hosts among these that ssh could not use, as its lines name them."""
    named = {
        found["host"].lower()
        for line in text.splitlines()
        for pattern in _OF_SSH
        if (found := pattern.fullmatch(line.strip())) and "host" in found.groupdict()
    }
    return [host for host in hosts if host.rpartition("@")[2].lower() in named]


def _of_ssh(lines: Sequence[str]) -> Iterator[str]:
    """The lines of ssh that are known, the kind that names most first."""
    return (line for pattern in _OF_SSH for line in lines if pattern.fullmatch(line))


def _messages_in(text: str) -> Iterator[list[str]]:
    """Open MPI's messages: the lines between two rules."""
    message: list[str] | None = None
    for line in text.splitlines():
        if not _RULE.fullmatch(line.strip()):
            if message is not None:
                message.append(line)
        elif message:
            yield message
            message = None
        else:
            message = []


def _in_a_line(message: Sequence[str]) -> str:
    """The first sentence of a message, with its details."""
    paragraphs = [part.splitlines() for part in re.split(r"\n\s*\n", "\n".join(message).strip())]
    sentence = re.split(r"\.\s", " ".join(" ".join(paragraphs[0]).split()) + " ")[0].strip(" .:")
    details = [
        [found for line in part if (found := _DETAIL.fullmatch(line.rstrip()))]
        for part in paragraphs[1:]
    ]
    known = [
        f"{name} {value}"
        for part, found in zip(paragraphs[1:], details, strict=True)
        if len(found) == len(part)
        for name, value in (one.groups() for one in found)
    ]
    return f"{sentence} ({', '.join(known)})"[:_MOST_SHOWN] if known else sentence[:_MOST_SHOWN]


def ends_in(text: str) -> list[str]:
    """Ranks' ends as MPICH's starter prints them."""
    return [
        f"a rank ended: {line.removeprefix(_EXIT_STRING).strip()}"
        for line in text.splitlines()
        if line.startswith(_EXIT_STRING)
    ]


def reason_of_end(text: str, ends: Sequence[str], status: int | None) -> tuple[str, bool]:
    """Why ranks ended: the engine's own line if there is one, else the starter's; and whether own.

    `ends` were printed where answers are expected.
    """
    lines = [line.strip() for line in text.splitlines() if line.strip(" -=\t")]
    if own := [line for line in lines if line.startswith(("rank-", "rank:"))]:
        return own[0], True
    # Open MPI's own starter may crash after ssh lost a host: that is not a rank's end.
    of_ssh = [*_of_ssh(lines)]
    # Starters also say that they ended the other ranks by a signal: no cause.
    by_signal = [one for one in lines if "signal" in one.lower() and "signals sent by" not in one]
    signals = [*_crashes(lines), *ends, *by_signal]
    lost = [f"a rank ended: {line}" for line in lines if _LOST_IN in line]
    errors = [line for line in lines if "error" in line.lower()]
    known = [cause] if (cause := cause_in(text)) else []
    reported = of_ssh or signals or known or lost or _aborts(lines, errors)
    if reported:
        return reported[0], False
    if not lines:
        return f"the ranks ended without a message (exit status {status})", False
    return reason_in(text, status), False


def _crashes(lines: Sequence[str]) -> list[str]:
    """What Open MPI says of each rank that crashed: host, signal and the innermost calls."""
    crashes = []
    for line in lines:
        if found := re.fullmatch(r"(\[(\S+):\d+\]) Signal: (.+)", line):
            sender, host, name = found.groups()
            said = " ".join(other for other in lines if other.startswith(sender))
            # Call 0 is the kernel's way into the signal's handler.
            calls = re.findall(r"\[ *[123]\] ([^\s\[]+)", said)
            crashes.append(f"a rank on {host} crashed: {', in '.join([name, *calls])}")
    return crashes


def _aborts(lines: Sequence[str], errors: Sequence[str]) -> list[str]:
    """Each rank that MPICH's library ended, with the first error of all, else what MPICH says.

    A rank whose peer is gone may fail in what they shared before its starter notices the end.
    """
    return [
        f"rank {found[1]} aborted: {(*errors, line)[0]}"
        for line in lines
        if (found := _ABORT.match(line))
    ]
