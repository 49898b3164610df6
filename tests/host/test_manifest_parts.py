"""Each part of the manifest from files whose content is known."""

import ctypes
import fcntl
import shutil
import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.laid_out import CPU, NODE, card, lay_out, two_sockets
from weft.host import software
from weft.host.cgroup import collect_cgroup, memory_room_bytes
from weft.host.cpu import _online, collect_cpu
from weft.host.environment import steering
from weft.host.ethtool import firmware_version
from weft.host.files import cpu_list, fields, size_bytes, whole
from weft.host.memory import collect_limits, collect_memory
from weft.host.nic import collect_interfaces, collect_rdma, parse_rate
from weft.host.numa import collect_numa, distance_between, node_of
from weft.host.pcie import Hop, PcieLink, links, parse_speed
from weft.host.programs import answers
from weft.host.software import collect_software, kernel_options, package_versions, program_versions
from weft.host.system import collect_system


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ("BOOT_IMAGE=/vmlinuz root=UUID=1 ro quiet isolcpus=2-7 nohz_full=2-7", None),
        ("mitigations=off intel_pstate=disable hugepages=64 hugepagesz=1G iommu=pt", None),
        ("token=s3cret systemd.setenv=KEY=x ds=nocloud;s=http://host/ ip=10.0.0.1", ""),
        ("rd.luks.key=abc rootflags=pass=y mitigations=auto,nosmt", "mitigations=auto,nosmt"),
        ("nosmt -- mitigations=secret", "nosmt"),
        ("quiet isolcpusx=1 xmitigations=off", ""),
        ("", ""),
    ],
)
def test_only_kernel_options_that_change_a_measurement_are_kept(
    line: str, kept: str | None
) -> None:
    wanted = kept
    if wanted is None:
        known = ("isolcpus", "nohz", "mitigations", "intel_pstate", "hugepages", "iommu")
        wanted = " ".join(word for word in line.split() if word.startswith(known))
    assert kernel_options(line) == wanted


def test_no_kernel_line_is_unknown() -> None:
    assert kernel_options(None) is None


def test_variables_that_steer_are_kept_and_secrets_are_not() -> None:
    steer = {"OMPI_MCA_btl": "self", "UCX_TLS": "sm", "FI_PROVIDER": "tcp", "LD_PRELOAD": "/x.so"}
    others = {
        "AWS_SECRET_ACCESS_KEY": "x",
        "HOME": "/root",
        "PMIX_SERVER_URI4": "http://10.0.0.1",
        "SLURM_JWT": "x",
        "UCX_AUTH_TOKEN": "x",
        "OMPI_PASSWORD": "x",
        "FICTION": "x",
    }
    assert steering({**others, **steer}) == steer


def test_the_tightest_quota_of_the_groups_above_counts(tmp_path: Path) -> None:
    base = "sys/fs/cgroup"
    files = {
        "proc/self/cgroup": "0::/user/job",
        f"{base}/user/cpu.max": "150000 100000",
        f"{base}/user/job/cpu.max": "max 100000",
        f"{base}/user/job/cpuset.cpus.effective": "0-1",
    }
    found = collect_cgroup(lay_out(tmp_path, files))
    assert (found.cpu_limit_known, found.cpu_limit_cores, found.cpus) == (True, 1.5, [0, 1])


def test_the_quota_of_the_first_version_of_cgroups(tmp_path: Path) -> None:
    base = "sys/fs/cgroup/cpu,cpuacct"
    files = {
        "proc/self/cgroup": "3:cpu,cpuacct:/job\n2:memory:/x",
        f"{base}/job/cpu.cfs_quota_us": "200000",
        f"{base}/job/cpu.cfs_period_us": "100000",
    }
    assert collect_cgroup(lay_out(tmp_path, files)).cpu_limit_cores == 2
    lay_out(tmp_path, {f"{base}/job/cpu.cfs_quota_us": "-1"})
    unlimited = collect_cgroup(tmp_path)
    assert (unlimited.cpu_limit_known, unlimited.cpu_limit_cores) == (True, None)


