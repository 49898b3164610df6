"""A record that was imported: an ordinary one, of which nothing is said that a mean cannot say."""

import os
import shlex
from datetime import UTC, datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner

import weft
from support.builders import make_cases, synthetic_record
from weft.analysis.stats.launches import next_session_of
from weft.analysis.summary import CaseSummary, summarise
from weft.cli.main import app
from weft.errors import WeftError
from weft.sources.imported import import_outputs
from weft.sources.peers.stated import Given

OUTPUTS = Path(__file__).parent / "peers" / "outputs"
TITLE = "# OSU MPI Latency Test v7.4\n# Size       Avg Latency(us)\n"
ROWS = {
    8: 2.0,
    16: 2.0,
    32: 2.0,
    64: 2.1,
    128: 2.2,
    256: 2.4,
    1024: 3.0,
    4096: 5.5,
    8192: 7.0,
    16384: 9.0,
    65536: 20.0,
    1048576: 240.0,
}


def output(path: Path, factor: float = 1.0) -> Path:
    rows = [f"{size}  {value * factor:.2f}\n" for size, value in ROWS.items()]
    path.write_text(TITLE + "".join(rows))
    return path


def imported(folder: Path, *factors: float) -> weft.Run:
    outputs = [output(folder / f"{at}.txt", one) for at, one in enumerate(factors)]
    return weft.load(import_outputs(outputs, Given(), folder / "osu.jsonl"))


def typed(*words: object) -> str:
    result = CliRunner().invoke(app, [str(word) for word in words])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.output


def first(run: weft.Run) -> CaseSummary:
    return summarise(run)[0]


def test_a_mean_has_no_scatter_no_percentiles_and_no_interval(tmp_path: Path) -> None:
    row = first(imported(tmp_path, 1.0))
    assert row.latency_ns is not None
    assert (row.latency_ns.value, row.latency_ns.is_bounded) == (2000.0, False)
    assert "mean as OMB states it" in row.latency_ns.method
    assert (row.samples, row.launches, row.within_launch_percent) == (0, 1, None)
    assert (row.percentiles_latency_ns, row.minimum_latency_ns, row.tails_latency_ns) == (
        {},
        None,
        {},
    )
    [flag] = row.flags
    assert flag == (
        "mean as OMB states it: the scatter of its samples is not known, nor of how many"
        " operations it is"
    )


def test_several_outputs_are_launches_with_an_interval_over_them(tmp_path: Path) -> None:
    row = first(imported(tmp_path, 1.0, 1.02, 0.98, 1.01, 0.99))
    assert row.latency_ns is not None
    assert (row.latency_ns.value, row.latency_ns.launches) == (2000.0, 5)
    assert row.latency_ns.low < 1960 < 2040 < row.latency_ns.high


def test_like_means_are_known_no_better_than_their_last_digit(tmp_path: Path) -> None:
    row = first(imported(tmp_path, *[1.0] * 6))
    assert row.latency_ns is not None
    # 2.00 us is anything from 1.995 to 2.005.
    assert row.latency_ns.low == pytest.approx(1995, rel=1e-6)
    assert row.latency_ns.high == pytest.approx(2005, rel=1e-4)


def test_a_second_time_in_one_file_is_another_launch(tmp_path: Path) -> None:
    path = tmp_path / "twice.txt"
    path.write_text(2 * output(tmp_path / "once.txt").read_text())
    run = weft.load(import_outputs([path], Given(), tmp_path / "r.jsonl"))
    assert {row.launches for row in summarise(run)} == {2}


def test_percentiles_that_an_output_states_are_kept(tmp_path: Path) -> None:
    path = OUTPUTS / "omb_latency_z.txt"
    run = weft.load(import_outputs([path], Given(), tmp_path / "z.jsonl"))
    assert first(run).percentiles_latency_ns == {"50": 500.0, "99": 1000.0}


def test_outputs_of_unlike_programs_are_no_one_record(tmp_path: Path) -> None:
    imb = tmp_path / "imb.txt"
    imb.write_text(
        "#    Intel(R) MPI Benchmarks 2021.3, MPI-1 part\n# Benchmarking PingPong\n"
        "# #processes = 2\n       #bytes #repetitions      t[usec]   Mbytes/sec\n"
        "            8         1000         1.00         8.00\n"
    )
    with pytest.raises(WeftError, match=r"osu.txt is of OMB and .*imb.txt is of IMB"):
        import_outputs([output(tmp_path / "osu.txt"), imb], Given(), tmp_path / "r.jsonl")
    assert not (tmp_path / "r.jsonl").exists()


