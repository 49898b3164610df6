"""A search for a large tree computes once what it asks again and again."""

from __future__ import annotations

from fractions import Fraction

from weft.fabric.fat_tree import TreeAsked, build_fat_tree
from weft.fabric.tree_search import _within_leaves, _within_pods, ports_down


def test_what_a_search_asks_again_and_again_is_computed_once() -> None:
    """A tree of 30,000 nodes took seconds, and with a bisection minutes, of the same answers."""
    ports_down.cache_clear()
    halves = (Fraction(2), Fraction(2))
    build_fat_tree(TreeAsked(nodes=10_000, radixes=(64, 64, 64), blocking=halves))
    assert ports_down.cache_info().misses < 10
    assert ports_down.cache_info().hits > 100
    for kept in (_within_pods, _within_leaves):
        kept.cache_clear()
    build_fat_tree(TreeAsked(nodes=1_000, radixes=(24, 24, 24), bisection_cables=250))
    for kept in (_within_pods, _within_leaves):
        assert kept.cache_info().hits > kept.cache_info().misses