ROOMS = {
    "of version 2, the tightest above": (
        {
            "proc/self/cgroup": "0::/job/step",
            "sys/fs/cgroup/job/memory.max": "1000000",
            "sys/fs/cgroup/job/memory.current": "700000",
            "sys/fs/cgroup/job/memory.stat": "anon 5\ninactive_file 100000\n",
            "sys/fs/cgroup/job/step/memory.max": "max",
            "sys/fs/cgroup/job/step/memory.current": "600000",
        },
        400_000,
    ),
    "of version 1": (
        {
            "proc/self/cgroup": "5:cpu:/x\n4:memory:/job",
            "sys/fs/cgroup/memory/job/memory.limit_in_bytes": "500000",
            "sys/fs/cgroup/memory/job/memory.usage_in_bytes": "100000",
            "sys/fs/cgroup/memory/job/memory.stat": "total_inactive_file 1000\n",
        },
        401_000,
    ),
    "used beyond the limit": (
        {
            "proc/self/cgroup": "0::/",
            "sys/fs/cgroup/memory.max": "1000",
            "sys/fs/cgroup/memory.current": "2000",
        },
        0,
    ),
    "without a limit": ({"proc/self/cgroup": "0::/job"}, None),
    "of another mount": ({"proc/self/cgroup": "0::/../x", "sys/fs/x/memory.max": "1"}, None),
}


@pytest.mark.parametrize(("files", "room"), ROOMS.values(), ids=ROOMS)
def test_memory_is_what_the_groups_leave(
    tmp_path: Path, files: dict[str, str], room: int | None
) -> None:
    root = lay_out(tmp_path, {**files, "proc/meminfo": "MemAvailable: 1000 kB\n"})
    assert memory_room_bytes(root) == room
    least = 1_024_000 if room is None else min(room, 1_024_000)
    assert collect_memory(root).available_bytes == least


def test_a_group_never_leads_out_of_its_mount(tmp_path: Path) -> None:
    files = {"proc/self/cgroup": "0::/../../etc", "sys/etc/cpu.max": "1 100"}
    assert collect_cgroup(lay_out(tmp_path, files)).cpu_limit_cores is None


def test_cores_sockets_and_caches(tmp_path: Path) -> None:
    root = two_sockets(tmp_path)
    cache = f"{CPU}/cpu0/cache/index3"
    lay_out(
        root, {f"{cache}/level": "3", f"{cache}/size": "32768K", f"{cache}/shared_cpu_list": "0,2"}
    )
    cpu = collect_cpu(root)
    assert (cpu.logical_cpus, cpu.cores, cpu.sockets) == (4, 4, 2)
    assert cpu.allowed_cpus == [0, 1, 2, 3]
    [l3] = cpu.caches
    assert (l3.level, l3.size_bytes, l3.shared_cpus) == (3, 32 << 20, [0, 2])
    assert (cpu.tsc_invariant, cpu.governor, cpu.isolated_cpus) == (None, None, None)


def test_only_folders_with_a_number_are_cpus(tmp_path: Path) -> None:
    """Where the kernel lists none as online, its folders are counted."""
    names = ("cpu2", "cpu10", "cpu", "cpufreq", "cpuidle", "cpu1x", "acpu3")
    files = {f"{CPU}/{name}/topology/physical_package_id": "0" for name in names}
    assert _online(lay_out(tmp_path, files)) == [2, 10]


def test_unlike_governors_are_all_told(tmp_path: Path) -> None:
    values = {0: "powersave", 1: "performance", 2: "powersave"}
    files = {f"{CPU}/cpu{n}/cpufreq/scaling_governor": value for n, value in values.items()}
    assert collect_cpu(lay_out(tmp_path, files)).governor == "performance, powersave"


def test_memory_and_limits(tmp_path: Path) -> None:
    files = {
        "proc/meminfo": "MemTotal: 1024 kB\nMemAvailable: 512 kB\nHugePages_Total: 7\n"
        "Hugepagesize: 2048 kB\nSwapTotal: 100 kB\nSwapFree: 40 kB",
        "proc/self/limits": "Limit                Soft Limit  Hard Limit  Units\n"
        "Max locked memory    8388608     8388608     bytes\n"
        "Max open files       unlimited   unlimited   files",
        "proc/self/status": "CapEff:\t0000000000004000",
    }
    root = lay_out(tmp_path, files)
    memory, limits = collect_memory(root), collect_limits(root)
    assert (memory.total_bytes, memory.available_bytes) == (1 << 20, 512 << 10)
    assert (memory.huge_pages, memory.huge_page_bytes) == (7, 2 << 20)
    assert memory.swap_used_bytes == 60 << 10
    assert (limits.memlock_bytes, limits.open_files, limits.ipc_lock) == (8 << 20, -1, True)
    lay_out(root, {"proc/self/status": "CapEff:\t0000000000000000"})
    assert collect_limits(root).ipc_lock is False


