"""The recipes for other packagers name what this tree has, in its versions, and are well formed."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PACKAGING = ROOT / "packaging"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
SPACK = PACKAGING / "spack" / "spack_repo" / "weft" / "packages"
APPTAINER = PACKAGING / "apptainer"
NAMED = re.compile(r"([A-Za-z0-9_.-]+)>=([0-9.]+)")
# What a section of an Apptainer definition may be called.
SECTIONS = {
    "arguments", "setup", "files", "environment", "post", "runscript", "startscript", "test",
    "labels", "help",
}  # fmt: skip


def minima() -> dict[str, str]:
    """What weft runs with, and the least version of each."""
    found = [NAMED.fullmatch(line) for line in PROJECT["project"]["dependencies"]]
    return {match[1]: match[2] for match in found if match}


def numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def locked(name: str) -> dict[str, str]:
    """The hashes of a lock file by package and version, wherever one is wanted."""
    text = re.sub(r"^#.*\n", "", (ROOT / name).read_text(), flags=re.MULTILINE)
    entries = re.split(r"\n(?=\S)", text.strip())
    return {re.split(r" [;\\]", entry)[0]: entry.partition("\n")[2] for entry in entries}


def easyconfig() -> dict[str, Any]:
    """What the easyconfig assigns; the names that EasyBuild knows stand for themselves."""
    [path] = (PACKAGING / "easybuild").glob("*.eb")
    known: dict[str, Any] = {"OS_PKG_IBVERBS_DEV": "libibverbs"}
    exec(path.read_text(), known)  # noqa: S102 - our own, which is Python
    assert path.name == (
        f"{known['name']}-{known['version']}-{known['toolchain']['name']}"
        f"-{known['toolchain']['version']}.eb"
    )
    return known


def sections() -> dict[str, str]:
    """The definition's sections by name; its header under the empty one."""
    parts = re.split(r"^%(\w+).*\n", (APPTAINER / "weft.def").read_text(), flags=re.MULTILINE)
    return {"": parts[0], **dict(zip(parts[1::2], parts[2::2], strict=True))}


def test_every_dependency_has_a_least_version() -> None:
    assert len(minima()) == len(PROJECT["project"]["dependencies"])


def test_what_is_installed_for_others_is_what_was_tested() -> None:
    everything, runs = locked("requirements.lock"), locked("requirements-run.lock")
    assert {name: everything[name] for name in runs} == runs
    pinned = {name.partition("==")[0] for name in runs}
    assert set(minima()) <= pinned
    assert {"pytest", "ruff", "mypy"}.isdisjoint(pinned)


def test_spack_asks_for_what_the_project_asks_for() -> None:
    text = (SPACK / "weft" / "package.py").read_text()
    assert dict(re.findall(r'depends_on\("py-(\w+)@([0-9.]+):"\)', text)) == minima()
    [build] = PROJECT["build-system"]["requires"]
    assert f'depends_on("py-{build.replace(">=", "@")}:"' in text
    least = re.findall(r"VERSION (\S+)\)", (ROOT / "CMakeLists.txt").read_text())[0]
    assert f'depends_on("cmake@{least}:"' in text
    assert f'depends_on("python@{PROJECT["project"]["requires-python"][2:]}:"' in text
    # The checkout is found from where the file lies.
    depth = re.findall(r"parents\[(\d)\]", text)[0]
    assert (SPACK / "weft" / "package.py").parents[int(depth)] == ROOT


@pytest.mark.parametrize("path", sorted(SPACK.glob("*/package.py")), ids=lambda p: p.parent.name)
def test_each_spack_package_is_one_class_with_the_name_of_its_folder(path: Path) -> None:
    [found] = [node for node in ast.parse(path.read_text()).body if isinstance(node, ast.ClassDef)]
    assert found.name == "".join(word.capitalize() for word in path.parent.name.split("_"))
    for version in re.findall(r'sha256="(\w*)"', path.read_text()):
        assert re.fullmatch("[0-9a-f]{64}", version)


def test_easybuild_has_what_the_project_asks_for() -> None:
    found = easyconfig()
    assert found["version"] == PROJECT["project"]["version"]
    extensions = {name: version for name, version, *_ in found["exts_list"]}
    modules = {name.lower(): version for name, version, *_ in found["dependencies"]}
    has = {**modules, **extensions}
    # These come in bundles: Python-bundle-PyPI 2025.07 and SciPy-bundle 2025.07.
    bundled = {"jinja2": "3.1.6", "rich": "14.1.0", "numpy": "2.3.2", "scipy": "1.16.1"}
    for name, least in minima().items():
        assert numbers({**has, **bundled}[name]) >= numbers(least), name
    assert extensions["weft"] == found["version"]


def test_both_recipes_take_the_same_sources() -> None:
    for name, _, *more in easyconfig()["exts_list"]:
        path = SPACK / f"py_{name.replace('-', '_')}" / "package.py"
        if path.exists():
            assert f'sha256="{more[0]["checksums"][0]}"' in path.read_text(), name


def test_the_definition_has_known_sections_and_shell_that_parses() -> None:
    found = sections()
    assert set(found) - {""} <= SECTIONS
    assert re.search(r"^Bootstrap: docker\nFrom: debian:\d+$", found[""], re.MULTILINE)
    for name in ("post", "environment", "runscript", "test"):
        done = subprocess.run(
            ["shellcheck", "--shell=sh", "--exclude=SC2148,SC2154,SC1091", "-"],
            input=found[name], capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, name + done.stdout


def test_the_definition_installs_by_the_target_that_there_is() -> None:
    makefile = (ROOT / "Makefile").read_text()
    target = re.findall(r"make (\w+) PREFIX=(\S+)", sections()["post"])
    assert target == [("install", "/opt/weft")]
    assert re.search(r"^install: .*\n\tscripts/install-prefix", makefile, re.MULTILINE)


def test_the_images_programs_are_started_by_wrappers(tmp_path: Path) -> None:
    """An apptainer made of a shell: the image's rank programs print what they are given."""
    inside = tmp_path / "opt" / "weft" / "lib" / "weft" / "libexec" / "weft" / "openmpi"
    inside.mkdir(parents=True)
    (tmp_path / "bin").mkdir()
    fake = tmp_path / "bin" / "apptainer"
    fake.write_text(
        '#!/bin/sh\necho "$@" >&2\nwhile [ "${1#*.sif}" = "$1" ]; do shift; done; shift\n'
        f'for word; do shift; set -- "$@" "$(echo "$word" | sed "s|^/opt|{tmp_path}/opt|")"; done\n'
        f'"$@" | sed "s|{tmp_path}/opt|/opt|"\n'
    )
    (inside / "rank-tcp").write_text('#!/bin/sh\necho "rank $*"\n')
    for path in (fake, inside / "rank-tcp"):
        path.chmod(0o755)
    environment = {**os.environ, "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"}
    words: list[str | Path] = [
        APPTAINER / "wrap-programs",
        tmp_path / "w.sif",
        tmp_path / "made",
        "--bind",
        "/a b",
    ]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done
    assert f"1 programs in {tmp_path}/made; run export WEFT_ENGINE_DIR=" in done.stdout
    program = tmp_path / "made" / "openmpi" / "rank-tcp"
    done = subprocess.run(
        [program, "--cpus", "0,1"], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout == "rank --cpus 0,1\n"
    assert done.stderr.startswith(f"exec --bind /a b {tmp_path}/w.sif /opt/weft/lib/weft/libexec/")
