"""The map of a record whose answer is known."""

import json
from functools import partial
from pathlib import Path

import msgspec
import numpy as np
import pytest

import weft
from support.builders import PATTERNS, write_lines
from support.maps import HOSTS, map_record
from support.shown import tables_of
from support.typed import request_of_map
from weft.analysis.diagnosis.causes import Cause
from weft.analysis.diagnosis.diagnose import SlowPair
from weft.analysis.diagnosis.matrix import PairMatrix
from weft.analysis.diagnosis.measured import measured_maps
from weft.analysis.summary import summarise
from weft.errors import WeftError
from weft.fabric.known import LEVEL_OF_HOST, Group, KnownFabric, host_of, on_endpoints
from weft.measure.lines import case_line
from weft.measure.stopping import Amount
from weft.plan.cases import Variants, cases_of, make_cases
from weft.plan.command import map_in_rounds
from weft.plan.rounds import usual_rounds
from weft.report.page import render_page
from weft.report.picture import page_of
from weft.sources.topologies import topology_of
from weft.tables import Table
from weft.topics import results_of
from weft.topics.exchange import exchanges_of
from weft.topics.frames import table_of
from weft.topics.map_charts import distribution_of, matrix_charts
from weft.topics.pair_map import PairMap, maps_of, sentences

RANKS = 7


def record_of(path: Path, slow: int, rounds: int = 0, gone: tuple[str, ...] = ()) -> weft.Run:
    """Seven hosts, n1 to n7; the way from the slow rank takes twice as long."""
    factors = {HOSTS[slow]: 2.0} if slow < RANKS else {}
    return map_record(path / "m.jsonl", factors, rounds, gone=gone)


def test_the_rank_that_sends_slowly_is_named(tmp_path: Path) -> None:
    (row,) = maps_of(record_of(tmp_path, 4), None)
    [finding] = row.findings
    assert [one.kind for one in finding.causes] == ["send"]
    assert finding.slower == pytest.approx(1.0, abs=0.03)
    assert (row.endpoints, row.launches, row.rounds) == (RANKS, 5, usual_rounds(RANKS))
    assert row.usual_ns == pytest.approx(1009, rel=0.01)
    low, high = finding.slower_low, finding.slower_high
    worst = [f"{one.source} to {one.target} {one.slower:+.0%}" for one in finding.evidence]
    assert {one.source for one in finding.evidence} == {"n5"}
    assert finding.confidence > 0.99
    first, _, pairs = sentences(row)[0].partition("; ")
    assert pairs.startswith("n5 to ")
    assert PairMap().headline((row,)) == first
    assert sentences(row) == [
        (
            f"tcp 8 B, {RANKS} endpoints: n5 when it sends is slow:"
            f" {100 * finding.slower:.0f} % [{100 * low:.0f}, {100 * high:.0f}] slower over"
            f" {finding.pairs} ways, confidence over 99%; {', '.join(worst[:3])}"
        )
    ]


def test_rank_0_has_no_time_where_it_stands_by(tmp_path: Path) -> None:
    """Its samples are there in any round, for they are the batch's own."""
    (row,) = maps_of(record_of(tmp_path, 9), None)
    assert row.findings == ()
    assert "no slow node found" in sentences(row)[0]


@pytest.mark.parametrize(
    ("slower", "said"), [(1.2, "no slow node found"), (1.6, "no cause is sure")]
)
def test_a_way_far_beyond_the_scatter_is_not_called_well(
    tmp_path: Path, slower: float, said: str
) -> None:
    """Four scatters of a quarter are 144 %: beyond that something is slow, sure or not."""
    (row,) = maps_of(record_of(tmp_path, 9), None)
    worst = (SlowPair(source="n3", target="n1", slower=slower), *row.worst)
    line, _ = sentences(msgspec.structs.replace(row, worst=worst, scatter=0.25))
    assert said in line
    assert ("n3 to n1 takes +160%" in line) == (said != "no slow node found")
    assert ("weft run --again" in line) == (said != "no slow node found")


