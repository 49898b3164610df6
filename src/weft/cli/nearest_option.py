"""The option that somebody meant who typed another program's, or a misspelt one."""

from __future__ import annotations

import difflib
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# Options of mpirun, srun, OMB, IMB, perftest and ucx_perftest by the names of weft's parameters.
_OF_OTHERS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "ranks": ("--np", "--ntasks", "--processes", "-npmin"),
        "nodes": ("--nnodes",),
        "ranks_per_node": ("--ppn", "-ppn", "--npernode", "--ntasks-per-node", "--tasks-per-node"),
        "hosts": ("-H", "--host", "-host", "--hostlist", "--hosts-list"),
        "hostfile": ("-f", "--machinefile", "-machinefile", "--host-file"),
        "nodelist": ("-w",),
        "exclude": ("-x",),
        "partition": ("-p",),
        "account": ("-A",),
        "constraint": ("-C",),
        "transport": ("-t", "--tl", "--provider"),
        "sizes": ("-m", "-s", "--message-size", "--msg-size", "--msglen", "-msglen", "--bytes"),
        "samples": ("-i", "--iterations", "--iters", "--repetitions", "--iter"),
        "queue_depth": ("-W", "-q", "--window", "--window-size", "-window_size", "--depth"),
        "device": ("-d", "--ib-dev", "--dev"),
        "budget": ("-D", "--duration", "--max-time"),
        "again": ("--repeat",),
        "tolerance": ("--threshold",),
    }
)


def option_meant(typed: str, params: Iterable[Any]) -> str:
    """The option of these parameters that was meant; empty if none is near."""
    options = {
        one.name: str(max(one.opts, key=len)) for one in params if one.param_type_name == "option"
    }
    for name, others in _OF_OTHERS.items():
        if typed in others and name in options:
            return options[name]
    if not typed.startswith("--"):
        return ""
    return next(iter(difflib.get_close_matches(typed, options.values(), n=1, cutoff=0.75)), "")
