"""Lattices as they are typed, planned, named and sent to the engine."""

from typing import Any

import msgspec
import pytest

from support.lattices import lattice_of
from weft.applications import words_of
from weft.applications.asked import ApplicationsAsked, parse_lattices
from weft.applications.files import ApplicationFile
from weft.applications.info import ApplicationInfo, ApplicationOption
from weft.applications.lattice import Lattice
from weft.errors import WeftError
from weft.measure.lines import case_line
from weft.measure.stopping import Amount
from weft.plan.case import Case
from weft.plan.cases import Experiment, Variants, cases_of, make_cases, on_ranks, parse_ranks
from weft.plan.memory import check_memory, needed_bytes
from weft.plan.pattern import Pattern


def _option(name: str) -> ApplicationOption:
    return ApplicationOption(name=name)


HALO = Pattern(
    name="halo",
    title="",
    summary="",
    ranks=1,
    latency_divisor=1,
    bandwidth_factor=0,
    figure="iteration",
    application=ApplicationInfo(dimensions=4, extents="4..8:2", bytes="36"),
)
SOLVER = msgspec.structs.replace(
    HALO,
    name="solver",
    application=ApplicationInfo(
        dimensions=4,
        extents="4,6",
        bytes="4",
        least_extent=4,
        multiple=2,
        sums=1,
        options=tuple(
            ApplicationOption(name=name) for name in ("long_links", "gauge", "mass", "u0")
        ),
    ),
)
KNOWN = {"halo": HALO, "solver": SOLVER}


def lattices(extents: str = "", whole: str = "", **more: object) -> ApplicationsAsked:
    asked = {"depth": 1, "compute": "", "sums": None, "overlaps": True} | more
    return parse_lattices(extents, whole, **asked)  # type: ignore[arg-type]


def planned(test: str, asked: ApplicationsAsked, ranks: int = 2) -> tuple[Case, ...]:
    variants = Variants(application=asked)
    return make_cases((test,), ("tcp",), "", ranks=ranks, variants=variants, patterns=KNOWN)


def test_extents_are_of_every_dimension_unless_they_say_otherwise() -> None:
    found = planned("halo", lattices("4..8:2,6,12^3,4x6x8"))
    shapes = [lattice_of(case).shape for case in found]
    assert shapes == ["4^4", "6^4", "8^4", "12^3", "4x6x8"]


def test_an_application_says_what_is_usual() -> None:
    cases = planned("solver", ApplicationsAsked())
    assert [lattice_of(case) for case in cases] == [
        Lattice(extents=(4, 4, 4, 4), sums=1),
        Lattice(extents=(6, 6, 6, 6), sums=1),
    ]
    assert {case.bytes for case in cases} == {4}
    assert lattice_of(planned("solver", lattices(sums=0))[0]) == Lattice(extents=(4, 4, 4, 4))


def test_a_lattice_of_all_ranks_is_named_and_sent_as_such() -> None:
    [case] = planned("halo", lattices(whole="16^4", compute="1.5ns", overlaps=False, depth=3), 4)
    assert case.key == "tcp/halo/36/4ranks/whole_16^4/depth3/1.5ns_a_site/no_overlap"
    sent = case_line(case, 7, Amount(samples=1, warmup=0, ops_per_sample=1), 1, verify=True)
    assert sent["lattice"] == {
        "extents": [16, 16, 16, 16],
        "is_global": True,
        "depth": 3,
        "compute_ps_per_site": 1500,
        "overlaps": False,
        "sums": 0,
        "threads": 1,
    }
    assert sent["application"] == {}
    assert lattice_of(case).sites_of_rank(4) == 16**4 / 4


def test_mass_and_tadpole_factor_are_of_tests_with_links() -> None:
    [case, _] = planned("solver", lattices(mass=0.05, u0=0.86))
    assert case.key == "tcp/solver/4/4^4/sums1/mass0.05/u0_0.86"
    [halo, *_, solver] = make_cases(
        ("halo", "solver"), ("tcp",), "", variants=Variants(application=lattices("4", mass=1)),
        patterns=KNOWN,
    )  # fmt: skip
    assert lattice_of(halo) == Lattice(extents=(4, 4, 4, 4))
    assert lattice_of(solver) == Lattice(extents=(4, 4, 4, 4), sums=1, mass=1)
    amount = Amount(samples=1, warmup=0, ops_per_sample=1)
    assert case_line(case, 7, amount, 1, verify=True)["application"] == {"mass": 0.05, "u0": 0.86}