def test_what_is_too_little_to_be_named_is_not_called_far_beyond_the_scatter(
    tmp_path: Path,
) -> None:
    """Simulated ways scatter by nothing, and 1 % is many times that."""
    (row,) = maps_of(record_of(tmp_path, 9), None)
    for slower, said in ((0.015, "no slow node found"), (0.025, "no cause is sure")):
        worst = (SlowPair(source="n3", target="n1", slower=slower),)
        line, _ = sentences(msgspec.structs.replace(row, worst=worst, scatter=0.0))
        assert said in line


def test_ranks_of_a_host_are_a_group(tmp_path: Path) -> None:
    two = tuple(f"n{rank // 4}" for rank in range(RANKS))
    run = map_record(tmp_path / "m.jsonl", {}, hosts=two)
    (row,) = maps_of(run, None)
    assert row.groups == 2
    # Nearer than the leaf that holds both.
    leaf = KnownFabric(groups=(Group(name="leaf a", members=frozenset(two)),))
    (measured,) = measured_maps(run, partial(on_endpoints, leaf))
    levels = {group.name: group.level for group in measured.fabric.groups}
    assert levels == {"leaf a": 1, "host n0": LEVEL_OF_HOST, "host n1": LEVEL_OF_HOST}


def test_each_rail_of_a_host_is_an_endpoint_with_its_device_s_name(tmp_path: Path) -> None:
    """The ranks of a host take the devices in turn; who sends slowly is one port of two."""
    hosts = tuple(f"n{rank // 2}" for rank in range(12))
    run = map_record(tmp_path / "m.jsonl", {"rank 5": 2.0}, hosts=hosts, devices="mlx5_0,mlx5_1")
    (row,) = maps_of(run, None)
    assert row.matrix is not None
    assert set(row.matrix.names) == {f"n{node}/mlx5_{port}" for node in range(6) for port in (0, 1)}
    [finding] = row.findings
    assert finding.causes == (Cause("send", "n2/mlx5_1"),)
    # Six hosts and two rails.
    assert row.groups == 8


def test_a_slow_rail_is_distinguished_from_its_hosts(tmp_path: Path) -> None:
    hosts = tuple(f"n{rank // 2}" for rank in range(12))
    slow = {f"rank {rank}": 1.5 for rank in range(1, 12, 2)}
    run = map_record(tmp_path / "m.jsonl", slow, hosts=hosts, devices="mlx5_0,mlx5_1")
    (row,) = maps_of(run, None)
    assert any("mlx5_1" in one.name for one in row.findings[0].causes), row.findings[0]


@pytest.mark.parametrize(
    ("ranks_of_host", "names"),
    [(1, {"n0", "n1"}), (4, {"n0/mlx5_0/0", "n0/mlx5_1/3", "n1/mlx5_0/4", "n1/mlx5_1/7"})],
)
def test_ranks_that_share_a_rail_have_their_number_too(
    tmp_path: Path, ranks_of_host: int, names: set[str]
) -> None:
    hosts = tuple(f"n{rank // ranks_of_host}" for rank in range(8))
    run = map_record(tmp_path / "m.jsonl", {}, hosts=hosts, devices="mlx5_0,mlx5_1")
    (row,) = maps_of(run, None)
    assert row.matrix is not None
    assert names <= set(row.matrix.names)
    assert {host_of(name) for name in row.matrix.names} == set(hosts)


def test_ranks_that_share_a_core_are_no_group(tmp_path: Path) -> None:
    """Groups are guessed from times; the ranks of one core wait for each other, and no switch is
    between them and the others."""
    run = map_record(tmp_path / "m.jsonl", {}, near=(0, 1, 2))
    (row,) = maps_of(run, None)
    assert (row.groups, row.is_guessed) == (2, True)
    launches = [
        msgspec.structs.replace(
            one,
            ranks=tuple(msgspec.structs.replace(rank, host="n1", cpu=0) for rank in one.ranks),
        )
        for one in run.lines.launches
    ]
    lines = run.lines
    write_lines(tmp_path / "c.jsonl", [lines.header, *launches, *lines.batches, *lines.ends])
    (crowded,) = maps_of(weft.load(tmp_path / "c.jsonl"), None)
    assert (crowded.groups, crowded.is_guessed) == (1, False)


