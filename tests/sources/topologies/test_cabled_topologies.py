"""Files of cabled fabrics: who is below which switch, and which cables a message passes."""

from pathlib import Path

import pytest

from weft.errors import WeftError
from weft.fabric.known import KnownFabric
from weft.sources.topologies import topology_of

HOSTS = ("n1", "n2", "n3", "n4")
LEAVES = {"leaf l1": {"n1", "n2"}, "leaf l2": {"n3", "n4"}}


def leaves_of(fabric: KnownFabric) -> dict[str, set[str]]:
    return {one.name: set(one.members) for one in fabric.groups if one.level == 1}


def _guid(switch: str) -> str:
    return f"S-{int(switch, 36):016x}"


def ibnetdiscover(spines: tuple[str, ...] = ("s1",), *, with_chassis: bool = False) -> str:
    """Two leaves of two hosts with a cable to each spine, as ibnetdiscover writes them.

    Host n has LID n; ports 1 and 2 of a leaf are hosts, 3 and on spines.
    """
    extra = "[ext 9]" if with_chassis else ""
    lines = ["#", "# Topology file: generated on Mon Nov 23", "#", "vendid=0x2c9", ""]
    for leaf, first in (("l1", 1), ("l2", 3)):
        lines.append(f'Switch\t40 "{_guid(leaf)}"\t\t# "{leaf}" enhanced port 0 lid 20 lmc 0')
        for port, host in enumerate((first, first + 1), 1):
            name = f"n{host} mlx5_0"
            lines.append(
                f'[{port}]{extra}\t"H-{host:016x}"[1](b{host}) \t\t# "{name}" lid {host} 4xHDR'
            )
        for port, spine in enumerate(spines, 3):
            up = 1 if leaf == "l1" else 2
            lines.append(f'[{port}]{extra}\t"{_guid(spine)}"[{up}]\t\t# "{spine}" lid 21 ???')
        # SHARP's adapter within the switch is no host.
        lines += [f'[39]\t"H-{first + 80:016x}"[1](c) \t# "Mellanox Technologies Aggregation Node"']
    for spine in spines:
        lines += ["", f'Switch\t40 "{_guid(spine)}"\t\t# "{spine}" base port 0 lid 21 lmc 0']
        port = 3 + spines.index(spine)
        lines += [
            f'[{up}]\t"{_guid(leaf)}"[{port}]\t\t# "{leaf}" lid 20 4xHDR'
            for up, leaf in ((1, "l1"), (2, "l2"))
        ]
    for host in (1, 2, 3, 4):
        leaf = "l1" if host < 3 else "l2"
        lines += ["", f'Ca\t1 "H-{host:016x}"\t\t# "n{host} mlx5_0"']
        lines += [f'[1](b{host}) \t"{_guid(leaf)}"[{2 - host % 2}]{extra}\t# lid {host} lmc 0']
    lines += ["", f'Ca\t1 "H-{81:016x}"\t# "Mellanox Technologies Aggregation Node"']
    lines += [f'[1](c) \t"{_guid("l1")}"[39]\t# lid 90 lmc 0 "l1" lid 20 4xHDR']
    return "\n".join(lines) + "\n"


def routes(spine_of: dict[int, int], *, without: int = 0) -> str:
    """Each leaf sends what goes to a host of the other leaf over this spine's port."""
    text = []
    for leaf, own in (("l1", (1, 2)), ("l2", (3, 4))):
        guid = f"0x{int(leaf, 36):016x}"
        text.append(f"Unicast lids [0-21] of switch Lid 20 guid {guid} ('{leaf}'):")
        for host in (1, 2, 3, 4):
            port = 2 - host % 2 if host in own else 2 + spine_of[host]
            if host != without:
                text.append(f"0x{host:04x} {port:03d} # Channel Adapter portguid 0xb: 'n{host}'")
        text.append("5 lids dumped")
    for spine in ("s1", "s2"):
        text.append(
            f"Unicast lids [0-21] of switch Lid 21 guid 0x{int(spine, 36):016x} ('{spine}'):"
        )
        text += [f"0x{host:04x} {1 if host < 3 else 2:03d} # :" for host in (1, 2, 3, 4)]
    return "\n".join(text) + "\n"


