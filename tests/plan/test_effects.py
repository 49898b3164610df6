"""A typed option that changes nothing of a plan is refused, and no other is."""

from typing import Any

import msgspec
import pytest

from support.plans import REQUEST, RICH_SITE
from weft.applications.asked import ApplicationsAsked
from weft.errors import WeftError
from weft.plan.allocation import Allocation
from weft.plan.cases import Experiment, Variants
from weft.plan.effects import _OPTIONS
from weft.plan.planning import planned
from weft.plan.simulated import SimulatedPlatform

PLATFORM = SimulatedPlatform(name="p", kind="model", nodes=8, xml="<platform/>")
ON_TWO = {"site": {"hosts": 2, "cores": 8}, "ranks": 4}
# By the option: a value of it, its usual one where there is one, where it has no effect, the
# reason, and where it has one.
SCENES: dict[str, tuple[dict[str, Any], Any, str, Any]] = {
    "sizes": ({"sizes": "8"}, "barrier", "barrier has no messages of a size", "ping_pong"),
    "queue_depth": ({"queue_depths": (64,)}, "ping_pong copy",
                    ("ping_pong and copy have no queue of messages in flight;"
                    " omit --queue-depth, or measure stream"), "ping_pong stream"),
    "buffers": ({"schedules": (Variants().schedules)}, "barrier", "no buffers", "copy"),
    "pages": ({"pages": ("small",)}, "barrier", "no buffers", "ping_pong"),
    "wait": ({"waits": ("spin",)}, "copy barrier", "no message to wait for", "copy ping_pong"),
    "points": ({"points": (50,)}, "ping_pong", ("no axis of its own; omit --points, or measure"
               " pair_rounds or send_overlap"), "send_overlap"),
    "single": ({"single": False}, "offered_load", "no sample of several", "ping_pong"),
    "extents": ({"extents": "4"}, "ping_pong", "or measure halo or milc", "halo"),
    "lattice": ({"whole": "4^4"}, "ping_pong", "no lattice", "milc"),
    "depth": ({"depth": 1}, "ping_pong", "no lattice", "halo"),
    "compute": ({"compute_ps_per_site": 0}, "stream", "no lattice", "halo"),
    "overlap": ({"overlaps": True}, "halo", "no computing in its iterations", "milc"),
    "sums": ({"sums": 0}, "ping_pong", "no lattice", "halo"),
    "long_links": ({"long_link_reals": 18}, "halo", "no long links", "halo milc"),
    "threads": ({"threads": 1}, "ping_pong", "no lattice", "milc"),
    "gauge": ({"gauge": "lat"}, "halo", "no quarks on links; omit --gauge, or measure milc",
              "milc"),
    "mass": ({"mass": 0.1}, "halo", "no quarks on links", "milc"),
    "u0": ({"u0": 1.0}, "halo", "no quarks on links", "milc"),
    "ranks": ({}, {"suite": "quick"}, "the suite quick has no test of many ranks", "ping_pong"),
    "interface": ({"interface": "eth1", "transports": ("tcp",)},
                  {"options": {"tcp.interface": "lo"}}, "or measure over mpi", {}),
    "device": ({"device": "mlx5_0"}, {"transports": ("tcp",)}, "tcp has no device",
               {"transports": ("ucx",)}),
    "placement": ({"allocation": Allocation(placement="pack"), **ON_TWO}, {"ranks": 2},
                  "every node has one rank", {}),
    "keep_all": ({"keep_all": True, "tests": ("barrier",)}, {"ranks": 17},
                 "all is kept of 17 ranks or fewer; omit --keep-all, or use --ranks 18 or more",
                 {"ranks": 18}),
    "rate": ({"platform": PLATFORM}, "ping_pong", "no arithmetic", "milc"),
}  # fmt: skip


def plan(name: str, asked: dict[str, Any], scene: Any) -> None:
    """Plan a request in which this option was typed."""
    more = {**asked, **({"tests": tuple(scene.split())} if isinstance(scene, str) else scene)}
    site = msgspec.structs.replace(RICH_SITE, **more.pop("site", {}))
    fields = ApplicationsAsked.__struct_fields__
    of_applications = {one: more.pop(one) for one in fields if one in more}
    of_variants = {one: more.pop(one) for one in Variants.__struct_fields__ if one in more}
    variants = Variants(application=ApplicationsAsked(**of_applications), **of_variants)
    own = {one: more.pop(one) for one in ("tests", "sizes") if one in more}
    experiment = Experiment(**{"tests": ("ping_pong",), **own}, variants=variants,
                            ranks=more.get("ranks", 2))  # fmt: skip
    request = {"typed": frozenset({name}), "experiments": (experiment,), **more}
    if "suite" in more:
        request["experiments"] = ()
    planned(msgspec.structs.replace(REQUEST, **request), site, lambda _: None)


@pytest.mark.parametrize("name", SCENES)
def test_an_option_that_changes_nothing_is_refused_with_its_reason(name: str) -> None:
    asked, without, why, _ = SCENES[name]
    with pytest.raises(WeftError) as refused:
        plan(name, asked, without)
    word = f"--{name.replace('_', '-')}"
    assert refused.value.what.startswith(f"{word} has no effect: ")
    assert why in str(refused.value)
    assert refused.value.fix.startswith(f"omit {word}")


@pytest.mark.parametrize("name", SCENES)
def test_an_option_that_is_used_is_taken_with_its_usual_value_too(name: str) -> None:
    asked, _, _, with_effect = SCENES[name]
    plan(name, asked, with_effect)


def test_every_option_of_a_plan_has_its_scene() -> None:
    assert SCENES.keys() == _OPTIONS.keys()


def test_a_setting_of_a_transport_that_is_not_measured_is_refused() -> None:
    asked = {"options": {"tcp.port": "7000", "mpi.interface": "lo"}}
    plan("", asked, {"transports": ("tcp", "mpi")})
    with pytest.raises(WeftError, match=r"--option mpi.interface has no effect: tcp has no") as no:
        plan("", asked, {"transports": ("tcp",)})
    assert no.value.fix == "omit --option mpi.interface, or measure over mpi"


def test_a_suite_is_said_to_lack_a_test_and_its_transports_what_they_lack() -> None:
    suite = {"suite": "quick", "transports": ("tcp",), "device": "mlx5_0"}
    with pytest.raises(WeftError) as refused:
        plan("device", suite, {})
    assert "tcp has no device" in refused.value.what
    assert "suite" not in refused.value.what
