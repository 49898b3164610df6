"""scripts/json-of-all writes a file for each command, the same each time."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts" / "json-of-all"


def written(folder: Path, word: str) -> dict[str, str]:
    subprocess.run(
        [sys.executable, SCRIPT, folder, word], check=True, capture_output=True, timeout=600
    )
    return {
        str(path.relative_to(folder)): path.read_text() for path in sorted(folder.rglob("*.json"))
    }


def test_two_runs_of_one_tree_write_the_same_json(tmp_path: Path) -> None:
    first, again = (written(tmp_path / name, "platforms/osu-gm") for name in ("one", "two"))
    assert sorted(first) == [
        f"platforms/osu-gm-{name}.json" for name in ("calibrate", "fit", "show")
    ]
    assert first == again
    assert json.loads(first["platforms/osu-gm-show.json"])["command"] == "show"


def test_a_command_that_fails_leaves_its_message_and_no_path_of_this_machine(
    tmp_path: Path,
) -> None:
    [text] = written(tmp_path / "out", "record-1/layers").values()
    assert text.startswith(("status 2\n", "{"))
    assert str(ROOT) not in text


def test_a_missing_folder_is_an_error_in_one_line() -> None:
    done = subprocess.run([sys.executable, SCRIPT], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == "json-of-all: name one folder; use scripts/json-of-all FOLDER [WORD]\n"
