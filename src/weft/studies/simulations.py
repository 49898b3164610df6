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
from weft.wording import counted

if TYPE_CHECKING:
    from weft.plan.cases import Experiment
    from weft.plan.simulated import SimulatedPlatform
    from weft.record.run import Run
    from weft.sim.answers import Certainty
    from weft.sim.effort import Forecast, Pilot
    from weft.sim.predicted import Variant

_ROOM = 0.8
# A moved platform takes as long as the one that was simulated.
_MOVES_TAKE = 1.0
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
        self._typed = typed
        self._budget_s = budget_s
        self._samples = samples
        if folder is not None and (folder.is_file() or folder.suffix in _FILES):
            raise WeftError(
                f"{folder} is the name of a file, and -o takes a folder",
                f"type -o {folder.with_suffix('')}",
            )
        self._folder = folder or Path()
        self._begun_s = time.monotonic()
        self._simulated_s = 0.0
        now = datetime.datetime.now(datetime.UTC)
        # To the microsecond: several predictions may be begun in a second, into one folder.
        self._stem = f"weft-predict-{now:%Y%m%d-%H%M%S-%f}"
        self.page = self._folder / f"{self._stem}.html"

    @staticmethod
    def platforms(
        base: "SimulatedPlatform", variants: "Sequence[Variant]"
    ) -> "list[SimulatedPlatform]":
        """All of them, before the first is simulated. Raises WeftError."""
        from weft.sim.predicted import predicted

        return [predicted(base, one) for one in variants]

    def foresee(
        self, base: "SimulatedPlatform", variant: "Variant", experiment: "Experiment", count: int
    ) -> None:
        """Print what a large simulation costs. Raises WeftError for more than there is."""
        import psutil

        from weft.plan.budget import in_words
        from weft.sim.effort import forecast, pilot_sizes

        nodes = variant.fabric.nodes
        found = forecast(self._pilots(base, variant, experiment, pilot_sizes(nodes)), nodes)
        if found is None:
            return
        self.say(_in_words(found, count))
        seconds = count * found.seconds
        left_s = self._budget_s - (time.monotonic() - self._begun_s)
        if seconds > left_s:
            raise WeftError(
                f"{counted(nodes, 'node')} need about {in_words(seconds)} of simulation here, and"
                f" {left_s:.0f} s of the budget are left",
                f"type --budget {in_words(1.5 * seconds + self._budget_s - left_s)}, or fewer"
                " --nodes, sizes or fabrics",
            )
        free = psutil.virtual_memory().available
        if found.peak_bytes > _ROOM * free:
            raise WeftError(
                f"{counted(nodes, 'node')} need about {found.peak_bytes / 1e9:.1f} GB, and"
                f" {free / 1e9:.1f} GB are free",
                "type fewer --nodes, or smaller --sizes or --extents",
            )

    def _pilots(
        self,
        base: "SimulatedPlatform",
        variant: "Variant",
        experiment: "Experiment",
        sizes: Sequence[int],
    ) -> "list[Pilot]":
        """The same cases on fewer nodes; a fabric that is not there of so few is omitted."""
        import msgspec

        from weft.sim.effort import Pilot
        from weft.sim.predicted import predicted

        done = []
        with tempfile.TemporaryDirectory(prefix="weft-predict-") as folder:
            for nodes in sizes:
                fabric = msgspec.structs.replace(variant.fabric, nodes=nodes, shape="")
                small = msgspec.structs.replace(variant, fabric=fabric)
                try:
                    platform = predicted(base, small, as_of_nodes=variant.fabric.nodes)
                except WeftError:
                    continue
                begun = time.monotonic()
                on_fewer = msgspec.structs.replace(experiment, ranks=nodes)
                self._start(platform, on_fewer, Path(folder) / f"{nodes}.jsonl")
                peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
                done.append(Pilot(nodes=nodes, seconds=time.monotonic() - begun, peak_bytes=peak))
        return done

    def run(self, platform: "SimulatedPlatform", experiment: "Experiment", at: int) -> "Run":
        """The record of a variant."""
        from weft.record.run import load

        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise WeftError(
                f"cannot write into {self._folder}: {error.strerror}", "choose another folder by -o"
            ) from None
        path = self._folder / f"{self._stem}-{at + 1}.jsonl.zst"
        begun = time.monotonic()
        found = load(self._start(platform, experiment, path, self.say))
        self._simulated_s += time.monotonic() - begun
        return found

    def moved(
        self,
        base: "SimulatedPlatform",
        variants: "Sequence[Variant]",
        experiment: "Experiment",
        certainty: "Certainty | None",
    ) -> "list[list[Run]]":
        """Each variant with the platform moved within the errors of its calibration.

        None of them where nothing is compared, no error is known, or the budget does not suffice.
        """
        from weft.plan.budget import in_words
        from weft.record.run import load
        from weft.sim.predicted import predicted
        from weft.sim.sensitivity import corners

        if len(variants) == 1 or certainty is None:
            return []
        moves = corners(certainty.fixed, certainty.byte)
        needed_s = len(moves) * _MOVES_TAKE * self._simulated_s
        spent_s = time.monotonic() - self._begun_s
        if needed_s > self._budget_s - spent_s:
            more = in_words(1.2 * (spent_s + needed_s))
            self.say(
                f"no interval of the differences: the budget is too short; type --budget {more}"
            )
            return []
        self.say(f"simulating {len(moves)} moved platforms for the interval of the differences")
        found = []
        with tempfile.TemporaryDirectory(prefix="weft-predict-") as folder:
            for variant in variants:
                platforms = [predicted(base, variant, move=move) for move in moves]
                path = Path(folder) / "moved.jsonl.zst"
                runs = []
                for platform in platforms:
                    runs.append(load(self._start(platform, experiment, path)))
                    path.unlink()
                found.append(runs)
        return found

    def _start(
        self,
        platform: "SimulatedPlatform",
        experiment: "Experiment",
        path: Path,
        say: Callable[[str], None] | None = None,
    ) -> Path:
        """The record of a simulation; one that nobody is to hear of says nothing."""
        from weft import session
        from weft.plan.request import simulation

        request = simulation(
            platform,
            (experiment,),
            path,
            precision=1.0,
            samples=self._samples,
            command=("weft", *sys.argv[1:]),
            budget_s=self._budget_s,
            case_deadline_s=self._budget_s,
            begun_s=self._begun_s,
            is_quiet=say is None,
            typed=self._typed,
        )
        written, footer = session.start(request, say or (lambda _: None))
        if footer.outcome == "interrupted":
            self.say(f"weft: interrupted; the records of finished fabrics are in {self._folder}")
            raise KeyboardInterrupt
        return written


def _in_words(found: "Forecast", count: int) -> str:
    pilots = ", ".join(
        f"{counted(one.nodes, 'node')}: {one.seconds:.1f} s, {one.peak_bytes / 1e6:.0f} MB"
        for one in found.pilots
    )
    fabrics = f" for each of {counted(count, 'fabric')}" if count > 1 else ""
    return (
        f"simulating {counted(found.nodes, 'node')} takes about {found.seconds:.0f} s and"
        f" {found.peak_bytes / 1e6:.0f} MB{fabrics} (time grows by nodes^{found.power:.2f}, after"
        f" {pilots})"
    )
