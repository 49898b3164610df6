"""The sdist and the wheel: built and installed by pip, with and without a compiler."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

import weft
from lab.runs import SHORT, record_in

ROOT = Path(__file__).parents[2]
RECORDS = ROOT / "docs" / "records"
# Five times what a compiler takes that starts from nothing.
BUILD_S = 1500
COMMAND_S = 300
# What pip's build finds on a machine for looking at records: no compiler.
BARE = ("cmake", "ninja", "sh", "bash", "env", "cat", "git", "uname")
FIX = "run scripts/install-system-packages run && pip install . in its sources' folder"
pytestmark = pytest.mark.engine


def done(*words: str | Path, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        words, cwd=folder, env={**os.environ, **environment}, capture_output=True, text=True,
        timeout=BUILD_S, check=False,
    )  # fmt: skip


@pytest.fixture(scope="session")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The unpacked sdist of this checkout."""
    folder = tmp_path_factory.mktemp("sdist")
    code = "import sys, scikit_build_core.build as b; b.build_sdist(sys.argv[1])"
    made = done(sys.executable, "-c", code, folder, folder=ROOT)
    assert made.returncode == 0, made.stderr
    [archive] = folder.glob("*.tar.gz")
    unpacked = done("tar", "-xf", archive, "-C", folder, folder=folder)
    assert unpacked.returncode == 0, unpacked.stderr
    return folder / f"weft-{weft.__version__}"


def installed(sources: Path, folder: Path, **environment: str) -> Path:
    """An environment with the wheel of the sources, and what weft runs with from this one."""
    python = folder / "env" / "bin" / "python"
    tree = folder / "tree"
    shutil.copytree(sources, tree)
    pip = Path(sys.executable).with_name("pip")
    wheel = done(
        pip, "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--no-index",
        "--wheel-dir", folder, ".", folder=tree, **environment,
    )  # fmt: skip
    assert wheel.returncode == 0, wheel.stderr
    done(sys.executable, "-m", "venv", "--without-pip", folder / "env", folder=folder)
    [made] = folder.glob("*.whl")
    words = ("--python", python, "install", "--quiet", "--no-deps", "--no-index", made)
    put = done(pip, *words, folder=folder)
    assert put.returncode == 0, put.stderr
    [site] = (folder / "env" / "lib").glob("python*/site-packages")
    (site / "ours.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return python.with_name("weft")


@pytest.fixture(scope="session")
def bare(sources: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command weft, installed where there is no compiler."""
    folder = tmp_path_factory.mktemp("bare")
    programs = folder / "bin"
    programs.mkdir()
    for name in BARE:
        found = shutil.which(name)
        assert found, name
        (programs / name).symlink_to(found)
    return installed(sources, folder, PATH=os.fspath(programs), CXX="", CMAKE_ARGS="")


@pytest.mark.parametrize(
    "words",
    [
        ("--help",),
        ("list",),
        ("list", "platforms"),
        ("show", "escher"),
        ("show", RECORDS / "monday.jsonl.zst"),
        ("compare", RECORDS / "monday.jsonl.zst", RECORDS / "tuesday.jsonl.zst"),
        ("check", RECORDS / "tuesday.jsonl.zst", "--against", RECORDS / "monday.jsonl.zst"),
        ("trend", RECORDS / "monday.jsonl.zst", RECORDS / "tuesday.jsonl.zst"),
        ("fit", "escher"),
        ("peak", "IB 4x FDR"),
        ("price", "--nodes", "48", "--switch", "24"),
        ("report", RECORDS / "monday.jsonl.zst", "-o", "run.html"),
    ],
    ids=lambda words: " ".join(map(str, words[:2])),
)
def test_without_a_compiler_weft_still_looks_at_records(
    bare: Path, tmp_path: Path, words: tuple[str | Path, ...]
) -> None:
    ran = done(bare, *words, folder=tmp_path)
    assert (ran.returncode in (0, 1, 3), ran.stderr.count("Traceback")) == (True, 0), ran.stderr
    assert ran.stdout or (tmp_path / "run.html").exists()
    assert "without its engine" not in ran.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("run",),
        ("run", "ping_pong", "--platform", "escher"),
        ("list", "tests"),
        ("list", "transports"),
        ("map", "--platform", "escher"),
        ("doctor", "--measure"),
    ],
    ids=lambda words: " ".join(map(str, words[:2])),
)
def test_what_measures_says_in_one_line_how_to_get_the_engine(
    bare: Path, tmp_path: Path, words: tuple[str | Path, ...]
) -> None:
    ran = done(bare, *words, folder=tmp_path)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr == (
        f"weft: weft was installed here without its engine, for want of a C++ compiler; {FIX}\n"
    )


def test_the_wheel_of_the_sdist_measures(sources: Path, tmp_path: Path) -> None:
    """All of the engine is compiled, or taken from what the gate compiled of the same files."""
    tree = tmp_path / "tree"
    # The compiler by the name that the gate's build has for it: ccache tells names apart.
    ours = {"CXX": shutil.which("c++") or "c++", "CCACHE_BASEDIR": os.fspath(tree)}
    command = installed(sources, tmp_path, **ours, CCACHE_NOHASHDIR="1")
    ran = done(command, "run", *SHORT, "-o", "r.jsonl", folder=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert {batch.status for batch in record_in(tmp_path).lines.batches} == {"ok"}
