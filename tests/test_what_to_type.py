"""Whatever a message or a page says to type can be typed: each is typed here, or parsed.

A message that names a program of a new kind fails here until this file knows how to type it.
Packages are installed for real on the newcomer's machine (scripts/newcomer).
"""

from __future__ import annotations

import ast
import importlib.util
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import typer
from typer._click.exceptions import UsageError

from support.builders import synthetic_record
from support.copies import ROOT
from support.typed import request_of_command
from weft.cli.main import app
from weft.errors import WeftError
from weft.launch.programs import PACKAGES
from weft.plan.suites import SUITES

if TYPE_CHECKING:
    from collections.abc import Iterator

# A command of a page that names what only its reader has: a record, a cluster, a platform file.
OF_THE_READER = re.compile(
    r"--(?:again|resume|submit|help|help-all)\b|\.xml| [A-Z]+\b|->|--(?:platform|vary)$"
)
# Options of Docker and of scripts that messages name.
OTHERS = {"--cap-add", "--shm-size", "--shell"}
# One message may name several.
SAID = re.compile(
    r"\b(?:use|run|then|or) ((?:--[a-z]|(?:weft|make|apt-get|python -m) (?!it|did|one)|scripts/)"
    r"(?:(?!\b(?:use|then) ).)*)",
    re.DOTALL,
)
# What scripts and the engine are written in.
ENDINGS = {"", ".py", ".cpp", ".hpp", ".txt", ".sh"}
# A command ends where the sentence goes on.
END = re.compile(r"[,;)\"]|\.(?:\s|$)| to (?:see|choose|build|set|collect)\b| in .*| and | or ")
FOLDERS = ("engine", "scripts", "packaging", "tests/lab", "bench")


def texts(tree: ast.AST) -> Iterator[str]:
    """Every text of a module but its docstrings, {} in place of what is filled in."""
    parts: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts |= {id(one) for one in ast.walk(node) if one is not node}
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and isinstance(body[0], ast.Expr):
            parts.add(id(body[0].value))
    for node in ast.walk(tree):
        if id(node) in parts:
            continue
        if isinstance(node, ast.JoinedStr):
            values = [one.value if isinstance(one, ast.Constant) else "{}" for one in node.values]
            yield "".join(str(value) for value in values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def said() -> Iterator[tuple[str, str]]:
    """Where something is said to be typed, and what."""
    for path in sorted((ROOT / "src").rglob("*.py")):
        for text in texts(ast.parse(path.read_text())):
            for match in SAID.finditer(text):
                yield str(path.relative_to(ROOT)), match[1]
    files = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*"))]
    for path in files:
        if path.suffix in ENDINGS and path.is_file():
            for line in path.read_text().splitlines():
                for match in SAID.finditer(line):
                    yield str(path.relative_to(ROOT)), match[1].partition('"')[0]


def pages() -> Iterator[tuple[str, str]]:
    """The commands of weft and make that the pages show."""
    shown = r"`((?:weft|make) [^`\n]+)`|^ {4,}((?:weft|make) .+)$"
    files = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
    # A decision names what it refused too.
    files = [path for path in files if path.parent.name != "decisions"]
    for path in files:
        # In a fence a command stands where the fence does.
        fence = False
        for line in path.read_text().splitlines():
            fence ^= line.lstrip().startswith("```")
            for match in re.finditer(shown, f"    {line.lstrip()}" if fence else line):
                yield path.name, re.split(r"\s+# ", match[1] or match[2])[0]


def commands() -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, command in typer.main.get_command(app).commands.items():  # type: ignore[attr-defined]
        found[name] = command
        for inner, below in getattr(command, "commands", {}).items():
            found[f"{name} {inner}"] = below
    return found


def options_of(command: Any) -> set[str]:
    inner = getattr(command, "commands", {}).values()
    mine = {word for option in command.params for word in (*option.opts, *option.secondary_opts)}
    return mine | {"--help", "--help-all"} | {word for below in inner for word in options_of(below)}


COMMANDS = commands()
OPTIONS = {word for command in COMMANDS.values() for word in options_of(command)}
TESTS = {test for suite in SUITES for part in suite.experiments for test in part.tests}
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))


def wrong_with_weft(line: str) -> str:
    """What the command line of weft would refuse, of a command that names what it is given."""
    words = line.split()
    if len(words) < 2 or words[1].startswith(("-", "{", "^", "COMMAND")):
        return ""
    name = words[1].rstrip(".,;:")
    pair = " ".join([name, *words[2:3]])
    command = COMMANDS.get(pair) or COMMANDS.get(name)
    if command is None:
        return f"weft has no command {name}"
    # slurm script takes what run takes.
    known = options_of(command) | (options_of(COMMANDS["run"]) if name == "slurm" else set())
    asked = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", line))
    return f"weft {name} has no {sorted(asked - known)}" if asked - known else ""


