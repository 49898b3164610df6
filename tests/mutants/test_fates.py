"""A mutant that cannot be tried costs no other: a draw takes hours."""

from collections.abc import Sequence
from pathlib import Path

from mutants.compiled import NoMutantError
from mutants.drawn import Drawn
from mutants.fates import Bench, Tried, fates_of
from mutants.small import small_project
from mutants.tree import Copy, CopyError

SOURCE = "def double(x):\n    return x * 2\n"
TEST = "from weft.thing import double\n\n\ndef test_it():\n    assert double(3) == 6\n"
MUTANTS = [Drawn(path="src/weft/a.py", line=n, old="", new=f"x = {n}\n") for n in range(1, 9)]


class Scripted:
    """A bench that answers what it was told."""

    def __init__(self, *answers: str | Exception) -> None:
        self.answers = list(answers)

    def noticed_by(self, mutant: Drawn) -> tuple[str, int]:
        assert mutant
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer, 1


class Known:
    """The one test reaches everything."""

    def by(self, path: str, line: int) -> tuple[str, ...]:
        assert path
        assert line
        return ("tests/test_thing.py::test_it",)

    def cost_s(self, tests: Sequence[str]) -> float:
        return 0.1 * len(tests)


def test_those_that_cannot_be_tried_are_said_and_counted() -> None:
    fault = CopyError("no room for one more process")
    bench = Scripted(fault, fault, "a test", fault, NoMutantError("refused"), fault, fault, "")
    told: list[str] = []
    tried = fates_of([bench], MUTANTS, told.append)
    assert tried == Tried({MUTANTS[2]: "noticed", MUTANTS[7]: "lived"}, 5)
    assert sum("UNTRIED" in line and str(fault) in line for line in told) == 5


def test_where_three_one_after_the_other_cannot_be_tried_the_others_are_not() -> None:
    fault = CopyError("no room for one more process")
    bench = Scripted("", fault, fault, fault, "a test")
    assert fates_of([bench], MUTANTS, print) == Tried({MUTANTS[0]: "lived"}, 7)
    assert bench.answers == ["a test"]
    # Another one goes on with what is left.
    benches = [Scripted(fault, fault, fault), Scripted(*["a test"] * 8)]
    assert len(fates_of(benches, MUTANTS, print).fates) >= 5


def test_a_process_of_tests_that_ended_is_started_again(tmp_path: Path) -> None:
    files = {"src/weft/thing.py": SOURCE, "src/weft/__init__.py": "", "tests/test_thing.py": TEST}
    root = small_project(tmp_path / "project", files)
    copy = Copy(root, tmp_path / "copy")
    bench = Bench(copy, Known(), ["tests"])  # type: ignore[arg-type]
    old, new = "    return x * 2\n", "    return x * 3\n"
    one = Drawn(path="src/weft/thing.py", line=2, old=old, new=new)
    for server in bench._servers.values():
        server._process.kill()
        server._process.wait(60)
    told: list[str] = []
    assert fates_of([bench], [one], told.append) == Tried({}, 1)
    assert "the tests' process ended" in told[0]
    assert fates_of([bench], [one], told.append) == Tried({one: "noticed"})
    assert (copy.tree / one.path).read_text() == SOURCE
    bench.close()
