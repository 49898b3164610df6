"""A word that is none is answered by all that there are, in their order."""

import os

import pytest

from support.in_process import weft_here

TABLES = (
    "figures or paper or settings or queue_depth or overhead or overlap or availability or"
    " compute_loop or completion or hot_spots or message_rate or load or scaling or map or"
    " exchange or reuse or registration or connecting or bus or pages or rails or drift or"
    " network_counters or models"
)
NODES = "--platform escher --nodes 64 --switch 8"


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("run ping_pong --placement", "spread, pack, same-socket, other-socket, near-device"),
        ("run ping_pong --launcher", "slurm, mpirun, local, command"),
        ("run ping_pong --wait", "spin, library, block"),
        ("map --ranks 4 --wait", "spin, library, block"),
        ("run ping_pong --pages", "small, huge"),
        ("run --suite", "quick, paper, full"),
        ("list", "tests, transports, suites, platforms"),
        ("reproduce", "sandia, osu, fermilab"),
        (
            "price --nodes 4 --topology",
            "fat-tree, rail-optimised, torus, dragonfly, dragonfly+, hyperx, slim-fly",
        ),
        (
            f"predict ping_pong {NODES} --topology",
            "fat-tree, rail-optimised, torus, dragonfly, dragonfly+",
        ),
        (f"predict ping_pong {NODES} --mapping", "in-order, far, by-leaf, random"),
        (f"predict ping_pong {NODES} --pairs", "random, near, far"),
        (
            f"predict allreduce {NODES} --algorithm",
            "recursive-doubling, rabenseifner, reduce-broadcast, ring, openmpi, mvapich2",
        ),
    ],
)
def test_an_unknown_word_is_answered_by_all_of_its_kind(typed: str, words: str) -> None:
    env = {"PATH": os.environ["PATH"], "COLUMNS": "400", "NO_COLOR": "1"}
    done = weft_here([*typed.split(), "zzqq"], env)
    assert done.returncode == 2
    assert done.stderr.endswith(f" called zzqq; choose from {words}\n")


def test_an_algorithm_of_no_collective_is_answered_by_the_collectives() -> None:
    done = weft_here(f"predict ping_pong {NODES} --algorithm ring".split(), {"COLUMNS": "400"})
    assert done.stderr == (
        "weft: ping_pong is no collective operation, so it has no --algorithm; choose one of"
        " allreduce, broadcast, alltoall, allgather, barrier\n"
    )


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ("csv", "samples or batches or host or summary or pairs"),
        ("latex", TABLES),
    ],
)
def test_an_unknown_table_is_answered_by_those_of_the_form(form: str, words: str) -> None:
    done = weft_here(["export", "a.jsonl", "--table", "zzqq", f"--{form}", "a"], {"COLUMNS": "400"})
    assert done.stderr == f"weft: there is no table zzqq; use --table {words}\n"
