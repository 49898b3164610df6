"""Shares of drawn mutants that were noticed: by folder, kept with their seeds, shown in docs."""

from __future__ import annotations

import tomllib
from collections import Counter
from math import sqrt
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from mutants.pages import with_table, write_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mutants.drawn import Drawn

Fate = Literal["noticed", "lived", "equivalent"]
FATES: tuple[Fate, ...] = ("noticed", "lived", "equivalent")
ROOT = Path(__file__).resolve().parents[2]
KEPT = Path(__file__).with_name("judged") / "shares.toml"
PAGE = ROOT / "docs" / "tests-that-notice.md"
BEGIN, END = "<!-- seeds -->\n", "<!-- end of seeds -->\n"
# Those that were drawn last of all folders, and of the engine.
NEWEST = (1859425, 3025662, 6834962, 8505933, 3048827)
NEWEST_OF_ENGINE = (5787493, 7464188, 7963006)
BEGIN_NEWEST, END_NEWEST = "<!-- newest -->\n", "<!-- end of newest -->\n"
# A seed that drew in more folders than these drew of all.
MOST_NAMED = 9
# What is to be noticed of a folder's mutants: where figures are made, and elsewhere.
FIGURES = frozenset(
    ("analysis", "measure", "plan", "record", "fabric", "sim", "topics", "launch",
     "engine/patterns", "engine/run")
)  # fmt: skip
AIM_OF_FIGURES, AIM = 0.9, 0.8


class Share(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What became of the mutants of a folder that a seed drew."""

    folder: str
    seed: int
    noticed: int
    lived: int
    equivalent: int

    @property
    def could(self) -> int:
        """Those that could be noticed."""
        return self.noticed + self.lived


def aim_of(folder: str) -> float:
    """The share that is to be noticed."""
    return AIM_OF_FIGURES if folder in FIGURES else AIM


def shares_of(fates: Mapping[Drawn, Fate], seed: int) -> list[Share]:
    """By folder."""
    counts: dict[str, Counter[Fate]] = {}
    for mutant, fate in fates.items():
        counts.setdefault(mutant.folder, Counter())[fate] += 1
    return [
        Share(folder=name, seed=seed, **{fate: own[fate] for fate in FATES})
        for name, own in sorted(counts.items())
    ]


def kept(path: Path = KEPT) -> list[Share]:
    """Those of earlier draws."""
    return msgspec.convert(tomllib.loads(path.read_text()).get("share", []), list[Share])


def keep(shares: Iterable[Share], path: Path = KEPT) -> None:
    """Put them in the place of what was kept of the same seed and folder."""
    known = {(one.folder, one.seed): one for one in (*kept(path), *shares)}
    write_rows(
        path,
        "share",
        'Written by `make mutants ARGS="--drawn N --seed S --share"`.',
        (one for _, one in sorted(known.items())),
    )


def table_of(shares: Sequence[Share]) -> list[str]:
    """By folder over these seeds: drawn, noticed, lived, equivalent, share, aim, and the seeds."""
    lines = [
        "| folder | drawn | noticed | lived | equivalent | share | aim | seeds |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for folder in sorted({one.folder for one in shares}):
        own = [one for one in shares if one.folder == folder]
        lines.append(_row(folder, own, f"{aim_of(folder):.0%}"))
    return [*lines, _row("all", shares, "")]


def _row(folder: str, shares: Sequence[Share], aim: str) -> str:
    seeds = ", ".join(map(str, sorted({one.seed for one in shares})))
    return f"| {folder} | {' | '.join(_counts(shares))} | {aim} | {seeds} |"


def _counts(shares: Sequence[Share]) -> list[str]:
    noticed, lived = sum(one.noticed for one in shares), sum(one.lived for one in shares)
    alike = sum(one.equivalent for one in shares)
    counts = (noticed + lived + alike, noticed, lived, alike)
    return [*map(str, counts), share_of(noticed, noticed + lived)]


def seeds_of(shares: Sequence[Share]) -> list[str]:
    """A row a seed: of what it drew, and what became of those, in the order of the seeds."""
    lines = [
        "| seed | of | drawn | noticed | lived | equivalent | share |",
        "|---|---|---|---|---|---|---|",
    ]
    for seed in sorted({one.seed for one in shares}):
        own = [one for one in shares if one.seed == seed]
        folders = ", ".join(sorted(one.folder for one in own))
        named = folders if len(own) <= MOST_NAMED else f"{len(own)} folders"
        lines.append(f"| {seed} | {named} | {' | '.join(_counts(own))} |")
    return lines


def ends_of(noticed: int, could: int) -> tuple[float, float]:
    """A share's 95 % interval: Wilson, Probable Inference, JASA 22 (1927), 209-212."""
    z = 1.959964
    share = noticed / could
    middle = share + z * z / (2 * could)
    half = z * sqrt(share * (1 - share) / could + z * z / (4 * could * could))
    low, high = ((middle + sign * half) / (1 + z * z / could) for sign in (-1, 1))
    return low, high


def share_of(noticed: int, could: int) -> str:
    """A share in words, with its interval."""
    if not could:
        return "-"
    low, high = ends_of(noticed, could)
    return f"{noticed / could:.0%} [{low:.0%}, {high:.0%}]"


def missed(shares: Iterable[Share]) -> list[str]:
    """The folders that are surely below their aim."""
    return [
        one.folder
        for one in shares
        if one.could and ends_of(one.noticed, one.could)[1] < aim_of(one.folder)
    ]


def page_with(text: str, shares: Sequence[Share]) -> str:
    """The page of docs with the tables of these: by seed, and by folder of the newest."""
    newest = [one for one in shares if one.seed in (*NEWEST, *NEWEST_OF_ENGINE)]
    found = with_table(text, BEGIN, END, seeds_of(shares))
    return with_table(found, BEGIN_NEWEST, END_NEWEST, table_of(newest))
