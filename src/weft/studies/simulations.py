"""Simulations of a prediction: within a budget, into a folder, and with moved platforms."""

import datetime
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from weft.errors import WeftError
from weft.names import as_typed
from weft.sim.draws import FEWEST_DRAWS
from weft.units import format_duration
from weft.wording import counted, verb_of

if TYPE_CHECKING:
    from weft.launch.protocol import Answer
    from weft.plan.case import Case
    from weft.plan.cases import Experiment
    from weft.plan.request import Request
    from weft.plan.simulated import SimulatedPlatform
    from weft.record.run import Run
    from weft.sim.answers import Certainty
    from weft.sim.effort import Forecast, Pilot
    from weft.sim.predicted import Variant
    from weft.sim.sensitivity import Move
    from weft.studies.placed_tests import PlacedTests

_ROOM = 0.8
# So many times the budget is to be tried where nothing is known of what a simulation takes.
_MORE_TIME = 5.0
# A moved platform takes as long as the one that was simulated.
_MOVES_TAKE = 1.0
_NO_DIFFERENCES = "no interval of the differences"
_NO_ASSUMPTIONS = "no interval covers the assumptions"
# Endings of what weft writes into a folder, which is not called so itself.
_FILES = (".html", ".jsonl", ".zst", ".json", ".csv", ".svg", ".pdf")


