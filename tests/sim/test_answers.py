"""Predictions side by side, what a simulation costs, and the words for a fabric."""

import re

import msgspec
import pytest

from support.simulations import KNOWN, platform
from weft.errors import WeftError
from weft.fabric.topologies import FabricAsked
from weft.plan.simulated import SimulatedPlatform
from weft.reference.library import find_platform
from weft.sim.answers import (
    Certainty,
    PredictedFabric,
    PredictedFigure,
    answers_table,
    certainty_in,
    certainty_of,
    slower,
    slower_within,
    within,
)
from weft.sim.effort import Pilot, forecast, is_enough, pilot_sizes
from weft.sim.fidelity import errors_of, predicted_ns
from weft.sim.measured import HeldOut, certainty_of_held_out
from weft.sim.platforms import protocols_of
from weft.sim.predicted import Variant, parameters_of, predicted, read_topology
from weft.studies.calibration import calibrated_platform
from weft.studies.prediction import known_certainty


def answer(name: str, time_ns: float, rate: float, switches: int = 3) -> PredictedFabric:
    return PredictedFabric(
        variant=name, nodes=48, switches=switches,
        figures=(
            PredictedFigure(case="halo", value=time_ns, largest_bytes=4096),
            PredictedFigure(case="pairs", value=rate, is_rate=True, largest_bytes=1 << 23),
        ),
    )  # fmt: skip


ANSWERS = (answer("full", 100.0, 1e9), answer("half", 104.0, 0.96e9), answer("third", 104, 0.9e9))


def test_a_bandwidth_that_is_smaller_is_slower() -> None:
    time, rate = ANSWERS[0].figures
    assert slower(time, ANSWERS[1].figures[0]) == pytest.approx(0.04)
    assert slower(rate, ANSWERS[1].figures[1]) == pytest.approx(1 / 0.96 - 1)


def moved_alike(one: PredictedFabric, *factors: float) -> PredictedFabric:
    """Its figures with every time so many times as long."""
    return msgspec.structs.replace(
        one,
        moved=tuple(
            tuple(
                msgspec.structs.replace(
                    each, value=each.value / factor if each.is_rate else each.value * factor
                )
                for each in one.figures
            )
            for factor in factors
        ),
    )


def test_a_fabric_is_within_a_limit_where_all_its_figures_are() -> None:
    # All move alike, so differences are as they were.
    answers = [moved_alike(one, 0.9, 1.1) for one in ANSWERS]
    assert within(answers, 0.05).within == ("full", "half")
    assert within(answers, 0.05).beyond == ("third",)
    assert within(answers, 0.12).within == ("full", "half", "third")


def test_nothing_is_within_a_limit_whose_error_is_not_known() -> None:
    found = within(ANSWERS, 0.05)
    assert (found.within, found.beyond, found.unknown) == (("full",), (), ("half", "third"))


def test_the_errors_of_a_calibration_travel_in_its_file() -> None:
    made = calibrated_platform(["escher"], "model", 4).platform
    assert certainty_in(made) == certainty_of(find_platform("escher"), "model")
    assert known_certainty(msgspec.structs.replace(made, name="mine")) == certainty_in(made)
    assert certainty_in(platform()) is None


def test_what_a_record_held_out_is_how_far_its_platform_is_off() -> None:
    def out(size: int, measured: float, predicted: float, **more: bool) -> HeldOut:
        return HeldOut(what="x", by="y", bytes=size, measured=measured, predicted=predicted, **more)

    every = (
        out(8, 100.0, 110.0), out(8, 100.0, 300.0, shares_cores=True),
        out(1 << 20, 2e9, 1e9, is_rate=True),
    )  # fmt: skip
    found = certainty_of_held_out(every, KNOWN)
    assert found is not None
    assert (found.fixed, found.byte, found.further) == pytest.approx((0.1, 1.0, 1.0))
    assert (found.worst, found.mean) == pytest.approx((1.0, 0.55))
    assert (found.points, found.largest_bytes, found.of) == (2, 1 << 20, "held-out")
    assert certainty_of_held_out((), KNOWN) is None


