"""Every rule of style catches a planted fault, and only the fault."""

import subprocess
from pathlib import Path

import pytest

from style import (
    engine_rules,
    python_rules,
    text_rules,
)
from style.tree import Allowed, Rule, Tree, no_longer_needed, tracked_paths

DOC = '"""A module."""\n'
PATTERN = (
    "// A pattern.\n#pragma once\nstruct PingPong {\n"
    '  static constexpr PatternInfo info{\n      .name = "ping_pong"};\n};\n'
)
PLAIN = (
    "weft cli main local all table hello tool clock transport ping pong tcp options solver rank\n"
)
GOOD = {
    "pyproject.toml": '[project.scripts]\nweft = "weft.cli.main:main"\n',
    "README.md": "# weft\n\nThe colour of `color`. See [the page](docs/page.md#here).\n",
    "docs/page.md": "# A page\n\n```\nbehaviour = normal\n```\n",
    "src/weft/__init__.py": DOC,
    "src/weft/table.py": DOC + "import numpy\n\nSIZES = {1: 2}\n",
    "src/weft/cli/__init__.py": DOC,
    "src/weft/cli/main.py": DOC
    + "def main() -> None:\n    from weft import table\n    from weft.launch import all\n",
    "src/weft/launch/local.py": DOC + "class Hello: ...\n\n\nclass LocalLauncher: ...\n",
    "src/weft/launch/all.py": DOC + "from weft.launch.local import LocalLauncher\n",
    "src/weft/tool.py": DOC
    + 'from weft.table import SIZES\nif __name__ == "__main__":\n    pass\n',
    "tests/test_table.py": DOC + "from weft import alone\n"
    "f(times_ns=lambda _, at: [9.0 + at], tick_ns=0.5)\n"
    "f(times_ns=lambda *_: [], tick_ns=0.4)\n"
    'assert "tcp 1.50 µs" in text\nassert "1.50 µs" not in text\n'
    "assert made == pytest.approx(-3, abs=1e-6)\n",
    "engine/contract/clock.hpp": "// The clock.\n#pragma once\n#ifdef __x86_64__\n#endif\n",
    "engine/contract/transport.hpp": (
        '// The contract.\n#include <concepts>\n#include "contract/clock.hpp"\n'
    ),
    "engine/patterns/ping_pong.hpp": PATTERN,
    "docs/glossary.md": "| launcher | it starts ranks |\n",
    "tests/style/plain_words.txt": PLAIN,
    "engine/transports/tcp/tcp.cpp": (
        '// SOCK_STREAM\n#include <sys/socket.h>\n#include "program/rank.hpp"\nint main() {}\n'
    ),
    "engine/apps/solver/options.hpp": '// It has one.\n#pragma once\n{.name = "mass"};\n',
    "engine/apps/solver/solver.cpp": '#include "apps/solver/options.hpp"\n',
    "engine/program/rank.cpp": (
        '#include "patterns/ping_pong.hpp"\n#include "contract/transport.hpp"\n'
    ),
}
UNDONE = "TO" + "DO"
HOST = "pypi" + ".org"
CLI = "src/weft/cli/main.py"
PAT = "engine/patterns/ping_pong.hpp"
TCP = "engine/transports/tcp/tcp.cpp"
RUN = "engine/run/case.cpp"
PROGRAM = '#include "program/rank.hpp"\n'
CONTRACT = "engine/contract/transport.hpp"
FIT = "src/weft/analysis/fit.py"
TABLE = "src/weft/table.py"
TESTS = "tests/test_table.py"
TOPIC = "src/weft/topics/a.py"
LOCAL = "src/weft/launch/local.py"
FOR_TYPES = "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n"
PLANTED = [
    (text_rules.british_spelling, "README.md", "The " + "behav" + "ior of a link.\n"),
    (text_rules.british_spelling, "engine/run/rank.cpp", "// It optimi" + "zes.\nint a;\n"),
    (text_rules.british_spelling, TABLE, f'"""Neighb{"ors"}."""\n'),
    (text_rules.british_spelling, TABLE, DOC + "# The cent" + "er of it.\n"),
    (text_rules.dead_links, "README.md", "See [it](docs/pages.md).\n"),
    (text_rules.cited_files, "docs/page.md", "See `src/weft/gone" + ".py` for it.\n"),
    (text_rules.cited_files, TABLE, '"""As PLAN' + '.md has it."""\n'),
    (text_rules.cited_files, "engine/run/rank.cpp", "// (engine/run/gone" + ".hpp)\nint a;\n"),
    (python_rules.mutable_globals, TABLE, DOC + "cache = {}\n"),
    (python_rules.mutable_globals, TABLE, DOC + "cache: dict[str, int] = dict()\n"),
    (python_rules.mutable_globals, TABLE, DOC + "A = []\n\n\ndef f():\n    A.append(1)\n"),
    (python_rules.mutable_globals, TABLE, DOC + "A = {}\n\n\ndef f():\n    A[1] = 1\n"),
    (python_rules.mutable_globals, TABLE, DOC + "A = 1\n\n\ndef f():\n    global A\n    A = 2\n"),
    (python_rules.slow_start, CLI, DOC + "import polars as pl\n"),
    (python_rules.slow_start, CLI, DOC + "from weft import table\n"),
    (python_rules.files_in_pure_rooms, FIT, DOC + "def f(p):\n    return p.read_text()\n"),
    (python_rules.files_in_pure_rooms, FIT, DOC + "def f(p):\n    return open(p)\n"),
    (python_rules.files_in_pure_rooms, FIT, DOC + "from weft.record.run import load\n"),
    (text_rules.paths_of_one_machine, TABLE, DOC + 'A = "/' + 'home/me/data"\n'),
    (python_rules.sleeps, "tests/test_table.py", DOC + "import time\n\ntime.sleep(1)\n"),
    (python_rules.sleeps, "tests/test_table.py", DOC + "from time import sleep\n"),
    (python_rules.dead_modules, "src/weft/alone.py", DOC),
    (python_rules.dead_modules, "src/weft/alone.py", DOC + "import weft.alone\n"),
    (python_rules.dead_modules, "src/weft/alone.py", DOC + "NAME = __name__\n"),
    (python_rules.dead_modules, "tests/helper.py", DOC),
    (engine_rules.conditions_in_patterns, PAT, PATTERN + "#ifdef FAST\n#endif\n"),
    (engine_rules.transports_in_patterns, PAT, PATTERN + "TcpLink link;\n"),
    (engine_rules.transports_in_patterns, PAT, PATTERN + "// not over TCP\n"),
    (engine_rules.patterns_in_transports, TCP, "run<PingPong>();\n"),
    (engine_rules.patterns_in_transports, TCP, 'if (name == "ping_pong") {}\n'),
    (engine_rules.patterns_in_transports, TCP, '#include "patterns/ping_pong.hpp"\n'),
    (engine_rules.includes_run_downwards, CONTRACT, '#include "host/clock.hpp"\n'),
    (engine_rules.includes_run_downwards, PAT, '#include "transports/tcp/mesh.hpp"\n'),
    (engine_rules.includes_run_downwards, PAT, '#include "program/rank.hpp"\n'),
    (engine_rules.includes_run_downwards, TCP, '#include "transports/ofi/fabric.hpp"\n'),
    (engine_rules.includes_run_downwards, TCP, '#include "run/case.hpp"\n'),
    (engine_rules.includes_run_downwards, RUN, '#include "patterns/ping_pong.hpp"\n'),
    (engine_rules.includes_run_downwards, RUN, '#include "apps/solver/options.hpp"\n'),
    (engine_rules.memory_in_patterns, PAT, PATTERN + "Buffer own = map_memory(8);\n"),
    (engine_rules.applications_by_name, RUN, "// The mass of a quark.\n"),
    (engine_rules.applications_by_name, CONTRACT, "double mass = 1;\n"),
    (engine_rules.applications_by_name, "engine/host/a.hpp", "// As the solver likes it.\n"),
    (engine_rules.includes_run_downwards, TCP, '#include "patterns/parts/streaming.hpp"\n'),
    (engine_rules.includes_run_downwards, "engine/host/a.hpp", '#include "run/case.hpp"\n'),
    (engine_rules.includes_run_downwards, "engine/transports/tcp/a.hpp", PROGRAM),
    (engine_rules.libraries_in_contract, CONTRACT, "#include <mpi.h>\n"),
    (engine_rules.libraries_in_contract, CONTRACT, "#include <ucp/api/ucp.h>\n"),
    (engine_rules.libraries_in_contract, CONTRACT, '#include "hwloc.h"\n'),
    (engine_rules.dead_headers, "engine/alone.hpp", '// Alone.\n#include "alone.hpp"\n'),
]
RULES = sorted({rule for rule, _, _ in PLANTED}, key=lambda rule: rule.__name__)


