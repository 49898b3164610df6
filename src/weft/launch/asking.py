"""What each host of an allocation is: one step of the site's starter, one process a node."""

from __future__ import annotations

import datetime
import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

from weft.errors import WeftError
from weft.host.environment import steering
from weft.host.lines import facts_in
from weft.launch.launcher import ASK_DEADLINE_S
from weft.launch.programs import engine_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

# Starters at times end well and lose what a host wrote last, more often on a busy machine: Open
# MPI's three times in a row, MPICH's six times within seconds. So each pause is twice the last.
TRIES = 6
FIRST_PAUSE_S = 0.2


def command_on_nodes() -> tuple[str, ...]:
    """What every node is to run: the Python, the weft and the programs of here, at their paths."""
    return (sys.executable, "-m", "weft.host", "--lines", str(engine_folder()))


def ask_hosts(
    starting: Callable[[Sequence[str]], Sequence[str]],
    environment: Mapping[str, str],
    nodes: Sequence[str],
    deadline_s: float = ASK_DEADLINE_S,
) -> dict[str, dict[str, Any]]:
    """The manifests of the nodes by their host names, in the nodes' order.

    `starting` makes the command that starts command_on_nodes() once on each of some nodes: of many
    the answer of one or the other is often lost, and only those are asked again. The environment in
    them is this process's: the starter's own variables differ from step to step. `clock_s` is how
    far a host's clock is at least ahead of this one's, or behind if negative. Raises WeftError
    where one does not answer.
    """
    before_s = time.time()
    found: dict[str, dict[str, Any]] = {}
    for tried in range(TRIES):
        if tried:
            time.sleep(FIRST_PAUSE_S * 2 ** (tried - 1))
        asked = _unheard(nodes, found.values())
        done = _asked(starting(asked), asked, environment, deadline_s)
        # Another host's answer may be the one that is lost this time.
        found |= _by_name(facts_in(done.stdout.splitlines()))
        if len(found) >= len(nodes) or done.returncode:
            break
    if len(found) < len(nodes):
        raise _silent(nodes, found.values(), _reason(done))
    own = steering(os.environ)
    by_host = {
        facts["host"]: {**facts, "environment": own, "clock_s": _ahead_s(facts, before_s)}
        for facts in found.values()
    }
    order = sorted(by_host, key=lambda host: (_place(host, nodes), host))
    return {host: by_host[host] for host in order}


def _unheard(nodes: Sequence[str], found: Iterable[Mapping[str, Any]]) -> list[str]:
    """The nodes that are not among those that answered; all, where hosts have other names."""
    came = {facts["host"].partition(".")[0] for facts in found}
    return [node for node in nodes if node.partition(".")[0] not in came] or list(nodes)


def _by_name(found: Sequence[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The answers of one step by their hosts. Raises WeftError where two have one name."""
    names = [facts["host"] for facts in found]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise WeftError(
            f"two hosts call themselves {twice}, or one was started twice",
            "give every host its own name (hostnamectl set-hostname), or name each once",
        )
    return dict(zip(names, found, strict=True))


def _asked(
    command: Sequence[str], nodes: Sequence[str], environment: Mapping[str, str], deadline_s: float
) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            list(command),
            capture_output=True,
            text=True,
            errors="replace",
            timeout=deadline_s,
            check=False,
            stdin=subprocess.DEVNULL,
            env=dict(environment),
        )
    except subprocess.TimeoutExpired as late:
        output = late.stdout.decode(errors="replace") if isinstance(late.stdout, bytes) else ""
        raise _silent(nodes, facts_in(output.splitlines()), f"no answer in {deadline_s:g} s") from (
            None
        )


def _reason(done: subprocess.CompletedProcess[str]) -> str:
    """Why answers are missing after the last try."""
    if done.returncode or done.stderr.strip(" -=\t\n"):
        return reason_in(done.stderr, done.returncode)
    wrote = f"{len(done.stdout.splitlines())} lines the last time"
    return f"the starter ended well {TRIES} times without their answers, and wrote {wrote}"


def reason_in(errors: str, status: int) -> str:
    """Why a starter failed: its first line that says error, else its first."""
    lines = [line.strip() for line in errors.splitlines() if line.strip(" -=\t")]
    marked = [line for line in lines if "error" in line.lower()]
    return (marked or lines or [f"the starter ended with exit status {status}"])[0]


def _silent(nodes: Sequence[str], found: Iterable[Mapping[str, Any]], why: str) -> WeftError:
    """The error about the nodes that are not among those that answered."""
    missing = _unheard(nodes, found)
    return WeftError(
        f"{', '.join(missing)} did not say what {'it is' if len(missing) == 1 else 'they are'}"
        f" ({why})",
        "see whether weft is installed there at the same path and the node is up, or leave it out",
    )


def _place(host: str, nodes: Sequence[str]) -> int:
    short = [node.partition(".")[0] for node in nodes]
    own = host.partition(".")[0]
    return short.index(own) if own in short else len(short)


def _ahead_s(facts: Mapping[str, Any], before_s: float) -> float:
    """Its clock read a time that is not between the start of the step and now: by how much."""
    try:
        there_s = datetime.datetime.fromisoformat(facts["collected_utc"]).timestamp()
    except (KeyError, ValueError, TypeError):
        return 0.0
    return round(max(there_s - time.time(), 0.0) + min(there_s - before_s, 0.0), 3)
