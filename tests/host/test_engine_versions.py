"""Programs of another weft than the Python part are found before any rank starts."""

import subprocess
import sys
from pathlib import Path

import pytest

import weft
from support.scripted import lay_out_rank, resume, run
from weft.host.engine import UNSAID, engine_version, said_version
from weft.host.lines import facts_in
from weft.launch.programs import engine_folder


@pytest.mark.parametrize(
    ("line", "version"),
    [
        (b'{"kind":"describe","weft":"0.3.1","patterns":[]}', "0.3.1"),
        (b'{"kind":"describe","patterns":[]}', UNSAID),
        (b"cannot open shared object file", ""),
        (b'"0.3.1"', ""),
        (b"", ""),
    ],
)
def test_a_program_says_of_which_weft_it_is(line: bytes, version: str) -> None:
    assert said_version(line) == version


def test_the_built_programs_are_of_this_weft() -> None:
    assert engine_version(engine_folder()) == weft.__version__


def test_a_folder_with_programs_of_two_versions_names_both(tmp_path: Path) -> None:
    lay_out_rank(tmp_path, "openmpi", "0.2.0")
    lay_out_rank(tmp_path, "mpich", "0.1.9")
    assert engine_version(tmp_path) == "0.1.9, 0.2.0"
    assert engine_version(tmp_path / "nothing") is None


def test_a_host_says_which_programs_are_in_the_folder_that_it_is_asked_for(tmp_path: Path) -> None:
    lay_out_rank(tmp_path, version="0.0.9")
    words = [sys.executable, "-m", "weft.host", "--lines", str(tmp_path)]
    done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=600)
    [facts] = facts_in(done.stdout.splitlines())
    assert (facts["weft"], facts["engine"]) == (weft.__version__, "0.0.9")


def test_stale_programs_are_refused_in_one_line(machine: dict[str, str], tmp_path: Path) -> None:
    assert run(machine, tmp_path).returncode == 0
    before = (tmp_path / "r.jsonl").read_bytes()
    program = tmp_path / "engine" / "openmpi" / "rank-fake"
    good = program.read_text()
    program.write_text(good.replace(f'VERSION = "{weft.__version__}"', 'VERSION = "0.0.9"'))
    stale = resume(machine, tmp_path / "r.jsonl")
    program.write_text(good.replace('"weft": VERSION,', ""))
    unsaid = run(machine, tmp_path)
    for done, version in ((stale, "0.0.9"), (unsaid, UNSAID)):
        assert done.returncode == 2
        [line] = done.stderr.splitlines()
        assert f"{program.parent} are of weft {version}, and this is weft" in line
        assert "; run make build, or install weft again" in line
    assert (tmp_path / "r.jsonl").read_bytes() == before
