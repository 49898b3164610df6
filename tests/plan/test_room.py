"""The memory of a host that has some of a case's ranks."""

import re
from pathlib import Path

import msgspec
import pytest

from support.builders import pattern
from weft.errors import WeftError
from weft.plan.case import Case
from weft.plan.memory import (
    RANK_BYTES,
    RANK_BYTES_A_RANK,
    check_memory,
    check_ranks,
    needed_bytes,
    within_memory,
)
from weft.plan.pattern import Footprint
from weft.plan.plan import SAMPLES


def test_memory_is_that_of_the_ranks_on_a_host() -> None:
    case = Case(test="stream", transport="mpi", bytes=1 << 20, ranks=1024)
    here = needed_bytes(case, ranks_here=16)
    assert needed_bytes(case) == 64 * here
    check_memory([case], here, ranks_here=lambda _: 16)
    assert within_memory([case], here, ranks_here=lambda _: 16) == (case,)
    assert within_memory([case], here - 1, ranks_here=lambda _: 16) == ()
    with pytest.raises(WeftError, match="GiB of memory on a host with 16 of its ranks where"):
        check_memory([case], here - 1, ranks_here=lambda _: 16)


def test_of_many_ranks_each_has_buffers_for_fewer_messages() -> None:
    """Of 64 in the place of 256 that are looked at; the order and the series are the same."""
    case = Case(test="halo", transport="tcp", bytes=8, ranks=16)
    many = msgspec.structs.replace(case, ranks=17)
    less = needed_bytes(case, ranks_here=1) - needed_bytes(many, ranks_here=1)
    assert less == 2 * (256 - 64) * 4096


def test_ranks_that_take_no_part_need_nothing() -> None:
    """A test of two ranks in a launch of 64 was refused where it fitted, for 64 were counted."""
    two = Footprint(ranks=2)
    case = Case(test="ping_pong", transport="mpi", bytes=1 << 20, ranks=64)
    needed = needed_bytes(msgspec.structs.replace(case, ranks=2), two)
    assert needed_bytes(case, two) == needed
    assert needed_bytes(case, two, ranks_here=1) == needed // 2
    known = {"ping_pong": msgspec.structs.replace(pattern("ping_pong"), footprint=two)}
    check_memory([case], needed, known)
    with pytest.raises(WeftError) as refused:
        check_memory([msgspec.structs.replace(case, bytes=0)], 1 << 16, known)
    assert refused.value.fix == "use fewer --buffers or --samples"


def test_the_middle_of_a_star_has_buffers_for_each_of_its_peers() -> None:
    star = Footprint(ranks=1, ranks_per_point=1, is_star=True)
    case = Case(test="hot_spot_receive", transport="mpi", bytes=1 << 20, ranks=1024, point=63)
    lane = needed_bytes(case, star, ranks_here=2) - needed_bytes(case, star, ranks_here=1)
    # Rank 0 by itself has 63 lanes; every further one has its own, and its series.
    more = lane - 16 * 4096 - SAMPLES * 96
    middle = 63 * more + 62 * 4 * 4096 + 16 * 4096 + SAMPLES * 96
    assert needed_bytes(case, star, ranks_here=1) == middle
    assert needed_bytes(case, star, ranks_here=1024) == middle + 63 * lane
    whole = msgspec.structs.replace(case, point=None)
    assert needed_bytes(whole, star) > 15 * needed_bytes(case, star)


def test_parts_of_a_collective_operation_are_counted_without_gaps() -> None:
    alltoall = Footprint(own_messages_per_rank=2)
    case = Case(test="alltoall", transport="mpi", bytes=8, ranks=1024)
    # 16 KiB both ways, a page between them, and the control messages.
    assert needed_bytes(case, alltoall, ranks_here=1) == 16 * 1024 + 4096 + 16 * 4096
    # What it gets begins at a page of its own, and ends on another.
    odd = Case(test="alltoall", transport="mpi", bytes=4097, ranks=2)
    assert needed_bytes(odd, alltoall, ranks_here=1) == (5 + 1 + 16) * 4096


@pytest.mark.parametrize("here", [2, 16])
@pytest.mark.parametrize("samples", [0, 100_000])
def test_the_size_that_is_advised_fits(here: int, samples: int) -> None:
    """With many samples too, which take memory whatever the size."""
    known = msgspec.structs.replace(pattern("ping_pong"), footprint=Footprint(series=3))
    case = Case(test="ping_pong", transport="mpi", bytes=1 << 30, ranks=32)
    room = (here * (600 << 20), {"ping_pong": known}, samples, lambda _: here)
    with pytest.raises(WeftError) as refused:
        check_memory([case], *room)
    found = re.search(r"--sizes 0\.\.(\d+)MiB", refused.value.fix)
    assert found
    assert refused.value.fix == f"use sizes up to {found[1]} MiB: --sizes 0..{found[1]}MiB"
    advised = int(found[1]) << 20
    least = needed_bytes(msgspec.structs.replace(case, bytes=0), known.footprint, samples, here)
    whole = needed_bytes(case, known.footprint, samples, here)
    assert advised == case.bytes * (room[0] - least) // whole >> 20 << 20
    check_memory([msgspec.structs.replace(case, bytes=advised)], *room)