def test_a_host_below_no_switch_is_named(tmp_path: Path) -> None:
    run = record_of(tmp_path, 4)
    fabric = KnownFabric(groups=(Group(name="leaf a", members=frozenset({"elsewhere"})),))
    with pytest.raises(WeftError, match=r"n1, n2, n3, n4, n5, n6, n7 are below no switch"):
        maps_of(run, partial(on_endpoints, fabric))


def test_the_tables_are_the_map_s_and_no_other_topic_has_it(tmp_path: Path) -> None:
    run = record_of(tmp_path, 4)
    assert exchanges_of(run) == ()
    (table,) = tables_of(run, summarise(run), "map")
    assert table.head == ("from", "to", "slower")
    assert len(table.rows) == len(set(table.rows))
    assert all(row[0] == "n5" for row in table.rows[: RANKS - 1])


def test_rows_are_plain_data(tmp_path: Path) -> None:
    rows = maps_of(record_of(tmp_path, 4), None)
    [plain] = json.loads(json.dumps(PairMap().plain(rows)))
    assert "matrix" not in plain
    assert plain["findings"][0]["causes"][0]["kind"] == "send"


def test_fewer_rounds_than_all_say_what_would_tell(tmp_path: Path) -> None:
    (row,) = maps_of(record_of(tmp_path, 4), None)
    finding = msgspec.structs.replace(row.findings[0], also=(Cause("node", "x"),))
    few = msgspec.structs.replace(row, findings=(finding,), rounds=3)
    assert f"to tell them apart: {row.with_all_rounds}" in sentences(few)[0]
    all_ = msgspec.structs.replace(row, findings=(finding,))
    assert f"to tell them apart: {row.with_more_launches}" in sentences(all_)[0]
    assert "--launches 10" in row.with_more_launches


def test_the_advised_map_is_that_of_the_record_with_more_rounds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = record_of(tmp_path, 4, rounds=3)
    (row,) = maps_of(run, None)
    asked = request_of_map(row.with_all_rounds, monkeypatch)
    plan = run.header.plan
    [experiment] = asked.experiments
    assert experiment.variants.points == tuple(range(usual_rounds(RANKS)))
    assert (experiment.sizes, experiment.ranks) == ("8", RANKS)
    assert (asked.transports, asked.launches, asked.seed) == (("tcp",), plan.launches, plan.seed)
    assert (asked.launcher, asked.mpi, asked.allocation) == (
        plan.launcher, plan.mpi, plan.allocation,
    )  # fmt: skip
    assert asked.budget_s >= (usual_rounds(RANKS) - 3) / 3 * 59 + plan.budget_s


def test_pairs_in_turn_are_cases_of_their_own_and_stay_so_in_advice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = request_of_map("weft map --ranks 7 --at-once 2 --transport tcp", monkeypatch)
    [pattern] = [one for one in PATTERNS if one.name == "pair_rounds"]
    known = {"pair_rounds": pattern}
    cases = cases_of(asked.experiments, ("tcp",), known)
    assert {case.at_once for case in cases} == {2}
    assert "2at_once" in cases[0].key
    line = case_line(cases[0], 1, Amount(samples=1, warmup=0, ops_per_sample=1), 7, verify=True)
    assert line["at_once"] == 2
    # A test without pairs has no turns.
    [other] = [one for one in PATTERNS if one.name == "ping_pong"]
    ping = make_cases(
        ("ping_pong",), ("tcp",), "8", variants=Variants(at_once=2), patterns={"ping_pong": other}
    )
    assert {case.at_once for case in ping} == {0}
    run = record_of(tmp_path, 4, rounds=3)
    again = map_in_rounds(cases[0], run.header.plan, len(HOSTS), 0)
    assert "--at-once 2" in again
    assert request_of_map(again, monkeypatch).experiments[0].variants.at_once == 2


