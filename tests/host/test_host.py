"""The machine as laid out in files: every finding where its condition holds, none where not."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.host.checks import diagnose
from weft.host.files import cpu_list
from weft.host.load import Load
from weft.host.manifest import collect, differences
from weft.host.nic import parse_pcie_speed

QUIET = Load()
CPU = "sys/devices/system/cpu"


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n")
    return root


def findings(manifest: dict[str, Any], load: Load = QUIET, ranks: int = 2) -> dict[str, str]:
    return {finding.check: finding.level for finding in diagnose(manifest, load, ranks)}


def test_this_machine_gives_a_manifest_that_is_json() -> None:
    manifest = collect()
    assert json.loads(json.dumps(manifest)) == manifest
    assert manifest["cpu"]["logical_cpus"] >= 1
    assert all(finding.what for finding in diagnose(manifest, QUIET))


def test_an_empty_machine_is_unknown_and_never_ok_by_guess(tmp_path: Path) -> None:
    levels = findings(collect(tmp_path))
    assert levels["governor"] == levels["turbo"] == levels["clock"] == "unknown"
    assert levels["huge pages"] == "unknown"


@pytest.mark.parametrize(
    ("files", "check", "level"),
    [
        ({f"{CPU}/cpu0/cpufreq/scaling_governor": "powersave"}, "governor", "warning"),
        ({f"{CPU}/cpu0/cpufreq/scaling_governor": "performance"}, "governor", "ok"),
        ({f"{CPU}/intel_pstate/no_turbo": "0"}, "turbo", "note"),
        ({f"{CPU}/intel_pstate/no_turbo": "1"}, "turbo", "ok"),
        ({f"{CPU}/cpufreq/boost": "1"}, "turbo", "note"),
        ({"sys/kernel/mm/transparent_hugepage/enabled": "[always] never"}, "huge pages", "note"),
        ({"sys/kernel/mm/transparent_hugepage/enabled": "always [never]"}, "huge pages", "ok"),
        ({"proc/cpuinfo": "flags\t: fpu hypervisor"}, "virtual machine", "warning"),
        ({"proc/cpuinfo": "flags\t: constant_tsc nonstop_tsc"}, "virtual machine", "ok"),
        ({"proc/cpuinfo": "flags\t: constant_tsc nonstop_tsc"}, "clock", "ok"),
        ({"proc/cpuinfo": "flags\t: constant_tsc"}, "clock", "warning"),
        ({"sys/fs/cgroup/cpu.max": "50000 100000"}, "CPU quota", "warning"),
        ({"sys/fs/cgroup/cpu.max": "max 100000"}, "CPU quota", "ok"),
        ({"proc/meminfo": "SwapTotal: 9000 kB\nSwapFree: 10 kB"}, "swap", "note"),
    ],
)
def test_a_condition_is_found_where_it_holds(
    tmp_path: Path, files: dict[str, str], check: str, level: str
) -> None:
    assert findings(collect(write(tmp_path, files)))[check] == level


def test_a_narrow_slow_link_and_a_slow_hop_above_it_are_named(tmp_path: Path) -> None:
    port = "sys/devices/pci0000:00/0000:00:01.0"
    card = f"{port}/0000:01:00.0"
    link = {
        f"{card}/current_link_speed": "8.0 GT/s PCIe",
        f"{card}/max_link_speed": "16.0 GT/s PCIe",
        f"{card}/current_link_width": "8",
        f"{card}/max_link_width": "16",
        f"{port}/current_link_speed": "16.0 GT/s PCIe",
        f"{port}/max_link_speed": "16.0 GT/s PCIe",
        f"{port}/current_link_width": "16",
        f"{port}/max_link_width": "16",
    }
    root = write(tmp_path, link)
    net = root / "sys/class/net/eth5"
    net.mkdir(parents=True)
    (net / "device").symlink_to(root / card)
    found = [f for f in diagnose(collect(root), QUIET) if f.check == "PCIe link"]
    assert len(found) == 1
    assert "0000:01:00.0 runs at 8 GT/s x8, its best is 16 GT/s x16" in found[0].what
    assert "7.9 GB/s instead of 31.5 GB/s" in found[0].effect


def test_a_port_that_is_down_is_named(tmp_path: Path) -> None:
    port = "sys/class/infiniband/mlx5_0/ports/1"
    root = write(tmp_path, {f"{port}/state": "1: DOWN", f"{port}/rate": "10 Gb/sec (4X)"})
    assert findings(collect(root))["RDMA port"] == "warning"
    write(tmp_path, {f"{port}/state": "4: ACTIVE"})
    assert "RDMA port" not in findings(collect(root))


def test_others_that_are_busy_and_crowded_cores_are_told() -> None:
    manifest = collect()
    busy = Load(busiest=(("make", 0.9),), total=0.9)
    assert findings(manifest, busy)["other processes"] == "warning"
    assert findings(manifest)["other processes"] == "ok"
    assert findings(manifest, ranks=10_000)["cores"] == "warning"


def test_memory_that_may_not_be_locked_is_told() -> None:
    manifest = collect()
    for limit, level in ((64 << 10, "warning"), (-1, "ok")):
        assert findings({**manifest, "limits": {"memlock_bytes": limit}})["locked memory"] == level


def test_unlike_machines_are_told_apart() -> None:
    manifest = collect()
    assert differences(manifest, manifest) == []
    assert differences({**manifest, "host": "other"}, manifest)


@given(st.lists(st.integers(0, 500), unique=True, min_size=1))
def test_cpu_lists(cpus: list[int]) -> None:
    assert cpu_list(",".join(map(str, cpus))) == cpus


@given(st.text(max_size=20))
def test_no_text_breaks_the_parsers(text: str) -> None:
    assert isinstance(cpu_list(text), list)
    speed = parse_pcie_speed(text)
    assert speed is None or speed >= 0
