"""A map's record keeps its topology, so later commands name the same part."""

from pathlib import Path

import msgspec
from typer.testing import CliRunner

import weft
from support.builders import write_lines
from support.maps import map_record
from weft.cli.main import app
from weft.fabric.known import Group, KnownFabric
from weft.fabric.topology import Topology, topology_kept
from weft.record.model import KeptTopology, Line
from weft.record.run import Run

MAP = Path(__file__).parents[1] / "records" / "map-topology.jsonl.zst"
CABLE = "cable 1 between leaf 3 and spine 2 is slow"


def said(*words: str) -> str:
    done = CliRunner().invoke(app, [*words])
    assert done.exit_code == 0, done.output
    return " ".join(done.output.split())


def test_the_record_of_a_map_blames_the_cable(tmp_path: Path) -> None:
    """Without the topology it was a node, with a confidence of 93 %."""
    assert CABLE in said("map", str(MAP))
    page = tmp_path / "page.html"
    said("report", str(MAP), "-o", str(page))
    assert CABLE in page.read_text()


def without_topology(folder: Path) -> Run:
    lines = weft.load(MAP).lines
    header = msgspec.structs.replace(lines.header, topology=None)
    assert lines.footer is not None
    every: list[Line] = [header, *lines.launches, *lines.batches, *lines.ends, lines.footer]
    return weft.load(write_lines(folder / "before.jsonl", every))


def test_a_record_of_before_names_nobody_and_asks_for_its_topology(tmp_path: Path) -> None:
    record = without_topology(tmp_path)
    assert record.header.lacks_topology
    words = said("map", str(record.path))
    assert "cannot tell which node is slow" in words
    assert "use --topology" in words
    assert "confidence" not in words
    assert CABLE in said("map", str(record.path), "--topology", "fat-tree 8/16 full d-mod-k")


def test_a_check_of_records_of_before_cannot_tell(tmp_path: Path) -> None:
    record = without_topology(tmp_path)
    done = CliRunner().invoke(app, ["check", str(record.path), "--against", str(MAP)])
    assert "use --topology" in " ".join(done.output.split())
    assert "got slower" not in done.output


def test_the_topology_of_a_file_is_kept_with_its_routes() -> None:
    up, down = ("cable l1/3 to s1/1", "switch s1"), ("cable s1/2 to l2/3",)
    fabric = KnownFabric(
        groups=(
            Group(name="leaf l1", members=frozenset({"n1", "n2"})),
            Group(name="leaf l2", members=frozenset({"n3", "n4"})),
        ),
        ways={(one, other): (*up, *down) for one in ("n1", "n2") for other in ("n3", "n4")},
        cables={"cable l1/3": ("cable l1/3 to s1/1", "cable s1/1 to l1/3")},
    )
    typed = Topology(fabric=fabric, typed=("fabric.txt", "lfts"))
    hosts = ("n1", "n2", "n3")
    text = msgspec.json.encode(typed.kept(hosts))
    read = topology_kept(msgspec.json.decode(text, type=KeptTopology))
    assert len(typed.on(hosts).ways) == 2
    assert typed.on(hosts).groups[1].absent == ("n4",)
    assert read.on(hosts) == typed.on(hosts)


def test_a_record_without_any_topology_guesses_as_before(tmp_path: Path) -> None:
    run = map_record(tmp_path / "m.jsonl", {"n5": 1.5})
    assert not run.header.lacks_topology
    assert "n5 when it sends is slow" in said("map", str(run.path))