def wrong_with(line: str) -> str:
    """Why a line cannot be typed; empty if it can."""
    line = line.strip().removeprefix("as root: ").removeprefix("sudo ").strip()
    first = (line.split() or [""])[0]
    if first.startswith("--"):
        unknown = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", line)) - OPTIONS - OTHERS
        return f"no command has {sorted(unknown)}" if unknown else ""
    if first == "weft":
        return wrong_with_weft(END.split(line)[0])
    if first == "make":
        target = line.split()[1].strip(".,;")
        return "" if target in TARGETS else f"there is no target {target}"
    if first == "python" and line.split()[1] == "-m":
        module = line.split()[2].strip(".,;")
        return "" if importlib.util.find_spec(module) else f"there is no module {module}"
    if first.startswith(("scripts/", "tests/")):
        return "" if (ROOT / first).exists() else f"there is no {first}"
    if first == "apt-get":
        return "" if line.startswith("apt-get install ") else "apt-get without install"
    return f"nothing here types {first}"


def test_what_messages_say_to_type_can_be_typed() -> None:
    lines = list(said())
    assert len(lines) > 100
    wrong = {f"{place}: {line!r}: {why}" for place, line in lines if (why := wrong_with(line))}
    assert not wrong, "\n".join(sorted(wrong))


def test_the_pages_commands_are_commands() -> None:
    lines = list(pages())
    assert len(lines) > 100
    wrong = {f"{page}: {line}: {why}" for page, line in lines if (why := wrong_with(line))}
    assert not wrong, "\n".join(sorted(wrong))


@pytest.mark.thorough
def test_the_runs_of_the_pages_are_taken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """By `weft run` itself, up to where ranks would start: its tests, sizes and settings too."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    wrong = []
    found = {line: page for page, line in pages() if line.startswith("weft run")}
    runs = {line: page for line, page in found.items() if not OF_THE_READER.search(line)}
    assert len(runs) > 90
    for line, page in runs.items():
        try:
            asked = request_of_command(line, monkeypatch)
        except (WeftError, UsageError) as refused:
            wrong.append(f"{page}: {line}: {refused}")
            continue
        named = {test for part in asked.experiments for test in part.tests}
        wrong += [f"{page}: {line}: there is no {test}" for test in sorted(named - TESTS)]
    assert not wrong, "\n".join(wrong)


def whole_commands() -> Iterator[tuple[str, str]]:
    """Where the code has a whole `weft run` in words of its own, and which."""
    for path in sorted((ROOT / "src").rglob("*.py")):
        for text in texts(ast.parse(path.read_text())):
            for match in re.finditer(r"weft run((?: [\w.-][^\s;,]*(?:,[^\s;,]+)*)+)", text):
                if "--" in match[0] and "{}" not in match[0]:
                    yield path.name, END.split(match[0])[0]


def test_commands_in_words_of_their_own_are_taken(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """By `weft run` itself, up to what it would measure; a record and a file are any."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    record = synthetic_record(tmp_path / "weft-20261121-101500.jsonl.zst")
    assert record.exists()
    found = [one for one in whole_commands() if not {"--resume", "--submit"} & set(one[1].split())]
    assert len(found) > 10
    for _, command in found:
        asked = request_of_command(command, monkeypatch)
        assert asked.cases or asked.suite or asked.experiments[0].tests


@pytest.mark.parametrize(
    "line",
    [
        "weft shew r.jsonl", "weft show r.jsonl --colour", "make biuld",
        "scripts/install-packages test", "python -m weft.hosts", "--nods 4", "aptitude install x",
    ],
)  # fmt: skip
def test_what_cannot_be_typed_is_noticed(line: str) -> None:
    assert wrong_with(line)


@pytest.mark.parametrize("target", sorted(TARGETS - {"clean", "lock"}))
def test_make_knows_what_each_target_needs(target: str) -> None:
    """Nothing is run: only that make finds a way."""
    done = subprocess.run(
        ["make", "-n", target, "PREFIX=/tmp/weft", "CMD=true"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def packages() -> set[str]:
    """Every package that something says to install."""
    found = {word for words in PACKAGES.values() for word in words.split()}
    for _, line in [*said(), *pages()]:
        for match in re.finditer(r"apt-get install ((?:[a-z0-9.+-]+ ?)+)", line):
            found |= {word for word in shlex.split(match[1]) if not word.startswith("-")}
    return found


@pytest.mark.thorough
def test_the_packages_that_are_named_can_be_installed() -> None:
    named = packages()
    assert "openmpi-bin" in named
    if shutil.which("apt-get") is None or not any(Path("/var/lib/apt/lists").glob("*Packages*")):
        pytest.skip("no lists of packages here; run apt-get update")
    done = subprocess.run(
        ["apt-get", "install", "-s", "--no-install-recommends", *sorted(named)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