def test_more_ranks_than_a_host_can_hold_are_refused_with_those_it_can() -> None:
    # 1,024 ranks of 5.6 MB each, 512 of 5.06 MB, 8 of 4.51 MB.
    check_ranks(1024, 5_762_000_000)
    with pytest.raises(WeftError, match=r"^1,024 ranks on a host take 5\.4 GiB before") as all_of:
        check_ranks(1024, 2_592_500_000)
    assert all_of.value.fix == "use --ranks 512 or fewer, or more --nodes"
    assert all_of.value.what.endswith(" before they measure anything, where 2.4 GiB are free")
    check_ranks(512, 2_592_500_000)
    check_ranks(1024, 72_290_000, lambda ranks: ranks // 64)
    with pytest.raises(WeftError, match=r"^16 of 1,024 ranks on a host take 0\.1 GiB") as some:
        check_ranks(1024, 36_080_000, lambda ranks: ranks // 64)
    assert some.value.fix.startswith("use --ranks 512 or fewer")


def test_each_of_many_ranks_of_a_host_takes_more_than_one_of_a_few() -> None:
    """4,096 of 4 MB each would have had room in 22 GB; they have 9 MB each."""
    with pytest.raises(WeftError, match=r"^4,096 ranks on a host take 34\.4 GiB") as refused:
        check_ranks(4096, 22_000_000_000)
    most = int(refused.value.fix.split()[2])
    assert 2500 < most < 3000
    check_ranks(most, 22_000_000_000)
    with pytest.raises(WeftError):
        check_ranks(most + 1, 22_000_000_000)


def test_the_share_of_a_rank_is_that_of_the_measured_table() -> None:
    """`bench.scale` writes the table anew: a law that no longer fits it is heard of here."""
    page = Path(__file__).parents[2] / "docs/validation/many-ranks.md"
    text = page.read_text(encoding="utf-8")
    table = text.partition("<!-- bench.scale -->")[2].splitlines()
    head = next(line for line in table if "measured at most" in line)
    row = next(line for line in table if "share of memory, ranks of weft" in line)
    [_, _, measured, *extrapolated, _] = row.split("|")
    [megabytes, ranks] = re.findall(r"[\d.,]+", measured)
    cells = {int(ranks.replace(",", "")): float(megabytes)}
    for name, cell in zip(head.split("|")[3:-1], extrapolated, strict=True):
        [of], [megabytes] = re.findall(r"[\d,]+", name), re.findall(r"[\d.]+", cell)
        cells[int(of.replace(",", ""))] = float(megabytes)
    assert len(cells) == 4
    # Two digits are written.
    law = {ranks: (RANK_BYTES + ranks * RANK_BYTES_A_RANK) / 1e6 for ranks in cells}
    assert law == pytest.approx(cells, rel=0.03)


@pytest.mark.parametrize(
    ("footprint", "point", "fix"),
    [
        (Footprint(), None, "fewer --buffers, --samples or --ranks"),
        (Footprint(ranks=1, ranks_per_point=1), None, "fewer --buffers, --samples or --ranks"),
        (Footprint(ranks=1, ranks_per_point=1), 63, "fewer --buffers, --samples or --ranks"),
        (Footprint(ranks=1, ranks_per_point=1), 62, "fewer --buffers or --samples"),
        (Footprint(ranks=2), None, "fewer --buffers or --samples"),
    ],
)
def test_fewer_ranks_are_advised_where_all_of_them_take_part(
    footprint: Footprint, point: int | None, fix: str
) -> None:
    known = {"ping_pong": msgspec.structs.replace(pattern("ping_pong"), footprint=footprint)}
    case = Case(test="ping_pong", transport="mpi", bytes=0, ranks=64, point=point)
    with pytest.raises(WeftError) as refused:
        check_memory([case], 1 << 16, known)
    assert refused.value.fix == f"use {fix}"


def test_a_case_without_a_point_has_nothing_for_each_unit_of_it() -> None:
    case = Case(test="stream", transport="mpi", bytes=8, ranks=2)
    of_points = Footprint(receives=3, receives_per_point=5)
    assert needed_bytes(case, of_points) == needed_bytes(case, Footprint(receives=3))
    at_two = msgspec.structs.replace(case, point=2)
    assert needed_bytes(at_two, of_points) == needed_bytes(case, Footprint(receives=13))
