"""Algorithms of collective operations: names, what is best from which size, what a rule loses."""

import msgspec
import pytest

from support.simulations import platform
from weft.errors import WeftError
from weft.sim.algorithms import algorithms_of
from weft.sim.answers import Certainty, PredictedFabric, PredictedFigure
from weft.sim.switches import (
    AlgorithmSwitch,
    Loss,
    _loss_in_words,
    in_words,
    is_of_algorithms,
    losses_of,
    switches_of,
    switches_table,
)

SIZES = (8, 16, 32, 64, 128, 256)


def figures(fixed: float, byte: float) -> tuple[PredictedFigure, ...]:
    return tuple(
        PredictedFigure(case=f"allreduce {size} B", value=fixed + byte * size, bytes=size)
        for size in SIZES
    )


def answer(
    name: str, fixed: float, byte: float, moves: tuple[tuple[float, float], ...] = ()
) -> PredictedFabric:
    return PredictedFabric(
        variant=f"fat-tree 1:1 {name}",
        algorithm=name,
        nodes=16,
        switches=1,
        figures=figures(fixed, byte),
        moved=tuple(figures(fixed * a, byte * b) for a, b in moves),
    )


# Lines that meet at (200 - 100) / (3 - 1) = 50 bytes.
SHORT, LONG = ("recursive-doubling", 100.0, 3.0), ("ring", 200.0, 1.0)


def test_the_best_changes_at_the_first_size_behind_the_crossing() -> None:
    answers = (answer(*SHORT), answer(*LONG))
    assert switches_of(answers) == (
        AlgorithmSwitch(algorithm="recursive-doubling", from_bytes=8),
        AlgorithmSwitch(algorithm="ring", from_bytes=64),
    )
    assert in_words(answers) == [
        "the fastest of these: recursive-doubling from 8 B, ring from 64 B"
    ]


def test_a_crossing_moves_with_latency_over_bandwidth_and_not_with_both() -> None:
    # Latencies twice as long over bandwidth: the lines meet at 100 bytes, and at 25.
    moves = ((2.0, 1.0), (1.0, 2.0), (2.0, 2.0))
    answers = (answer(*SHORT, moves), answer(*LONG, moves))
    ring = switches_of(answers)[1]
    assert (ring.from_bytes, ring.earliest, ring.latest) == (64, 32, 128)
    common = ((2.0, 2.0), (0.5, 0.5))
    answers = (answer(*SHORT, common), answer(*LONG, common))
    ring = switches_of(answers)[1]
    assert (ring.from_bytes, ring.earliest, ring.latest) == (64, 64, 64)


def test_of_several_starts_the_one_counts_that_is_near() -> None:
    """The ring is the best of 16 B and of 128 B and more; moved, of 8 B, and of 256 B."""
    best = ((1, 9, 1, 1, 9, 9), (9, 1, 1, 1, 1, 9))
    own, moved = (
        tuple(
            PredictedFigure(case=f"allreduce {size} B", value=float(time), bytes=size)
            for size, time in zip(SIZES, times, strict=True)
        )
        for times in best
    )
    ring = PredictedFabric(
        variant="fat-tree 1:1 ring", algorithm="ring", nodes=16, switches=1,
        figures=tuple(msgspec.structs.replace(one, value=10 - one.value) for one in own),
        moved=(tuple(msgspec.structs.replace(one, value=10 - one.value) for one in moved),),
    )  # fmt: skip
    linear = msgspec.structs.replace(
        ring, variant="fat-tree 1:1 linear", algorithm="linear", figures=own, moved=(moved,)
    )
    found = switches_of((linear, ring))
    assert [(one.algorithm, one.from_bytes, one.earliest, one.latest) for one in found] == [
        ("linear", 8, 16, 16), ("ring", 16, 8, 8), ("linear", 32, 16, 16), ("ring", 128, 256, 256),
    ]  # fmt: skip


def test_an_algorithm_that_may_be_the_best_nowhere_is_said_so() -> None:
    moves = ((100.0, 1.0),)
    answers = (answer(*SHORT, moves), answer(*LONG, moves))
    assert switches_of(answers)[1].latest is None
    assert "ring from 64 B [perhaps at no size]" in in_words(answers)[0]


def test_an_algorithm_that_one_error_moves_out_of_sight_may_be_the_best_nowhere() -> None:
    moves = ((100.0, 1.0), (2.0, 1.0))
    ring = switches_of((answer(*SHORT, moves), answer(*LONG, moves)))[1]
    assert (ring.from_bytes, ring.earliest, ring.latest) == (64, 128, None)