def test_figures_carry_the_error_of_the_calibration() -> None:
    certainty = Certainty(mean=0.1237, worst=0.25, points=40, largest_bytes=1 << 22)
    table = answers_table(platform(), ANSWERS, certainty, 0.05)
    # 25 % too much of 80 are 100, and 25 % too little of 133.
    assert table.rows[0] == ("halo", "full", "100 ns", "80.0 ns to 133 ns", "")
    assert table.rows[1][-1] == "+4.0 %"
    assert table.rows[3][3] == "800 MB/s to 1.33 GB/s"
    assert table.notes[0] == (
        "within 5 % of full: full; not known: half, third (no difference has an interval)"
    )
    assert table.notes[1].startswith(
        "the model misses 40 published figures by 12.4 % on average and 25.0 % at most; the"
        " interval is of the most"
    )
    assert table.notes[2] == (
        "extrapolated: 48 nodes (2 were calibrated), 3 switches on a way (1 was), messages of"
        " 8 MiB (4 MiB were)"
    )


@pytest.mark.parametrize(
    ("worst", "further", "interval"),
    [
        (0.1, 0.0, "80.0 ns to 133 ns"),
        (0.5, 0.0, "66.7 ns to 200 ns"),
        (0.1, 0.5, "66.7 ns to 150 ns"),
        (0.1, 0.3, "76.9 ns to 133 ns"),
    ],
)
def test_an_interval_is_of_the_worse_of_links_and_shared_memory(
    worst: float, further: float, interval: str
) -> None:
    links = Certainty(mean=0.02, worst=0.25, points=40, largest_bytes=1 << 22)
    memory = msgspec.structs.replace(links, worst=worst, further=further)
    assert answers_table(platform(), ANSWERS, links, memory=memory).rows[0][3] == interval
    # Without the links' errors nothing is known of a sum of both.
    assert answers_table(platform(), ANSWERS, None, memory=memory).rows[0][3] == "not known"


def test_what_is_not_extrapolated_is_not_named() -> None:
    alone = PredictedFabric(
        variant="x", nodes=2, switches=1, figures=(PredictedFigure(case="c", value=1.0),)
    )
    table = answers_table(platform(), (alone,), None)
    assert not [note for note in table.notes if "extrapolated" in note]
    assert "is not known" in table.notes[0]
    assert table.rows[0][3] == "not known"


def test_the_certainty_is_of_all_published_points() -> None:
    published = find_platform("escher")
    found = certainty_of(published, "model")
    assert found is not None
    errors = errors_of(published, predicted_ns(protocols_of(published, "model")))
    assert found.points == sum(len(series.points) for series in published.series)
    assert found.worst == max(one.worst_percent for one in errors) / 100
    assert 0 < found.mean < found.worst
    assert found.largest_bytes == 1 << 22
    assert certainty_of(find_platform("osu-vapi"), "model") is None


def test_the_cost_is_foreseen_from_growing_runs() -> None:
    def seconds(nodes: int) -> float:
        return 1.8 + 0.2 * float((nodes / 4) ** 1.5)

    pilots = [
        Pilot(nodes=nodes, seconds=seconds(nodes), peak_bytes=50_000_000 + 300_000 * nodes)
        for nodes in (4, 64, 128, 256)
    ]
    found = forecast(pilots, 1024)
    assert found is not None
    assert found.power == pytest.approx(1.5)
    assert found.seconds == pytest.approx(seconds(1024))
    assert found.peak_bytes == pytest.approx(50_000_000 + 300_000 * 1024, rel=0.02)
    assert forecast(pilots[:1], 1024) is None


