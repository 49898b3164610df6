"""Whole runs over a scripted rank: whatever dies, the finished cases stay readable."""

from collections import Counter
from pathlib import Path

import pytest

from support.printed import result_of
from support.scripted import FEW_SAMPLES, run
from weft.record.reader import read


def test_a_quiet_run_is_precise_and_its_figures_are_the_scripts(
    machine: dict[str, str], tmp_path: Path
) -> None:
    done = run(machine, tmp_path, "--json")
    assert done.returncode == 0, done.stderr
    rows = result_of(done.stdout)
    assert [row["latency_ns"]["value"] for row in rows] == pytest.approx([1008.0, 1016.0])
    assert [row["launches"] for row in rows] == [2, 2]
    record = read(tmp_path / "r.jsonl")
    assert record.footer is not None
    assert record.footer.outcome == "precise"
    roles = [batch.role for batch in record.batches]
    assert roles.count("calibrate") >= 1


@pytest.mark.parametrize("launches", ["1", "3"])
def test_launches_that_are_typed_are_started_exactly(
    machine: dict[str, str], tmp_path: Path, launches: str
) -> None:
    """One launch has no interval, so it cannot be precise: the run ends all the same."""
    done = run(machine, tmp_path, "--launches", launches, "--transport", "fake,fake:other")
    assert done.returncode == 0, done.stderr
    record = read(tmp_path / "r.jsonl")
    started = Counter(launch.transport for launch in record.launches)
    assert started == {"fake": int(launches), "fake:other": int(launches)}
    assert record.header.plan.fixed_launches


def test_a_budget_that_ended_starts_nothing(machine: dict[str, str], tmp_path: Path) -> None:
    done = run(machine, tmp_path, "--budget", "1ms")
    assert done.returncode == 1
    record = read(tmp_path / "r.jsonl")
    assert (record.launches, record.batches) == ((), ())
    assert "nothing of the budget is left" in done.stderr
    assert "2 of 2 cases have no result" in done.stderr


def test_a_case_that_warms_up_is_measured_with_samples_long_enough_for_the_clock(
    machine: dict[str, str], tmp_path: Path
) -> None:
    done = run(machine, tmp_path, script="cold=1")
    assert done.returncode == 0, done.stderr
    record = read(tmp_path / "r.jsonl")
    measured = [batch for batch in record.batches if batch.role == "measure"]
    assert {batch.case for batch in measured} == {"fake/ping_pong/8", "fake/ping_pong/16"}
    least_ticks = 100 * record.launches[0].clock.overhead_ticks
    assert all(tick >= least_ticks for batch in measured for tick in batch.ticks)


def test_modes_and_options_reach_the_ranks_and_the_record(
    machine: dict[str, str], tmp_path: Path
) -> None:
    done = run(machine, tmp_path, "--transport", "fake,fake:other", "--option", "fake.depth=3")
    assert done.returncode == 0, done.stderr
    record = read(tmp_path / "r.jsonl")
    told = {launch.transport: launch.details["words"] for launch in record.launches}
    assert told == {"fake": "--option depth=3", "fake:other": "--mode other --option depth=3"}
    assert record.header.plan.options == {"fake.depth": "3"}


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--option", "fake.deep=3"), "no option fake.deep; did you mean fake.depth?"),
        (("--option", "depth"), "'depth' is not TRANSPORT.NAME=VALUE"),
        (("--transport", "fake:absent"), "fake:absent is not usable here: no device"),
        (("--transport", "fake:othr"), "did you mean fake:other?"),
    ],
)
def test_wrong_modes_and_options_are_one_line(
    machine: dict[str, str], tmp_path: Path, words: tuple[str, ...], told: str
) -> None:
    done = run(machine, tmp_path, *words)
    assert done.returncode == 2
    assert told in done.stderr


def test_wrong_bytes_fail_the_case_and_the_other_is_kept(
    machine: dict[str, str], tmp_path: Path
) -> None:
    done = run(machine, tmp_path, "--json", script="wrong_at=8")
    assert done.returncode == 1
    assert "wrong byte at offset 3 of 8" in done.stderr
    assert sorted(row["status"] for row in result_of(done.stdout)) == ["failed", "ok"]


