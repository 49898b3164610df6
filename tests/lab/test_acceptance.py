"""Acceptance in the lab's Slurm: ReFrame's jobs, and several nights of the nightly job."""

from __future__ import annotations

import re
import shutil
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import pytest

import weft
from lab.cluster.cluster import CHECKOUT
from lab.runs import hosts_of, status_of_job
from support.printed import result_of

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

    from lab.cluster.cluster import Cluster

pytestmark = pytest.mark.engine
DOCS = CHECKOUT / "docs"
# Three launches whatever they give: the budget is for a machine that is busy.
SHORT = "--launches 3 --samples 20 --precision 100%"
BUDGET = "90s"
LIMIT = '[[limit]]\ntest = "ping_pong"\nsizes = "4KiB"\nlatency_at_most = "400 us"\n'


def reframe(cluster: Cluster, folder: Path) -> subprocess.CompletedProcess[str]:
    """One run of docs/reframe as it stands, with a short budget."""
    return cluster.run(
        *("reframe", "-C", str(folder / "reframe" / "cluster.py"), "-r"),
        *("-c", str(folder / "reframe" / "weft_acceptance.py"), "--performance-report"),
        *("--prefix", str(folder / "prefix"), "-S", f"WeftAcceptance.budget={BUDGET}"),
        *("-S", f"WeftAcceptance.options={SHORT}"),
        *("-S", f"WeftAcceptance.records={folder / 'records'}"),
        folder=folder,
        deadline_s=900,
        more={"HOME": str(folder), "TMPDIR": str(folder)},
    )


def answered(folder: Path) -> dict[str, dict[str, Any]]:
    """What weft answered in the jobs of ReFrame that went well, by case."""
    kept = (folder / "prefix" / "output").rglob("weft.json")
    return {
        check["case"]: check for path in kept for check in result_of(path.read_text())["checks"]
    }


def test_reframe_runs_every_check_as_a_job_on_two_nodes_and_takes_wefts_verdict(
    cluster: Cluster, folder: Path
) -> None:
    shutil.copytree(DOCS / "reframe", folder / "reframe")
    good = reframe(cluster, folder)
    assert good.returncode == 0, good.stdout + good.stderr
    assert "Ran 2/2 test case(s)" in good.stdout
    known = answered(folder)
    for case, unit in (("tcp/ping_pong/8", "ns"), ("tcp/stream/65536", "bytes/s")):
        name = case.replace("/", "_")
        match = re.search(
            rf"P: {name}: (\S+) \S+ .*\(unit: {unit}\)|P: {name}: (\S+) {unit}", good.stdout
        )
        assert match, good.stdout
        shown = float(match[1] or match[2])
        assert shown == pytest.approx(known[case]["estimate"]["value"], rel=1e-3)
        [record] = (folder / "records" / case.rpartition("/")[0].replace("/", "-")).iterdir()
        run = weft.load(record)
        assert run.header.plan.launcher == "slurm"
        assert set(hosts_of(run)) == {("n1", "n2")}

    limits = folder / "reframe" / "src" / "ping_pong.toml"
    limits.write_text(limits.read_text().replace("10 ms", "1 ns"))
    bad = reframe(cluster, folder)
    assert bad.returncode == 1, bad.stdout + bad.stderr
    words = " ".join(bad.stdout.split())
    assert "sanity error: weft check ended with 1, not 0: fail: tcp/ping_pong/8: " in words
    assert "latency at most 1 ns" in words
    assert "(1 failure(s)" in words


def night(cluster: Cluster, folder: Path) -> int:
    """One night, as cron submits it: the job's exit status."""
    words = ("--nodelist", "n1,n2", "nightly.sbatch")
    few = {"WEFT_TESTS": "ping_pong", "WEFT_SIZES": "8,4KiB", "WEFT_BUDGET": BUDGET}
    more = {**few, "WEFT_OPTIONS": SHORT}
    return status_of_job(cluster, *words, folder=folder, deadline_s=900, more=more)


def test_nights_are_kept_judged_and_drawn_and_a_slow_one_fails(
    cluster: Cluster, folder: Path
) -> None:
    shutil.copy(DOCS / "nightly" / "nightly.sbatch", folder)
    (folder / "limits.toml").write_text(LIMIT)
    assert night(cluster, folder) == 0, logs(folder)
    [first] = (folder / "records").iterdir()
    (folder / "accepted.jsonl.zst").symlink_to(first.relative_to(folder))
    assert night(cluster, folder) in (0, 1, 3), logs(folder)
    [suite] = ElementTree.parse(folder / "accepted.xml").getroot()  # noqa: S314 - our own
    assert int(suite.get("tests", "")) > 2
    assert (folder / "limits.txt").read_text().endswith("# EOF\n")

    # At 4 Mbit/s 4 KiB take 8 ms.
    slow = ("tc", "qdisc", "add", "dev", "eth0", "root", "tbf", "rate", "4mbit", "burst", "6kb")
    hosts = ("n1", "n2")
    for host in hosts:
        assert cluster.run(*slow, "latency", "2s", host=host).returncode == 0
    try:
        assert night(cluster, folder) == 1, logs(folder)
    finally:
        for host in hosts:
            cluster.run("tc", "qdisc", "del", "dev", "eth0", "root", host=host)
    records = sorted((folder / "records").iterdir())
    assert len(records) == 3
    assert re.search(r"^fail +tcp/ping_pong/", logs(folder), re.MULTILINE), logs(folder)
    page = (folder / "trend.html").read_text()
    assert "n1 and n2 over time" in page
    assert "limit: latency at most 400 us" in page
    words = ("weft", "trend", *map(str, records), "--against", "limits.toml", "--json")
    found = result_of(cluster.run(*words, folder=folder).stdout)
    answers = [session["answer"] for session in found["sessions"]]
    assert answers[0] == "pass"
    assert answers[2] != "pass"
    [series] = [one for one in found["series"] if one["case"] == "tcp/ping_pong/4096"]
    medians = [point["estimate"]["value"] for point in series["points"]]
    assert max(medians[:2]) < 4e5 < medians[2]


def logs(folder: Path) -> str:
    """What the jobs of all nights wrote."""
    return "\n".join(path.read_text() for path in sorted(folder.glob("nightly-*.log")))
