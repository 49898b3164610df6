"""`weft check` as CI uses it: exit statuses, JUnit XML and OpenMetrics that others can read."""

from pathlib import Path
from xml.etree import ElementTree

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families
from typer.testing import CliRunner

from support.builders import lost_batch, make_cases, synthetic_record, usual_times_ns
from support.printed import result_of
from weft.cli.main import app
from weft.errors import WeftError
from weft.plan.case import Case

CASES = make_cases(tests=("ping_pong", "stream"), transports=("tcp",))
LIMITS = """
[[limit]]
test = "ping_pong"
sizes = "8,1KiB"
latency_at_most = "{}"

[[limit]]
test = "stream"
sizes = "1MiB"
bandwidth_at_least = "9 GB/s"
"""


def check(folder: Path, bound: str, *more: str) -> tuple[int, str]:
    record = folder / "r.jsonl"
    if not record.exists():
        lost = lost_batch(CASES[3], 4, 90, "failed", 'byte "3" differs: <&>\x01')
        synthetic_record(record, CASES, more=[lost])
    (folder / "limits.toml").write_text(LIMITS.format(bound))
    words = ["check", str(record), "--against", str(folder / "limits.toml"), *more]
    done = CliRunner().invoke(app, words)
    return done.exit_code, done.output


# 1 KiB takes 1,051 ns one way, 8 bytes 1,000.
@pytest.mark.parametrize(
    ("bound", "status", "told"),
    [
        ("1.1 us", 0, "pass: 0 fail, 0 cannot tell, 3 pass of 3 checks."),
        ("1.02 us", 1, "fail: 1 fail, 0 cannot tell, 2 pass of 3 checks."),
        ("1.051 us", 3, "cannot tell: 0 fail, 1 cannot tell, 2 pass of 3 checks."),
    ],
)
def test_an_exit_status_for_each_answer(tmp_path: Path, bound: str, status: int, told: str) -> None:
    code, output = check(tmp_path, bound)
    assert (code, told in output) == (status, True)


def test_json_has_every_check_with_its_figure(tmp_path: Path) -> None:
    _, output = check(tmp_path, "1.02 us", "--json")
    found = result_of(output)
    assert found["outcome"] == "fail"
    assert [c["outcome"] for c in found["checks"]] == ["pass", "fail", "pass"]
    latency = found["checks"][1]
    assert latency["case"] == "tcp/ping_pong/1024"
    assert latency["estimate"]["value"] == pytest.approx(1051.2, rel=1e-3)
    assert latency["bound"] == pytest.approx(1020)


def test_a_limit_allows_for_no_other_days_and_the_note_does_not_say_so(tmp_path: Path) -> None:
    """Fixed limits are judged on the interval: no 2 % between sessions, as records are."""
    code, printed = check(tmp_path, "1.02 us")
    words = " ".join(printed.split())
    assert code == 1
    assert "other days and boots are in no interval: a slow boot looks like a slow machine" in words
    assert "allow for" not in words


def test_junit_tells_fail_from_cannot_tell(tmp_path: Path) -> None:
    more = "; it takes about 71 launches"
    for bound, kind, rest in (("1.02 us", "failure", ""), ("1.051 us", "error", more)):
        check(tmp_path, bound, "--junit", str(tmp_path / "c.xml"))
        root = ElementTree.parse(tmp_path / "c.xml").getroot()  # noqa: S314 - our own
        [suite] = root
        assert (root.tag, suite.tag) == ("testsuites", "testsuite")
        cases = suite.findall("testcase")
        counted = {name: len(suite.findall(f".//{name[:-1]}")) for name in ("failures", "errors")}
        assert {name: int(suite.get(name, "")) for name in counted} == counted
        assert len(cases) == int(suite.get("tests", "")) == 3
        assert [len(case.findall(kind)) for case in cases] == [0, 1, 0]
        assert all(case.get("classname", "").startswith("weft.tcp.") for case in cases)
        assert len({case.get("name") for case in cases}) == 3
        told = cases[1].find(kind)
        assert told is not None
        assert told.get("message") == f"1.05 µs [1.05, 1.05], latency at most {bound}{rest}"


def test_junit_holds_any_reason(tmp_path: Path) -> None:
    (tmp_path / "limits.toml").write_text(
        '[[limit]]\ntest = "ping_pong"\nsizes = "64KiB"\nlatency_at_most = "1 s"\n'
    )
    lost = lost_batch(CASES[3], 4, 90, "failed", 'byte "3" differs: <&>\x01')
    record = synthetic_record(tmp_path / "r.jsonl", CASES, more=[lost])
    words = ["check", str(record), "--against", str(tmp_path / "limits.toml")]
    files = ["--junit", str(tmp_path / "c.xml"), "--openmetrics", str(tmp_path / "c.txt")]
    assert CliRunner().invoke(app, [*words, *files]).exit_code == 1
    root = ElementTree.parse(tmp_path / "c.xml").getroot()  # noqa: S314 - our own
    failure = root.find(".//failure")
    assert failure is not None
    assert failure.text == 'failed: byte "3" differs: <&>\N{REPLACEMENT CHARACTER}'


