"""The end of a run: a row per size, verdict and files on one screen, whatever was measured."""

import io
import re
from pathlib import Path

import msgspec
import pytest
from rich.console import Console

import weft
from support.builders import (
    LAUNCH_EFFECTS,
    lost_batch,
    make_cases,
    synthetic_record,
    usual_time_ns,
    usual_times_ns,
)
from support.cells import shown_of, shows
from support.every_topic import record_of_every_topic
from weft.analysis.summary import summarise, to_json_rows
from weft.plan.case import Case
from weft.record.model import GivenUp
from weft.record.run import Run, load
from weft.report.ending import MOST_LINES, render_ending
from weft.report.front import verdict_of
from weft.report.terminal import _brief, render_brief
from weft.topics import TOPICS, results_of

FILES = 2
TRANSPORTS = ("mpi", "ofi", "tcp", "ucx", "verbs", "mpi:x", "tcp:turn")


def lines_of(run: Run, width: int = 100) -> list[str]:
    screen = Console(file=io.StringIO(), width=width, highlight=False)
    screen.print(*render_ending(results_of(run, summarise(run)), screen), sep="\n")
    assert isinstance(screen.file, io.StringIO)
    return screen.file.getvalue().splitlines()


def tables_of(lines: list[str]) -> dict[str, list[list[str]]]:
    """The rows of each test's table, its head first, by the test's name."""
    found: dict[str, list[list[str]]] = {}
    for line in lines:
        if named := re.fullmatch(r"\S.* \((\w+)\)", line):
            rows = found.setdefault(named[1], [])
        elif found and re.match(r" *(?:size |\d+ [KM]?i?B)", line):
            rows.append(re.split(r"  +", line.strip()))
    return found


@pytest.mark.parametrize("width", [80, 100])
@pytest.mark.parametrize("launches", [1, 3, 6])
def test_each_size_has_a_row_and_the_verdict_follows(
    tmp_path: Path, launches: int, width: int
) -> None:
    cases = make_cases(transports=("mpi", "tcp"))
    run = weft.load(synthetic_record(tmp_path / "r.jsonl", cases, launches=launches))
    lines = lines_of(run, width)
    assert len(lines) + FILES <= MOST_LINES
    for test, (head, *rows) in tables_of(lines).items():
        assert head == ["size", "mpi", "tcp"]
        assert len(rows) == len({case.bytes for case in cases if case.test == test})
    text = " ".join(lines)
    assert "ettled." in text
    assert "--verbose" in text


def unlike_ns(case: Case, launch: int) -> list[float]:
    """No two transports are as fast at any size."""
    place = TRANSPORTS.index(case.transport)
    own = case.bytes * (0.03 + 0.011 * place) + 700 + 190 * place
    return [own * time / usual_time_ns(case) for time in usual_times_ns(case, launch)]


def test_each_cell_is_the_result_of_its_size_and_transport(tmp_path: Path) -> None:
    fields = {"ping_pong": "latency_ns", "stream": "bandwidth_bytes_per_s"}
    sizes = {"8 B": 8, "1 KiB": 1024, "64 KiB": 65536, "1 MiB": 1 << 20}
    cases = make_cases(tuple(fields), TRANSPORTS[:3], tuple(sizes.values()))
    run = weft.load(synthetic_record(tmp_path / "r.jsonl", cases, times_ns=unlike_ns))
    known = {one["case"]: one for one in msgspec.to_builtins(to_json_rows(summarise(run)))}
    checked = 0
    for test, (head, *rows) in tables_of(lines_of(run)).items():
        wanted = {
            (transport, size): shown_of(
                fields[test], known[f"{transport}/{test}/{of}"][fields[test]]
            )
            for transport in head[1:]
            for size, of in sizes.items()
        }
        for size, *cells in rows:
            for transport, cell in zip(head[1:], cells, strict=True):
                right = [one for one, value in wanted.items() if shows(cell, value)]
                assert right == [(transport, size)]
                checked += 1
    assert checked == len(cases)


def test_tables_without_room_are_counted(tmp_path: Path) -> None:
    tests = ("ping_pong", "ping_ping", "stream", "bidirectional_stream", "sendrecv")
    cases = make_cases(tests, ("tcp",), tuple(2**power for power in range(12)))
    lines = lines_of(weft.load(synthetic_record(tmp_path / "r.jsonl", cases)))
    assert len(lines) + FILES <= MOST_LINES
    assert f"{len(tests) - len(tables_of(lines))} more tables in the report" in lines


@pytest.mark.parametrize("width", [50, 60, 70, 80, 90, 100, 120])
@pytest.mark.parametrize("transports", [1, 3, 4, 5, 7])
def test_no_screen_is_too_narrow_for_the_files(tmp_path: Path, transports: int, width: int) -> None:
    """What to do next stands there where it has room as it is broken into lines."""
    cases = make_cases(("ping_pong", "stream"), TRANSPORTS[:transports], (8, 1024, 65536))
    run = weft.load(synthetic_record(tmp_path / "r.jsonl", cases, launches=3))
    assert len(lines_of(run, width)) + FILES <= MOST_LINES


def test_a_reason_without_a_figure_is_named_first(tmp_path: Path) -> None:
    cases = make_cases(("ping_pong", "stream"), ("tcp",), (8, 1024))

    def times_ns(case: Case, launch: int) -> list[float]:
        return [] if case == cases[0] else [1000 * LAUNCH_EFFECTS[launch]] * 9

    lost = [lost_batch(cases[0], 0, 900, "failed", "byte 3 differs")]
    path = synthetic_record(tmp_path / "r.jsonl", cases, times_ns=times_ns, more=lost)
    lines = lines_of(weft.load(path))
    assert len(lines) + FILES <= MOST_LINES
    assert "failed: tcp/ping_pong/8: byte 3 differs" in lines


