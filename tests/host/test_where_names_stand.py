"""Each file that names a hypervisor or a container names it by itself."""

from pathlib import Path

import pytest

from weft.host.system import _container, _hypervisor


def written(root: Path, file: str, text: str) -> Path:
    (root / file).parent.mkdir(parents=True, exist_ok=True)
    (root / file).write_text(text)
    return root


@pytest.mark.parametrize(
    "file",
    [
        "sys/class/dmi/id/sys_vendor",
        "sys/class/dmi/id/product_name",
        "sys/hypervisor/type",
        "proc/device-tree/hypervisor/compatible",
        "sys/devices/system/clocksource/clocksource0/available_clocksource",
    ],
)
def test_a_hypervisor_is_named_by_any_of_its_files(tmp_path: Path, file: str) -> None:
    assert _hypervisor(tmp_path) is None
    assert _hypervisor(written(tmp_path, file, "XEN of any kind\n")) == "Xen"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("VMware, Inc. VMware7,1", "VMware"), ("innotek GmbH VirtualBox", "VirtualBox"),
        ("Oracle VirtualBox", "VirtualBox"), ("innotek GmbH", "VirtualBox"), ("Xen HVM", "Xen"),
        ("Microsoft Corporation Virtual Machine", "Hyper-V"), ("hyperv_clocksource", "Hyper-V"),
        ("Google Google Compute Engine", "Google Compute Engine"), ("Amazon EC2", "Amazon EC2"),
        ("OpenStack Foundation OpenStack Nova", "OpenStack"), ("Parallels 18", "Parallels"),
        ("BHYVE", "bhyve"), ("Apple Virtualization Generic Platform", "Apple Virtualization"),
        ("kvm-clock", "KVM"), ("QEMU Standard PC", "QEMU"), ("QEMU KVM", "KVM"),
        ("Dell Inc. PowerEdge R760", None), ("Microsoft Corporation Surface", None),
    ],
)  # fmt: skip
def test_firmware_and_clocks_name_each_hypervisor(
    tmp_path: Path, text: str, name: str | None
) -> None:
    assert _hypervisor(written(tmp_path, "sys/class/dmi/id/product_name", text)) == name


@pytest.mark.parametrize(
    ("file", "text", "name"),
    [
        ("run/systemd/container", "lxc\n", "lxc"),
        (".dockerenv", "", "docker"),
        ("run/.containerenv", "", "podman"),
        ("proc/self/cgroup", "0::/docker/1f\n", "docker"),
        ("proc/1/cgroup", "0::/docker/1f\n", "docker"),
        ("proc/self/cgroup", "0::/user.slice\n", None),
    ],
)
def test_a_container_is_named_by_any_of_its_files(
    tmp_path: Path, file: str, text: str, name: str | None
) -> None:
    assert _container(written(tmp_path, file, text)) == name
