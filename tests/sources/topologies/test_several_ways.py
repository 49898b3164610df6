"""Where several shortest ways lead to a switch, all that lies behind it has several."""

from pathlib import Path

from weft.sources.topologies import topology_of

DIAMOND = """
[[switch]]
name = "l1"
nodes = "n[1-2]"
uplinks = ["a"]

[[switch]]
name = "a"
uplinks = ["s1", "s2"]

[[switch]]
name = "s1"
uplinks = ["b"]

[[switch]]
name = "s2"
uplinks = ["b"]

[[switch]]
name = "l2"
nodes = "n[3-4]"
uplinks = ["b"]
"""


def ways_of(folder: Path, text: str) -> dict[tuple[str, str], tuple[str, ...]]:
    (folder / "fabric.toml").write_text(text)
    return dict(topology_of([str(folder / "fabric.toml")]).on(("n1", "n2", "n3", "n4")).ways)


def test_what_lies_behind_a_switch_with_several_ways_has_several(tmp_path: Path) -> None:
    """From l1 to a, then by s1 or s2 to b, and from there to l2: either leaf is behind it."""
    assert ways_of(tmp_path, DIAMOND) == {}
    one = DIAMOND.replace('["s1", "s2"]', '["s1"]')
    way = ways_of(tmp_path, one)["n1", "n3"]
    assert [part for part in way if part.startswith("switch")] == [
        "switch a", "switch s1", "switch b"]  # fmt: skip
