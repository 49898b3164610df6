"""Slurm's topology.conf: what it says, and what it must not."""

from pathlib import Path

import pytest

from weft.errors import WeftError
from weft.sources.topologies import topology_of
from weft.sources.topologies.slurm import names_in


def read(path: Path, text: str) -> dict[str, tuple[set[str], int]]:
    file = path / "topology.conf"
    file.write_text(text)
    return {
        one.name: (set(one.members), one.level) for one in topology_of([str(file)]).fabric.groups
    }


def test_a_tree_has_its_leaves_and_what_is_above_them(tmp_path: Path) -> None:
    text = """# two leaves
switchname=l1 nodes=n[1-2],gpu1   # a comment
SwitchName=l2 Nodes=n[08-10] LinkSpeed=100

SwitchName=s1 \\
  Switches=l[1-2]
"""
    assert read(tmp_path, text) == {
        "leaf l1": ({"n1", "n2", "gpu1"}, 1),
        "leaf l2": ({"n08", "n09", "n10"}, 1),
        "switch s1": ({"n1", "n2", "gpu1", "n08", "n09", "n10"}, 2),
    }


def test_what_scontrol_shows_is_read_too(tmp_path: Path) -> None:
    text = """SwitchName=l1 Level=0 LinkSpeed=1 Nodes=n[1-2]
SwitchName=l2 Level=0 LinkSpeed=1 Nodes=n[3-4]
SwitchName=root Level=1 LinkSpeed=1 Nodes=n[1-4] Switches=l[1-2]
"""
    assert read(tmp_path, text) == {
        "leaf l1": ({"n1", "n2"}, 1),
        "leaf l2": ({"n3", "n4"}, 1),
        "switch root": ({"n1", "n2", "n3", "n4"}, 2),
    }


def test_numbers_have_as_many_digits_as_the_first_of_their_range(tmp_path: Path) -> None:
    assert read(tmp_path, "SwitchName=l1 Nodes=n[8-10,098-100]\n") == {
        "leaf l1": ({"n8", "n9", "n10", "n098", "n099", "n100"}, 1)
    }


def test_blanks_around_an_equals_sign_and_quotes_are_as_slurm_takes_them(tmp_path: Path) -> None:
    text = 'SwitchName = l1 Nodes= "n[1-2]"\nSwitchName=l2 Nodes =n[3-4]\n'
    assert read(tmp_path, text) == {"leaf l1": ({"n1", "n2"}, 1), "leaf l2": ({"n3", "n4"}, 1)}


def test_blocks_are_groups(tmp_path: Path) -> None:
    text = "BlockName=b1 BlockIndex=0 Nodes=n[1-2] BlockSize=2\nBlockName=b2 Nodes=n[3-4]\n"
    assert read(tmp_path, text + "BlockSizes=2,4\n") == {
        "block b1": ({"n1", "n2"}, 1),
        "block b2": ({"n3", "n4"}, 1),
    }


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", r"topology\.conf is no topology"),
        ('{"lldp": {}}', r"topology\.conf has no host's LLDP neighbours"),
        ("n1\nn2\n", r"topology\.conf is no topology"),
        ("SwitchName=a Nodes=n1 n2\n", "line 1 is no switch with Nodes= or Switches="),
        ("SwitchName=a Nodes=n1\nSwitchName=a Nodes=n2\n", "line 2: a is there twice"),
        ("SwitchName=a Nodes=n[1-2\n", r"line 1: n\[1-2 has a bracket without its other one"),
        ("SwitchName=a Nodes=n1-2]\n", "has a bracket without its other one"),
        ("SwitchName=a Nodes=n[4-1]\n", r"\[4-1\] is no range of numbers"),
        ("SwitchName=a\n", "line 1 is no switch with Nodes= or Switches="),
        ("SwitchName=a Nodes=n1 Switches=b\n", "has no switch b"),
        ("RingName=r1 Nodes=n[1-4]\n", "line 1 is no switch"),
        ("SwitchName=a Nodes=n[1-x]\n", "is no range of numbers"),
        ("SwitchName=a Nodes=n[1-999999999]\n", "is no range of numbers"),
        ("SwitchName=a Nodes=n[1-999][1-999]\n", "are too many names"),
        ("SwitchName=a Switches=b\n", "has no switch b"),
        ("SwitchName=a Switches=b\nSwitchName=b Switches=a\n", "is above itself"),
    ],
)
def test_what_is_no_tree_is_refused(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(WeftError, match=words):
        read(tmp_path, text)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(WeftError, match=r"cannot read .*nowhere as a topology: No such file"):
        topology_of([str(tmp_path / "nowhere")])


def test_lists_have_ranges_anywhere() -> None:
    assert names_in("a[1-2]b[3,5]", "") == ("a1b3", "a1b5", "a2b3", "a2b5")
