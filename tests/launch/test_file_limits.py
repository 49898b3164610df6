"""Ranks by the hundred need more open files than a shell permits at first."""

import resource
from collections.abc import Iterator

import pytest

from weft.launch.file_limits import MOST_FILES, allow_many
from weft.launch.piped import PipedLaunch
from weft.launch.protocol import LaunchError


@pytest.fixture
def few_files() -> Iterator[int]:
    """A soft limit as shells have it, below the hard one; that is given."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, hard))
    yield hard
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def ends_with(words: str) -> str:
    with (
        PipedLaunch(["sh", "-c", words]) as launch,
        pytest.raises(LaunchError) as ended,
    ):
        launch.hello()
    return str(ended.value)


def test_ranks_may_open_as_many_files_as_the_hard_limit_permits(few_files: int) -> None:
    most = MOST_FILES if few_files == resource.RLIM_INFINITY else min(few_files, MOST_FILES)
    assert ends_with("echo error: $(ulimit -n) files >&2; exit 1") == f"error: {most} files"
    allow_many()
    assert resource.getrlimit(resource.RLIMIT_NOFILE) == (most, few_files)


def test_a_starter_that_ran_out_of_files_is_told_what_to_type() -> None:
    said = "[proxy:0:0@n1] HYDU_create_process (launch.c:21): pipe error (Too many open files)"
    assert ends_with(f"echo '{said}' >&2; exit 1") == (
        f"{said}; the ranks may open too few files for so many: run ulimit -n 65536 first, or"
        " fewer --ranks"
    )
    assert "ulimit" not in ends_with("echo 'error: no core is free' >&2; exit 1")
