"""The methods paragraph: what the record says of itself, and which of twelve rules it keeps."""

import os
import shutil
from pathlib import Path
from typing import Any

import msgspec
import pytest
from typer.testing import CliRunner

import weft
from support.builders import lost_batch, make_cases, synthetic_record
from support.copies import ROOT
from support.in_process import weft_here
from support.studies import record_of, weak_cases
from weft.analysis.summary import summarise
from weft.cli.main import app
from weft.record.run import Run
from weft.report.methods import Methods, methods_latex, methods_of, methods_text
from weft.topics import results_of

OUTPUTS = ROOT / "tests" / "sources" / "peers" / "outputs"
CASES = make_cases(("ping_pong", "stream"), ("tcp",), (8, 1024))


def methods(path: Path, launches: int) -> tuple[Run, Methods]:
    run = weft.load(synthetic_record(path, CASES, launches=launches))
    return run, methods_of(results_of(run, summarise(run)))


@pytest.mark.parametrize(
    ("launches", "intervals", "normal", "how"),
    [
        (1, "not kept", "not asked", "for one launch, no interval"),
        (3, "kept", "not kept", "for two to five launches"),
        (5, "kept", "not kept", "for two to five launches"),
        (6, "kept", "kept", "for six launches or more"),
    ],
)
def test_what_launches_allow_is_what_is_said(
    tmp_path: Path, launches: int, intervals: str, normal: str, how: str
) -> None:
    _, found = methods(tmp_path / "r.jsonl", launches)
    assert [one.number for one in found.rules] == list(range(1, 13))
    states = {one.number: one.state for one in found.rules}
    assert (states[5], states[6]) == (intervals, normal)
    assert how in dict(found.sections)["Statistics"]
    # The builder's hosts name no link, one number of ranks is no speed-up, and nothing is compared.
    assert (states[1], states[7], states[11]) == ("not asked", "not asked", "not kept")


def test_the_paragraph_has_the_records_own_facts(tmp_path: Path) -> None:
    run, found = methods(tmp_path / "r.jsonl", 6)
    words = dict(found.sections)["Measurement"]
    assert "ping_pong and stream over tcp, 2 sizes from 8 B to 1 KiB, 2 ranks: 4 cases." in words
    assert f"(seed {run.header.plan.seed})" in words
    samples = sum(one.samples for one in summarise(run))
    assert f"{samples:,} samples after warm-up" in words
    assert run.header.weft_version in dict(found.sections)["Software"]


def imported(folder: Path, names: tuple[str, ...]) -> Methods:
    files = [shutil.copy(OUTPUTS / "omb_latency_z.txt", folder / name) for name in names]
    words = ["import", *map(str, files), "-o", str(folder / "imported.jsonl")]
    assert CliRunner().invoke(app, words).exit_code == 0
    run = weft.load(folder / "imported.jsonl")
    return methods_of(results_of(run, summarise(run)))


def test_of_an_imported_record_its_program_is_the_software(tmp_path: Path) -> None:
    found = imported(tmp_path, ("a.txt",))
    words = dict(found.sections)
    assert words["Software"].startswith("OMB")
    assert words["Software"].endswith(f"; weft {weft.__version__} imported its output.")
    assert "OMB printed, from 1 file" in words["Measurement"]
    assert (
        words["Statistics"] == "The results are those of the other program; weft adds no intervals."
    )
    rules = {one.number: one for one in found.rules}
    assert (rules[3].state, rules[6].state, rules[8].state) == ("yours", "not asked", "not kept")
    assert rules[3].reason.startswith("OMB prints means")
    assert rules[5].reason.endswith("import further runs")


def test_several_imported_files_have_intervals_over_them(tmp_path: Path) -> None:
    found = imported(tmp_path, ("a.txt", "b.txt", "c.txt"))
    assert "Its 95 % interval covers launches: for two to" in dict(found.sections)["Statistics"]
    states = {one.number: one.state for one in found.rules}
    assert (states[5], states[6]) == ("kept", "not kept")


