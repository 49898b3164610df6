"""The page of what another program printed: its name stands first, and no interval is claimed."""

import re
from collections.abc import Sequence
from html import unescape
from pathlib import Path

import pytest

from support.builders import make_cases, synthetic_record
from support.in_process import TERMINAL, weft_here
from support.peer_outputs import FILES, OUTPUTS, told
from weft.report.page import MEDIANS, STATED

# How the pages of some outputs are headed.
HEADINGS = {
    "omb_latency_z.txt": "OMB 7.4",
    "imb_mpi1.txt": "IMB 2021.11",
    "perftest_send_lat_a.txt": "perftest",
    "sockperf_pp.txt": "sockperf 3.7",
    "iperf3.json": "iperf3 3.12 on vm",
}


def given_to(name: str) -> list[str]:
    """What is typed for an output that does not say it."""
    known = told(name)
    return [f"--{what}={value}" for what in ("ranks", "bytes") if (value := getattr(known, what))]


def page_of(folder: Path, *outputs: Path, more: Sequence[str] = ()) -> str:
    """The words of the page, without its drawings."""
    record, page = folder / "r.jsonl", folder / "r.html"
    for typed in (["import", *outputs, *more, "-o", record], ["report", record, "-o", page]):
        done = weft_here(typed, TERMINAL)
        assert done.returncode == 0, done.stderr
    return re.sub(r"(?s)<(script|style|svg).*?</\1>", "", page.read_text())


def words_of(text: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", text)).split())


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize("name", FILES)
def test_the_program_is_named_and_nothing_is_claimed_of_its_figures(
    tmp_path: Path, name: str
) -> None:
    """The heading was empty, and each page said that weft had checked every byte."""
    text = page_of(tmp_path, OUTPUTS / name, more=given_to(name))
    headings = [words_of(one) for one in re.findall(r"(?s)<h[12][ >].*?</h[12]>", text)]
    assert all(headings)
    first = words_of(re.findall(r"(?s)<h1.*?</h1>", text)[0])
    assert first.startswith(HEADINGS.get(name, ""))
    words = words_of(text[text.index("<main") :])
    for claim in ("checked byte by byte", "Bars are", "disturbed", "ticks", "seed", "±", "budget"):
        assert claim not in words, words
    assert "weft measured none of them, checked no buffer" in words
    facts = re.findall(r"<dt>(.*?)</dt>", text)
    at = facts.index("program")
    known = ["record", "program", "started by", "read from", "dated", "read by"]
    assert facts[at - 1 : at + 5] == known
    # No part of the page is empty.
    for part in re.findall(r"(?s)<section id=.*?</section>", text):
        own = words_of(re.sub(r"(?s)<h2.*?</h2>", "", part))
        assert own, part


@pytest.mark.usefixtures("undrawn")
def test_runs_of_one_test_are_launches_with_an_interval_over_them(tmp_path: Path) -> None:
    other = tmp_path / "again.txt"
    other.write_text((OUTPUTS / "omb_latency_z.txt").read_text().replace("0.26", "0.27"))
    words = words_of(page_of(tmp_path, OUTPUTS / "omb_latency_z.txt", other))
    assert "Median over runs, each as OMB 7.4 states it; ±" in words


def test_a_page_of_an_import_beside_a_record_says_of_either_what_its_figures_are(
    tmp_path: Path,
) -> None:
    own = synthetic_record(tmp_path / "own.jsonl", make_cases(("ping_pong",), ("mpi",), (8, 64)))
    output = OUTPUTS / "omb_latency_z.txt"
    first = page_of(tmp_path, output)
    record, page = tmp_path / "r.jsonl", tmp_path / "both.html"
    done = weft_here(["report", record, own, "-o", page], TERMINAL)
    assert done.returncode == 0, done.stderr
    done = weft_here(["report", own, "-o", tmp_path / "own.html"], TERMINAL)
    assert done.returncode == 0, done.stderr
    said = {
        name: [words in words_of(text) for words in (MEDIANS, STATED)]
        for name, text in (
            ("imported", first),
            ("own", (tmp_path / "own.html").read_text()),
            ("both", page.read_text()),
        )
    }
    assert said == {"imported": [False, True], "own": [True, False], "both": [True, True]}
