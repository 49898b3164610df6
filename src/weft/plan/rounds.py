"""Rounds of all pairs, as the engine plays them (engine/patterns/pair_rounds.hpp). Pure.

The circle method: one place stays and the others rotate, so that N ranks meet in N-1 rounds of
perfect matchings for even N; for odd N in N rounds, in each of which one rank stands by. Ranks sit
at places that are drawn anew for each tournament, so that the pairs of a second tournament run in
other company: a pair's own effect and that of its round are separate.
"""

from __future__ import annotations

from functools import lru_cache

from weft.plan.cases import SEED

# Fewer rounds do not tell a slow node from chance, so few ranks meet again in other company.
FEWEST_ROUNDS = 24
# Up to so many ranks every pair meets; of more these rounds tell a slow node, not a slow pair.
MOST_ROUNDS = 64
_MASK = (1 << 64) - 1
_GOLDEN = 0x9E3779B97F4A7C15


def rounds_of(ranks: int) -> int:
    """How many rounds a tournament of so many ranks has."""
    return ranks - 1 + ranks % 2


def tournament_of(point: int, ranks: int) -> int:
    """To which tournament a round belongs: after the rounds of one every pair has met once."""
    return point // rounds_of(ranks)


def usual_rounds(ranks: int) -> int:
    """How many rounds are measured where nobody says: whole tournaments of few ranks."""
    tournament = rounds_of(ranks)
    return min(tournament * -(-FEWEST_ROUNDS // tournament), MOST_ROUNDS)


def drawn_rounds(ranks: int, rounds: int, seed: int) -> tuple[int, ...]:
    """So many rounds, in their order: of the tournaments that a seed draws, of SEED the first.

    The engine mixes a round's number into 64 bits behind 40 of others, so it has at most 24.
    """
    tournament = rounds_of(ranks)
    each = -(-rounds // tournament)
    first = (seed - SEED) * each % max(1, (1 << 24) // tournament - each) * tournament
    return tuple(range(first, first + rounds))


def turns_of(ranks: int, at_once: int) -> int:
    """How many pairs of a round run one after the other where so many run at once; 0: all."""
    return -(-(ranks // 2) // at_once) if at_once else 1


def partners_in(point: int, ranks: int) -> tuple[int, ...]:
    """The partner of each rank in a round; of the one that stands by the number of ranks.

    Rounds are counted through all tournaments: `point` modulo rounds_of(ranks) is the turn.
    """
    rounds = rounds_of(ranks)
    seats = _seats(point // rounds, rounds + 1)
    turn = point % rounds
    partners = [ranks] * (rounds + 1)
    for place in range(rounds):
        other = (2 * turn - place) % rounds
        partners[seats[place]] = seats[rounds if other == place else other]
    partners[seats[rounds]] = seats[turn]
    return tuple(partners[:ranks])


def begins_in(point: int, rank: int, partner: int) -> bool:
    """Whether a rank sends before its partner in a round: drawn, but rank 0 always does."""
    low, high = min(rank, partner), max(rank, partner)
    drawn = _mixed((_GOLDEN + (point << 40) + (low << 20) + high) & _MASK)
    return (low == 0 or drawn % 2 == 0) == (rank < partner)


def _mixed(drawn: int) -> int:
    """As SplitMix64 makes a number of its state."""
    drawn = ((drawn ^ drawn >> 30) * 0xBF58476D1CE4E5B9) & _MASK
    drawn = ((drawn ^ drawn >> 27) * 0x94D049BB133111EB) & _MASK
    return drawn ^ drawn >> 31


@lru_cache(maxsize=8)
def _seats(tournament: int, places: int) -> tuple[int, ...]:
    """The rank at each place: SplitMix64 (Steele, Lea, Flood 2014), Fisher and Yates' shuffle."""
    seats = list(range(places))
    state = tournament
    for left in range(places, 1, -1):
        state = (state + _GOLDEN) & _MASK
        at = _mixed(state) % left
        seats[left - 1], seats[at] = seats[at], seats[left - 1]
    return tuple(seats)