@pytest.mark.engine
def test_of_a_simulated_record_no_clock_is_said(tmp_path: Path) -> None:
    words = "run ping_pong --platform escher --sizes 8 --no-report -o"
    assert weft_here([*words.split(), tmp_path / "s.jsonl"], os.environ).returncode == 0
    run = weft.load(tmp_path / "s.jsonl")
    found = methods_of(results_of(run, summarise(run)))
    assert "virtual time" in dict(found.sections)["Measurement"]
    rules = {one.number: one for one in found.rules}
    assert [rules[at].state for at in (5, 6, 8, 10)] == ["kept", "not asked", "not asked", "kept"]
    assert "clock cost" in rules[10].reason


def test_text_and_latex_have_every_rule_once(tmp_path: Path) -> None:
    run, found = methods(tmp_path / "r.jsonl", 6)
    text, latex = methods_text(found), methods_latex(found)
    *sections, rules = text.removesuffix("\n").split("\n\n")
    assert sections == [f"{name}. {words}" for name, words in found.sections]
    assert len(rules.split("\n")) == 2 + len(found.rules)
    for one in found.rules:
        assert text.count(f"] {one.number}. {one.asks}: ") == 1
        assert latex.count(f"\\item[{one.number}, {one.state}]") == 1
    assert "ping\\_pong" in latex
    assert " 95 % " not in latex
    for name, wanted in (("m.txt", text), ("m.tex", latex)):
        target = tmp_path / name
        CliRunner().invoke(app, ["export", str(run.path), "--methods", str(target)])
        assert target.read_text() == wanted
    done = CliRunner().invoke(app, ["export", str(run.path), "--methods", "-", "--csv", "a.csv"])
    assert done.exit_code != 0


def test_cases_that_failed_count_among_those_that_were_to_settle(tmp_path: Path) -> None:
    bad = [lost_batch(CASES[0], launch, 100 + launch, "failed", "broken") for launch in range(5)]
    path = synthetic_record(tmp_path / "r.jsonl", CASES, launches=5)
    kept = [
        line for line in path.read_text().splitlines() if f'"case":"{CASES[0].key}"' not in line
    ]
    lines = [msgspec.json.encode(one).decode() for one in bad]
    path.write_text("\n".join([*kept[:-1], *lines, kept[-1], ""]))
    run = weft.load(path)
    summaries = summarise(run)
    assert [one.status for one in summaries].count("ok") == len(CASES) - 1
    said = dict(methods_of(results_of(run, summaries)).sections)["Statistics"]
    settled = sum(one.settled for one in summaries)
    assert f" {settled} of {len(CASES)} cases reached " in said


def methods_with(path: Path, **change: Any) -> Methods:
    """Of a record whose summaries are changed where they are of the first case."""
    run = weft.load(synthetic_record(path, CASES, launches=6))
    first, *others = summarise(run)
    return methods_of(results_of(run, [msgspec.structs.replace(first, **change), *others]))


def test_each_kind_of_interval_is_named_where_some_case_has_it(tmp_path: Path) -> None:
    """One case of three launches beside those of six."""
    words = dict(methods_with(tmp_path / "r.jsonl", launches=3).sections)["Statistics"]
    assert "for two to five launches" in words
    assert "for six launches or more" in words


def test_one_case_without_an_interval_does_not_make_the_others_normal(tmp_path: Path) -> None:
    found = methods_with(tmp_path / "r.jsonl", launches=1, latency_ns=None,
                         bandwidth_bytes_per_s=None)  # fmt: skip
    states = {one.number: one.state for one in found.rules}
    assert (states[5], states[6]) == ("not kept", "kept")


def test_the_software_has_its_libraries_with_their_versions(tmp_path: Path) -> None:
    run = weft.load(synthetic_record(tmp_path / "r.jsonl", CASES))
    [(name, host)] = run.header.hosts.items()
    software = {
        **host.get("software", {}),
        "libraries": {"ucx": "1.13.1", "glibc": "2.36", "x": "1"},
    }
    header = msgspec.structs.replace(run.header, hosts={name: {**host, "software": software}})
    known = Run(run.path, msgspec.structs.replace(run.lines, header=header))
    words = dict(methods_of(results_of(known, summarise(known))).sections)["Software"]
    assert "glibc 2.36, ucx 1.13.1" in words
    assert "other" not in words


def test_efficiencies_are_over_the_fewest_ranks(tmp_path: Path) -> None:
    run = record_of(tmp_path, weak_cases(extents=(4,))[::-1])
    words = {one.number: one.reason for one in methods_of(results_of(run, summarise(run))).rules}
    assert "relative to the same application on 1 rank" in words[1]
