"""What a rank of a calibrated platform computes and adds, and in which words: of three sources."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

import weft
from support.builders import LAUNCH_EFFECTS, make_cases, synthetic_record
from support.lattices import lattice_of
from support.studies import weak_cases
from weft.plan.case import Case
from weft.sim.platforms import parse_rates
from weft.sim.predicted import parameters_of
from weft.studies import calibration
from weft.studies.calibration import _sums_in_words, calibrated_platform
from weft.topics.scaling.rate import rate_of

FLOPS = 1187
USUAL = (
    "a rank computes 1.00 GFlop/s: an assumption; use --rate, or measure it: weft run milc"
    " --ranks 1"
)
ASSUMED = "an addition of a sum is one such operation: an assumption; use --rate 4GB/s"


def solver(folder: Path, site_ns: dict[int, float]) -> Path:
    """The solver on 1 and 2 ranks, where a site of a lattice of so wide takes so long."""

    def times_ns(case: Case, round_: int) -> list[float]:
        # With two ranks it would seem faster, and does not count.
        lattice = lattice_of(case)
        time = site_ns[lattice.extents[0]] * lattice.sites_of_rank(1) / case.ranks**2
        return [time * LAUNCH_EFFECTS[round_]] * 10

    cases = [case for case in weak_cases(extents=tuple(site_ns)) if case.ranks < 4]
    return synthetic_record(folder / "milc.jsonl", tuple(cases), times_ns=times_ns)


@pytest.mark.parametrize(
    ("site_ns", "wide", "faster"),
    [
        ({4: 400.0, 8: 500.0, 14: 900.0}, 14, "2.97 GFlop/s on 4^4, 2.37 GFlop/s on 8^4"),
        ({4: 2000.0, 8: 500.0, 14: 900.0}, 14, "2.37 GFlop/s on 8^4"),
        ({8: 500.0, 14: 400.0}, 14, ""),
        ({8: 500.0}, 8, ""),
    ],
)
def test_the_rate_is_that_of_the_largest_lattice_of_one_rank(
    tmp_path: Path, site_ns: dict[int, float], wide: int, faster: str
) -> None:
    rate, words = rate_of([weft.load(solver(tmp_path, site_ns))])
    assert rate == pytest.approx(1e9 * FLOPS / site_ns[wide], rel=1e-2)
    told = f"a rank computes {rate / 1e9:.2f} GFlop/s, as one rank measured on {wide}^4"
    more = f"; smaller working sets compute faster ({faster}): use --rate for theirs"
    assert words == told + (more if faster else "")


def test_where_no_rank_was_alone_the_usual_rate_is_assumed(tmp_path: Path) -> None:
    path = synthetic_record(tmp_path / "r.jsonl", make_cases(("ping_pong",), ("tcp",), (8, 64)))
    assert rate_of([weft.load(path)]) == (1e9, USUAL)


@pytest.mark.parametrize(
    ("typed", "flops_per_s", "words"),
    [
        ("", 1e9, f"{USUAL}; {ASSUMED}"),
        ("4GFlop/s", 4e9, f"a rank computes 4GFlop/s (--rate); {ASSUMED}"),
        ("2GB/s", 1e9, f"{USUAL}; it adds 2GB/s to a sum (--rate)"),
        (
            "3GB/s,5GFlop/s", 5e9,
            "a rank computes 5GFlop/s (--rate); it adds 3GB/s to a sum (--rate)",
        ),
    ],
)  # fmt: skip
def test_what_is_typed_goes_before_what_is_assumed(
    typed: str, flops_per_s: float, words: str
) -> None:
    found = calibrated_platform(["escher"], "model", 4, typed)
    assert found.computes == words
    assert parameters_of(found.platform).flops_per_s == flops_per_s


def test_sums_are_as_typed_else_as_measured() -> None:
    measured = "it adds 1.50 GB/s to a sum, as two ranks' allreduce measured"
    assert _sums_in_words(parse_rates(""), 1.5e9) == measured
    assert _sums_in_words(parse_rates("2GB/s"), 1.5e9) == "it adds 2GB/s to a sum (--rate)"
    assert _sums_in_words(parse_rates("4GFlop/s"), 0.0) == ASSUMED


def test_records_give_their_own_rate_unless_one_is_typed(tmp_path: Path) -> None:
    sizes = synthetic_record(
        tmp_path / "sizes.jsonl",
        make_cases(("ping_pong", "sendrecv"), ("tcp",), (0, 8, 64, 1024, 65536, 1 << 20)),
    )
    milc = solver(tmp_path, {4: 400.0, 8: 500.0})
    found = calibrated_platform([str(sizes), str(milc)], "model", 4, "2GB/s")
    rate = 1e9 * FLOPS / 500
    assert parameters_of(found.platform).flops_per_s == pytest.approx(rate, rel=1e-2)
    assert found.computes.startswith("a rank computes 2.37 GFlop/s, as one rank measured on 8^4;")
    assert found.computes.endswith("; it adds 2GB/s to a sum (--rate)")
    assert found.plain == {
        "platform": found.platform.name,
        "origin": found.platform.origin,
        "computes": found.computes,
        "protocols": found.protocols,
        "certainty": found.certainty,
    }


@pytest.mark.parametrize(("typed", "sums"), [("", 1.5e9), ("2GB/s", 2e9), ("4GFlop/s", 1.5e9)])
def test_a_typed_rate_of_sums_goes_before_a_measured_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, typed: str, sums: float
) -> None:
    """As the words say, which are of the same two."""
    cases = make_cases(("ping_pong", "sendrecv"), ("tcp",), (0, 8, 64, 1024, 65536, 1 << 20))
    record = synthetic_record(tmp_path / "r.jsonl", cases)
    usual = calibration._from_records

    def with_sums(*asked: Any) -> Any:
        return msgspec.structs.replace(usual(*asked), sum_bytes_per_s=1.5e9)

    monkeypatch.setattr(calibration, "_from_records", with_sums)
    found = calibrated_platform([str(record)], "model", 4, typed)
    assert parameters_of(found.platform).sum_bytes_per_s == sums
