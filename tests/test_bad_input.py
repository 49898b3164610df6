"""Bad input: one line that says what is wrong and the fix, and exit status 2."""

import gc
import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from support.in_process import weft_here
from weft.cli.main import main

WEFT = Path(sys.prefix) / "bin" / "weft"


def weft(*words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [WEFT, *map(str, words)],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
        stdin=subprocess.DEVNULL,
    )


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["run", "ping-pongg"], "did you mean ping_pong?"),
        (["run", "--transport", "tpc"], "did you mean tcp?"),
        (["run", "--sizes", "many"], "use one like 8, 64KiB"),
        (["run", "--sizes", "0..100TiB"], "is not a size in bytes"),
        (["run", "--sizes", "1GiB,900GiB"], "use sizes up to"),
        (["run", "--ranks", "1"], "use --ranks"),
        (["run", "milc", "--mass", "0"], "use --mass 0.001 to 10"),
        (["run", "milc", "--u0", "nan"], "use --u0 0.1 to 10"),
        (["run", "halo", "--mass", "0.2"], "or measure milc"),
        (["run", "milc", "--gauge", "a", "--extents", "4"], "use --gauge without --extents"),
        (["run", "ping_pong", "--launches", "x"], "Invalid value for '--launches'"),
        (["run", "milc", "--gauge", ""], "leave --gauge out"),
        (["run", "milc", "--gauge", "/nowhere/lattice"], "that every host has"),
        (["run", "milc", "--gauge", "/etc/hostname"], "is no gauge field"),
        (["run", "milc", "--gauge", "/etc"], "is no file"),
        (["run", "--precision", "0"], "is not a per cent"),
        (["run", "--budget", "soon"], "use one like 60s"),
        (["run", "--launches", "0"], "use --launches"),
        (["run", "--buffers", "two"], "use one, shared, turn:16"),
        (["run", "--mpi", "lam"], "use --mpi openmpi or --mpi mpich"),
        (["run", "--frobnicate"], "No such option"),
        (["run", "-o", "/nowhere/r.jsonl"], "use another path after -o"),
        (["run", "--resume", "/nowhere/r.jsonl"], "cannot read"),
        (["run", "--resume", "/nowhere/r.jsonl", "--queue-depth", "2"], "without --queue-depth"),
        (["run", "stream", "--resume", "/nowhere/r.jsonl"], "without TESTS"),
        (["run", "rendezvous-sweep", "stream"], "cannot run with other tests"),
        (["run", "--suite", "papr"], "did you mean paper?"),
        (["run", "--suite", "paper", "--sizes", "8"], "--suite paper sets it; omit --sizes"),
        (["run", "stream", "--suite", "full"], "--suite full sets it; omit TESTS"),
        (["run", "--samples", "-1"], "--samples -1 is out of range"),
        (["fit", "/etc/hostname"], "bytes,seconds"),
        (["fit", "/nowhere.csv"], "cannot read"),
        (["fit", "/nowhere.jsonl"], "cannot read"),
        (["runn"], "No such command"),
        (["list", "things"], "choose from tests, transports, suites, platforms"),
        (["show", "/etc/hostname"], "not a weft record"),
        (["show", "/nowhere"], "cannot read"),
        (["report", "/etc/hostname"], "not a weft record"),
        (["show", "eshcer"], "did you mean escher?"),
        (["show", "qqqq"], "weft list platforms"),
        (["show", "escher", "--test", "stream"], "there is no test called stream"),
        (["show", "escher", "--link", "string"], "use one like IB 4x FDR"),
        (["compare", "escher"], "use two records or platforms"),
        (["compare", "escher", "eschre"], "did you mean escher?"),
        (["compare", "escher", "/etc/hostname"], "not a weft record"),
        (["compare", "escher", "osu-gm"], "have no test in common"),
        (["compare", "escher@tcp", "callisto"], "choose from mpi"),
        (["compare", "escher", "callisto", "--same", "much"], "is not a per cent"),
        (
            ["compare", "escher", "callisto", "-o", "/nowhere/c.html"],
            "make its folder",
        ),
        (["check", "/nowhere", "--against", "/nowhere.toml"], "cannot read"),
        (["check", "/etc/hostname", "--against", "a.toml"], "not a weft record"),
        (["check", "a.jsonl", "--against", "b", "--tolerance", "much"], "is not a per cent"),
        (["check", "a.jsonl"], "use --against with a record or a limits file"),
        (["peak", "IB FDR"], "needs its width"),
        (["peak", "string"], "use one like IB 4x FDR"),
        (["price"], "no fabric given; use --nodes"),
        (["price", "--nodes", "9999", "--switch", "24"], "use --nodes 3456 or fewer"),
        (["price", "--nodes", "48", "--switch", "24", "--prices", "/nowhere.toml"], "cannot read"),
        (["show", "/nowhere", "--link", "IB 4x FDR"], "cannot read"),
        (["export", "/etc/hostname"], "--csv FILE"),
        (["export", "/etc/hostname", "--csv", "/tmp/x.csv"], "not a weft record"),
    ],
)
def test_bad_input_is_one_clear_line(
    words: list[str],
    told: str,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    # Not as a process each: to start Python takes longer than the command.
    monkeypatch.setattr(sys, "argv", ["weft", *map(str, words)])
    monkeypatch.setattr(gc, "freeze", lambda: None)
    with pytest.raises(SystemExit) as end:
        main()
    out, errors = capfd.readouterr()
    assert end.value.code == 2, errors
    assert told in errors
    [line] = [line for line in errors.splitlines() if line.startswith("weft: ")]
    assert line == errors.strip().splitlines()[-1]
    assert not out


def test_bad_input_ends_the_process_so_too() -> None:
    done = weft("run", "ping-pongg")
    assert done.returncode == 2
    assert "did you mean ping_pong?" in done.stderr
    assert "Traceback" not in done.stderr
    assert not done.stdout


def test_the_version_is_what_python_says() -> None:
    done = weft("--version")
    assert (done.returncode, done.stdout) == (0, f"weft {version('weft')}\n")


@pytest.mark.parametrize(
    ("words", "packages"),
    [((), "openmpi-bin libopenmpi-dev"), (("--mpi", "mpich"), "mpich libmpich-dev")],
)
def test_a_missing_mpi_says_what_to_install(
    tmp_path: Path, words: tuple[str, ...], packages: str
) -> None:
    done = weft_here(("run", *words), os.environ | {"PATH": str(tmp_path)})
    assert done.returncode == 2
    assert f"run apt-get install {packages}, then make build" in done.stderr


def test_a_missing_engine_says_how_to_build_it(tmp_path: Path) -> None:
    done = weft_here(("run",), os.environ | {"WEFT_ENGINE_DIR": str(tmp_path)})
    assert done.returncode == 2
    assert "make build" in done.stderr


@pytest.mark.parametrize(
    "command", ["run", "list", "show", "report", "export", "doctor", "peak", "compare", "check"]
)
def test_every_command_has_an_example(command: str) -> None:
    done = weft_here((command, "--help"), os.environ)
    assert done.returncode == 0
    assert "Example" in done.stdout
