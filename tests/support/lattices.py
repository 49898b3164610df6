"""The lattice of a test's case."""

from weft.applications.lattice import Lattice
from weft.plan.case import Case


def lattice_of(case: Case) -> Lattice:
    """As its application has it."""
    assert case.application is not None
    return Lattice.of(case.application)
