"""The doctor on machines laid out in files: every finding where its condition holds, none else."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import psutil
import pytest

from support.laid_out import CPU, card, lay_out, two_sockets
from weft.errors import WeftError
from weft.host.cgroup import collect_cgroup
from weft.host.checks import diagnose
from weft.host.finding import Finding
from weft.host.load import Load, Watch
from weft.host.manifest import collect, typed

QUIET = Load()
SCHEMAS = Path(__file__).parents[2] / "schemas"


def findings(manifest: dict[str, Any], load: Load = QUIET, ranks: int = 2) -> dict[str, str]:
    return {finding.check: finding.level for finding in diagnose(manifest, load, ranks)}


def about(root: Path, check: str, ranks: int = 2) -> list[Finding]:
    return [f for f in diagnose(collect(root), QUIET, ranks) if f.check == check]


def test_this_machine_gives_a_manifest_that_is_json() -> None:
    manifest = collect()
    assert json.loads(json.dumps(manifest)) == manifest
    assert manifest["cpu"]["logical_cpus"] >= 1
    assert manifest["cpu"]["allowed_cpus"]
    assert manifest["memory"]["available_bytes"] > 0
    assert manifest["software"]["kernel"]
    assert all(finding.what for finding in diagnose(manifest, QUIET, 2))


def test_an_empty_machine_is_unknown_and_never_ok_by_guess(tmp_path: Path) -> None:
    levels = findings(collect(tmp_path, {}))
    assert levels.pop("other processes") == "ok"  # the load is not of the machine's files
    assert set(levels.values()) == {"unknown"}


def test_what_matters_most_stands_first(tmp_path: Path) -> None:
    """Of each level some, and behind what is noted stands what is well."""
    lay_out(tmp_path, {
        f"{CPU}/cpu0/cpufreq/scaling_governor": "powersave",
        f"{CPU}/intel_pstate/no_turbo": "0",
        "sys/kernel/mm/transparent_hugepage/enabled": "always [never]",
    })  # fmt: skip
    levels = [one.level for one in diagnose(collect(tmp_path, {}), QUIET, 2)]
    order = ("warning", "unknown", "note", "ok")
    assert set(levels) == set(order)
    assert levels == sorted(levels, key=order.index)


@pytest.mark.parametrize(
    ("files", "check", "level"),
    [
        ({f"{CPU}/cpu0/cpufreq/scaling_governor": "powersave"}, "governor", "warning"),
        ({f"{CPU}/cpu0/cpufreq/scaling_governor": "performance"}, "governor", "ok"),
        ({f"{CPU}/intel_pstate/no_turbo": "0"}, "turbo", "note"),
        ({f"{CPU}/intel_pstate/no_turbo": "1"}, "turbo", "ok"),
        ({f"{CPU}/cpufreq/boost": "1"}, "turbo", "note"),
        ({f"{CPU}/cpu3/cpufreq/boost": "1"}, "turbo", "note"),
        ({"sys/kernel/mm/transparent_hugepage/enabled": "[always] never"}, "huge pages", "note"),
        ({"sys/kernel/mm/transparent_hugepage/enabled": "always [never]"}, "huge pages", "ok"),
        ({"proc/cpuinfo": "flags\t: fpu hypervisor"}, "virtual machine", "warning"),
        ({"proc/cpuinfo": "flags\t: constant_tsc nonstop_tsc"}, "virtual machine", "ok"),
        ({"proc/cpuinfo": "flags\t: constant_tsc nonstop_tsc"}, "clock", "ok"),
        ({"proc/cpuinfo": "flags\t: constant_tsc"}, "clock", "warning"),
        ({"sys/fs/cgroup/cpu.max": "50000 100000"}, "CPU quota", "warning"),
        ({"sys/fs/cgroup/cpu.max": "max 100000"}, "CPU quota", "ok"),
        ({"proc/meminfo": "SwapTotal: 9000 kB\nSwapFree: 10 kB"}, "swap", "note"),
        ({"proc/meminfo": "SwapTotal: 0 kB\nSwapFree: 0 kB"}, "swap", "ok"),
    ],
)
def test_a_condition_is_found_where_it_holds(
    tmp_path: Path, files: dict[str, str], check: str, level: str
) -> None:
    assert findings(collect(lay_out(tmp_path, files)))[check] == level


THP = "sys/kernel/mm/transparent_hugepage/enabled"
MEASURES = "weft doctor --measure"


@pytest.mark.parametrize(
    ("files", "now", "after"),
    [
        ({THP: "always [madvise] never"}, "madvise", ""),
        ({THP: "always madvise [never]"}, "never", f" after echo madvise > /{THP}"),
        (
            {
                THP: "always madvise [never]",
                "proc/meminfo": "HugePages_Total: 200\nHugePages_Free: 70\nHugepagesize: 2048 kB",
            },
            "never, 70 pages of 2 MiB reserved and free",
            "",
        ),
        (
            {
                THP: "always madvise [never]",
                "proc/meminfo": "HugePages_Total: 9\nHugePages_Free: 0\nHugepagesize: 2048 kB",
            },
            "never",
            f" after echo madvise > /{THP}",
        ),
    ],
)
def test_the_doctor_says_how_to_learn_what_huge_pages_would_give(
    tmp_path: Path, files: dict[str, str], now: str, after: str
) -> None:
    [found] = about(lay_out(tmp_path, files), "huge pages")
    assert found.what == (
        f"transparent huge pages: {now}; messages get none unasked; to see what they would give"
        f" here, run {MEASURES}{after}"
    )
    assert (found.level, found.effect, found.fix) == ("ok", "", "")


def test_a_governor_that_is_but_a_name_is_no_warning(tmp_path: Path) -> None:
    policy = f"{CPU}/cpu0/cpufreq"
    lay_out(
        tmp_path,
        {
            "proc/self/status": "Cpus_allowed_list:\t0",
            f"{policy}/scaling_governor": "powersave",
            f"{policy}/scaling_driver": "amd-pstate-epp",
            f"{policy}/energy_performance_preference": "performance",
        },
    )
    assert findings(collect(tmp_path))["governor"] == "ok"
    lay_out(tmp_path, {f"{policy}/energy_performance_preference": "balance_power"})
    assert findings(collect(tmp_path))["governor"] == "warning"


@pytest.mark.parametrize(
    ("file", "value", "command"),
    [
        (f"{CPU}/intel_pstate/no_turbo", "0", f"echo 1 | tee /{CPU}/intel_pstate/no_turbo"),
        (f"{CPU}/cpufreq/boost", "1", f"echo 0 | tee /{CPU}/cpufreq/boost"),
    ],
)
def test_the_fix_of_turbo_writes_the_switch_that_is_there(
    tmp_path: Path, file: str, value: str, command: str
) -> None:
    [found] = about(lay_out(tmp_path, {file: value}), "turbo")
    assert found.fix == command


def test_a_narrow_slow_link_is_named_with_what_it_costs(tmp_path: Path) -> None:
    [found] = about(card(tmp_path, now=(8, 8)), "PCIe link")
    assert found.level == "warning"
    assert found.what == "eth5: hop 0000:01:00.0 runs at 8 GT/s x8, its best is 16 GT/s x16"
    assert found.effect == "limits each direction to 7.9 GB/s instead of 31.5 GB/s"


def test_a_link_at_the_best_of_both_ends_is_not_below_its_best(tmp_path: Path) -> None:
    [found] = about(card(tmp_path, now=(8, 16), port_best=(8, 16)), "PCIe link")
    assert (found.level, found.what) == ("ok", "at its best for eth5")


def test_the_end_that_bounds_a_slow_link_is_named(tmp_path: Path) -> None:
    [found] = about(card(tmp_path, now=(8, 8), port_best=(16, 8)), "PCIe link")
    assert found.what == (
        "eth5: hop 0000:01:00.0 runs at 8 GT/s x8, its best is 16 GT/s x8 (bounded by 0000:00:01.0)"
    )
    assert found.effect == "limits each direction to 7.9 GB/s instead of 15.8 GB/s"


def test_a_slot_that_carries_less_than_the_port_is_named(tmp_path: Path) -> None:
    root = card(tmp_path, speed=100_000, now=(8, 8), best=(8, 8), port_best=(8, 8))
    [found] = about(root, "PCIe link")
    assert found.what == "eth5: hop 0000:01:00.0 carries 7.9 GB/s, its port 12.5 GB/s"
    assert found.fix == "move the card to a slot with more or faster lanes"


def test_a_card_on_another_node_than_a_rank_is_told_with_the_distance(tmp_path: Path) -> None:
    """CPU numbers go across the sockets, ranks do not: both are on node 0."""
    [found] = about(card(two_sockets(tmp_path), node=1), "NUMA")
    assert found.level == "warning"
    assert found.what == (
        "eth5 is on node 1, rank 0's core 0 is on node 0 (distance 21), rank 1's core 2 is on"
        " node 0 (distance 21); distance 10 is local"
    )
    assert found.fix == "start on the card's node: numactl -N 1 weft run"


def test_a_rank_beyond_the_first_socket_is_told(tmp_path: Path) -> None:
    root = card(two_sockets(tmp_path), node=0)
    [near] = about(root, "NUMA")
    assert (near.level, near.what) == ("ok", "the ranks' cores are on the node of eth5 (node 0)")
    [far] = about(root, "NUMA", ranks=3)
    assert far.what == (
        "eth5 is on node 0, rank 2's core 1 is on node 1 (distance 21); distance 10 is local"
    )


@pytest.mark.parametrize("node", [-1, 7])
def test_a_node_that_nobody_knows_is_never_near(tmp_path: Path, node: int) -> None:
    [found] = about(card(two_sockets(tmp_path), node=node), "NUMA")
    assert found.level == ("unknown" if node < 0 else "warning")


def test_pages_that_move_are_told_where_there_is_somewhere_to_move_to(tmp_path: Path) -> None:
    lay_out(tmp_path, {"proc/sys/kernel/numa_balancing": "1"})
    assert about(tmp_path, "page moves") == []
    [found] = about(two_sockets(tmp_path), "page moves")
    assert found.level == "note"


def test_a_port_that_is_down_is_named(tmp_path: Path) -> None:
    port = "sys/class/infiniband/mlx5_0/ports/1"
    root = lay_out(tmp_path, {f"{port}/state": "1: DOWN", f"{port}/rate": "10 Gb/sec (4X)"})
    assert findings(collect(root))["RDMA port"] == "warning"
    lay_out(tmp_path, {f"{port}/state": "4: ACTIVE"})
    assert "RDMA port" not in findings(collect(root))


def test_others_that_are_busy_and_crowded_cores_are_told() -> None:
    manifest = collect()
    busy = Load(busiest=(("make", 0.9),), total=0.9)
    assert findings(manifest, busy)["other processes"] == "warning"
    assert findings(manifest)["other processes"] == "ok"
    assert findings(manifest, ranks=10_000)["cores"] == "warning"


@pytest.mark.parametrize(
    ("allowed", "ranks", "what", "fix"),
    [
        (
            [0, 1, 2, 3],
            4,
            "4 ranks share 2 cores, each on a hardware thread of its own",
            "use --ranks 2 or a machine with more cores",
        ),
        ([0, 1, 2, 3], 5, "5 ranks share 2 cores", "use --ranks 2 or a machine with more cores"),
        (
            [0, 1],
            2,
            "2 ranks share 1 core, each on a hardware thread of its own",
            "use more hosts (--hosts A,B) or a machine with more cores",
        ),
    ],
)
def test_ranks_on_hardware_threads_of_a_core_are_told(
    allowed: list[int], ranks: int, what: str, fix: str
) -> None:
    cpu = {"allowed_cpus": allowed, "core_cpus": [[0, 1], [2, 3]]}
    [found] = [f for f in diagnose({"cpu": cpu}, QUIET, ranks) if f.check == "cores"]
    assert (found.level, found.what, found.fix) == ("warning", what, fix)


@pytest.mark.parametrize(
    ("limits", "level"),
    [
        ({"memlock_bytes": 64 << 10}, "warning"),
        ({"memlock_bytes": 64 << 10, "ipc_lock": False}, "warning"),
        ({"memlock_bytes": 64 << 10, "ipc_lock": True}, "ok"),
        ({"memlock_bytes": -1}, "ok"),
        ({}, "unknown"),
    ],
)
def test_memory_that_may_not_be_locked_is_told(limits: dict[str, Any], level: str) -> None:
    assert findings({**collect(), "limits": limits})["locked memory"] == level


def test_the_manifest_of_an_older_record_is_still_read() -> None:
    """Facts that moved or went are passed over; what kept its name keeps its meaning."""
    header = json.loads((SCHEMAS / "examples" / "record-1.jsonl").read_text().splitlines()[0])
    for manifest in header["hosts"].values():
        assert typed(manifest).cpu.model == manifest["cpu"]["model"]
    older = {
        "host": "n1",
        "cpu": {"model": "m", "isolated": "", "virtual_machine": None, "cgroup_cpu_max": "max"},
        "interfaces": [{"name": "lo", "pcie": []}],
        "software": {"kernel": "6.1", "kernel_command_line": "quiet", "libraries": {}},
    }
    assert typed(older).cpu.model == "m"
    assert diagnose(older, QUIET, 2)


def test_a_damaged_manifest_is_one_line() -> None:
    with pytest.raises(WeftError, match="the host manifest is damaged"):
        typed({"cpu": {"model": ["a", "list"]}})


def test_a_busy_process_is_seen_and_this_one_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """The window stays open until the other has used time that the kernel counts."""
    spin = "import sys\nprint('up', flush=True)\nwhile True: pass"
    with subprocess.Popen([sys.executable, "-c", spin], stdout=subprocess.PIPE) as other:
        try:
            assert other.stdout is not None
            assert other.stdout.readline()
            both = [psutil.Process(other.pid), psutil.Process()]
            monkeypatch.setattr(psutil, "process_iter", lambda: both)
            watch = Watch()
            spent_s = both[0].cpu_times().user
            while both[0].cpu_times().user < spent_s + 0.1:
                pass
            load = watch.load()
        finally:
            other.kill()
    [(_, share)] = load.busiest
    assert 0 < share == load.total


def test_the_load_that_a_host_tells_of_itself_comes_before_that_of_this_machine() -> None:
    busy, quiet = Load(busiest=(("make", 0.9),), total=0.9), Load()
    elsewhere = {**collect(), "load": msgspec.to_builtins(quiet)}
    assert findings(elsewhere, busy)["other processes"] == "ok"
    elsewhere["load"] = msgspec.to_builtins(busy)
    assert findings(elsewhere, quiet)["other processes"] == "warning"
    del elsewhere["load"]
    assert findings(elsewhere, busy)["other processes"] == "warning"


@pytest.mark.parametrize(("own", "above"), [(2, 8), (8, 2), (2, None), (None, 2)])
def test_the_tightest_quota_of_a_group_and_those_above_it_holds(
    tmp_path: Path, own: int | None, above: int | None
) -> None:
    def quota(cores: int | None) -> str:
        return f"{cores * 100_000} 100000" if cores else "max 100000"

    files = {
        "proc/self/cgroup": "0::/job/step",
        "sys/fs/cgroup/job/cpu.max": quota(above),
        "sys/fs/cgroup/job/step/cpu.max": quota(own),
    }
    assert collect_cgroup(lay_out(tmp_path, files)).cpu_limit_cores == 2


@pytest.mark.parametrize(
    ("files", "known"),
    [
        ({}, False), ({"sys/fs/cgroup/cgroup.controllers": "cpu"}, True),
        ({"sys/fs/cgroup/cpu/tasks": "1"}, True), ({"sys/fs/cgroup/job/cpu.max": "max 1000"}, True),
        ({"sys/fs/cgroup/job/cpu.stat": "x"}, False),
    ],
)  # fmt: skip
def test_that_no_quota_holds_is_known_by_any_sign_of_one(
    tmp_path: Path, files: dict[str, str], known: bool
) -> None:
    """Of either version of control groups, in any group of this process."""
    told = collect_cgroup(lay_out(tmp_path, {"proc/self/cgroup": "0::/job/step", **files}))
    assert (told.cpu_limit_known, told.cpu_limit_cores) == (known, None)


@pytest.mark.parametrize("boosts", [("1", "0"), ("0", "1"), ("1", "1"), ("0", "0")])
def test_the_frequency_may_rise_where_it_may_on_any_cpu(
    tmp_path: Path, boosts: tuple[str, str]
) -> None:
    files = {f"{CPU}/cpu{at}/cpufreq/boost": one for at, one in enumerate(boosts)}
    level = findings(collect(lay_out(tmp_path, files)))["turbo"]
    assert level == ("note" if "1" in boosts else "ok")
