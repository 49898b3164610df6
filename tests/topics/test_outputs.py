"""What every output shows of a record in which each topic has something to say."""

import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from typer.testing import CliRunner

from support.builders import make_cases, synthetic_record
from support.every_topic import record_of_every_topic
from support.printed import result_of
from weft.analysis.summary import summarise
from weft.cli.main import app
from weft.record.run import Run, load
from weft.report.page import render_page
from weft.report.plain import json_rows
from weft.report.table import FittedTable, split
from weft.report.terminal import SCREEN, render_brief, render_tables
from weft.report.turned import for_page
from weft.studies.shown import results_shown
from weft.tables import TERMINAL_WIDTH
from weft.topics import TOPICS, charts_of, results_of
from weft.topics.base import Results, Topic
from weft.topics.frames import table_of

# Fields of all JSON as it was before there were topics; one may be added, none may go.
FIELDS = Path(__file__).with_name("fields.json")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return record_of_every_topic(tmp_path_factory.mktemp("every") / "every.jsonl")


def paths(value: Any, at: str = "") -> Iterator[str]:
    """The places of a JSON value's fields: "latency_ns.value"; numbers as names count as one."""
    if isinstance(value, dict):
        for name, inner in value.items():
            plain = "*" if name.removeprefix("rank").replace(".", "").isdigit() else name
            yield from paths(inner, f"{at}.{plain}")
    elif isinstance(value, list):
        for inner in value:
            yield from paths(inner, f"{at}[]")
    else:
        yield at.lstrip(".")


def printed(*words: str) -> Any:
    result = CliRunner().invoke(app, list(words))
    assert result.exit_code == 0, result.output
    return result_of(result.stdout)


def test_json_and_exports_keep_every_field(run: Run) -> None:
    path = str(run.path)
    found = {"show": sorted(set(paths(printed("show", path, "--json"))))}
    for table in ("overhead", "overlap", "availability", "completion"):
        rows = printed("show", path, "--table", table, "--json")
        found[f"show {table}"] = sorted(set(paths(rows)))
    found["memory"] = sorted(set(paths(printed("memory", path, "--json"))))
    found["export summary"] = sorted(table_of(run, "summary").columns)
    known = json.loads(FIELDS.read_text())
    lost = {name: set(known[name]) - set(found[name]) for name in known}
    assert {name: fields for name, fields in lost.items() if fields} == {}


def test_every_topic_has_something_to_say_of_this_record(run: Run) -> None:
    results = results_of(run, summarise(run))
    silent = [
        topic.name
        for topic in TOPICS
        if not (
            topic.tables(results.of(topic))
            or topic.findings(results.of(topic))
            or topic.overlaid([("", results.of(topic))])
        )
    ]
    # The paper's figures want its suite, a map rounds of pairs; a steady compute loop, no bus,
    # calm launches and a network without faults say none.
    calm = {"paper", "compute_loop", "connecting", "bus", "drift", "map", "network_counters"}
    assert set(silent) <= calm
    for topic in TOPICS:
        for table in topic.tables(results.of(topic)) + topic.for_paper(results.of(topic)):
            assert all(len(row) == len(table.head) for row in table.rows), table.name
        assert isinstance(topic.plain(results.of(topic)), list)


def test_topics_have_names_and_charts_of_their_own(run: Run) -> None:
    assert len({topic.name for topic in TOPICS}) == len(TOPICS)
    names = [chart.name for chart in charts_of([results_of(run, summarise(run))])]
    assert len(set(names)) == len(names) > 10


class Counting(Topic[int]):
    """Counts how often its rows are computed."""

    name = "counting"
    title = "Counting"

    def __init__(self) -> None:
        self.computed = 0

    def rows(self, results: Results) -> int:
        del results
        self.computed += 1
        return self.computed

    def plain(self, rows: int) -> list[dict[str, Any]]:
        return [{"rows": rows}]

    def findings(self, rows: int) -> list[str]:
        return [f"computed {rows} times"]


