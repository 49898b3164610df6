"""A machine in files that has everything: no two facts of it are alike."""

from pathlib import Path

from support.laid_out import CPU, NODE, lay_out

_PORT = "sys/devices/pci0000:00/0000:00:03.0"
# By device: its function behind the port, its speed now and at best, its lanes now and at best.
_FUNCTIONS = {
    "0000:03:00.0": ((8.0, 16.0), (4, 8)),
    "0000:03:00.1": ((16.0, 32.0), (2, 16)),
}
_CPUS = range(8)


def rich_machine(root: Path) -> Path:
    """Two sockets of two cores of two threads, an Ethernet card, an RDMA device of two ports."""
    lay_out(root, {**_system(), **_processor(), **_memory(), **_devices()})
    for device, function in (("net/eth7", "0000:03:00.0"), ("infiniband/mlx5_3", "0000:03:00.1")):
        (root / f"sys/class/{device}/device").symlink_to(root / _PORT / function)
        driver = root / f"sys/bus/pci/drivers/{device.partition('/')[2]}_core"
        driver.mkdir(parents=True)
        (root / _PORT / function / "driver").symlink_to(driver)
    return root


def _system() -> dict[str, str]:
    group = "sys/fs/cgroup/job"
    return {
        "proc/sys/kernel/hostname": "rich-1",
        "proc/sys/kernel/random/boot_id": "a-boot",
        "proc/sys/kernel/osrelease": "6.1.77",
        "proc/sys/kernel/version": "#1 SMP of a day",
        "proc/cmdline": "quiet isolcpus=5 mitigations=auto token=s3cret numa_balancing=enable",
        "etc/os-release": 'NAME=Other\nPRETTY_NAME="Rich Linux 12"',
        "proc/self/cgroup": "0::/job",
        f"{group}/cpu.max": "350000 100000",
        f"{group}/cpuset.cpus.effective": "0-6",
        f"{group}/memory.max": "9000000000",
        f"{group}/memory.current": "5000000000",
        f"{group}/memory.stat": "anon 7\ninactive_file 300000000",
        "proc/stat": "cpu  11 12 13 14 15 16 17 19 21 22\ncpu0 1 1 1 1 1 1 1 1 1 1",
        "proc/31/comm": "irqbalance",
        "sys/class/dmi/id/sys_vendor": "Rich",
        "sys/class/dmi/id/product_name": "OpenStack Nova",
        "run/systemd/container": "nspawn",
        "sys/devices/system/clocksource/clocksource0/current_clocksource": "tsc",
        "sys/devices/system/clocksource/clocksource0/available_clocksource": "tsc hpet",
    }


