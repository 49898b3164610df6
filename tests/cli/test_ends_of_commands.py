"""What commands print when all is done: which files, how to go on, and with which status."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import msgspec
import pytest
import typer

import weft
from support.builders import make_cases, synthetic_record
from support.printed import result_of
from weft.analysis.summary import summarise
from weft.cli import map_, predict, submit
from weft.cli.measured import end, show
from weft.cli.memory import memory
from weft.cli.where import Where
from weft.errors import WeftError
from weft.launch import sbatch
from weft.launch.sbatch import SiteJob
from weft.plan.allocation import Allocation
from weft.plan.rounds import MOST_ROUNDS, usual_rounds
from weft.tables import Table

if TYPE_CHECKING:
    from weft.record.run import Run

CASES = make_cases(("ping_pong",), ("tcp",), (8, 64))


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return weft.load(synthetic_record(tmp_path / "r.jsonl", CASES))


@pytest.mark.parametrize(
    ("asked", "hint"),
    [
        (None, ": the record is compressed when it is complete"),
        (Path("a.jsonl.zst"), ": the record is compressed when it is complete"),
        (Path("a.jsonl"), ""),
    ],
)
def test_an_interrupted_run_says_how_to_go_on(
    run: Run, asked: Path | None, hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run.footer is not None
    footer = msgspec.structs.replace(run.footer, outcome="interrupted")
    with pytest.raises(typer.Exit) as ended:
        end(run, summarise(run), footer, asked=asked)
    assert ended.value.exit_code == 130
    said = capsys.readouterr()
    told = f"weft: interrupted{hint}; continue with: weft run --resume {run.path}\n"
    assert (said.out, said.err) == ("", told)


def test_a_run_that_has_all_its_figures_ends_without_a_word(
    run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run.footer is not None
    end(run, summarise(run), run.footer, asked=None)
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("detail", ["brief", "verbose", "quiet"])
def test_what_a_run_shows_is_as_long_as_asked(
    run: Run, detail: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    show(run.path, run.footer, as_json=False, report=False, asked=run.path, detail=detail)
    said = capsys.readouterr()
    assert said.err == f"record: {run.path}\n"
    sizes = [size in said.out for size in ("8 B", "64 B")]
    assert sizes == [detail != "quiet"] * 2
    assert ("Settled. Every case is precise" in said.out) == (detail == "brief")


def test_a_record_without_figures_of_memory_says_what_measures_some(
    run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    memory(run.path)
    told = f"{run.path} has no figure of memory; measure some: weft run registration copy\n"
    assert capsys.readouterr().out == told


def test_a_run_that_was_complete_says_so_and_shows_nothing(
    run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    show(run.path, None, as_json=True, report=True, asked=None)
    assert capsys.readouterr() == (f"{run.path} is complete: nothing to resume\n", "")


def test_a_page_that_cannot_be_written_costs_no_record(
    run: Run, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = []

    def write(results: Any, page: Path) -> None:
        pages.append((len(results), page))
        if len(pages) == 1:
            raise WeftError("the disk is full", "remove something")

    monkeypatch.setattr("weft.studies.pages.write_page", write)
    page = run.path.with_suffix(".html")
    for line in ("weft: no report: the disk is full; remove something", f"report: {page}"):
        show(run.path, run.footer, as_json=True, report=True, asked=run.path)
        said = capsys.readouterr()
        assert said.err.splitlines() == [line, f"record: {run.path}"]
        assert len(result_of(said.out, "run")) == 2
    assert pages == [(1, page)] * 2


@pytest.mark.parametrize("as_json", [False, True])
def test_a_prediction_names_each_record_and_its_page(
    as_json: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    written = []
    monkeypatch.setattr(
        "weft.report.page.write_report",
        lambda results, page, front: written.append((results, page, front)),
    )
    table = Table(name="t", caption="c", head=("h",), rows=(("a cell",),), notes=("a note",))
    results = tuple(SimpleNamespace(run=SimpleNamespace(path=Path(name))) for name in "ab")
    found = SimpleNamespace(
        answers=({"variant": "x"},), results=results, front="front", table=table,
        page=Path("p.html"),
    )  # fmt: skip
    predict._show(cast("Any", found), as_json=as_json)
    said = capsys.readouterr()
    assert said.err.splitlines() == ["record: a", "record: b", "report: p.html"]
    assert written == [(results, Path("p.html"), "front")]
    if as_json:
        wanted = {"fabrics": [{"variant": "x"}], "notes": ["a note"]}
        assert result_of(said.out, "predict") == wanted
    else:
        assert "a cell" in said.out
        assert "a note" in said.out


@pytest.mark.parametrize(
    ("params", "record"),
    [
        ({"resume": None, "output": None}, "weft-4711.jsonl.zst"),
        ({"resume": None, "output": Path("o.jsonl")}, "o.jsonl"),
        ({"resume": Path("r.jsonl"), "output": None}, "r.jsonl"),
        # A map goes on with no record.
        ({"output": None}, "weft-4711.jsonl.zst"),
    ],
)
def test_a_submitted_job_says_how_to_follow_it(
    params: dict[str, Any],
    record: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    job = SiteJob(command="run", words=(), nodes=3, time_limit_s=120.0, folder=Path("/data/x"))
    monkeypatch.setattr(sbatch, "submit", lambda asked: 4711 if asked is job else 0)
    submit.submit_run(job, params)
    assert capsys.readouterr().out.splitlines() == [
        "job 4711 is submitted: 3 nodes for at most 2 min",
        "follow it: tail -F /data/x/weft-4711.log",
        "its state: squeue --jobs=4711; end it: scancel 4711",
        f"record: /data/x/{record}",
    ]


def of(*hosts: str, nodes: int = 0) -> Where:
    return Where(allocation=Allocation(hosts=hosts, nodes=nodes))


SIXTEEN = cast("Any", SimpleNamespace(nodes=16))
LARGE = cast("Any", SimpleNamespace(nodes=5000))


@pytest.mark.parametrize(
    ("platform", "slow", "where", "ranks", "count"),
    [
        (None, {}, of("a", "b", "c", "d"), 0, 4),
        (None, {}, of(nodes=6), 0, 6),
        (None, {}, of("a", "b", "c", "d"), 2, 2),
        (SIXTEEN, {}, of(), 0, 16),
        (SIXTEEN, {"n7": 0.5, "leaf1": 0.1}, of(), 8, 8),
        (LARGE, {}, of(), 0, MOST_ROUNDS),
    ],
)
def test_a_map_has_as_many_ranks_as_there_are_places(
    platform: Any, slow: dict[str, float], where: Where, ranks: int, count: int
) -> None:
    usual = tuple(range(usual_rounds(count)))
    assert map_._asked(platform, slow, where, ranks, 0) == (count, usual)
    assert map_._asked(platform, slow, where, ranks, 2) == (count, (0, 1))


@pytest.mark.parametrize(
    ("launcher", "each", "count"), [("", 0, 3), ("", 2, 6), ("mpirun", 0, 3), ("local", 0, 0)]
)
def test_a_map_in_a_job_has_a_rank_on_each_of_its_nodes(
    monkeypatch: pytest.MonkeyPatch, launcher: str, each: int, count: int
) -> None:
    monkeypatch.setattr("weft.launch.nodes.hosts_of_site", lambda: ("n1", "n2", "n3"))
    where = Where(allocation=Allocation(ranks_per_node=each), launcher=launcher)
    assert map_._usual_ranks(where) == count
    # What is asked for counts, and a simulated platform has nothing of the job.
    assert map_._usual_ranks(of("n7", "n9")) == 2
    assert map_._usual_ranks(of(nodes=5)) == 5
    assert map_._asked(SIXTEEN, {}, where, 0, 0)[0] == 16


@pytest.mark.parametrize(
    ("platform", "slow", "where", "ranks", "what", "fix"),
    [
        (SIXTEEN, {"n8": 0.5}, of(), 8, "n8 is not among the 8 ranks", "or name one of n0 to n7"),
        (None, {}, of(), 0, "no hosts given, and not inside a Slurm job",
         "use --hosts n1,n2,n3,n4,"),
        (None, {}, of("a"), 1, "a map of 1 rank has no pairs", "use --hosts n1,n2,n3,n4, or"),
    ],
)  # fmt: skip
def test_a_map_without_pairs_is_refused(
    platform: Any, slow: dict[str, float], where: Where, ranks: int, what: str, fix: str
) -> None:
    with pytest.raises(WeftError) as refused:
        map_._asked(platform, slow, where, ranks, 0)
    assert refused.value.what == what
    assert fix in refused.value.fix
