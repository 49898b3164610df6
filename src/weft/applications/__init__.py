"""Applications: tests whose cases have options, content and answers that only they understand.

Each is an entry, found by its name. A plan, a record, a measurement and a launch keep the options
as they are, and ask here for the little that they need: the longest message, the lanes, the sites,
the words of a case and its line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from weft.applications.asked import ApplicationsAsked
from weft.applications.info import ON_LATTICES
from weft.applications.interface import KIND, ApplicationCase, ApplicationInterface
from weft.applications.on_lattices import OnLattices
from weft.errors import WeftError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weft.applications.files import ApplicationFile
    from weft.applications.info import ApplicationInfo

# The only list of them.
ENTRIES: tuple[ApplicationInterface, ...] = (OnLattices(),)


def application_called(name: str) -> ApplicationInterface:
    """The entry of a name. Raises WeftError where there is none."""
    for entry in ENTRIES:
        if entry.name == name:
            return entry
    raise WeftError(
        f"this weft has no application {name}", "install the weft that the record or engine is of"
    )


def case_of(options: Mapping[str, Any]) -> ApplicationCase:
    """The case with these options, as its application has it.

    Raises msgspec.ValidationError for what are no options of it, WeftError for an unknown one.
    """
    return application_called(str(options.get(KIND, ON_LATTICES))).case_of(options)


def completed(options: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """The options of an older record with those that came later, as usual; None where none are."""
    return None if options is None else case_of(options).options


def options_of(
    asked: ApplicationsAsked, info: ApplicationInfo
) -> tuple[dict[str, Any] | None, ...]:
    """Those of each case of an application; one None of other tests. Raises WeftError.

    What the application does not know has its default: without computing there is nothing to
    overlap.
    """
    return application_called(info.entry).options_of(asked, info) if info.is_there else (None,)


def asked_of(options: Mapping[str, Any] | None) -> ApplicationsAsked:
    """As a case with these options was asked for; None are those of no application."""
    if options is None:
        return ApplicationsAsked()
    return application_called(str(options.get(KIND, ON_LATTICES))).asked_of(options)


def words_of(
    asked: ApplicationsAsked, info: ApplicationInfo, file: ApplicationFile | None
) -> tuple[str, ...]:
    """What to type for it; none for a test that is no application."""
    return application_called(info.entry).words_of(asked, info, file) if info.is_there else ()
