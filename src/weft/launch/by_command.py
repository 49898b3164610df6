"""Starts ranks with a command line of the user's, for starters that weft does not know."""

from __future__ import annotations

import os
import re
import secrets
import shlex
import subprocess
import time
from typing import TYPE_CHECKING, Any

import msgspec

from weft.errors import WeftError
from weft.host.environment import steering
from weft.host.lines import facts_in, is_line
from weft.launch.asking import command_on_nodes
from weft.launch.causes import reason_in
from weft.launch.environment import environment_of_ranks
from weft.launch.launcher import ASK_DEADLINE_S, START_DEADLINE_S
from weft.launch.piped import PipedLaunch
from weft.launch.protocol import LaunchError
from weft.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.launch.launcher import Job
    from weft.launch.protocol import Hello
    from weft.plan.allocation import Allocation

OPTION = "--launcher-command"
# The first start, which shows whether the command passes on input and output, ends within it.
DEADLINE_S = 20.0
_PLACES = ("ranks", "nodes", "hosts")
_PLACE = re.compile(r"\{(\w*)\}")
_EXAMPLE = f"{OPTION} 'flux run -n {{ranks}}'"
_TOKEN_BYTES = 8


def check_command(command: str, hosts: Sequence[str]) -> None:
    """Raises WeftError for a command without {ranks}, or with places that weft cannot fill."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise WeftError(
            f"{OPTION} cannot be split into words: {error}", f"use {_EXAMPLE}"
        ) from None
    places = [place for word in words for place in _PLACE.findall(word)]
    unknown = next((place for place in places if place not in _PLACES), None)
    if unknown is not None:
        known = ", ".join(f"{{{place}}}" for place in _PLACES)
        raise WeftError(f"{OPTION} has a placeholder {{{unknown}}}", f"use {known}")
    if "ranks" not in places:
        raise WeftError(f"{OPTION} has no placeholder {{ranks}}", f"use {_EXAMPLE}")
    if "hosts" in places and not hosts:
        raise WeftError(f"{OPTION} has {{hosts}}, and no hosts are given", "add --hosts n1,n2")


class CommandLauncher:
    """Hosts that a command of the user's reaches; the rank program is appended to the command."""

    name = "command"
    summary = f"a command line of your own ({OPTION})"

    def refuses(self, allocation: Allocation) -> str:
        """Why it cannot start ranks there: there is no command."""
        return "" if allocation.command else f"no command is given; add {_EXAMPLE}"

    def starts(self, mpi: str) -> bool:  # noqa: ARG002
        """Any MPI may be behind a command."""
        return True

    def manifests(
        self, allocation: Allocation, deadline_s: float = ASK_DEADLINE_S
    ) -> dict[str, dict[str, Any]]:
        """The facts of each host that the usual number of ranks gets, by its name.

        The same start shows whether the command passes standard input to a rank, and standard
        output unchanged. Raises WeftError.
        """
        ranks = allocation.usual_ranks
        words = [*_words(allocation, ranks), *command_on_nodes(heard=True)]
        found = _answers(words, ranks, min(deadline_s, DEADLINE_S))
        own = steering(os.environ)
        hosts = {facts["host"]: facts for facts in reversed(found)}
        return {host: {**facts, "environment": own} for host, facts in hosts.items()}

    def start(self, job: Job) -> PipedLaunch:
        """A launch of a rank program."""
        words = [*_words(job.allocation, job.ranks), str(job.program), *job.arguments]
        return _CommandLaunch(words, job)


