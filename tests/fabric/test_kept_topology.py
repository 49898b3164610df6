"""A map's record keeps its topology: whoever reads it blames what the map itself blamed."""

from pathlib import Path

import msgspec
from typer.testing import CliRunner

import weft
from sources.topologies.test_cabled_topologies import ibnetdiscover, routes
from support.builders import write_lines
from support.maps import map_record
from weft.cli.main import app
from weft.fabric.topology import MOST_KEPT_WAYS, topology_kept
from weft.record.run import Run
from weft.sources.topologies import topology_of

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
    every = (header, *lines.launches, *lines.batches, *lines.ends)
    return weft.load(write_lines(folder / "before.jsonl", [*every, lines.footer]))


def test_a_record_of_before_names_nobody_and_asks_for_its_topology(tmp_path: Path) -> None:
    record = without_topology(tmp_path)
    assert record.header.lacks_topology
    words = said("map", str(record.path))
    assert "cannot tell who is slow" in words
    assert "type --topology" in words
    assert "confidence" not in words
    assert CABLE in said("map", str(record.path), "--topology", "fat-tree 8/16 full d-mod-k")


def test_a_check_of_records_of_before_cannot_tell(tmp_path: Path) -> None:
    record = without_topology(tmp_path)
    done = CliRunner().invoke(app, ["check", str(record.path), "--against", str(MAP)])
    assert "type --topology" in " ".join(done.output.split())
    assert "got slower" not in done.output


def test_the_topology_of_a_file_is_kept_with_its_routes(tmp_path: Path) -> None:
    (tmp_path / "fabric.txt").write_text(ibnetdiscover(("s1", "s2")))
    (tmp_path / "lfts").write_text(routes({1: 1, 2: 2, 3: 2, 4: 1}))
    typed = topology_of([str(tmp_path / "fabric.txt"), str(tmp_path / "lfts")])
    hosts = ("n1", "n2", "n3")
    text = msgspec.json.encode(typed.kept(hosts))
    read = topology_kept(msgspec.json.decode(text, type=type(typed.kept(hosts))))
    assert len(typed.on(hosts).ways) == 4
    assert len(typed.on(hosts).ways) <= MOST_KEPT_WAYS
    assert read.on(hosts) == typed.on(hosts)


def test_a_record_without_any_topology_guesses_as_before(tmp_path: Path) -> None:
    run = map_record(tmp_path / "m.jsonl", {"n5": 1.5})
    assert not run.header.lacks_topology
    assert "n5 when it sends is slow" in said("map", str(run.path))
