"""The launchers there are, the one to be preferred first. This is the only list of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.errors import WeftError
from weft.launch.by_command import CommandLauncher
from weft.launch.local import LocalLauncher
from weft.launch.mpirun import MpirunLauncher
from weft.launch.sim import SimLauncher
from weft.launch.slurm import SlurmLauncher
from weft.names import choose

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.launch.launcher import Launcher
    from weft.plan.allocation import Allocation
    from weft.plan.simulated import SimulatedPlatform

LAUNCHERS: tuple[Launcher, ...] = (
    SlurmLauncher(), MpirunLauncher(), LocalLauncher(), CommandLauncher()
)  # fmt: skip


def launchers_of(
    platform: SimulatedPlatform | None, launchers: Sequence[Launcher] = LAUNCHERS
) -> Sequence[Launcher]:
    """Those for real hosts, or for a simulated platform the only one that there is.

    Raises WeftError where the simulator's program is missing.
    """
    return (SimLauncher(platform),) if platform else launchers


def choose_launcher(
    asked: str, allocation: Allocation, launchers: Sequence[Launcher] = LAUNCHERS
) -> Launcher:
    """The launcher of a name, or without one the first that can start ranks there.

    Raises WeftError where there is none.
    """
    known = {launcher.name: launcher for launcher in launchers}
    named = choose("launcher", [asked] if asked else [], tuple(known))
    tried = [known[name] for name in named] or list(launchers)
    for launcher in tried:
        if not launcher.refuses(allocation):
            return launcher
    reasons = "; ".join(f"{one.name}: {one.refuses(allocation)}" for one in tried)
    others = ", ".join(name for name in known if name not in named)
    fix = f"choose another launcher: --launcher {others}" if named and others else ""
    raise WeftError(f"ranks cannot be started there ({reasons})", fix or "name other hosts")
