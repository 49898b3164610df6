"""What was judged equivalent, by the text of today's sources: this needs nothing that draws."""

from pathlib import Path

from mutants.drawn import Drawn, equivalents, reason_of


def test_what_was_judged_equivalent_still_stands_in_its_file() -> None:
    root = Path(__file__).resolve().parents[2]
    for one in equivalents():
        lines = [" ".join(line.split()) for line in (root / one.path).read_text().splitlines()]
        assert " ".join(one.old.split())[:90] in " ".join(lines), one.path
        assert one.reason


def test_an_equivalent_one_is_known_by_its_lines() -> None:
    [known, *_] = equivalents()
    mutant = Drawn(path=known.path, line=3, old=f"   {known.old}\n", new=f"  {known.new}\n")
    assert reason_of(mutant, equivalents()) == known.reason
    assert not reason_of(Drawn(path=known.path, line=3, old="a", new="b"), equivalents())