def fabric_of(folder: Path, text: str, name: str = "fabric.txt", *more: str) -> KnownFabric:
    (folder / name).write_text(text)
    return topology_of([str(folder / name), *more]).on(HOSTS)


@pytest.mark.parametrize("with_chassis", [False, True])
def test_one_spine_leaves_one_way_for_each_pair(tmp_path: Path, with_chassis: bool) -> None:
    fabric = fabric_of(tmp_path, ibnetdiscover(with_chassis=with_chassis))
    assert leaves_of(fabric) == LEAVES
    assert fabric.ways["n1", "n4"] == ("cable l1/3 to s1/1", "switch s1", "cable s1/2 to l2/3")
    assert fabric.ways["n4", "n1"] == ("cable l2/3 to s1/2", "switch s1", "cable s1/1 to l1/3")
    assert ("n1", "n2") not in fabric.ways


def test_a_terminal_s_log_of_managed_switches(tmp_path: Path) -> None:
    """Its tabs are lost, and it has adapters that nobody has named."""
    text = ibnetdiscover().replace("\t", "").replace("\n", "\r\n")
    for name, of in (("l1", "l1:MQM8700/U1"), ("l2", "l2:MQM8700/U1"), ("s1", "s1:MCS8500/L17/U2")):
        text = text.replace(f'"{name}"', f'"MF0;{of}"')
    unnamed = "MT4129 ConnectX7 Mellanox Technologies"
    text = text.replace("Mellanox Technologies Aggregation Node", unnamed)
    fabric = fabric_of(tmp_path, "=~=~= PuTTY log =~=~=\r\n" + text)
    assert leaves_of(fabric) == LEAVES
    way = ("cable l1/3 to s1/L17/U2/1", "switch s1/L17/U2", "cable s1/L17/U2/2 to l2/3")
    assert fabric.ways["n1", "n4"] == way


def test_hosts_may_have_a_domain_on_one_side(tmp_path: Path) -> None:
    (tmp_path / "fabric.txt").write_text(ibnetdiscover())
    known = topology_of([str(tmp_path / "fabric.txt")])
    long = tuple(f"{host}.site.org" for host in HOSTS)
    assert leaves_of(known.on(long))["leaf l1"] == {"n1.site.org", "n2.site.org"}
    assert known.on(long).ways["n1.site.org", "n3.site.org"] == known.on(HOSTS).ways["n1", "n3"]
    # Two domains are two hosts.
    (tmp_path / "topology.conf").write_text("SwitchName=l1 Nodes=n1.a,n1.b,n2.a\n")
    known = topology_of([str(tmp_path / "topology.conf")])
    assert leaves_of(known.on(("n2", "n1.b"))) == {"leaf l1": {"n2", "n1.b"}}
    with pytest.raises(WeftError, match=r"n1 and|n1 is below no switch"):
        known.on(("n1",))
    with pytest.raises(WeftError, match=r"n2\.c is below no switch"):
        known.on(("n2.c",))


def test_two_spines_leave_the_way_open(tmp_path: Path) -> None:
    fabric = fabric_of(tmp_path, ibnetdiscover(("s1", "s2")))
    assert leaves_of(fabric) == LEAVES
    assert fabric.ways == {}


def test_the_switches_tables_say_which_of_two_ways(tmp_path: Path) -> None:
    tables = tmp_path / "lfts"
    tables.write_text(routes({1: 1, 2: 2, 3: 2, 4: 1}))
    fabric = fabric_of(tmp_path, ibnetdiscover(("s1", "s2")), "fabric.txt", str(tables))
    assert fabric.ways["n1", "n3"] == ("cable l1/4 to s2/1", "switch s2", "cable s2/2 to l2/4")
    assert fabric.ways["n1", "n4"] == ("cable l1/3 to s1/1", "switch s1", "cable s1/2 to l2/3")
    # The way back is another one.
    assert fabric.ways["n3", "n1"] == ("cable l2/3 to s1/2", "switch s1", "cable s1/1 to l1/3")
    # A cable is its two links; those of hosts are no cable between switches.
    assert len(fabric.cables) == 4
    links = {link for both in fabric.cables.values() for link in both}
    assert {"cable l1/4 to s2/1", "cable s2/1 to l1/4", "cable s1/1 to l1/3"} < links
    for one, other in fabric.cables.values():
        assert one.split(" ")[1::2] == other.split(" ")[:0:-2]


