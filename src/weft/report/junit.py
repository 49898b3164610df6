"""Checks as JUnit XML, as Jenkins, GitLab and others read it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from weft.units import format_bytes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.analysis.compare.acceptance import Checked

# What XML 1.0 cannot hold, not even escaped (section 2.2).
_NO_CHARACTER = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit_xml(checks: Sequence[Checked], name: str) -> str:
    """One test suite with a test case a check.

    A fail is a `failure`. "cannot tell" is an `error`, never `skipped`: no reader may take it for
    a pass.
    """
    failures = sum(check.outcome == "fail" for check in checks)
    errors = sum(check.outcome == "cannot tell" for check in checks)
    counts = {"tests": str(len(checks)), "failures": str(failures), "errors": str(errors)}
    root = ElementTree.Element("testsuites", {"name": "weft check", **counts})
    suite = ElementTree.SubElement(
        root, "testsuite", {"name": _clean(name), **counts, "skipped": "0"}
    )
    for check in checks:
        size = "" if check.bytes is None else f"{format_bytes(check.bytes)} "
        case = ElementTree.SubElement(
            suite,
            "testcase",
            {
                "classname": _clean(f"weft.{check.transport or 'any'}.{check.test}"),
                "name": _clean(f"{size}{check.asked} ({check.case})"),
            },
        )
        if check.outcome != "pass":
            kind = "failure" if check.outcome == "fail" else "error"
            attributes = {"type": check.outcome, "message": _clean(check.why)}
            ElementTree.SubElement(case, kind, attributes).text = _clean(check.why)
        else:
            ElementTree.SubElement(case, "system-out").text = _clean(check.why)
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _clean(text: str) -> str:
    return _NO_CHARACTER.sub("\N{REPLACEMENT CHARACTER}", text)
