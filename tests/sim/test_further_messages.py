"""What messages cost that follow others: simulated as stated, and found again by a calibration."""

from pathlib import Path

import msgspec
import pytest

from support.simulations import KNOWN, by_size, platform, simulated
from weft.fabric.topologies import FabricAsked
from weft.plan.cases import Experiment, Variants
from weft.sim.calibrate import ALWAYS_EAGER, Times, lines_of
from weft.sim.host_times import eager_bytes, gaps_ns
from weft.sim.measured import calibrated_from
from weft.sim.predicted import Variant, parameters_of, predicted
from weft.sim.protocols import Piece, Protocols
from weft.sim.sensitivity import Move, moved

engine = pytest.mark.engine
# The sender makes the gap of the one, the receiver that of the other.
SENDING = msgspec.structs.replace(
    KNOWN,
    further_send=(Piece(0, 600.0, 1.2), *(Piece(2048, 900.0),)),
    further_receive=(Piece(0, 500.0),),
)
RECEIVING = msgspec.structs.replace(
    KNOWN,
    receive=(Piece(0, 1500.0),),
    further_send=(Piece(0, 900.0),),
    further_receive=(Piece(0, 1200.0, 1.5),),
)
BOTH = (SENDING, RECEIVING)
SIZES = "8,64,512,1KiB,64KiB"


@pytest.mark.parametrize("known", BOTH)
@engine
def test_a_stream_has_the_gap_of_what_is_slowest(known: Protocols, tmp_path: Path) -> None:
    run = simulated(tmp_path, ("stream",), SIZES, platform(known))
    own = {size: known.ping_pong_ns(size) for size in (0, 8, 64, 512, 1024, 65536)}
    found = gaps_ns((run,), "sim", own)
    assert list(found) == [8, 64, 512, 1024, 65536]
    for size, gap in found.items():
        assert gap == pytest.approx(known.gap_ns(size), rel=0.01)


@pytest.mark.parametrize("known", BOTH)
@engine
def test_several_senders_wait_for_the_receiver_alone(known: Protocols, tmp_path: Path) -> None:
    many = (Experiment(tests=("hot_spot_receive",), sizes="8", ranks=4,
                       variants=Variants(points=(3,))),)  # fmt: skip
    run = simulated(tmp_path, (), "", platform(known), parts=many)
    rate = by_size(run, "hot_spot_receive")[8].bandwidth_bytes_per_s
    assert rate
    send, receive = known.further_send[0].at(8), known.further_receive[0].at(8)
    assert 8e9 / rate.value == pytest.approx(max(send / 3, receive), rel=0.05)


@pytest.mark.parametrize("known", BOTH)
@engine
def test_a_calibration_finds_what_the_record_was_made_with(
    known: Protocols, tmp_path: Path
) -> None:
    parts = (
        Experiment(tests=("ping_pong", "sendrecv"), sizes="0..1MiB", ranks=2),
        Experiment(tests=("stream", "host_overhead", "late_receive"), sizes=SIZES, ranks=2),
    )
    run = simulated(tmp_path, (), "", platform(known), parts=parts)
    found = calibrated_from((run,), "", "model", 8)
    own = found.protocols
    assert own.eager_below_bytes == known.eager_below_bytes
    assert own.send[0].ns == pytest.approx(known.send[0].ns, rel=2e-3)
    assert own.blocking_send[0].ns == pytest.approx(known.blocking_send[0].ns, rel=2e-3)
    assert own.receive[0].ns == pytest.approx(known.receive[0].ns, rel=2e-3)
    assert own.transfer[0].ns == pytest.approx(known.transfer[0].ns, rel=2e-3)
    for size in (8, 100, 1000, 100_000):
        assert own.gap_ns(size) == pytest.approx(known.gap_ns(size), rel=0.02)
    for name in ("further_send", "further_receive"):
        wanted = (getattr(known, name) or getattr(known, name.removeprefix("further_")))[0]
        pieces = getattr(own, name) or getattr(own, name.removeprefix("further_"))
        assert pieces[0].at(8) == pytest.approx(wanted.at(8), rel=0.02)
    streams = [one for one in found.held_out if one.what == "stream"]
    assert [one.bytes for one in streams] == [64, 1024]
    assert [one.error_percent for one in streams] == pytest.approx([0, 0], abs=5)


@engine
def test_what_was_received_late_is_eager(tmp_path: Path) -> None:
    run = simulated(tmp_path, ("late_receive",), "8,1KiB,64KiB", platform(KNOWN))
    own = {size: KNOWN.ping_pong_ns(size) for size in (0, 8, 1024, 65536)}
    assert eager_bytes((run,), "sim", own) == 1024
    # A receive that takes as long as the whole message does is none of what is there already.
    assert eager_bytes((run,), "sim", dict.fromkeys(own, 500.0)) == 0
    assert eager_bytes((run,), "tcp", own) == 0


def test_a_jump_below_what_is_eager_is_no_switch_of_protocol() -> None:
    sizes = [0, *(2**power for power in range(21))]
    own = {size: KNOWN.ping_pong_ns(size) for size in sizes}
    assert lines_of(Times(ping_pong=own, eager_bytes=1024)).eager_below_bytes == 2048
    assert lines_of(Times(ping_pong=own, eager_bytes=2048)).eager_below_bytes == ALWAYS_EAGER


def test_no_larger_message_of_a_stream_follows_sooner() -> None:
    own = {size: 1000.0 + size for size in (0, 8, 64, 1024, 65536)}
    gaps = {8: 300.0, 64: 500.0, 512: 400.0, 4096: 900.0}
    found = lines_of(Times(ping_pong=own, gaps=gaps))
    wanted = {8: 300.0, 64: 450.0, 512: 450.0, 4096: 900.0}
    for size, gap in wanted.items():
        assert found.further_send[0].at(8) == found.further_receive[0].at(8) == 300.0
        assert max(gap, size + 16) == pytest.approx(found.gap_ns(size), rel=1e-3)


def test_a_post_behind_others_takes_what_one_alone_does_and_not_what_an_exchange_adds() -> None:
    sizes = [0, *(2**power for power in range(21))]
    own = {size: 5000.0 + size for size in sizes}
    both = {size: 8000.0 + size for size in sizes}
    found = lines_of(Times(ping_pong=own, sendrecv=both, posting_ns=1000.0, receiving_ns=400.0))
    assert found.send[0].ns == pytest.approx(3000)
    assert [one.ns for one in found.further_send[:1]] == [1000]
    assert found.sendrecv_ns(8) == pytest.approx(8008, rel=1e-3)
    assert found.ping_pong_ns(8) == pytest.approx(5008, rel=1e-3)


def test_they_travel_to_every_fabric_and_move_with_its_errors() -> None:
    parameters = parameters_of(platform(SENDING))
    assert parameters.further["further-send"] == "0:6e-07:1.2e-09;2047:9e-07:0"
    variant = Variant(fabric=FabricAsked(topology="fat-tree", switch="8", nodes=16))
    assert (
        '<prop id="further-send" value="0:6e-07:1.2e-09;2047:9e-07:0"/>'
        in predicted(platform(SENDING), variant).xml
    )
    further = moved(parameters, Move(fixed=2.0, byte=0.5)).further
    assert further["further-send"] == "0:1.2e-06:6e-10;2047:1.8e-06:0"
    assert not parameters_of(platform(KNOWN)).further
