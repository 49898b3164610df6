"""The cause among what starters print of failures: their real outputs are in starters/."""

from pathlib import Path

import pytest

from weft.launch.causes import reason_in, reason_of_end, unreachable_in

STARTERS = Path(__file__).with_name("starters")
HOSTS = ("n1", "n2", "stranger", "nix")
NO_PROGRAM = "as it could not access {}an executable (Executable /nix/rank, Node n1)"
REASONS = {
    "mpich_no_such_program": "execvp error on file /nix/rank (No such file or directory)",
    "mpich_unknown_host": "ssh: Could not resolve hostname nix: Name or service not known",
    "openmpi4_crash": "process rank 1 with PID 89 on node n2 exited on signal 11 (Segmentation",
    "openmpi4_exit_code": "exited with non-zero status, thus causing the job to be terminated"
    " (Process name [[47642,1],0], Exit code 3)",
    "openmpi4_host_key": "No ED25519 host key is known for n2",
    "openmpi4_ignored_interface": "are unable to reach each other for MPI communications"
    " (Process 1 ([[47719,1],0]) is on host n1, Process 2 ([[47719,1],1]) is on host n2, BTLs"
    " attempted self)",
    "openmpi4_no_such_component": "A requested component was not found, or was unable to be opened"
    " (Host n2, Framework btl, Component nix)",
    "openmpi4_no_such_network": "None of the TCP networks specified to be included for out-of-band"
    " communications could be found (Value given nix)",
    "openmpi4_no_such_program": NO_PROGRAM.format("or execute "),
    "openmpi4_permission_denied": "root@n1: Permission denied (publickey)",
    "openmpi4_unreachable_ranks": "are unable to reach each other for MPI communications",
    "openmpi5_no_such_program": NO_PROGRAM.format(""),
    "openmpi5_refused": "ssh: connect to host stranger port 22: Connection refused",
    "openmpi5_unreachable_ranks": "are unable to reach each other for MPI communications",
    "openmpi5_unknown_option": "An unrecognized option was included on the mpirun command line"
    " (Option --nix)",
    "slurm_exit_code": "srun: error: n2: task 1: Exited with exit code 3",
    "slurm_no_such_partition": "salloc: error: invalid partition specified: nix",
    "slurm_no_such_program": "error: execve(): /nix/rank: No such file or directory",
    "slurm_too_much_memory": "salloc: error: Memory specification can not be satisfied",
}
UNREACHABLE = {
    "mpich_unknown_host": ["nix"],
    "openmpi4_host_key": ["n2"],
    "openmpi4_permission_denied": ["n1"],
    "openmpi5_refused": ["stranger"],
}


def printed(name: str) -> str:
    return (STARTERS / f"{name}.txt").read_text()


@pytest.mark.parametrize("name", sorted(path.stem for path in STARTERS.glob("*.txt")))
def test_the_cause_is_found_and_the_host_that_ssh_cannot_use(name: str) -> None:
    assert REASONS[name] in reason_in(printed(name), 1)
    assert unreachable_in(printed(name), HOSTS) == UNREACHABLE.get(name, [])


def test_signals_that_the_starter_sends_to_other_ranks_are_no_cause() -> None:
    reason, _ = reason_of_end(printed("openmpi5_unreachable_ranks"), [], 14)
    assert "are unable to reach each other for MPI communications" in reason


def test_a_host_is_known_by_the_name_after_its_user() -> None:
    lines = "ssh: connect to host N1 port 22: No route to host\nroot@n2: Permission denied (pub"
    assert unreachable_in(lines, ["me@n1", "n10", "n2"]) == ["me@n1"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "the starter ended with exit status 7"),
        ("[head:1] plm:ssh: Warning: setpgid(2,2) failed", "the starter ended with exit status 7"),
        ("hello\nan Error of it\nmore", "an Error of it"),
        ("hello\nmore", "hello"),
        ("/usr/bin/python3: No module named weft\nerror: more", "/usr/bin/python3: No module"),
        ("[n1:1] ORTE_ERROR_LOG: Out of resource in x.c at line 501\nsome error", "some error"),
    ],
)  # fmt: skip
def test_lines_of_no_known_kind_are_the_last_choice(text: str, reason: str) -> None:
    assert reason_in(text, 7).startswith(reason)
