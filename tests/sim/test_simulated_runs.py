"""What is known of a platform is what a simulated run measures there, to the last digit."""

import re
import subprocess
from pathlib import Path

import msgspec
import pytest

import weft
from support.running import left_behind
from support.simulations import KNOWN, by_size, platform, simulated
from weft.analysis.compare.comparison import compare
from weft.analysis.compare.pool import pool
from weft.analysis.summary import summarise
from weft.errors import WeftError
from weft.launch.launcher import Job
from weft.launch.programs import SIMULATOR, engine_folder
from weft.launch.protocol import LaunchError
from weft.launch.sim import SimLauncher
from weft.report.page import render_page
from weft.report.terminal import render_tables
from weft.session import resume
from weft.sim.protocols import NOTHING, Piece
from weft.sources.sides import load_sides
from weft.topics import results_of

pytestmark = pytest.mark.engine
# A tick is a picosecond, and a time is the difference of two moments.
EXACT = 1e-6
SIZES = (0, 8, 2047, 2048, 1048576)
UNSUPPORTED = {
    "put_latency": "the transport has no one-sided operations",
    "message_rate": "a model has no limit of messages per second beside the host's overhead",
    "offered_load": "a model messages share a link and do not queue for it",
    "send_overlap": "they would always overlap completely",
    "receive_overlap": "they would always overlap completely",
    "busy_stream": "they would always overlap completely",
    "registration": "a model registers no memory",
    "register_stream": "a model registers no memory",
    "bidirectional_stream": "messages of a window share the link and all arrive together",
    "bidirectional_window_stream": "messages of a window share the link and all arrive together",
    "copy": "a model has no memory whose speed counts",
}
RATE = KNOWN.bandwidth_bytes_per_s


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> weft.Run:
    """The usual tests on the platform that is known."""
    tests = ("ping_pong", "sendrecv", "ping_ping", "stream")
    others = ("host_overhead", "late_receive", "burst", *UNSUPPORTED)
    sizes = ",".join(map(str, SIZES))
    return simulated(tmp_path_factory.mktemp("known"), (*tests, *others), sizes, platform())


def test_a_ping_pong_takes_what_the_protocols_say(known: weft.Run) -> None:
    found = by_size(known, "ping_pong")
    for size in SIZES:
        latency = found[size].latency_ns
        assert latency is not None
        assert latency.value == pytest.approx(KNOWN.ping_pong_ns(size), rel=EXACT)


def test_an_exchange_shares_the_bus_of_a_node(known: weft.Run) -> None:
    found = by_size(known, "sendrecv")
    for size in SIZES:
        latency = found[size].latency_ns
        assert latency is not None
        assert latency.value == pytest.approx(KNOWN.sendrecv_ns(size), rel=EXACT)


def test_a_stream_reaches_the_link_or_what_its_sender_can_post(known: weft.Run) -> None:
    large = by_size(known, "stream")[1048576].bandwidth_bytes_per_s
    assert large is not None
    assert large.value == pytest.approx(RATE, rel=2e-3)
    small = by_size(known, "stream")[8].bandwidth_bytes_per_s
    # Only the sender's overhead holds small messages up.
    assert small is not None
    assert small.value == pytest.approx(8 / 900e-9, rel=0.02)


def test_overheads_are_those_of_the_platform(known: weft.Run) -> None:
    received = by_size(known, "late_receive")[8].latency_ns
    assert received is not None
    assert received.value == pytest.approx(500, rel=EXACT)
    [batch] = [b for b in known.measured if b.case == "sim/host_overhead/8"]
    assert known.time_ns(batch, "post_send") == pytest.approx(900, rel=EXACT)
    [burst] = [b for b in known.measured if b.case == "sim/burst/8"]
    gaps = (known.time_ns(burst) - known.time_ns(burst, "single")) / 7
    assert gaps == pytest.approx(900, rel=EXACT)


@pytest.mark.parametrize("test", ["hot_spot_receive", "hot_spot_send", "random_pairs"])
def test_a_hot_spot_has_one_link_and_pairs_have_their_own(tmp_path: Path, test: str) -> None:
    run = simulated(tmp_path, (test,), "1MiB", platform(), ranks=4)
    for row in summarise(run):
        links = 2 if test == "random_pairs" else 1
        assert row.bandwidth_bytes_per_s is not None
        assert row.bandwidth_bytes_per_s.value == pytest.approx(links * RATE, rel=0.01)


def test_what_no_model_shows_is_unsupported_and_says_why(known: weft.Run) -> None:
    for one in summarise(known):
        if one.test in UNSUPPORTED:
            assert (one.status, UNSUPPORTED[one.test] in one.reason) == ("unsupported", True), one
    # A receive that is posted before its message comes takes no time of the host.
    late = by_size(known, "late_receive")[1048576]
    assert (late.status, late.reason) == ("unsupported", "in this model it takes no time at all")


def test_a_long_latency_takes_no_bandwidth(tmp_path: Path) -> None:
    """SimGrid would give a window of 4 MiB for two latencies, as TCP does: 2.1 GB/s here."""
    slow = msgspec.structs.replace(
        KNOWN, transfer=(Piece(0, 1e6, 0.2),), blocking_send=NOTHING, receive=NOTHING
    )
    run = simulated(tmp_path, ("ping_pong",), "16MiB", platform(slow), samples=3)
    [one] = by_size(run, "ping_pong").values()
    assert one.latency_ns is not None
    assert one.latency_ns.value == pytest.approx(slow.ping_pong_ns(16 << 20), rel=1e-4)