def test_without_computing_there_is_nothing_to_overlap() -> None:
    [bare] = planned("halo", lattices("4", overlaps=False))
    [busy] = planned("halo", lattices("4", overlaps=False, compute="1ns"))
    assert (lattice_of(bare).overlaps, lattice_of(busy).overlaps) == (True, False)


def test_a_gauge_file_gives_the_lattice_and_goes_to_every_case_on_it() -> None:
    gauge = ApplicationFile(
        path="/a/lat.8", format="ILDG", extents=(8, 8, 8, 16), precision="single", checksums=(1, 2)
    )
    [case] = planned("solver", lattices(gauge="lat.8").on(gauge))
    assert lattice_of(case) == Lattice(extents=(8, 8, 8, 16), is_global=True, sums=1)
    amount = Amount(samples=1, warmup=0, ops_per_sample=1)
    sent = case_line(case, 7, amount, 1, verify=True, file=gauge)
    assert sent["application"] == {"gauge": "/a/lat.8", "gauge_checksums": "00000001 00000002"}
    assert case_line(case, 7, amount, 1, verify=True)["application"] == {}
    other = Case(test="ping_pong", transport="tcp", bytes=8)
    assert "application" not in case_line(other, 7, amount, 1, verify=True, file=gauge)


def test_no_other_case_is_sent_a_lattice() -> None:
    amount = Amount(samples=1, warmup=0, ops_per_sample=1)
    case = Case(test="ping_pong", transport="tcp", bytes=8)
    assert "lattice" not in case_line(case, 7, amount, 1, verify=True)
    assert case.message_bytes == 8


def test_both_lattices_may_be_asked_for() -> None:
    found = planned("halo", lattices("4", "8^4"))
    assert [lattice_of(case).is_global for case in found] == [False, True]


@pytest.mark.parametrize(
    ("extents", "why"),
    [
        ("5", "use even extents of at least 4"),
        ("2", "use even extents of at least 4"),
        ("4x4x4x7", "use even extents of at least 4"),
    ],
)
def test_extents_that_a_test_cannot_have_are_refused_with_those_that_it_can(
    extents: str, why: str
) -> None:
    with pytest.raises(WeftError) as refused:
        planned("solver", lattices(extents))
    assert why in refused.value.fix


@pytest.mark.parametrize(
    ("extents", "more"),
    [
        ("four", {}),
        ("0", {}),
        ("8^5", {}),
        ("4x4x4x4x4", {}),
        ("4097", {}),
        ("4096^4", {}),
        ("4", {"depth": 0}),
        ("4", {"depth": 17}),
        ("4", {"sums": 3}),
        ("4", {"compute": "2ms"}),
        ("4", {"compute": "5"}),
        ("4", {"mass": 0}),
        ("4", {"mass": -0.1}),
        ("4", {"mass": 11}),
        ("4", {"mass": float("nan")}),
        ("4", {"u0": 0}),
        ("4", {"u0": float("nan")}),
        ("4", {"gauge": "lattice"}),
    ],
)
def test_what_is_out_of_range_is_refused_before_anything_starts(
    extents: str, more: dict[str, object]
) -> None:
    with pytest.raises(WeftError):
        lattices(extents, "", **more)


def test_a_test_without_a_lattice_is_planned_without_one() -> None:
    known = {"stream": msgspec.structs.replace(HALO, name="stream", application=ApplicationInfo())}
    [case, *_] = make_cases(
        ("stream",), ("tcp",), "", variants=Variants(application=lattices("4")), patterns=known
    )
    assert case.application is None


def test_a_study_is_the_same_case_on_several_numbers_of_ranks() -> None:
    part = Experiment(tests=("halo",), variants=Variants(application=lattices("4,6")))
    cases = cases_of(on_ranks(part, parse_ranks("1,2,4..16")), ("mpi",), KNOWN)
    assert [case.ranks for case in cases] == [1, 1, 2, 2, 4, 4, 8, 8, 16, 16]
    assert len({case.but_for("ranks") for case in cases}) == 2


def test_one_rank_is_for_tests_that_need_no_other() -> None:
    pair = msgspec.structs.replace(HALO, name="pair", ranks=2)
    with pytest.raises(WeftError, match="--ranks 1 is out of range"):
        make_cases(("halo", "pair"), ("tcp",), "", ranks=1, patterns={"halo": HALO, "pair": pair})
    assert make_cases(("halo",), ("tcp",), "", ranks=1, patterns=KNOWN)


