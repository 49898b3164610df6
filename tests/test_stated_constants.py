"""No page states a constant that the code has otherwise: each sentence here is made from the code.

A page keeps its plain words. A row is a page or a folder of pages, a phrase of it with `{}` for
each number, and the numbers as the code has them; the phrase that comes of these stands there.
"""

import ast
import re
from pathlib import Path
from typing import Any

import pytest

from style import python_rules, text_rules
from weft import units, wording
from weft.analysis import bus
from weft.analysis.compare import acceptance
from weft.analysis.fits import median_line, segments, sweeps
from weft.analysis.stats import change_points, intervals, percentiles, ratios, shape, steps, trend
from weft.applications import asked, lattice
from weft.fabric import cost, fat_tree, price_list
from weft.measure import choice, failures, stopping, timeouts
from weft.plan import budget, cases, costs, memory, study, suites
from weft.plan.plan import MOST_WHOLE_VALUES
from weft.sim import calibrate, effort, host_times, platforms
from weft.topics import availability, offered_load, overlap, queue_depth, reuse
from weft.topics.scaling import rate, rows

ROOT = Path(__file__).parents[1]
NUMBERS = "docs/numbers"
WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def word(number: float) -> str:
    """A small number in words."""
    return WORDS[int(number)]


def percent(share: float) -> str:
    return f"{100 * share:g} %"


def thousands(number: float) -> str:
    return f"{number:,.0f}"


def mebibytes(number: float) -> str:
    return f"{number / (1 << 20):g} MiB"


def kibibytes(number: float) -> str:
    return f"{number / 1024:g} KiB"


def engine(path: str, name: str) -> int:
    """A constant of the engine: "std::size_t{16} << 20U" is 16777216."""
    text = (ROOT / "engine" / path).read_text()
    [value] = re.findall(rf"constexpr [\w:<> ]+ {name}(?: = |\{{)([^;]*?)\}}?;", text)
    plain = re.sub(r"[\w:]+\{(\d+)\}", r"\1", value.replace("'", ""))
    return _computed(ast.parse(re.sub(r"(\d)[uUlL]+\b", r"\1", plain), mode="eval").body)


def _computed(node: ast.expr) -> int:
    if isinstance(node, ast.BinOp):
        left, right = _computed(node.left), _computed(node.right)
        return left << right if isinstance(node.op, ast.LShift) else left * right
    return int(ast.literal_eval(node))


