"""The file of a fabric of switches: each number of it stands where SimGrid or rank-sim reads it.

No two numbers are alike, links and ends are uneven, and the whole file is compared.
"""

import xml.etree.ElementTree as ET

import msgspec
import pytest

from weft.fabric.links import Bundle, End
from weft.fabric.network import Fabric, FabricSwitch, Trunk
from weft.fabric.routes import Routes
from weft.fabric.simgrid import OnNode, PlatformParameters, routed_xml

RAILS = 2
# Two switches with three nodes and one, whose ways go over unlike numbers of cables and switches.
FABRIC = Fabric(
    title="one -- of two",
    nodes=4,
    switches=(FabricSwitch("leaf", 8, 3), FabricSwitch("leaf", 8, 1)),
    trunks=(Trunk(0, 1, 3, "uplink"),),
    views=((0, 1), (1, 1)),
    rails=RAILS,
)
ROUTES = Routes(
    bundles=(Bundle("there", 3, 2), Bundle("back", 5, 1)),
    ends=(End(0, (0, 2, 3)), End(1, (1,))),
    ways={(0, 0): (), (0, 1): (0,), (1, 0): (1, 0)},
)
# The rank on each node is its place here.
NODES = (3, 0, 1, 2)
OWN = PlatformParameters(
    bandwidth_bytes_per_s=7e8,
    latency_ns=1500.0,
    bus_bytes_per_s=9e8,
    hop_ns=130.0,
    flops_per_s=2.5e9,
    sum_bytes_per_s=3.5e8,
    settings={
        "smpi/os": "0:1:2",
        "smpi/lat-factor": "0:3",
        "smpi/bw-factor": "0:4",
        "smpi/async-small-thresh": "<5>",
    },
    further={"further-send": "0:6", "further-receive": "0:7"},
)
MEMORY = PlatformParameters(
    bandwidth_bytes_per_s=8e9,
    latency_ns=210.0,
    settings={
        "smpi/os": "0:8",
        "smpi/ois": "0:9",
        "smpi/or": "0:10",
        "smpi/lat-factor": "0:11",
        "smpi/bw-factor": "0:12",
    },
)
PLAIN = {"latency-factor": "0:3", "further-send": "0:6", "further-receive": "0:7",
         "sum-rate": "350000000"}  # fmt: skip
SHARED = {
    "ranks-per-node": "4", "bandwidth-factor": "0:4", "shared-latency-factor": "0:11",
    "shared-bandwidth-factor": "0:12", "shared-os": "0:8", "shared-ois": "0:9", "shared-or": "0:10",
}  # fmt: skip
SETTINGS = {"smpi/os": "0:1:2", "smpi/async-small-thresh": "<5>"}


def written(parameters: PlatformParameters = OWN, within: OnNode | None = None) -> ET.Element:
    text = routed_xml(FABRIC, ROUTES, parameters, NODES, within)
    # Two dashes would end the comment that has the title.
    assert "<!-- one - of two -->" in text.splitlines()
    return ET.fromstring(text)  # noqa: S314 - of our own making


def props(parent: ET.Element | None) -> dict[str | None, str | None]:
    assert parent is not None
    return {one.get("id"): one.get("value") for one in parent.findall("prop")}


def cluster(place: int, ranks: str, **further: str) -> dict[str, str]:
    return {
        "id": f"end-{place}", "prefix": "node-", "suffix": "", "radical": ranks,
        "bw": "1400000000Bps", "lat": "750.000ns", "sharing_policy": "SPLITDUPLEX",
        "router_id": f"router-{place}", "speed": "2.5Gf", **further,
    }  # fmt: skip


def test_ends_have_the_rails_of_their_nodes_the_bus_and_the_ranks_that_are_there() -> None:
    clusters = [one.attrib for one in written().iter("cluster")]
    bus = {"limiter_link": "1800000000Bps"}
    assert clusters == [cluster(0, "0,1,3", **bus), cluster(1, "2-2", **bus)]
    free = written(msgspec.structs.replace(OWN, bus_bytes_per_s=0.0))
    assert [one.attrib for one in free.iter("cluster")] == [
        cluster(0, "0,1,3"), cluster(1, "2-2"),
    ]  # fmt: skip


def test_links_have_their_cables_and_what_their_switches_take() -> None:
    links = [(one.attrib, props(one)) for one in written().iter("link")]
    assert links == [
        ({"id": "there", "bandwidth": "4200000000Bps", "latency": "0ns"}, {"crossing": "2.6e-07"}),
        ({"id": "back", "bandwidth": "7000000000Bps", "latency": "0ns"}, {"crossing": "1.3e-07"}),
        ({"id": "inside", "bandwidth": "1400000000Bps", "latency": "0ns",
          "sharing_policy": "FATPIPE"}, {"crossing": "0"}),
    ]  # fmt: skip


def test_a_way_has_its_links_in_their_order_and_one_way_only() -> None:
    routes = [(one.attrib, [each.get("id") for each in one]) for one in written().iter("zoneRoute")]
    assert routes == [
        ({"src": f"end-{one}", "dst": f"end-{other}", "gw_src": f"router-{one}",
          "gw_dst": f"router-{other}", "symmetrical": "NO"}, names)
        for one, other, names in (
            (0, 0, ["inside"]), (0, 1, ["there"]), (1, 0, ["back", "there"]),
        )
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("within", "expected", "bw_factor"),
    [
        (None, PLAIN, {"smpi/bw-factor": "0:4"}),
        (OnNode(), PLAIN, {"smpi/bw-factor": "0:4"}),
        (OnNode(memory=MEMORY), PLAIN, {"smpi/bw-factor": "0:4"}),
        # SimGrid takes a setting, or a rule by both ends of a message: not both.
        (OnNode(ranks=4, memory=MEMORY), PLAIN | SHARED, {}),
    ],
)
def test_what_rank_sim_reads_is_of_the_zone_and_no_setting(
    within: OnNode | None, expected: dict[str, str], bw_factor: dict[str, str]
) -> None:
    root = written(within=within)
    zone = root.find("zone")
    assert zone is not None
    assert zone.attrib == {"id": "fabric", "routing": "Full"}
    assert props(zone) == expected
    assert props(root.find("config")) == SETTINGS | bw_factor
    # The platform's own are as they were: it is written for each placement.
    assert OWN.settings.keys() > SETTINGS.keys()
    assert len(OWN.settings) == 4


def test_ranks_of_a_node_share_its_memory_at_that_platforms_pace() -> None:
    root = written(within=OnNode(ranks=4, memory=MEMORY))
    of_memory = {"limiter_link": "1800000000Bps", "core": "4", "loopback_bw": "8000000000Bps",
                 "loopback_lat": "210.000ns"}  # fmt: skip
    assert [one.attrib for one in root.iter("cluster")] == [
        cluster(0, "0,1,3", **of_memory), cluster(1, "2-2", **of_memory),
    ]  # fmt: skip


def test_without_a_rate_of_sums_or_settings_nothing_is_said_of_them() -> None:
    bare = PlatformParameters(bandwidth_bytes_per_s=7e8, latency_ns=1500.0)
    root = written(bare)
    assert root.find("config") is None
    assert props(root.find("zone")) == {}