@pytest.mark.usefixtures("undrawn")
def test_rows_are_computed_once_however_many_outputs_ask(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    counting = Counting()
    for module in ("terminal", "page", "plain"):
        monkeypatch.setattr(f"weft.report.{module}.TOPICS", (counting,))
    results = results_of(run, summarise(run))
    screen = Console(file=io.StringIO(), width=TERMINAL_WIDTH)
    screen.print(render_tables(results), render_brief(results, screen))
    assert "computed 1 times" in render_page([results])
    json_rows(results)
    assert counting.computed == 1


@pytest.mark.usefixtures("undrawn")
def test_a_finding_stands_with_the_name_of_its_own_record(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rails = next(topic for topic in TOPICS if topic.name == "rails")
    monkeypatch.setattr("weft.report.page.TOPICS", (rails,))
    plain = load(synthetic_record(tmp_path / "plain.jsonl"))
    page = render_page([results_of(one, summarise(one)) for one in (plain, run)])
    assert "<li>every.jsonl: tcp:turn" in page
    assert "<li>plain.jsonl: " not in page


def lines_of(run: Run) -> list[str]:
    """The short form of a terminal, through a pipe."""
    screen = Console(file=io.StringIO(), width=TERMINAL_WIDTH, highlight=False)
    screen.print(render_brief(results_of(run, summarise(run)), screen))
    assert isinstance(screen.file, io.StringIO)
    return screen.file.getvalue().splitlines()


def test_a_run_without_a_flag_fits_one_screen_with_every_figure(tmp_path: Path) -> None:
    cases = make_cases(
        transports=("mpi", "ofi", "tcp", "ucx"), sizes=(8, 1024, 16384, 65536, 1 << 20, 1 << 22)
    )
    lines = lines_of(load(synthetic_record(tmp_path / "r.jsonl", cases)))
    assert len(lines) <= SCREEN
    assert sum(line.count("±0.") for line in lines) == len(cases)


@pytest.mark.parametrize("suite", ["", "full"])
def test_a_suite_fits_one_screen_and_names_what_it_leaves_out(suite: str, tmp_path: Path) -> None:
    lines = lines_of(record_of_every_topic(tmp_path / "r.jsonl", suite))
    assert len(lines) <= SCREEN
    text = " ".join(" ".join(lines).split())
    assert "also measured" in text
    for words in ("hot spots and random pairs", "rails"):
        assert words in text.lower()
    assert "weft show" in text
    assert "±" in text


def test_a_papers_record_is_laid_out_by_its_figures(tmp_path: Path) -> None:
    run = record_of_every_topic(tmp_path / "r.jsonl", "full")
    results = results_of(run, summarise(run))
    names = [chart.name for chart in charts_of([results])]
    assert names[0].startswith("osu-2")
    assert not {"availability", "ping_pong", "many-hot_spot_send"} & set(names)
    # What the paper has no figure for stays.
    assert {"sendrecv", "many-message_rate", "load-tcp-8"} <= set(names)
    # LaTeX and Markdown have every case all the same.
    usual = next(topic for topic in TOPICS if topic.is_usual)
    table = usual.for_paper(results.of(usual))[0]
    assert any("Latency, tcp" in head for head in table.head)


def test_a_chart_of_any_topic_can_be_drawn_for_a_paper(run: Run, tmp_path: Path) -> None:
    picture = tmp_path / "rate.svg"
    words = ["figure", str(run.path), "-o", str(picture), "--show", "many-message_rate"]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    assert picture.read_text().startswith("<?xml")


def test_any_topics_table_can_be_exported_for_a_paper(run: Run, tmp_path: Path) -> None:
    target = tmp_path / "overlap.md"
    words = ["export", str(run.path), "--markdown", str(target), "--table", "overlap"]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    assert "tcp send 8 B" in target.read_text()


@pytest.mark.parametrize(
    ("test", "transport", "shown"),
    [
        ("ping_pong", "tcp", {"figures", "completion", "reuse", "pages", "drift"}),
        ("send_overlap", "mpi", {"figures", "overhead", "overlap"}),
        ("sendrecv", "tcp", {"figures", "exchange"}),
    ],
)
def test_a_filter_leaves_nothing_of_other_tests_and_transports(
    run: Run, test: str, transport: str, shown: set[str]
) -> None:
    """Also of topics that read batches and launches rather than the summaries."""
    words = ("--test", test, "--transport", transport)
    other = {"tcp": "mpi", "mpi": "tcp"}[transport]
    results = results_shown(run.path, test, transport)
    for topic in TOPICS:
        rows = topic.plain(results.of(topic))
        assert topic.name in shown or not rows, topic.name
        assert f'"{other}"' not in json.dumps(rows)
    for name in shown:
        rows = printed("show", str(run.path), *words, "--table", name, "--json")
        assert f'"{other}"' not in json.dumps(rows)


def screen_lines(shown: Any) -> list[str]:
    screen = Console(file=io.StringIO(), width=TERMINAL_WIDTH, highlight=False)
    lines = screen.render_lines(shown, pad=False)
    return ["".join(part.text for part in line).rstrip() for line in lines]


@pytest.mark.parametrize("launches", [1, 2, 4])
def test_no_figure_is_broken_over_two_lines(launches: int, tmp_path: Path) -> None:
    """Also where each stands with both ends of its interval and the number of launches."""
    run = record_of_every_topic(tmp_path / "r.jsonl", launches=launches)
    results = results_of(run, summarise(run))
    parts = 0
    for topic in TOPICS:
        for table in topic.tables(results.of(topic)):
            shown = screen_lines(FittedTable(table))
            own = split(table, TERMINAL_WIDTH)
            parts += len(own) - 1
            lost = [line for line in shown if line.startswith("No room for the intervals of ")]
            assert len(lost) == sum(part.width > TERMINAL_WIDTH for part in own)
            assert len(shown) == sum(1 + len(part.rows) for part in own) + len(lost), table.name
            if not lost:
                text = " ".join(shown)
                assert all(cell in text for row in table.rows for cell in row if "\n" not in cell)
    assert parts


@pytest.mark.parametrize("width", [80, TERMINAL_WIDTH])
def test_no_two_rows_of_a_part_bear_the_same_name(width: int, tmp_path: Path) -> None:
    """Modes, peers and ranks tell rows apart, and are beside the figures of each part."""
    run = record_of_every_topic(tmp_path / "r.jsonl", launches=4)
    results = results_of(run, summarise(run))
    looked_at = set()
    for topic in TOPICS:
        for table in topic.tables(results.of(topic)):
            for part in [*split(table, width), *for_page(table)]:
                names = [row[: table.naming] for row in part.rows]
                if part.head[: table.naming] == table.head[: table.naming]:
                    assert len(set(names)) == len(names), (table.name, part.head)
                    looked_at.add((topic.name, table.naming))
    assert {("completion", 2), ("hot_spots", 3), ("availability", 2)} <= looked_at


@pytest.mark.parametrize("launches", [1, 2, 4])
def test_a_run_without_a_flag_has_a_line_a_row_over_four_transports(
    launches: int, tmp_path: Path
) -> None:
    cases = make_cases(
        ("ping_pong", "ping_ping", "stream", "bidirectional_stream"),
        ("mpi", "ucx", "ofi", "tcp"), (8, 64, 1024, 8192, 65536, 1 << 20),
    )  # fmt: skip
    run = load(synthetic_record(tmp_path / "r.jsonl", cases, launches=launches))
    screen = Console(file=io.StringIO(), width=TERMINAL_WIDTH)
    shown = screen_lines(render_brief(results_of(run, summarise(run)), screen))
    # No column loses its intervals: where there is no room, transports follow in another part.
    text = "\n".join(shown)
    assert "No room for the intervals" not in text
    assert all(re.search(rf"\b{name}\b", text) for name in ("mpi", "ucx", "ofi", "tcp"))
    assert len(re.findall(r"[\d.]+ (?:[nµm]s|[kMG]B/s)", text)) >= 4 * 6
    assert len(shown) <= SCREEN
