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


def command_on_nodes(asked: str = "") -> tuple[str, ...]:
    """What every node is to run: the Python, the weft and the programs of here, at their paths.

    A node that is told the name that it is `asked` by repeats the name in its answer.
    """
    words = (sys.executable, "-m", "weft.host", "--lines", str(engine_folder()))
    return (*words, "--asked", asked) if asked else words


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
    far a host's clock is at least ahead of this one's, or behind if negative. `asked` is the node's
    name in `nodes`, if its host name is another. Raises WeftError if a node does not answer.
    """
    before_s = time.time()
    found: dict[str, dict[str, Any]] = {}  # by the nodes' names
    for tried in range(TRIES):
        if tried:
            time.sleep(FIRST_PAUSE_S * 2 ** (tried - 1))
        asked = [node for node in nodes if node not in found]
        done = _asked(starting(asked), asked, environment, deadline_s)
        found |= _by_node(facts_in(done.stdout.splitlines()), nodes)
        if len(found) >= len(nodes) or done.returncode:
            break
    if len(found) < len(nodes):
        raise _silent(nodes, found, _reason(done))
    own = steering(os.environ)
    manifests: dict[str, dict[str, Any]] = {}
    for node in sorted(found, key=lambda name: nodes.index(name) if name in nodes else len(nodes)):
        host = found[node]["host"]
        if host in manifests:
            raise _one_name(host, f"{manifests[host]['asked'] or host} and {node}")
        clock_s = _ahead_s(found[node], before_s)
        asked_by = "" if node == host else node
        manifests[host] = {
            **found[node], "environment": own, "clock_s": clock_s, "asked": asked_by
        }  # fmt: skip
    return manifests


def _by_node(answers: Iterable[dict[str, Any]], nodes: Sequence[str]) -> dict[str, dict[str, Any]]:
    """The answers of one step by the names of their nodes. Raises WeftError for two of one node.

    An answer without the name that the node was asked by belongs to the node with the host's own
    name, whatever its case and domain.
    """
    by_own_name = {_short(node): node for node in nodes}
    found: dict[str, dict[str, Any]] = {}
    for facts in answers:
        host = facts["host"]
        node = facts.get("asked") or by_own_name.get(_short(host), host)
        if node in found:
            raise _one_name(host, "or one host was started twice")
        found[node] = facts
    return found


def _short(name: str) -> str:
    return name.lower().partition(".")[0]


def _one_name(host: str, which: str) -> WeftError:
    return WeftError(
        f"two hosts have the name {host} ({which})",
        "give every host its own name (hostnamectl set-hostname), or list each host once",
    )


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
        came = _by_node(facts_in(output.splitlines()), nodes)
        raise _silent(nodes, came, f"no answer in {deadline_s:g} s") from None


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


def _silent(nodes: Sequence[str], found: Iterable[str], why: str) -> WeftError:
    """The error about the nodes that did not answer."""
    missing = [node for node in nodes if node not in found]
    return WeftError(
        f"{', '.join(missing)} did not say what {'it is' if len(missing) == 1 else 'they are'}"
        f" ({why})",
        "see whether weft is installed there at the same path and the node is up, or leave it out",
    )


def _ahead_s(facts: Mapping[str, Any], before_s: float) -> float:
    """Its clock read a time that is not between the start of the step and now: by how much."""
    try:
        there_s = datetime.datetime.fromisoformat(facts["collected_utc"]).timestamp()
    except (KeyError, ValueError, TypeError):
        return 0.0
    return round(max(there_s - time.time(), 0.0) + min(there_s - before_s, 0.0), 3)