WIDENING = intervals.WIDENING
STATED: tuple[tuple[str, str, tuple[Any, ...]], ...] = (
    (NUMBERS, "that it stays under {}.", (percent(1 / stopping.CLOCK_SHARE),)),
    (NUMBERS, "all of them together cost under {}.", (percent(1 / stopping.LATENCIES_SHARE),)),
    (NUMBERS, "without one {} µs are taken", (f"{stopping.GUESSED_LATENCY_NS / 1000:g}",)),
    (NUMBERS, "median bandwidth is at least {} of the best", (percent(queue_depth.NEAR_PEAK),)),
    (NUMBERS, "is over {} times the end of the first point's", (f"{1 + reuse.DROP:g}",)),
    (NUMBERS, "the whole interval is within {} times", (f"{1 + reuse.DROP:g}",)),
    (NUMBERS, "takes more than {} of what the budget has", ({0.5: "half"}[stopping.TURNS_SHARE],)),
    (
        NUMBERS,
        "from a boundary of {} on",
        (mebibytes(engine("host/pages.cpp", "huge_page_bytes")),),
    ),
    (NUMBERS, "a page of {}", (kibibytes(engine("host/pages.cpp", "small_page_bytes")),)),
    (
        NUMBERS,
        "at most {}), and then",
        (word(engine("patterns/registration.hpp", "most_together")),),
    ),
    (NUMBERS, "if it is at least {} times the largest cache", (word(bus.CACHE_TIMES),)),
    (NUMBERS, "the median of {} rounds", (word(engine("patterns/offered_load.hpp", "rounds")),)),
    (NUMBERS, "(fewer than {} samples beyond", (percentiles.SAMPLES_BEYOND,)),
    (NUMBERS, "under {} the link does not keep up", (percent(offered_load.KEPT_UP),)),
    (NUMBERS, "The fabric costs more than {} where", (percent(rows.MOST_COST),)),
    (NUMBERS, "interval of the efficiency is below {}", (percent(1 - rows.MOST_COST),)),
    (NUMBERS, "as long as the transfer alone (point {})", (overlap.AS_LONG,)),
    (NUMBERS, "the share at which it passes {}", (percent(1 - availability.DROP),)),
    (NUMBERS, "c = {}, {}, {}, {} for L = 2, 3, 4, 5", tuple(WIDENING[n] for n in (2, 3, 4, 5))),
    (NUMBERS, "2 to {} launches have", (wording.ENOUGH_FOR_HALF - 1,)),
    (NUMBERS, "from {} on half the interval's width", (wording.ENOUGH_FOR_HALF,)),
    (NUMBERS, "an interval over a factor of {},", (thousands(wording.WIDEST),)),
    (NUMBERS, "Each is tested at {}, and", (percent(trend.LEVEL),)),
    (
        NUMBERS,
        "is tested at {}. Below {} launches",
        (percent(trend.TOGETHER_LEVEL), word(trend.FEWEST)),
    ),
    (
        NUMBERS,
        "the smaller of {} s and {} is kept back",
        (f"{budget.REPORT_S:g}", percent(budget.REPORT_SHARE)),
    ),
    (NUMBERS, "within {} of the time; then", (percent(budget.MOST_FIXED),)),
    (
        NUMBERS,
        "at least {} ms, and at most {} s or {} what the case",
        (
            f"{1000 * stopping.SHORTEST_SHARE_S:g}",
            stopping.LONGEST_SHARE_S,
            {2.0: "twice"}[choice.LEAST_WORTH],
        ),
    ),
    (NUMBERS, "in a round of a map {} times", (word(choice.LEAST_WORTH_OF_PAIRS),)),
    (
        NUMBERS,
        "of up to {} ranks, whose samples are all kept, as many as are {} of",
        (MOST_WHOLE_VALUES // stopping.MOST_SAMPLES, thousands(stopping.MOST_VALUES_OF_ROUND)),
    ),
    (NUMBERS, "up to {} of the messages that", ({1 / 16: "a sixteenth"}[stopping.PAIRS_CHECKED],)),
    (NUMBERS, "Where {} samples take less", (thousands(stopping.MOST_SAMPLES),)),
    (NUMBERS, "up to {} times as large", (costs.FARTHEST,)),
    (
        NUMBERS,
        "beyond {}, for a stream with a queue of {}",
        (kibibytes(stopping.LONG_BYTES), stopping.PROBE_DEPTH),
    ),
    (NUMBERS, "only if at least {} samples lie beyond it", (percentiles.SAMPLES_BEYOND,)),
    (
        NUMBERS,
        "99 from {} samples on, 99.9 from {}",
        (thousands(100 * percentiles.SAMPLES_BEYOND), thousands(1000 * percentiles.SAMPLES_BEYOND)),
    ),
    (NUMBERS, "two peaks at least {} apart", (percent(shape.MODES_APART),)),
    (NUMBERS, "at least {} of the samples on either side", (percent(shape.SMALLER_MODE),)),
    (
        NUMBERS,
        "Fewer than {} samples are not looked at, and modes up to {} ticks apart",
        (shape.FEWEST_FOR_MODES, word(shape.TICKS_APART)),
    ),
    (NUMBERS, "the medians of {} blocks", (shape.BLOCKS,)),
    (NUMBERS, "a Theil-Sen change of over {}", (percent(shape.DRIFT),)),
    (
        NUMBERS,
        "is over {:g} % and over {:g} times what",
        (shape.LAUNCHES_APART_PERCENT, shape.UNEXPLAINED),
    ),
    (NUMBERS, "({} for modes, {} for a drift)", (shape.FEWEST_FOR_MODES, shape.FEWEST_FOR_DRIFT)),
    (NUMBERS, "inside the margin (`--same`, {})", (percent(ratios.SAME),)),
    (
        NUMBERS,
        "byte is compared (up to {} messages and {}",
        (memory.MOST_CHECKED, mebibytes(engine("run/footprint.cpp", "most_bytes"))),
    ),
    (
        NUMBERS,
        "In a case of more than {} ranks each looks at up to {} messages",
        (memory.MANY_RANKS, memory.MOST_CHECKED_OF_MANY),
    ),
    (
        NUMBERS,
        "a block of {} of random words",
        (kibibytes(engine("host/memory.cpp", "block_bytes")),),
    ),
    (
        NUMBERS,
        "From {} on it is {} bytes of each block",
        (
            mebibytes(engine("host/memory.hpp", "sparse_poison_bytes")),
            engine("host/memory.cpp", "line_bytes"),
        ),
    ),
    (NUMBERS, "of messages over {}, in its first launch", (mebibytes(stopping.VERY_LONG_BYTES),)),
    (NUMBERS, "After {} different cases in a row", (word(failures.MOST_FAILED_CASES),)),
    (NUMBERS, "whose last {} launches ended so", (word(failures.MOST_STARTS),)),
    (
        NUMBERS,
        "`--deadline` ({} s), {} times what",
        (cases.CASE_DEADLINE.removesuffix("s"), word(timeouts.PATIENCE)),
    ),
    (NUMBERS, "check its content at {:g} MB/s", (timeouts.SLOW_MEMORY_BYTES_PER_S / 1e6,)),
    (NUMBERS, "move its messages at {:g} MB/s", (timeouts.SLOW_LINK_BYTES_PER_S / 1e6,)),
    (NUMBERS, "streams with Q = {}, the", (suites.LARGE_QUEUE,)),
    (NUMBERS, "is at most {} over the number of curves", (percent(steps.LEVEL),)),
    (NUMBERS, "the residuals of {} sizes or more", (median_line.FEWEST_FOR_POWER,)),
    (NUMBERS, "More than {} samples of a size are thinned to {}", (sweeps.MOST_KEPT,) * 2),
    (NUMBERS, "whenever there are {} sizes", (word(segments.FEWEST_SIZES),)),
    (NUMBERS, "segments of at least {} sizes", (word(change_points.FEWEST_IN_SEGMENT),)),
    (NUMBERS, "at least that of {}: sizes scatter", (percent(change_points.OWN_SCATTER),)),
    ("docs/check.md", "the tolerance slower, at {} one-sided", (percent(acceptance.PASS_LEVEL),)),
    (
        "docs/check.md",
        "Among all curves together {}, and among all sizes together {},",
        (percent(acceptance.CURVES_FAIL_LEVEL), percent(acceptance.SIZES_FAIL_LEVEL)),
    ),
    ("docs/check.md", "nothing below {} launches", (word(trend.FEWEST),)),
    (
        "docs/add-a-benchmark.md",
        "room for 2Q + {} sends",
        (engine("run/case_plan.hpp", "besides"),),
    ),
    (
        "docs/add-a-benchmark.md",
        "It has {} bytes",
        (engine("run/case_memory.hpp", "control_bytes"),),
    ),
    ("docs/check.md", "Steps are looked for from {} sessions on", (word(steps.FEWEST),)),
    ("docs/check.md", "A level is that of {} sessions or more", (word(steps.IN_LEVEL),)),
    ("docs/tutorial-slurm.md", "steps are looked for from {} sessions on", (steps.FEWEST,)),
    (
        "docs/glossary.md",
        "one is shown from {} samples beyond it on",
        (percentiles.SAMPLES_BEYOND,),
    ),
    ("docs/simulate.md", "It has {} nodes at one crossbar", (platforms.NODES,)),
    ("docs/simulate.md", "else {:g} GFlop/s; `--rate", (rate.USUAL_FLOPS_PER_S / 1e9,)),
    (
        "docs/simulate.md",
        "A sample of a stream has at most {} messages",
        (stopping.MOST_SIMULATED_OPS,),
    ),
    ("docs/simulate.md", "one launch of {} samples is usual", (word(cases.SIMULATED["samples"]),)),
    ("docs/simulate.md", "Up to {} lines of time", (word(calibrate.MOST_LINES),)),
    (
        "docs/simulate.md",
        "at {} bytes or more; without a jump of {} all",
        (calibrate.LEAST_SWITCH, percent(round(calibrate.LEAST_JUMP - 1, 6))),
    ),
    ("docs/predict.md", "Of {} nodes and more", (effort.FEWEST_NODES,)),
    ("docs/predict.md", "where a quarter took less than {:g} s", (effort.LONG_S,)),
    ("docs/simulate.md", "in less than {} of its latency", (percent(host_times.LATE_SHARE),)),
    (
        "docs/price.md",
        "the power of all parts for {} hours per year",
        (thousands(cost.HOURS_PER_YEAR),),
    ),
    ("docs/price.md", "# {:g} unless written", (price_list.USUAL_YEARS,)),
    ("docs/price.md", "levels of a fat tree, 1 to {};", (fat_tree.MOST_LEVELS,)),
    ("docs/scaling.md", "{} at most, and messages go over MPI", (study.MOST_RANKS,)),
    ("docs/scaling.md", "the fabric costs more than {}, with", (percent(rows.MOST_COST),)),
    ("docs/scaling.md", "; {:g} without it, {:g} to {:g} |", (lattice.MASS, *asked.MASSES)),
    ("docs/scaling.md", "; {:g} without it, {:g} to {:g} |", (lattice.U0, *asked.U0S)),
    (
        "docs/transports.md",
        "(usual: {})",
        (engine("transports/rails/rails.hpp", "usual_stripe_bytes"),),
    ),
    (
        "docs/transports.md",
        "than ranks are missing and {} besides",
        (engine("transports/tcp/mesh.cpp", "crowd"),),
    ),
    (
        "docs/transports.md",
        "at every {}th look",
        (engine("transports/ofi/link.hpp", "probes_between"),),
    ),
    (
        "docs/transports.md",
        "with {} empty receives",
        (engine("transports/ofi/connections.cpp", "notice_receives"),),
    ),
    (
        "docs/transports.md",
        "when no first message came within {} s (and {} ms for each rank)",
        (
            engine("bootstrap/patience.hpp", "patience_s"),
            engine("bootstrap/patience.hpp", "patience_of_a_rank_ms"),
        ),
    ),
    (
        "docs/transports.md",
        "do not come within {:g} s (and {:g} ms for each rank of the launch)",
        (timeouts.CONNECTING_S, 1e3 * timeouts.CONNECTING_A_RANK_S),
    ),
    (
        "docs/engine-protocol.md",
        "give that together (`Bootstrap::gather`), at most {} at a time",
        (mebibytes(engine("run/report.hpp", "window_bytes")),),
    ),
    (
        "docs/engine-protocol.md",
        "the first {} bytes of the reason why there are none",
        (thousands(engine("run/report.hpp", "most_short_reason_bytes")),),
    ),
    (
        "docs/engine-protocol.md",
        "of more than {} others no more than {} values in all",
        (
            engine("run/report.hpp", "few_ranks"),
            thousands(engine("run/report.hpp", "most_whole_values")),
        ),
    ),
    *(
        (
            page,
            "more than {} ranks beside rank 0 have more than {} values together",
            (
                engine("run/report.hpp", "few_ranks"),
                thousands(engine("run/report.hpp", "most_whole_values")),
            ),
        )
        for page in ("docs/engine-protocol.md", NUMBERS)
    ),
    (
        "docs/engine-protocol.md",
        "A line has at most {} characters",
        (thousands(engine("run/lines.cpp", "most_characters")),),
    ),
    (
        "docs/engine-protocol.md",
        "`samples` and `warmup` are at most {} each and `point` at most {};",
        (
            thousands(engine("run/case.hpp", "most_samples")),
            thousands(engine("run/case.hpp", "most_point")),
        ),
    ),
    (
        "docs/engine-protocol.md",
        "pages * {} + places * {})",
        (engine("run/footprint.cpp", "page_bytes"), engine("run/footprint.cpp", "bytes_a_place")),
    ),
    ("docs/engine-protocol.md", "one to four extents of 1 to {}", (asked.MOST_EXTENT,)),
    (
        "docs/engine-protocol.md",
        "`depth` 1 to {}, `sums` 0 to {}, `threads` 1 to {}",
        (asked.MOST_DEPTH, asked.MOST_SUMS, asked.MOST_THREADS),
    ),
    (
        "docs/engine-protocol.md",
        "`mass` {:g} to {:g}, `u0` {:g} to {:g}",
        (*asked.MASSES, *asked.U0S),
    ),
    (
        "docs/many-ranks.md",
        "takes {:g} MB as its share, and {} bytes more for",
        (memory.RANK_BYTES / 1e6, thousands(memory.RANK_BYTES_A_RANK)),
    ),
    (
        "README.md",
        "Without a flag there are {} sizes from 8 B to 1 MiB",
        (word(len(units.parse_sizes(cases.SIZES))),),
    ),
    ("README.md", "The clock costs less than {}", (percent(1 / stopping.CLOCK_SHARE),)),
    (
        "CONTRIBUTING.md",
        "({} lines), files stay under {}",
        (python_rules.FUNCTION_LINES_MAX, text_rules.LINES_MAX),
    ),
)


def pages_of(path: Path) -> list[Path]:
    """A page, or those of a folder."""
    return sorted(path.glob("*.md")) if path.is_dir() else [path]


def stands_in(phrase: str, values: tuple[Any, ...], page: str) -> bool:
    """Whether a page states these numbers in these words, wherever its lines end."""
    return " ".join(phrase.format(*values).split()) in " ".join(page.split())


@pytest.mark.parametrize(
    ("page", "phrase", "values"), STATED, ids=[f"{page}: {phrase}" for page, phrase, _ in STATED]
)
def test_a_page_states_what_the_code_has(page: str, phrase: str, values: tuple[Any, ...]) -> None:
    text = "\n".join(one.read_text(encoding="utf-8") for one in pages_of(ROOT / page))
    assert stands_in(phrase, values, text), f"{page} says otherwise: {phrase.format(*values)}"


def test_another_number_in_page_or_code_is_caught() -> None:
    page = "A session ends\nafter 5 s and 30 % of it."
    assert stands_in("after {} s and {}", (5, percent(0.3)), page)
    assert not stands_in("after {} s and {}", (6, percent(0.3)), page)
    assert not stands_in("after {} s and {}", (5, percent(0.31)), page)


def test_constants_of_the_engine_are_read_as_it_computes_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "engine").mkdir()
    (tmp_path / "engine" / "a.hpp").write_text(
        "constexpr std::size_t a = std::size_t{16} << 20U;\nconstexpr int b{1'000};\n"
        "inline constexpr double c = 16 * 4096;\n  constexpr std::uint64_t d = 1ULL << 32U;\n"
    )
    monkeypatch.setattr("test_stated_constants.ROOT", tmp_path)
    assert [engine("a.hpp", name) for name in "abcd"] == [1 << 24, 1000, 65536, 1 << 32]
