"""Boots Debian's kernel under QEMU with two Soft-RoCE devices, and runs a command there.

The guest sees this machine's files, read-only, under an overlay that is gone afterwards, so that
every program built here runs there as it is. Its time is emulated: ratios within one boot mean
something, absolute figures do not.

    tests/lab/vm ibv_devinfo
    tests/lab/vm --deadline 60 mpirun.openmpi -n 2 --allow-run-as-root .venv/...
    tests/lab/vm --shell

Ends with the command's exit status; 124 when the deadline came first, 125 when the guest did not
get so far. Needs nothing but Python's own library.
"""

from __future__ import annotations

import argparse
import fcntl
import lzma
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import IO

HERE = Path(__file__).resolve().parent
EMULATOR = "qemu-system-x86_64"
TOOLS = (EMULATOR, "busybox", "cpio", "ip", "rdma", "setpriv")
# QEMU 7.2 emulates AVX2's gather of doubles wrongly.
CPU = "max,avx2=off"
INSTALL = "run scripts/install-system-packages test"
# What stands between the kernel's start and the host's files, in an order that loads.
BOOT_MODULES = (
    "virtio_ring", "virtio", "virtio_pci_legacy_dev", "virtio_pci_modern_dev", "virtio_pci",
    "virtio_console", "netfs", "fscache", "9pnet", "9pnet_virtio", "9p", "overlay",
)  # fmt: skip
DEADLINE_S = 900.0
TOO_LATE = 124
NO_ANSWER = 125


class LabError(Exception):
    """The lab cannot be built here; the text says why and what to type."""


def missing() -> str:
    """Why the machine cannot be built here; empty when it can."""
    lacking = [tool for tool in TOOLS if shutil.which(tool) is None]
    if lacking:
        return f"{', '.join(lacking)} not installed; {INSTALL}"
    if shutil.which("apt-get") is None or not Path("/etc/debian_version").exists():
        return "the guest's kernel comes from Debian's packages, and this is no Debian"
    return ""


def cache_folder() -> Path:
    """Where the unpacked kernel stays: WEFT_LAB_CACHE, or below the user's cache folder."""
    given = os.environ.get("WEFT_LAB_CACHE")
    if given:
        return Path(given).resolve()
    usual = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(usual) / "weft" / "lab"


