"""The table of weft and its peers: verdicts, rounds, exit statuses, and peers that are missing."""

import itertools
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from support.builders import make_cases, synthetic_record

ROOT = Path(__file__).parents[2]
IMB = """
#---------------------------------------------------
# Benchmarking PingPong
       #bytes #repetitions      t[usec]   Mbytes/sec
            0         1000         0.41         0.00
            8         1000         0.57        14.07
        65536          640         6.25     10485.76
      1048576           40        96.50     10866.07
"""
STEADY = (1.0, 1.01, 0.99)
WILD = (1.0, 1.4, 0.6)


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(ROOT)
    from bench import peer_table

    return peer_table


@pytest.fixture
def whole(table: ModuleType) -> ModuleType:
    from bench import whole_programs

    assert table
    return whole_programs


def pair_of(
    whole: ModuleType, monkeypatch: pytest.MonkeyPatch, ratios: tuple[float, ...], **facts: str
) -> object:
    """A pair whose rounds have these ratios, again and again, at 8 B."""
    values = itertools.cycle(ratios)
    monkeypatch.setattr(whole.Pair, "ours", lambda _: {8: 100 * next(values)})
    usual = {"name": "a", "peer": "program", "kind": "latency", "statistic": "mean"}
    return whole.Pair(
        test="ping_pong", transport="tcp", theirs=lambda: {8: 100.0}, sizes=(8,),
        **{**usual, **facts},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "ratios", "verdict"),
    [
        ("latency", [1.06, 1.07, 1.08] * 4, "behind"),
        ("latency", [1.03, 1.04, 1.05] * 4, "level"),
        ("latency", [0.96, 0.97, 0.98] * 4, "ahead"),
        ("latency", [0.9, 1.0, 1.2] * 4, "inconclusive"),
        ("latency", [1.1, 1.5, 2.0] * 4, "behind"),
        ("latency", [1.5], "inconclusive"),
        ("bandwidth", [0.92, 0.93, 0.94] * 4, "behind"),
        ("bandwidth", [0.96, 0.97, 0.98] * 4, "level"),
        ("bandwidth", [1.02, 1.03, 1.04] * 4, "ahead"),
        ("bandwidth", [0.9, 1.0, 1.2] * 4, "inconclusive"),
        ("bandwidth", [0.5, 0.7, 0.9] * 4, "behind"),
    ],
)
def test_a_row_is_judged_by_its_interval(
    table: ModuleType, kind: str, ratios: list[float], verdict: str
) -> None:
    rounds = [(ratio * 3, 3.0) for ratio in ratios]
    row = table.Row(program="p", kind=kind, test="t", size=8, rounds=rounds)
    assert row.verdict.value == verdict


@pytest.mark.parametrize(
    ("verdicts", "status"),
    [
        ([], 0),
        (["level", "ahead"], 0),
        (["level", "inconclusive"], 3),
        (["inconclusive", "behind"], 1),
    ],
)
def test_the_exit_status_is_that_of_the_worst_row(
    table: ModuleType, verdicts: list[str], status: int
) -> None:
    ratios = {"level": STEADY, "ahead": (0.8,), "inconclusive": WILD, "behind": (1.3,)}
    rows = [
        table.Row(program="p", kind="latency", test="t", size=8,
                  rounds=[(ratio, 1.0) for ratio in ratios[verdict] * 9])
        for verdict in verdicts
    ]  # fmt: skip
    unlike = table.Row(
        program="p", kind="latency", test="t", size=8, remark="waits", rounds=[(9.0, 1.0)] * 9
    )
    missing = table.Row(program="p", kind="latency", test="t", size=8)
    assert table.status([*rows, unlike, missing]) == status


@pytest.mark.parametrize(
    ("ratios", "facts", "most", "rounds"),
    [
        (STEADY, {}, 30, 9),
        (WILD, {}, 30, 30),
        (WILD, {}, 12, 12),
        (STEADY, {}, 1, 1),
        (WILD, {"remark": "weft polls, the peer sleeps"}, 30, 9),
        (STEADY, {"missing": "install it"}, 30, 0),
    ],
)
def test_a_pair_has_rounds_until_its_interval_is_narrow(
    table: ModuleType, whole: ModuleType, monkeypatch: pytest.MonkeyPatch,
    ratios: tuple[float, ...], facts: dict[str, str], most: int, rounds: int,
) -> None:  # fmt: skip
    (found,) = table.measure([pair_of(whole, monkeypatch, ratios, **facts)], most)
    assert len(found.rows[0].rounds) == rounds


