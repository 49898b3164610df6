"""Gauge files: the engine's programs read what was written by other code, or say why not."""

from pathlib import Path

import msgspec
import pytest

from support.driven import drive
from support.gauge_fields import (
    WRITERS,
    checksums,
    ildg,
    milc_v5,
    plaquettes,
    random_field,
    scidac,
    single,
)
from weft.applications.files import ApplicationFile
from weft.applications.info import ApplicationInfo, ApplicationOption
from weft.errors import WeftError
from weft.launch.application_file import application_file
from weft.launch.programs import Program, engine_folder
from weft.plan.pattern import Pattern

pytestmark = pytest.mark.engine

EXTENTS = (8, 4, 4, 6)
FIELD = single(random_field(EXTENTS))


def program() -> Program:
    path = engine_folder() / "openmpi" / "rank-mpi"
    milc = Pattern(
        name="milc", title="", summary="", ranks=1, latency_divisor=1, bandwidth_factor=0,
        application=ApplicationInfo(dimensions=4, options=(ApplicationOption(name="gauge"),)),
    )  # fmt: skip
    return Program(transport="mpi", mpi="openmpi", path=path, patterns=(milc,))


def written(folder: Path, bytes_: bytes) -> Path:
    path = folder / "lattice"
    path.write_bytes(bytes_)
    return path


def solved(path: Path, sums: tuple[int, int], ranks: int) -> dict[str, object]:
    case = {
        "id": 1, "test": "milc", "bytes": 36, "samples": 2, "ops_per_sample": 20,
        "lattice": {"extents": EXTENTS, "is_global": True, "sums": 2},
        "application": {"mass": 0.2, "u0": 0.9, "gauge": str(path),
                        "gauge_checksums": " ".join(f"{one:08x}" for one in sums)},
    }  # fmt: skip
    _, lines = drive("openmpi", "mpi", case, ranks=ranks)
    return lines[1]


def found_out(answer: dict[str, object]) -> dict[str, float]:
    return msgspec.convert(answer["application"], dict[str, float])


@pytest.mark.parametrize("name", WRITERS)
def test_a_file_of_other_code_is_read_as_it_was_written(name: str, tmp_path: Path) -> None:
    found = application_file(program(), written(tmp_path, WRITERS[name](FIELD)))
    assert found.extents == EXTENTS
    assert found.checksums == checksums(FIELD)
    assert found.precision == "single"
    assert found.format.lower().replace(" ", "_") == name.removesuffix("_big")


def test_its_solution_and_plaquettes_are_the_same_in_each_format_and_on_any_ranks(
    tmp_path: Path,
) -> None:
    answers = []
    for number, (write, ranks) in enumerate(zip(WRITERS.values(), (1, 1, 1, 2), strict=True)):
        path = tmp_path / str(number)
        path.write_bytes(write(FIELD))
        answers.append(solved(path, checksums(FIELD), ranks))
    assert [answer["status"] for answer in answers] == ["ok"] * 4, answers
    for answer in answers:
        space, time = (found_out(answer)[f"plaquette_{name}"] for name in ("space", "time"))
        assert (space, time) == pytest.approx(plaquettes(FIELD), abs=1e-9)
    first, second, third, two_ranks = (found_out(answer)["residual"] for answer in answers)
    assert first == second == third
    assert two_ranks == pytest.approx(first, rel=1e-2)


def test_double_precision_has_checksums_of_its_own(tmp_path: Path) -> None:
    field = random_field((4, 4, 4, 4))
    for write in (scidac, ildg):
        found = application_file(program(), written(tmp_path, write(field, ">f8")))
        assert (found.precision, found.checksums) == ("double", checksums(field, ">f8"))


def test_of_a_bad_file_one_line_names_it_and_what_to_type(tmp_path: Path) -> None:
    whole = scidac(FIELD)
    # The lowest bit of the last number.
    last = whole.rindex(b"\x45\x67\x89\xab") - 1
    nothing = FIELD.copy()
    nothing[1, 2, 3, 0, 0] = float("nan")
    bad = {
        "ends": whole[:-5000],
        "damaged": milc_v5(FIELD)[:-72] + whole[:72],
        "datacount is 1": whole.replace(b"<datacount>4<", b"<datacount>1<"),
        "checksums": whole[:last] + bytes([whole[last] ^ 1]) + whole[last + 1 :],
        "is no gauge field": b"a text",
        "0,3,2,1 in x is not in SU(3)": ildg(nothing),
    }
    for word, bytes_ in bad.items():
        with pytest.raises(WeftError) as refused:
            application_file(program(), written(tmp_path, bytes_))
        assert str(tmp_path / "lattice") in refused.value.what
        assert word in refused.value.what
        assert "--gauge" in refused.value.fix
        assert "\n" not in refused.value.what + refused.value.fix


def test_a_rank_that_has_another_file_or_none_says_so_in_one_line(tmp_path: Path) -> None:
    path = written(tmp_path, milc_v5(FIELD))
    other = solved(path, (1, 2), 2)
    assert (other["status"], "another one on some host" in str(other["reason"])) == ("failed", True)
    path.write_bytes(milc_v5(single(random_field((4, 4, 4, 4)))))
    assert "4x4x4x4 where the case has 8x4x4x6" in str(solved(path, (1, 2), 2)["reason"])
    path.unlink()
    missing = str(solved(path, (1, 2), 2)["reason"])
    assert missing.startswith(("rank 0: ", "rank 1: "))
    assert str(path) in missing
    assert "that every host has" in missing


def test_a_gauge_file_is_described_in_words() -> None:
    fields = {"path": "/a/lat.1", "format": "ILDG", "precision": "single"}
    found = msgspec.convert(
        {**fields, "extents": (8, 8, 8, 16), "checksums": (10, 11)}, ApplicationFile
    )
    assert found.in_words == "lat.1 (ILDG, 8x8x8x16, single precision, 0000000a 0000000b)"
