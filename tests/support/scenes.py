"""Commands of every kind with the records that they read, made here: what outputs are tested on."""

from __future__ import annotations

import random
import shlex
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from support.builders import lost_batch, make_cases, synthetic_record, usual_time_ns
from support.collectives import collective_record
from support.every_topic import record_of_every_topic
from support.maps import map_record
from support.nights import EVEN, NIGHT_CASES, night, nights
from support.price_lists import FULL, HALF, price_list
from support.studies import parts, series, weak_cases
from support.unlike import unlike_record
from weft.plan.simulated import SimulatedPlatform

if TYPE_CHECKING:
    from collections.abc import Callable

    from weft.plan.case import Case

DOCS = Path(__file__).parents[2] / "docs" / "records"
LIMITS = """
[[limit]]
test = "ping_pong"
sizes = "8"
latency_at_most = "1.1 us"
[[limit]]
test = "stream"
sizes = "64KiB"
bandwidth_at_least = "14 GB/s"
"""
# By name the commands of a scene, which follow each other in one folder; `>` names the files that
# a command writes and that belong to what is approved.
SCENES = {
    "show": ["show unlike.jsonl --link 'Ethernet 100G'", "show a.jsonl --test stream"],
    "show-like": [
        f"show {record}.jsonl --like {name}"
        for record in ("a", "unlike")
        for name in ("osu", "imb", "perftest")
    ],
    "collectives": [
        "show all.jsonl",
        "show all.jsonl --json",
        "show all.jsonl --like osu",
        "show all.jsonl --like imb",
        "compare all.jsonl later.jsonl",
        "check later.jsonl --against all.jsonl",
        "report all.jsonl -o all.html > all.html",
    ],
    "show-platform": [f"show {name}" for name in ("escher", "callisto")],
    "report": ["report unlike.jsonl -o p.html > p.html"],
    "report-several": ["report a.jsonl b.jsonl --link 'IB 4x FDR' -o p.html > p.html"],
    "export": [
        "export a.jsonl --methods m.tex > m.tex",
        "export a.jsonl --latex f.tex > f.tex",
        "export a.jsonl --markdown f.md > f.md",
        "export map.jsonl --table pairs --csv p.csv > p.csv",
    ],
    "suite": ["show suite.jsonl", "report suite.jsonl -o suite.html > suite.html"],
    "unfinished": [
        "show half.jsonl",
        "compare half.jsonl a.jsonl",
        "check half.jsonl --against a.jsonl",
        "report half.jsonl -o half.html > half.html",
    ],
    "compare": [
        "compare a.jsonl b.jsonl -o c.html > c.html",
        "compare a.jsonl a.jsonl b.jsonl --same 3%",
        "compare a.jsonl escher",
        "compare a.jsonl@tcp a.jsonl@mpi",
        "compare weak.jsonl weaker.jsonl -o lattices.html > lattices.html",
        "compare map.jsonl slow.jsonl -o maps.html > maps.html",
    ],
    "check": [
        "check b.jsonl --against a.jsonl",
        "check b.jsonl --against limits.toml --junit j.xml --openmetrics o.txt > j.xml o.txt",
        "check --make-limits a.jsonl -o made.toml > made.toml",
        "check b.jsonl --against made.toml",
        "check b.jsonl --against a.jsonl --tolerance 20%",
    ],
    "trend": ["trend nights/*.jsonl --against limits.toml -o t.html > t.html"],
    "fit": [
        "fit a.jsonl --test ping_pong --transport tcp -o f.html > f.html",
        "fit monday.jsonl.zst --transport tcp",
    ],
    "layers": [
        "layers a.jsonl --order tcp,mpi -o l.html > l.html",
        "layers monday.jsonl.zst",
    ],
    "signature": ["signature monday.jsonl.zst -o s.html > s.html"],
    "memory": ["memory unlike.jsonl --link 'Ethernet 100G'"],
    "map": [
        "map slow.jsonl",
        "map slow.jsonl --topology 'fat-tree 4/4 half'",
        "report slow.jsonl -o map.html > map.html",
    ],
    "price": [
        "price --nodes 1100 --switch 24,288 --blocking 2:1 --prices p.toml -o p.html > p.html",
        "price --compare p.toml",
        "price --nodes 48 --switch 24 --cables c.csv > c.csv",
        "price --nodes 30 --switch 12 --draw d.svg > d.svg",
        "price --nodes 30 --switch 12 --link 'IB 4x SDR' --simgrid s.xml > s.xml",
        "price --topology torus --shape 4x3x2 --nodes 24 --switch 8",
        "price --topology dragonfly --nodes 72 --switch 12",
        "price --nodes 100 --switch 36 --bisection 50%",
        "price --paper",
    ],
    # What is handed to other programs has figures that no table shows.
    "json": [
        "show a.jsonl --test ping_pong --transport tcp --json",
        "compare a.jsonl b.jsonl --test stream --json",
        "check b.jsonl --against limits.toml --json",
        "fit a.jsonl --test ping_pong --json",
        "layers a.jsonl --order tcp,mpi --json",
        "map slow.jsonl --json",
        "price --compare p.toml --json",
        "trend nights/*.jsonl --against limits.toml --json",
    ],
    "calibrate": [
        "calibrate escher",
        "calibrate osu-gm --rate 2GB/s,3GFlop/s --json",
    ],
    "peak": [f"peak {name}" for name in ("'IB 4x FDR'", "'Ethernet 100G'", "'PCIe 4.0 x16'")],
    "list": ["list suites", "list platforms"],
}
# Commands end with these where they say "no" or "cannot tell".
ENDS = (0, 1, 3)


