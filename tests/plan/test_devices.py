"""Which setting of each transport takes an interface or a device, and which ranks take which."""

import pytest

from weft.plan.devices import chosen_devices, device_nowhere, devices_in_turn

EVERY = ("mpi", "tcp", "verbs", "ucx", "ofi", "shm")


@pytest.mark.parametrize(
    ("interface", "device", "options"),
    [
        ("", "", {}),
        (
            "eth1",
            "",
            {
                "mpi.interface": "eth1",
                "tcp.interface": "eth1",
                "ucx.device": "eth1",
                "ofi.domain": "eth1",
            },
        ),
        (
            "",
            "mlx5_0",
            {"verbs.device": "mlx5_0", "ucx.device": "mlx5_0:1", "ofi.domain": "mlx5_0"},
        ),
        ("", "a:2", {"verbs.device": "a:2", "ucx.device": "a:2", "ofi.domain": "a:2"}),
        (
            "eth1",
            "a:2",
            {
                "mpi.interface": "eth1",
                "tcp.interface": "eth1",
                "verbs.device": "a:2",
                "ucx.device": "a:2",
                "ofi.domain": "a:2",
            },
        ),
    ],
)
def test_each_transport_has_its_own_setting(
    interface: str, device: str, options: dict[str, str]
) -> None:
    assert chosen_devices(EVERY, interface, device) == options
    # A transport in several modes has it once.
    modes = [f"{name}:{mode}" for name in EVERY for mode in ("a=1", "a=2")]
    assert chosen_devices(modes, interface, device) == options
    assert chosen_devices(("shm",), interface, device) == {}


@pytest.mark.parametrize(
    ("option", "value", "nowhere"),
    [
        ("tcp.interface", "eth0", ""),
        ("tcp.interface", "eth0,eth9,eth8", "eth9"),
        ("tcp.port", "eth9", ""),
        ("mpi.interface", "eth9", "eth9"),
        ("mpi.interface", "10.0.0.0/24,eth9", "eth9"),
        ("mpi.device", "eth9", ""),
        ("verbs.device", "mlx5_0", ""),
        ("verbs.device", "mlx5_9", "mlx5_9"),
        ("verbs.interface", "mlx5_9", ""),
        ("ucx.device", "^mlx5_0:1,mlx5_9:1", "mlx5_9"),
        ("ucx.device", "all", ""),
        ("ucx.device", "", ""),
        ("ucx.domain", "mlx5_9", ""),
        ("ofi.domain", "mlx5_9", ""),
    ],
)
def test_the_first_device_that_no_host_has_is_named(option: str, value: str, nowhere: str) -> None:
    assert device_nowhere(option, value, {"eth0", "mlx5_0"}) == nowhere


@pytest.mark.parametrize(
    ("transport", "named", "taken"),
    [
        ("verbs", "a,b,c", ("a", "b", "c")),
        ("verbs:event", "a,b", ("a", "b")),
        ("verbs:stripe", "a,b", ()),
        ("verbs:turn", "a,b", ()),
        ("verbs", "a", ()),
        ("verbs", "", ()),
        ("ucx", "a,b", ()),
        ("tcp", "a,b", ()),
    ],
)
def test_ranks_of_a_host_take_the_devices_of_a_list_in_turn(
    transport: str, named: str, taken: tuple[str, ...]
) -> None:
    options = {"verbs.device": named, "ucx.device": named, "tcp.interface": named}
    assert devices_in_turn(transport, options) == taken
    assert devices_in_turn(transport, {}) == ()
