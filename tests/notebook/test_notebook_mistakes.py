"""What is handed over by mistake is refused in one line that names it, as a command would."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import weft
from support.builders import make_cases, synthetic_record
from weft.errors import WeftError

TEXT: Any = "5%"
NOTHING: Any = None
NUMBER: Any = 42
CASES = make_cases(("ping_pong",), ("mpi", "tcp"), (8, 1024, 65536, 1 << 20))


def several(path: str) -> Any:
    return [path]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return synthetic_record(tmp_path_factory.mktemp("mistakes") / "r.jsonl", CASES)


@pytest.mark.parametrize(
    ("mistake", "told"),
    [
        (lambda _: weft.load(""), "no record given; give the path of a record, or a Run"),
        (lambda _: weft.load(Path()), "no record given; give the path of a record, or a Run"),
        (lambda _: weft.load(NOTHING), "None is the name of no record; give the path"),
        (lambda a: weft.load(several(a)), "'] is the name of no record; give the path"),
        (lambda _: weft.fit(""), "no record given; give the path of a record, or a Run"),
        (lambda _: weft.fit(NUMBER), "42 is the name of no record"),
        (lambda a: weft.fit([a, NUMBER]), "42 is the name of no record"),
        (lambda a: weft.compare(a, ""), "no record given"),
        (
            lambda a: weft.compare(a, a, same=TEXT),
            "same is no number: '5%'; give a share: same=0",
        ),
        (lambda a: weft.compare(a, "escher").plot(9), "there is no plot 9 of this comparison, it"),
        (lambda a: weft.check("", against=a), "no record given"),
        (lambda a: weft.check(a, against=Path()), "no record given"),
        (
            lambda a: weft.check(a, against="b", tolerance=TEXT),
            "tolerance is no number: '5%'",
        ),
        (lambda a: weft.check(a, against="b", tolerance=True), "tolerance is no number: True"),
        (lambda a: weft.load(a).plot(""), "there is no plot called '' of "),
    ],
)
def test_a_mistake_is_one_line(mistake: Callable[[str], Any], told: str, path: Path) -> None:
    with pytest.raises(WeftError) as refused:
        mistake(str(path))
    assert told in str(refused.value)
    assert "\n" not in str(refused.value)


def test_models_of_several_records_are_those_of_each(path: Path, tmp_path: Path) -> None:
    other = synthetic_record(tmp_path / "other.jsonl", CASES)
    both = weft.fit([path, weft.load(other)])
    assert [one.name for one in both] == [
        f"{name}: {transport}/ping_pong"
        for name in ("r.jsonl", "other.jsonl")
        for transport in ("mpi", "tcp")
    ]


def test_many_names_to_choose_from_are_cut(tmp_path: Path) -> None:
    cases = make_cases(("ping_pong",), ("mpi",), range(1, 101))
    run = weft.load(synthetic_record(tmp_path / "many.jsonl", cases, launches=1))
    with pytest.raises(WeftError, match=r"mpi/ping_pong/60 and 40 more$"):
        run.only(["what"])