def test_a_record_that_is_there_is_never_replaced(tmp_path: Path) -> None:
    record = imported(tmp_path, 1.0).path
    before = record.read_bytes()
    with pytest.raises(WeftError, match="exists"):
        imported(tmp_path, 1.1)
    assert record.read_bytes() == before


def test_weft_does_not_go_on_with_what_it_did_not_measure(tmp_path: Path) -> None:
    record = imported(tmp_path, 1.0).path
    for option in ("--resume", "--again"):
        with pytest.raises(WeftError, match="weft cannot measure it again") as refused:
            typed("run", option, record)
        command = shlex.split(refused.value.fix.partition(" with ")[2])
        assert command[:2] == ["weft", "import"]
        assert command[-2:] == [str(tmp_path / "0.txt"), "another-run.txt"]


def test_what_is_advised_for_more_launches_is_typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    record = imported(tmp_path, 1.0).path
    said = " ".join(typed("compare", record, import_again(tmp_path)).split())
    assert "no interval" in said
    start = said.index("weft import")
    words = shlex.split(said[start : said.index("another-run.txt") + len("another-run.txt")])
    output(tmp_path / "another-run.txt", 1.01)
    typed(*words[1:], "-o", "more.jsonl")
    assert {row.launches for row in summarise(weft.load("more.jsonl"))} == {2}


def test_what_is_advised_is_said_once_of_records_from_one_file(tmp_path: Path) -> None:
    path = output(tmp_path / "osu.txt")
    records = [import_outputs([path], Given(), tmp_path / f"{name}.jsonl") for name in "ab"]
    said = " ".join(typed("compare", *records).split())
    assert said.count(f"weft import {path} another-run.txt") == 1


def import_again(folder: Path) -> Path:
    return import_outputs([output(folder / "b.txt", 1.1)], Given(), folder / "b.jsonl")


def test_wefts_own_record_is_compared_with_one_that_was_imported(tmp_path: Path) -> None:
    own = synthetic_record(tmp_path / "own.jsonl", make_cases())
    record = imported(tmp_path, 1.0, 1.01, 0.99).path
    said = " ".join(typed("compare", own, record).split())
    assert "each launch is one figure as OMB states it, a mean as a rule" in said
    assert "ping_pong over mpi" in said


@pytest.mark.parametrize(
    "words", [["show"], ["show", "--json"], ["fit"], ["signature"], ["export", "--markdown", "-"]]
)
def test_every_command_takes_it(tmp_path: Path, words: list[str]) -> None:
    record = imported(tmp_path, 1.0).path
    said = typed(words[0], record, *words[1:])
    assert "internal" not in said
    assert len(said) > 100


def test_the_command_shows_the_figures_and_where_the_record_is(tmp_path: Path) -> None:
    path = output(tmp_path / "osu.txt")
    said = typed("import", path, "-o", tmp_path / "r.jsonl.zst")
    assert "2.00 µs, 1 launch" in said
    assert (tmp_path / "r.jsonl.zst").is_file()
    assert f"Imported: {len(ROWS)} cases as OMB 7.4 states them" in " ".join(said.split())


def test_one_case_is_spoken_of_as_one(tmp_path: Path) -> None:
    said = " ".join(
        typed("import", OUTPUTS / "omb_barrier.txt", "-o", tmp_path / "r.jsonl").split()
    )
    assert "Imported: 1 case as OMB 7.4 states it, started by" in said
    assert "; weft measured nothing of it." in said


def test_what_was_left_out_is_said_at_once(tmp_path: Path) -> None:
    said = typed("import", OUTPUTS / "perftest_send_lat_u.txt", "-o", tmp_path / "r.jsonl")
    assert "perftest_send_lat_u.txt:23: 9 single times not read" in " ".join(said.split())


@pytest.mark.parametrize(
    ("names", "given", "why"),
    [
        (("osu_latency.txt",), Given(ranks=64), "states 2 ranks, and --ranks says 64 ranks"),
        (("osu_latency.txt",), Given(ranks=2), "--ranks has no effect: .* states 2 ranks itself"),
        (("osu_latency.txt",), Given(bytes=8), "--bytes has no effect: .* states .* sizes from"),
        (("osu_latency.txt",), Given(bytes=7), "states .* sizes from .*, and --bytes says 7 B"),
        (("iperf3.txt",), Given(bytes=131072, transport="udp"), "is of tcp, and --transport says"),
        (("iperf3.txt",), Given(bytes=131072, ranks=3), "states 2 ranks, and --ranks says 3"),
    ],
)
def test_a_value_that_an_output_states_itself_is_refused(
    tmp_path: Path, names: tuple[str, ...], given: Given, why: str
) -> None:
    output(tmp_path / "osu_latency.txt")
    own = [tmp_path / name if (tmp_path / name).exists() else OUTPUTS / name for name in names]
    with pytest.raises(WeftError, match=why):
        import_outputs(own, given, tmp_path / "r.jsonl")
    assert not (tmp_path / "r.jsonl").exists()


