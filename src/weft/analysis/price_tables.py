"""Which parts at which prices give the published prices of tables 9 to 11 of Doerfler, A Quick Look
at InfiniBand (2005)?

The paper prints the price of whole networks and says how they were built: switches of 24 ports, or
24 at the nodes and 288 above, at half-bandwidth. Every way to build every row is tried, and the
prices of the parts are the least-squares solution of each combination. An adapter and the cable
of its node stand in every row equally often, so only their sum can be found.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import ceil
from typing import TYPE_CHECKING

import msgspec

from weft.fabric.fat_tree import TreeAsked, build_fat_tree
from weft.fabric.network import parts_of
from weft.reference.library import find_platform
from weft.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.fabric.tree_search import Spread
    from weft.reference.library import PriceRow, Prices

PORT = "adapter and node cable"
UNKNOWN = (PORT, "switch 24", "switch 288", "uplink cable")
HALF = Fraction(2)
# Published prices are whole dollars.
EXACT = 0.5
_SPREADS: tuple[Spread, ...] = ("even", "any")


class Configuration(msgspec.Struct, frozen=True, kw_only=True):
    """One way to count the parts of a row, in the order of UNKNOWN.

    `departs` is what is wrong with it as a fabric; empty where it can be built. `spread` says where
    the uplinks of a leaf do not spread evenly over the spines.
    """

    switches: str
    counts: tuple[int, int, int, int]
    departs: str = ""
    spread: str = ""


class ExplainedRow(msgspec.Struct, frozen=True, kw_only=True):
    """A published row beside what the found prices make of it.

    `difference` is the published price less that of `switches`, a fabric that can be built.
    `differs_by` says which other count of parts gives the published price; empty where the row is
    explained exactly, or where nothing gives it. A row that no other one can check has no
    explained price. `spread` is that of the configuration.
    """

    table: str
    ports: int
    price: float
    switches: str
    explained: float | None
    difference: float | None
    differs_by: str = ""
    spread: str = ""


class PartPrices(msgspec.Struct, frozen=True, kw_only=True):
    """The prices found from the tables of InfiniBand.

    Of `tried` combinations `exact` give every row to the dollar; the one with the fewest rows that
    cannot be built so is taken, and `as_good` others need as few. `least_squares_difference` is the
    largest difference of a row, in dollars, in that combination of fabrics that can all be built
    where it is least.
    """

    prices: dict[str, float]
    rows: tuple[ExplainedRow, ...]
    tried: int
    exact: int
    as_good: int
    least_squares_difference: float


class PortPrice(msgspec.Struct, frozen=True, kw_only=True):
    """What the table of Elan4 permits to say: one price per port for as many rows as possible."""

    per_port: float
    rows: tuple[ExplainedRow, ...]
    exact_ports: tuple[int, ...]


def infiniband_prices() -> PartPrices:
    """The prices of the parts behind tables 9 and 10."""
    import numpy as np

    tables = find_platform("escher").prices
    rows = [(table, row) for table in tables for row in table.rows]
    choices = [configurations(row.ports, _radixes(table)) for table, row in rows]
    combined = list(product(*choices))
    counts = np.array([[one.counts for one in combination] for combination in combined], float)
    published = np.array([row.price for _, row in rows])
    prices = np.einsum("cpr,r->cp", np.linalg.pinv(counts), published)
    off = np.abs(np.einsum("crp,cp->cr", counts, prices) - published).max(axis=1)
    departing = np.array([sum(bool(one.departs) for one in c) for c in combined])
    is_exact = (off < EXACT) & (prices > -EXACT).all(axis=1)
    cost = np.where(is_exact, departing, len(rows) + 1)
    best = int(cost.argmin())
    found = dict(zip(UNKNOWN, (float(round(price, 2)) for price in prices[best]), strict=True))
    explained = [
        _explained(table, row, combined[best][at], choices[at], found)
        for at, (table, row) in enumerate(rows)
    ]
    return PartPrices(
        prices=found,
        rows=tuple(explained),
        tried=len(combined),
        exact=int(is_exact.sum()),
        as_good=int((cost == cost[best]).sum()) - 1 if is_exact.any() else 0,
        least_squares_difference=float(off[departing == 0].min()),
    )


def configurations(ports: int, radixes: tuple[int, int]) -> tuple[Configuration, ...]:
    """Every way to count the parts of a half-bandwidth network, those that can be built first."""
    found: dict[tuple[int, int, int, int], Configuration] = {}
    if ports <= radixes[1] != radixes[0]:
        alone = Configuration(switches=f"1 x {radixes[1]}", counts=(ports, 0, 1, 0))
        found[alone.counts] = alone
    for spread in _SPREADS:
        asked = TreeAsked(
            nodes=ports,
            radixes=(radixes[0], radixes[1], radixes[1]),
            blocking=(HALF, HALF),
            # One switch of the larger kind stands above.
            levels=1 if ports <= radixes[0] else 2,
            spread=spread,
        )
        parts = {(part.part, part.role): part.count for part in parts_of(build_fat_tree(asked))}
        leaves = parts[f"switch {radixes[0]}", "leaf"]
        spines = parts.get((f"switch {radixes[1]}", "spine"), 0)
        cables = parts.get(("uplink cable", "uplink cable"), 0)
        for one in _counted(ports, radixes, leaves, spines, cables):
            found.setdefault(one.counts, one)
    return tuple(sorted(found.values(), key=lambda one: bool(one.departs)))


def _counted(
    ports: int, radixes: tuple[int, int], leaves: int, spines: int, cables: int
) -> list[Configuration]:
    """A fabric, the same without its uplink cables, and with a spine switch too few."""
    down, top = radixes

    def of_counts(spines: int, cables: int, departs: str = "") -> Configuration:
        switches = {24: 0, 288: 0}
        switches[down] += leaves
        switches[top] += spines
        words = f"{leaves} x {down}" + (f" + {spines} x {top}" if spines else "")
        counts = (ports, switches[24], switches[288], cables)
        return Configuration(switches=words, counts=counts, departs=departs, spread=uneven)

    uplinks = cables // leaves
    is_even = not spines or uplinks % spines == 0
    uneven = "" if is_even else f"{counted(uplinks, 'uplink')} over {counted(spines, 'spine')}"
    if not spines:
        return [of_counts(0, 0)]
    no_cables = f"without its {counted(cables, 'uplink cable')}"
    found = [of_counts(spines, cables), of_counts(spines, 0, no_cables)]
    fewest = ceil(cables / top)
    if spines == fewest and fewest > 1 and cables % top:
        few = (
            f"with {counted(fewest - 1, 'spine')}: {counted((fewest - 1) * top, 'port')}"
            f" for {counted(cables, 'uplink')}"
        )
        found.append(of_counts(fewest - 1, cables, few))
        found.append(of_counts(fewest - 1, 0, f"{few}, {no_cables}"))
    return found


def _radixes(table: Prices) -> tuple[int, int]:
    """The ports of node switches and upper switches of a table."""
    return (24, 288) if "288" in table.title else (24, 24)


def _explained(
    table: Prices,
    row: PriceRow,
    taken: Configuration,
    choices: Sequence[Configuration],
    prices: dict[str, float],
) -> ExplainedRow:
    """The row by the count taken; where that departs, by the nearest that can be built."""

    def price(one: Configuration) -> float:
        return sum(count * prices[part] for part, count in zip(UNKNOWN, one.counts, strict=True))

    buildable = [one for one in choices if not one.departs]
    shown = min(buildable, key=lambda one: abs(row.price - price(one))) if taken.departs else taken
    return ExplainedRow(
        table=table.table,
        ports=row.ports,
        price=row.price,
        switches=shown.switches,
        explained=price(shown),
        difference=round(row.price - price(shown), 2),
        differs_by=taken.departs,
        spread=shown.spread,
    )


def elan_prices() -> PortPrice:
    """Table 11: the price per port that most rows have to the dollar, and the others beside it."""
    [table] = find_platform("red-squall").prices
    groups = [
        [row for row in table.rows if row.price * one.ports == one.price * row.ports]
        for one in table.rows
    ]
    alike = max(groups, key=len)
    per_port = alike[0].price / alike[0].ports
    exact = tuple(sorted(row.ports for row in alike))
    rows = []
    for row in table.rows:
        # Half a federation is one too; a smaller network has a switch that no other row has.
        is_federated = row.ports >= min(exact) // 2
        explained = row.ports * per_port if is_federated else None
        rows.append(
            ExplainedRow(
                table=table.table,
                ports=row.ports,
                price=row.price,
                switches="federated" if is_federated else "a switch of its own",
                explained=explained,
                difference=None if explained is None else round(row.price - explained, 2),
            )
        )
    return PortPrice(per_port=per_port, rows=tuple(rows), exact_ports=exact)