def test_openmetrics_is_read_by_prometheus(tmp_path: Path) -> None:
    check(tmp_path, "1.02 us", "--openmetrics", str(tmp_path / "c.txt"))
    text = (tmp_path / "c.txt").read_text()
    parsed = text_string_to_metric_families(text)  # type: ignore[no-untyped-call]
    families = {family.name: family for family in parsed}
    latency = families["weft_latency_seconds"]
    assert (latency.type, latency.unit) == ("gauge", "seconds")
    values = {(s.labels["bytes"], s.labels["value"]): s.value for s in latency.samples}
    assert values["1024", "median"] == pytest.approx(1051.2e-9, rel=1e-3)
    assert values["1024", "low"] < values["1024", "median"] < values["1024", "high"]
    assert values["8", "bound"] == pytest.approx(1.02e-6)
    rate = families["weft_bandwidth_bytes_per_second"].samples
    assert {s.labels["bytes"] for s in rate} == {"1048576"}
    states = {
        (s.labels["case"], s.labels["weft_check"]): s.value for s in families["weft_check"].samples
    }
    assert states["tcp/ping_pong/1024", "fail"] == 1
    assert states["tcp/ping_pong/1024", "pass"] == 0
    assert sum(states.values()) == 3
    assert {s.value for s in families["weft_launches"].samples} == {5}


def test_against_a_record(tmp_path: Path) -> None:
    def slowed(name: str, factor: float) -> str:
        def times(case: Case, launch: int) -> list[float]:
            return [t * factor for t in usual_times_ns(case, launch)]

        return str(synthetic_record(tmp_path / name, CASES, times_ns=times))

    old = slowed("old.jsonl", 1.0)
    for name, factor, status in (("same.jsonl", 1.001, 0), ("slow.jsonl", 1.2, 1)):
        done = CliRunner().invoke(app, ["check", slowed(name, factor), "--against", old])
        assert done.exit_code == status, done.output
    slow = str(tmp_path / "slow.jsonl")
    wide = CliRunner().invoke(app, ["check", slow, "--against", old, "--tolerance", "30%"])
    assert wide.exit_code == 0


def test_a_record_is_no_reference_of_itself(tmp_path: Path) -> None:
    record = synthetic_record(tmp_path / "a.jsonl", CASES)
    copy = tmp_path / "b.jsonl"
    copy.write_bytes(record.read_bytes())
    done = CliRunner().invoke(app, ["check", str(record), "--against", str(copy)])
    assert isinstance(done.exception, WeftError)
    assert "under test itself" in str(done.exception)


def test_several_references_are_sessions_and_limits_stand_alone(tmp_path: Path) -> None:
    cases = make_cases(tests=("ping_pong",), transports=("tcp",))

    def record(name: str, factor: float) -> str:
        path = tmp_path / f"{name}.jsonl"
        times = [factor * 1000 * (1 + 0.001 * at) for at in range(5)]
        return str(synthetic_record(path, cases, times_ns=lambda _, at: [times[at]] * 120))

    names = [record(f"r{at}", 1 + 0.001 * at) for at in range(4)]
    against = [word for name in names[1:] for word in ("--against", name)]
    result = CliRunner().invoke(app, ["check", names[0], *against])
    assert result.exit_code == 0, result.output
    assert "1 session against 3 sessions" in " ".join(result.output.split())
    assert "the reference: 3 sessions of 5 and 5 and 5" in " ".join(result.output.split())
    assert "the time rises by 0.4% from the first to the last" in " ".join(result.output.split())
    limits = tmp_path / "limits.toml"
    limits.write_text('[[limit]]\ntest = "ping_pong"\nlatency_at_most = "1 s"\n')
    mixed = CliRunner().invoke(app, ["check", names[0], "--against", str(limits), *against])
    assert "one limits file or several records" in str(mixed.exception)


def test_a_misspelt_test_in_limits_is_an_error_and_no_test_that_was_not_measured(
    tmp_path: Path,
) -> None:
    for name, told in (("ping_pongg", "did you mean ping_pong"), ("allreduce", "")):
        more = f'[[limit]]\ntest = "{name}"\nlatency_at_most = "1 us"\n'
        (tmp_path / "limits.toml").write_text(LIMITS.format("1.1 us") + more)
        record = tmp_path / f"{name}.jsonl"
        synthetic_record(record, CASES)
        words = ["check", str(record), "--against", str(tmp_path / "limits.toml")]
        done = CliRunner().invoke(app, words)
        if told:
            assert isinstance(done.exception, WeftError)
            assert told in str(done.exception)
        else:
            assert (done.exit_code, "was not measured" in done.output) == (3, True)
