"""Which rank programs and starters there are, by small scripts in their place."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

import weft
from support.builders import pattern
from weft.errors import WeftError
from weft.launch import programs
from weft.launch.application_file import application_file
from weft.launch.programs import (
    Program,
    check_engine,
    choose_mpi,
    engine_folder,
    has_starter,
    refusals,
    starter,
)
from weft.launch.programs import programs as programs_of
from weft.launch.starters import starting

if TYPE_CHECKING:
    from collections.abc import Callable

    Script = Callable[..., Path]

DESCRIBED = '{"weft":"%s","transport":"x","summary":"%s","mode":"%s","patterns":[],"reason":"%s"}'


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Script:
    """Writes a program that prints these lines; programs and starters are looked for here alone."""
    engine, found = tmp_path / "engine", tmp_path / "bin"
    engine.mkdir()
    found.mkdir()
    monkeypatch.setenv("WEFT_ENGINE_DIR", str(engine))
    monkeypatch.setenv("PATH", f"{found}{os.pathsep}/bin{os.pathsep}/usr/bin")
    usual = shutil.which

    def which(name: str) -> str | None:
        own = usual(name)
        return own if own and (own.startswith(str(found)) or "mpirun" not in name) else None

    monkeypatch.setattr(shutil, "which", which)

    def write(name: str, *lines: str, errors: str = "", status: int = 0) -> Path:
        path = (engine if "/" in name else found) / name
        path.parent.mkdir(exist_ok=True)
        said = "".join(f"printf '%s\\n' '{line}'\n" for line in lines)
        path.write_text(f"#!/bin/sh\n{said}printf '%s' '{errors}' >&2\nexit {status}\n")
        path.chmod(0o755)
        return path

    return write


def described(summary: str = "a", mode: str = "", reason: str = "", version: str = "") -> str:
    return DESCRIBED % (version or weft.__version__, summary, mode, reason)


def test_each_program_is_there_in_each_of_its_modes(script: Script) -> None:
    tcp = script("openmpi/rank-tcp", described("sockets"))
    verbs = script(
        "openmpi/rank-verbs", described("reliable", "rc"), described("datagrams", "ud", "no device")
    )
    script("openmpi/other", described())
    script("mpich/rank-ofi", described())
    found = programs_of("openmpi")
    assert [(one.transport, one.mode, one.summary, one.usual, one.reason) for one in found] == [
        ("tcp", "", "sockets", True, ""),
        ("verbs", "rc", "reliable", True, ""),
        ("verbs:ud", "ud", "datagrams", False, "no device"),
    ]
    assert [one.path for one in found] == [tcp, verbs, verbs]
    assert {(one.mpi, one.weft) for one in found} == {("openmpi", weft.__version__)}
    assert programs_of("nobody") == ()


def test_a_program_that_does_not_describe_itself_says_why(
    script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    script("openmpi/rank-a", errors="loading it\nlibx.so is missing", status=1)
    script("openmpi/rank-b")
    script("openmpi/rank-c", "no json")
    script("openmpi/rank-d", described(version=weft.__version__), "{")
    script("openmpi/rank-e").write_text("")
    found = {one.transport: one for one in programs_of("openmpi")}
    assert found["a"].reason == "libx.so is missing"
    assert found["b"].reason == "it did not describe itself"
    assert "JSON is malformed" in found["c"].reason
    assert (found["c"].weft, found["d"].weft) == ("", weft.__version__)
    assert "Input data was truncated" in found["d"].reason
    assert "Exec format error" in found["e"].reason
    script("openmpi/rank-f").write_text("#!/bin/sh\nsleep 20\n")
    monkeypatch.setattr(programs, "DESCRIBE_DEADLINE_S", 0.05)
    said = programs._ask(engine_folder() / "openmpi" / "rank-f")
    assert said == "it did not answer in 0.05 s"


def test_programs_of_another_version_are_refused_with_both(script: Script) -> None:
    script("mpich/rank-a", described(version="0.0.1"))
    script("mpich/rank-b", described(version=weft.__version__))
    said = f"of weft 0.0.1, and this is weft {weft.__version__}"
    with pytest.raises(WeftError, match=re.escape(said)):
        programs_of("mpich")


@pytest.mark.parametrize(
    ("mpi", "version", "is_it"),
    [
        ("openmpi", "mpirun (Open MPI) 4.1.4", True),
        ("openmpi", "HYDRA build details:", False),
        ("mpich", "HYDRA build details:", True),
        ("mpich", "mpirun (Open MPI) 4.1.4", False),
    ],
)
def test_a_plain_mpirun_is_of_the_mpi_that_it_says(
    script: Script, mpi: str, version: str, is_it: bool
) -> None:
    assert starter(mpi) is None
    with pytest.raises(WeftError, match=f"mpirun of {mpi} is missing"):
        starting(mpi, 2, ())
    plain = script("mpirun", version)
    assert starter(mpi) == (str(plain) if is_it else None)
    assert has_starter(mpi) is is_it
    # One of the MPI's own name goes before it, whatever it says.
    named = script(f"mpirun.{mpi}", "?")
    assert starter(mpi) == str(named)
    words = starting(mpi, 7, ("--host", "n1"))
    assert words[:4] == ["setpriv", "--pdeathsig", "TERM", str(named)]
    assert words[-4:] == ["--host", "n1", "-n", "7"]


def test_the_first_mpi_that_is_complete_is_taken(script: Script) -> None:
    starts = {"openmpi": True, "mpich": True}
    with pytest.raises(WeftError, match="no rank programs for MPI in"):
        choose_mpi(starts=lambda mpi: starts[mpi])
    # Where one MPI of two can be started it is the programs that lack, and not a starter.
    for other in starts:
        with pytest.raises(WeftError, match="no rank programs for MPI in"):
            choose_mpi(starts=lambda mpi, other=other: mpi != other)  # type: ignore[misc]
    script("mpich/rank-tcp")
    assert choose_mpi(starts=lambda mpi: starts[mpi]) == "mpich"
    script("openmpi/rank-tcp")
    assert choose_mpi(starts=lambda mpi: starts[mpi]) == "openmpi"
    assert choose_mpi("mpich", starts=lambda mpi: starts[mpi]) == "mpich"
    starts["openmpi"] = False
    assert choose_mpi(starts=lambda mpi: starts[mpi]) == "mpich"
    with pytest.raises(WeftError, match="there is no MPI called lam") as refused:
        choose_mpi("lam")
    assert refused.value.fix == "use --mpi openmpi or --mpi mpich"


def test_what_a_missing_mpi_needs_is_said(script: Script) -> None:
    script("openmpi/rank-tcp")
    with pytest.raises(WeftError, match="no mpirun for mpich is installed") as refused:
        choose_mpi("mpich", lambda _: False)
    assert refused.value.fix == "run apt-get install mpich libmpich-dev, then make build"
    with pytest.raises(WeftError, match="no mpirun for MPI is installed") as refused:
        choose_mpi("", lambda _: False)
    assert refused.value.fix.startswith("run apt-get install openmpi-bin libopenmpi-dev, ")
    script("mpirun.openmpi")
    # Its own starter is there, and srun cannot start it.
    with pytest.raises(WeftError, match="srun has no way to start ranks of openmpi") as refused:
        choose_mpi("openmpi", lambda mpi: mpi == "mpich")
    assert refused.value.fix.startswith("use --mpi mpich, or see srun --mpi=list: ")
    with pytest.raises(WeftError, match="srun has no way to start ranks of MPI") as refused:
        choose_mpi("", lambda _: False)
    assert refused.value.fix.startswith("see srun --mpi=list: ")


def test_weft_without_its_engine_says_what_it_lacked(script: Script) -> None:
    check_engine()
    script("a/b")
    (engine_folder() / "lacking").write_text("cmake\n")
    with pytest.raises(WeftError, match="without its engine, for want of cmake;"):
        choose_mpi()


def program(path: Path) -> Program:
    own = (pattern("ping_pong"), pattern("milc"))
    return Program(transport="verbs:ud", mpi="openmpi", path=path, mode="ud", patterns=own)


def test_its_mode_and_its_own_options_are_its_arguments() -> None:
    one = msgspec.structs.replace(program(Path("x")), options={"verbs.depth": "8"})
    options = {"verbs.depth": "4", "verbs.device": "d", "tcp.depth": "2", "verbsx.depth": "1"}
    assert one.arguments(options) == (
        "--mode", "ud", "--option", "depth=8", "--option", "device=d",
    )  # fmt: skip
    plain = msgspec.structs.replace(one, mode="", options={})
    assert plain.arguments({}) == ()


def test_cases_are_looked_at_before_a_rank_is_there(script: Script, tmp_path: Path) -> None:
    ok = '{"id":1,"status":"ok"}'
    no = '{"id":2,"status":"unsupported","reason":"it has no memory"}'
    path = script("openmpi/rank-x", ok, no)
    lines = [{"id": 1, "test": "a"}, {"id": 2, "test": "b"}]
    found = refusals(program(path), lines, 4, heads=False)
    assert [(one.status, one.reason) for one in found] == [
        ("ok", ""), ("unsupported", "it has no memory"),
    ]  # fmt: skip
    with pytest.raises(WeftError, match="rank-x answered 2 of 3 cases"):
        refusals(program(path), [*lines, lines[0]], 4, heads=False)
    path.write_text(f'#!/bin/sh\necho "$@" >{tmp_path}/words\ncat >{tmp_path}/given\nexit 3\n')
    for heads, more in ((False, ""), (True, " --heads")):
        with pytest.raises(WeftError, match="rank-x did not look at its cases"):
            refusals(program(path), lines, 4, heads=heads)
        assert (tmp_path / "words").read_text() == f"--refuse 4 --mode ud{more}\n"
    assert len((tmp_path / "given").read_text().splitlines()) == 2


def test_the_file_of_an_application_is_as_the_engine_read_it(
    script: Script, tmp_path: Path
) -> None:
    facts = '{"checksums":"d2f7866d 5f48ca3e","format":"nersc","precision":"single"}'
    path = script("openmpi/rank-x", f'{{"extents":[8,4,2,6],"application":{facts}}}')
    field = tmp_path / "field"
    found = application_file(program(path), field)
    assert (found.path, found.format, found.extents) == (str(field), "nersc", (8, 4, 2, 6))
    assert found.checksums == (0xD2F7866D, 0x5F48CA3E)
    assert found.in_words == "field (nersc, 8x4x2x6, single precision, d2f7866d 5f48ca3e)"
    script("openmpi/rank-x", '{"reason":"field is empty; copy it; again"}')
    with pytest.raises(WeftError, match=r"^field is empty; copy it; again$") as refused:
        application_file(program(path), field)
    assert refused.value.fix == "again"
    script("openmpi/rank-x", "{")
    with pytest.raises(WeftError, match=f"rank-x did not read {field}"):
        application_file(program(path), field)
    path.unlink()
    with pytest.raises(WeftError, match=f"{field} was not read in 600 s"):
        application_file(program(path), field)
    words = '#!/bin/sh\nprintf \'{"reason":"%s; %s"}\' "$1" "$2"\n'
    path.write_text(words)
    path.chmod(0o755)
    with pytest.raises(WeftError, match=r"^--inspect; ") as refused:
        application_file(program(path), field)
    assert refused.value.fix == f"milc.gauge={field}"
