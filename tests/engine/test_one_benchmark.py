"""`make try` compiles one benchmark: the build's own list names it alone."""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def configure(folder: Path, benchmark: str, *words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["cmake", "-G", "Ninja", "-S", ROOT, "-B", folder, f"-DWEFT_ONLY={benchmark}", *words],
        capture_output=True, text=True, timeout=600, check=False,
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


def test_only_the_transport_is_compiled_and_the_engine_is_that_of_another_build(
    tmp_path: Path,
) -> None:
    other, folder = tmp_path / "release", tmp_path / "try"
    (other / "engine").mkdir(parents=True)
    for name in ("weft_engine", "weft_engine_openmpi", "weft_engine_mpich"):
        (other / "engine" / f"lib{name}.a").touch()
    assert configure(folder, "stream", f"-DWEFT_ENGINE={other}").returncode == 0
    done = subprocess.run(
        ["ninja", "-C", folder, "-n", "-v", "rank-tcp"], capture_output=True, text=True, check=True
    )
    compiled = {Path(line.split()[-1]).name for line in done.stdout.splitlines() if " -c " in line}
    assert compiled == {path.name for path in (ROOT / "engine/transports/tcp").glob("*.cpp")}
    assert f"{other}/engine/libweft_engine.a" in done.stdout


def test_a_benchmark_that_is_none_is_refused(tmp_path: Path) -> None:
    done = configure(tmp_path, "ping_pang")
    assert done.returncode != 0
    assert "No benchmark ping_pang" in done.stderr
