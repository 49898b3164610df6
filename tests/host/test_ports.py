"""A card is as fast as its fastest port, and up if one of them is."""

import pytest

from weft.host.nic import Port, RdmaDevice


@pytest.mark.parametrize(
    ("rates", "fastest"),
    [
        ((10.0, 100.0), 100e9),
        ((100.0, 10.0), 100e9),
        ((None, 25.0), 25e9),
        ((None,), None),
        ((), None),
    ],
)
def test_the_rate_of_a_card_is_that_of_its_fastest_port(
    rates: tuple[float | None, ...], fastest: float | None
) -> None:
    ports = [Port(port=at, rate_gbit_per_s=rate) for at, rate in enumerate(rates, 1)]
    assert RdmaDevice(name="mlx5_0", ports=ports).rate_bit_per_s == fastest


@pytest.mark.parametrize(
    ("states", "is_up"),
    [(("1: DOWN", "4: ACTIVE"), True), (("4: ACTIVE", None), True), (("1: DOWN", None), False)],
)
def test_a_card_is_up_if_a_port_is(states: tuple[str | None, ...], *, is_up: bool) -> None:
    ports = [Port(port=at, state=state) for at, state in enumerate(states, 1)]
    assert RdmaDevice(name="mlx5_0", ports=ports).is_up is is_up
