"""`weft predict`: variants in one table, records and a page, and refusals in one line."""

import datetime
import re
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from typer.testing import CliRunner

import weft
from support.printed import result_of
from weft.cli.main import app
from weft.errors import WeftError
from weft.plan.request import Request
from weft.record.model import Footer
from weft.session import start
from weft.studies.simulations import Effort

ESCHER = ("predict", "ping_pong", "--platform", "escher")


def run(*words: object) -> str:
    result = CliRunner().invoke(app, [*map(str, words)])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.output


@pytest.mark.engine
def test_tapers_are_compared_side_by_side(tmp_path: Path) -> None:
    shown = run(
        "predict", "halo", "--platform", "escher", "--nodes", 8, "--switch", 6, "--extents", 8,
        "--blocking", "1:1,2:1", "--within", "5%", "--samples", 1, "-o", tmp_path,
    )  # fmt: skip
    words = " ".join(shown.split())
    assert "halo 8^4 fat-tree 1:1" in words
    assert "halo 8^4 fat-tree 2:1" in words
    assert "within 5 % of fat-tree 1:1: fat-tree 1:1" in words
    # The difference has an interval, by the platform's errors.
    assert re.search(r"fat-tree 2:1 .* [+-][\d.]+ % \[[+-][\d.]+, [+-][\d.]+\]", words)
    assert "extrapolated: 8 nodes (2 were calibrated), 3 switches on a way (1 was)" in words
    assert "assumed: 200 ns for each further switch, at most 10 % of each value" in words
    records = [weft.load(path) for path in sorted(tmp_path.glob("*.jsonl.zst"))]
    platforms = [one.header.plan.simulated for one in records]
    assert [one.label for one in platforms if one] == [
        "simulated on escher, fat-tree 1:1 (predicted)",
        "simulated on escher, fat-tree 2:1 (predicted)",
    ]
    [page] = tmp_path.glob("*.html")
    assert "simulated on escher, fat-tree 2:1 (predicted)" in page.read_text()


@pytest.mark.engine
def test_algorithms_are_compared_by_size(tmp_path: Path) -> None:
    shown = run(
        "predict", "allreduce", "--platform", "escher", "--nodes", 8, "--switch", 24,
        "--sizes", "8,1KiB,1MiB", "--algorithm", "recursive-doubling,rabenseifner,openmpi",
        "--samples", 1, "-o", tmp_path,
    )  # fmt: skip
    words = " ".join(shown.split())
    assert "size recursive-doubling rabenseifner openmpi" in words
    assert "the fastest of these: recursive-doubling from 8 B, rabenseifner from" in words
    assert "openmpi's rules take" in words
    assert len(list(tmp_path.glob("*.jsonl.zst"))) == 3
    [page] = tmp_path.glob("*.html")
    assert "predicted-algorithms" in page.read_text()


@pytest.mark.engine
def test_its_json_has_every_fabric_with_its_figures(tmp_path: Path) -> None:
    words = [
        *ESCHER, "--nodes", "8", "--switch", "6", "--pairs", "near,far", "--sizes", "8",
        "--samples", "1", "-o", str(tmp_path), "--json",
    ]  # fmt: skip
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    found = result_of(done.stdout, "predict")
    near, far = (one["figures"][0]["value"] for one in found["fabrics"])
    assert 0 < near < far
    shares = [one["figures"][0]["shares"]["switches"] for one in found["fabrics"]]
    # The far ranks have two further switches between them, of 200 ns each.
    assert shares == pytest.approx([0, 400 / far], abs=1e-6)
    assert found["fabrics"][1]["figures"][0]["most"] == pytest.approx(far + 400, rel=1e-6)
    assert [one["nodes"] for one in found["fabrics"]] == [8, 8]


