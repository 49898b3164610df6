"""What is known of the map of one size: the row that its words, tables and charts are made of."""

from __future__ import annotations

from weft.analysis.diagnosis.bisection import Bisection
from weft.analysis.diagnosis.diagnose import FoundCause, SlowPair
from weft.analysis.diagnosis.distinguished import Distinguished
from weft.analysis.diagnosis.matrix import PairMatrix
from weft.topics.rows import SizeRow


class MapRow(SizeRow, frozen=True, kw_only=True):
    """The map of one size: what is slow, the worst first, the slowest pairs, and the bisection.

    `rounds` were measured of the `all_rounds` in which every pair meets once; `scatter` is that of
    a pair from visit to visit, a share, and `usual_ns` the median time of all pairs. `guessed` are
    the groups that the times showed where none were given, and who is in each. `ways` of all
    directed pairs were measured, and `distinguished` is what a map of them tells apart. `unsteady`
    are delayed now and then: their shares are of the mean over the median. `with_neighbours` has
    for each finding the command for a map with more hosts of the leaf that may be meant; the other
    three commands measure more too. `has_more`: more causes fit than those that are
    listed. `lacks_topology`: that of the hosts is not known any more, so that nothing is found.
    """

    endpoints: int
    launches: int
    rounds: int
    all_rounds: int
    usual_ns: float
    scatter: float
    ways: int
    distinguished: tuple[Distinguished, ...]
    findings: tuple[FoundCause, ...]
    unsteady: tuple[FoundCause, ...]
    dead: tuple[str, ...]
    worst: tuple[SlowPair, ...]
    groups: int
    is_guessed: bool
    guessed: tuple[tuple[str, tuple[str, ...]], ...]
    with_neighbours: tuple[str, ...]
    with_all_rounds: str
    with_the_others: str
    with_more_launches: str
    bisection: Bisection | None = None
    matrix: PairMatrix | None = None
    lacks_topology: bool = False
    has_more: bool = False
