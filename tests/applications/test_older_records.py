"""Records from before applications had options and answers of their own kind."""

import json
from pathlib import Path

import weft
from support.builders import synthetic_record
from support.studies import weak_cases
from weft.applications.answers import modern, plaquettes_of, residual_of


def lines_of(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def written(path: Path, lines: list[dict[str, object]]) -> Path:
    path.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines))
    return path


def test_answers_of_older_batches_are_those_of_today(tmp_path: Path) -> None:
    path = synthetic_record(tmp_path / "r.jsonl", weak_cases(extents=(4,)), launches=2)
    older = lines_of(path)
    for line in older:
        line.pop("application", None)
        if line["kind"] == "batch":
            is_first = line["launch"] == 0
            line["residual"] = 2e-6 if is_first else None
            line["plaquettes"] = [2.5, 2.25] if is_first else None
    batches = weft.load(written(tmp_path / "o.jsonl", older)).lines.batches
    [first, *rest] = batches
    assert residual_of(first.application) == 2e-6
    assert plaquettes_of(first.application) == (2.5, 2.25)
    other = next(batch for batch in rest if batch.launch)
    assert (residual_of(other.application), plaquettes_of(other.application)) == (None, None)


def test_options_that_came_later_are_usual_in_older_cases(tmp_path: Path) -> None:
    cases = weak_cases(extents=(4,))
    older = lines_of(synthetic_record(tmp_path / "r.jsonl", cases))
    for case in older[0]["plan"]["cases"]:  # type: ignore[index]
        for name in ("long_link_reals", "threads", "mass", "u0"):
            del case["lattice"][name]
    run = weft.load(written(tmp_path / "o.jsonl", older))
    assert run.header.plan.cases == cases


def test_what_is_no_older_batch_stays_as_it_is() -> None:
    for line in (
        b'{"kind":"batch","ticks":[1]}',
        b'{"kind":"batch","residual":null,"plaquettes":null}',
        b'{"kind":"batch","application":{"residual":1.0},"reason":"\\"residual\\":"}',
    ):
        assert modern(line) == line


def test_an_older_batch_with_one_of_the_answers_keeps_it() -> None:
    line = b'{"kind":"batch","residual":0.5}'
    assert residual_of(json.loads(modern(line))["application"]) == 0.5
    line = b'{"kind":"batch","plaquettes":[2.5,2.25]}'
    assert plaquettes_of(json.loads(modern(line))["application"]) == (2.5, 2.25)
