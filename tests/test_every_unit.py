"""Every unit that can be typed, with what it is: a unit that is new needs its example here."""

from collections.abc import Callable

import pytest

from weft import units

# Written out: a table that was made of the sources' own would be right whatever they say.
KINDS: dict[str, tuple[Callable[[str], float], dict[str, float]]] = {
    "_BYTES": (units.parse_bytes, {
        "": 1, "B": 1, "KB": 1000, "MB": 1000**2, "GB": 1000**3, "KIB": 1024, "MIB": 1024**2,
        "GIB": 1024**3, "K": 1024, "M": 1024**2, "G": 1024**3,
    }),
    "_SECONDS": (units.parse_seconds, {
        "": 1, "s": 1, "sec": 1, "m": 60, "min": 60, "h": 3600, "ms": 0.001,
    }),
    "_NANOSECONDS": (units.parse_time, {
        "ns": 1, "us": 1000, "\N{MICRO SIGN}s": 1000, "\N{GREEK SMALL LETTER MU}s": 1000,
        "ms": 1_000_000, "s": 1_000_000_000,
    }),
    "_PER_SECOND": (units.parse_bandwidth, {
        "B/s": 1, "kB/s": 1000, "MB/s": 1000**2, "GB/s": 1000**3, "KiB/s": 1024,
        "MiB/s": 1024**2, "GiB/s": 1024**3, "Mbit/s": 125_000, "Gbit/s": 125_000_000,
    }),
    "_FLOPS": (units.parse_flops, {"MFlop/s": 1e6, "GFlop/s": 1e9, "TFlop/s": 1e12}),
}  # fmt: skip


@pytest.mark.parametrize("table", KINDS)
def test_a_unit_is_what_it_is_called(table: str) -> None:
    parse, expected = KINDS[table]
    assert {unit: parse(f"3{unit}") for unit in expected} == pytest.approx(
        {unit: 3 * value for unit, value in expected.items()}
    )
    assert set(getattr(units, table)) == set(expected)
