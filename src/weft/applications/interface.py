"""What an application is to those who do not understand it: an entry, and a case of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weft.applications.asked import ApplicationsAsked
    from weft.applications.files import ApplicationFile
    from weft.applications.info import ApplicationInfo

# Which application's a case's options are, among them; those on a lattice do not say it.
KIND: Final = "kind"


class ApplicationCase(Protocol):
    """What a case of an application says of its options to those who do not understand them."""

    @property
    def options(self) -> dict[str, Any]:
        """As a case and its record have them; those that came later as usual."""

    @property
    def words(self) -> str:
        """All that distinguishes the options from others, for the name of a case."""

    @property
    def older_words(self) -> str:
        """The same as records of before had them, where they differ."""

    @property
    def shape(self) -> str:
        """What is computed on, as a table has it: "8^4"."""

    @property
    def is_global(self) -> bool:
        """Whether the shape is that of all ranks together, and not of each of them."""
        ...

    @property
    def of_any_shape(self) -> dict[str, Any]:
        """The options but for the shape: what the curves of one figure share."""

    @property
    def lanes(self) -> int:
        """To how many neighbours a rank sends at most."""
        ...

    @property
    def threads(self) -> int:
        """The number of threads that each rank computes with."""
        ...

    @property
    def size_option(self) -> str:
        """The option of the command line that makes cases smaller."""

    @property
    def smaller(self) -> str:
        """What to type where a case does not fit the memory."""

    def words_beyond(self, info: ApplicationInfo) -> str:
        """What differs from the application's usual, but for the shape."""

    def message_bytes(self, site_bytes: int) -> int:
        """The longest message at most, where a site of it has so many bytes."""
        ...

    def least_message_bytes(self, site_bytes: int) -> int:
        """The shortest message; 0 where that is not known, or some have no such size."""
        ...

    def sites_of_rank(self, ranks: int) -> float:
        """The parts of which a rank's work and memory consist, on each of so many ranks."""
        ...

    def moved_bytes_per_site(self, info: ApplicationInfo, site_bytes: int) -> float:
        """In an iteration, to and from memory."""
        ...

    def set_bytes_per_site(self, info: ApplicationInfo, site_bytes: int) -> float:
        """What a site keeps over iterations."""
        ...

    def line(self, file: ApplicationFile | None) -> dict[str, Any]:
        """The fields of the engine's line of a case; `file` is what the run's cases are made of."""
        ...


class ApplicationInterface(Protocol):
    """An entry of weft.applications: from what was asked to the options of cases, and back."""

    @property
    def name(self) -> str:
        """As the engine's description and a case's options name it."""

    def case_of(self, options: Mapping[str, Any]) -> ApplicationCase:
        """The case with these options. Raises msgspec.ValidationError for others."""
        ...

    def options_of(
        self, asked: ApplicationsAsked, info: ApplicationInfo
    ) -> tuple[dict[str, Any], ...]:
        """Those of each case that was asked for; `info` says what is usual. Raises WeftError."""
        ...

    def asked_of(self, options: Mapping[str, Any]) -> ApplicationsAsked:
        """As a case with these options was asked for."""
        ...

    def words_of(
        self, asked: ApplicationsAsked, info: ApplicationInfo, file: ApplicationFile | None
    ) -> tuple[str, ...]:
        """What to type for it; of a file, its name in place of its lattice."""
        ...
