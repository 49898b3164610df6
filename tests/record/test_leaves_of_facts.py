"""Leaves of nested facts are named by their way there."""

from __future__ import annotations

from weft.record.frames import leaves_of


def test_each_leaf_has_the_names_above_it_and_a_list_is_its_json() -> None:
    facts = {"cpu": {"model": "a", "caches": {"l1_bytes": 32}}, "hugepages": [1, "b"], "kernel": 6}
    assert list(leaves_of(facts)) == [
        ("cpu_model", "a"),
        ("cpu_caches_l1_bytes", 32),
        ("hugepages", '[1,"b"]'),
        ("kernel", 6),
    ]
