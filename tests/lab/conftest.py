"""The cluster that all tests of a session share, and a folder that its hosts share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lab.cluster.cluster import Cluster, missing

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of this machine that every host of the cluster sees."""
    return tmp_path_factory.mktemp("shared")


@pytest.fixture(scope="session")
def lab(shared: Path) -> Iterator[Cluster]:
    """Four hosts that are up; a test that kills one gives it back."""
    reason = missing()
    if reason:
        pytest.skip(f"no lab: {reason}")
    with Cluster(4, [shared]) as cluster:
        yield cluster


@pytest.fixture
def folder(shared: Path, request: pytest.FixtureRequest) -> Path:
    """A folder that the hosts share, of one test alone."""
    made = shared / "".join(char if char.isalnum() else "-" for char in request.node.name)
    made.mkdir()
    return made


@pytest.fixture
def cluster(lab: Cluster) -> Iterator[Cluster]:
    """The same, and nothing of a run may be left on any host after the test."""
    yield lab
    lab.settle()
