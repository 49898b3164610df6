"""What a run would refuse is refused before there is a job: in a script, by sbatch, by salloc."""

import json
import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

from support.builders import make_cases, synthetic_record
from weft.cli.main import app
from weft.errors import WeftError
from weft.launch.sbatch import SiteJob

# How a run comes to a job, and the words before its own.
WAYS = {
    "script": ["slurm", "script", "--nodes", "2"],
    "sbatch": ["run", "--submit", "--nodes", "2"],
    "salloc": ["run", "--nodes", "2"],
}


# A map's: it has no tests, and a script of one is not made.
MAPS = {way: ["map", *words[1:]] for way, words in WAYS.items() if way != "script"}


class AskedError(Exception):
    """Slurm was asked for a job."""

    def __init__(self, job: SiteJob) -> None:
        super().__init__(job.command)
        self.job = job


@pytest.fixture
def site(machine: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A login node with the scripted transport, and a Slurm that must not be asked."""
    for name in ("PATH", "WEFT_ENGINE_DIR"):
        monkeypatch.setenv(name, machine[name])
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    for name in ("salloc", "srun", "sbatch"):
        (tmp_path / "bin" / name).symlink_to("/bin/false")

    def ask(job: SiteJob, *_: object) -> None:
        raise AskedError(job)

    monkeypatch.setattr("weft.launch.sbatch.submit", ask)
    monkeypatch.setattr("weft.cli.submit.become", ask)
    monkeypatch.chdir(tmp_path)
    synthetic_record(tmp_path / "old.jsonl", make_cases(("ping_pong",), ("tcp",), (8,)))
    return tmp_path


@pytest.fixture
def site_of_maps(site: Path) -> Path:
    """The same, where the scripted transport has rounds of pairs."""
    program = site / "engine/openmpi/rank-fake"
    of_maps = {
        '"put_ping_pong"': '"pair_rounds"', '"one_sided_latency"': '"pairs"',
        '"supported": False': '"supported": True', "the transport has no one-sided operations": "",
    }  # fmt: skip
    text = program.read_text()
    for puts, pairs in of_maps.items():
        text = text.replace(puts, pairs)
    program.write_text(text)
    return site


def weft(*words: str) -> str:
    done = CliRunner().invoke(app, list(words))
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.output


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["ping_pongg"], "did you mean ping_pong?"),
        (["ping_pong", "--transport", "fke"], "did you mean fake?"),
        (["ping_pong", "--option", "fake.dept=3"], "did you mean fake.depth?"),
        (["ping_pong", "--sizes", "1Gb"], "is in bits"),
        (["ping_pong", "--points", "3"], "--points has no effect"),
        (["put_ping_pong"], "put_ping_pong: the transport has no one-sided operations"),
        (["-o", "old.jsonl"], "old.jsonl exists"),
        (["-o", "old.jsonl.zst"], "old.jsonl exists"),
        (["-o", "no/r.jsonl"], "there is no folder no"),
        (["ping_pong", "--ranks", "8", "--ranks-per-node", "1"], "8 ranks do not fit 2 nodes"),
        (["--budget", "soon"], "is not a time"),
    ],
)
@pytest.mark.usefixtures("site")
def test_it_is_refused_before_there_is_a_job(way: str, words: list[str], told: str) -> None:
    with pytest.raises(WeftError) as error:
        weft(*WAYS[way], *words)
    assert told in str(error.value)


@pytest.mark.parametrize("way", ["sbatch", "salloc"])
@pytest.mark.usefixtures("site")
def test_what_a_run_takes_is_submitted(way: str) -> None:
    with pytest.raises(AskedError) as asked:
        weft(*WAYS[way], "ping_pong", "--option", "fake.depth=3", "-o", "new.jsonl")
    assert (asked.value.job.command, asked.value.job.nodes) == ("run", 2)


@pytest.mark.parametrize("way", MAPS)
@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--transport", "fke"], "did you mean fake?"),
        (["--transport", "fake", "--sizes", "1Gb"], "is in bits"),
        (["-o", "old.jsonl"], "old.jsonl exists"),
        (
            ["--transport", "fake", "--ranks", "8", "--ranks-per-node", "1"],
            "8 ranks do not fit 2 nodes",
        ),
        (["--budget", "soon"], "is not a time"),
        (["--ranks", "1"], "a map of 1 rank has no pairs"),
        (["old.jsonl"], "old.jsonl is measured already"),
        (["--platform", "escher"], "is simulated"),
    ],
)
@pytest.mark.usefixtures("site_of_maps")
def test_a_map_is_refused_before_there_is_a_job(way: str, words: list[str], told: str) -> None:
    with pytest.raises(WeftError) as error:
        weft(*MAPS[way], *words)
    assert told in str(error.value)


@pytest.mark.parametrize("way", MAPS)
@pytest.mark.usefixtures("site_of_maps")
def test_what_a_map_takes_is_submitted(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    words = [*MAPS[way], "--budget", "10min", "--transport", "fake", "-o", "new.jsonl"]
    monkeypatch.setattr("sys.argv", ["weft", *words])
    with pytest.raises(AskedError) as asked:
        weft(*words)
    job = asked.value.job
    assert (job.command, job.nodes, job.minutes) == ("map", 2, 12)
    assert job.words == tuple(word for word in words[1:] if word != "--submit")
    assert not Path("new.jsonl").exists()


def test_a_simulated_run_is_no_job(site: Path) -> None:
    for words in (WAYS["sbatch"], WAYS["script"]):
        with pytest.raises(WeftError, match="a job is for nodes that exist"):
            weft(*words, "--platform", "escher")
    assert not (site / "weft.log").exists()


@pytest.mark.usefixtures("site")
def test_a_resumed_record_asks_for_the_time_of_its_own_budget() -> None:
    words = ["slurm", "script", "--resume", "old.jsonl"]
    # 60 s in the record, as by default; then a budget of its own, and one that is typed.
    assert "--time=3\n" in weft(*words)
    synthetic_record(
        Path("long.jsonl"), make_cases(("ping_pong",), ("tcp",), (8,)), budget_s=3600.0
    )
    words[-1] = "long.jsonl"
    assert "--time=66\n" in weft(*words)
    assert "--time=12\n" in weft(*words, "--budget", "10min")


@pytest.mark.usefixtures("site")
def test_a_resumed_record_asks_for_the_hosts_that_measured_it() -> None:
    text = Path("old.jsonl").read_text()
    head, _, rest = text.partition("\n")
    told = json.loads(head)
    [own] = told["hosts"].values()
    told["hosts"] = {name: {**own, "host": name} for name in ("n3", "n5", "n6")}
    Path("old.jsonl").write_text(f"{json.dumps(told)}\n{rest}")
    script = weft("slurm", "script", "--resume", "old.jsonl")
    assert "--nodes=3\n" in script
    assert "--nodelist=n3,n5,n6\n" in script


@pytest.mark.usefixtures("site")
def test_a_record_that_cannot_go_on_is_refused_before_there_is_a_job() -> None:
    Path("bad.jsonl").write_text("no record\n")
    with pytest.raises(WeftError, match="not a weft record"):
        weft("run", "--submit", "--resume", "bad.jsonl")
    with pytest.raises(WeftError, match="--sizes cannot change when a run is resumed"):
        weft("run", "--submit", "--resume", "old.jsonl", "--sizes", "8")


def test_the_hosts_of_a_file_are_asked_for(site: Path) -> None:
    (site / "hosts").write_text("n7\nn8\nn9\n")
    script = weft("slurm", "script", "ping_pong", "--hostfile", "hosts")
    assert "--nodes=3\n" in script
    assert "--nodelist=n7,n8,n9\n" in script


def test_where_no_program_can_be_asked_a_line_says_so(
    site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEFT_ENGINE_DIR", str(site / "nowhere"))
    told = weft("slurm", "script", "ping_pong")
    assert "are not checked before it starts" in told
    assert os.linesep + "exec " in told
