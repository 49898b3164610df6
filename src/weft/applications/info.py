"""What an application says of itself, as the engine describes it and the record keeps it."""

from __future__ import annotations

from typing import Final

import msgspec

# How the engine's description, and so a record, calls an application's.
RECORDED_AS: Final = "lattice"
# The entry of applications whose engine names none: a lattice is all that they have.
ON_LATTICES: Final = "lattice"


class ApplicationOption(msgspec.Struct, frozen=True, kw_only=True):
    """A number from `least` to `most`, a multiple of `step` where there is one; or a text.

    Each unit of it has a site move so many bytes in an iteration, and keep so many.
    """

    name: str
    summary: str = ""
    is_text: bool = False
    usual: float = 0.0
    least: float = 0.0
    most: float = 0.0
    step: float = 0.0
    moved_bytes_per_site: int = 0
    set_bytes_per_site: int = 0


class ApplicationInfo(msgspec.Struct, frozen=True, kw_only=True):
    """What an application says of its lattice (LatticeInfo in engine/); no dimensions: it has none.

    `kind` names its entry in weft.applications, empty where it is on a lattice. `extents` are the
    usual ones of a rank as --extents takes them, `bytes` the usual --sizes.
    A rank's extents are at least `least_extent` and `multiple` divides them. `sums` are usual
    sums over ranks in an iteration. A site costs so much arithmetic in an iteration, moves so many
    bytes to and from memory, and keeps so many (the working set); 0 where it has none. They are
    for the first of `bytes` and grow with it. `rest` is what an iteration does beside its parts,
    `options` are what it can be given beside the lattice, `answers` the names of what it finds out.
    """

    kind: str = ""
    dimensions: int = 0
    extents: str = ""
    bytes: str = ""
    least_extent: int = 1
    multiple: int = 1
    sums: int = 0
    flops_per_site: int = 0
    moved_bytes_per_site: int = 0
    set_bytes_per_site: int = 0
    rest: str = "other"
    options: tuple[ApplicationOption, ...] = ()
    answers: tuple[str, ...] = ()

    @property
    def is_there(self) -> bool:
        """Whether the test is an application at all."""
        return bool(self.kind) or self.dimensions > 0

    @property
    def entry(self) -> str:
        """The name of its entry in weft.applications."""
        return self.kind or ON_LATTICES

    @property
    def computes(self) -> bool:
        """Whether it does arithmetic of its own."""
        return self.flops_per_site > 0

    @property
    def keeps_data(self) -> bool:
        """Whether it makes data of its own before it begins."""
        return self.set_bytes_per_site > 0

    @property
    def file_option(self) -> str:
        """The option that names a file with its data; empty where it takes none."""
        return "gauge" if self.takes("gauge") else ""

    def takes(self, option: str) -> bool:
        """Whether the application has an option of that name."""
        return any(one.name == option for one in self.options)


# Of the one application with options, whose first engines did not say it takes them.
_OPTIONS = (
    ApplicationOption(
        name="long_links", usual=18, least=12, most=18, step=6,
        moved_bytes_per_site=32, set_bytes_per_site=16,
    ),
    ApplicationOption(name="mass", usual=0.1, least=0.001, most=10),
    ApplicationOption(name="u0", usual=1, least=0.1, most=10),
    ApplicationOption(name="gauge", is_text=True),
    ApplicationOption(name="gauge_checksums", is_text=True),
)  # fmt: skip


def as_measured(test: str, info: ApplicationInfo) -> ApplicationInfo:
    """The application with what its engine did not say of it; as it is where the engine said it."""
    if test != "milc" or info.options:
        return info
    return msgspec.structs.replace(info, rest="fields", options=_OPTIONS)
