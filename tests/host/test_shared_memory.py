"""The doctor warns of a small /dev/shm and of a blocked process_vm_readv."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.laid_out import lay_out
from weft.host import shared_memory
from weft.host.checks import diagnose
from weft.host.load import Load
from weft.host.shared_memory import single_copy

if TYPE_CHECKING:
    from pathlib import Path

YAMA = "proc/sys/kernel/yama/ptrace_scope"
STATUS = "proc/self/status"
WITH, WITHOUT = "CapEff:\t0000000000080000\n", "CapEff:\tfffffffffff7ffff\n"


def finding_of(check: str, **facts: object) -> tuple[str, str]:
    [found] = [one for one in diagnose(facts, Load(), 2) if one.check == check]
    return found.level, found.what


@pytest.mark.parametrize(
    ("free_bytes", "level", "what"),
    [
        (64 << 20, "warning", "only 64 MiB are free in /dev/shm"),
        ((256 << 20) - 1, "warning", "only 255 MiB are free in /dev/shm"),
        (256 << 20, "ok", "256 MiB are free in /dev/shm"),
        (None, "unknown", "cannot tell: no /dev/shm to look at"),
    ],
)
def test_the_doctor_names_shared_memory_that_is_small(
    free_bytes: int | None, level: str, what: str
) -> None:
    assert finding_of("shared memory", shared_memory_free_bytes=free_bytes) == (level, what)


def test_the_doctor_says_that_a_container_blocks_single_copies() -> None:
    assert finding_of("single copy", single_copy=False)[0] == "warning"
    assert finding_of("single copy", single_copy=True)[0] == "ok"
    assert finding_of("single copy")[0] == "unknown"


@pytest.mark.parametrize(
    ("level", "status", "may"),
    [
        ("0", WITHOUT, True),
        ("1", WITHOUT, True),
        ("2", WITHOUT, False),
        ("2", WITH, True),
        ("3", WITH, False),
    ],
)
def test_yama_decides_where_the_call_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, level: str, status: str, *, may: bool
) -> None:
    root = lay_out(tmp_path, {YAMA: level, STATUS: status})
    monkeypatch.setattr(shared_memory, "_reads_its_own_memory", lambda: True)
    assert single_copy(root) is may
    monkeypatch.setattr(shared_memory, "_reads_its_own_memory", lambda: False)
    assert single_copy(root) is False


def test_a_process_reads_its_own_memory_unless_the_call_is_blocked(tmp_path: Path) -> None:
    assert single_copy(tmp_path) is shared_memory._reads_its_own_memory()
