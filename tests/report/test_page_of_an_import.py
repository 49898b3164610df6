"""The page of what another program printed: its name stands first, and no interval is claimed."""

import re
from html import unescape
from pathlib import Path

import pytest

from support.in_process import TERMINAL, weft_here
from support.peer_outputs import OUTPUTS

# Outputs, the words that an import needs beside them, and how the page is headed.
IMPORTED = {
    "omb_latency_z.txt": ([], "OMB 7.4"),
    "imb_mpi1.txt": ([], "IMB 2021.11"),
    "perftest_send_lat_a.txt": ([], "perftest"),
    "ucx_client_latency.txt": (["--bytes", "8"], "ucx_perftest"),
    "fi_rdm_tagged_bw.txt": ([], "fabtests"),
    "sockperf_pp.txt": (["--bytes", "64"], "sockperf 3.7"),
    "iperf3.json": ([], "iperf3 3.12 on vm"),
}


def page_of(folder: Path, *outputs: Path, more: tuple[str, ...] = ()) -> str:
    """The words of the page, without its drawings."""
    record, page = folder / "r.jsonl", folder / "r.html"
    for typed in (["import", *outputs, *more, "-o", record], ["report", record, "-o", page]):
        done = weft_here(typed, TERMINAL)
        assert done.returncode == 0, done.stderr
    return re.sub(r"(?s)<(script|style|svg).*?</\1>", "", page.read_text())


def words_of(text: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", text)).split())


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize("name", IMPORTED)
def test_the_program_is_named_and_nothing_is_claimed_of_its_figures(
    tmp_path: Path, name: str
) -> None:
    """The heading was empty, and each page said that weft had checked every byte."""
    more, heading = IMPORTED[name]
    text = page_of(tmp_path, OUTPUTS / name, more=tuple(more))
    headings = [words_of(one) for one in re.findall(r"(?s)<h[12][ >].*?</h[12]>", text)]
    assert all(headings)
    first = words_of(re.findall(r"(?s)<h1.*?</h1>", text)[0])
    assert first.startswith(heading)
    words = words_of(text[text.index("<main") :])
    for claim in ("checked byte by byte", "Bars are", "disturbed", "ticks", "seed", "±", "budget"):
        assert claim not in words, words
    assert "weft measured none of them, checked no buffer" in words
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