def test_a_host_that_died_is_dead_and_not_slow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rank 4, on n5, was slow before it died: that says nothing."""
    (slow,) = maps_of(record_of(tmp_path, 4), None)
    assert [cause.name for found in slow.findings for cause in found.causes] == ["n5"]
    (row,) = maps_of(record_of(tmp_path / "d", 4, gone=("n5",)), None)
    assert (row.findings, row.dead) == ((), ("n5",))
    dead, others, _ = sentences(row)
    assert "n5 did not answer: dead, not slow; map the others: weft map " in dead
    asked = request_of_map(row.with_the_others, monkeypatch)
    assert asked.allocation.hosts == (*HOSTS[:4], *HOSTS[5:])
    assert asked.experiments[0].ranks == RANKS - 1
    assert "no other slow node found" in others


# Of every pair once, and of some pairs: no further round tells a leaf from its only host.
@pytest.mark.parametrize("rounds", [0, RANKS, 5])
def test_a_leaf_of_one_measured_host_is_told_from_it_by_a_map_with_its_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rounds: int
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.conf").write_text("SwitchName=a Nodes=n5,n8,n9,n10\nSwitchName=b Nodes=n[1-4,6-7,11]\n")
    (row,) = maps_of(record_of(tmp_path, 4, rounds), topology_of(["t.conf"]).on)
    [finding] = row.findings
    named = {cause.in_words for cause in finding.causes}
    assert {"n5 when it sends", "the way out of leaf a"} <= named
    [line] = [one for one in sentences(row) if "to tell them apart: weft map " in one]
    command = line.partition("to tell them apart: ")[2]
    asked = request_of_map(command, monkeypatch)
    assert asked.allocation.hosts == (*HOSTS, "n10", "n8")
    assert asked.experiments[0].ranks == RANKS + 2
    assert command.endswith("--topology t.conf")


@pytest.mark.parametrize("rounds", [0, RANKS])
def test_a_leaf_of_which_all_hosts_were_measured_is_told_by_no_map(
    tmp_path: Path, rounds: int
) -> None:
    groups = (
        Group(name="leaf a", members=frozenset({"n5"})),
        Group(name="leaf b", members=frozenset({*HOSTS, "n9"} - {"n5"})),
    )
    fabric = partial(on_endpoints, KnownFabric(groups=groups))
    (row,) = maps_of(record_of(tmp_path, 4, rounds), fabric)
    assert row.with_neighbours == ("",)
    assert "no measurement among these hosts tells them apart" in sentences(row)[0]


def test_a_map_says_what_it_would_have_named_and_how_many_ways_are_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (row,) = maps_of(record_of(tmp_path / "all", 9), None)
    line = sentences(row)[-1]
    assert ": would be named: a node slower by " in line
    assert "not measured" not in line
    (few,) = maps_of(record_of(tmp_path / "few", 9, rounds=4), None)
    # Three pairs in each of four rounds.
    assert few.ways == 24
    line = sentences(few)[-1]
    assert "; 18 of 42 ways were not measured, all are by weft map " in line
    command = line.partition("all are by ")[2]
    asked = request_of_map(command, monkeypatch)
    assert len(asked.experiments[0].variants.points) == usual_rounds(RANKS)
    # A finding of a whole map stands by itself.
    (slow,) = maps_of(record_of(tmp_path / "slow", 4), None)
    assert len(sentences(slow)) == 1
    (slow,) = maps_of(record_of(tmp_path / "some", 4, rounds=4), None)
    assert ": would be named too: " in sentences(slow)[-1]


@pytest.mark.parametrize("rounds", [1, 2])
def test_too_few_rounds_tell_nobody(tmp_path: Path, rounds: int) -> None:
    (row,) = maps_of(record_of(tmp_path, 9, rounds=rounds), None)
    verb = "does" if rounds == 1 else "do"
    said = sentences(row)[-1]
    assert f"{verb} not tell a slow one from its partners (n" in said
    assert said.endswith("); measure 3 or more")


@pytest.mark.usefixtures("undrawn")
def test_the_page_has_a_matrix_and_a_distribution_of_each_size_and_no_script(
    tmp_path: Path,
) -> None:
    run = record_of(tmp_path, 4)
    grid, pairs = PairMap().charts(maps_of(run, None))
    assert grid.matrix is not None
    at = {name: place for place, name in enumerate(grid.matrix.names)}
    assert grid.matrix.values[at["n5"], at["n1"]] == pytest.approx(100, abs=3)
    assert grid.matrix.values[at["n1"], at["n5"]] == pytest.approx(0, abs=3)
    assert grid.matrix.ends[1] == pytest.approx(100, abs=3)
    assert (grid.is_static, pairs.is_static) == (True, True)
    [track] = pairs.tracks
    assert (track.y[0], track.y[-1]) == (0, 100)
    page = render_page([results_of(run, summarise(run))])
    assert "const plots = {};" in page
    assert page.count('<div class="plot"') >= 2


def test_maps_of_two_records_are_on_one_scale(tmp_path: Path) -> None:
    slow, healthy = record_of(tmp_path / "a", 4), record_of(tmp_path / "b", 9)
    charts = PairMap().overlaid([("a", maps_of(slow, None)), ("b", maps_of(healthy, None))])
    grids = [chart.matrix for chart in charts if chart.matrix is not None]
    assert len(grids) == 2
    assert grids[0].ends == grids[1].ends
    assert len({chart.name for chart in charts}) == len(charts) == 3


def test_the_pairs_are_a_table(tmp_path: Path) -> None:
    run = record_of(tmp_path, 4)
    frame = table_of(run, "pairs")
    assert frame.height == RANKS * (RANKS - 1)
    [row] = frame.filter(source="n5", target="n1").to_dicts()
    assert row["time_ns"] == pytest.approx(2000, rel=0.03)
    assert row["slower"] == pytest.approx(1, abs=0.03)
    # Four tournaments and five launches.
    assert row["visits"] == usual_rounds(RANKS) // RANKS * 5


def test_the_pairs_have_their_bandwidth_without_what_the_answer_takes(tmp_path: Path) -> None:
    """A byte takes a nanosecond, a way of 8 B half of 1 us; n5 sends at half of that."""
    run = map_record(tmp_path / "m.jsonl", {"n5": 2.0}, sizes=(8, 1 << 20))
    frame = table_of(run, "pairs").filter(bytes=1 << 20)
    rates = {
        (row["source"], row["target"]): row["bandwidth_bytes_per_s"] for row in frame.to_dicts()
    }
    assert rates["n1", "n2"] == pytest.approx(1e9, rel=0.03)
    assert rates["n5", "n2"] == pytest.approx(0.5e9, rel=0.03)


def test_the_distribution_has_the_pairs_times_in_order() -> None:
    """Of nine pairs of three ranks, unlike ones, three of which were not measured."""
    times = np.array([[np.nan, 3e3, 9e3], [5e3, np.nan, 4e3], [8e3, 7e3, np.nan]])
    matrix = PairMatrix(
        names=("a", "b", "c"), time_ns=times, slower=times / 5e3 - 1,
        visits=np.ones((3, 3), dtype=int),
    )  # fmt: skip
    [track] = distribution_of([("", matrix)], "tcp", 0).tracks
    shares = [0, 100 / 6, 100 / 3, 50, 200 / 3, 500 / 6, 100]
    assert track.y == pytest.approx(shares)
    # Of six times the quantile at a share lies among five steps.
    wanted = np.interp(np.linspace(0, 5, 7), range(6), (3, 4, 5, 7, 8, 9))
    assert track.x == pytest.approx(wanted)


def test_a_map_of_many_is_a_small_page() -> None:
    count = 1024
    random = np.random.default_rng(1)
    slower = random.normal(0, 0.02, (count, count))
    slower[7] += 0.5
    names = tuple(f"n{number}" for number in range(count))
    matrix = PairMatrix(
        names=names, time_ns=1e5 * (1 + slower), slower=slower,
        visits=np.ones((count, count), dtype=int),
    )  # fmt: skip
    charts = [*matrix_charts([("", matrix)], "tcp", 0), distribution_of([("", matrix)], "tcp", 0)]
    page = page_of(charts, Table(name="map", caption="a map"))
    assert len(page) < 1e6


def test_ways_of_a_dead_host_are_not_counted_as_missing(tmp_path: Path) -> None:
    """Six of seven hosts answer: 30 directed pairs of them are all there are to measure."""
    (row,) = maps_of(record_of(tmp_path, 4, gone=("n5",)), None)
    whole = msgspec.structs.replace(row, ways=30)
    assert not [line for line in sentences(whole) if "not measured" in line]
    some = msgspec.structs.replace(row, ways=28)
    assert [line for line in sentences(some) if "2 of 30 ways were not measured" in line]
