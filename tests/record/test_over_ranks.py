"""Records of ranks that are too many for each of their values: the figures are the same."""

import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

import weft
from support.builders import make_header, make_launch, synthetic_record, write_lines
from support.every_topic import record_of_every_topic
from support.over_ranks import kept_of, without_each_value
from support.studies import record_of, weak_cases
from weft.analysis.summary import NOT_KEPT, summarise
from weft.errors import WeftError
from weft.plan.case import Case
from weft.plan.plan import FEW_RANKS, MOST_WHOLE_VALUES
from weft.record.rank_times import medians_of_ranks
from weft.record.run import Run
from weft.topics import results_of
from weft.topics.exchange import exchanges_of
from weft.topics.pair_map import PairMap, maps_of
from weft.topics.scaling.rows import scaling_of
from weft.topics.streams import streams_of


def test_the_engine_keeps_as_much_as_the_sentences_say() -> None:
    code = Path("engine/run/report.hpp").read_text()
    assert f"few_ranks = {FEW_RANKS};" in code
    assert re.search(r"most_whole_values = std::uint64_t\{1\} << 18U;", code)
    assert MOST_WHOLE_VALUES == 1 << 18


def close(one: Any, other: Any) -> None:
    """The same but for what ticks are rounded to."""
    if isinstance(one, dict):
        assert list(one) == list(other)
        for key in one:
            close(one[key], other[key])
    elif isinstance(one, list | tuple):
        assert len(one) == len(other)
        for left, right in zip(one, other, strict=True):
            close(left, right)
    elif isinstance(one, float):
        assert other == pytest.approx(one, rel=2e-4, abs=1e-6)
    else:
        assert one == other


def plain(rows: Any) -> Any:
    return msgspec.to_builtins(rows, str_keys=True)


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, Run]:
    whole = record_of_every_topic(tmp_path_factory.mktemp("over") / "r.jsonl")
    return whole, without_each_value(whole)


def test_exchanges_and_streams_have_the_figures_of_all_values(both: tuple[Run, Run]) -> None:
    whole, kept = both
    assert any(batch.over_ranks for batch in kept.measured)
    assert len(exchanges_of(whole)) > 2
    close(plain(exchanges_of(whole)), plain(exchanges_of(kept)))
    streams = streams_of(whole, summarise(whole))
    assert {row.test for row in streams} > {"hot_spot_send", "message_rate"}
    close(plain(streams), plain(streams_of(kept, summarise(kept))))


def test_the_middle_of_three_streams_is_not_their_mean(tmp_path: Path) -> None:
    case = Case(test="hot_spot_receive", transport="tcp", bytes=8, ranks=4, point=3)
    own_ns = {1: 1000.0, 2: 1100.0, 3: 4000.0}
    file = synthetic_record(
        tmp_path / "h.jsonl",
        (case,),
        times_ns=lambda _, round_: [900.0 + 3 * round_ + at for at in range(30)],
        parts_ns=lambda _, round_: {
            f"rank{rank}": [time + 5 * round_ + at for at in range(30)]
            for rank, time in own_ns.items()
        },
    )
    whole = weft.load(file)
    kept = without_each_value(whole)
    rows = [streams_of(run, summarise(run)) for run in (whole, kept)]
    assert rows[0]
    close(plain(rows[0]), plain(rows[1]))


def test_scaling_has_the_figures_of_all_values(tmp_path: Path) -> None:
    whole = record_of(tmp_path, weak_cases(extents=(8, 14)), launches=3)
    kept = without_each_value(whole)
    assert sum(batch.over_ranks is not None for batch in kept.measured) == 12
    rows = [scaling_of(results_of(run, summarise(run))) for run in (whole, kept)]
    assert [row.ranks for row in rows[0].all] == [1, 2, 4, 1, 2, 4]
    assert all(row.parts_ns for row in rows[0].all)
    close(plain(rows[0].all), plain(rows[1].all))