def test_routes_that_end_are_refused(tmp_path: Path) -> None:
    tables = tmp_path / "lfts"
    tables.write_text(routes({1: 1, 2: 2, 3: 2, 4: 1}, without=3))
    words = "switch l1 sends what goes to n3 nowhere"
    with pytest.raises(WeftError, match=words):
        fabric_of(tmp_path, ibnetdiscover(("s1", "s2")), "fabric.txt", str(tables))
    with pytest.raises(WeftError, match="are routes without cables"):
        topology_of([str(tables)])


DB_CSV = """START_NODES
NodeDesc,NumPorts,NodeType,ClassVersion,NodeGUID,FWInfo
"l1",40,2,1,0xa1,N/A
"l2",40,2,1,0xa2,N/A
"s1",40,2,1,0xa3,N/A
"Mellanox Technologies Aggregation Node",1,1,1,0xc1,N/A
"n1 mlx5_0",1,1,1,0xb1,N/A
"n2 mlx5_0",1,1,1,0xb2,N/A
"n3 mlx5_0",1,1,1,0xb3,N/A
"n4 mlx5_0",1,1,1,0xb4,N/A
END_NODES

START_LINKS
NodeGuid1,PortNum1,NodeGuid2,PortNum2
0xa1,1,0xb1,1
0xa1,2,0x00000000000000b2,1
0xa2,1,0xb3,1
0xa2,2,0xb4,1
0xa1,3,0xa3,1
0xa3,2,0xa2,3
0xa1,39,0xc1,1
END_LINKS
"""


def test_ibdiagnet_has_the_same(tmp_path: Path) -> None:
    fabric = fabric_of(tmp_path, DB_CSV)
    assert leaves_of(fabric) == LEAVES
    assert fabric.ways["n2", "n3"] == ("cable l1/3 to s1/1", "switch s1", "cable s1/2 to l2/3")
    wrong = "has no NODES and LINKS as ibdiagnet's: LINKS has no column PortNum1"
    with pytest.raises(WeftError, match=wrong):
        fabric_of(tmp_path, DB_CSV.replace("PortNum1", "Port"))
    for table in ("NODES", "LINKS"):
        with pytest.raises(WeftError, match=f"as ibdiagnet's: no table {table}"):
            fabric_of(tmp_path, DB_CSV.replace(f"END_{table}", "END"))


def test_what_ibdiagnet_does_not_know_leaves_the_rest(tmp_path: Path) -> None:
    """A row without a port, a device without a kind, and a switch that nobody named."""
    more = DB_CSV.replace('"s1"', "N/A").replace(
        "END_NODES", '"x",1,N/A,1,0xd1,N/A\n"n5",1,1,1,N/A,N/A\nEND_NODES'
    )
    fabric = fabric_of(tmp_path, more.replace("END_LINKS", "0xa1,N/A,0xd1,N/A\nEND_LINKS"))
    assert leaves_of(fabric) == LEAVES
    spine = f"{0xA3:016x}"
    assert fabric.ways["n2", "n3"][1] == f"switch {spine}"


OWN = """
[[switch]]
name = "l1"
nodes = "n[1-2]"
uplinks = ["s1", "s2"]
[[switch]]
name = "l2"
nodes = "n[3-4]"
uplinks = ["s1"]
"""