def test_where_a_switch_may_be_is_said_as_far_as_it_is_known() -> None:
    moves = ((2.0, 1.0), (1.0, 2.0), (2.0, 2.0))
    answers = (answer(*SHORT, moves), answer(*LONG, moves))
    [said] = in_words(answers)
    assert said == (
        "the fastest of these: recursive-doubling from 8 B, ring from 64 B [32 B to 128 B]; in"
        " brackets where that begins by the calibration's error"
    )
    common = ((2.0, 2.0), (0.5, 0.5))
    answers = (answer(*SHORT, common), answer(*LONG, common))
    [said] = in_words(answers)
    assert said == (
        "the fastest of these: recursive-doubling from 8 B, ring from 64 B, whatever the"
        " calibration's error"
    )


@pytest.mark.parametrize(
    ("worst", "said"),
    [
        (0.0099, "never 1 % slower than the best of these"),
        (0.01, "slower than the best of these by up to 1 %, at 64 B"),
        (0.486, "slower than the best of these by up to 49 %, at 64 B"),
    ],
)
def test_a_library_that_loses_less_than_a_hundredth_chooses_well(worst: float, said: str) -> None:
    found = Loss(library="openmpi", taken=((8, "ring"), (64, "")), worst=worst, worst_bytes=64)
    words = "openmpi's rules take ring from 8 B, another algorithm from 64 B"
    assert _loss_in_words(found) == f"{words}: {said}"


def test_a_library_is_known_by_its_times_and_loses_to_the_best() -> None:
    rules = PredictedFabric(
        variant="fat-tree 1:1 openmpi", algorithm="openmpi", nodes=16, switches=1,
        figures=(*figures(100.0, 3.0)[:5], figures(200.0, 1.0)[5]),
    )  # fmt: skip
    answers = (answer(*SHORT), answer(*LONG), rules)
    # At 128 bytes it still takes 484 where 328 are the best.
    [found] = losses_of(answers)
    assert found.taken == ((8, "recursive-doubling"), (256, "ring"))
    assert found.worst == pytest.approx(484 / 328 - 1)
    assert (found.library, found.worst_bytes) == ("openmpi", 128)
    assert in_words(answers)[1] == (
        "openmpi's rules take recursive-doubling from 8 B, ring from 256 B: slower than the best"
        " of these by up to 48 %, at 128 B"
    )


@pytest.mark.parametrize(
    ("ends", "taken"),
    [
        ((1, 4), ((8, "recursive-doubling"), (16, "ring"), (128, "recursive-doubling"))),
        ((6, 6), ((8, "recursive-doubling"),)),
        ((0, 6), ((8, "ring"),)),
    ],
)
def test_rules_are_said_from_the_smallest_size_whatever_they_take_at_the_largest(
    ends: tuple[int, int], taken: tuple[tuple[int, str], ...]
) -> None:
    short, long = figures(*SHORT[1:]), figures(*LONG[1:])
    first, last = ends
    own = (*short[:first], *long[first:last], *short[last:])
    rules = msgspec.structs.replace(answer("openmpi", 0.0, 0.0), figures=own)
    [found] = losses_of((answer(*SHORT), answer(*LONG), rules))
    assert found.taken == taken


def test_what_is_the_best_at_every_size_is_said_from_the_smallest() -> None:
    slower = answer("ring", 900.0, 4.0)
    assert switches_of((answer(*SHORT), slower)) == (
        AlgorithmSwitch(algorithm="recursive-doubling", from_bytes=8),
    )


def test_the_table_has_a_row_a_size_and_names_the_fastest() -> None:
    answers = (answer(*SHORT), answer(*LONG))
    table = switches_table(platform(), answers, None)
    assert table.head == ("size", "recursive-doubling", "ring")
    assert table.rows[0] == ("8 B", "124 ns *", "208 ns")
    assert table.rows[-1] == ("256 B", "868 ns", "456 ns *")
    on = "with links and hosts of known: simulated, not measured; * the fastest algorithm"
    assert table.caption == f"allreduce predicted on 16 nodes, fat-tree 1:1, {on}"
    # No column has an interval, and no note speaks of one.
    known = Certainty(mean=0.02, worst=0.25, points=40, largest_bytes=1 << 22)
    notes = " ".join(switches_table(platform(), answers, known).notes)
    assert "25.0 % at most; a time above may be off by as much" in notes
    assert "the interval is of" not in notes


