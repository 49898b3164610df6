"""Style as a test: every rule of tests/style/ holds in every file of the project.

A rule exists only if it is checked, and an exception only while it is needed.
"""

from functools import cache
from pathlib import Path

import pytest
import typer

from style import (
    engine_rules,
    python_rules,
    text_rules,
)
from style.help_rules import commands_without_example
from style.tree import Allowed, Finding, Rule, Tree, no_longer_needed, tracked_paths
from weft.cli.main import app

ROOT = Path(__file__).resolve().parent.parent

RULES: tuple[Rule, ...] = (
    text_rules.paths_of_one_machine,
    text_rules.british_spelling,
    text_rules.dead_links,
    text_rules.cited_files,
    python_rules.mutable_globals,
    python_rules.slow_start,
    python_rules.files_in_pure_rooms,
    python_rules.sleeps,
    python_rules.dead_modules,
    engine_rules.conditions_in_patterns,
    engine_rules.transports_in_patterns,
    engine_rules.patterns_in_transports,
    engine_rules.includes_run_downwards,
    engine_rules.applications_by_name,
    engine_rules.memory_in_patterns,
    engine_rules.libraries_in_contract,
    engine_rules.dead_headers,
)


# What may break a rule, and why. This list may only shrink.
EXCEPTIONS: tuple[Allowed, ...] = (
    Allowed(text_rules.cited_files, "scripts/gate/logs.py", "an example of what pytest prints"),
    Allowed(text_rules.cited_files, "tests/scripts/test_gate.py", "what pytest prints of a test"),
)


@cache
def project() -> Tree:
    """This project's own files, read once."""
    return Tree(ROOT, tracked_paths(ROOT))


@cache
def found_by(rule: Rule) -> tuple[Finding, ...]:
    """What it finds in them, looked for once."""
    return tuple(rule(project()))


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_the_project_keeps(rule: Rule) -> None:
    allowed = {exception.path for exception in EXCEPTIONS if exception.rule is rule}
    found = [str(finding) for finding in found_by(rule) if finding.path not in allowed]
    assert not found, f"{rule.__doc__}\n" + "\n".join(found)


def test_every_exception_is_still_needed() -> None:
    assert no_longer_needed(EXCEPTIONS, found_by) == []


def test_every_command_shows_an_example() -> None:
    assert commands_without_example(app) == []


def test_a_command_without_an_example_is_caught() -> None:
    planted = typer.Typer()
    planted.command("good", epilog="Example:  weft good")(lambda: None)
    planted.command("bad")(lambda: None)
    assert commands_without_example(planted) == ["bad"]
