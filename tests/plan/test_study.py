"""What a study of scaling is where nobody says."""

import msgspec

from support.builders import pattern
from weft.applications.asked import parse_lattices
from weft.plan.cases import Experiment, Variants
from weft.plan.study import experiments_of_study, is_study, ranks_of_study, transports_of_study

KNOWN = {name: pattern(name) for name in ("milc", "halo", "ping_pong")}
COMPUTES = Variants(
    application=parse_lattices("", "", 1, "60ns", None, overlaps=True),
)


def test_applications_alone_are_a_study() -> None:
    assert is_study([Experiment(tests=("milc", "halo"))], KNOWN)
    assert not is_study([Experiment(tests=("milc", "ping_pong"))], KNOWN)
    assert not is_study([Experiment(tests=("milc", "none_such"))], KNOWN)
    assert not is_study([], KNOWN)


def test_a_study_is_over_mpi_where_that_is() -> None:
    study, other = [Experiment(tests=("milc",))], [Experiment(tests=("ping_pong",))]
    assert transports_of_study(study, KNOWN, ["tcp", "mpi"]) == ("mpi",)
    assert transports_of_study(study, KNOWN, ["tcp"]) == ()
    assert transports_of_study(other, KNOWN, ["tcp", "mpi"]) == ()


def test_ranks_double_up_to_where_there_is_room() -> None:
    milc = Experiment(tests=("milc",))
    assert ranks_of_study(milc, KNOWN, 1) == (1,)
    assert ranks_of_study(milc, KNOWN, 2) == (1, 2)
    assert ranks_of_study(milc, KNOWN, 7) == (1, 2, 4)
    assert ranks_of_study(milc, KNOWN, 256) == (1, 2, 4, 8, 16)


def test_one_rank_that_neither_computes_nor_sends_is_left_out() -> None:
    halo = Experiment(tests=("halo",))
    assert ranks_of_study(halo, KNOWN, 4) == (2, 4)
    assert ranks_of_study(halo, KNOWN, 1) == (2,)
    computing = msgspec.structs.replace(halo, variants=COMPUTES)
    assert ranks_of_study(computing, KNOWN, 4) == (1, 2, 4)
    assert ranks_of_study(Experiment(tests=("halo", "milc")), KNOWN, 4) == (2, 4)
    found = experiments_of_study([halo, Experiment(tests=("milc",))], KNOWN, 2)
    assert [(part.tests, part.ranks) for part in found] == [
        (("halo",), 2),
        (("milc",), 1),
        (("milc",), 2),
    ]
