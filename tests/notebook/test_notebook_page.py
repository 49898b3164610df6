"""The page on Python names all that there is, and its notebook gives what stands in it."""

import json
import re
import subprocess
import sys
from pathlib import Path

import weft
from support.copies import ROOT, blocks

NOTEBOOK = ROOT / "docs" / "notebooks" / "first-look.ipynb"
RUN = ROOT / "scripts" / "run_notebook.py"


def test_the_page_has_every_name_of_the_door() -> None:
    page = (ROOT / "docs" / "python.md").read_text()
    for function in ("load", "compare", "fit", "check", "trend", "layers"):
        [own] = re.findall(rf"## weft\.{function}\(.*?(?=\n## |\Z)", page, re.DOTALL)
        given = {
            "load": weft.Run, "compare": weft.Comparison, "fit": weft.Fit, "check": weft.Check,
            "trend": weft.Trend, "layers": weft.Layers,
        }[function]  # fmt: skip
        for name in vars(given):
            if not name.startswith("_") and name != "name":
                assert f".{name}" in own, f"{function}: {name}"


def test_the_pages_code_runs_on_a_record(tmp_path: Path) -> None:
    record = ROOT / "docs" / "records" / "monday.jsonl.zst"
    code = "\n".join(blocks("python.md", "python")).replace("monday.jsonl.zst", str(record))
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=600,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "ping_pong" in done.stdout
    assert (tmp_path / "latency.pdf").read_bytes().startswith(b"%PDF")


def test_the_notebook_gives_what_stands_in_it(tmp_path: Path) -> None:
    book = json.loads(NOTEBOOK.read_text())
    code = [cell for cell in book["cells"] if cell["cell_type"] == "code"]
    assert all(cell["outputs"] for cell in code), "make it with scripts/run_notebook.py"
    assert run("--check", str(NOTEBOOK)) == (0, "")
    # A figure that is another one is noticed.
    code[1]["outputs"][0]["data"]["text/plain"][1] = "tcp  ping_pong  8 B  1 ns"
    folder = tmp_path / "notebooks"
    folder.mkdir()
    (tmp_path / "records").symlink_to(ROOT / "docs" / "records")
    (folder / "other.ipynb").write_text(json.dumps(book))
    status, told = run("--check", str(folder / "other.ipynb"))
    assert status == 1
    assert told.startswith("cell 3 gives something else now")


def run(*words: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, RUN, *words], capture_output=True, text=True, timeout=600, check=False
    )
    return done.returncode, done.stdout + done.stderr
