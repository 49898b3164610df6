"""Records of links from a file: what is shown of the file, and how its field is compared."""

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

import weft
from support.builders import LAUNCH_EFFECTS, synthetic_record, write_lines
from weft.analysis.compare.comparison import compare
from weft.analysis.compare.conditions import differences_of_runs
from weft.analysis.summary import summarise
from weft.applications.files import ApplicationFile
from weft.applications.lattice import Lattice
from weft.plan.case import Case
from weft.record.run import Run
from weft.sources.sides import load_sides
from weft.topics import results_of
from weft.topics.scaling import Scaling

if TYPE_CHECKING:
    from weft.record.model import Line

FOUND = {"plaquette_space": 2.62, "plaquette_time": 2.621}
EXTENTS = (4, 8, 8, 16)
PARTS = ("pack", "local", "wait", "remote", "sum")


def drawn_record(folder: Path) -> Run:
    """Of links that are drawn, on one rank."""
    lattice = Lattice(extents=EXTENTS, is_global=True)
    case = Case(test="milc", transport="tcp", bytes=4, ranks=1, application=lattice.options)
    return weft.load(
        synthetic_record(
            folder / "r.jsonl",
            (case,),
            times_ns=lambda _, round_: [1e5 * LAUNCH_EFFECTS[round_]] * 9,
            parts_ns=lambda _, round_: dict.fromkeys(PARTS, [2e4 * LAUNCH_EFFECTS[round_]] * 9),
        )
    )


def on_gauge(run: Run, folder: Path, name: str, sums: tuple[int, int]) -> Run:
    """The same record, of links from a file."""
    gauge = ApplicationFile(
        path=f"/data/{name}", format="SciDAC", extents=EXTENTS, precision="single", checksums=sums
    )
    record = run.lines
    plan = msgspec.structs.replace(record.header.plan, application_file=gauge)
    header = msgspec.structs.replace(record.header, plan=plan)
    batches = [msgspec.structs.replace(one, application=FOUND) for one in record.batches]
    assert record.footer is not None
    lines: list[Line] = [header, *record.launches, *batches, record.footer]
    return weft.load(write_lines(folder / f"{name}.jsonl", lines))


def test_a_gauge_file_is_named_with_its_plaquettes_once(tmp_path: Path) -> None:
    run = on_gauge(drawn_record(tmp_path), tmp_path, "lat", (1, 2))
    rows = results_of(run, summarise(run)).of(Scaling())
    assert {row.plaquettes for row in rows.all} == {(2.62, 2.621)}
    notes = [one for one in Scaling().tables(rows)[0].notes if "plaquettes" in one]
    assert notes == [
        (
            "Links of lat (SciDAC, 4x8x8x16, single precision, 00000001 00000002): plaquettes"
            " 2.620000000 in space, 2.621000000 with t."
        )
    ]


def test_records_of_other_fields_are_compared_and_their_fields_named(tmp_path: Path) -> None:
    drawn = drawn_record(tmp_path)
    runs = {
        name: on_gauge(drawn, tmp_path, name, sums)
        for name, sums in {"one": (1, 2), "copy": (1, 2), "other": (3, 2)}.items()
    }

    def unlike(*sides: Run) -> dict[str, tuple[str, ...]]:
        found = compare(load_sides([str(side.path) for side in sides]))
        return {name: texts for name, texts in found.unlike.items() if "gauge" in name}

    assert unlike(runs["one"], runs["copy"]) == {}
    assert [text[-17:] for text in unlike(runs["one"], runs["other"])["gauge field"]] == [
        "00000001 00000002", "00000003 00000002",
    ]  # fmt: skip
    assert unlike(drawn, runs["one"])["gauge field"][0] == "not set"
    assert "gauge field" in " ".join(differences_of_runs(runs["one"], runs["other"]))
