"""A platform whose nodes have slower cables, as the simulator is told."""

import xml.etree.ElementTree as ET

import pytest

from support.simulations import platform
from weft.errors import WeftError
from weft.fabric.simgrid import with_slow_nodes
from weft.sim.platforms import parse_slow, with_slow


def test_both_ways_of_a_cable_have_the_share_of_their_bandwidth() -> None:
    whole = platform()
    cluster = ET.fromstring(whole.xml).find("cluster")  # noqa: S314 - our own
    assert cluster is not None
    rate = float(cluster.get("bw", "").removesuffix("Bps"))
    text = with_slow_nodes(whole.xml, {3: 0.25})
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
    with pytest.raises(WeftError, match=r"it has no node 8 with a cable of its own"):
        with_slow(whole, {8: 0.5})
    assert with_slow(whole, {}).xml == whole.xml
    assert with_slow(whole, {1: 0.5}).kind == "predicted"


def test_shares_are_read_as_they_are_typed() -> None:
    assert parse_slow(["n7=0.5", "12=.25"]) == {7: 0.5, 12: 0.25}
    for word in ("n7", "n7=2", "n7=0", "n7=-1", "x=0.5"):
        with pytest.raises(WeftError, match="is no node and the share"):
            parse_slow([word])
    with pytest.raises(WeftError, match="slow twice"):
        parse_slow(["n1=0.5", "1=0.2"])