def test_nodes_whose_numbers_have_gaps(tmp_path: Path) -> None:
    files = {
        f"{NODE}/node0/cpulist": "0",
        f"{NODE}/node0/distance": "10 32",
        f"{NODE}/node8/cpulist": "1",
        f"{NODE}/node8/distance": "32 10",
        f"{NODE}/node8/meminfo": "Node 8 MemTotal:       2048 kB",
    }
    nodes = collect_numa(lay_out(tmp_path, files))
    assert [node.node for node in nodes] == [0, 8]
    assert nodes[1].total_bytes == 2 << 20
    assert node_of(nodes, 1) is nodes[1]
    assert node_of(nodes, 5) is None
    assert distance_between(nodes, nodes[0], 8) == 32
    assert distance_between(nodes, nodes[0], 1) is None


def test_a_card_has_its_node_its_driver_and_its_links(tmp_path: Path) -> None:
    root = card(tmp_path, node=1, now=(8, 8), speed=25_000)
    lay_out(root, {"sys/class/net/bonding_masters": "bond0"})
    [found] = collect_interfaces(root, live=False)
    assert (found.name, found.numa, found.pci_address) == ("eth5", 1, "0000:01:00.0")
    assert found.rate_bit_per_s == 25e9
    assert [hop.address for hop in found.pcie] == ["0000:01:00.0", "0000:00:01.0"]
    assert found.pcie[0].now_bytes_per_s == pytest.approx(7.877e9, rel=1e-3)


def test_a_virtual_function_has_the_link_of_its_physical_one(tmp_path: Path) -> None:
    root = card(tmp_path)
    virtual = root / "sys/devices/pci0000:00/0000:00:01.0/0000:01:00.1"
    virtual.mkdir()
    (virtual / "physfn").symlink_to("../0000:01:00.0")
    device = root / "sys/class/infiniband/mlx5_1"
    (device / "ports/1").mkdir(parents=True)
    (device / "ports/1/state").write_text("4: ACTIVE\n")
    (device / "ports/1/rate").write_text("100 Gb/sec (4X EDR)\n")
    (device / "device").symlink_to(virtual)
    [found] = collect_rdma(root)
    assert (found.pci_address, found.numa) == ("0000:01:00.0", 0)
    assert (found.is_up, found.rate_bit_per_s) == (True, 100e9)
    assert found.pcie[0].width == 16


def test_a_switch_gives_two_links_not_three() -> None:
    hops = [Hop(address=name) for name in ("card", "down", "up", "root")]
    ends = [(link.lower.address, link.upper and link.upper.address) for link in links(hops)]
    assert ends == [("card", "down"), ("up", "root")]
    assert links(hops[:1]) == [PcieLink(lower=hops[0], upper=None)]


@pytest.mark.parametrize(
    ("files", "is_virtual", "hypervisor"),
    [
        ({"proc/cpuinfo": "flags\t: hypervisor", "sys/hypervisor/type": "xen"}, True, "Xen"),
        ({"proc/cpuinfo": "flags\t: hypervisor"}, True, None),
        ({"proc/cpuinfo": "flags\t: fpu", "sys/class/dmi/id/sys_vendor": "QEMU"}, False, None),
        ({"sys/class/dmi/id/sys_vendor": "QEMU"}, True, "QEMU"),
        ({"sys/class/dmi/id/product_name": "m7g.metal", "proc/x": ""}, None, None),
    ],
)
def test_the_hypervisor(
    tmp_path: Path, files: dict[str, str], is_virtual: bool | None, hypervisor: str | None
) -> None:
    found = collect_system(lay_out(tmp_path, files))
    assert (found.is_virtual, found.hypervisor) == (is_virtual, hypervisor)


def test_steal_container_and_what_moves_interrupts(tmp_path: Path) -> None:
    files = {
        "proc/stat": "cpu  40 0 40 10 0 0 0 10 99 0\ncpu0 1 1 1 1 1 1 1 1 1 1",
        "proc/17/comm": "irqbalance",
        "proc/18/comm": "bash",
        "proc/self/cgroup": "0::/docker/abc",
    }
    found = collect_system(lay_out(tmp_path, files))
    assert (found.steal_percent, found.irqbalance, found.container) == (10.0, True, "docker")