def test_repeats_are_identical(tmp_path: Path, known: weft.Run) -> None:
    again = simulated(tmp_path, ("ping_pong",), "8,2KiB", platform(), launches=2)
    for case, one in again.cases.items():
        medians = {
            round(sorted(batch.ticks)[1], -1) for batch in again.measured if batch.case == case
        }
        assert len(medians) == 1, case
        [first] = [b for b in known.measured if b.case == case]
        assert sorted(first.ticks)[1] == pytest.approx(medians.pop(), abs=10), one


def test_every_head_says_that_it_was_simulated(known: weft.Run) -> None:
    results = results_of(known, summarise(known))
    page = render_page([results])
    label = "simulated on known (model)"
    assert f"<title>weft: {label}" in page
    assert "<li>2 ranks</li>" in page
    assert f"<h1>{label}" in page
    captions = re.findall(r"<caption>(.*?)</caption>", page, re.DOTALL)
    assert captions
    assert all(one.startswith(f"{label}: ") for one in captions), captions
    assert page.count(f"({label})") >= 2  # of the charts
    from weft.report.table import console

    screen = console()
    with screen.capture() as shown:
        screen.print(render_tables(results))
    assert label in shown.get()
    assert "repeats are identical" in shown.get()
    assert known.header.hosts == {}
    assert known.header.notes[0].startswith("simulated, not measured, on known")


def test_a_comparison_of_simulations_asks_for_no_more_launches(known: weft.Run) -> None:
    sides = load_sides([str(known.path), str(known.path)])
    notes = " ".join(compare(sides).notes)
    assert "a simulation repeats itself and has no interval" in notes
    assert "--launches" not in notes
    assert "session" not in notes


def test_other_platforms_and_measurements_are_never_pooled(
    tmp_path: Path, known: weft.Run, record: Path
) -> None:
    other = simulated(tmp_path, ("ping_pong",), "8", platform(nodes=4))
    for run in (other, weft.load(record)):
        with pytest.raises(WeftError, match=r"not measured alike \((simulated|.*platform file)"):
            pool([known, run])
    sides = load_sides([str(known.path), str(record)])
    assert sides[0].title == "r (simulated on known (model))"
    assert sides[0].conditions.facts["simulated"].startswith("known (calibrated, a model")


def test_a_run_is_resumed_on_the_platform_of_its_record(tmp_path: Path) -> None:
    run = simulated(tmp_path, ("ping_pong",), "8", platform())
    path, footer = resume(run.path, {}, begun_s=0.0, report=False)
    assert (path, footer) == (run.path, None)


def test_a_platform_with_too_few_nodes_is_refused(tmp_path: Path) -> None:
    with pytest.raises(WeftError, match="known has 8 nodes for 9 ranks; use --ranks 8"):
        simulated(tmp_path, ("ping_pong",), "8", platform(), ranks=9)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (' bw="', ' width="', "at line [0-9]+: .*attribute `width"),
        ('speed="1Gf"', 'speed="fast"', "cannot parse number:fast; correct its file, or write one"),
    ],
)
def test_a_file_that_the_simulator_cannot_read_is_refused(
    tmp_path: Path, old: str, new: str, said: str
) -> None:
    broken = msgspec.structs.replace(platform(), xml=platform().xml.replace(old, new))
    with pytest.raises(WeftError, match=f"SimGrid cannot simulate known: .*{said}"):
        simulated(tmp_path, ("ping_pong",), "8", broken)


def test_a_file_that_is_read_for_ever_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / SIMULATOR / "rank-sim"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\nexec tail -f /dev/null\n")
    program.chmod(0o755)
    monkeypatch.setattr("weft.launch.sim.engine_folder", lambda: tmp_path)
    monkeypatch.setattr("weft.launch.sim.READ_DEADLINE_S", 0.1)
    with pytest.raises(WeftError, match=r"did not read known in 0.1 s; use fewer --nodes"):
        SimLauncher(platform())


def test_no_process_is_left_of_a_launch_that_fails(tmp_path: Path) -> None:
    broken = platform().xml.replace("<config>", "<config")
    launcher = SimLauncher(platform())
    program = engine_folder() / SIMULATOR / "rank-sim"
    case = {"id": 1, "test": "ping_pong", "bytes": 8, "samples": 10**6}
    with launcher.start(Job(program=program, mpi="", ranks=2)) as up:
        up.hello()
        with pytest.raises(LaunchError):
            up.run(case, deadline_s=1.0)
    (tmp_path / "broken.xml").write_text(broken)
    done = subprocess.run(
        [program, "--platform", tmp_path / "broken.xml", "--ranks", "2"],
        input="", capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode != 0
    assert left_behind(program.parent) == []


@pytest.mark.parametrize(
    ("words", "reported"),
    [
        ((), "use --platform FILE --ranks N"),
        (("--platform", "/nowhere.xml", "--ranks", "2"), "cannot read /nowhere.xml"),
        (("--platform", "x", "--ranks", "0"), "use --platform FILE --ranks N"),
        (("--option", "nope=1"), "sim has no option nope"),
    ],
)
def test_the_program_says_what_it_needs(words: tuple[str, ...], reported: str) -> None:
    done = subprocess.run(
        [engine_folder() / SIMULATOR / "rank-sim", *words],
        input="", capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert reported in done.stderr


def test_no_rank_spent_the_simulators_time(known: weft.Run) -> None:
    assert known.measured
    assert {(one.timed_ns, one.cpu_ns) for one in known.lines.batches} == {(0, ())}