def test_the_side_that_begins_changes_with_each_round(
    table: ModuleType, whole: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    order: list[str] = []

    def side(name: str) -> Callable[..., dict[int, float]]:
        return lambda *_: order.append(name) or {8: 1.0}  # type: ignore[func-returns-value]

    pair = whole.Pair(
        name="a", peer="p", kind="latency", statistic="mean", test="t", transport="tcp",
        theirs=side("peer"), sizes=(8,),
    )  # fmt: skip
    monkeypatch.setattr(whole.Pair, "ours", side("weft"))
    table.measure([pair], 3)
    assert order == ["weft", "peer", "peer", "weft", "weft", "peer"]


def test_a_pair_that_only_fails_is_given_up_with_its_reason(
    table: ModuleType, whole: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []

    def fails() -> dict[int, float]:
        calls.append(1)
        raise RuntimeError("the program\nprinted nothing")

    pair = whole.Pair(
        name="a", peer="program", kind="latency", statistic="mean", test="ping_pong",
        transport="tcp", theirs=fails, sizes=(8,),
    )  # fmt: skip
    monkeypatch.setattr(whole.Pair, "ours", lambda _: {8: 1.0})
    assert table.main([pair], 1, with_vm=False)[0] == 3
    calls.clear()
    measured = table.measure([pair], 30)
    assert len(calls) == table.FAILED_ROUNDS
    assert "not compared: printed nothing" in table.table(measured, [])


def test_values_of_a_record_are_the_median_or_the_mean_of_its_samples(
    whole: ModuleType, tmp_path: Path
) -> None:
    latency, stream = (
        synthetic_record(
            tmp_path / f"{test}.jsonl",
            make_cases(tests=(test,), transports=("tcp",), sizes=(1000,)),
            # Warm-up is not among the times.
            times_ns=lambda _, __: [100.0, 100.0, 400.0],
        )
        for test in ("ping_pong", "stream")
    )
    assert whole.figures_of_record(latency, "latency", "median") == {1000: pytest.approx(50)}
    assert whole.figures_of_record(latency, "latency", "mean") == {1000: pytest.approx(100)}
    # 3,000 bytes in 600 ns, and not the mean of three bandwidths.
    assert whole.figures_of_record(stream, "bandwidth", "mean") == {1000: pytest.approx(5e9)}


def test_imb_writes_microseconds_third(whole: ModuleType) -> None:
    assert whole.parse_imb(IMB) == pytest.approx({8: 570, 65536: 6250, 1048576: 96500})
    with pytest.raises(RuntimeError, match="no value of some size"):
        whole.parse_imb(IMB.replace("1048576", "524288"))


def test_a_suite_has_a_pair_for_each_mpi_with_which_it_was_built(
    whole: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("a", "b"):
        program = tmp_path / folder / "osu_bw"
        program.parent.mkdir()
        program.touch()
        program.chmod(0o755)
    monkeypatch.setattr(
        "bench.peers.told_by", lambda words: "libmpich.so" if "/b/" in words[1] else "libmpi.so"
    )
    pairs = {one.name: one for one in whole.pairs(whole.Folders(omb=tmp_path))}
    of_mpich = pairs["mpi-bandwidth-osu_bw-mpich"]
    assert of_mpich.words == ("--buffers", "shared", "--mpi", "mpich")
    assert (of_mpich.peer, of_mpich.missing) == ("osu_bw (mpich)", "")
    assert "mpi-bandwidth-osu_bw-openmpi" in pairs
    assert "--omb FOLDER" in pairs["mpi-latency-osu_latency"].missing
    assert "--imb FOLDER" in pairs["mpi-latency-imb"].missing


def test_a_peer_that_is_missing_has_a_row_with_the_command_that_adds_it() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "bench", "peers", "mpi", "tcp-latency"],
        cwd=ROOT, env={"PATH": "/nowhere"}, capture_output=True, text=True, timeout=600,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    rows = [line.split(" | ") for line in done.stdout.splitlines() if "not compared" in line]
    how = {row[0].removeprefix("| "): row[-1].removesuffix(" |") for row in rows}
    assert how["osu_latency"].startswith("not compared: make bench ARGS='peers --omb FOLDER'")
    assert how["sockperf --nonblocked"] == (
        "not compared: scripts/install-system-packages bench"
    )  # fmt: skip
    assert how["ib_send_lat"] == "not compared: make bench ARGS='peers --vm'"
    assert "iperf3" not in how


def test_rows_that_do_not_exist_are_one_line() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "bench", "peers", "nothing"],
        cwd=ROOT, capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert "tcp-latency-sockperf" in done.stderr
