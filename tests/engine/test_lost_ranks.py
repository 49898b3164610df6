"""Real ranks that are killed or stopped, a full disk, a port in use: as a user meets them."""

import os
import re
import shutil
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

import weft
from support.printed import result_of
from support.running import left_behind, started, wait_for_round
from support.words import with_usual
from weft.host.shared_memory import SHARED_MEMORY
from weft.launch.programs import engine_folder
from weft.launch.protocol import LaunchError

TESTS = Path(__file__).parents[1]
WEFT = Path(sys.prefix) / "bin" / "weft"
KILL, STOP = 9, 19
pytestmark = pytest.mark.engine


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """An engine folder with rank-tcp for each MPI, with a saboteur before it."""
    for mpi in ("openmpi", "mpich"):
        real = tmp_path / "engine" / mpi / "real"
        real.mkdir(parents=True)
        (real / "rank-tcp").symlink_to(engine_folder() / mpi / "rank-tcp")
        shutil.copy(TESTS / "support" / "saboteur", real.parent / "rank-tcp")
    return tmp_path / "engine"


def run(programs: Path, sabotage: str, *words: str) -> subprocess.CompletedProcess[str]:
    record = programs.parent / "r.jsonl"
    # Few samples: what takes the time of these runs is to be the end of a rank.
    usual = (
        "--sizes", "8,16", "--launches", "2", "--budget", "90s", "--precision", "100%",
        "--samples", "20",
    )  # fmt: skip
    return subprocess.run(
        [WEFT, "run", "ping_pong", *with_usual(usual, words), "--no-report", "--json",
         "-o", record],
        env={**os.environ, "WEFT_ENGINE_DIR": str(programs), "SABOTAGE": sabotage},
        capture_output=True, text=True, timeout=600, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip


def rows_of(done: subprocess.CompletedProcess[str], programs: Path) -> dict[str, str]:
    """Each case's status; what holds for every such run is checked."""
    assert "Traceback" not in done.stderr
    assert not left_behind(programs)
    record = weft.load(programs.parent / "r.jsonl")
    assert record.footer is not None
    assert not record.lines.truncated
    return {row["case"]: row["status"] for row in result_of(done.stdout)}


@pytest.mark.parametrize(("mpi", "rank"), [("openmpi", 0), ("openmpi", 1), ("mpich", 1)])
def test_a_rank_killed_in_a_case_costs_that_case_one_try(
    programs: Path, mpi: str, rank: int
) -> None:
    done = run(programs, f"signal={KILL} rank={rank} phase=case times=1", "--mpi", mpi)
    assert set(rows_of(done, programs).values()) == {"ok"}
    assert done.returncode == 0
    lost = [b for b in weft.load(programs.parent / "r.jsonl").lines.batches if b.status != "ok"]
    assert [(batch.status, batch.ended_launch) for batch in lost] == [("failed", True)]


def test_a_rank_killed_whenever_it_comes_to_a_case_fails_that_case(programs: Path) -> None:
    # They are at the third line of a launch: the second case of the first one, which is calibrated,
    # and the third of the next one, where the same case comes last.
    words = ("--launches", "1", "--sizes", "8,16,32,64")
    done = run(programs, f"signal={KILL} rank=1 phase=case times=2", *words)
    statuses = rows_of(done, programs)
    assert done.returncode == 1
    assert sorted(statuses.values()) == ["failed", "ok", "ok", "ok"]
    [line] = [line for line in done.stderr.splitlines() if line.startswith("weft: 1 of 4 cases")]
    assert re.search(r"run it alone: weft run ping_pong --sizes \d+ --transport tcp\b", line)


def test_ranks_that_die_before_their_hello_are_tried_again(programs: Path) -> None:
    done = run(programs, f"signal={KILL} rank=1 phase=start times=1")
    assert set(rows_of(done, programs).values()) == {"ok"}
    ends = weft.load(programs.parent / "r.jsonl").lines.ends
    assert [end.status for end in ends][:2] == ["failed", "ok"]
    assert ends[0].reason
    assert ends[0].reason.split()[0] in done.stderr


def test_ranks_that_always_die_before_their_hello_are_given_up(programs: Path) -> None:
    done = run(programs, f"signal={KILL} rank=0 phase=start times=9")
    assert set(rows_of(done, programs).values()) == {"not_tried"}
    assert done.returncode == 1
    assert "2 of 2 cases have no result" in done.stderr
    assert "signal 9" in done.stderr


@pytest.mark.parametrize("rank", [0, 1])
def test_a_rank_killed_between_cases_keeps_the_case_before(programs: Path, rank: int) -> None:
    done = run(programs, f"signal={KILL} rank={rank} phase=between times=1")
    assert set(rows_of(done, programs).values()) == {"ok"}
    assert done.returncode == 0
    lost = [b for b in weft.load(programs.parent / "r.jsonl").lines.batches if b.status != "ok"]
    assert len(lost) == 1
    assert "not of its protocol" not in done.stderr


@pytest.mark.parametrize("rank", [0, 1])
def test_a_rank_killed_after_the_last_case_costs_nothing(programs: Path, rank: int) -> None:
    done = run(programs, f"signal={KILL} rank={rank} phase=end times=1")
    assert set(rows_of(done, programs).values()) == {"ok"}
    assert done.returncode == 0
    record = weft.load(programs.parent / "r.jsonl")
    assert {batch.case for batch in record.measured if batch.launch == 0} == set(record.cases)


@pytest.mark.parametrize("mpi", ["openmpi", "mpich"])
def test_a_rank_that_hangs_is_ended_by_the_deadline(programs: Path, mpi: str) -> None:
    words = ("--mpi", mpi, "--deadline", "15s")
    done = run(programs, f"signal={STOP} rank=1 phase=case times=1", *words)
    statuses = rows_of(done, programs)
    assert "the case did not end in" in done.stderr
    assert "ok" in statuses.values()
    lost = [b for b in weft.load(programs.parent / "r.jsonl").lines.batches if b.status != "ok"]
    assert [batch.status for batch in lost] == ["timeout"]


@pytest.mark.parametrize("mpi", ["openmpi", "mpich"])
def test_a_rank_killed_over_shared_memory_ends_the_others_and_leaves_nothing(mpi: str) -> None:
    """libfabric's shm tells nobody; the starter does, long before the case's deadline."""
    program = engine_folder() / mpi / "rank-ofi"
    with started(program, mpi, ["--option", "provider=shm"]) as launch:
        ranks = [rank.pid for rank in launch.hello().ranks]
        assert all(list(SHARED_MEMORY.glob(f"{rank}:*")) for rank in ranks)
        with ThreadPoolExecutor() as pool:
            long = {"samples": 1_000_000, "ops_per_sample": 50}
            case = {"id": 1, "test": "ping_pong", "bytes": 8, **long}
            run = pool.submit(launch.run, case, 60)
            os.kill(ranks[1], KILL)
            # MPICH's starter may be gone itself before it has said how the rank ended, or the other
            # rank fail first, in memory that it was just about to attach.
            lost = r"a rank ended: .*(Broken pipe|Bad file descriptor)"
            known = rf"signal 9|{lost}|rank 0 aborted: .*UCX +ERROR shm"
            with pytest.raises(LaunchError, match=known):
                run.result()
    assert not [rank for rank in ranks if list(SHARED_MEMORY.glob(f"{rank}:*"))]


def test_a_disk_that_fills_up_is_one_line_and_keeps_what_was_finished(tmp_path: Path) -> None:
    """A limit on the size of files, set once the ranks are up, stands for the disk."""
    path = tmp_path / "r.jsonl"
    with subprocess.Popen(
        [WEFT, "run", "--transport", "tcp", "--sizes", "8..64", "--budget", "60s", "-o", path],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "WEFT_ENGINE_DIR": str(linked_engine(tmp_path))},
    ) as process:
        wait_for_round(process)
        full = path.stat().st_size + 100
        psutil.Process(process.pid).rlimit(psutil.RLIMIT_FSIZE, (full, full))
        out, errors = process.communicate(timeout=600)
    assert process.returncode == 2
    assert not out
    last = errors.splitlines()[-1]
    assert last.startswith(f"weft: cannot write {path}: the file may not grow further")
    assert last.endswith(f"free some space, then run weft run --resume {path}")
    assert "Traceback" not in errors
    assert not left_behind(tmp_path / "engine")
    record = weft.load(path)
    assert (record.footer, record.lines.truncated) == (None, False)
    assert record.missing