class Effort:
    """Simulates, within a budget; its records and page lie in a folder; `say` takes a line.

    `typed` are the options that were, none of which may be without effect.
    """

    def __init__(
        self,
        budget_s: float,
        samples: int,
        folder: Path | None,
        say: Callable[[str], None],
        typed: frozenset[str] = frozenset(),
    ) -> None:
        self.say = say
        self._has_said: set[str] = set()
        self._typed = typed
        self._budget_s = budget_s
        self._samples = samples
        if folder is not None and (folder.is_file() or folder.suffix in _FILES):
            raise WeftError(
                f"{folder} is the name of a file, and -o takes a folder",
                f"use -o {as_typed(folder.with_suffix(''))}",
            )
        self._folder = folder or Path()
        self._begun_s = time.monotonic()
        self._simulated_s = 0.0
        self._shortest_bytes = 0
        self._draws = FEWEST_DRAWS
        now = datetime.datetime.now(datetime.UTC)
        # To the microsecond: several predictions may be begun in a second, into one folder.
        self._stem = f"weft-predict-{now:%Y%m%d-%H%M%S-%f}"
        self.page = self._folder / f"{self._stem}.html"

    def placed(
        self, base: "SimulatedPlatform", variants: "Sequence[Variant]", experiment: "Experiment"
    ) -> "list[tuple[PlacedTests, ...]]":
        """All of them, planned before the first is simulated. Raises WeftError."""
        import msgspec

        from weft import session
        from weft.studies.placed_tests import placed_tests_of, shortest_face

        found = [placed_tests_of(base, one, experiment) for one in variants]
        for first, *_ in found:
            # All tests at once: an option may have an effect on some of them alone.
            whole = msgspec.structs.replace(first, experiment=experiment)
            request = self._request(whole, Path(), typed=self._typed)
            _, made = session.prepare(request, lambda _: None)
            self._shortest_bytes = shortest_face(made.plan.cases)
        if not self._shortest_bytes:
            return found
        shortest = self._shortest_bytes
        return [placed_tests_of(base, one, experiment, shortest_bytes=shortest) for one in variants]

    def refused(self, placed: "Sequence[PlacedTests]") -> "tuple[tuple[Case, Answer], ...]":
        """The cases of a variant, and what speaks against each before a rank is there; else ok."""
        from weft import session
        from weft.measure.refused import refused

        found: dict[Experiment, tuple[tuple[Case, Answer], ...]] = {}
        for one in placed:
            if one.experiment not in found:
                site, made = session.prepare(self._request(one, Path()), lambda _: None)
                [program] = site.usable.values()
                found[one.experiment] = refused(made.plan, program)
        return tuple(one for own in found.values() for one in own)

    def foresee(
        self,
        base: "SimulatedPlatform",
        variant: "Variant",
        experiment: "Experiment",
        count: int,
    ) -> None:
        """Print what a large simulation costs. Raises WeftError for more than there is."""
        import psutil

        from weft.sim.effort import forecast

        nodes = variant.fabric.nodes
        found = forecast(self._pilots(base, variant, experiment, count), nodes)
        if found is None:
            return
        self.say(_in_words(found, count))
        self._refuse_beyond_budget(nodes, count * found.seconds)
        free = psutil.virtual_memory().available
        if found.peak_bytes > _ROOM * free:
            raise WeftError(
                f"{counted(nodes, 'node')} {verb_of(nodes, 'need')} about"
                f" {found.peak_bytes / 1e9:.1f} GB, and"
                f" {free / 1e9:.1f} GB are free",
                "use fewer --nodes, or smaller --sizes or --extents",
            )

    def _pilots(
        self,
        base: "SimulatedPlatform",
        variant: "Variant",
        experiment: "Experiment",
        count: int,
    ) -> "list[Pilot]":
        """The same cases on fewer nodes; a fabric that is not there of so few is omitted."""
        import msgspec

        from weft.record.run import load
        from weft.sim.effort import Pilot, is_enough, pilot_sizes
        from weft.studies.placed_tests import on_fewer, placed_tests_of, smaller

        done: list[Pilot] = []
        with tempfile.TemporaryDirectory(prefix="weft-predict-") as folder:
            for nodes in pilot_sizes(variant.fabric.nodes):
                small = msgspec.structs.replace(variant, fabric=smaller(variant.fabric, nodes))
                try:
                    fewer = on_fewer(experiment, nodes, variant)
                    placed = placed_tests_of(
                        base,
                        small,
                        fewer,
                        as_of_nodes=variant.fabric.nodes,
                        shortest_bytes=self._shortest_bytes,
                    )
                except WeftError:
                    continue
                if is_enough(done, variant.fabric.nodes):
                    break
                self._check_left(done, nodes, variant.fabric.nodes, count)
                begun, worked = time.monotonic(), processor_s()
                paths = [Path(folder) / f"{nodes}-{at}.jsonl" for at in range(len(placed))]
                for one, path in zip(placed, paths, strict=True):
                    run = load(self._start(one, path, in_time=True))
                    is_cut = not has_ended(run)
                    seconds = time.monotonic() - begun
                    peak = peak_bytes_of(run)
                    work = processor_s() - worked
                    last = Pilot(nodes=nodes, seconds=seconds, peak_bytes=peak, processor_s=work)
                    if is_cut:
                        self._refuse_as_cut(last, variant.fabric.nodes)
                done.append(last)
        return done

    def _check_left(self, done: "Sequence[Pilot]", next_nodes: int, nodes: int, count: int) -> None:
        """Raises WeftError where all nodes will take more than is left of the budget, or the next
        small run does, though time grew no faster than is hoped."""
        from weft.sim.effort import HOPED_POWER, forecast

        small = forecast(done, next_nodes, HOPED_POWER)
        whole = forecast(done, nodes, HOPED_POWER)
        if small is None or whole is None:
            return
        least_s = small.seconds + count * whole.seconds
        self._refuse_beyond_budget(nodes, least_s, "at least about")

    def _left_s(self) -> float:
        return self._budget_s - (time.monotonic() - self._begun_s)

    def _refuse_beyond_budget(self, nodes: int, seconds: float, about: str = "about") -> None:
        """Raises WeftError where so many seconds are more than is left of the budget."""

        left_s = self._left_s()
        if seconds <= left_s:
            return
        raise WeftError(
            f"{counted(nodes, 'node')} {verb_of(nodes, 'need')} {about} {format_duration(seconds)}"
            f" of simulation here, and {format_duration(max(left_s, 0))} of the budget are left",
            f"use --budget {format_duration(1.5 * seconds + self._budget_s - left_s)}, or fewer"
            " --nodes, sizes or fabrics",
        )

    def _refuse_as_cut(self, small: "Pilot", nodes: int) -> None:
        """Raises WeftError: a small run did not end, and what all nodes take is not known."""

        raise WeftError(
            f"{counted(small.nodes, 'node')} of the {nodes:,} alone took the {small.seconds:.1f} s"
            " that were left of the budget",
            f"use --budget {format_duration(_MORE_TIME * self._budget_s)}, or fewer"
            " --nodes, sizes or fabrics",
        )

    def runs(self, placed: "Sequence[Sequence[PlacedTests]]") -> "list[list[Run]]":
        """The records of all variants, which are drawn as often as the scatter of some draws needs.

        All equally often: draws of one number have the same pairs on every fabric.
        """
        from weft.sim.draws import draws_needed

        found = [self.run(one, at) for at, one in enumerate(placed)]
        drawn = [
            [*medians.values()]
            for own in found
            for run in own
            for medians in run.launch_medians_ns.values()
            if 1 < len(medians) == self._draws
        ]
        needed = max(map(draws_needed, drawn), default=self._draws)
        if needed == self._draws:
            return found
        self._draws = needed
        for one in (run for own in found for run in own):
            one.path.unlink()
        return [self.run(one, at) for at, one in enumerate(placed)]

    def run(self, placed: "Sequence[PlacedTests]", at: int) -> "list[Run]":
        """The records of a variant, one for each placement of its tests."""
        from weft.record.run import load

        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise WeftError(
                f"cannot write into {self._folder}: {error.strerror}", "choose another folder by -o"
            ) from None
        begun = time.monotonic()
        found = []
        for place, one in enumerate(placed):
            name = f"{self._stem}-{at + 1}" + (f"-{place + 1}" if len(placed) > 1 else "")
            path = self._folder / f"{name}.jsonl.zst"
            found.append(load(self._start(one, path, self._say_once)))
        self._simulated_s += time.monotonic() - begun
        return found

    def _say_once(self, line: str) -> None:
        """What every simulation says of itself alike."""
        if line not in self._has_said:
            self._has_said.add(line)
            self.say(line)

    def moved(
        self,
        base: "SimulatedPlatform",
        variants: "Sequence[Variant]",
        experiment: "Experiment",
        certainty: "Certainty | None",
        memory: "Certainty | None" = None,
    ) -> "list[list[list[Run]]]":
        """Each variant with the platform moved within the errors of its calibration.

        And with the memory that ranks of a node share, where they do. For each move the records of
        all placements; none of them where nothing is compared, no error is known, or the budget
        does not suffice.
        """
        from weft.sim.sensitivity import corners

        if len(variants) == 1 or certainty is None:
            return []
        moves = corners(
            certainty.ends(certainty.fixed),
            certainty.ends(certainty.byte),
            memory.outer if memory else (1.0, 1.0),
        )
        if not self._has_time_for(moves, _NO_DIFFERENCES):
            return []
        self.say(f"simulating {len(moves)} moved platforms for the interval of the differences")
        return self._simulated(base, variants, experiment, moves, _NO_DIFFERENCES)

    def assumed(
        self,
        base: "SimulatedPlatform",
        variants: "Sequence[Variant]",
        experiment: "Experiment",
        moves: "Sequence[Move]",
    ) -> "list[list[list[Run]]]":
        """Each variant with assumptions at the ends of their ranges, as `moved` has them."""
        if not moves or not self._has_time_for(moves, _NO_ASSUMPTIONS):
            return []
        ends = counted(len(moves), "end")
        self.say(f"simulating {ends} of the assumptions' ranges for the intervals")
        return self._simulated(base, variants, experiment, moves, _NO_ASSUMPTIONS)

    def _has_time_for(self, moves: "Sequence[Move]", otherwise: str) -> bool:
        """Whether the budget is enough for these moves; prints a line if not."""
        needed_s = len(moves) * _MOVES_TAKE * self._simulated_s
        spent_s = time.monotonic() - self._begun_s
        if needed_s <= self._budget_s - spent_s:
            return True
        more = format_duration(1.2 * (spent_s + needed_s))
        self._say_too_short(otherwise, more)
        return False

    def _say_too_short(self, otherwise: str, more: str) -> None:
        self.say(f"{otherwise}: the budget is too short; use --budget {more}")

    def _simulated(
        self,
        base: "SimulatedPlatform",
        variants: "Sequence[Variant]",
        experiment: "Experiment",
        moves: "Sequence[Move]",
        otherwise: str,
    ) -> "list[list[list[Run]]]":
        """The records of all placements, by variant and move; empty if the budget ended."""
        from weft.record.run import load
        from weft.studies.placed_tests import placed_tests_of

        found = []
        with tempfile.TemporaryDirectory(prefix="weft-predict-") as folder:
            for variant in variants:
                path = Path(folder) / "moved.jsonl.zst"
                of_variant: list[list[Run]] = []
                for move in moves:
                    runs = []
                    shortest = self._shortest_bytes
                    for one in placed_tests_of(
                        base, variant, experiment, move=move, shortest_bytes=shortest
                    ):
                        runs.append(load(self._start(one, path)))
                        path.unlink()
                        if not has_ended(runs[-1]):
                            more = format_duration(_MORE_TIME * self._budget_s)
                            self._say_too_short(otherwise, more)
                            return []
                    of_variant.append(runs)
                found.append(of_variant)
        return found

    def _request(
        self,
        one: "PlacedTests",
        path: Path,
        *,
        is_quiet: bool = True,
        in_time: bool = False,
        typed: frozenset[str] = frozenset(),
    ) -> "Request":
        from weft.measure.timeouts import without_overtime_s
        from weft.plan.request import simulation

        budget_s = without_overtime_s(self._budget_s) if in_time else self._budget_s
        return simulation(
            one.platform,
            (one.experiment,),
            path,
            precision=1.0,
            # Of draws each is a launch, and a second sample of it says the same.
            samples=1 if one.launches > 1 else self._samples,
            launches=min(one.launches, self._draws),
            command=("weft", *sys.argv[1:]),
            budget_s=budget_s,
            case_deadline_s=max(self._left_s(), 1.0),
            begun_s=self._begun_s,
            is_quiet=is_quiet,
            typed=typed,
        )

    def _start(
        self,
        one: "PlacedTests",
        path: Path,
        say: Callable[[str], None] | None = None,
        *,
        in_time: bool = False,
    ) -> Path:
        """The record of a simulation; one that nobody is to hear of says nothing.

        `in_time`: what it began in time does not take longer than the budget either.
        """
        from weft import session

        request = self._request(one, path, is_quiet=say is None, in_time=in_time)
        written, footer = session.start(request, say or (lambda _: None))
        if footer.outcome == "interrupted":
            self.say(f"weft: interrupted; the records of finished fabrics are in {self._folder}")
            raise KeyboardInterrupt
        return written