def test_a_busy_machine_does_not_change_by_what_power_the_cost_grows() -> None:
    """The clock runs three times as fast as the work, and by chance more in the last small run."""

    def work(nodes: int) -> float:
        return 0.2 * float(nodes / 4)

    waits = {4: 1.0, 64: 2.0, 128: 1.5, 256: 4.2}
    pilots = [
        Pilot(nodes=n, seconds=wait * work(n), peak_bytes=1, processor_s=work(n))
        for n, wait in waits.items()
    ]
    found = forecast(pilots, 1024)
    assert found is not None
    assert found.power == pytest.approx(1.0, abs=0.03)
    mean = sum(one.seconds for one in pilots) / sum(map(work, waits))
    assert found.seconds == pytest.approx(mean * work(1024), rel=0.1)
    assert found.processor_s == pytest.approx(work(1024), rel=0.1)
    by_the_clock = [msgspec.structs.replace(one, processor_s=0.0) for one in pilots]
    before = forecast(by_the_clock, 1024)
    assert before is not None
    assert before.power > 2


def test_memory_grows_as_where_it_shows() -> None:
    """A small simulation has less than the process that starts it, so all seem to have as much."""
    peaks = {4: 50e6, 64: 50e6, 128: 50e6, 256: 82e6}
    pilots = [Pilot(nodes=n, seconds=n / 100, peak_bytes=int(peak)) for n, peak in peaks.items()]
    found = forecast(pilots, 1024)
    assert found is not None
    assert found.peak_bytes == pytest.approx(82e6 + 768 * 0.25e6)
    # Where it shows twice its power is known.
    squared = [
        Pilot(nodes=n, seconds=n / 100, peak_bytes=int(50e6 + 1e4 * n**2 * (n > 4)))
        for n in (4, 64, 128)
    ]
    found = forecast(squared, 512)
    assert found is not None
    assert found.peak_bytes == pytest.approx(50e6 + 1e4 * 512**2)
    # Messages are of pairs, so no more than squared.
    last = Pilot(nodes=256, seconds=3, peak_bytes=int(50e6 + 1e4 * 128**2 * 9))
    found = forecast((*squared, last), 512)
    assert found is not None
    assert found.peak_bytes == pytest.approx(50e6 + 4e4 * 128**2 * 9)


def test_only_large_fabrics_are_tried_smaller_first() -> None:
    assert pilot_sizes(1024) == (4, 64, 128, 256, 512)
    assert pilot_sizes(64) == ()
    short = [Pilot(nodes=nodes, seconds=29.9, peak_bytes=1) for nodes in (4, 64, 128, 256)]
    long = msgspec.structs.replace(short[-1], seconds=30.0)
    assert not is_enough((), 1024)
    assert not is_enough(short, 1024)
    assert is_enough((*short[:3], long), 1024)
    assert not is_enough((*short[:2], msgspec.structs.replace(long, nodes=128)), 1024)
    # Others make the clock's time longer, and not what a processor does.
    assert not is_enough([msgspec.structs.replace(long, processor_s=29.9)], 1024)
    assert is_enough([msgspec.structs.replace(long, seconds=90.0, processor_s=30.0)], 1024)


def test_a_time_that_grows_more_steeply_at_last_is_foreseen_by_the_last_small_runs() -> None:
    """Of halo on a tree of three levels: 4,096 nodes took a processor 181 and 216 s."""
    took = {4: 0.1, 256: 1.4, 512: 4.5, 1024: 11.9, 2048: 50.0}
    pilots = [Pilot(nodes=n, seconds=s, peak_bytes=1, processor_s=s) for n, s in took.items()]
    assert not is_enough(pilots[:-1], 4096)
    found = forecast(pilots, 4096)
    assert found is not None
    assert 216 / 1.5 < found.seconds < 1.5 * 181


# What simulations of 4, n/16, n/8, n/4, n/2 and n nodes took, s and MB: alone on a core of two,
# 2026-11-23 (the fabric is --switch 64 or 128, the links are Escher's, two samples).
TOOK = {
    "alltoall of 1 KiB": "4:0.41:51 16:0.12:53 32:0.16:53 64:0.33:77 128:3.07:195 256:51.07:659",
    "allreduce of 8 B": "4:0.39:51 256:0.28:53 512:0.55:71 1024:1.42:124 2048:4.22:281"
    " 4096:11.71:795",
    "halo 8^4": "4:0.41:51 256:0.49:63 512:1.13:90 1024:2.95:144 2048:9.73:264 4096:29.65:762",
}


