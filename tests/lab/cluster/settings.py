"""What lies over /etc on the hosts: names, munge's key, Slurm's and ssh's configuration."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import subprocess
from pathlib import Path

from lab.cluster.layout import (
    ABSENT,
    FOLDER,
    HEAD,
    LOGS,
    STRANGER,
    address,
    all_hosts,
    etc,
)

CPUS = 4
MEMORY_MB = 2000
# Seconds until a host that does not answer is lost. Many hosts share the cores of one machine, and
# while all of them start their ranks each has to wait.
_LEAST_PATIENCE_S = 10
_MOST_PATIENCE_S = 100
_PATIENCE_OF_A_HOST_S = 2
# A partition for another account, and one whose only node is never there.
_SLURM = """\
ClusterName=lab
SlurmctldHost={head}({head_address})
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=2,bf_interval=2,batch_sched_delay=0
SlurmdParameters=config_overrides
PropagateResourceLimits=NONE
EnforcePartLimits=ALL
JobRequeue=0
ReturnToService=2
SlurmctldTimeout=10
SlurmdTimeout={patience}
TCPTimeout=2
MessageTimeout={patience}
KillWait=5
UnkillableStepTimeout=60
InactiveLimit=0
MinJobAge=300
OverTimeLimit=0
SlurmctldPort=6817
SlurmdPort=6818
StateSaveLocation=/run/slurmctld
SlurmdSpoolDir=/run/slurmd
SlurmctldPidFile=/run/slurmctld.pid
SlurmdPidFile=/run/slurmd.pid
SlurmctldLogFile={logs}/slurmctld.log
SlurmdLogFile={logs}/slurmd-%h.log
NodeName=n[1-{count}] CPUs={cpus} RealMemory={memory} Feature=lab State=UNKNOWN
NodeName=absent NodeAddr={absent} CPUs={cpus} RealMemory={memory} State=DOWN
PartitionName=lab Nodes=n[1-{count}] Default=YES MaxTime=30 State=UP OverSubscribe=NO
PartitionName=closed Nodes=n[1-{count}] AllowAccounts=physics MaxTime=30 State=UP
PartitionName=empty Nodes=absent MaxTime=30 State=UP
"""
_SSH = """\
Host *
  IdentityFile /etc/ssh/user_key
  IdentitiesOnly yes
  StrictHostKeyChecking yes
  UserKnownHostsFile /dev/null
  BatchMode yes
  ConnectTimeout 5
"""
_SSHD = """\
ListenAddress {address}
HostKey /etc/ssh/ssh_host_ed25519_key
AuthorizedKeysFile /etc/ssh/authorized_keys
PermitRootLogin prohibit-password
PasswordAuthentication no
KbdInteractiveAuthentication no
UsePAM no
PidFile none
MaxStartups 200
MaxSessions 200
"""


def write(count: int) -> None:
    """All files for so many compute hosts, below FOLDER."""
    LOGS.mkdir(parents=True)
    hosts = all_hosts(count)
    for host in hosts:
        etc(host).mkdir(parents=True)
    _write_names(hosts)
    trusted = [host for host in hosts if host != STRANGER]
    _write_munge(trusted)
    for host in trusted:
        folder = etc(host) / "slurm"
        folder.mkdir()
        (folder / "slurm.conf").write_text(_slurm(count))
        (folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\nCgroupAutomount=no\n")
    _write_ssh(hosts)


def _slurm(count: int) -> str:
    return _SLURM.format(
        head=HEAD,
        head_address=address(HEAD),
        logs=LOGS,
        count=count,
        absent=ABSENT,
        cpus=CPUS,
        memory=MEMORY_MB,
        patience=min(max(_LEAST_PATIENCE_S, _PATIENCE_OF_A_HOST_S * count), _MOST_PATIENCE_S),
    )


def _write_names(hosts: list[str]) -> None:
    lines = ["127.0.0.1 localhost", *(f"{address(host)} {host}" for host in hosts)]
    switch = Path("/etc/nsswitch.conf").read_text()
    for host in hosts:
        (etc(host) / "hosts").write_text("\n".join(lines) + "\n")
        (etc(host) / "hostname").write_text(f"{host}\n")
        (etc(host) / "machine-id").write_text(f"{secrets.token_hex(16)}\n")
        (etc(host) / "resolv.conf").touch()
        only_files = re.sub(r"(?m)^hosts:.*", "hosts: files", switch)
        (etc(host) / "nsswitch.conf").write_text(only_files)


def _write_munge(hosts: list[str]) -> None:
    key = secrets.token_bytes(128)
    for host in hosts:
        folder = etc(host) / "munge"
        folder.mkdir(mode=0o700)
        path = folder / "munge.key"
        path.touch(mode=0o600)
        path.write_bytes(key)
        for owned in (folder, path):
            shutil.chown(owned, "munge", "munge")


def _write_ssh(hosts: list[str]) -> None:
    """A key of every host, and one user's key for all but the stranger."""
    user = FOLDER / "user_key"
    _make_key(user)
    known = []
    for host in hosts:
        folder = etc(host) / "ssh"
        folder.mkdir()
        _make_key(folder / "ssh_host_ed25519_key")
        public = (folder / "ssh_host_ed25519_key.pub").read_text().split()
        known.append(f"{host},{address(host)} {' '.join(public[:2])}\n")
        (folder / "ssh_config").write_text(_SSH)
        (folder / "sshd_config").write_text(_SSHD.format(address=address(host)))
        shutil.copy(user.with_suffix(".pub"), folder / "authorized_keys")
        if host != STRANGER:
            shutil.copy(user, folder / "user_key")
    for host in hosts:
        (etc(host) / "ssh" / "ssh_known_hosts").write_text("".join(known))


def _make_key(path: Path) -> None:
    words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", path.name, "-f", str(path)]
    subprocess.run(words, check=True, stdin=subprocess.DEVNULL, env={"PATH": os.defpath})
