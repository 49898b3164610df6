"""The launchers there are, the one to be preferred first. This is the only list of them."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from weft.errors import WeftError
from weft.launch.local import LocalLauncher

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.launch.launcher import Launcher, Place

LAUNCHERS: tuple[Launcher, ...] = (LocalLauncher(),)


def choose_launcher(
    asked: str, place: Place, launchers: Sequence[Launcher] = LAUNCHERS
) -> Launcher:
    """The launcher of a name, or without one the first that can start ranks there.

    Raises WeftError where there is none.
    """
    known = {launcher.name: launcher for launcher in launchers}
    plain = asked.strip().lower()
    if plain and plain not in known:
        near = difflib.get_close_matches(plain, known, n=1)
        fix = f"did you mean {near[0]}?" if near else f"type one of {', '.join(known)}"
        raise WeftError(f"there is no launcher called {asked}", fix)
    tried = [known[plain]] if plain else list(launchers)
    for launcher in tried:
        if not launcher.refuses(place):
            return launcher
    reasons = "; ".join(f"{one.name}: {one.refuses(place)}" for one in tried)
    others = ", ".join(name for name in known if name != plain)
    raise WeftError(
        f"ranks cannot be started there ({reasons})",
        f"choose another launcher: --launcher {others}" if others else "type weft run without it",
    )
