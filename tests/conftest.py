"""For every test: this folder is on the path; a record and a scripted rank."""

import gc
import os
import signal
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from support.builders import synthetic_record
from support.errors import hold_to_their_form
from support.one_program import make_commands_once
from support.scripted import lay_out_rank
from support.unlike import unlike_record
from weft.record.run import Run
from weft.report.drawing import PageDrawing

# Drawing is slow on a busy machine, so examples have no deadline. The gate tries the same examples
# each time; the nightly part, which sets WEFT_EXAMPLES, tries new ones.
settings.register_profile(
    "busy",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize="WEFT_EXAMPLES" not in os.environ,
)
settings.load_profile("busy")
hold_to_their_form()
make_commands_once()
# Who starts the tests in the background may ignore it, and weft leaves an ignored signal alone.
signal.signal(signal.SIGINT, signal.default_int_handler)

HERE = Path(__file__).parent
# What tests marked engine or browser do beside their rest, by folder or file: the gate runs each
# kind by itself: the lab beside what computes, since it mostly waits, and then real ranks alone.
# What is not named here may have ranks that measure.
IN_LAB = ("lab", "packaging")
SIMULATES = (
    "sim", "cli", "report", "test_contributor_pages.py", "test_truth.py", "test_held_out.py",
    "test_reproduction.py", "test_predicted_figures.py", "test_list_libraries.py",
    "test_whole_site.py", "test_how_to.py",
    # Their ranks measure little or nothing, and mostly wait for MPI's starters.
    "test_refusals.py", "test_gauge_files.py", "test_meeting.py", "test_places.py",
    "test_lost_ranks.py",
)  # fmt: skip

# What goes through much for one statement: draws records by the hundred, starts
# other programs. Some tests of other files have the mark themselves. The gate runs them with the
# simulations, so that the quick tests stay quick.
THOROUGH = (
    "sources/test_imported_everywhere.py", "fabric/test_modular_cores.py",
    "bench/test_coverage_of_fits.py", "bench/test_decisions.py", "bench/test_real.py",
    "applications/test_second_measured.py", "cli/test_closed_pipe.py", "cli/test_reframe.py",
    "cli/test_completion_in_shells.py", "notebook/test_notebook_page.py",
    "topics/test_contributor_page.py", "launch/test_launcher_page.py",
    "analysis/test_analysis_page.py",
)  # fmt: skip

# Files that take longest, most first: one that a worker begins last holds all others up. The gate
# names each kind's slowest tests at its end.
LONGEST = (
    "test_contributor_pages.py", "engine/test_lost_ranks.py", "sim/test_heads.py",
    "site/test_whole_site.py", "sources/test_imported_everywhere.py",
    "studies/test_predicted_figures.py",
    "cli/test_options_without_effect.py", "topics/test_outputs.py", "truth/test_known_times.py",
    "engine/test_disassembly.py", "cli/test_widths.py", "measure/test_resumed_runs.py",
    "cli/test_one_grammar.py", "cli/test_every_printed_figure.py", "test_style.py",
    "analysis/stats/test_intervals.py", "topics/test_every_cell.py", "cli/test_any_record.py",
    "launch/test_runs_scripted.py", "launch/test_runs_go_on.py", "cli/test_output_files.py",
    "bench/test_decisions.py", "analysis/fits/test_linear.py", "analysis/fits/test_segments.py",
)  # fmt: skip


def kind_of(path: Path) -> str:
    """Which part of the slow tests a file belongs to: a mark that pyproject.toml explains."""
    if path.parts[0] in IN_LAB:
        return "lab"
    return "simulated" if {path.parts[0], path.name} & set(SIMULATES) else "ranks"


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark what the gate runs in parts: by marks, since one worker is to have all of a part."""
    path = item.path.relative_to(HERE)
    if any(item.get_closest_marker(name) for name in ("engine", "browser")):
        item.add_marker(kind_of(path))
    elif path.as_posix() in THOROUGH:
        item.add_marker("thorough")


def by_length(path: Path) -> int:
    """The place of a file before those that take less long; what is not named comes last."""
    name = path.as_posix()
    return LONGEST.index(name) if name in LONGEST else len(LONGEST)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest files first: the gate hands them out in the order in which they are here."""
    places = {path: by_length(path.relative_to(HERE)) for path in {item.path for item in items}}
    items.sort(key=lambda item: places[item.path])


def pytest_collection_finish() -> None:
    """What is here now stays: Python need not look through it for what nobody needs any more."""
    gc.freeze()


@pytest.fixture
def record(tmp_path: Path) -> Path:
    """The usual synthetic record, finished."""
    return synthetic_record(tmp_path / "record.jsonl")


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages come without their drawings for paper, which take most of their time.

    For a test that reads words, tables or the curves of the page itself.
    """
    monkeypatch.setattr("weft.report.drawing.draw", lambda _, kinds, *__: [b"" for _ in kinds])
    monkeypatch.setattr(
        "weft.report.drawing.draw_for_page",
        lambda chart, _: PageDrawing("<svg />", b"", [[None] * len(one.x) for one in chart.tracks]),
    )


@pytest.fixture(scope="session")
def unlike(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A record of every topic in which no two figures are alike, made once."""
    return unlike_record(tmp_path_factory.mktemp("unlike") / "plain")


@pytest.fixture
def machine(tmp_path: Path) -> dict[str, str]:
    """An environment with one transport, the scripted one, and a starter that starts one rank."""
    lay_out_rank(tmp_path / "engine")
    starters = tmp_path / "bin"
    starters.mkdir()
    starter = starters / "mpirun.openmpi"
    starter.write_text('#!/bin/sh\nwhile [ "$1" != -n ]; do shift; done; shift 2; exec "$@"\n')
    starter.chmod(0o755)
    return {
        **os.environ,
        "PATH": f"{starters}:{Path(sys.executable).parent}:/usr/bin:/bin",
        "WEFT_ENGINE_DIR": str(tmp_path / "engine"),
    }