def test_fabrics_are_not_taken_for_algorithms() -> None:
    assert is_of_algorithms((answer(*SHORT), answer(*LONG)))
    assert not is_of_algorithms((answer(*SHORT), answer(*SHORT)))
    assert not is_of_algorithms((answer(*SHORT),))


def test_libraries_alone_have_no_best() -> None:
    answers = (answer("openmpi", 1.0, 1.0), answer("mvapich2", 1.0, 2.0))
    assert switches_of(answers) == ()
    assert losses_of(answers) == ()
    assert switches_table(platform(), answers, None).rows[0] == ("8 B", "9.00 ns", "17.0 ns")


# A ring of fewer numbers than ranks reduces and broadcasts along trees.
TREES = {"smpi/reduce": "binomial", "smpi/bcast": "binomial_tree"}


def test_names_become_settings_of_the_simulator() -> None:
    assert algorithms_of("allreduce", "ring,openmpi", 6) == {
        "ring": {"smpi/allreduce": "lr", **TREES},
        "openmpi": {"smpi/coll-selector": "ompi", "smpi/allreduce": "ompi"},
    }
    assert "pairwise" in algorithms_of("alltoall", "all", 8)
    assert "pairwise" not in algorithms_of("alltoall", "all", 6)


@pytest.mark.parametrize(
    ("test", "text", "ranks", "words"),
    [
        ("ping_pong", "ring", 8, "is no collective operation"),
        ("allreduce", "rings", 8, "did you mean ring?"),
        ("alltoall", "pairwise", 6, "wants a power of two and not 6 ranks"),
        ("alltoall", "mpich", 6, "wants a power of two and not 6 ranks"),
        ("allreduce", "mpich", 8, "simulator's rules of mpich for allreduce are not the library's"),
        ("allreduce", "mpich", 8, "; choose openmpi, mvapich2 or one algorithm"),
    ],
)
def test_what_cannot_be_is_refused_with_the_fix(
    test: str, text: str, ranks: int, words: str
) -> None:
    with pytest.raises(WeftError) as seen:
        algorithms_of(test, text, ranks)
    assert words in f"{seen.value.what}; {seen.value.fix}"


@pytest.mark.parametrize(
    ("test", "setting", "values"),
    [
        ("allreduce", "smpi/allreduce", {
            "recursive-doubling": "rdb", "rabenseifner": "rab_rdb",
            "reduce-broadcast": "redbcast", "ring": "lr",
        }),
        ("broadcast", "smpi/bcast", {
            "binomial": "binomial_tree", "linear": "flattree", "pipeline": "ompi_pipeline",
            "scatter-ring": "scatter_LR_allgather", "scatter-doubling": "scatter_rdb_allgather",
        }),
        ("alltoall", "smpi/alltoall", {
            "linear": "basic_linear", "bruck": "bruck", "ring": "ring",
            "scattered": "mvapich2_scatter_dest", "pairwise": "pair",
        }),
        ("allgather", "smpi/allgather", {
            "recursive-doubling": "rdb", "bruck": "bruck", "ring": "ring",
            "neighbour-exchange": "ompi_neighborexchange", "linear": "spreading_simple",
        }),
        ("barrier", "smpi/barrier", {
            "recursive-doubling": "ompi_recursivedoubling", "dissemination": "ompi_bruck",
            "tree": "ompi_tree", "linear": "ompi_basic_linear",
            "double-ring": "ompi_doublering",
        }),
    ],
)  # fmt: skip
def test_each_algorithm_is_what_the_simulator_calls_it(
    test: str, setting: str, values: dict[str, str]
) -> None:
    """SimGrid 3.32, "Available Algorithms" of its documentation of SMPI."""
    found = algorithms_of(test, ",".join(values), 8)
    assert {name: settings[setting] for name, settings in found.items()} == values


def test_where_one_fabric_was_not_moved_nothing_is_said_of_the_calibrations_error() -> None:
    moves = ((2.0, 1.0), (1.0, 2.0), (2.0, 2.0))
    short, long = answer(*SHORT, moves), answer(*LONG, moves)
    for pair in ((short, bare(long)), (bare(short), long), (bare(short), bare(long))):
        [said] = in_words(pair)
        assert said.startswith("the fastest of these: recursive-doubling from 8 B, ring from 64 B")
        assert "error" not in said


def bare(one: PredictedFabric) -> PredictedFabric:
    return msgspec.structs.replace(one, moved=())
