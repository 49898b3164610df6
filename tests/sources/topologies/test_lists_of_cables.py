"""Topologies as lists of cables, of one switch's neighbours, and of a cluster that is flat."""

import json
from pathlib import Path

import pytest

from weft.sources.topologies import topology_of

PORTS = """\
CA    11  1 0x0002c903000000a1 4x EDR - SW     1  1 0x0002c903000000f1 ( 'n1 mlx5_0' - 'l1' )
CA    12  1 0x0002c903000000a2 4x EDR - SW     1  2 0x0002c903000000f1 ( 'n2 mlx5_0' - 'l1' )
SW     1  1 0x0002c903000000f1 4x EDR - CA    11  1 0x0002c903000000a1 ( 'l1' - 'n1 mlx5_0' )
SW     1  2 0x0002c903000000f1 4x EDR - CA    12  1 0x0002c903000000a2 ( 'l1' - 'n2 mlx5_0' )
SW     1  9 0x0002c903000000f1 4x EDR - SW     3  1 0x0002c903000000f3 ( 'l1' - 's1' )
SW     1 10 0x0002c903000000f1 4x SDR                                    'l1'
SW     2  1 0x0002c903000000f2 4x EDR - CA    13  1 0x0002c903000000a3 ( 'l2' - 'n3 mlx5_0' )
SW     2  9 0x0002c903000000f2 4x EDR - SW     3  2 0x0002c903000000f3 ( 'l2' - 's1' )
"""
LINKS = """\
CA: n1 mlx5_0:
      0x0002c903000000a1 11  1[  ] ==( 4X  25.78125 Gbps Active/  LinkUp)==>    1    1[  ] "l1" ( )
Switch: 0x0002c903000000f1 l1:
           1    1[  ] ==( 4X  25.78125 Gbps Active/  LinkUp)==>      11    1[  ] "n1 mlx5_0" ( )
           1    2[  ] ==( 4X  25.78125 Gbps Active/  LinkUp)==>      12    1[  ] "n2 mlx5_0" ( )
           1    9[  ] ==( 4X  25.78125 Gbps Active/  LinkUp)==>       3    1[  ] "s1" ( )
           1   10[  ] ==(                Down/ Polling)==>             [  ] "" ( )
Switch: 0x0002c903000000f2 l2:
           2    1[  ] ==( 4X  25.78125 Gbps Active/  LinkUp)==>      13    1[  ] "n3 mlx5_0" ( )
           2    9[  ] ==( 4X  25.78125 Gbps Active/  LinkUp)==>       3    2[  ] "s1" ( )
Switch: 0x0002c903000000f3 s1:
           3    1[  ] ==( 4X  25.78125 Gbps Active/  LinkUp)==>       1    9[  ] "l1" ( )
           3    2[  ] ==( 4X  25.78125 Gbps Active/  LinkUp)==>       2    9[  ] "l2" ( )
"""


def leaves(path: Path) -> dict[str, list[str]]:
    groups = topology_of([str(path)]).fabric.groups
    return {group.name: sorted(group.members) for group in groups}


@pytest.mark.parametrize("text", [PORTS, LINKS], ids=["ibnetdiscover -p", "iblinkinfo"])
def test_a_list_of_cables_has_the_leaves_of_all_hosts(tmp_path: Path, text: str) -> None:
    path = tmp_path / "fabric.txt"
    path.write_text(text)
    found = leaves(path)
    assert found["leaf l1"] == ["n1", "n2"]
    assert found["leaf l2"] == ["n3"]


def test_one_file_of_a_switch_names_the_hosts_that_it_hears(tmp_path: Path) -> None:
    heard = [
        {f"swp{at}": {"chassis": {f"n{at}": {"id": {"type": "mac", "value": f"m{at}"},
         "capability": [{"type": "Station", "enabled": True}]}}}}
        for at in (1, 2)
    ]  # fmt: skip
    path = tmp_path / "l1.json"
    path.write_text(json.dumps({"lldp": {"interface": heard}}))
    assert leaves(path) == {"leaf l1": ["n1", "n2"]}


def test_a_flat_topology_says_that_no_structure_is_known(tmp_path: Path) -> None:
    path = tmp_path / "topology.yaml"
    path.write_text("- topology: flat\n  cluster_default: true\n  flat: true\n")
    found = topology_of([str(path)])
    assert found.on(["n1", "n2"]).groups == ()
