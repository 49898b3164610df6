"""Price lists for tests: the parts that tables 9 and 10 of Doerfler (2005) are made of."""

from pathlib import Path

HEAD = 'title = "Voltaire"\ncurrency = "USD"\ndate = "2004-09"\n'
PARTS = """
[[part]]
part = "adapter"
list_price = 805
[[part]]
part = "cable"
list_price = 300
[[part]]
part = "switch 24"
list_price = 7450
[[part]]
part = "switch 288"
list_price = 193150
"""
HALF = """
[[fabric]]
name = "half"
nodes = 1152
switch = "24,288"
blocking = "2:1"
link = "IB 4x SDR"
"""
FULL = HALF.replace("half", "full").replace("2:1", "1:1")


def price_list(path: Path, *, head: str = HEAD, parts: str = PARTS, fabrics: str = "") -> Path:
    """A price list as a file."""
    path.write_text(head + parts + fabrics)
    return path
