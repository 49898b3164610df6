"""A published platform on the terminal: labels stay whole and dim, words wrap beside them."""

import io

from rich.console import Console

from weft.report.published import _pairs


def drawn(width: int) -> tuple[list[str], list[bool]]:
    """The lines, and of each whether its first cell is dim."""
    console = Console(file=io.StringIO(), width=width, color_system="truecolor")
    pairs = [("host adapter", "one of many words that do not fit"), ("bus", "PCI-X")]
    lines = console.render_lines(_pairs(pairs), pad=False)
    texts = ["".join(one.text for one in line).rstrip() for line in lines]
    dim = [bool(line[0].style and line[0].style.dim) for line in lines]
    return texts, dim


def test_pairs_are_two_columns_without_a_head() -> None:
    texts, dim = drawn(80)
    assert texts == ["host adapter  one of many words that do not fit", "bus           PCI-X"]
    assert dim == [True, True]


def test_a_label_is_never_broken() -> None:
    texts, _ = drawn(26)
    assert texts[0].startswith("host adapter  one")
    assert all(line.startswith(" " * 14) for line in texts[1:-1])
    assert texts[-1] == "bus           PCI-X"
