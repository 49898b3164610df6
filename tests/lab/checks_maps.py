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

from lab.guest import MPI, PLAIN_MPI, rank_program, run

if TYPE_CHECKING:
    from collections.abc import Iterator

HOSTS = 4
SLOW = "h2"
# Many times what a message takes where everything is emulated.
NETEM = ("netem", "delay", "20ms")
DEADLINE_S = 300.0
# Stands in place of the rank program: a rank that MPI's starter starts is on a host of its own.
ON_ITS_HOST = """\
#!/bin/bash
[ -n "$PMI_RANK" ] || exec {program} "$@"
name=h$PMI_RANK
exec nsenter --net=/run/netns/$name unshare --uts bash -c 'hostname "$0"; exec "$@"' \\
  "$name" {program} "$@"
"""


@contextlib.contextmanager
def _hosts() -> Iterator[None]:
    """The hosts, each with a cable to one switch."""
    lines = ["link add switch type bridge", "link set switch up"]
    for at in range(HOSTS):
        lines += [
            f"netns add h{at}",
            f"link add cable{at} type veth peer name eth0 netns h{at}",
            f"link set cable{at} master switch up",
        ]
    _ip(lines)
    for at in range(HOSTS):
        own = ["link set lo up", f"addr add 10.7.0.1{at}/24 dev eth0", "link set eth0 up"]
        _ip(own, "-n", f"h{at}")
    try:
        yield
    finally:
        _ip([*(f"netns del h{at}" for at in range(HOSTS)), "link del switch"])


def _ip(lines: list[str], *where: str) -> None:
    done = run("ip", *where, "-batch", "-", text="\n".join(lines) + "\n")
    assert done.returncode == 0, done.stderr


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
            "--launcher", "local", "--mpi", MPI, "--ranks", str(HOSTS),
            "--transport", "tcp", "--interface", "eth0", "--wait", "block",
            "--sizes", "8", "--rounds", "3", "--launches", "1", "--budget", "4min",
        ],
        capture_output=True, text=True, check=False, timeout=DEADLINE_S,
        env={**os.environ, **PLAIN_MPI, "WEFT_ENGINE_DIR": str(folder / "engine")},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    [row] = json.loads(done.stdout)["result"]
    return dict(row)


def check_a_host_that_netem_delays_is_named() -> None:
    with tempfile.TemporaryDirectory() as folder, _hosts():
        tc = ("tc", "-n", SLOW, "qdisc", "add", "dev", "eth0", "root")
        assert run(*tc, *NETEM).returncode == 0
        row = _mapped(Path(folder))
    # A message of 8 B is timed with its answer: what goes to the host is as late as what it sends.
    slowest = [{one["source"], one["target"]} for one in row["worst"][: 2 * (HOSTS - 1)]]
    assert all(SLOW in pair for pair in slowest), row["worst"]
    assert row["findings"], row
    causes = [*row["findings"][0]["causes"], *row["findings"][0]["also"]]
    assert {one["name"] for one in causes} == {SLOW}, causes
    assert row["dead"] == []