def test_a_value_that_an_output_lacks_is_taken(tmp_path: Path) -> None:
    given = Given(bytes=64, transport="eth0")
    run = weft.load(import_outputs([OUTPUTS / "sockperf_pp.txt"], given, tmp_path / "r.jsonl"))
    assert {(case.bytes, case.transport) for case in run.cases.values()} == {(64, "eth0")}


def test_a_folder_stands_for_its_files_by_name(tmp_path: Path) -> None:
    folder = tmp_path / "nights"
    folder.mkdir()
    for name, factor in (("b.txt", 1.1), ("a.txt", 1.0), (".hidden", 9.0)):
        output(folder / name, factor)
    run = weft.load(import_outputs([folder], Given(), tmp_path / "r.jsonl"))
    assert run.header.imported is not None
    assert run.header.imported.files == (str(folder / "a.txt"), str(folder / "b.txt"))
    row = first(run)
    assert row.latency_ns is not None
    assert (row.launches, row.latency_ns.value) == (2, 2100.0)
    (tmp_path / "empty").mkdir()
    with pytest.raises(WeftError, match="empty has no files"):
        import_outputs([tmp_path / "empty"], Given(), tmp_path / "s.jsonl")


@pytest.mark.parametrize("again", ["osu.txt", "../{}/osu.txt", "linked.txt", "."])
def test_a_file_that_is_named_twice_is_not_two_launches(tmp_path: Path, again: str) -> None:
    """Two launches that are one have an interval of no width."""
    path = output(tmp_path / "osu.txt")
    (tmp_path / "linked.txt").symlink_to(path)
    with pytest.raises(WeftError, match="is named twice") as refused:
        import_outputs(
            [path, tmp_path / again.format(tmp_path.name)], Given(), tmp_path / "r.jsonl"
        )
    assert refused.value.fix == "omit one: a file is one launch"


def test_a_copy_of_an_output_is_said_to_be_one(tmp_path: Path) -> None:
    factors = {"a": 1, "b": 2, "c": 1}
    paths = [output(tmp_path / f"{name}.txt", factor) for name, factor in factors.items()]
    run = weft.load(import_outputs(paths, Given(), tmp_path / "r.jsonl"))
    assert run.header.notes[0] == (
        f"{paths[2]} says the same as {paths[0]}, byte for byte: a copy is no launch of its own"
    )


def test_many_copies_of_an_output_have_one_line(tmp_path: Path) -> None:
    paths = [output(tmp_path / f"{name}.txt") for name in "abcdefg"]
    run = weft.load(import_outputs(paths, Given(), tmp_path / "r.jsonl"))
    few = ", ".join(str(tmp_path / f"{name}.txt") for name in "bcde")
    assert run.header.notes[0] == (
        f"{few} and 2 more say the same as {paths[0]}, byte for byte:"
        " a copy is no launch of its own"
    )


def test_what_is_piped_in_is_read_once_and_needs_a_name(tmp_path: Path) -> None:
    text = (OUTPUTS / "sockperf_pp.txt").read_text()
    words = ["import", "-", "--bytes", "64", "--transport", "eth0"]
    refused = CliRunner().invoke(app, words, input=text)
    assert isinstance(refused.exception, WeftError)
    assert refused.exception.fix == "use -o with the record's"
    done = CliRunner().invoke(app, [*words, "-o", str(tmp_path / "r.jsonl")], input=text)
    assert done.exit_code == 0
    run = weft.load(tmp_path / "r.jsonl")
    assert [case.key for case in run.cases.values()] == ["eth0/ping_pong/64"]
    assert next_session_of(run).command(5) == "weft import another-run.txt"


def test_a_record_of_several_outputs_began_with_the_oldest(tmp_path: Path) -> None:
    outputs = [output(tmp_path / f"{at}.txt", 1 + at / 100) for at in range(3)]
    for path, day in zip(outputs, (5, 2, 9), strict=True):
        when = datetime(2026, 3, day, 12, tzinfo=UTC).timestamp()
        os.utime(path, (when, when))
    run = weft.load(import_outputs(outputs, Given(), tmp_path / "osu.jsonl"))
    assert run.header.created_utc.startswith("2026-03-02T12:00:00")
