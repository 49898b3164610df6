"""A map of four hosts of which netem delays one: that host is named, and nobody else.

netem is not in every kernel; it is in the machine's. A host is a network namespace and a name.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lab.cluster.layout import NETWORKS, compute_hosts
from lab.cluster.switch import plug_in
from lab.guest import MPI, PLAIN_MPI, rank_program, run

if TYPE_CHECKING:
    from collections.abc import Iterator

HOSTS = compute_hosts(4)
SLOW = "n3"
INTERFACE = "eth0"
# Many times what a message takes where everything is emulated.
NETEM = ("netem", "delay", "20ms")
DEADLINE_S = 900.0
# Stands in place of the rank program: a rank that MPI's starter starts is on a host of its own.
ON_ITS_HOST = """\
#!/bin/bash
[ -n "$PMI_RANK" ] || exec {program} "$@"
name=n$((PMI_RANK + 1))
exec nsenter --net=/run/netns/$name unshare --uts bash -c 'hostname "$0"; exec "$@"' \\
  "$name" {program} "$@"
"""


@contextlib.contextmanager
def _plugged_in() -> Iterator[None]:
    """The hosts, as those of the lab's cluster are joined."""
    plug_in(HOSTS)
    # The command asks for its interface on the host where it is typed, which is none of these.
    assert run("ip", "link", "add", INTERFACE, "type", "bridge").returncode == 0
    try:
        yield
    finally:
        ends = [f"link del {INTERFACE}", *(f"netns del {host}" for host in HOSTS)]
        ends += [f"link del {bridge}" for _, bridge, _ in NETWORKS]
        assert run("ip", "-batch", "-", text="\n".join(ends) + "\n").returncode == 0


def _mapped(folder: Path) -> dict[str, Any]:
    """The only row of a map of 8 B over TCP."""
    engine = folder / "engine" / MPI
    engine.mkdir(parents=True, exist_ok=True)
    program = engine / "rank-tcp"
    program.write_text(ON_ITS_HOST.format(program=rank_program("tcp")))
    program.chmod(0o755)
    done = subprocess.run(
        [
            str(Path(sys.executable).with_name("weft")), "map", "--json",
            "--output", str(folder / "map.jsonl"),
            "--launcher", "local", "--mpi", MPI, "--ranks", str(len(HOSTS)),
            "--transport", "tcp", "--interface", INTERFACE, "--wait", "block",
            "--sizes", "8", "--rounds", "3", "--launches", "1", "--budget", "4min",
        ],
        capture_output=True, text=True, check=False, timeout=DEADLINE_S,
        env={**os.environ, **PLAIN_MPI, "WEFT_ENGINE_DIR": str(folder / "engine")},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    [row] = json.loads(done.stdout)["result"]
    return dict(row)


def check_a_host_that_netem_delays_is_named() -> None:
    with tempfile.TemporaryDirectory() as folder, _plugged_in():
        tc = ("tc", "-n", SLOW, "qdisc", "add", "dev", INTERFACE, "root")
        assert run(*tc, *NETEM).returncode == 0
        row = _mapped(Path(folder))
    # A message of 8 B is timed with its answer: what goes to the host is as late as what it sends.
    slowest = [{one["source"], one["target"]} for one in row["worst"][: 2 * (len(HOSTS) - 1)]]
    assert all(SLOW in pair for pair in slowest), row["worst"]
    assert row["findings"], row
    causes = [*row["findings"][0]["causes"], *row["findings"][0]["also"]]
    assert {one["name"] for one in causes} == {SLOW}, causes
    assert row["dead"] == []
