"""Rounds of all pairs: the properties of a tournament, and the engine's own pairs."""

import pytest

from weft.plan.rounds import (
    FEWEST_ROUNDS,
    MOST_ROUNDS,
    begins_in,
    partners_in,
    rounds_of,
    turns_of,
    usual_rounds,
)


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


def test_who_begins_is_drawn_as_the_engine_does() -> None:
    """engine/tests/pair_rounds_test.cpp has the same."""
    asked = ((0, 0, 6), (0, 1, 5), (3, 2, 7), (9, 4, 5), (9, 5, 4), (130, 300, 2), (64, 17, 900))
    drawn = [begins_in(*one) for one in (*asked, (5, 8, 3))]
    assert drawn == [True, True, False, True, False, True, False, True]
    # Neither lower ranks nor higher ones send all at once.
    for rank in (1, 63):
        others = [partner for partner in range(1, 64) if partner != rank]
        begun = sum(begins_in(point, rank, other) for point in range(100) for other in others)
        assert begun == pytest.approx(50 * len(others), rel=0.05)


def test_pairs_take_turns_where_fewer_run_at_once() -> None:
    assert [turns_of(9, at_once) for at_once in (0, 1, 2, 3, 4, 9)] == [1, 4, 2, 2, 1, 1]