def grow(root: Path, files: dict[str, str]) -> Tree:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return Tree(root, files)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_a_good_tree_breaks_no_rule(tmp_path: Path, rule: Rule) -> None:
    assert [str(finding) for finding in rule(grow(tmp_path, GOOD))] == []


@pytest.mark.parametrize(("rule", "path", "text"), PLANTED)
def test_a_planted_fault_is_caught(tmp_path: Path, rule: Rule, path: str, text: str) -> None:
    found = list(rule(grow(tmp_path, {**GOOD, path: text})))
    assert {finding.path for finding in found} == {path}


def test_prose_of_python_is_its_comments_and_docstrings_with_their_lines(tmp_path: Path) -> None:
    text = (
        'r"""A \\" module.\n\n"" of it."""\nHASH = "\\"# no" + \'"""\'  # a "mark\n'
        "PLAIN = '''# none \\\\\n# none'''\nODD = f'{1}#'\n#\n"
    )
    source = grow(tmp_path, {"src/one.py": text}).find("src/one.py")
    assert source
    assert source.prose == (
        (1, 'r"""A \\" module.\n\n"" of it."""'), (4, '# a "mark'), (8, "#")
    )  # fmt: skip
    compile(text, "one.py", "exec")


def test_ignored_files_are_not_looked_at(tmp_path: Path) -> None:
    grow(tmp_path, {".gitignore": "build/\n", "build/a.py": "", "src/new.py": "", "src/old.py": ""})
    for words in (["init", "-q"], ["add", "src/old.py"]):
        subprocess.run(["git", *words], cwd=tmp_path, check=True)
    assert sorted(tracked_paths(tmp_path)) == [".gitignore", "src/new.py", "src/old.py"]


def test_an_exception_ends_with_its_reason(tmp_path: Path) -> None:
    tree = grow(tmp_path, {**GOOD, TABLE: DOC + "cache = {}\n"})
    needed = Allowed(python_rules.mutable_globals, TABLE, "on purpose")
    stale = Allowed(python_rules.mutable_globals, CLI, "it was once")
    assert no_longer_needed((needed, stale), lambda rule: rule(tree)) == [stale]
