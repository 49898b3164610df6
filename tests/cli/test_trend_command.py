"""`weft trend`: records in any order, one that cannot be read, JSON and a page."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from support.nights import EVEN, nights
from support.printed import result_of
from weft.cli.main import app
from weft.errors import WeftError


def trend(*words: str | Path) -> str:
    done = CliRunner().invoke(app, ["trend", *map(str, words)])
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0
    return done.output


def test_json_has_sessions_series_and_courses(tmp_path: Path) -> None:
    factors = [even * (1.25 if day >= 6 else 1.0) for day, even in enumerate(EVEN)]
    paths = [run.path for run in nights(tmp_path, factors)]
    found = result_of(trend(*reversed(paths), "--json"))
    assert [session["record"] for session in found["sessions"]] == [str(path) for path in paths]
    [series] = [one for one in found["series"] if one["case"] == "tcp/ping_pong/8"]
    assert series["quantity"] == "latency"
    assert series["points"][9]["estimate"]["value"] == pytest.approx(1250, rel=0.01)
    [step] = found["courses"][0]["steps"]
    assert step["session"] == 6
    assert step["speed"]["low"] < 0.8 < step["speed"]["high"]


def test_a_record_that_cannot_be_read_is_named_and_the_others_are_shown(tmp_path: Path) -> None:
    paths = [run.path for run in nights(tmp_path, EVEN[:3])]
    broken = tmp_path / "empty.jsonl"
    broken.touch()
    text = trend(*paths, broken)
    assert "note: skipped: " in text
    assert "empty.jsonl" in text
    assert "3 sessions" in text
    with pytest.raises(WeftError, match="none of 2 records can be read"):
        trend(broken, tmp_path / "absent.jsonl")


@pytest.mark.usefixtures("undrawn")
def test_a_page_is_written_and_limits_answer_for_each_session(tmp_path: Path) -> None:
    paths = [run.path for run in nights(tmp_path, (1.0, 1.2))]
    limits = tmp_path / "limits.toml"
    limits.write_text('[[limit]]\ntest = "ping_pong"\nsizes = "8"\nlatency_at_most = "1.1 us"\n')
    text = trend(*paths, "--against", limits, "-o", tmp_path / "t.html")
    rows = [line.split() for line in text.splitlines() if line.startswith("2026-")]
    assert [row[2] for row in rows[:2]] == ["pass", "fail"]
    assert "over time" in (tmp_path / "t.html").read_text()
