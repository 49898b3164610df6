"""`python -m lab.cluster [--hosts N] [CMD]`: one command on the lab's head, or a shell there."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from pathlib import Path

from lab.cluster.cluster import Cluster, ClusterError, missing
from lab.cluster.layout import HEAD, MOST_HOSTS

FAILED = 125


def main() -> int:
    """The exit status is the command's, or 125 where the lab did not come up."""
    parser = argparse.ArgumentParser(prog="make lab", description=__doc__)
    parser.add_argument("--hosts", type=int, default=4, help="compute hosts, n1 to nN")
    parser.add_argument("--on", default=HEAD, help="the host that runs the command")
    parser.add_argument("command", nargs="?", help="a shell's command line; none: a shell")
    asked = parser.parse_args()
    reason = missing()
    if not 1 <= asked.hosts <= MOST_HOSTS:
        reason = f"--hosts takes 1 to {MOST_HOSTS}"
    if reason:
        sys.stderr.write(f"make lab: {reason}\n")
        return FAILED
    # Whoever ends this process ends the lab; Ctrl-C is the command's own.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(FAILED))
    try:
        with Cluster(asked.hosts, [Path.cwd()]) as cluster:
            return _on(cluster, asked.on, asked.command or "")
    except ClusterError as error:
        sys.stderr.write(f"make lab: {error}\n")
        return FAILED


def _on(cluster: Cluster, host: str, line: str) -> int:
    shell = ["bash", "-c", line] if line else ["bash"]
    if not line:
        hosts = ", ".join(cluster.hosts)
        sys.stderr.write(f"this is {host}; there are {hosts} and a stranger. exit ends the lab\n")
    if not line and os.isatty(0):
        # A terminal of the host's own, so that the shell controls its jobs.
        shell = ["script", "-qc", "bash", "/dev/null"]
    with cluster.start(*shell, host=host, folder=Path.cwd(), preexec_fn=_heed) as command:
        return command.wait()


def _heed() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)


if __name__ == "__main__":
    sys.exit(main())
