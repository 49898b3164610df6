"""The rules of the engine that clang-tidy keeps: our configuration finds planted faults."""

import shutil
import subprocess
from pathlib import Path

import pytest

RULES = Path(__file__).resolve().parents[2] / ".clang-tidy"
CONCEPT = "template <class T>\nconcept Small = sizeof(T) < 3;\n"
LONG = "  ++count;\n" * 61


def findings(folder: Path, text: str) -> str:
    (folder / ".clang-tidy").write_text(RULES.read_text())
    source = folder / "planted.cpp"
    source.write_text(CONCEPT + text)
    return subprocess.run(
        ["clang-tidy", "--quiet", source, "--", "-std=c++20"],
        capture_output=True,
        text=True,
        check=False,
    ).stdout


pytestmark = pytest.mark.skipif(shutil.which("clang-tidy") is None, reason="no clang-tidy here")


@pytest.mark.parametrize(
    ("planted", "check"),
    [
        (f"template <Small T>\nvoid grow(T& count) {{\n{LONG}}}\n", "readability-function-size"),
        ("int counter = 0;\n", "cppcoreguidelines-avoid-non-const-global-variables"),
        ("namespace a {\nstatic char* b;\n}\n", "cppcoreguidelines-avoid-non-const-global-var"),
    ],
)
def test_a_planted_fault_is_found(tmp_path: Path, planted: str, check: str) -> None:
    assert check in findings(tmp_path, planted)


def test_a_good_source_with_a_concept_is_clean(tmp_path: Path) -> None:
    good = "namespace {\ntemplate <Small T>\nT twice(T value) {\n  return value + value;\n}\n}\n"
    assert findings(tmp_path, good) == ""
