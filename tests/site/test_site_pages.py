"""The documentation's site keeps all that the pages have, and fails on a dead link."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer

from support.copies import ROOT
from weft.cli.main import app
from weft.cli.manual import commands_of
from weft.record.schema import schema_text

MKDOCS = Path(sys.executable).with_name("mkdocs")
QUIET = {"NO_MKDOCS_2_WARNING": "1"}


@pytest.fixture(scope="module")
def site() -> Any:
    spec = importlib.util.spec_from_file_location("site_pages", ROOT / "scripts/site_pages.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_index_of_numbers_has_all_its_pages() -> None:
    folder = ROOT / "docs" / "numbers"
    index = (folder / "index.md").read_text()
    for path in folder.glob("*.md"):
        assert path.name == "index.md" or f"]({path.name})" in index, path.name


def test_the_reference_has_every_command_and_option(site: Any) -> None:
    page = site.commands()
    for name, command in commands_of(typer.main.get_command(app)):
        [own] = re.findall(rf"## weft {name}\n.*?(?=\n## |\Z)", page, re.DOTALL)
        for param in command.params:
            if param.param_type_name == "option":
                assert max(param.opts, key=len) in own, f"{name} {param.opts}"


def test_the_page_of_commands_has_an_example_of_each() -> None:
    page = (ROOT / "docs" / "commands.md").read_text()
    for name, _ in commands_of(typer.main.get_command(app)):
        assert f"| `weft {name}` |" in page, name


def test_the_records_page_has_every_field(site: Any) -> None:
    page = site.record()
    fields = set(re.findall(r'"(\w+)": \{', schema_text()))
    assert {"ticks", "ops_per_sample", "clock"} <= fields
    for name in ("ticks", "ops_per_sample", "verified_bytes", "budget_s"):
        assert f"| `{name}` |" in page


@pytest.mark.parametrize(
    ("link", "wanted"),
    [
        ("[a](../README.md#start)", "[a](readme.md#start)"),
        ("[a](numbers/fits.md#piecewise-model)", "[a](numbers/fits.md#piecewise-model)"),
        ("[a](notebooks/first-look.ipynb)", "[a](notebooks/first-look.md)"),
        ("[a](check.md#over-time)", "[a](check.md#over-time)"),
        ("[a](https://example.org/x)", "[a](https://example.org/x)"),
        ("[a](no-such-page.md)", "[a](no-such-page.md)"),
    ],
)
def test_links_lead_to_the_sites_pages(site: Any, link: str, wanted: str) -> None:
    assert site.with_links(link, "index.md") == wanted


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[gone](gone.md)", "gone.md"),
        ("[gone](index.md#gone)", "#gone"),
        ("[there](index.md#here)", ""),
    ],
)
def test_a_dead_link_fails_the_build(text: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text(f"# Here\n\n{text}\n")
    (tmp_path / "mkdocs.yml").write_text(
        f"INHERIT: {ROOT / 'mkdocs.yml'}\ndocs_dir: docs\nsite_dir: site\nhooks: []\n"
        "exclude_docs: ''\nnav: [index.md]\n"
    )
    done = subprocess.run(
        [MKDOCS, "build"], cwd=tmp_path, env=QUIET, capture_output=True, text=True, timeout=600,
        check=False,
    )  # fmt: skip
    assert (done.returncode != 0) == bool(told), done.stderr
    assert told in done.stderr