def test_a_host_that_is_gone_is_named_before_what_it_led_to(tmp_path: Path) -> None:
    cases = make_cases(("ping_pong",), ("tcp",), (8, 64, 512))
    gone = "n2 does not answer any more"
    lost = [
        lost_batch(cases[1], 0, 900, "failed", "the link failed in recv (code 104)"),
        lost_batch(cases[2], 0, 901, "failed", gone),
    ]

    def times_ns(case: Case, launch: int) -> list[float]:
        return [1000 * LAUNCH_EFFECTS[launch]] * 9 if case == cases[0] else []

    path = synthetic_record(tmp_path / "r.jsonl", cases, times_ns=times_ns, more=lost)
    run = weft.load(path)
    lost_group = GivenUp(transport="tcp", ranks=2, test="", reason=gone)
    assert run.footer is not None
    footer = msgspec.structs.replace(run.footer, given_up=(lost_group,), silent_hosts=("n2",))
    lines = lines_of(Run(path, msgspec.structs.replace(run.lines, footer=footer)))
    assert f"failed: tcp/ping_pong/512: {gone} (and 1 reason more)" in lines, lines
    whole = weft.load(synthetic_record(tmp_path / "w.jsonl", cases))
    lines = lines_of(Run(whole.path, msgspec.structs.replace(whole.lines, footer=footer)))
    assert gone in lines, lines


def test_a_record_of_every_topic_ends_as_shortly(tmp_path: Path) -> None:
    lines = lines_of(record_of_every_topic(tmp_path / "r.jsonl", "full"))
    assert len(lines) + FILES <= MOST_LINES


def test_tests_without_such_figures_show_their_own(tmp_path: Path) -> None:
    cases = make_cases(("ping_ping",), ("tcp",), (8, 1024))
    lines = lines_of(weft.load(synthetic_record(tmp_path / "r.jsonl", cases)))
    assert 3 < len(lines) <= MOST_LINES - FILES
    assert [line.split()[-4:] for line in lines[2:4]] == [
        ["B", "2.00", "µs", "±0.4%"], ["KiB", "2.10", "µs", "±0.4%"],
    ]  # fmt: skip


def test_what_was_measured_is_shown_though_other_tests_were_refused(tmp_path: Path) -> None:
    refused = make_cases(("ping_ping", "put_ping_pong"), ("tcp",), (8,))
    spots = tuple(
        Case(test="hot_spot_receive", transport="tcp", bytes=8, ranks=4, point=at) for at in (1, 3)
    )

    def times_ns(case: Case, launch: int) -> list[float]:
        return [1000 * LAUNCH_EFFECTS[launch]] * 9 if case in spots else []

    def parts_ns(case: Case, launch: int) -> dict[str, list[float]]:
        return {f"rank{peer}": times_ns(case, launch) for peer in range(1, 1 + (case.point or 0))}

    lost = [
        lost_batch(case, -1, 900 + at, "unsupported", "the transport cannot do it")
        for at, case in enumerate(refused)
    ]
    path = synthetic_record(
        tmp_path / "r.jsonl", (*refused, *spots), times_ns=times_ns, parts_ns=parts_ns, more=lost
    )
    lines = lines_of(weft.load(path))
    assert len(lines) + FILES <= MOST_LINES
    assert lines[0].startswith("Hot spots"), lines
    assert re.split(r"  +", lines[2])[:3] == ["tcp, 4 ranks receive", "8 B", "1"]
    assert not any("latency" in line for line in lines)
    assert any(line.startswith("unsupported: 2 cases") for line in lines)
    lines = lines_of(weft.load(path), 80)
    assert len(lines) + FILES <= MOST_LINES
    assert lines[0].startswith("Hot spots"), lines
    assert any(line.startswith("tcp, 4 ranks receive   8 B ") for line in lines)


def test_what_was_said_before_the_run_is_not_said_after_it(tmp_path: Path) -> None:
    run = load(synthetic_record(tmp_path / "r.jsonl"))
    noted = msgspec.structs.replace(
        run.header, notes=("warning: a fan hums: it is loud. Fix: oil",)
    )
    run = Run(run.path, msgspec.structs.replace(run.lines, header=noted))
    results = results_of(run, summarise(run))
    screen = Console(file=io.StringIO(), width=100, highlight=False)
    screen.print(render_brief(results, screen))
    assert isinstance(screen.file, io.StringIO)
    assert "a fan hums" not in screen.file.getvalue() + " ".join(lines_of(run))
    assert "a fan hums" in verdict_of(results).sentence


@pytest.mark.parametrize("spare", [-1, 0, 1])
def test_findings_for_which_there_is_no_room_are_counted_and_no_others(
    tmp_path: Path, spare: int
) -> None:
    run = record_of_every_topic(tmp_path / "r.jsonl")
    results = results_of(run, summarise(run))
    counted = 0
    for topic in TOPICS:
        findings = results.findings(topic)
        room = len(findings) + spare
        if room < 1:
            continue
        shown = [str(one) for one in _brief(topic, results, room)]
        more = [one for one in shown if one.endswith(f" more of {topic.title.lower()}")]
        assert more == ([f"1 more of {topic.title.lower()}"] if spare < 0 else [])
        counted += 1
    assert counted
