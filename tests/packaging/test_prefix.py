"""`make install PREFIX=...`: weft for all users of a cluster, by its path and by its module."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import weft
from lab.cluster.cluster import Cluster, missing
from lab.runs import SHORT, hosts_of, record_in

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "scripts" / "install-prefix"
# How a shell gets the command `module`, by what reads the module files.
MODULES = {
    "Environment Modules": Path("/usr/share/modules/init/bash"),
    "Lmod": Path("/usr/share/lmod/lmod/init/bash"),
}
NOBODY = ("--reuid", "65534", "--regid", "65534", "--clear-groups")
# An MPI as sites have them; the module file of weft is to load it.
SITE_MPI = "#%Module1.0\nsetenv SITE_MPI 4.1\n"


def install(*words: str, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-c", 'umask 077; exec "$@"', "bash", SCRIPT, *words],
        cwd=ROOT, env={**os.environ, **more}, capture_output=True, text=True, check=False,
    )  # fmt: skip


def as_another_user(*command: str | Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """A command with nothing of this environment; as nobody, where this user may."""
    start = ["setpriv", *NOBODY] if os.geteuid() == 0 else []
    return subprocess.run(
        [*start, *command], cwd=folder, env={"PATH": "/usr/bin:/bin", "HOME": "/nonexistent"},
        capture_output=True, text=True, check=False, timeout=600,
    )  # fmt: skip


def beside_warnings(said: str) -> list[str]:
    """What was said on standard error, without what pip only warns of or recommends."""
    lines = (line for line in said.splitlines() if line.strip())
    return [line for line in lines if not line.lstrip().startswith(("WARNING: ", "[notice] "))]


@pytest.fixture(scope="session")
def site() -> Iterator[Path]:
    """A folder that all users can enter, with weft in `weft` and another module in `modules`."""
    folder = Path(tempfile.mkdtemp(prefix="weft-site-"))
    folder.chmod(0o755)
    (folder / "modules").mkdir()
    (folder / "modules" / "site-mpi").write_text(SITE_MPI)
    done = install(str(folder / "weft"), MODULES="site-mpi")
    try:
        assert (done.returncode, beside_warnings(done.stderr)) == (0, [])
        assert f"installed weft {weft.__version__}: {folder}/weft/bin/weft\n" in done.stdout
        yield folder
    finally:
        shutil.rmtree(folder)


@pytest.fixture
def theirs() -> Iterator[Path]:
    """A folder that another user can write to."""
    with tempfile.TemporaryDirectory(prefix="weft-user-") as folder:
        Path(folder).chmod(0o777)
        yield Path(folder)


def by_module(site: Path, prefix: str, line: str) -> str:
    """A shell's line with the module loaded, as a shell that has `module` would run it."""
    init = next((path for path in MODULES.values() if path.exists()), None)
    if init is None:
        pytest.skip("no module command; run scripts/install-system-packages test")
    use = f"module use {site}/modules {site}/{prefix}/share/modulefiles"
    return f"source {init} && {use} && module load weft && {line}"


def test_a_warning_of_pip_is_no_failure_and_an_error_beside_it_is() -> None:
    warning = "WARNING: Running pip as the 'root' user can break it\n\n[notice] pip is old\n"
    assert beside_warnings(warning) == []
    assert beside_warnings(f"{warning}ERROR: no matching distribution\n") == [
        "ERROR: no matching distribution"
    ]


@pytest.mark.engine
def test_another_user_measures_with_it(site: Path, theirs: Path) -> None:
    command = site / "weft" / "bin" / "weft"
    listed = as_another_user(command, "list", "transports", folder=theirs)
    assert "tcp  " in listed.stdout, listed
    words = [word for word in SHORT if word != "--no-report"]
    done = as_another_user(command, "run", *words, "-o", "r.jsonl", folder=theirs)
    assert done.returncode == 0, done.stderr
    assert {batch.status for batch in record_in(theirs).lines.batches} == {"ok"}
    assert (theirs / "r.html").exists()


@pytest.mark.engine
def test_its_module_brings_the_command_and_the_modules_before_it(site: Path, theirs: Path) -> None:
    # man finds the pages that lie beside a folder of the PATH.
    page = 'test -s "$(dirname "$(command -v weft)")/../share/man/man1/weft.1"'
    shown = 'command -v weft && echo "MPI $SITE_MPI" && weft list suites'
    line = f"{shown} && {page} && module unload weft"
    shell = by_module(site, "weft", f"{line} && ! command -v weft")
    done = as_another_user("bash", "-c", shell, folder=theirs)
    assert done.returncode == 0, done
    assert done.stdout.startswith(f"{site}/weft/bin/weft\nMPI 4.1\n")


@pytest.mark.engine
def test_a_prefix_that_was_moved_works(site: Path, theirs: Path) -> None:
    (site / "weft").rename(site / "moved")
    try:
        shell = by_module(site, "moved", "command -v weft && weft list transports --json")
        done = as_another_user("bash", "-c", shell, folder=theirs)
    finally:
        (site / "moved").rename(site / "weft")
    assert done.returncode == 0, done
    assert done.stdout.startswith(f"{site}/moved/bin/weft\n")
    assert '"usable": true' in done.stdout


@pytest.mark.engine
def test_hosts_of_a_cluster_measure_with_the_shared_prefix(site: Path) -> None:
    reason = missing()
    if reason:
        pytest.skip(f"no lab: {reason}")
    folder = site / "job"
    folder.mkdir()
    with Cluster(2, [site]) as cluster:
        words = " ".join([*SHORT, "-o", "r.jsonl"])
        line = by_module(site, "weft", f"salloc -N2 weft run {words}")
        done = cluster.run("bash", "-c", line, folder=folder)
        cluster.settle()
    assert done.returncode == 0, done
    run = record_in(folder)
    assert run.header.plan.launcher == "slurm"
    assert hosts_of(run) == [("n1", "n2")]


@pytest.mark.parametrize("prefix", ["", "shared/weft", "/"])
def test_a_prefix_that_is_no_whole_path_is_refused(prefix: str) -> None:
    done = install(prefix)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "install-prefix: PREFIX is not an absolute path; run make install PREFIX=/shared/weft\n"
    )


@pytest.mark.parametrize("name", ["bin/weft", "lib/weft"])
def test_what_is_not_ours_is_left_alone(tmp_path: Path, name: str) -> None:
    (tmp_path / name).parent.mkdir()
    (tmp_path / name).write_text("another program\n")
    done = install(str(tmp_path))
    assert done.returncode == 2
    assert f"{tmp_path}/{name} is there and is not weft's; choose another PREFIX" in done.stderr
    assert (tmp_path / name).read_text() == "another program\n"