@pytest.mark.engine
def test_differences_have_no_interval_where_the_budget_is_short(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("weft.studies.simulations._MOVES_TAKE", 1e6)
    shown = run(
        "predict", "ping_pong", "--platform", "escher", "--nodes", 2, "--switch", 24,
        "--sizes", 8, "--speed", "1,2", "-o", tmp_path,
    )  # fmt: skip
    assert "no interval of the differences" in shown
    assert "they have no interval here" in " ".join(shown.split())


@pytest.mark.engine
def test_what_no_model_answers_is_a_line_and_the_others_are_answered(tmp_path: Path) -> None:
    shown = run(
        "predict", "message_rate", "ping_pong", "--platform", "escher", "--nodes", 2, "--speed",
        "1,2", "--sizes", 8, "-o", tmp_path,
    )  # fmt: skip
    words = " ".join(shown.split())
    wanted = (
        "message_rate is unsupported on a simulated platform: a model has no limit of messages"
        " per second beside the host's overhead; ask stream instead"
    )
    assert wanted in words
    # A ping-pong has a time, and no bandwidth of 8 bytes.
    assert re.search(r"ping_pong 8 B fat-tree 1:1 [\d.]+ µs ", words)
    [page] = tmp_path.glob("*.html")
    assert wanted.replace("'", "&#39;") in page.read_text()


@pytest.mark.engine
def test_a_point_has_its_unit_and_what_is_the_hosts_is_not_predicted(tmp_path: Path) -> None:
    shown = run(
        "predict", "host_overhead", "hot_spot_receive", "--platform", "escher", "--nodes", 4,
        "--sizes", 8, "--points", "1,3", "-o", tmp_path,
    )  # fmt: skip
    words = " ".join(shown.split())
    assert "hot_spot_receive 1 peer 8 B" in words
    assert "hot_spot_receive 3 peers 8 B" in words
    assert "host_overhead 8 B" not in words
    assert "no fabric changes it; ask weft run host_overhead --platform escher instead" in words


@pytest.mark.engine
def test_tests_that_no_model_answers_name_those_to_ask_instead(tmp_path: Path) -> None:
    with pytest.raises(WeftError, match="message_rate is unsupported on a simulated") as seen:
        run(
            "predict", "message_rate", "bidirectional_stream", "put_latency", "--nodes", 2,
            "--platform", "escher", "--sizes", 8, "-o", tmp_path,
        )  # fmt: skip
    assert seen.value.fix == "ask stream or sendrecv or ping_pong instead"


@pytest.mark.engine
def test_an_interrupt_ends_all_fabrics(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    simulated = []

    def interrupted(request: Request, say: Callable[[str], None]) -> tuple[Path, Footer]:
        simulated.append(request.output)
        path, footer = start(request, say)
        return path, msgspec.structs.replace(footer, outcome="interrupted")

    monkeypatch.setattr("weft.session.start", interrupted)
    words = (*ESCHER, "--nodes", "2", "--speed", "1,2", "--sizes", "8", "-o", str(tmp_path))
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 130
    assert "interrupted; the records of finished fabrics are in" in result.output
    assert len(simulated) == 1


@pytest.mark.engine
def test_without_a_switch_all_nodes_are_at_one(tmp_path: Path) -> None:
    """The solver at a rate of 2003: two sums and 16 messages an iteration, and its arithmetic."""
    shown = run(
        "predict", "milc", "--platform", "escher", "--rate", "800MFlop/s", "--nodes", 4,
        "--extents", 4, "--samples", 1, "-o", tmp_path,
    )  # fmt: skip
    assert "switches on a way" not in shown
    [record] = tmp_path.glob("*.jsonl.zst")
    one = weft.load(record)
    [batch] = one.measured
    computed_ns = 1187 * 4**4 / 0.8
    assert computed_ns < min(one.time_ns(batch)) < 2 * computed_ns


@pytest.mark.engine
def test_a_run_that_costs_more_than_the_budget_is_refused_with_its_cost(tmp_path: Path) -> None:
    with pytest.raises(WeftError, match=r"left of the budget|budget are left") as seen:
        run(
            "predict", "random_pairs", "--platform", "escher", "--nodes", 128, "--switch", 24,
            "--sizes", 8, "--budget", "1s", "-o", tmp_path,
        )  # fmt: skip
    assert "use --budget" in seen.value.fix
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "fix"),
    [
        (("predict", "ping_pong"), "use --platform escher"),
        (
            (*ESCHER, "--nodes", "8", "--switch", "24", "--algorithm", "ring"),
            "choose one of allreduce",
        ),
        (ESCHER, "use --nodes, like --nodes 256"),
        ((*ESCHER, "--nodes", "8", "--blocking", "2:1"), "give its ports: --switch 24"),
        ((*ESCHER, "--nodes", "30", "--switch", "24", "--levels", "1"), "use --nodes 24 or fewer"),
        ((*ESCHER, "--nodes", "7", "--topology", "torus 24 4x2"), "use --nodes 8 or more"),
        (
            (*ESCHER, "--nodes", "17", "--topology", "torus 24 4x2", "--per-switch", "2"),
            "use --nodes 16 or fewer, or --per-switch 3",
        ),
        ((*ESCHER, "--nodes", "8", "--topology", "fat-tre 24"), "did you mean fat-tree?"),
        ((*ESCHER, "--nodes", "8", "--switch", "24", "--rails", "two"), "use one like --rails 2"),
        ((*ESCHER, "--nodes", "8", "-o", __file__), "is the name of a file, and -o takes a folder"),
        ((*ESCHER, "--nodes", "8", "--within", "5%"), "name several: --blocking 1:1,2:1"),
        ((*ESCHER, "--nodes", "8", "--samples", "0"), "use 1 or more, like --samples 2"),
        ((*ESCHER, "--nodes", "8", "--switch", "24", "--speed", "x"), "use one like --speed 1,2"),
        ((*ESCHER, "--nodes", "8", "--switch", "24", "--blocking", "1:1,1:1"), "name each once"),
        (
            (*ESCHER, "--nodes", "8", "--switch", "24", "--rails", "1,2,3", "--speed", "1,2,3"),
            "use at most 8 combinations",
        ),
    ],
)
def test_bad_input_ends_in_one_line(words: tuple[str, ...], fix: str) -> None:
    with pytest.raises(WeftError) as seen:
        run(*words)
    assert fix in f"{seen.value.what}; {seen.value.fix}"


def test_a_simulator_that_is_missing_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("WEFT_ENGINE_DIR", str(tmp_path))
    with pytest.raises(WeftError) as seen:
        run(*ESCHER, "--nodes", "4", "--switch", "24", "-o", tmp_path)
    assert "apt-get install libsimgrid-dev" in seen.value.fix


@pytest.mark.parametrize("name", ["pred.html", "pred.jsonl.zst", "there"])
def test_a_file_is_no_folder_for_the_records(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("there").write_text("precious")
    with pytest.raises(WeftError, match="is the name of a file, and -o takes a folder; use -o "):
        run(*ESCHER, "--nodes", 2, "-o", name)
    assert [path.name for path in tmp_path.iterdir()] == ["there"]
    assert Path("there").read_text() == "precious"


def test_predictions_of_one_second_have_files_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Clock(datetime.datetime):
        moments = iter((100, 200))

        @classmethod
        def now(cls, tz: datetime.tzinfo | None = None) -> "Clock":
            return cls(2026, 11, 23, 8, 0, 0, next(cls.moments), tz)

    monkeypatch.setattr("weft.studies.simulations.datetime.datetime", Clock)
    first, second = (Effort(60.0, 1, tmp_path, lambda _: None).page for _ in range(2))
    assert first != second
    assert "20261123-080000" in first.name
