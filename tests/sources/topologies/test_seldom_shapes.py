"""What fabrics and their files seldom have: ways that part in the midst, one host a leaf, gaps."""

from pathlib import Path

import pytest

from weft.errors import WeftError
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


PODS = "".join(
    f'[[switch]]\nname = "{name}"\nnodes = "{nodes}"\nuplinks = ["{above}"]\n'
    for name, nodes, above in (
        ("l1", "n1", "s1"), ("l2", "n2", "s1"), ("s1", "", "c1"), ("c1", "", "t"),
        ("l3", "n3", "s2"), ("l4", "n4", "s2"), ("s2", "", "c2"), ("c2", "", "t"),
    )
)  # fmt: skip


def test_a_part_of_a_fabric_is_one_group_at_whatever_levels_it_ends(tmp_path: Path) -> None:
    """Below s1 are the same hosts as below c1, which is no further group."""
    (tmp_path / "fabric.toml").write_text(PODS)
    topology = topology_of([str(tmp_path / "fabric.toml")])
    members = [one.members for one in topology.on(("n1", "n2", "n3", "n4")).groups]
    assert members.count(frozenset({"n1", "n2"})) == 1
    assert len(members) == len(set(members)) == 6


def test_of_some_hosts_only_their_groups_are_known(tmp_path: Path) -> None:
    (tmp_path / "fabric.toml").write_text(PODS)
    known = topology_of([str(tmp_path / "fabric.toml")]).on(("n1", "n3"))
    assert {one.name: set(one.members) for one in known.groups if one.level == 1} == {
        "leaf l1": {"n1"},
        "leaf l3": {"n3"},
    }
    assert all(one.members for one in known.groups)


def test_an_empty_topology_beside_another_is_refused(tmp_path: Path) -> None:
    (tmp_path / "fabric.toml").write_text(PODS)
    for words in (["", str(tmp_path / "fabric.toml")], [str(tmp_path / "fabric.toml"), " "], [" "]):
        with pytest.raises(WeftError, match="--topology is empty"):
            topology_of(words)


def test_capabilities_in_another_shape_say_nothing_of_a_neighbour(tmp_path: Path) -> None:
    """Whoever does not say what it is may be a switch."""
    text = (
        '{"lldp":{"interface":[{"eth0":{"chassis":{"%s":{"id":{"value":"1"},'
        '"capability":["Bridge"]}}}}]}}'
    )
    for host, leaf in (("n1", "l1"), ("n2", "l1"), ("n3", "l2"), ("n4", "l2")):
        (tmp_path / f"{host}.json").write_text(text % leaf)
    known = topology_of([str(tmp_path)]).on(("n1", "n2", "n3", "n4"))
    assert {one.name for one in known.groups} == {"leaf l1", "leaf l2"}
