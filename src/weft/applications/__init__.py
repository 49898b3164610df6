"""Applications: tests whose cases have options, content and answers that only they understand.

A plan, a record, a measurement and a launch keep these as they are, and ask here for the little
that they need: the longest message, the lanes, the sites, the words of a case and its line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from weft.applications.lattice import Lattice

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weft.applications.files import ApplicationFile


class ApplicationCase(Protocol):
    """What a case of an application says of its options to those who do not understand them."""

    @property
    def words(self) -> str:
        """All that distinguishes the options from others, for the name of a case."""

    @property
    def lanes(self) -> int:
        """To how many neighbours a rank sends at most."""
        ...

    @property
    def size_option(self) -> str:
        """The option of the command line that makes cases smaller."""

    @property
    def smaller(self) -> str:
        """What to type where a case does not fit the memory."""

    def message_bytes(self, site_bytes: int) -> int:
        """The longest message at most, where a site of it has so many bytes."""
        ...

    def sites_of_rank(self, ranks: int) -> float:
        """The parts of which a rank's work and memory consist, on each of so many ranks."""
        ...

    def line(self, file: ApplicationFile | None) -> dict[str, Any]:
        """The fields of the engine's line of a case; `file` is what the run's cases are made of."""
        ...


def case_of(options: Mapping[str, Any]) -> ApplicationCase:
    """The case with these options; every application of today is on a lattice.

    Raises msgspec.ValidationError for what are no options of an application.
    """
    return Lattice.of(options)


def completed(options: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """The options of an older record with those that came later, as usual; None where none are."""
    return None if options is None else Lattice.of(options).options
