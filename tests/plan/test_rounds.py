"""Rounds of all pairs: the properties of a tournament, and the engine's own pairs."""

import pytest

from weft.plan.rounds import FEWEST_ROUNDS, MOST_ROUNDS, partners_in, rounds_of, usual_rounds


@pytest.mark.parametrize("ranks", [2, 3, 4, 7, 8, 16, 33])
@pytest.mark.parametrize("tournament", [0, 1, 5])
def test_every_pair_meets_once_in_a_tournament(ranks: int, tournament: int) -> None:
    rounds = rounds_of(ranks)
    assert rounds == (ranks if ranks % 2 else ranks - 1)
    met = set()
    for turn in range(rounds):
        partners = partners_in(tournament * rounds + turn, ranks)
        assert sum(partner == ranks for partner in partners) == ranks % 2
        for rank, partner in enumerate(partners):
            if partner < ranks:
                assert partners[partner] == rank
                met.add((rank, partner))
    assert len(met) == ranks * (ranks - 1)


def test_the_pairs_are_those_of_the_engine() -> None:
    """engine/tests/pair_rounds_test.cpp has the same."""
    assert partners_in(0, 7) == (6, 5, 7, 4, 3, 1, 0)
    assert partners_in(9, 7) == (6, 2, 1, 7, 5, 4, 0)
    assert partners_in(4, 6) == (1, 0, 5, 4, 3, 2)


def test_a_second_tournament_has_the_pairs_in_other_company() -> None:
    first = {frozenset(enumerate(partners_in(at, 16))) for at in range(15)}
    second = {frozenset(enumerate(partners_in(15 + at, 16))) for at in range(15)}
    assert not first & second


def test_few_ranks_meet_several_times_and_many_ranks_not_all() -> None:
    assert usual_rounds(4) == FEWEST_ROUNDS
    assert usual_rounds(16) == 30
    assert usual_rounds(64) == 63
    assert usual_rounds(1024) == MOST_ROUNDS