def processor_s() -> float:
    """What this process and those that it waited for have taken of processors."""
    used = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in used)


def peak_bytes_of(run: "Run") -> int:
    """The most memory that a simulation had at once; 0 of one that did not come to its end.

    What the kernel tells of children has also what this process had when it started them.
    """
    return max((end.peak_bytes for end in run.lines.ends), default=0)


def has_ended(run: "Run") -> bool:
    """Whether every case of a simulation has come to its end, good or bad."""
    ended = {batch.case for batch in run.measured if batch.status != "timeout"}
    return ended >= set(run.cases)


def _in_words(found: "Forecast", count: int) -> str:
    from weft.sim.effort import SHORT_S, SMALL_BYTES

    pilots = ", ".join(
        f"{counted(one.nodes, 'node')}: {one.seconds:.1f} s, {one.peak_bytes / 1e6:.0f} MB"
        for one in found.pilots
    )
    fabrics = f" for each of {counted(count, 'fabric')}" if count > 1 else ""
    time_of = f"about {found.seconds:.0f} s ({found.processor_s:.0f} s of a processor)"
    if found.seconds < SHORT_S:
        time_of = f"less than {SHORT_S:.0f} s"
    memory = f"about {found.peak_bytes / 1e6:.0f} MB"
    if found.peak_bytes < SMALL_BYTES:
        memory = f"less than {2 * SMALL_BYTES / 1e6:.0f} MB"
    return (
        f"simulating {counted(found.nodes, 'node')} takes {time_of} and {memory}{fabrics}"
        f" (time grows by nodes^{found.power:.2f}, after"
        f" {pilots})"
    )
