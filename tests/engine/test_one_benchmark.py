"""`make try` compiles one benchmark: the build's own list names it alone."""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def configure(folder: Path, benchmark: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["cmake", "-G", "Ninja", "-S", ROOT, "-B", folder, f"-DWEFT_ONLY={benchmark}"],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("benchmark", "type_name"), [("stream", "Stream"), ("hot_spot_send", "HotSpotSend")]
)
def test_the_list_of_such_a_build_names_it_alone(
    tmp_path: Path, benchmark: str, type_name: str
) -> None:
    done = configure(tmp_path, benchmark)
    assert done.returncode == 0, done.stderr
    listed = (tmp_path / "engine" / "only" / "patterns" / "all.hpp").read_text()
    assert f'#include "patterns/{benchmark}.hpp"' in listed
    assert f"std::tuple<{type_name}>" in listed


def test_a_benchmark_that_is_none_is_refused(tmp_path: Path) -> None:
    done = configure(tmp_path, "ping_pang")
    assert done.returncode != 0
    assert "No benchmark ping_pang" in done.stderr