def kernel() -> tuple[Path, Path]:
    """The kernel's image and the folder of its modules, fetched once and never installed.

    Raises LabError.
    """
    cache = cache_folder()
    cache.mkdir(parents=True, exist_ok=True)
    with (cache / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (cache / "whole").exists():
            _fetch_kernel(cache)
    modules = _modules(cache)
    return cache / "kernel" / "boot" / f"vmlinuz-{modules.name}", modules


def _fetch_kernel(cache: Path) -> None:
    shutil.rmtree(cache / "kernel", ignore_errors=True)
    sys.stderr.write(f"lab: fetching Debian's kernel into {cache}\n")
    told = _run(["apt-cache", "depends", "linux-image-amd64"], cache)
    package = told.partition("Depends: ")[2].split("\n")[0]
    if not package:
        raise LabError(f"apt knows no linux-image-amd64; {INSTALL}")
    _run(["apt-get", "-qq", "-o", "APT::Sandbox::User=root", "download", package], cache)
    for archive in cache.glob(f"{package}_*.deb"):
        _run(["dpkg-deb", "--extract", archive.name, "kernel"], cache)
        archive.unlink()
    # Debian 13 has them in /usr.
    if (cache / "kernel" / "usr" / "lib").exists():
        (cache / "kernel" / "lib").symlink_to("usr/lib")
    modules = _modules(cache)
    # Debian 13 compresses them, and busybox loads them as they are.
    for packed in modules.rglob("*.ko.xz"):
        packed.with_suffix("").write_bytes(lzma.decompress(packed.read_bytes()))
        packed.unlink()
    _run(["busybox", "depmod", "-b", str(cache / "kernel"), modules.name], cache)
    (cache / "whole").touch()


def _modules(cache: Path) -> Path:
    [modules] = (cache / "kernel" / "lib" / "modules").iterdir()
    return modules


def _run(command: list[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        raise LabError(f"{' '.join(command)} failed: {last}")
    return done.stdout


def _make_initial_files(modules: Path, target: Path) -> None:
    """The archive that the kernel starts from: busybox, the boot modules and init."""
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        (root / "bin").mkdir()
        (root / "modules").mkdir()
        shutil.copy(shutil.which("busybox") or "", root / "bin" / "busybox")
        shutil.copy(HERE / "init.sh", root / "init")
        (root / "init").chmod(0o755)
        found = {path.stem: path for path in modules.rglob("*.ko")}
        # What a kernel has built in needs no loading.
        order = [module for module in BOOT_MODULES if module in found]
        for module in order:
            shutil.copy(found[module], root / "modules")
        (root / "modules" / "order").write_text("".join(f"{module}\n" for module in order))
        names = "".join(f"{path.relative_to(root)}\n" for path in sorted(root.rglob("*")))
        with target.open("wb") as archive:
            subprocess.run(
                ["cpio", "--create", "--format=newc", "--quiet"],
                cwd=root, input=names.encode(), stdout=archive, check=True,
            )  # fmt: skip


def _emulator(image: Path, share: Path, shell: bool) -> list[str]:
    if shell:
        serial, ports = "stdio,id=serial,signal=off", []
    else:
        serial = f"file,id=serial,path={share}/console"
        ports = ["-device", "virtio-serial"]
        for name in ("stdout", "stderr"):
            ports += ["-chardev", f"file,id={name},path=/dev/{name},append=on"]
            ports += ["-device", f"virtserialport,chardev={name},name={name}"]
    return [
        "setpriv", "--pdeathsig", "KILL", EMULATOR,
        "-accel", "tcg,thread=multi", "-cpu", CPU, "-smp", "2", "-m", "2048",
        "-nodefaults", "-no-user-config", "-no-reboot", "-display", "none",
        "-kernel", str(image), "-initrd", str(share / "initial"),
        "-append", "console=ttyS0 quiet panic=-1 mitigations=off",
        "-chardev", serial, "-serial", "chardev:serial", *ports,
        "-virtfs", "local,path=/,mount_tag=host,security_model=none,readonly=on,multidevs=remap",
        "-virtfs", f"local,path={share},mount_tag=share,security_model=none",
    ]  # fmt: skip


def _write_settings(share: Path, modules: Path, shell: bool) -> None:
    size = shutil.get_terminal_size()
    settings = {
        "modules": str(modules),
        "folder_of_caller": str(Path.cwd()),
        "shell": "yes" if shell else "no",
        "rows": str(size.lines),
        "columns": str(size.columns),
    }
    lines = (f"{name}={shlex.quote(value)}\n" for name, value in settings.items())
    (share / "settings").write_text("".join(lines))


def _copy(source: IO[bytes], target: IO[bytes]) -> None:
    while data := os.read(source.fileno(), 1 << 16):
        target.write(data)
        target.flush()


def boot(command: list[str], deadline_s: float) -> int:
    """Run a command in the guest, or a shell on this terminal if it is empty; its exit status.

    Raises LabError when the guest could not be started.
    """
    reason = missing()
    if reason:
        raise LabError(reason)
    image, modules = kernel()
    with tempfile.TemporaryDirectory(prefix="weft-lab-") as name:
        share = Path(name)
        _make_initial_files(modules, share / "initial")
        _write_settings(share, modules, shell=not command)
        (share / "command").write_text(shlex.join(command) + "\n")
        shutil.copy(HERE / "guest.sh", share)
        emulator = _emulator(image, share, shell=not command)
        late = _watch(emulator, deadline_s) if command else _hand_over(emulator)
        status = share / "status"
        if status.exists() and status.read_text().strip():
            return int(status.read_text())
        for log in ("console", "setup.log"):
            if (share / log).exists():
                sys.stderr.write("".join((share / log).read_text(errors="replace")[-2000:]))
    if late:
        sys.stderr.write(f"lab: the command did not end in {deadline_s:g} s\n")
        return TOO_LATE
    sys.stderr.write("lab: the guest ended without a status; what it said is above\n")
    return NO_ANSWER


def _watch(emulator: list[str], deadline_s: float) -> bool:
    """Start the guest, pass on what it says; whether it had to be ended."""
    with subprocess.Popen(
        emulator, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as guest:
        pipes = ((guest.stdout, sys.stdout.buffer), (guest.stderr, sys.stderr.buffer))
        copies = [threading.Thread(target=_copy, args=pair) for pair in pipes]
        for copy in copies:
            copy.start()
        try:
            guest.wait(deadline_s)
        except subprocess.TimeoutExpired:
            return True
        finally:
            guest.kill()
            for copy in copies:
                copy.join()
    return False


def _hand_over(emulator: list[str]) -> bool:
    """Start the guest on this terminal, whose keys it gets until it ends."""
    subprocess.run(emulator, check=False)
    return False


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="tests/lab/vm", formatter_class=argparse.RawDescriptionHelpFormatter,
        description=__doc__, usage="tests/lab/vm [--deadline S] COMMAND... | --shell",
    )  # fmt: skip
    parser.add_argument("--shell", action="store_true", help="an interactive shell in the guest")
    parser.add_argument("--deadline", type=float, default=DEADLINE_S, metavar="S",
                        help="seconds until the guest is ended (default 300)")  # fmt: skip
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    if options.shell == bool(options.command):
        parser.error("name a command to run, or --shell")
    try:
        return boot(options.command, options.deadline)
    except LabError as error:
        sys.stderr.write(f"lab: {error}\n")
        return NO_ANSWER


if __name__ == "__main__":
    sys.exit(main())