def test_a_suite_has_one_number_of_ranks() -> None:
    assert parse_ranks("") == ()
    assert parse_ranks("4", one=True) == (4,)
    with pytest.raises(WeftError, match="one number of ranks"):
        parse_ranks("2,4", one=True)


def test_what_is_no_number_of_ranks_is_refused_with_what_is() -> None:
    with pytest.raises(WeftError, match="'two' is not a list of ranks"):
        parse_ranks("two")


def test_memory_is_that_of_all_faces() -> None:
    [small, _, large] = planned("halo", ApplicationsAsked())
    assert small.message_bytes == 36 * 4**3
    assert small.lanes == 8
    # 8 lanes of 32 messages each way, each on a page of its own, and words.
    assert needed_bytes(small) >= 2 * 8 * 2 * 32 * 4096
    assert needed_bytes(large) > needed_bytes(small)


def test_a_lattice_that_does_not_fit_the_memory_says_to_take_a_smaller_one() -> None:
    [case] = planned("solver", lattices("64"))
    with pytest.raises(WeftError, match="are free; use smaller --extents or --lattice"):
        check_memory((case,), 1 << 20, KNOWN)


def test_short_links_and_threads_are_named_sent_and_save_bytes() -> None:
    asked = lattices("4", long_links=12, threads=2)
    [case] = planned("solver", asked)
    assert case.key == "tcp/solver/4/4^4/sums1/long_links12/threads2"
    assert planned("halo", asked)[0].key == "tcp/halo/36/4^4/threads2"
    sent = case_line(case, 7, Amount(samples=1, warmup=0, ops_per_sample=1), 1, verify=True)
    assert (sent["application"], sent["lattice"]["threads"]) == ({"long_links": 12}, 2)
    info = ApplicationInfo(
        bytes="36",
        moved_bytes_per_site=1344,
        set_bytes_per_site=636,
        options=(
            ApplicationOption(
                name="long_links", usual=18, moved_bytes_per_site=32, set_bytes_per_site=16
            ),
        ),
    )
    assert lattice_of(case).moved_bytes_per_site(info, 36) == 1152
    assert lattice_of(case).set_bytes_per_site(info, 72) == 2 * 540
    assert Lattice(extents=(4,)).moved_bytes_per_site(info, 72) == 2 * 1344


@pytest.mark.parametrize("more", [{"long_links": 14}, {"threads": 0}, {"threads": 1025}])
def test_short_links_and_threads_out_of_range_are_refused(more: dict[str, Any]) -> None:
    with pytest.raises(WeftError, match=r"is none|out of range"):
        lattices("4", **more)


@pytest.mark.parametrize(
    ("sums", "words"), [(None, ()), (1, ()), (0, ("--sums", "0")), (2, ("--sums", "2"))]
)
def test_sums_are_typed_where_they_are_not_the_usual_ones(
    sums: int | None, words: tuple[str, ...]
) -> None:
    assert words_of(ApplicationsAsked(sums=sums), SOLVER.application, None) == words


def test_what_does_not_overlap_is_typed_behind_what_has_a_value() -> None:
    asked = ApplicationsAsked(depth=3, sums=2, overlaps=False)
    words = ("--depth", "3", "--sums", "2", "--no-overlap")
    assert words_of(asked, SOLVER.application, None) == words


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({}, ()),
        ({"extents": "4x6"}, ("--extents", "4x6")),
        ({"whole": "8x8"}, ("--lattice", "8x8")),
        ({"depth": 2}, ("--depth", "2")),
        ({"compute_ps_per_site": 1500}, ("--compute", "1.5ns")),
        ({"sums": 0}, ("--sums", "0")),
        ({"long_link_reals": 12}, ("--long-links", "12")),
        ({"threads": 4}, ("--threads", "4")),
        ({"mass": 0.25}, ("--mass", "0.25")),
        ({"u0": 0.875}, ("--u0", "0.875")),
        ({"overlaps": False}, ("--no-overlap",)),
    ],
)
def test_each_option_that_is_not_usual_is_typed(
    asked: dict[str, Any], words: tuple[str, ...]
) -> None:
    assert words_of(ApplicationsAsked(**asked), SOLVER.application, None) == words


def test_a_file_is_typed_in_the_place_of_its_lattice() -> None:
    file = ApplicationFile(
        path="g.lime", format="scidac", precision="single", extents=(4,) * 4, checksums=(1, 2)
    )
    asked = ApplicationsAsked(extents="4", whole="8", depth=2)
    words = ("--depth", "2", "--gauge", "g.lime")
    assert words_of(asked, SOLVER.application, file) == words