CASES = make_cases(sizes=(8, 4096, 65536, 1 << 20))


def _unlike(path: Path) -> None:
    unlike_record(path.with_name("plain")).path.rename(path)


def _side(path: Path) -> None:
    side = 0 if path.stem == "a" else 1
    synthetic_record(path, CASES, times_ns=partial(_uneven_ns, side=side))


def _lattices(path: Path) -> None:
    share = 1.0 if path.stem == "weak" else 1.2

    def times(case: Case, launch: int) -> list[float]:
        return series(case, launch, share)

    def own(case: Case, launch: int) -> dict[str, list[float]]:
        every = parts(case, launch).items()
        return {name: [share * time for time in found] for name, found in every}

    cases = weak_cases(extents=(4, 8))
    synthetic_record(path, cases, times_ns=times, parts_ns=own)


def _nights(path: Path) -> None:
    """Ten even nights, then three slower ones: one lost a case, one has another kernel."""
    nights(path, EVEN)
    lost = [lost_batch(NIGHT_CASES[0], 4, 90, "failed", "byte 3 differs")]
    night(path, 10, 1.25, more=lost)
    night(path, 11, 1.26, kernel="6.1.9")
    night(path, 12, 1.24, outcome="budget")


def _map(path: Path) -> None:
    map_record(path, {"n3": 1.7} if path.stem == "slow" else {}, sizes=(8,))


# What makes a file, or a folder of files, that a command names.
MADE: dict[str, Callable[[Path], object]] = {
    "unlike.jsonl": _unlike,
    "a.jsonl": _side,
    "b.jsonl": _side,
    "weak.jsonl": _lattices,
    "weaker.jsonl": _lattices,
    "nights": _nights,
    "map.jsonl": _map,
    "slow.jsonl": _map,
    "suite.jsonl": partial(record_of_every_topic, suite="paper"),
    "half.jsonl": partial(synthetic_record, launches=2, finished=False),
    "all.jsonl": collective_record,
    "later.jsonl": collective_record,
    "p.toml": lambda path: price_list(path, fabrics=HALF + FULL),
    "limits.toml": lambda path: path.write_text(LIMITS),
    "once.jsonl": partial(synthetic_record, cases=CASES, launches=1),
    "transports.jsonl": partial(
        synthetic_record,
        cases=make_cases(
            transports=("mpi", "mpi:persistent", "ofi", "ofi:msg", "tcp", "ucx", "ucx:am", "verbs")
        ),
    ),
    "simulated.jsonl": partial(
        synthetic_record,
        cases=CASES,
        simulated=SimulatedPlatform(name="known", kind="model", nodes=2),
    ),
    "monday.jsonl.zst": lambda path: path.write_bytes((DOCS / path.name).read_bytes()),
}


def make_named(commands: list[str], folder: Path) -> None:
    """The files that these commands name, as far as they are not there."""
    for name, make in MADE.items():
        if any(name in one for one in commands) and not (folder / name).exists():
            make(folder / name)


def _uneven_ns(case: Case, launch: int, side: int) -> list[float]:
    """Skewed samples with outliers, unlike in number; a case of the second is another share off."""
    draw = random.Random(f"{case.key}/{launch}/{side}")  # noqa: S311 - noise, no secret
    slower = 1 + side * 0.01 * (sum(map(ord, case.key)) % 31 - 7)
    middle = slower * usual_time_ns(case) * draw.lognormvariate(0, 0.01)
    return [
        middle * (0.97 + draw.lognormvariate(-3.5, 0.8)) * (7 if draw.random() < 0.02 else 1)
        for _ in range(37 + 4 * launch)
    ]


def words_of(typed: str) -> list[str]:
    """A typed command's words, as a shell has them."""
    return [
        name
        for word in shlex.split(typed)
        for name in (sorted(map(str, Path().glob(word))) if "*" in word else [word])
    ]
