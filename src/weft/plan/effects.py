"""Which of the typed options change nothing of what will be measured. Pure.

There is no list of which test takes which option. An option has an effect if another value of it
would give other cases, other settings of the transports or other places of ranks; that other value
is all that is said of an option here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import msgspec

from weft.applications.effects import OTHER_VALUES, OtherValue
from weft.errors import WeftError, without_effect
from weft.plan.allocation import Allocation
from weft.plan.case import Case, Schedule
from weft.plan.plan import FEW_RANKS
from weft.plan.request import Request
from weft.units import parse_sizes
from weft.wording import in_a_row

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# How many tests or transports advice names.
MOST_NAMED = 3


class Reached(msgspec.Struct, frozen=True, kw_only=True):
    """What of a request reaches a measurement.

    `places` are the nodes and the ranks on each, of every number of ranks; `file` and `platform`
    are empty where no case uses the data of a file, or how fast a rank computes. `keeps_all` is so
    where it is asked for and ranks are too many to keep all of their values otherwise.
    """

    cases: tuple[Case, ...]
    transports: tuple[str, ...]
    options: dict[str, str]
    places: tuple[object, ...]
    file: str = ""
    platform: str = ""
    keeps_all: bool = False


class _Option(msgspec.Struct, frozen=True, kw_only=True):
    """An option of a plan: the request with another value of it, and what lacks without effect.

    `by` says whether tests or transports use it, or neither; `word` how it was typed, where that is
    not by the parameter's name.
    """

    other: Callable[[Request], Request]
    lack: str
    by: str = "tests"
    fix: str = ""
    word: Callable[[Request], str] = lambda _: ""


def refuse_without_effect(
    request: Request,
    found: Reached,
    reached: Callable[[Request], Reached],
    tests: Sequence[str],
    transports: Sequence[str],
) -> None:
    """Raises WeftError for the first typed option whose other values would change nothing.

    `found` is what the request reaches, and `reached` plans another one; the tests and transports
    are those that advice may name.
    """
    for word, option in _typed(request):
        if _is_other(found, reached, option.other(request)):
            continue
        users = _users(request, reached, option, tests if option.by == "tests" else transports)
        verb = "measure" if option.by == "tests" else "measure over"
        advice = f", or {verb} {in_a_row(users[:MOST_NAMED], 'or')}" if users else option.fix
        raise without_effect(word, _why(request, found, option), f"omit {word}{advice}")


def _typed(request: Request) -> list[tuple[str, _Option]]:
    """The typed options of a plan under the names that were typed; each --option by itself."""
    found = [
        (option.word(request) or f"--{name.replace('_', '-')}", option)
        for name, option in _OPTIONS.items()
        if name in request.typed
    ]
    return found + [(f"--option {name}", _setting(name)) for name in request.options]


def _is_other(found: Reached, reached: Callable[[Request], Reached], other: Request) -> bool:
    try:
        return reached(other) != found
    except WeftError:
        return True  # it is read, for another value of it is wrong


def _users(
    request: Request,
    reached: Callable[[Request], Reached],
    option: _Option,
    names: Sequence[str],
) -> list[str]:
    """Of the names those with which the option would have an effect."""
    users = []
    for name in names if option.by else ():
        if option.by == "tests":
            changed = _in_experiments(request, tests=(name,))
        else:
            changed = msgspec.structs.replace(request, transports=(name,))
        try:
            found = reached(changed)
        except WeftError:
            continue
        if _is_other(found, reached, option.other(changed)):
            users.append(name)
    return users


def _why(request: Request, found: Reached, option: _Option) -> str:
    if not option.by:
        return option.lack
    names = {"tests": [one.test for one in found.cases], "transports": found.transports}[option.by]
    if request.suite and option.by == "tests":
        return f"the suite {request.suite} has no {option.lack}"
    each = list(dict.fromkeys(names))
    return f"{in_a_row(each, 'and')} {'has' if len(each) == 1 else 'have'} no {option.lack}"


def _in_experiments(request: Request, **changed: Any) -> Request:
    return msgspec.structs.replace(
        request,
        experiments=tuple(msgspec.structs.replace(one, **changed) for one in request.experiments),
    )


def _in_variants(**changed: Callable[[Any], Any]) -> Callable[[Request], Request]:
    """Another value of fields of the variants, each from its own."""

    def other(request: Request) -> Request:
        experiments = []
        for one in request.experiments:
            own = one.variants
            new = {name: change(getattr(own, name)) for name, change in changed.items()}
            variants = msgspec.structs.replace(own, **new)
            experiments.append(msgspec.structs.replace(one, variants=variants))
        return msgspec.structs.replace(request, experiments=tuple(experiments))

    return other


def _in_application(value: OtherValue) -> _Option:
    def word(request: Request) -> str:
        words = (value.word(one.variants.application) for one in request.experiments)
        return next(filter(None, words), "")

    return _Option(other=_in_variants(application=value.other), lack=value.lack, word=word)


def _other_sizes(request: Request) -> Request:
    [sizes] = {one.sizes for one in request.experiments}
    return _in_experiments(request, sizes=str(max(parse_sizes(sizes)) + 1))


def _other_ranks(request: Request) -> Request:
    experiments = tuple(
        msgspec.structs.replace(one, ranks=one.ranks + 1) for one in request.experiments
    )
    return msgspec.structs.replace(request, ranks=request.ranks + 1, experiments=experiments)


def _other_placement(request: Request) -> Request:
    # The usual one also says that ranks are on no socket of their node's.
    usual = Allocation().placement
    other = "same-socket" if request.allocation.placement == usual else usual
    allocation = msgspec.structs.replace(request.allocation, placement=other)
    return msgspec.structs.replace(request, allocation=allocation)


def _other_platform(request: Request) -> Request:
    platform = request.platform
    if platform is None:
        return request
    changed = msgspec.structs.replace(platform, xml=platform.xml + " ")
    return msgspec.structs.replace(request, platform=changed)


def _setting(name: str) -> _Option:
    def other(request: Request) -> Request:
        options = {one: value for one, value in request.options.items() if one != name}
        return msgspec.structs.replace(request, options=options)

    return _Option(other=other, by="transports", lack=f"option {name}")


def _next_point(points: tuple[int, ...]) -> tuple[int, ...]:
    return (max(points, default=0) + 1,)


def _next_schedule(schedules: tuple[Schedule, ...]) -> tuple[Schedule, ...]:
    return (Schedule(kind="turn", count=max(one.count for one in schedules) + 1),)


# By the parameters of `weft run` and `weft predict`. Where a test's own reason not to take a value
# is known to the engine alone, the engine says it of the case.
_OPTIONS: Mapping[str, _Option] = {
    "sizes": _Option(other=_other_sizes, lack="messages of a size"),
    "ranks": _Option(other=_other_ranks, lack="test of many ranks"),
    "queue_depth": _Option(
        other=_in_variants(queue_depths=_next_point), lack="queue of messages in flight"
    ),
    "buffers": _Option(other=_in_variants(schedules=_next_schedule), lack="buffers to choose"),
    "pages": _Option(other=_in_variants(pages=lambda _: ("",)), lack="buffers to choose"),
    "wait": _Option(other=_in_variants(waits=lambda _: ("",)), lack="message to wait for"),
    "points": _Option(other=_in_variants(points=_next_point), lack="axis of its own"),
    "single": _Option(
        other=_in_variants(single=lambda value: not value), lack="sample of several operations"
    ),
    **{name: _in_application(value) for name, value in OTHER_VALUES.items()},
    "interface": _Option(
        other=lambda request: msgspec.structs.replace(request, interface=request.interface + "x"),
        by="transports",
        lack="interface to choose beside --device and --option",
    ),
    "device": _Option(
        other=lambda request: msgspec.structs.replace(request, device=request.device + "x"),
        by="transports",
        lack="device to choose beside --option",
    ),
    "placement": _Option(
        other=_other_placement,
        by="",
        lack="every node has one rank, or one node has all",
        fix=", or use --ranks and --nodes that put several ranks on each of several nodes",
    ),
    "keep_all": _Option(
        other=lambda request: msgspec.structs.replace(request, keep_all=not request.keep_all),
        by="",
        lack=f"all is kept of {FEW_RANKS + 1} ranks or fewer",
        fix=f", or use --ranks {FEW_RANKS + 2} or more",
    ),
    "rate": _Option(other=_other_platform, lack="arithmetic that a rate is charged for"),
}