def linked_engine(folder: Path) -> Path:
    """The engine under a name of this test's own, so that its processes can be told."""
    (folder / "engine").symlink_to(engine_folder())
    return folder / "engine"


def test_a_disk_without_room_for_the_header_leaves_no_file(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    done = subprocess.run(
        ["bash", "-c", 'ulimit -f 0; exec "$@"', "-", WEFT, "run", "--sizes", "8", "-o", path],
        capture_output=True, text=True, timeout=600, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith(f"weft: cannot write {path}: ")
    assert "--resume" not in done.stderr
    assert not path.exists()


def test_a_port_in_use_fails_the_transport_with_its_number_and_the_fix(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = subprocess.run(
            [WEFT, "run", "ping_pong", "--transport", "tcp", "--sizes", "8", "--budget", "60s",
             "--option", f"tcp.port={port}", "--option", "tcp.interface=lo", "--no-report",
             "-o", tmp_path / "r.jsonl"],
            capture_output=True, text=True, timeout=600, check=False, stdin=subprocess.DEVNULL,
            env={**os.environ, "WEFT_ENGINE_DIR": str(linked_engine(tmp_path))},
        )  # fmt: skip
    assert done.returncode == 1
    assert f"cannot use port {port} on lo" in done.stderr
    assert "choose another tcp.port, or none" in " ".join(done.stderr.split())
    # A resumed run keeps the port, so none is proposed.
    assert "--resume" not in done.stdout + done.stderr
    assert "No case could be measured" in done.stdout
    assert not left_behind(tmp_path / "engine")
