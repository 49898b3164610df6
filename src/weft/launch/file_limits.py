"""How many files ranks and their starter may have open."""

from __future__ import annotations

import resource

# A starter takes some for each rank, and a rank one for each connection. Not more than that: some
# programs look at each file that they might have.
MOST_FILES = 1 << 16
_SAID = "too many open files"
_FIX = (
    f"the ranks may open too few files for so many: run ulimit -n {MOST_FILES} first, or fewer"
    " --ranks"
)


def allow_many() -> None:
    """As many for this process and what it starts as its hard limit permits, up to MOST_FILES."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_FILES)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def with_fix(reason: str) -> str:
    """A starter's words, and what to type where they say that files ran out."""
    return f"{reason}; {_FIX}" if _SAID in reason.lower() else reason
