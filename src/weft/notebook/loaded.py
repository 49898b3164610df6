"""A record as a notebook has it: its figures, the tables of its topics, and its plots."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Self

from weft.analysis.diagnosis.measured import is_map
from weft.errors import WeftError
from weft.names import choose
from weft.notebook.plots import plot_of
from weft.notebook.tables import table_of_rows
from weft.notebook.typed import one_of
from weft.record.run import Run
from weft.sources.records import record_named
from weft.topics import charts_of, results_among, topic_called
from weft.topics.frames import summary_table
from weft.wording import counted

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    import polars as pl
    from matplotlib.figure import Figure as Canvas

    from weft.charts import Chart
    from weft.notebook.figures import Figures
    from weft.topics.base import Results


def load(path: str | Path) -> LoadedRun:
    """Read a record: what `weft run` wrote, or `weft import` made of another program's output.

    "run.jsonl@tcp" is its part over that transport, as in every command.

        run = weft.load("run.jsonl.zst")
        run.figures                       # medians with intervals, a row per case
        run.plot("latency")               # a matplotlib figure
        run.samples.filter(case="tcp/ping_pong/8", warmup=False)

    Raises WeftError when the file is no readable record, or has nothing over the transport.
    """
    run = record_named(one_of(path))
    loaded = LoadedRun(run.path, run.lines)
    loaded.part = run.part
    loaded.fingerprint = run.fingerprint
    return loaded


class LoadedRun(Run):
    """One record, with polars tables that are made when they are first asked for.

    `figures` has a row per case; `samples`, `parts` and `batches` a row per raw sample, a sample of
    each rank's series, and a batch; `host` a row per rank. `table(name)` is what one topic says.
    """

    def only(self, cases: Collection[str]) -> Self:
        """The part of the record that has just these cases, by their keys: `run.figures["case"]`.

        It is that part wherever it is handed on: compare, fit, check, its tables and its plots.
        Raises WeftError for a case that the record does not have, and for none.
        """
        every = [cases] if isinstance(cases, str) else cases
        chosen = choose("case", every, tuple(self.cases))
        if not chosen:
            raise WeftError(f"no case of {self.path} is chosen", "see run.cases for their keys")
        return super().only(chosen)

    @cached_property
    def _results(self) -> Results:
        return results_among(self)

    @cached_property
    def figures(self) -> Figures:
        """A row per planned case, as `weft show` has it; printed, medians with their intervals.

        Columns: the case's axes (case, test, transport, bytes, ranks, queue_depth, single, wait,
        point, variant), status and reason, then latency_ns and bandwidth_bytes_per_s, each with
        _low, _high and the basis of the interval, percentiles, and how the launches scatter.
        """
        from weft.notebook.figures import Figures

        return Figures(summary_table(self._results.summaries))

    def table(self, name: str) -> pl.DataFrame:
        """What one topic says: overhead, completion, scaling, ... (as `weft show --table`).

        Raises WeftError for a topic that there is not.
        """
        topic = topic_called(name)
        return table_of_rows(topic.plain(self._results.of(topic)))

    @property
    def plots(self) -> tuple[str, ...]:
        """The names that `plot` takes."""
        return tuple(chart.name for chart in self._charts)

    def plot(self, name: str | None = None, *, layout: str = "ieee", wide: bool = False) -> Canvas:
        """A chart of the record's page as a matplotlib figure; without a name the first.

        Change it by its axes: `run.plot().axes[0].set_ylim(1, 10)`. Raises WeftError for a name
        that is not among `plots`.
        """
        for chart in self._charts:
            if name in (None, chart.name):
                return plot_of(chart, layout, wide=wide)
        if not self.plots:
            raise WeftError(f"{self.path} has no plot", "see run.figures for why")
        raise WeftError(
            f"there is no plot called {name!r} of {self.path}",
            f"choose one of {', '.join(self.plots)}",
        )

    @cached_property
    def _charts(self) -> list[Chart]:
        return charts_of([self._results])

    def __repr__(self) -> str:
        """What was measured, on what, when, and how it ended."""
        tests = dict.fromkeys(case.test for case in self.cases.values())
        transports = dict.fromkeys(case.transport for case in self.cases.values())
        simulated = self.header.plan.simulated
        where = simulated.label if simulated else ", ".join(self.header.hosts) or "no host known"
        what = f"{self.path} {self.part}".rstrip()
        lines = [
            f"{what}: {counted(len(self.cases), 'case')} of {', '.join(tests)}",
            f"over {', '.join(transports)}; {where}; {self.header.created_utc[:16]} UTC",
            "complete" if self.complete else f"{counted(len(self.missing), 'case')} not complete",
        ]
        if is_map(self.header):
            lines.append('a map: .table("map") says who is slow, and the figures are of its rounds')
        return "\n".join(lines)
