"""Studies of scaling whose efficiency is known: cases, times of iterations and parts, a record."""

import itertools
from pathlib import Path

import weft
from support.builders import LAUNCH_EFFECTS, synthetic_record
from support.lattices import lattice_of
from weft.analysis.summary import summarise
from weft.applications.lattice import Lattice
from weft.plan.case import Case
from weft.record.run import Run
from weft.topics import results_of
from weft.topics.scaling import Scaling
from weft.topics.scaling.rows import ScalingRows

RANKS = (1, 2, 4)
# Of an iteration on one rank a lattice loses so much with each doubling, on the slowest rank.
LOSS = {4: 0.5, 8: 0.2, 14: 0.02}
SITE_NS = 10.0


def weak_cases(test: str = "milc", extents: tuple[int, ...] = (4, 8, 14)) -> tuple[Case, ...]:
    return tuple(
        Case(
            test=test,
            transport="tcp",
            bytes=4,
            ranks=ranks,
            application=Lattice(extents=(extent,) * 4).options,
        )
        for extent, ranks in itertools.product(extents, RANKS)
    )


def strong_cases() -> tuple[Case, ...]:
    lattice = Lattice(extents=(8,) * 4, is_global=True)
    return tuple(
        Case(test="halo", transport="tcp", bytes=36, ranks=ranks, application=lattice.options)
        for ranks in RANKS
    )


def iteration_ns(case: Case) -> float:
    """Of the slowest rank, which is rank 1 where there is one; the others are a tenth quicker."""
    lattice = lattice_of(case)
    alone = SITE_NS * lattice.sites_of_rank(case.ranks)
    return alone * (1 + LOSS[lattice.extents[0]] * (case.ranks.bit_length() - 1))


def series(case: Case, round_: int, share: float = 1.0) -> list[float]:
    # A slow sample is in no median, and counts in no part.
    time = share * iteration_ns(case) * LAUNCH_EFFECTS[round_]
    return [time] * 9 + [100 * time]


def parts(case: Case, round_: int) -> dict[str, list[float]]:
    names = (
        ("pack", "local", "wait", "remote", "sum")
        if case.test == "milc"
        else ("post", "compute", "wait", "sum")
    )
    shares = dict(zip(names, (0.1, 0.5, 0.2, 0.15, 0.05), strict=False))
    found = {}
    for rank in range(case.ranks):
        own = 1.0 if rank == min(1, case.ranks - 1) else 0.9
        for name, share in shares.items():
            word = f"rank{rank}.{name}" if rank else name
            found[word] = series(case, round_, own * share)
        if rank:
            found[f"rank{rank}"] = series(case, round_, own)
    return found


def record_of(path: Path, cases: tuple[Case, ...], launches: int = 5) -> Run:
    def rank_0(case: Case, round_: int) -> list[float]:
        return series(case, round_, 1.0 if case.ranks == 1 else 0.9)

    return weft.load(
        synthetic_record(
            path / "r.jsonl", cases, launches=launches, times_ns=rank_0, parts_ns=parts
        )
    )


def rows_of(run: Run) -> ScalingRows:
    return results_of(run, summarise(run)).of(Scaling())


def efficiency(extent: int, ranks: int) -> float:
    return 1 / (1 + LOSS[extent] * (ranks.bit_length() - 1))


def milc_record(path: Path) -> Path:
    """The solver at 4^4 and 8^4 a rank on 1, 2 and 4 ranks: a site takes 10 ns, times the ranks."""
    cases = tuple(
        Case(
            test="milc",
            transport="tcp",
            bytes=4,
            ranks=ranks,
            application=Lattice(extents=(side,) * 4).options,
        )
        for side in (4, 8)
        for ranks in (1, 2, 4)
    )

    def times_ns(case: Case, round_: int) -> list[float]:
        middle = 10.0 * lattice_of(case).sites_of_rank(case.ranks) * case.ranks
        return [middle * LAUNCH_EFFECTS[round_]] * 10

    return synthetic_record(path / "milc.jsonl", cases, times_ns=times_ns)
