"""The pages that messages really had, by the kernel's own list. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.units import format_bytes

if TYPE_CHECKING:
    from weft.record.run import Run


def huge_pages_in_words(run: Run) -> tuple[str, ...]:
    """One sentence where cases that chose no pages had huge ones; nothing where none had.

    A case counts with the share of its batches' memory (rank 0's). Records of before the engine
    told what unasked memory got say nothing of it: their `memory_bytes` is 0.
    """
    memory: dict[str, int] = {}
    huge: dict[str, int] = {}
    for batch in run.measured:
        if run.cases[batch.case].pages:
            continue
        memory[batch.case] = memory.get(batch.case, 0) + batch.memory_bytes
        huge[batch.case] = huge.get(batch.case, 0) + batch.huge_bytes
    having = sorted((name for name in huge if huge[name] > 0), key=lambda n: run.cases[n].bytes)
    if not having:
        return ()
    wholly = sum(huge[name] >= memory[name] for name in having)
    smallest = format_bytes(run.cases[having[0]].bytes)
    said = (
        f"pages: unasked, the kernel gave huge pages to {len(having)} of {len(huge)} cases"
        f" (to all of the memory of {wholly}), from {smallest} on; --pages small,huge tells what"
        " they change"
    )
    return (said,)
