"""Every struct of weft is a value: nothing changes it, and its fields are named where it is made.

Exceptions stand here; one that is no longer needed fails the test. What a field is that nobody
names is approved (tests/approved/usual.txt), as in tests/test_approved_outputs.py.
"""

import importlib
import pkgutil
from collections.abc import Iterator

import msgspec
import pytest

import weft
from support.approved import held

# What another program said is read, taken apart at once and kept nowhere.
CHANGING = {"_Inspected", "_Said", "_Refused", "_Description"}
# Of few fields whose order is the usual one: a point's, an end's of a cable, a row's of a table.
IN_ORDER = {
    "BisectionNeeds", "BlockingNeeds", "Bundle", "Cause", "ChartAxis", "Cuts", "End",
    "FabricSwitch", "Paces", "PaperPoint", "Piece", "Place", "Plug", "PriceRow", "PublishedPoint",
    "SizeCurve", "Trunk", "_File", "_Kind", "_Saved", "_Within",
}  # fmt: skip


def structs() -> Iterator[type[msgspec.Struct]]:
    for one in pkgutil.walk_packages(weft.__path__, "weft."):
        if one.name.endswith("__main__"):
            continue
        module = importlib.import_module(one.name)
        for kind in vars(module).values():
            is_struct = isinstance(kind, type) and issubclass(kind, msgspec.Struct)
            if is_struct and kind.__module__ == one.name and kind.__struct_fields__:
                yield kind


def takes_order(kind: type[msgspec.Struct]) -> bool:
    """Whether a value in its place is taken for a field's."""
    try:
        kind(*[None] * len(kind.__struct_fields__))
    except TypeError as refusal:
        return "Extra positional" not in str(refusal)
    return True


def test_no_struct_is_changed_once_it_is_made() -> None:
    found = {kind.__name__ for kind in structs() if not kind.__struct_config__.frozen}
    assert found == CHANGING


def test_fields_are_given_by_name() -> None:
    found = {kind.__name__ for kind in structs() if takes_order(kind)}
    assert found == IN_ORDER | CHANGING


def usual_values() -> Iterator[str]:
    """Of the fields that are neither nothing, empty nor zero where nobody names them."""
    for kind in structs():
        defaults = kind.__struct_defaults__
        names = kind.__struct_fields__[len(kind.__struct_fields__) - len(defaults) :]
        for name, default in zip(names, defaults, strict=True):
            value = default.factory() if hasattr(default, "factory") else default
            if value and value is not msgspec.NODEFAULT and not callable(value):
                yield f"{kind.__module__}.{kind.__name__}.{name} = {value!r}"


def test_what_nobody_names_is_what_was_approved() -> None:
    """A wrong one would be in every record, plan and request that leaves it out."""
    differs = held("usual", "".join(f"{line}\n" for line in usual_values()))
    assert not differs, "\n".join(differs)


def test_a_struct_without_either_is_seen() -> None:
    class Changing(msgspec.Struct):
        field: int

    assert takes_order(Changing)
    assert not Changing.__struct_config__.frozen
    with pytest.raises(TypeError):
        msgspec.defstruct("Named", [("field", int)], kw_only=True)(1)
