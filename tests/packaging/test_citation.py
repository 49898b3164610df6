"""CITATION.cff has what its format asks for, and cites the version that is here."""

import yaml

import weft
from support.copies import ROOT

# What the schema of the Citation File Format 1.2.0 requires.
REQUIRED = {"cff-version", "message", "title", "authors"}


def test_the_citation_is_of_this_version() -> None:
    found = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert set(found) >= REQUIRED
    assert found["cff-version"] == "1.2.0"
    assert str(found["version"]) == weft.__version__
    assert found["type"] == "software"
    assert found["license"] == "BSD-3-Clause"
    assert all(one.get("name") or one.get("family-names") for one in found["authors"])