class _CommandLaunch(PipedLaunch):
    """Ranks of a command, which may start each rank alone if it is a starter of another MPI."""

    def __init__(self, words: Sequence[str], job: Job) -> None:
        super().__init__(words, environment_of_ranks(job.environment))
        self._job = job

    def hello(self, deadline_s: float = START_DEADLINE_S) -> Hello:
        """Wait for the ranks. Raises LaunchError."""
        hello = super().hello(deadline_s)
        if len(hello.ranks) != self._job.ranks:
            raise LaunchError(
                "failed",
                f"the ranks of {OPTION} do not find each other: a launch has"
                f" {len(hello.ranks)}, not {self._job.ranks}; choose the MPI of the starter with"
                f" --mpi, now {self._job.mpi}",
            )
        return hello


def _answers(words: Sequence[str], ranks: int, deadline_s: float) -> list[dict[str, Any]]:
    """The facts that the processes of a command print of their hosts. Raises WeftError.

    Some starters lose output although they end well, so the command may start again.
    """
    token = secrets.token_hex(_TOKEN_BYTES)
    end = time.monotonic() + deadline_s
    while True:
        said = _said(words, f"{token}\n", end - time.monotonic())
        lines = said.output.splitlines()
        if said.status != 0:
            raise _unusable(said, deadline_s)
        foreign = next((line for line in lines if line.strip() and not is_line(line)), None)
        if foreign is not None:
            raise _prints_more(foreign)
        found = facts_in(lines)
        if token in [facts.pop("heard", "") for facts in found]:
            return found
        if len(found) == ranks:
            raise WeftError(
                f"the command of {OPTION} does not pass standard input to rank 0",
                "use the option of the starter that passes it on",
            )
        if time.monotonic() > end - deadline_s / 2:
            raise WeftError(
                f"the command of {OPTION} printed what {len(found)} of {counted(ranks, 'rank')}"
                " wrote",
                "check that it starts {ranks} processes and passes on what they print",
            )


class _Said(msgspec.Struct, frozen=True):
    """The output of a command; its status is None if it did not end in time."""

    output: str
    errors: str
    status: int | None


def _words(allocation: Allocation, ranks: int) -> list[str]:
    """The command with its placeholders filled; the kernel ends it with this process (setpriv)."""
    nodes = allocation.nodes or len(allocation.hosts) or 1
    filled = {
        "ranks": str(ranks),
        "nodes": str(min(nodes, ranks)),
        "hosts": ",".join(allocation.hosts[: min(nodes, ranks)]),
    }
    words = [
        _PLACE.sub(lambda found: filled[found[1]], one) for one in shlex.split(allocation.command)
    ]
    return ["setpriv", "--pdeathsig", "TERM", *words]


def _said(words: Sequence[str], given: str, deadline_s: float) -> _Said:
    with subprocess.Popen(
        list(words),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        env=environment_of_ranks({}),
    ) as starter:
        try:
            output, errors = starter.communicate(given, timeout=deadline_s)
        except subprocess.TimeoutExpired as late:
            starter.kill()
            output, errors = (
                (one or b"").decode(errors="replace") for one in (late.stdout, late.stderr)
            )
            return _Said(output, errors, None)
    return _Said(output, errors, starter.returncode)


def _unusable(said: _Said, deadline_s: float) -> WeftError:
    """Why no host answered."""
    lines = said.output.splitlines()
    prefixed = [line for line in lines if line.partition("weft-host ")[1] and not is_line(line)]
    if prefixed:
        return _prints_more(prefixed[0])
    if said.status is None:
        return WeftError(
            f"the command of {OPTION} did not end in {deadline_s:g} s",
            "check that it starts a program: put hostname behind it",
        )
    why = reason_in(said.errors or said.output, said.status)
    return WeftError(f"the command of {OPTION} started no ranks ({why})", "correct the command")


def _prints_more(line: str) -> WeftError:
    prefix, mark, _ = line.partition("weft-host ")
    what = (
        f"puts '{prefix}' before each line of the ranks"
        if prefix and mark
        else f"prints a line of its own among those of rank 0: '{line[:60].strip()}'"
    )
    return WeftError(
        f"the command of {OPTION} {what}",
        "use the options of the starter that leave output as it is",
    )
