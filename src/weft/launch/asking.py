"""What each host of an allocation is: one step of the site's starter, one process a node."""

from __future__ import annotations

import datetime
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import msgspec

from weft.errors import WeftError
from weft.host.environment import steering
from weft.host.lines import facts_in
from weft.launch.causes import cause_in, reason_in, unreachable_in
from weft.launch.launcher import ASK_DEADLINE_S
from weft.launch.programs import engine_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

# Starters at times end well and lose what a host wrote last, more often on a busy machine: Open
# MPI's three times in a row, MPICH's six times within seconds. So each pause is twice the last.
TRIES = 6
FIRST_PAUSE_S = 0.2
# A node that is asked alone has this long to answer, and this many are asked at once.
ALONE_DEADLINE_S = 20.0
MOST_ASKED = 32


def command_on_nodes(asked: str = "", *, heard: bool = False) -> tuple[str, ...]:
    """What every node is to run: the Python, the weft and the programs of here, at their paths.

    A node that is told the name that it is `asked` by repeats the name in its answer; with `heard`
    also the first line of its standard input.
    """
    words = (sys.executable, "-m", "weft.host", "--lines", str(engine_folder()))
    named = ("--asked", asked) if asked else ()
    return (*words, *named, *(("--heard",) if heard else ()))


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
        said = _asked(starting(asked), environment, deadline_s)
        found |= _by_node(facts_in(said.output.splitlines()), nodes)
        if len(found) >= len(nodes) or said.status != 0:
            break
    if len(found) < len(nodes):
        missing = [node for node in nodes if node not in found]
        unreachable = unreachable_in(said.errors, missing)
        if not unreachable and len(missing) > 1 and said.status != 0:
            unreachable = _silent_alone(starting, environment, missing, deadline_s)
        raise WeftError(
            f"{', '.join(unreachable or missing)} did not answer ({said.reason})",
            "check that the node is up and that weft is installed there at the same path, or leave"
            " it out",
        )
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


class _Said(msgspec.Struct, frozen=True):
    """What a starter wrote; a status of None is one that did not end in `deadline_s`."""

    output: str
    errors: str
    status: int | None
    deadline_s: float

    @property
    def reason(self) -> str:
        """Why answers are missing after the last try."""
        if self.status is None:
            cause = cause_in(self.errors)
            return f"no answer in {self.deadline_s:g} s{cause and ': '}{cause}"
        if self.status or self.errors.strip(" -=\t\n"):
            return reason_in(self.errors, self.status)
        wrote = f"{len(self.output.splitlines())} lines the last time"
        return f"the starter ended well {TRIES} times without their answers, and wrote {wrote}"


def _asked(command: Sequence[str], environment: Mapping[str, str], deadline_s: float) -> _Said:
    with subprocess.Popen(
        list(command),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        stdin=subprocess.DEVNULL,
        env=dict(environment),
    ) as starter:
        try:
            output, errors = starter.communicate(timeout=deadline_s)
        except subprocess.TimeoutExpired as late:
            starter.kill()
            return _Said(_text(late.stdout), _text(late.stderr), None, deadline_s)
    return _Said(output, errors, starter.returncode, deadline_s)


def _text(written: str | bytes | None) -> str:
    return written.decode(errors="replace") if isinstance(written, bytes) else written or ""


def _silent_alone(
    starting: Callable[[Sequence[str]], Sequence[str]],
    environment: Mapping[str, str],
    nodes: Sequence[str],
    deadline_s: float,
) -> list[str]:
    """The nodes that do not answer if each is asked alone: one lost node can silence the others."""

    def answers(node: str) -> bool:
        alone_s = min(deadline_s, ALONE_DEADLINE_S)
        return bool(facts_in(_asked(starting([node]), environment, alone_s).output.splitlines()))

    with ThreadPoolExecutor(MOST_ASKED) as pool:
        return [
            node for node, came in zip(nodes, pool.map(answers, nodes), strict=True) if not came
        ]


def _ahead_s(facts: Mapping[str, Any], before_s: float) -> float:
    """Its clock read a time that is not between the start of the step and now: by how much."""
    try:
        there_s = datetime.datetime.fromisoformat(facts["collected_utc"]).timestamp()
    except (KeyError, ValueError, TypeError):
        return 0.0
    return round(max(there_s - time.time(), 0.0) + min(there_s - before_s, 0.0), 3)