def test_versions_from_what_programs_say() -> None:
    told = (
        "config-files libucx0 1.12.1-1\ninstalled libucx0 1.13.1-1\nnot-installed libfabric1 \n"
        "installed libopenmpi3t64 5.0.7-1\ninstalled libopenmpi-dev 4\n"
    )
    assert package_versions(told) == {"ucx": "1.13.1-1", "openmpi": "5.0.7-1"}
    said = {
        "mpirun": "mpirun (Open MPI) 4.1.4\n\nReport bugs",
        "ompi_info": "Open MPI v4.1.4",
        "ucx_info": "# Version 1.13.1\n# Git branch",
        "mpichversion": "MPICH Version:    \t4.0.2\n",
    }
    versions = {"mpirun": "4.1.4", "ompi_info": "4.1.4", "ucx_info": "1.13.1"}
    assert program_versions(said) == {**versions, "mpichversion": "4.0.2"}


def test_a_machine_in_files_is_not_asked_for_its_programs(tmp_path: Path) -> None:
    release = {"etc/os-release": 'NAME=x\nPRETTY_NAME="Debian 12"'}
    found = collect_software(lay_out(tmp_path, release), live=False)
    assert (found.distribution, found.libraries, found.programs) == ("Debian 12", {}, {})


@pytest.mark.parametrize(("dpkg", "libraries"), [("/usr/bin/dpkg-query", None), (None, {})])
def test_packages_are_not_known_where_dpkg_is_busy(
    monkeypatch: pytest.MonkeyPatch, dpkg: str | None, libraries: dict[str, str] | None
) -> None:
    """It is there, and did not answer in time; where it is missing nothing came by it."""
    monkeypatch.setattr(software, "answers", lambda _: {})
    monkeypatch.setattr(shutil, "which", lambda _: dpkg)
    assert collect_software(Path("/"), live=True).libraries == libraries


def test_programs_that_are_missing_or_late_are_left_out() -> None:
    # On a busy machine a program that is in time may take its time.
    assert answers({"no": ("/nowhere/x",), "yes": ("echo", "hi")}, 60.0) == {"yes": "hi\n"}
    assert answers({"late": ("sleep", "60")}, deadline_s=0.2) == {}


def test_firmware_is_what_the_driver_writes_into_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """struct ethtool_drvinfo: 4 bytes of command, then 32 each of driver, version and firmware."""

    def driver(_: int, request: int, packed: bytes) -> None:
        name, address = struct.unpack("16sP", packed)
        assert (request, name.rstrip(b"\0")) == (0x8946, b"eth5")
        ctypes.memmove(address + 4, b"mlx5_core\0", 10)
        ctypes.memmove(address + 4 + 64, b"16.35.3006 (X)\0", 15)

    monkeypatch.setattr(fcntl, "ioctl", driver)
    assert firmware_version("eth5") == "16.35.3006 (X)"


def test_loopback_and_what_is_not_there_have_no_firmware() -> None:
    assert firmware_version("lo") is None
    assert firmware_version("not-there-at-all-0") is None


@given(st.lists(st.integers(0, 500), unique=True, min_size=1))
def test_cpu_lists(cpus: list[int]) -> None:
    assert cpu_list(",".join(map(str, cpus))) == cpus


@given(st.text(max_size=30))
def test_no_text_breaks_the_parsers(text: str) -> None:
    assert isinstance(cpu_list(text), list)
    assert isinstance(fields(text), dict)
    for parse in (parse_speed, parse_rate, size_bytes):
        found = parse(text)
        assert found is None or found >= 0
    number = whole(text)
    assert number is None or number == int(text)
    assert isinstance(kernel_options(text), str)
    assert isinstance(package_versions(text), dict)


def test_every_unit_of_a_kernel_size_is_a_power_of_two() -> None:
    known = {"": 0, "B": 0, "K": 10, "KB": 10, "kB": 10, "M": 20, "MB": 20, "G": 30}
    assert {unit: size_bytes(f"3 {unit}") for unit in known} == {
        unit: 3 << power for unit, power in known.items()
    }
    assert size_bytes("3 T") is None


def test_a_node_that_says_little_is_there_all_the_same(tmp_path: Path) -> None:
    [node] = collect_numa(lay_out(tmp_path, {f"{NODE}/node3/cpulist": "0-1"}))
    assert (node.node, node.cpus, node.distances) == (3, [0, 1], [])
    assert (node.total_bytes, node.free_bytes) == (None, None)
