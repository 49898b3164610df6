"""Records, outputs, lists and platforms are named by the same words in every command."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import typer
from typer.testing import CliRunner

from support.builders import make_cases
from support.nights import night
from support.peer_outputs import OUTPUTS
from support.price_lists import FULL, HALF, price_list
from support.printed import result_of
from weft.cli.main import app
from weft.cli.manual import commands_of
from weft.errors import WeftError

if TYPE_CHECKING:
    from collections.abc import Sequence

CASES = make_cases(("ping_pong", "stream"), ("tcp", "mpi"), (8, 64, 512, 4096, 32768, 262144))
FABRIC = ("--nodes", "48", "--switch", "24", "--prices", "half.toml")
# What takes several: the words, in which FILES stand side by side or with commas between.
SEVERAL: dict[str, tuple[str, ...]] = {
    "check": ("FILES", "--against", "c.jsonl", "--json"),
    "check --against": ("c.jsonl", "--against", "FILES", "--json"),
    "check --make-limits": ("--make-limits", "FILES", "-o", "made.toml", "--json"),
    "trend": ("FILES", "--json"),
    "fit": ("FILES", "--transport", "tcp", "--json"),
    "signature": ("FILES", "--transport", "tcp", "--json"),
    "calibrate": ("FILES", "--transport", "tcp", "--json"),
    "figure": ("FILES", "-o", "made.svg"),
    "report": ("FILES", "-o", "made.html"),
    "import": ("FILES", "-o", "made.jsonl", "--json"),
    "price --compare": ("--compare", "FILES", "--json"),
}
FILES = {
    "import": ("one.txt", "two.txt"),
    "price --compare": ("half.toml", "full.toml"),
    "calibrate": ("sizes.jsonl", "b.jsonl"),
    # Two sessions do not show how far sessions differ.
    "check --make-limits": ("a.jsonl", "b.jsonl,c.jsonl"),
}
# What takes one record, by the words before it.
ONE: dict[str, tuple[str, ...]] = {
    "show": (),
    "export": ("--csv", "made.csv"),
    "layers": (),
    "memory": (),
    "map": (),
    "price --measured": (*FABRIC, "--measured"),
    "price --application": (*FABRIC, "--application"),
    "run --resume": ("--resume",),
    "run --again": ("--again",),
}
# What takes a part of a record: the words before it, and what makes the same of the whole.
PARTS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "show": ((), ("--transport", "tcp", "--json")),
    "fit": ((), ("--transport", "tcp", "--json")),
    "signature": ((), ("--transport", "tcp", "--json")),
    "calibrate": ((), ("--transport", "tcp", "--json")),
    "figure": (("-o", "made.svg", "--show", "fit"), ("--transport", "tcp")),
}
# Where a platform is taken, and what takes records only.
PLATFORMS = {
    "show": ("escher",),
    "compare": ("escher", "red-squall"),
    "fit": ("escher",),
    "signature": ("escher",),
    "figure": ("escher", "--show", "fit", "-o", "made.svg"),
    "calibrate": ("escher",),
    "price": (*FABRIC, "--measured", "escher"),
}
RECORDS_ONLY = {
    "check": ("escher", "--against", "c.jsonl"),
    "check --against": ("c.jsonl", "--against", "escher"),
    "trend": ("escher",),
    "report": ("escher",),
    "export": ("escher", "--csv", "made.csv"),
    "layers": ("escher",),
    "memory": ("escher",),
    "map": ("escher",),
    "figure": ("escher", "-o", "made.svg"),
    "price": (*FABRIC, "--application", "escher"),
    "run --resume": ("--resume", "escher"),
    "run --again": ("--again", "escher"),
}
# They read no record of a user's.
WITHOUT = {"doctor", "list", "peak", "predict", "reproduce", "slurm script"}


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kept")
    for day, name in enumerate(("a", "b", "c")):
        night(folder, day, cases=CASES).path.rename(folder / f"{name}.jsonl")
    sizes = tuple(case for case in CASES if case.test == "ping_pong")
    night(folder, 4, cases=sizes).path.rename(folder / "sizes.jsonl")
    shutil.copy(OUTPUTS / "omb_latency_z.txt", folder / "one.txt")
    shutil.copy(OUTPUTS / "omb_latency_z.txt", folder / "two.txt")
    price_list(folder / "half.toml", fabrics=HALF)
    price_list(folder / "full.toml", fabrics=FULL)
    return folder


@pytest.fixture
def _folder(
    kept: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    undrawn: None,  # noqa: ARG001
) -> None:
    monkeypatch.setattr(
        "weft.report.drawing.draw", lambda chart, kinds, *_: [repr(chart).encode() for _ in kinds]
    )
    shutil.copytree(kept, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)


pytestmark = pytest.mark.usefixtures("_folder")


def found(use: str, words: Sequence[str]) -> Any:
    """What a use of a command prints as JSON, or else the file that it writes."""
    command = use.split(maxsplit=1)[0]
    done = CliRunner().invoke(app, [command, *words])
    assert done.exit_code == 0, f"{words}: {done.exception}"
    if "--json" in words:
        return result_of(done.stdout, command)
    return Path(words[words.index("-o") + 1]).read_bytes()


def refused(use: str, words: Sequence[str]) -> str:
    done = CliRunner().invoke(app, [use.split(maxsplit=1)[0], *words])
    assert isinstance(done.exception, WeftError), f"{words}: {done.output}"
    return str(done.exception)


def with_files(words: Sequence[str], files: Sequence[str]) -> list[str]:
    return [one for word in words for one in (files if word == "FILES" else (word,))]


def test_every_command_is_in_a_table() -> None:
    tables = (SEVERAL, ONE, PLATFORMS, RECORDS_ONLY)
    named = {use.split()[0] for table in tables for use in table}
    commands = {name for name, _ in commands_of(typer.main.get_command(app))}
    assert named | WITHOUT == commands
    assert not named & WITHOUT


@pytest.mark.parametrize("use", SEVERAL)
def test_a_comma_is_a_blank(use: str) -> None:
    first, other = FILES.get(use, ("a.jsonl", "b.jsonl"))
    joined = found(use, with_files(SEVERAL[use], (f"{first},{other}",)))
    Path("made.jsonl").unlink(missing_ok=True)
    if use == "check --against":
        apart = ["c.jsonl", "--against", first, "--against", other, "--json"]
    else:
        apart = with_files(SEVERAL[use], (first, other))
    assert found(use, apart) == joined
    Path("made.jsonl").unlink(missing_ok=True)
    if use != "price --compare":  # of one list there is nothing to compare
        assert found(use, with_files(SEVERAL[use], (f"{first},",))) != joined


@pytest.mark.parametrize("use", ["fit", "signature", "figure", "trend", "report"])
def test_a_part_of_several_is_that_of_each(use: str) -> None:
    words = [word for word in SEVERAL[use] if word not in ("--transport", "tcp")]
    both = found(use, with_files(words, ("a.jsonl,b.jsonl@tcp",)))
    assert found(use, with_files(words, ("a.jsonl@tcp", "b.jsonl@tcp"))) == both
    assert found(use, with_files(words, ("a.jsonl@mpi,b.jsonl@tcp",))) != both


@pytest.mark.parametrize("use", PARTS)
def test_a_part_is_what_the_option_chooses(use: str) -> None:
    before, chooses = PARTS[use]
    rest = [word for word in chooses if word not in ("--transport", "tcp")]
    part = found(use, [*before, "a.jsonl@tcp", *rest])
    assert found(use, [*before, "a.jsonl", *chooses]) == part
    assert found(use, [*before, "a.jsonl@mpi", *rest]) != part


@pytest.mark.parametrize("use", ONE)
def test_where_one_is_taken_a_second_is_refused_in_a_line(use: str) -> None:
    told = refused(use, [*ONE[use], "a.jsonl,b.jsonl"])
    assert "names 2 records, and" in told
    assert "use one of them: " in told
    assert told.endswith("a.jsonl")
    if use == use.split(maxsplit=1)[0]:
        told = refused(use, [*ONE[use], "a.jsonl", "b.jsonl"])
        assert f"{use} takes one RECORD, and 2 are typed" in told
        assert told.endswith(f"{use} a.jsonl")


@pytest.mark.parametrize("option", ["--resume", "--again"])
def test_a_run_goes_on_with_whole_records(option: str) -> None:
    assert f"use {option} a.jsonl" in refused("run", [option, "a.jsonl@tcp"])
    told = refused("run", [option, "a.jsonl@tcp"])
    assert told.startswith("a.jsonl@tcp is a part of a record, and")
    told = refused("run", [option, "a.jsonl,b.jsonl@tcp"])
    assert told.startswith("a.jsonl,b.jsonl@tcp names 2 records")


@pytest.mark.parametrize("use", PLATFORMS)
def test_a_platform_is_taken(use: str) -> None:
    done = CliRunner().invoke(app, [use, *PLATFORMS[use]])
    assert done.exit_code == 0, done.exception


@pytest.mark.parametrize("use", RECORDS_ONLY)
def test_a_platform_is_refused_where_records_are_taken(use: str) -> None:
    assert "escher is a published platform" in refused(use, RECORDS_ONLY[use])


@pytest.mark.parametrize("use", ["show", "compare", "fit", "signature"])
def test_a_platform_has_parts_too(use: str) -> None:
    words = ["escher@mpi"] + (["escher"] if use == "compare" else [])
    assert found(use, [*words, "--json"])
    words[0] = "escher@tcp"
    assert "there is no transport called tcp; choose from mpi" in refused(use, words)


def test_platforms_are_no_sessions_of_a_record() -> None:
    told = refused("compare", ["a.jsonl,escher", "b.jsonl"])
    assert told == (
        "escher is a published platform, and only records are sessions of one side;"
        " use it as a side of its own: a.jsonl escher"
    )
    told = refused("compare", ["my run.jsonl,escher", "b.jsonl"])
    assert told.endswith("use it as a side of its own: 'my run.jsonl' escher")


def test_a_csv_has_no_parts() -> None:
    Path("t.csv").write_text("bytes,time_us\n8,1\n64,2\n512,3\n")
    assert "t.csv is a CSV, which names no transport; use t.csv" in refused("fit", ["t.csv@tcp"])


@pytest.mark.parametrize("use", ["trend", "check"])
@pytest.mark.parametrize(
    ("against", "told"),
    [
        ("made.toml", "made.toml is a record, and limits are a .toml"),
        ("made.toml,c.jsonl", "limits"),
    ],
)
def test_a_record_is_not_read_as_limits(use: str, against: str, told: str) -> None:
    shutil.copy("b.jsonl", "made.toml")
    assert told in refused(use, ["a.jsonl", "--against", against])


def test_limits_say_what_they_are() -> None:
    told = refused("trend", ["a.jsonl", "--against", "b.jsonl"])
    assert told == (
        "b.jsonl is a record, and limits are a .toml; run weft check RECORD --against b.jsonl to"
        " hold a record against it, or weft check --make-limits b.jsonl -o limits.toml to make"
        " limits of it"
    )
    assert "a.jsonl,b.jsonl is of records" in refused(
        "trend", ["a.jsonl", "--against", "a.jsonl,b.jsonl"]
    )
    told = refused("trend", ["a.jsonl", "--against", "half.toml,full.toml"])
    assert (
        told
        == "half.toml,full.toml names 2 files, and limits are of one; use one of them: half.toml"
    )
    assert "a.jsonl is a record, and a .toml is taken here" in refused(
        "price", ["--nodes", "48", "--switch", "24", "--prices", "a.jsonl"]
    )


@pytest.mark.parametrize("word", ["", ",", ".", "/"])
@pytest.mark.parametrize("use", ["fit", "show", "report", "trend", "compare"])
def test_no_name_is_refused(use: str, word: str) -> None:
    told = refused(use, [word, "a.jsonl"] if use == "compare" else [word])
    assert "no record" in told or "cannot read" in told, told


def test_the_page_of_a_part_is_beside_that_of_the_whole() -> None:
    for word, page in (
        ("a.jsonl", "a.html"),
        ("a.jsonl@tcp", "a-tcp.html"),
        ("a.jsonl@tcp,mpi", "a-tcp-mpi.html"),
        ("b.jsonl@mpi,a.jsonl", "b-mpi+a.html"),
        ("a.jsonl,b.jsonl@tcp", "a-tcp+b-tcp.html"),
    ):
        done = CliRunner().invoke(app, ["report", word])
        assert done.exit_code == 0, done.exception
        assert done.output.strip() == f"report: {page}"
        assert Path(page).is_file()
    many = ",".join(shutil.copy("a.jsonl", f"{name * 70}.jsonl") for name in "xyz")
    assert "no file's name holds those of 3 records; use -o" in refused("report", [many])
