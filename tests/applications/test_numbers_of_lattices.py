"""Sites, faces, bytes and words of lattices of which no two extents are alike."""

import msgspec
import pytest

from weft.applications.answers import modern, plaquettes_of, residual_of
from weft.applications.info import ApplicationInfo, as_measured
from weft.applications.lattice import Lattice, nanoseconds

SOLVER = as_measured(
    "milc",
    ApplicationInfo(
        dimensions=4, bytes="4,8", sums=2, moved_bytes_per_site=1308, set_bytes_per_site=640
    ),
)
WHOLE = Lattice(extents=(6, 4, 10, 8), is_global=True)
OF_RANK = Lattice(extents=(6, 4, 10, 8), depth=3)


def test_sites_are_of_a_rank_or_of_all_together() -> None:
    assert WHOLE.sites == OF_RANK.sites == 6 * 4 * 10 * 8
    assert [WHOLE.sites_of_rank(ranks) for ranks in (1, 5, 96)] == [1920, 384, 20]
    assert [OF_RANK.sites_of_rank(ranks) for ranks in (1, 5, 96)] == [1920.0] * 3
    assert [Lattice(extents=extents).lanes for extents in ((4,), (4, 6, 8))] == [2, 6]


def test_messages_are_faces_of_so_many_layers() -> None:
    """The largest face lacks the shortest extent, the smallest the longest one."""
    assert OF_RANK.message_bytes(36) == 36 * 3 * (6 * 10 * 8)
    assert OF_RANK.least_message_bytes(36) == 36 * 3 * (6 * 4 * 8)
    assert WHOLE.message_bytes(36) == 36 * (6 * 10 * 8)
    assert WHOLE.least_message_bytes(36) == 0
    assert msgspec.structs.replace(OF_RANK, sums=1).least_message_bytes(36) == 0


def test_bytes_of_a_site_follow_the_precision_and_what_is_kept_of_links() -> None:
    """Twelve numbers of a long link are six less than usual: six times 32 and 16 bytes a site."""
    few = Lattice(extents=(6, 4, 10, 8), long_link_reals=12)
    assert OF_RANK.moved_bytes_per_site(SOLVER, 4) == 1308
    assert OF_RANK.set_bytes_per_site(SOLVER, 8) == 2 * 640
    assert few.moved_bytes_per_site(SOLVER, 4) == 1308 - 6 * 32
    assert few.moved_bytes_per_site(SOLVER, 8) == 2 * (1308 - 6 * 32)
    assert few.set_bytes_per_site(SOLVER, 4) == 640 - 6 * 16
    bare = msgspec.structs.replace(SOLVER, bytes="")
    assert OF_RANK.moved_bytes_per_site(bare, 8) == 1308


@pytest.mark.parametrize(
    ("extents", "shape"),
    [((8, 8, 8, 8), "8^4"), ((8, 8), "8^2"), ((8,), "8"), ((8, 8, 8, 4), "8x8x8x4")],
)
def test_a_shape_is_short_where_all_extents_are_alike(extents: tuple[int, ...], shape: str) -> None:
    assert Lattice(extents=extents).shape == shape


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, ""),
        ({"is_global": True}, ""),
        ({"depth": 2}, "depth2"),
        ({"compute_ps_per_site": 1}, "0.001ns_a_site"),
        ({"overlaps": False}, "no_overlap"),
        ({"sums": 1}, "sums1"),
        ({"long_link_reals": 12}, "long_links12"),
        ({"threads": 2}, "threads2"),
        ({"mass": 0.2}, "mass0.2"),
        ({"u0": 0.875}, "u0_0.875"),
        ({"depth": 2, "sums": 3, "u0": 2.0}, "depth2/sums3/u0_2"),
    ],
)
def test_only_what_is_not_usual_is_a_word_of_a_name(fields: dict[str, object], words: str) -> None:
    own = Lattice(extents=(4, 6), **fields)  # type: ignore[arg-type]
    shape = "whole_4x6" if own.is_global else "4x6"
    assert own.words == "/".join(filter(None, (shape, words)))


def test_what_differs_from_an_applications_usual_is_said_without_the_extents() -> None:
    usual = Lattice(extents=(4, 6), is_global=True, sums=2)
    assert usual.words_beyond(SOLVER) == ""
    assert msgspec.structs.replace(usual, sums=1, threads=3).words_beyond(SOLVER) == (
        "sums1/threads3"
    )
    assert usual.of_any_shape == {**usual.options, "extents": [], "is_global": False}


def test_a_name_has_each_digit_and_an_older_one_six() -> None:
    fine = Lattice(extents=(4, 6), compute_ps_per_site=1234567, mass=0.12345678)
    assert fine.words == "4x6/1234.567ns_a_site/mass0.12345678"
    assert fine.older_words == "4x6/1234.57ns_a_site/mass0.123457"
    told = [nanoseconds(one) for one in (0, 1, 120, 1000, 60000, 1010)]
    assert told == ["0ns", "0.001ns", "0.12ns", "1ns", "60ns", "1.01ns"]


def test_the_engines_line_has_what_is_not_usual_beside_the_lattice() -> None:
    line = Lattice(extents=(4, 6), mass=0.2, long_link_reals=18, depth=2).line(None)
    assert line["application"] == {"mass": 0.2}
    assert line["lattice"] == {
        "extents": [4, 6], "is_global": False, "depth": 2, "compute_ps_per_site": 0,
        "overlaps": True, "sums": 0, "threads": 1,
    }  # fmt: skip
    both = Lattice(extents=(4, 6), u0=0.9, long_link_reals=12).line(None)
    assert both["application"] == {"long_links": 12, "u0": 0.9}


def test_answers_are_found_by_their_names_also_in_older_records() -> None:
    found = {"plaquette_space": 1.7, "plaquette_time": 2.1, "residual": 3e-6}
    assert (residual_of(found), plaquettes_of(found)) == (3e-6, (1.7, 2.1))
    assert (residual_of({}), plaquettes_of({"plaquette_space": 1.7})) == (None, None)
    assert plaquettes_of({"plaquette_time": 2.1}) is None
    older = {"kind": "batch", "residual": 3e-6, "plaquettes": [1.7, 2.1]}
    read = msgspec.json.decode(modern(msgspec.json.encode(older)))
    assert read["application"] == found
    alone = {"kind": "batch", "residual": None, "plaquettes": [1.7, 2.1]}
    read = msgspec.json.decode(modern(msgspec.json.encode(alone)))
    assert read["application"] == {"plaquette_space": 1.7, "plaquette_time": 2.1}
    nothing = b'{"residual":null,"plaquettes":null,"x":1}'
    assert modern(nothing) == nothing
    new = msgspec.json.encode({**older, "application": {"residual": 5.0}})
    assert modern(new) == new
