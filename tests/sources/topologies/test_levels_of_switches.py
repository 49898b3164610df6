"""Groups of hosts by how many switches are between them, level by level."""

from pathlib import Path

from weft.sources.topologies import topology_of


def test_what_is_above_pods_is_a_group_of_a_level_of_its_own(tmp_path: Path) -> None:
    """Eight leaves of a host, in pods of two, in halves of two pods."""
    text = "".join(
        f'[[switch]]\nname = "l{at}"\nnodes = "n{at}"\nuplinks = ["p{(at + 1) // 2}"]\n'
        for at in range(1, 9)
    )
    text += "".join(
        f'[[switch]]\nname = "p{at}"\nuplinks = ["h{(at + 1) // 2}"]\n' for at in range(1, 5)
    )
    text += "".join(f'[[switch]]\nname = "h{at}"\nuplinks = ["core"]\n' for at in (1, 2))
    (tmp_path / "fabric.toml").write_text(text)
    fabric = topology_of([str(tmp_path / "fabric.toml")]).on([f"n{at}" for at in range(1, 9)])
    found = [(one.name, len(one.members), one.level) for one in fabric.groups if one.level > 1]
    assert found == [
        *((f"the switches around l{at}", 2, 2) for at in (1, 3, 5, 7)),
        *((f"the switches around l{at}", 4, 3) for at in (1, 5)),
    ]
