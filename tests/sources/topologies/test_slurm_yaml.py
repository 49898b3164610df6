"""Slurm's topology.yaml: the same groups as its topology.conf, of the topology that is meant."""

import re
from pathlib import Path

import pytest

from weft.errors import WeftError
from weft.sources.topologies import topology_of

TREE = """# what the cluster has
- topology: racks
  cluster_default: True
  tree:
    switches:
    - switch: s1
      children: l[1-2]
    - switch: l1
      nodes: n[1-2],gpu1
    - {switch: l2, nodes: 'n[08-10]'}
"""
OTHERS = """- topology: nvl
  cluster_default: False
  block:
    block_sizes: [4, 16]
    blocks:
    - block: b1
      nodes: n[01-04]
    - block: 07
      nodes: n[05-06]
- topology: none
  flat: false
"""
CONF = """SwitchName=s1 Switches=l[1-2]
SwitchName=l1 Nodes=n[1-2],gpu1
SwitchName=l2 Nodes=n[08-10]
"""


def read(path: Path, text: str, name: str = "") -> dict[str, tuple[set[str], int]]:
    file = path / "topology.yaml"
    file.write_text(text)
    groups = topology_of([f"{file}{name}"]).fabric.groups
    return {one.name: (set(one.members), one.level) for one in groups}


def test_a_tree_is_that_of_topology_conf(tmp_path: Path) -> None:
    conf = tmp_path / "topology.conf"
    conf.write_text(CONF)
    found = read(tmp_path, TREE)
    assert read(tmp_path, f"---\n{TREE}") == found
    assert found == {
        "leaf l1": ({"n1", "n2", "gpu1"}, 1),
        "leaf l2": ({"n08", "n09", "n10"}, 1),
        "switch s1": ({"n1", "n2", "gpu1", "n08", "n09", "n10"}, 2),
    }
    groups = topology_of([str(conf)]).fabric.groups
    assert groups == topology_of([str(tmp_path / "topology.yaml")]).fabric.groups


def test_the_default_of_several_is_meant_or_the_one_that_is_named(tmp_path: Path) -> None:
    blocks = {
        "block b1": ({"n01", "n02", "n03", "n04"}, 1),
        "block 07": ({"n05", "n06"}, 1),
    }
    assert read(tmp_path, OTHERS + TREE) == read(tmp_path, TREE)
    assert read(tmp_path, OTHERS + TREE, "@nvl") == blocks
    assert read(tmp_path, OTHERS + TREE, "@racks") == read(tmp_path, TREE)
    first = OTHERS.replace("False", "true")
    assert read(tmp_path, first + TREE) == blocks
    assert read(tmp_path, TREE + first) == read(tmp_path, TREE)
    # The only one needs no mark.
    assert read(tmp_path, OTHERS.partition("- topology: none")[0]) == blocks


def test_a_file_with_an_at_sign_in_its_name_is_itself(tmp_path: Path) -> None:
    (tmp_path / "topology.yaml@nvl").write_text(TREE)
    assert read(tmp_path, OTHERS, "@nvl") == read(tmp_path, TREE)


def test_nodes_of_all_leaves_below_a_switch_are_its_childrens(tmp_path: Path) -> None:
    both = TREE.replace("children: l[1-2]", "children: l[1-2]\n      nodes: n[1-99]")
    assert read(tmp_path, both) == read(tmp_path, TREE)


@pytest.mark.parametrize(
    ("text", "name", "what", "fix"),
    [
        (OTHERS, "", "has several topologies and no cluster_default", "@nvl or .*@none"),
        (OTHERS, "@racks", "has no topology racks", "@nvl or .*@none"),
        (CONF, "@racks", "yaml has one topology, without a name", "use .*topology.yaml$"),
        (OTHERS, "@none", "topology none has neither tree: nor block:", "tree: or block:"),
        (TREE.replace("l[1-2]", "l[1-3]"), "", "has no switch l3", "add it"),
        (TREE.replace("nodes: n[1-2],gpu1", "children: s1"), "", "is above itself", "below it"),
        (TREE.replace("n[1-2]", "n[1-x]"), "", "racks: .1-x. is no range", "like n.1-4,7."),
        (TREE.replace("switch: l2", "switch: l1"), "", "racks: l1 is there twice", "once"),
        (TREE.replace("switch: l1", "leaf: l1"), "", "field switch - at .0..tree.switches.1", "-"),
        (TREE.replace("  tree:", " tree:"), "", "line 4 is not YAML", "topology: NAME"),
        (TREE.replace("    switches:", "    switches: '"), "", "line 10 is not YAML", "NAME"),
        ("- topology: a\n  tree: {switches: []}\n", "", "has no switch", "NAME"),
        ("- topology: a\n  tree: " + "[" * 100_000, "", "is not YAML: maximum recursion", "NAME"),
        ("- topology: [a]\n", "", "expected str, got array - at .0..topology", "NAME"),
        ("- topology: a\x00\n", "", "is not YAML: unacceptable character", "NAME"),
    ],
)
def test_what_has_no_such_topology_is_refused(
    tmp_path: Path, text: str, name: str, what: str, fix: str
) -> None:
    with pytest.raises(WeftError, match=what) as raised:
        read(tmp_path, text, name)
    assert re.search(fix, raised.value.fix)