def _processor() -> dict[str, str]:
    files = {
        "proc/cpuinfo": "processor: 0\nvendor_id: Maker\nmodel name: Rich CPU 9\n"
        "flags: fpu constant_tsc hypervisor\n\nprocessor: 1\nmodel name: another",
        f"{CPU}/online": "0-7",
        f"{CPU}/isolated": "5",
        f"{CPU}/smt/control": "on",
        f"{CPU}/smt/active": "1",
        f"{CPU}/intel_pstate/no_turbo": "0",
        f"{CPU}/vulnerabilities/meltdown": "Not affected",
        f"{CPU}/vulnerabilities/l1tf": "Mitigation: PTE Inversion",
        "proc/self/status": "Name:\tx\nCapEff:\t0000000000000000\nCpus_allowed_list:\t1-6",
    }
    for cpu in _CPUS:
        folder = f"{CPU}/cpu{cpu}"
        files[f"{folder}/topology/core_cpus_list"] = f"{cpu % 4},{cpu % 4 + 4}"
        files[f"{folder}/topology/physical_package_id"] = str(cpu % 4 // 2)
        files[f"{folder}/cpufreq/scaling_governor"] = "powersave" if cpu % 2 else "schedutil"
        files[f"{folder}/cpufreq/energy_performance_preference"] = "balance_power"
        files[f"{folder}/cpufreq/scaling_driver"] = f"driver-{cpu}"
        for name, khz in (("min", 800_000), ("max", 3_600_000), ("cur", 2_100_000)):
            files[f"{folder}/cpufreq/scaling_{name}_freq"] = str(khz + cpu)
    for cpu in (0, 1):
        for index, (level, kind, size) in enumerate(
            ((1, "Data", "48K"), (1, "Instruction", "32K"), (2, "Unified", "2M"))
        ):
            cache = f"{CPU}/cpu{cpu}/cache/index{index}"
            files[f"{cache}/level"], files[f"{cache}/type"] = str(level), kind
            files[f"{cache}/size"] = size
            files[f"{cache}/shared_cpu_list"] = f"{cpu},{cpu + 4}"
    return files


def _memory() -> dict[str, str]:
    pages = "sys/kernel/mm/transparent_hugepage"
    return {
        "proc/meminfo": "MemTotal: 16000000 kB\nMemFree: 7000000 kB\nMemAvailable: 8000000 kB\n"
        "SwapTotal: 900000 kB\nSwapFree: 600000 kB\nHugePages_Total: 12\nHugePages_Free: 9\n"
        "Hugepagesize: 2048 kB",
        f"{pages}/enabled": "always [madvise] never",
        f"{pages}/defrag": "always defer [defer+madvise] madvise never",
        "proc/sys/kernel/numa_balancing": "1",
        "proc/self/limits": "Limit                Soft Limit  Hard Limit  Units\n"
        "Max locked memory    65536       8388608     bytes\n"
        "Max open files       1024        4096        files",
        f"{NODE}/node0/cpulist": "0-1,4-5",
        f"{NODE}/node0/distance": "10 32",
        f"{NODE}/node0/meminfo": "Node 0 MemTotal: 7000 kB\nNode 0 MemFree: 3000 kB",
        f"{NODE}/node2/cpulist": "2-3,6-7",
        f"{NODE}/node2/distance": "31 11",
        f"{NODE}/node2/meminfo": "Node 2 MemTotal: 9000 kB\nNode 2 MemFree: 4000 kB",
    }


def _devices() -> dict[str, str]:
    net, rdma = "sys/class/net/eth7", "sys/class/infiniband/mlx5_3"
    files = {
        f"{net}/mtu": "9000",
        f"{net}/operstate": "up",
        f"{net}/speed": "200000",
        f"{net}/duplex": "full",
        "sys/class/net/lo/mtu": "65536",
        "sys/class/net/lo/operstate": "unknown",
        "sys/class/net/eth8/operstate": "down",
        "sys/class/net/eth8/speed": "-1",
        "sys/class/net/eth8/duplex": "half",
        f"{rdma}/fw_ver": "20.31.1014",
        f"{rdma}/board_id": "MT_0000000013",
        "sys/bus/pci/slots/4/address": "0000:03:00",
        "sys/bus/pci/slots/4/cur_bus_speed": "133 MHz PCI-X",
        "sys/bus/pci/slots/5/address": "0000:00:03",
        "sys/bus/pci/slots/5/cur_bus_speed": "16.0 GT/s PCIe",
    }
    ports = (
        ("1", "4: ACTIVE", "5: LinkUp", "100 Gb/sec (4X EDR)", "InfiniBand"),
        ("2", "1: DOWN", "3: Disabled", "40 Gb/sec (4X QDR)", "Ethernet"),
    )
    names = ("state", "phys_state", "rate", "link_layer")
    for port, *facts in ports:
        files |= {
            f"{rdma}/ports/{port}/{name}": fact for name, fact in zip(names, facts, strict=True)
        }
    ends = {f"{_PORT}/{name}": state for name, state in _FUNCTIONS.items()}
    for folder, (speeds, widths) in {_PORT: ((16.0, 16.0), (8, 8)), **ends}.items():
        for name, speed, width in zip(("current", "max"), speeds, widths, strict=True):
            files[f"{folder}/{name}_link_speed"] = f"{speed} GT/s PCIe"
            files[f"{folder}/{name}_link_width"] = str(width)
    for at, name in enumerate(_FUNCTIONS):
        files[f"{_PORT}/{name}/numa_node"] = str(2 * (1 - at))
    return files