def test_weft_s_own_file(tmp_path: Path) -> None:
    fabric = fabric_of(tmp_path, OWN, "fabric.toml")
    assert leaves_of(fabric) == LEAVES
    assert fabric.ways["n1", "n3"] == ("cable l1/1 to s1/1", "switch s1", "cable s1/2 to l2/1")
    assert fabric_of(tmp_path, OWN.replace('["s1"]', '["s1", "s2"]'), "two.toml").ways == {}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("switch = []", "has no switch"),
        (OWN.replace("l2", "l1"), "has switch l1 twice"),
        (OWN.replace("nodes", "node"), "'node' is unknown; did you mean nodes"),
        (
            '[[switch]]\nname = "l1"\nuplinks = ["s1"]\n',
            r"fabric\.toml has no switch with hosts",
        ),
        (OWN.replace("n[3-4]", "n[3-x]"), "is no range of numbers"),
        (OWN.replace('["s1"]', '["l2"]'), r"fabric\.toml: switch l2 is above itself"),
        (OWN.replace("n[3-4]", "n3"), r"fabric\.toml does not fit: n4 is below no switch"),
    ],
)
def test_what_is_wrong_in_it_is_said(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(WeftError, match=words.partition(";")[0]):
        fabric_of(tmp_path, text, "fabric.toml")


def test_pods_are_groups_above_leaves(tmp_path: Path) -> None:
    text = "".join(
        f'[[switch]]\nname = "l{number}"\nnodes = "n{number}"\nuplinks = ["p{(number + 1) // 2}"]\n'
        for number in (1, 2, 3, 4)
    )
    text += "".join(f'[[switch]]\nname = "p{pod}"\nuplinks = ["core"]\n' for pod in (1, 2))
    fabric = fabric_of(tmp_path, text, "fabric.toml")
    above = {one.name: (set(one.members), one.level) for one in fabric.groups if one.level > 1}
    assert above == {
        "the switches around l1": ({"n1", "n2"}, 2),
        "the switches around l3": ({"n3", "n4"}, 2),
    }


def test_lldp_in_either_shape(tmp_path: Path) -> None:
    json = (
        '{"lldp":{"interface":{"eth0":{"chassis":{"%s":{"id":{"type":"mac","value":"02:01"}}},'
        '"port":{"id":{"type":"ifname","value":"Eth7"},"ttl":"120"}}}}}'
    )
    json0 = (
        '{"lldp":[{"interface":[{"name":"eth0","chassis":[{"id":[{"type":"mac","value":"02:02"}],'
        '"name":[{"value":"%s"}]}],"port":[{"id":[{"value":"Eth7"}]}]},{"name":"mgmt","chassis":'
        '[{"id":[{"type":"mac","value":"02:ff"}]}],"port":[{}]}]}]}'
    )
    for host, text in (("n1", json0), ("n2", json0), ("n3", json), ("n4", json)):
        (tmp_path / f"{host}.json").write_text(text % ("l1" if host < "n3" else "l2"))
    fabric = topology_of([str(tmp_path)]).on(HOSTS)
    assert leaves_of(fabric) == {**LEAVES, "leaf 02:ff": {"n1", "n2"}}
    with pytest.raises(WeftError, match="n5 is below no switch"):
        topology_of([str(tmp_path)]).on((*HOSTS, "n5"))


def test_a_switch_that_every_host_hears_tells_nothing_apart(tmp_path: Path) -> None:
    json = (
        '{"lldp":{"interface":[{"eth0":{"chassis":{"%s":{"id":{"value":"1"}}}}},'
        '{"eth1":{"chassis":{"all":{"id":{"value":"2"}}}}}]}}'
    )
    for host, leaf in (("n1", "l1"), ("n2", "l1"), ("n3", "l2"), ("n4", "l2")):
        (tmp_path / f"{host}.json").write_text(json % leaf)
    assert leaves_of(topology_of([str(tmp_path)]).on(HOSTS)) == LEAVES


def test_neighbours_that_forward_nothing_are_no_switches(tmp_path: Path) -> None:
    json = (
        '{"lldp":{"interface":[{"eth0":{"chassis":{"%s":{"id":{"value":"1"},"capability":'
        '[{"type":"Bridge","enabled":true},{"type":"Router","enabled":false}]}}}},'
        '{"bmc":{"chassis":{"bmc-%s":{"id":{"value":"2"},"capability":'
        '[{"type":"Station","enabled":true},{"type":"Bridge","enabled":false}]}}}}]}}'
    )
    for host, leaf in (("n1", "l1"), ("n2", "l1"), ("n3", "l2"), ("n4", "l2")):
        (tmp_path / f"{host}.json").write_text(json % (leaf, host))
    assert leaves_of(topology_of([str(tmp_path)]).on(HOSTS)) == LEAVES


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "not json",
        "{}",
        '{"lldp": "x"}',
        '{"lldp": [[1]]}',
        '{"lldp": {"interface": "x"}}',
        '{"lldp": {"interface": [["x"]]}}',
        '{"lldp": {"interface": {"eth0": {"chassis": null}}}}',
        '{"lldp": {"interface": {"eth0": {"chassis": {"l1": "x"}}}}}',
    ],
)
def test_what_is_no_lldp_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "n1.json").write_text(text)
    with pytest.raises(WeftError, match=r"n1\.json is no output of lldpcli"):
        topology_of([str(tmp_path)])


