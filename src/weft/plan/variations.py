"""Settings that a run measures beside each other, a launch of each in every round. Pure.

`--vary ucx.rendezvous=8192,65536` makes two transports of ucx, each with a setting of its own:
"ucx:rendezvous=8192" and "ucx:rendezvous=65536". From there on they are transports like all others.
"""

from __future__ import annotations

import re
from itertools import product
from typing import TYPE_CHECKING

import msgspec

from weft.errors import WeftError
from weft.wording import in_a_row, verb_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MPI = "mpi"
_OF_ENVIRONMENT = "env:"
_FORM = re.compile(r"(mpi|env:[A-Za-z_][A-Za-z0-9_]*|[a-z_]+\.[a-z_]+)=(.+)")
_FORMS = "--vary TRANSPORT.OPTION=A,B, --vary mpi=openmpi,mpich or --vary env:NAME=A,B"
# Which transport a variable steers, by how it begins.
_STEERED = {"OMPI_": "mpi", "MPICH_": "mpi", "MPIR_": "mpi", "UCX_": "ucx", "FI_": "ofi"}
# What Open MPI goes over, a list of its ways; behind a caret, of those that it does not.
_WAYS = f"{_OF_ENVIRONMENT}OMPI_MCA_btl"
MOST = 16


class Variation(msgspec.Struct, frozen=True, kw_only=True):
    """A transport with settings of its own; an empty `mpi` is that of the run."""

    of: str
    mpi: str = ""
    options: dict[str, str] = {}
    environment: dict[str, str] = {}

    @property
    def words(self) -> str:
        """What differs: "rendezvous=8192", "mpich", "OMPI_MCA_btl=tcp"; several with plus signs."""
        options = (f"{name.partition('.')[2]}={value}" for name, value in self.options.items())
        variables = (f"{name}={value}" for name, value in self.environment.items())
        return "+".join(filter(None, (self.mpi, *options, *variables)))

    @property
    def label(self) -> str:
        """The name of the transport that it is, in which nothing parts it from other names."""
        return f"{self.of}:{re.sub('[/@ ]', '_', self.words).replace(',', '+')}"

    @property
    def typed(self) -> tuple[str, ...]:
        """What a command has for these settings alone."""
        named = {
            **({MPI: self.mpi} if self.mpi else {}),
            **self.options,
            **{f"{_OF_ENVIRONMENT}{name}": value for name, value in self.environment.items()},
        }
        # A value that ends in a bar is one value, whatever commas it has.
        varied = (
            ("--vary", f"{name}={value}|" if "," in value else f"{name}={value}")
            for name, value in named.items()
        )
        return ("--transport", self.of, *(word for pair in varied for word in pair))


def parse_vary(given: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The values of each setting as typed: with commas between, or bars where values have commas.

    Raises WeftError for another form, a setting that is named twice and a value that comes twice.
    """
    found: dict[str, tuple[str, ...]] = {}
    for word in given:
        match = _FORM.fullmatch(word)
        if not match:
            raise WeftError(f"'{word}' is not a setting to vary", f"use {_FORMS}")
        name, text = match[1], match[2]
        parts = text.split("|" if "|" in text else ",")
        # A blank behind a comma is no part of the value.
        values = [one.strip() for one in parts if one.strip()]
        if name in found:
            raise WeftError(f"{name} is varied twice", f"use --vary {name}= once, with all values")
        if len(set(values)) < len(values) or not values:
            raise WeftError(f"--vary {name} has a value twice, or none", f"use {_FORMS}")
        found[name] = tuple(values)
    return found


def variations_of(
    varied: Mapping[str, tuple[str, ...]], transports: Sequence[str]
) -> dict[str, Variation]:
    """Every combination of the values on each transport that they are of, by its label.

    Without transports the one that a setting is of. Raises WeftError for a setting of none of them,
    for one that fits none, and for too many.
    """
    named = tuple(transports) or tuple(dict.fromkeys(_transport_of(name) for name in varied))
    found: dict[str, Variation] = {}
    reached: set[str] = set()
    for of in named:
        own = [name for name in varied if _is_of(name, of)]
        reached.update(own)
        for values in product(*(varied[name] for name in own)) if own else ():
            one = _variation(of, dict(zip(own, values, strict=True)))
            found[one.label] = one
    for name in varied:
        if name not in reached:
            family = name.partition(".")[0]
            raise WeftError(
                f"{in_a_row(named, 'and')} {verb_of(len(named), 'have')} no setting {name}",
                f"add --transport {family}",
            )
    if len(found) > MOST:
        raise WeftError(
            f"{len(found)} combinations of settings are too many", f"vary {MOST} or fewer at once"
        )
    return found


def names_of(variations: Mapping[str, Variation], transports: Sequence[str]) -> tuple[str, ...]:
    """The transports of a run: each varied one in all its variations, the others as they are."""
    varied: dict[str, list[str]] = {}
    for label, one in variations.items():
        varied.setdefault(one.of, []).append(label)
    others = [name for name in transports if name not in varied]
    return (*(label for own in varied.values() for label in own), *others)


def _variation(of: str, chosen: Mapping[str, str]) -> Variation:
    return Variation(
        of=of,
        mpi=chosen.get(MPI, ""),
        options={name: value for name, value in chosen.items() if "." in name},
        environment={
            name.removeprefix(_OF_ENVIRONMENT): _with_self(name, value)
            for name, value in chosen.items()
            if name.startswith(_OF_ENVIRONMENT)
        },
    )


def _with_self(name: str, value: str) -> str:
    """A list of Open MPI's ways with the one to a process itself: without it none starts."""
    lacks = not value.startswith("^") and "self" not in value.split(",")
    return f"self,{value}" if name == _WAYS and lacks else value


def _is_of(name: str, transport: str) -> bool:
    """Whether a setting reaches a transport: an MPI starts all, a variable may steer any."""
    if name == MPI or name.startswith(_OF_ENVIRONMENT):
        return True
    return name.partition(".")[0] == transport.partition(":")[0]


def _transport_of(name: str) -> str:
    if not name.startswith(_OF_ENVIRONMENT):
        return name.partition(".")[0]
    variable = name.removeprefix(_OF_ENVIRONMENT)
    for begin, transport in _STEERED.items():
        if variable.startswith(begin):
            return transport
    raise WeftError(
        f"which transport {variable} steers is not known", "add --transport NAME, such as mpi"
    )