def test_a_case_that_the_engine_cannot_read_says_why(
    machine: dict[str, str], tmp_path: Path
) -> None:
    done = run(machine, tmp_path, "--json", script="unread=1")
    reasons = [row["reason"] for row in result_of(done.stdout) if row["status"] != "ok"]
    assert any("a case must be one JSON object on a line" in reason for reason in reasons)


@pytest.mark.parametrize("script", ["hang=1", "die=1", "garbage=1"])
def test_a_rank_that_hangs_or_dies_costs_its_case_only(
    machine: dict[str, str], tmp_path: Path, script: str
) -> None:
    done = run(machine, tmp_path, "--json", "--samples", FEW_SAMPLES, script=script)
    assert done.returncode == 1, done.stderr
    rows = result_of(done.stdout)
    assert {row["status"] for row in rows} <= {"ok", "failed", "timeout"}
    assert any(row["status"] != "ok" and row["reason"] for row in rows)
    assert read(tmp_path / "r.jsonl").footer is not None
    assert "Traceback" not in done.stderr


def test_a_transport_that_never_starts_is_given_up(machine: dict[str, str], tmp_path: Path) -> None:
    done = run(machine, tmp_path, "--json", script="die=start")
    assert done.returncode == 1
    rows = result_of(done.stdout)
    assert {row["status"] for row in rows} == {"not_tried"}
    assert all("told to die" in row["reason"] for row in rows)
    assert "told to die" in done.stderr
    record = read(tmp_path / "r.jsonl")
    assert len(record.ends) == 2
    assert not record.batches


def test_ranks_that_die_with_every_case_are_given_up(
    machine: dict[str, str], tmp_path: Path
) -> None:
    done = run(machine, tmp_path, "--json", "--sizes", "8..4KiB", script="die=hello")
    assert done.returncode == 1
    rows = result_of(done.stdout)
    assert Counter(row["status"] for row in rows) == {"failed": 3, "not_tried": 7}
    assert all("told to die" in row["reason"] for row in rows)


# Each case that hangs takes its timeout, beside what a busy machine takes. That is the deadline and
# five times what the samples may take, which would be seconds if they were not few.
HANGING = ("--json", "--sizes", "8..4KiB", "--budget", "300s", "--samples", FEW_SAMPLES)


def test_a_case_that_hangs_costs_itself_only(machine: dict[str, str], tmp_path: Path) -> None:
    done = run(machine, tmp_path, *HANGING, script="hang_at=1024")
    assert done.returncode == 1
    rows = {row["bytes"]: row for row in result_of(done.stdout)}
    assert rows[1024]["status"] == "timeout"
    assert "did not end in" in rows[1024]["reason"]
    others = [row for size, row in rows.items() if size != 1024]
    assert [(row["status"], row["launches"]) for row in others] == [("ok", 2)] * 9
    bad = [batch for batch in read(tmp_path / "r.jsonl").batches if batch.status != "ok"]
    assert {batch.case for batch in bad} == {rows[1024]["case"]}
    assert "weft: 1 of 10 cases has no result" in done.stderr


def test_after_several_different_cases_hung_the_larger_ones_are_not_tried(
    machine: dict[str, str], tmp_path: Path
) -> None:
    done = run(machine, tmp_path, *HANGING, script="hang_from=64")
    assert done.returncode == 1
    rows = result_of(done.stdout)
    status = {row["bytes"]: row["status"] for row in rows}
    assert {status[size] for size in (8, 16, 32)} == {"ok"}
    # The first one that hung was drawn; from then on they came smallest first.
    assert {status[size] for size in (64, 128, 256)} == {"timeout"}
    assert Counter(status.values())["not_tried"] >= 3
    assert {row["launches"] for row in rows if row["status"] == "ok"} == {2}
    tried = {batch.case for batch in read(tmp_path / "r.jsonl").batches}
    for row in rows:
        assert (row["status"] == "not_tried") is (row["case"] not in tried)
        if row["status"] == "not_tried":
            assert "given up: 3 different cases failed" in row["reason"]
            assert "--resume" in row["reason"]