def test_an_empty_folder_has_no_neighbours(tmp_path: Path) -> None:
    with pytest.raises(WeftError, match="has no host's LLDP neighbours"):
        topology_of([str(tmp_path)])


def test_words_are_filled_by_hosts_in_their_order() -> None:
    names = tuple(f"n{number}" for number in range(8))
    fabric = topology_of(["fat-tree 4 full"]).on(names)
    assert {frozenset(own) for own in leaves_of(fabric).values()} == {
        frozenset(names[at : at + 2]) for at in range(0, 8, 2)
    }
    # A cable is named only by a routing that is known.
    assert fabric.ways == {}
    assert topology_of(["fat-tree 4 full d-mod-k"]).on(names).ways["n0", "n7"]


def test_ranks_of_a_host_are_at_one_place() -> None:
    fabric = topology_of(["torus 8 2x2"]).on(("a/0", "a/1", "b", "c", "d"))
    assert {"a/0", "a/1"} in [set(one.members) for one in fabric.groups]


def test_words_that_do_not_fit_are_told_in_words_and_by_no_option_of_a_price() -> None:
    with pytest.raises(WeftError, match="'torus 2x2' does not fit 4 hosts") as refused:
        topology_of(["torus 2x2"]).on(HOSTS)
    assert refused.value.fix.startswith('use one like "fat-tree 24/288 half"')
    assert "--" not in refused.value.fix


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["torus 3 2x2"], "does not fit 9 hosts, n0 to n8"),
        (["fat-tree 4 dimension-order"], "has no routing of a fat-tree"),
        (["fat-tree 4 whole"], "'whole' says nothing of a topology"),
        (["no/such/file"], "cannot read no/such/file as a topology"),
        (["fat-tree 4", "torus 8"], "are several topologies"),
        ([""], "--topology is empty"),
        ([" "], "--topology is empty"),
    ],
)
def test_words_that_say_nothing_or_too_much_are_refused(words: list[str], said: str) -> None:
    with pytest.raises(WeftError, match=said):
        topology_of(words).on(tuple(f"n{number}" for number in range(9)))


def test_a_cable_is_named_from_the_end_whose_device_comes_first(tmp_path: Path) -> None:
    """Whichever end a file names first; each way has the name of the link that it takes."""
    fabric = fabric_of(tmp_path, ibnetdiscover())
    assert fabric.cables == {
        "cable l1/3 - s1/1": ("cable l1/3 to s1/1", "cable s1/1 to l1/3"),
        "cable l2/3 - s1/2": ("cable l2/3 to s1/2", "cable s1/2 to l2/3"),
    }


@pytest.mark.parametrize("spine", ["a1", "l1x", "z1"])
def test_a_way_names_the_switches_between_its_leaves_whatever_they_are_called(
    tmp_path: Path, spine: str
) -> None:
    fabric = fabric_of(tmp_path, ibnetdiscover((spine,)))
    way = (f"cable l1/3 to {spine}/1", f"switch {spine}", f"cable {spine}/2 to l2/3")
    assert fabric.ways["n1", "n4"] == way


def test_several_files_are_one_fabric_and_its_routes_or_are_refused(tmp_path: Path) -> None:
    cables, tables, more = (str(tmp_path / name) for name in ("f.txt", "r.txt", "s.txt"))
    Path(cables).write_text(ibnetdiscover(("s1", "s2")))
    for path in (tables, more):
        Path(path).write_text(routes({1: 1, 2: 1, 3: 2, 4: 2}))
    for words, said in (
        ([tables], f"{tables} are routes without cables"),
        ([tables, more], f"{tables} are routes without cables"),
        ([cables, cables], f"{cables} and {cables} are several topologies"),
        ([cables, tables, more], f"{cables} and {tables} and {more} are several topologies"),
        (["fat-tree 4", tables, "torus 8"], f"fat-tree 4 and {tables} and torus 8 are several"),
    ):
        with pytest.raises(WeftError) as refused:
            topology_of(words)
        assert refused.value.what.startswith(said)
        assert refused.value.fix.startswith("use one --topology, and with one of ibnetdiscover")
    assert topology_of([cables, tables]).on(HOSTS).ways
    assert topology_of([tables, cables]).on(HOSTS).ways