@pytest.mark.parametrize("what", TOOK)
def test_what_was_measured_is_foreseen_within_a_half(what: str) -> None:
    runs = [
        Pilot(nodes=int(nodes), seconds=float(seconds), peak_bytes=int(float(mb) * 1e6))
        for nodes, seconds, mb in (one.split(":") for one in TOOK[what].split())
    ]
    found = forecast(runs[:-1], runs[-1].nodes)
    assert found
    for foreseen, took in (
        (found.seconds, runs[-1].seconds),
        (found.peak_bytes, runs[-1].peak_bytes),
    ):
        assert 1 / 1.5 < foreseen / took < 1.5


@pytest.mark.parametrize(
    ("phrase", "wanted"),
    [
        ("fat-tree", {}),
        ("fat-tree 24/288 half", {"switch": "24,288", "blocking": "2:1"}),
        ("fat-tree full 24", {"switch": "24", "blocking": "1:1"}),
        ("Fat_Tree 24 half", {"switch": "24", "blocking": "2:1"}),
        ("fat-tree 24 2:1/3:1", {"switch": "24", "blocking": "2:1,3:1"}),
        ("torus 24 4x4x2", {"topology": "torus", "switch": "24", "shape": "4x4x2"}),
    ],
)
def test_a_phrase_names_a_fabric(phrase: str, wanted: dict[str, str]) -> None:
    found = read_topology(phrase, FabricAsked(nodes=64, blocking="1:1"))
    assert found == FabricAsked(**{"nodes": 64, **wanted})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("phrase", "why"),
    [
        ("fat-tree wide", "'wide' says nothing of a topology"),
        ("fat-tree 24 half full", "'full' of 'fat-tree 24 half full' says again what 2:1 says"),
        ("fat-tree 24 12", "'12' of 'fat-tree 24 12' says again what 24 says"),
        ("torus 24 half", "'half' is for a fat tree, not for a torus"),
        ("", "no topology is named"),
        ("mesh", "there is no topology called mesh"),
    ],
)
def test_a_phrase_that_says_nothing_or_something_twice_is_refused(phrase: str, why: str) -> None:
    with pytest.raises(WeftError, match=why):
        read_topology(phrase, FabricAsked(nodes=64))


def test_a_phrase_does_not_overrule_an_option() -> None:
    with pytest.raises(WeftError, match="'half' of 'fat-tree half' says again what 3:1 says"):
        read_topology("fat-tree half", FabricAsked(nodes=64, blocking="3:1"))


def test_numbers_of_a_platform_are_read_from_its_file() -> None:
    parts = parameters_of(platform())
    assert parts.bandwidth_bytes_per_s == pytest.approx(KNOWN.bandwidth_bytes_per_s)
    assert parts.latency_ns == pytest.approx(KNOWN.latency_ns)
    assert parts.bus_bytes_per_s == pytest.approx(KNOWN.bus_bytes_per_s, abs=1)
    assert parts.settings == KNOWN.settings()


@pytest.mark.parametrize("latency", ["700ns", "0.7us", "0.0007ms", "7e-7s"])
def test_a_latency_is_read_in_each_unit_of_simgrid(latency: str) -> None:
    made = platform()
    asked = re.sub(r'\blat="[^"]*"', f'lat="{latency}"', made.xml)
    assert asked != made.xml
    parts = parameters_of(msgspec.structs.replace(made, xml=asked))
    assert parts.latency_ns == pytest.approx(1400.0)


