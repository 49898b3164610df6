"""A platform whose nodes have slower cables, as the simulator is told."""

import xml.etree.ElementTree as ET

import pytest

from support.simulations import platform
from weft.errors import WeftError
from weft.fabric.simgrid import with_slow_links
from weft.fabric.topologies import FabricAsked
from weft.sim.slow_cables import on_fabric, parse_slow, slow_nodes, with_slow


def test_both_ways_of_a_cable_have_the_share_of_their_bandwidth() -> None:
    whole = platform()
    cluster = ET.fromstring(whole.xml).find("cluster")  # noqa: S314 - our own
    assert cluster is not None
    rate = float(cluster.get("bw", "").removesuffix("Bps"))
    text = with_slow_links(whole.xml, {3: 0.25})
    slower = ET.fromstring(text)  # noqa: S314 - our own
    props = {one.get("id"): one.get("value", "") for one in slower.iter("prop")}
    links = dict(one.split(":") for one in props["slow-links"].split(";"))
    name = f"{cluster.get('id')}_link_3"
    assert {link: float(value) for link, value in links.items()} == {
        f"{name}_UP": pytest.approx(rate / 4, abs=1),
        f"{name}_DOWN": pytest.approx(rate / 4, abs=1),
    }


def test_what_is_no_node_is_refused_and_none_changes_nothing() -> None:
    whole = platform()
    with pytest.raises(WeftError, match=r"it has no node 8 with a cable of its own") as refused:
        with_slow(whole, {"n8": 0.5}, {})
    assert refused.value.fix.startswith("name one of n0 to n7, or ")
    assert with_slow(whole, {}, {}).xml == whole.xml
    assert with_slow(whole, {}, {}).kind == "predicted"
    assert with_slow(whole, {"n1": 0.5}, {}).kind == "predicted"


def test_shares_are_read_as_they_are_typed() -> None:
    shares = parse_slow(["n7=0.5", "12=.25", "leaf3-spine2=0.1"])
    assert shares == {"n7": 0.5, "n12": 0.25, "leaf3-spine2": 0.1}
    assert slow_nodes(shares) == {7: 0.5, 12: 0.25}
    for word in ("n7", "n7=2", "n7=0", "n7=-1", "=0.5"):
        with pytest.raises(WeftError, match="is no node or link and the share"):
            parse_slow([word])
    with pytest.raises(WeftError, match="slow twice"):
        parse_slow(["n1=0.5", "1=0.2"])


def slow_of(text: str) -> dict[str, float]:
    root = ET.fromstring(text)  # noqa: S314 - our own
    [words] = [one.get("value", "") for one in root.iter("prop") if one.get("id") == "slow-links"]
    return {link: float(rate) for link, rate in (one.split(":") for one in words.split(";"))}


def test_the_cables_between_two_switches_are_slow_both_ways() -> None:
    asked = FabricAsked(nodes=0, switch="8")
    fabric, links = on_fabric(platform(nodes=32), asked, 16, "d-mod-k")
    # Four leaves of four nodes, two spines: two cables from each leaf to each.
    assert len(links["leaf3-spine2"]) == 4
    assert links["leaf3-spine2"] == links["spine2-leaf3"]
    rate = next(one for one in ET.fromstring(fabric.xml).iter("link"))  # noqa: S314 - our own
    whole = float(rate.get("bandwidth", "").removesuffix("Bps"))
    for name, cables in (("leaf3-spine2", 2), ("leaf3-spine2/1", 1)):
        slow = slow_of(with_slow(fabric, {name: 0.5}, links).xml)
        assert [*slow.values()] == pytest.approx([whole / 2] * len(slow), abs=1)
        ways = [f"cable-2-5-{n}-{way}" for n in range(cables) for way in ("up", "down")]
        assert sorted(slow) == sorted(ways)
    one = slow_of(with_slow(fabric, {"n5": 0.5, "leaf1-spine1/2": 0.1}, links).xml)
    assert len(one) == 4
    with pytest.raises(WeftError, match="it has no link leaf3-spine3") as refused:
        with_slow(fabric, {"leaf3-spine3": 0.5}, links)
    assert "leaf1-spine1 to leaf4-spine2, of which leaf1-spine1/1 is one" in refused.value.fix


def test_ideal_ways_have_no_cable_and_a_torus_has_its_joints() -> None:
    _, links = on_fabric(platform(nodes=32), FabricAsked(nodes=0, switch="8"), 16, "")
    assert links == {}
    torus = FabricAsked(nodes=0, switch="8", topology="torus", shape="2x2")
    _, links = on_fabric(platform(nodes=32), torus, 8, "")
    assert all(len(own) == 2 for own in links.values())
    assert links
    with pytest.raises(WeftError) as refused:
        with_slow(platform(nodes=8), {"leaf1-spine1": 0.5}, links)
    ways = list(links)
    named = refused.value.fix.partition("switches, ")[2]
    assert named.split(" to ") == [ways[0], ways[-2]]