def test_a_rank_killed_once_costs_one_try(machine: dict[str, str], tmp_path: Path) -> None:
    done = run(machine, tmp_path, "--json", script="die=1 times=1")
    assert done.returncode == 0, done.stderr
    rows = result_of(done.stdout)
    assert [(row["status"], row["launches"]) for row in rows] == [("ok", 2)] * 2
    assert sum("a launch gave nothing" in flag for row in rows for flag in row["flags"]) == 1
    bad = [batch for batch in read(tmp_path / "r.jsonl").batches if batch.status != "ok"]
    assert [(batch.status, batch.ended_launch) for batch in bad] == [("failed", True)]


def test_wrong_bytes_stay_though_the_next_try_went_well(
    machine: dict[str, str], tmp_path: Path
) -> None:
    done = run(machine, tmp_path, "--json", script="wrong=1 times=1")
    assert done.returncode == 1
    rows = result_of(done.stdout)
    assert sorted(row["status"] for row in rows) == ["failed", "ok"]
    assert {row["launches"] for row in rows} == {2}


def test_an_early_farewell_tells_what_the_starter_knows(
    machine: dict[str, str], tmp_path: Path
) -> None:
    done = run(machine, tmp_path, "--json", script="early=1")
    assert done.returncode == 1
    reasons = [row["reason"] for row in result_of(done.stdout) if row["status"] != "ok"]
    assert reasons
    assert all("lost its peer" in reason for reason in reasons)


def test_a_clock_that_stands_fails_its_case_and_no_other(
    machine: dict[str, str], tmp_path: Path
) -> None:
    done = run(machine, tmp_path, "--json", script="still=1")
    assert done.returncode == 1, done.stderr
    rows = result_of(done.stdout)
    assert sorted(row["status"] for row in rows) == ["failed", "ok"]
    assert "the clock did not move" in done.stderr
    assert "--sizes" in done.stderr.splitlines()[-1]


def test_dying_at_the_end_keeps_all_figures(machine: dict[str, str], tmp_path: Path) -> None:
    done = run(machine, tmp_path, "--json", script="die=finish")
    assert [row["launches"] for row in result_of(done.stdout)] == [2, 2]


def test_an_unsupported_test_is_a_row_with_its_reason(
    machine: dict[str, str], tmp_path: Path
) -> None:
    done = run(machine, tmp_path, "put-ping-pong", "--json")
    rows = {(row["test"], row["status"]) for row in result_of(done.stdout)}
    assert ("put_ping_pong", "unsupported") in rows
    assert done.returncode == 0


def test_a_quiet_run_names_its_files_and_nothing_else(
    machine: dict[str, str], tmp_path: Path
) -> None:
    done = run(machine, tmp_path, "--quiet")
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    lines = [line for line in done.stderr.splitlines() if not line.startswith("weft: ")]
    assert [line.split(":")[0] for line in lines] in (["record"], ["report", "record"])


def test_a_run_that_measured_nothing_does_not_end_as_if_it_had(
    machine: dict[str, str], tmp_path: Path
) -> None:
    done = run(machine, tmp_path, script="lacks_from=0")
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert last.startswith("weft: nothing was measured, the first case is fake/ping_pong/")
    assert "unsupported" not in last


def test_what_cannot_be_measured_at_all_is_refused_before_there_is_a_record(
    machine: dict[str, str], tmp_path: Path
) -> None:
    done = run(machine, tmp_path, test="put-ping-pong")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[-1] == (
        "weft: put_ping_pong: the transport has no one-sided operations; use another test"
    )
    assert not list(tmp_path.glob("*.jsonl*"))


def test_the_rendezvous_sweep_takes_ten_samples_of_each_size_in_five_launches(
    machine: dict[str, str], tmp_path: Path
) -> None:
    done = run(machine, tmp_path, "--launches", "5", test="rendezvous-sweep")
    assert done.returncode == 0, done.stderr
    assert "has its 2 samples in each launch" in " ".join(done.stdout.split())
    record = read(tmp_path / "r.jsonl")
    measured = [batch for batch in record.batches if batch.role == "measure"]
    assert [len(batch.ticks) - batch.warmup for batch in measured] == [2] * 10
    assert {batch.ops_per_sample for batch in measured} == {1}
    assert record.footer is not None
    assert record.footer.outcome == "precise"