@pytest.mark.parametrize(
    ("attribute", "words", "field", "value"),
    [
        ("bw", ("2.5e9Bps", "2.5e6kBps", "2500MBps", "2.5GBps"), "bandwidth_bytes_per_s", 2.5e9),
        ("speed", ("4e9f", "4e6kf", "4000Mf", "4Gf", "0.004Tf"), "flops_per_s", 4e9),
    ],
)
def test_rates_and_speeds_are_read_in_each_unit_of_simgrid(
    attribute: str, words: tuple[str, ...], field: str, value: float
) -> None:
    made = platform()
    for word in words:
        xml = re.sub(rf'\b{attribute}="[^"]*"', f'{attribute}="{word}"', made.xml)
        found = getattr(parameters_of(msgspec.structs.replace(made, xml=xml)), field)
        assert found == pytest.approx(value)


def with_settings(*names: str) -> str:
    """A crossbar whose file sets these alone."""
    props = "".join(f"<prop id='{name}' value='0:1'/>" for name in names)
    cluster = "<cluster speed='1Gf' bw='1GBps' lat='1us'/>"
    return f"<platform><config>{props}</config>{cluster}</platform>"


@pytest.mark.parametrize(
    ("xml", "why"),
    [
        ("<platform><zone/></platform>", "not one crossbar"),
        (
            "<platform><cluster bw='1Gbps' lat='1ns'/></platform>",
            "'1Gbps' is not a number with a unit",
        ),
        (
            "<platform><cluster bw='1Bps' lat='1ns' topology='TORUS'/></platform>",
            "not one crossbar",
        ),
        ("<platform><cluster bw='1Bps'/></platform>", "not one crossbar"),
        (with_settings(), "does not set smpi/lat-factor or smpi/bw-factor"),
        (with_settings("smpi/bw-factor"), "does not set smpi/lat-factor$"),
        (with_settings("smpi/lat-factor"), "does not set smpi/bw-factor$"),
    ],
)
def test_a_platform_without_the_numbers_is_refused(xml: str, why: str) -> None:
    with pytest.raises(WeftError) as caught:
        parameters_of(SimulatedPlatform(name="x", kind="given", nodes=2, xml=xml))
    assert re.search(why, caught.value.what)
    assert caught.value.fix.endswith("write a file with weft calibrate -o FILE")


@pytest.mark.parametrize(
    ("variant", "why"),
    [
        (Variant(fabric=FabricAsked(nodes=4, switch="8"), speed=0), "--speed 0 is out of range"),
        (Variant(fabric=FabricAsked(nodes=4, switch="8"), hop_ns=-1), "--hop -1ns is out of"),
        (Variant(fabric=FabricAsked(nodes=4096, switch="12,500")), "and a prediction at most 512"),
        (Variant(fabric=FabricAsked(nodes=4)), "no switch given"),
    ],
)
def test_a_fabric_that_cannot_be_is_refused(variant: Variant, why: str) -> None:
    with pytest.raises(WeftError, match=why):
        predicted(platform(), variant)


def test_a_large_fabric_is_simulated_more_coarsely_and_says_so() -> None:
    fabric = FabricAsked(nodes=96, switch="24")
    found = predicted(platform(), Variant(fabric=fabric))
    # Its latency is 2 µs.
    assert '<prop id="surf/precision" value="1e-9"/>' in found.xml
    assert "precision 1e-9 s" in found.origin
    assert (found.kind, found.nodes) == ("predicted", 96)


def test_the_interval_of_a_difference_covers_the_unmoved_platform_too() -> None:
    """Both moves make the fabrics more alike, so that the widest difference is the unmoved one."""

    def fabric(name: str, value: float, *moved: float) -> PredictedFabric:
        return PredictedFabric(
            variant=name, nodes=8, switches=1,
            figures=(PredictedFigure(case="c", value=value),),
            moved=tuple((PredictedFigure(case="c", value=one),) for one in moved),
        )  # fmt: skip

    found = slower_within(fabric("a", 100.0, 100.0, 100.0), fabric("b", 120.0, 110.0, 115.0), 0)
    assert found.value == pytest.approx(0.2)
    assert found.low == pytest.approx(0.1)
    assert found.high == pytest.approx(0.2)
