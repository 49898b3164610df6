"""Which CPUs a host has where the kernel does not list them: those that have a folder."""

from pathlib import Path

import pytest

from weft.host.cpu import CPUS, _online


@pytest.mark.parametrize(
    ("listed", "found"), [(None, [0, 2, 10]), ("", [0, 2, 10]), ("0-1,4", [0, 1, 4])]
)
def test_without_a_list_each_folder_of_a_number_is_one(
    tmp_path: Path, listed: str | None, found: list[int]
) -> None:
    for name in ("cpu0", "cpu10", "cpu2", "cpufreq", "cpuidle", "cpu3a"):
        (tmp_path / CPUS / name).mkdir(parents=True)
    if listed is not None:
        (tmp_path / CPUS / "online").write_text(listed)
    assert _online(tmp_path) == found
