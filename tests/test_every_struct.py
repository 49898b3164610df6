"""Every struct of weft is a value: nothing changes it after it is made."""

import importlib
import pkgutil
from collections.abc import Iterator

import msgspec

import weft

# What another program said is read, taken apart at once and kept nowhere.
CHANGING = {"_Inspected", "_Said", "_Refused", "_Description"}


def structs() -> Iterator[type[msgspec.Struct]]:
    for one in pkgutil.walk_packages(weft.__path__, "weft."):
        if one.name.endswith("__main__"):
            continue
        module = importlib.import_module(one.name)
        for kind in vars(module).values():
            is_struct = isinstance(kind, type) and issubclass(kind, msgspec.Struct)
            if is_struct and kind.__module__ == one.name and kind.__struct_fields__:
                yield kind


def test_no_struct_is_changed_once_it_is_made() -> None:
    found = {kind.__name__ for kind in structs() if not kind.__struct_config__.frozen}
    assert found == CHANGING