def test_a_rank_has_the_middle_of_its_batches_of_a_launch(tmp_path: Path) -> None:
    """Of batches that kept medians alone it is the median of these, each in its own operations."""
    case = Case(test="sendrecv", transport="tcp", bytes=8, ranks=3)
    file = synthetic_record(
        tmp_path / "r.jsonl",
        (case,),
        launches=3,
        times_ns=lambda _, round_: [100.0 * (1 + round_)] * 9,
        parts_ns=lambda _, round_: {
            f"rank{rank}": [(1000.0 * rank) * (1, 4, 2)[round_]] * 9 for rank in (1, 2)
        },
    )
    whole = weft.load(file)
    for run in (whole, without_each_value(whole)):
        batches = run.measured
        one = {0: 100.0, 1: 1000.0, 2: 2000.0}
        assert medians_of_ranks(run, batches[:1]) == pytest.approx(one, rel=1e-3)
        every = {0: 200.0, 1: 2000.0, 2: 4000.0}
        assert medians_of_ranks(run, batches) == pytest.approx(every, rel=1e-3)
    # One batch that kept medians alone is enough.
    [first, *others] = whole.lines.batches
    mixed = [first, *(kept_of(one, are_streams=False) for one in others[:1]), *others[1:]]
    run = Run(whole.path, msgspec.structs.replace(whole.lines, batches=tuple(mixed)))
    assert medians_of_ranks(run, run.measured) == pytest.approx(every, rel=1e-3)


def test_a_collective_operation_is_the_mean_over_the_ranks(tmp_path: Path) -> None:
    whole = collective(tmp_path)
    kept = without_each_value(whole)
    [[one], [other]] = summarise(whole), summarise(kept)
    assert one.latency_ns is not None
    assert other.latency_ns is not None
    assert other.latency_ns.value == pytest.approx(one.latency_ns.value, rel=1e-4)
    assert other.latency_ns.value == pytest.approx(2500, rel=1e-2)
    assert whole.samples["latency_ns"].to_list() == pytest.approx(
        kept.samples["latency_ns"].to_list(), rel=1e-4
    )
    assert NOT_KEPT in other.flags
    assert NOT_KEPT not in one.flags
    assert NOT_KEPT.startswith("its ranks have more than 262,144 values together")


def collective(path: Path) -> Run:
    pattern = msgspec.structs.replace(
        next(p for p in make_header((Case(test="sendrecv", transport="tcp", bytes=8),)).patterns),
        figure="collective",
    )
    file = synthetic_record(
        path / "c.jsonl",
        (Case(test="sendrecv", transport="tcp", bytes=8, ranks=4),),
        times_ns=lambda _, round_: [1000.0 + 3 * round_ + at for at in range(30)],
        parts_ns=lambda _, round_: {
            f"rank{rank}": [1000.0 * (rank + 1) + 5 * round_ + at for at in range(30)]
            for rank in (1, 2, 3)
        },
    )
    run = weft.load(file)
    header = msgspec.structs.replace(run.header, patterns=(pattern,))
    return Run(file, msgspec.structs.replace(run.lines, header=header))


def test_a_map_has_the_times_of_all_values(tmp_path: Path) -> None:
    case = Case(test="pair_rounds", transport="tcp", bytes=8, ranks=4, point=0)
    file = synthetic_record(
        tmp_path / "m.jsonl",
        (case,),
        times_ns=lambda _, round_: [1000.0 + 3 * round_ + at for at in range(30)],
        parts_ns=lambda _, round_: {
            f"rank{rank}": [1000.0 * (rank + 1) + 5 * round_ + at for at in range(30)]
            for rank in (1, 2, 3)
        },
    )
    whole = weft.load(file)
    known = (maps_of(one, None) for one in (whole, without_each_value(whole)))
    close(*map(PairMap().plain, known))


@pytest.mark.parametrize(
    "harm",
    [
        {"mean": {"": (1, 2)}},
        {"slowest_rank": (1,)},
        {"quantiles": {"": ((1.0,) * 7,)}},
        {"quantiles": {"post": ()}},
        {"shares": (0.0,) * 7},
    ],
)
def test_what_does_not_fit_the_samples_is_no_record(
    tmp_path: Path, both: tuple[Run, Run], harm: dict[str, Any]
) -> None:
    batch, kept = next((one, one.over_ranks) for one in both[1].measured if one.over_ranks)
    found = msgspec.structs.replace(kept, **harm)
    broken = msgspec.structs.replace(batch, over_ranks=found, launch=0)
    header = make_header((both[1].cases[batch.case],))
    path = write_lines(tmp_path / "b.jsonl", [header, make_launch(0, "tcp"), broken, broken])
    with pytest.raises(WeftError, match="over the ranks does not fit"):
        weft.load(path)
