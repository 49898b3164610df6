"""Which options an application takes: those of its own names, and no others."""

import pytest

from support.builders import pattern


@pytest.mark.parametrize("option", ["long_links", "mass", "u0", "gauge", "gauge_checksums"])
def test_an_application_takes_each_of_its_options(option: str) -> None:
    assert pattern("milc").application.takes(option)
    assert not pattern("halo").application.takes(option)


@pytest.mark.parametrize("option", ["", "a", "gaug", "gauges", "long-links", "zz"])
def test_an_application_takes_no_other_name(option: str) -> None:
    assert not pattern("milc").application.takes(option)


def test_only_what_takes_a_file_has_an_option_for_it() -> None:
    found = [pattern(name).application.file_option for name in ("milc", "halo", "ping_pong")]
    assert found == ["gauge", "", ""]
